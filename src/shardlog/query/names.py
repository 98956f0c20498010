"""What questions call the instructions, computations and rules of a run."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import cached_property

from shardlog.explain.run import Run
from shardlog.ir.errors import InputError
from shardlog.ir.opcodes import OPCODES
from shardlog.query.relations import Kind

__all__ = ["Names"]


class Names:
    """The names of a run's instructions, each its own, and of its computations.

    An instruction is called what the module called it, or what the pass calls it that added it.
    Where two computations have one of the same name, all but that of the entry, or the last, bear
    their computation's name and a slash before theirs.
    """

    def __init__(self, run: Run, number: Callable[[str], int]) -> None:
        """`number` finds an instruction as all commands do. It raises InputError."""
        self._run, self._number = run, number
        entities = run.entities
        plain = [run.name(number) for number in range(len(entities))]
        often = {name: n for name, n in Counter(plain).items() if n > 1}
        self.instructions: Sequence[str] = plain
        if often:
            first = {name: number(name) for name in often}
            self.instructions = [
                name
                if name not in often or first[name] == n
                else f"{entities[n].computation.name}/{name}"
                for n, name in enumerate(plain)
            ]
        self.numbers = {name: n for n, name in enumerate(self.instructions)}
        self.computations = [each.name for each in run.outcome.module.computations]
        self.computation_numbers = {name: n for n, name in enumerate(self.computations)}

    @cached_property
    def rules(self) -> frozenset[str]:
        """The names of all rules."""
        by_relation = self._run.outcome.saturated.program.by_relation
        return frozenset(rule.name for rules in by_relation.values() for rule in rules)

    def resolve(self, kind: Kind, value: str) -> str | tuple[str, Sequence[str]] | None:
        """What a text stands for where something of a kind is meant.

        None if it stands for itself; what is wrong, and names alike, if there is no such thing.
        """
        if kind is Kind.INSTRUCTION:
            name = value.removeprefix("%")
            if name in self.numbers:
                return name
            try:
                return self.instructions[self._number(name)]
            except InputError:
                return f"no instruction is called {name!r}", self._alike(name, self.numbers)
        known: Collection[str] = ()
        if kind is Kind.COMPUTATION:
            value = value.removeprefix("%")
            known = self.computation_numbers
        elif kind is Kind.RULE:
            known = self.rules
        elif kind is Kind.OPCODE:
            known = OPCODES.union(self.opcodes)
        if not known or value in known:
            return value
        return f"no {kind} is called {value!r}", self._alike(value, known)

    @cached_property
    def opcodes(self) -> Sequence[str]:
        """The opcodes that there are in the module."""
        return sorted({x.opcode for x in self._run.entities})

    @staticmethod
    def _alike(wanted: str, names: Collection[str]) -> list[str]:
        stem = wanted.rpartition(".")[0] or wanted
        alike = [name for name in names if name.rpartition(".")[0] == stem][:3]
        return alike or difflib.get_close_matches(wanted, names, 3)
