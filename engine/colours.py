"""Colours: one number per entity for what plain columns and unary relations say of it."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
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
        self.told: tuple[list[int], list[int]] = [], []
        """Colours that are not the base, and the entities whose colours are others there."""
        self.mentioned: tuple[Facts | None, dict[str, tuple[int, ...]]] = None, {}
        self.inferred: dict[Any, dict[str, frozenset[int]]] = {}

    def __getstate__(self) -> dict[str, Any]:
        ours: dict[str, Any] = {
            "numbers": {},
            "facts": None,
            "base": [],
            "grouped": ([], {}),
            "told": ([], []),
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
        count = facts.entity_count
        valued: set[int] = set()
        for values in lattices:
            # a lattice has one value more than there are entities
            if values.count(None) < count:
                valued.update([n for n, value in enumerate(values) if value is not None])
        valued.discard(count)
        if not valued:
            return self.base
        # who has no value in any keeps the number; few have one
        told = sorted(valued)
        rows = zip(
            *[itemgetter(*told, -1)(values) for values in (self.base, *lattices)], strict=True
        )
        colours = self.base.copy()
        numbers = self.numbers
        for entity, row in zip(told, rows, strict=False):
            number = numbers.get(row)
            if number is None:
                number = numbers[row] = next(self.next)
            colours[entity] = number
        self.told = colours, told
        return colours

    def populations(self, colours: list[int]) -> dict[int, list[int]]:
        """The entities of each colour, in order."""
        if self.grouped[0] is colours:
            return self.grouped[1]
        if self.told[0] is not colours:
            self.grouped = colours, _grouped(enumerate(colours))
            return self.grouped[1]
        # but for those whose numbers are others, the groups are those of the base
        base, told = self.base, self.told[1]
        groups = self.populations(base).copy()
        gone = set(told)
        for colour in {base[entity] for entity in told}:
            rest = [entity for entity in groups[colour] if entity not in gone]
            if rest:
                groups[colour] = rest
            else:
                del groups[colour]
        return groups | _grouped((entity, colours[entity]) for entity in told)

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


def _grouped(coloured: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for entity, colour in coloured:
        groups[colour].append(entity)
    return dict(groups)


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
