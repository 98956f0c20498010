"""Modules as lines of text that can be taken apart and put together again."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from tests.fuzz.modes import TO_PARAMETERS

_NAME = re.compile(r"%([\w.-]+)")
_HEAD = re.compile(r"^(ENTRY )?%(\S+)(?: .*)? \{$")
_CALLED = re.compile(
    r"(?:to_apply|condition|body|true_computation|false_computation|select|scatter|calls"
    r"|branch_computations|called_computations)=(\{[^}]*\}|%[\w.-]+)"
)


@dataclass(frozen=True)
class Line:
    """One instruction: `arguments` stand between its parentheses, `attributes` after them."""

    name: str
    shape: str
    opcode: str
    arguments: str
    attributes: str
    sharding: str = ""
    is_root: bool = False

    @property
    def operands(self) -> list[str]:
        """The names of the operands."""
        return _NAME.findall(self.arguments)

    @property
    def called(self) -> list[str]:
        """The names of the computations that it calls."""
        return [n for found in _CALLED.findall(self.attributes) for n in _NAME.findall(found)]

    def __str__(self) -> str:
        root = "ROOT " * self.is_root
        sharding = f", sharding={self.sharding}" if self.sharding else ""
        return (
            f"  {root}%{self.name} = {self.shape} {self.opcode}({self.arguments})"
            f"{self.attributes}{sharding}"
        )


@dataclass(frozen=True)
class Computation:
    """A computation: its instructions in order."""

    name: str
    is_entry: bool
    lines: tuple[Line, ...]

    def __str__(self) -> str:
        body = "\n".join(map(str, self.lines))
        return f"{'ENTRY ' * self.is_entry}%{self.name} {{\n{body}\n}}\n"

    @property
    def root(self) -> Line:
        """The instruction that is its result."""
        return next((line for line in self.lines if line.is_root), self.lines[-1])


@dataclass(frozen=True)
class ModuleText:
    """A module: the words of its header, and its computations."""

    header: tuple[str, ...]
    computations: tuple[Computation, ...]

    def __str__(self) -> str:
        return ", ".join(self.header) + "\n\n" + "\n".join(map(str, self.computations))

    @property
    def size(self) -> int:
        """What shrinking makes smaller: instructions before annotations before the rest."""
        lines = [line for computation in self.computations for line in computation.lines]
        annotated = sum(bool(line.sharding) for line in lines)
        return 100 * len(lines) + 10 * annotated + sum(map(len, self.header)) // 8

    def with_lines(self, name: str, lines: list[Line]) -> ModuleText:
        """The module with other lines in one of its computations."""
        return replace(
            self,
            computations=tuple(
                replace(c, lines=tuple(lines)) if c.name == name else c for c in self.computations
            ),
        )


def parse(text: str) -> ModuleText:
    """Take the text of a generated module apart."""
    head, *rest = text.splitlines()
    computations: list[Computation] = []
    lines: list[Line] = []
    name, is_entry = "", False
    for row in rest:
        found = _HEAD.match(row)
        if found:
            name, is_entry, lines = found[2], bool(found[1]), []
        elif row == "}":
            computations.append(Computation(name, is_entry, tuple(lines)))
        elif row.strip() and not row.startswith("//"):
            lines.append(_line(row))
    return ModuleText(tuple(_words(head)), tuple(computations))


def _words(head: str) -> Iterator[str]:
    depth, start = 0, 0
    for at, letter in enumerate(head):
        depth += (letter in "{(") - (letter in "})")
        if letter == "," and depth == 0:
            yield head[start:at].strip()
            start = at + 1
    yield head[start:].strip()


def _line(row: str) -> Line:
    row = row.strip()
    is_root = row.startswith("ROOT ")
    name, _, rest = row.removeprefix("ROOT ").removeprefix("%").partition(" = ")
    end = _closing(rest, 0) if rest.startswith("(") else rest.index(" ") - 1
    shape, rest = rest[: end + 1], rest[end + 2 :]
    opcode, _, _ = rest.partition("(")
    end = _closing(rest, len(opcode))
    arguments, attributes = rest[len(opcode) + 1 : end], rest[end + 1 :]
    sharding = ""
    at = attributes.find(", sharding={")
    if at >= 0:
        end = _closing(attributes, at + len(", sharding="))
        sharding = attributes[at + len(", sharding=") : end + 1]
        attributes = attributes[:at] + attributes[end + 1 :]
    return Line(name, shape, opcode, arguments, attributes, sharding, is_root)


def _closing(text: str, start: int) -> int:
    """Where the bracket that opens at `start` closes."""
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] in "({[") - (text[at] in ")}]")
        if depth == 0:
            return at
    raise ValueError(f"unbalanced: {text}")


@dataclass
class _Live:
    """What a module needs, found from the root of the entry."""

    names: set[str] = field(default_factory=set)
    computations: set[str] = field(default_factory=set)


def unused(module: ModuleText) -> set[str]:
    """The names of instructions that nothing uses, parameters and roots apart."""
    names: set[str] = set()
    for computation in module.computations:
        used = {name for line in computation.lines for name in line.operands}
        used.add(computation.root.name)
        names |= {
            line.name
            for line in computation.lines
            if line.name not in used and line.opcode != "parameter"
        }
    return names


def tidy(module: ModuleText, keep: Collection[str] = ()) -> ModuleText:
    """The module without what nothing needs, its entry's parameters and their mask renumbered.

    Instructions named in `keep` count as needed.
    """
    live = _reached(module, keep)
    kept = []
    for computation in module.computations:
        if computation.name in live.computations:
            lines = [
                line
                for line in computation.lines
                if line.name in live.names
                or (line.opcode == "parameter" and not computation.is_entry)
            ]
            kept.append(replace(computation, lines=tuple(lines)))
    return _renumbered(replace(module, computations=tuple(kept)))


def _reached(module: ModuleText, keep: Collection[str]) -> _Live:
    by_name = {c.name: c for c in module.computations}
    live = _Live()
    pending = [c.name for c in module.computations if c.is_entry]
    while pending:
        computation = by_name[pending.pop()]
        live.computations.add(computation.name)
        lines = {line.name: line for line in computation.lines}
        stack = [computation.root.name, *(name for name in lines if name in keep)]
        while stack:
            name = stack.pop()
            if name not in live.names:
                live.names.add(name)
                stack += lines[name].operands
                pending += [c for c in lines[name].called if c not in live.computations]
    return live


def _renumbered(module: ModuleText) -> ModuleText:
    entry = next(c for c in module.computations if c.is_entry)
    lines, numbers = [], []
    for line in entry.lines:
        if line.opcode == "parameter":
            numbers.append(int(line.arguments))
            line = replace(line, arguments=str(len(numbers) - 1))
        lines.append(line)
    header = tuple(_masked(word, numbers) for word in module.header)
    return replace(module.with_lines(entry.name, lines), header=tuple(w for w in header if w))


def _masked(word: str, numbers: list[int]) -> str:
    """A word of the header for the parameters that are left; NEW ones have a false mask."""
    if not word.startswith(TO_PARAMETERS):
        return word
    flags = word.partition("=")[2].strip("{}").split(",")
    if len(flags) == 1:
        return word
    left = [flags[n] if n < len(flags) else "false" for n in numbers]
    return f"{TO_PARAMETERS}={{{','.join(left)}}}" if left else ""
