"""What relations are made of: a run with its names, and how a relation is declared."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from shardlog.explain.run import Run
from shardlog.ir.errors import InputError
from shardlog.ir.module import Instruction
from shardlog.ir.op_metadata import OpMetadata
from shardlog.ir.shardy.mesh import Mesh
from shardlog.query.names import Names
from shardlog.query.relations import (
    Closure,
    Column,
    Kind,
    Members,
    Relation,
    Row,
    Rows,
    Source,
    Table,
)

__all__ = ["Ground", "Made", "Shelf"]

_SIGNATURE = re.compile(r"(?P<name>\w+)[\[(](?P<arguments>[^\])]*)[\])](?: == (?P<value>\w+))?")
_KINDS = {
    **dict.fromkeys(("I", "O", "U", "J", "A"), Kind.INSTRUCTION),
    **dict.fromkeys(("K", "N", "D", "G"), Kind.NUMBER),
    "C": Kind.COMPUTATION,
    "R": Kind.RULE,
    "P": Kind.OPCODE,
    "E": Kind.STEP,
}
"""What variables stand for in signatures; others are texts."""


@dataclass(frozen=True)
class Ground:
    """A run, the names in it, and the mesh that shardings are shown on, if there is one."""

    run: Run
    names: Names
    mesh: Mesh | None = None

    @cached_property
    def instructions(self) -> Sequence[Instruction]:
        """The instructions by number."""
        return self.run.entities

    def fact(self, name: str) -> list[Any]:
        """A column of the facts that rules read."""
        column = self.run.outcome.saturated.facts.columns[name]
        return [column[number] for number in range(len(self.instructions))]

    def metadata(self, number: int) -> OpMetadata:
        """Where an instruction says that it comes from; nothing if that cannot be read."""
        if number not in self._metadata:
            try:
                self._metadata[number] = self.instructions[number].metadata
            except InputError:
                self._metadata[number] = OpMetadata()
        return self._metadata[number]

    def source(self, number: int) -> tuple[str, int | None]:
        """File and line that an instruction comes from, "" and None if it does not say."""
        metadata = self.metadata(number)
        key = metadata.stack_frame, metadata.source_file, metadata.source_line
        if key not in self._places:
            file, _, line = self.run.origin(number).source.partition(":")
            self._places[key] = file, int(line) if line.isdigit() else None
        return self._places[key]

    @cached_property
    def kept(self) -> dict[str, Any]:
        """What several relations are made of."""
        return {}

    @cached_property
    def _metadata(self) -> dict[int, OpMetadata]:
        return {}

    @cached_property
    def _places(self) -> dict[tuple[int, str, int], tuple[str, int | None]]:
        return {}

    def column(
        self, values: Sequence[Any] | None = None, read: Callable[[int], Any] | None = None
    ) -> Column:
        """A function of instructions."""
        return Column(self.names.instructions, self.names.numbers, values, read)

    def members(self, numbers: Callable[[], Iterable[int]]) -> Members:
        """Instructions of which something holds, by number."""
        names = self.names.instructions
        return Members(lambda: [names[n] for n in numbers()])

    def table(
        self,
        row: Callable[[int], Sequence[Any]],
        holders: Callable[[Any], Iterable[int]] | None = None,
        width: float = 2.0,
    ) -> Table:
        """A function of instructions and positions."""
        return Table(self.names.instructions, self.names.numbers, row, holders, width)

    def rows(self, make: Callable[[], Iterable[Row]], about: float = 1.0) -> Rows:
        """Rows of any kind; `about` is how many there may be for each instruction."""
        return Rows(make, about * max(len(self.names.instructions), 1))

    def closure(
        self,
        forward: Callable[[str], Iterable[str]],
        backward: Callable[[str], Iterable[str]],
    ) -> Closure:
        """Pairs of instructions of which the second is reached from the first."""
        names = self.names.instructions
        return Closure(names, forward, backward, max(len(names) / 8, 2.0))


Make = Callable[[Ground], Source]


@dataclass(frozen=True)
class Made:
    """A relation, and what makes its source."""

    relation: Relation
    make: Make
    needs_mesh: bool = False


class Shelf:
    """Relations of one heading, in order."""

    def __init__(self, heading: str) -> None:
        self.heading = heading
        self.made: list[Made] = []

    def __call__(
        self, signature: str, says: str, needs_mesh: bool = False
    ) -> Callable[[Make], Make]:
        """Declare a relation as it is written, what it means, and the function below for it.

        What arguments are goes by their letters.
        """
        found = _SIGNATURE.fullmatch(signature)
        assert found is not None, signature
        names = [name.strip() for name in found["arguments"].split(",")]
        functional = found["value"] is not None
        names += [found["value"]] if functional else []
        arguments = tuple((name, _KINDS.get(name, Kind.TEXT)) for name in names)
        relation = Relation(found["name"], arguments, functional, says, self.heading)

        def declare(make: Make) -> Make:
            self.made.append(Made(relation, make, needs_mesh))
            return make

        return declare
