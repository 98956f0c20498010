"""Where an instruction comes from: its op, its shape and its place in the user's program."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import PurePath

from shardlog.ir.errors import InputError
from shardlog.ir.module import HloModule, Instruction

__all__ = ["Origin", "Origins", "brief_shape"]

BRIEF = 120
"""Characters up to which the shape of a tuple is written out."""

_ROW = re.compile(r'^(\d+) (?:"(.*)"|\{(.*)\})$', re.M)
_PLAIN = re.compile(
    r'\{(?:op_type="[^"\\]*" )?op_name="([^"\\]*)"'
    r'(?: source_file="([^"\\]*)" source_line=(\d+))?'
    r"(?: source_(?:end_line|column|end_column)=\d+)*(?: stack_frame_id=(\d+))?\}"
)
_FIELD = re.compile(r"(\w+)=(\d+)")


@dataclass(frozen=True)
class Origin:
    """What tells an instruction apart; `op_name` and `source`, as "file.py:12", may be empty.

    `becomes` is the name that it has after the pass, if that is another.
    """

    name: str
    opcode: str = ""
    shape: str = ""
    op_name: str = ""
    source: str = ""
    becomes: str = ""

    def __str__(self) -> str:
        parts = [f"{self.opcode} {brief_shape(self.shape)}".strip()]
        parts += [f'"{self.op_name}"'] if self.op_name else []
        parts += [self.source] if self.source else []
        parts += [f"becomes {self.becomes}"] if self.becomes else []
        return "  ".join(part for part in parts if part)


def brief_shape(shape: str) -> str:
    """Return a shape's text, of a long tuple just the first elements and their number."""
    if len(shape) <= BRIEF or not shape.startswith("("):
        return shape
    elements, depth, start = list[str](), 0, 1
    for place, letter in enumerate(shape):
        depth += (letter in "([{") - (letter in ")]}")
        if (letter == "," and depth == 1) or (letter == ")" and depth == 0):
            elements.append(shape[start:place].strip())
            start = place + 1
    return f"({', '.join(elements[:2])}, ... {len(elements)} elements)"


class Origins:
    """The origins of a module's instructions, read from metadata and the stack frame tables."""

    def __init__(self, module: HloModule) -> None:
        self._tables = module.tables
        self._places: dict[int, str] = {}

    def of(self, instruction: Instruction, name: str) -> Origin:
        """Return where an instruction comes from; `name` is what the module called it at first."""
        op_name, source = self.in_program(instruction)
        after = instruction.name
        return Origin(
            name or after,
            instruction.opcode,
            str(instruction.shape),
            op_name,
            source,
            after if name and after != name else "",
        )

    def in_program(self, instruction: Instruction) -> tuple[str, str]:
        """Return an instruction's op name and its place in the program, each "" if unknown."""
        try:
            raw = instruction.attribute("metadata")
            plain = _PLAIN.fullmatch(raw) if raw is not None else None
            if plain is not None:
                # as most metadata is: without an object for it
                op_name, source, line, frame = plain.groups("")
                at = _place(source, int(line)) if source else self._frame(int(frame or 0))
                return op_name, at
            fields = dict(instruction.metadata.fields)
        except InputError:
            # a proof can do without; whoever needs the metadata says what is wrong with it
            return "", ""
        file = fields.get("source_file")
        if file:
            source = _place(str(file), int(str(fields.get("source_line", 0))))
        else:
            source = self._frame(int(str(fields.get("stack_frame_id", 0))))
        return str(fields.get("op_name", "")), source

    def _frame(self, number: int) -> str:
        """The innermost place of a stack frame, or "" if the module has no such frame."""
        found = self._places.get(number)
        if found is None:
            location = self._frames.get(number, {}).get("file_location_id", 0)
            fields = self._locations.get(location, {})
            file = self._files.get(fields.get("file_name_id", 0), "")
            found = self._places[number] = _place(file, fields.get("line", 0)) if file else ""
        return found

    @cached_property
    def _files(self) -> dict[int, str]:
        rows = _ROW.findall(self._tables.get("FileNames", ""))
        return {int(number): name for number, name, _ in rows}

    @cached_property
    def _locations(self) -> dict[int, dict[str, int]]:
        return self._rows("FileLocations")

    @cached_property
    def _frames(self) -> dict[int, dict[str, int]]:
        return self._rows("StackFrames")

    def _rows(self, table: str) -> dict[int, dict[str, int]]:
        return {
            int(number): {name: int(value) for name, value in _FIELD.findall(fields)}
            for number, _, fields in _ROW.findall(self._tables.get(table, ""))
        }


@lru_cache(maxsize=4096)
def _place(file: str, line: int) -> str:
    name = PurePath(file).name
    return f"{name}:{line}" if line else name
