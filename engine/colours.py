"""Colours: one number per entity for what plain columns and unary relations say of it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from shardlog.engine.relations import Facts, Members
from shardlog.engine.syntax import Match, Variable

if TYPE_CHECKING:
    from shardlog.engine.program import Program

KEPT = 100_000
"""Colours that are remembered from one set of facts to the next."""


class Colours:
    """Gives entities of equal colours equal numbers, over any number of facts."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.numbers: dict[tuple[Any, ...], int] = {}
        self.next: Iterator[int] = itertools.count()
        self.facts: Facts | None = None
        self.base: list[int] = []
        self.grouped: tuple[list[int], dict[int, list[int]]] = [], {}
        self.mentioned: tuple[Facts | None, dict[str, tuple[int, ...]]] = None, {}
        self.inferred: dict[Any, dict[str, frozenset[int]]] = {}

    def __getstate__(self) -> dict[str, Any]:
        ours: dict[str, Any] = {
            "numbers": {},
            "facts": None,
            "base": [],
            "grouped": ([], {}),
            "mentioned": (None, {}),
        }
        return {**self.__dict__, **ours}

    def learnt(self) -> tuple[dict[tuple[Any, ...], int], Iterator[int]]:
        """What says which number stands for what."""
        return self.numbers, self.next

    def learn(self, known: tuple[dict[tuple[Any, ...], int], Iterator[int]]) -> None:
        """Takes over what an earlier process has learnt, in place of all else."""
        self.numbers, self.next = known
        self.facts = None

    def sketch(self, facts: Facts) -> str:
        """What facts have in common that can be told from their colours alike."""
        columns: dict[str, Any] = {name: facts.columns[name] for name in self.columns(facts)}
        seen = [(name, sorted(map(repr, set(column)))) for name, column in columns.items()]
        return repr(seen)

    def columns(self, facts: Facts) -> list[str]:
        """The functional relations that colours tell, in order."""
        return [
            name
            for name, column in sorted(facts.columns.items())
            if isinstance(column, list)
            and name not in facts.told
            and 1 not in facts.refers.get(name, ())
        ]

    def references(self, facts: Facts) -> dict[str, frozenset[int]]:
        """For each relation, the places at which its rules can only have references."""
        known = (frozenset(facts.refers.items()), frozenset((*facts.columns, *facts.rows)))
        if known not in self.inferred:
            self.inferred[known] = _inferred(self.program, facts)
        return self.inferred[known]

    def mentions(self, facts: Facts) -> dict[str, tuple[int, ...]]:
        """The tables of which colours tell who stands at some of their places, and these places."""
        if self.mentioned[0] is not facts:
            found = {
                name: places
                for name in sorted(facts.tables)
                if name not in self.program.tables and (places := facts.entity_places(name))
            }
            self.mentioned = facts, found
        return self.mentioned[1]

    def of(self, facts: Facts, lattices: Sequence[Sequence[Any]]) -> list[int]:
        """The colour of each entity, by facts and by the frozen lattices."""
        if self.facts is not facts:
            self.base, self.facts = self._base(facts), facts
        lattices = [values for values in lattices if values.count(None) < facts.entity_count]
        if not lattices:
            return self.base
        # a lattice has one value more than there are entities
        return self._numbered((self.base, *lattices))

    def populations(self, colours: list[int]) -> dict[int, list[int]]:
        """The entities of each colour, in order."""
        if self.grouped[0] is not colours:
            groups: dict[int, list[int]] = {}
            for entity, colour in enumerate(colours):
                try:
                    groups[colour].append(entity)
                except KeyError:
                    groups[colour] = [entity]
            self.grouped = colours, groups
        return self.grouped[1]

    def _base(self, facts: Facts) -> list[int]:
        if len(self.numbers) > KEPT:
            self.numbers.clear()
        count = facts.entity_count
        columns: list[Any] = [facts.columns[name] for name in self.columns(facts)]
        held = [
            (facts.tables[name], place)
            for name, places in self.mentions(facts).items()
            for place in places
        ]
        # what holds of all need not be gone through
        everywhere = [isinstance(table, Members) and len(table) == count for table, _ in held]
        flags = [sum(whole << number for number, whole in enumerate(everywhere))] * count
        for number, (table, place) in enumerate(held):
            bit = 1 << number
            if isinstance(table, Members):
                for entity in () if everywhere[number] else table.entities:
                    flags[entity] |= bit
            else:
                rows: Any = table.rows
                for row in rows:
                    flags[row[place]] |= bit
        columns.append(flags)
        return self._numbered(columns)

    def _numbered(self, columns: Sequence[Sequence[Any]]) -> list[int]:
        """A number for each row of columns, the shortest of which says how many there are."""
        numbers = self.numbers
        known = list(map(numbers.get, zip(*columns, strict=False)))
        if None not in known:
            return cast("list[int]", known)
        for row in zip(*columns, strict=False):
            if row not in numbers:
                # never the same number twice, even after what is remembered was forgotten
                numbers[row] = next(self.next)
        return list(map(numbers.__getitem__, zip(*columns, strict=False)))


def _inferred(program: Program, facts: Facts) -> dict[str, frozenset[int]]:
    found = dict(facts.refers)
    for name in (*facts.columns, *facts.rows, *program.declared.lattices):
        found[name] = found.get(name, frozenset()) | {0}
    derived = {name: rules for name, rules in program.by_relation.items() if rules}
    grows = True
    while grows:
        grows = False
        for name, rules in derived.items():
            places = frozenset.intersection(*(_places(rule, found) for rule in rules))
            if not places <= found.get(name, frozenset()):
                found[name] = places | found.get(name, frozenset())
                grows = True
    return found


def _places(rule: Any, known: dict[str, frozenset[int]]) -> frozenset[int]:
    names: set[str] = set()
    for literal in rule.body:
        if isinstance(literal, Match) and not literal.negated:
            names |= {
                term.name
                for place, term in enumerate(literal.terms)
                if place in known.get(literal.relation, ()) and isinstance(term, Variable)
            }
    return frozenset(
        place
        for place, term in enumerate(rule.terms)
        if isinstance(term, Variable) and term.name in names
    )
