"""What a run gives: values, records and answers to questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shardlog.engine.compiler import Compiler, compiled
from shardlog.engine.program import Program
from shardlog.engine.records import Record
from shardlog.engine.relations import Facts
from shardlog.light import dataclass


@dataclass(slots=True)
class Timings:
    """Seconds spent planning (compiling rules and building plans) and saturating."""

    planning: float = 0.0
    saturation: float = 0.0


@dataclass(slots=True)
class Saturated:
    """A finished run: the lattices' values, the records, and the compiler that answers queries.

    A run that an earlier process made has no compiler until one is wanted.
    """

    program: Program
    facts: Facts
    state: dict[str, list[Any]]
    records: Sequence[Record]
    iterations: int
    timings: Timings
    compiler: Compiler | None

    def value(self, lattice: str, entity: int) -> Any:
        """The value of an entity in a lattice, or None."""
        return self.state[lattice][entity]

    def rows(self, relation: str) -> list[tuple[Any, ...]]:
        """All rows of a relation over the finished lattices."""
        return self._bound().answers.rows(relation)

    def column(self, relation: str) -> list[Any]:
        """A functional relation of entities as a list, None where there is no row."""
        compiler = self._bound()
        if self.program.by_relation.get(relation) and relation not in self.state:
            return compiler.sharing.column(relation)
        answers = compiler.answers
        return [answers.ask(relation, entity) for entity in range(self.facts.entity_count)]

    def _bound(self) -> Compiler:
        """The compiler, turned back to this run's facts if another run has used it since."""
        compiler = self.compiler
        if compiler is None:
            lattices = self.program.declared.lattices
            compiler = self.compiler = compiled(self.program, self.facts, self.state, lattices)
        if compiler.facts is not self.facts or compiler.state is not self.state:
            compiler.bind(self.facts, self.state)
        return compiler
