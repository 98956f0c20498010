"""HLO text taken apart into lines and put together again with some of them changed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from shardlog.converters.hlo_text_module import TextModule
from shardlog.ir.attribute_text import split_attributes
from shardlog.ir.errors import InputError
from shardlog.ir.instruction import PRINTED_LAST
from shardlog.ir.module import Computation, Instruction
from shardlog.ir.sharding import HloSharding

__all__ = ["Line", "LineReader"]

_START = re.compile(
    r"\s*(?:ROOT\s+)?(?P<percent>%?)[\w.\-]+\s*=\s*(?P<shape>(?:\S.*?)??)\s*"
    r"(?P<opcode>[a-z][a-z0-9\-]+)\((?P<inner>.*?)\)(?=\s*,\s*[a-zA-Z_][\w.\-]*\s*=|\s*\Z)",
    re.S,
)
_MODULE = re.compile(r"HloModule[^\n]*")


@dataclass
class Line:
    """One instruction of HLO text; `raw` is its text as long as nothing is changed."""

    is_root: bool
    name: str
    shape: str
    opcode: str
    operands: list[str]
    attributes: dict[str, str]
    inner: str | None = None
    raw: str | None = None
    percent: str = field(default="")

    def set(self, name: str, value: str | None) -> None:
        """Give an attribute another text, or take it away."""
        if value == self.attributes.get(name):
            return
        self.raw = None
        if value is None:
            del self.attributes[name]
        else:
            self.attributes[name] = value


class LineReader:
    """The lines of a module's computations.

    Raises InputError for computations that are written inside of an attribute.
    """

    def __init__(self, module: TextModule) -> None:
        self.module = module
        self.places: dict[Instruction, tuple[int, int]] = {}
        ends = 0
        for computation, span in sorted(module.spans.items(), key=lambda item: item[1].start):
            if span.start < ends:
                raise InputError(
                    f"computation {computation.name} is written inside of an instruction",
                    file=module.file,
                    line=computation.line,
                    expected="a computation of its own",
                )
            ends = span.end
            if span.statements is not None:
                self.places.update(span.statements)
                continue
            starts = [span.start + 1]
            body = module.source[span.start + 1 : span.end]
            starts += [span.start + 2 + match.start() for match in re.finditer("\n", body)]
            starts.append(span.end + 1)
            for instruction in computation.instructions:
                row = instruction.line - span.first_line
                self.places[instruction] = starts[row], starts[row + 1] - 1

    def line(self, instruction: Instruction) -> Line:
        """Return an instruction's line as it stands in the text."""
        start, end = self.places[instruction]
        match = _START.match(self.module.source, start, end)
        if match is None:
            raise instruction.located(InputError("instruction not found in the text"))
        return Line(
            instruction.is_root,
            instruction.name,
            match["shape"],
            match["opcode"],
            [operand.name for operand in instruction.operands],
            split_attributes(self.module.source[match.end() : end].strip().removeprefix(",")),
            None if instruction.operands else match["inner"],
            self.module.source[start:end],
            match["percent"],
        )

    def raw(self, instruction: Instruction) -> str:
        """Return an instruction's text as it stands."""
        start, end = self.places[instruction]
        return self.module.source[start:end]

    def shape(self, instruction: Instruction) -> str:
        """Return the text of an instruction's shape, with its layout."""
        return self.line(instruction).shape or str(instruction.shape)

    def custom_call(
        self,
        like: Instruction,
        name: str,
        shape: str,
        operand: str,
        target: str,
        sharding: HloSharding,
    ) -> Line:
        """Return a new custom-call with the metadata of another instruction."""
        attributes = {"custom_call_target": f'"{target}"', "sharding": sharding.to_text()}
        line = self.line(like)
        if "metadata" in line.attributes:
            attributes["metadata"] = line.attributes["metadata"]
        is_root = line.is_root and name == like.name
        return Line(
            is_root, name, shape, "custom-call", [operand], attributes, percent=line.percent
        )

    def text(self, line: Line, renamed: Mapping[str, str]) -> str:
        """Return a line's text, its operands under their new names."""
        operands = [renamed.get(name, name) for name in line.operands]
        if line.raw is not None and operands == line.operands:
            return line.raw
        inner = line.inner
        if inner is None:
            inner = ", ".join(f"{line.percent}{name}" for name in operands)
        early = [key for key in line.attributes if key not in PRINTED_LAST]
        late = [key for key in PRINTED_LAST if key in line.attributes]
        tail = "".join(f", {key}={line.attributes[key]}" for key in early + late)
        root = "ROOT " if line.is_root else ""
        return f"  {root}{line.percent}{line.name} = {line.shape} {line.opcode}({inner}){tail}"

    def source_with(
        self, bodies: Mapping[Computation, Sequence[str]], header: Mapping[str, str]
    ) -> str:
        """Return the module's text with other bodies, and with the given attributes in its header.

        Raises InputError for a text without the header that is to get attributes.
        """
        source = self.module.source
        parts = []
        at = 0
        match = _MODULE.search(source)
        if match is not None:
            line = match[0].rstrip()
            for name, value in header.items():
                old = self.module.attributes.get(name)
                if old is None:
                    line = f"{line}, {name}={value}"
                else:
                    line = line.replace(f"{name}={old}", f"{name}={value}", 1)
            parts += [source[: match.start()], line]
            at = match.end()
        elif header:
            raise InputError("a module without its first line", file=self.module.file)
        for computation, span in sorted(self.module.spans.items(), key=lambda item: item[1].start):
            parts.append(source[at : span.start])
            parts.append("".join(f"\n{line}" for line in bodies[computation]))
            at = span.end
            if not source.startswith("\n", at):
                parts.append("\n")
        parts.append(source[at:])
        return "".join(parts)
