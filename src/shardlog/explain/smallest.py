"""The smallest proof: which records, and which of the instructions they read, a sharding needs.

A record says what its rule read, not what decided. That is found by trying the rule again in the
state of its moment, with some of what it read taken away. Where different things would have done,
the proof goes by those that have the smallest proofs themselves.
"""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterator, Sequence
from typing import Any, NamedTuple

from shardlog.engine import Record
from shardlog.engine.attempts import Attempts
from shardlog.explain.run import Place, Run
from shardlog.ir.axes import Digit, digits_of
from shardlog.leaves import leaf_of_source, sharding_of_leaf
from shardlog.why import Chosen

__all__ = ["Choice", "Smallest"]

FEW = 12
"""Up to how many instructions that a rule read are tried one by one and in pairs."""

FEWEST = 4
"""Up to how many of them all their combinations are tried."""

TRIALS = 400
"""How often rules are tried for a smaller proof than the first that is come upon."""

Leaves = tuple[tuple[int, int | None], ...]
"""Entities, each with a leaf of its tuple, or None for the whole."""

Node = tuple[int, int | None, int]
"""What a proof is of: an entity, a leaf of it, and the event before which its value is meant."""


class Choice(NamedTuple):
    """What a record may rest on: some of what its rule read, and the value before it or not."""

    with_old: bool
    sources: Leaves


class Smallest:
    """Selects what a proof needs; with `digits`, a proof that these are split, nothing more.

    The proof has as few steps as any, as long as `TRIALS` last, but for what branches share.
    """

    def __init__(self, run: Run, digits: frozenset[Digit] | None = None) -> None:
        self.run, self.digits = run, digits
        self._program = run.outcome.saturated.program
        self._trials = TRIALS
        self._best: dict[tuple[int, int | None], tuple[Choice, int]] = {}
        self._numbers: dict[Node, int] = {}

    def select(self, leaf: int | None, positions: Sequence[int]) -> Chosen:
        """The records that a leaf's sharding needs, and of each the sources that it needs."""
        positions = list(positions)
        if self.digits is not None:
            positions = self._until_split(leaf, positions)
        chosen: Chosen = []
        while positions:
            position = positions.pop()
            with_old, sources = self._choice(position, leaf)
            chosen.append((position, list(sources)))
            if not with_old:
                break
        return chosen[::-1]

    # ------------------------------------------------------------ the search

    def _choice(self, position: int, leaf: int | None) -> Choice:
        """The choice for a record with which its proof has the fewest steps."""
        if (position, leaf) not in self._best:
            # chains are as deep as the graph, so this does not call itself
            stack = [self._search(position, leaf)]
            while stack:
                wanted = next(stack[-1], None)
                if wanted is None:
                    stack.pop()
                elif wanted not in self._best:
                    stack.append(self._search(*wanted))
        return self._best[position, leaf][0]

    def _search(
        self, position: int, leaf: int | None
    ) -> Generator[tuple[int, int | None], None, None]:
        """Find the best choice for a record; yields other records whose best it needs first."""
        record = self.run.records[position]
        own = 1 << self._number((record.entity, leaf, position))
        best: tuple[Choice, int] | None = None
        for bound, choice in self._choices(position, leaf):
            if best is not None and (self._trials <= 0 or bound >= best[1].bit_count()):
                continue
            if not self.suffices(position, leaf, choice):
                continue
            steps = own
            old: Leaves = ((record.entity, leaf),) if choice.with_old else ()
            for entity, part in (*choice.sources, *old):
                before = self._last(entity, part, position)
                if before is None:
                    steps |= 1 << self._number((entity, part, -1))
                    continue
                yield before, part
                steps |= self._best[before, part][1]
            if best is None or steps.bit_count() < best[1].bit_count():
                best = choice, steps
        # everything together always does
        assert best is not None
        self._best[position, leaf] = best

    def _number(self, node: Node) -> int:
        return self._numbers.setdefault(node, len(self._numbers))

    def _last(self, entity: int, leaf: int | None, before: int) -> int | None:
        """The record that gave a leaf the value that it had before an event."""
        positions = self.run.moving(Place(entity, leaf), before)
        if self.digits is not None and positions:
            positions = self._until_split(leaf, positions)
        return positions[-1] if positions else None

    def _choices(self, position: int, leaf: int | None) -> list[tuple[int, Choice]]:
        """What a record may rest on, each with how many steps it takes at least, few first."""
        record = self.run.records[position]
        rests_on = self._rests_on(record, leaf)
        everything = Choice(record.old is not None, rests_on)
        if not rests_on or not self.tries(record):
            return [(0, everything._replace(with_old=_is_merged(record)))]
        if record.old is None and len(rests_on) < 2:
            return [(0, everything)]
        least = self.run.least_steps
        old = least(record.entity, position) if record.old is not None else 0
        found = []
        for with_old in (False, True) if record.old is not None else (False,):
            for kept in _combinations(rests_on):
                costs = [least(source, position) for source, _ in kept]
                costs += [old] if with_old else []
                found.append((1 + max(costs), sum(costs), Choice(with_old, kept)))
        found.sort(key=lambda one: one[:2])
        return [(bound, choice) for bound, _, choice in found]

    def _until_split(self, leaf: int | None, positions: list[int]) -> list[int]:
        """The positions up to the record that first split the digits."""
        assert self.digits is not None
        for number, position in enumerate(positions):
            new = sharding_of_leaf(self.run.records[position].new, leaf)
            rest = [sharding_of_leaf(self.run.records[p].new, leaf) for p in positions[number:]]
            if all(self.digits <= digits_of(one) for one in (new, *rest)):
                return positions[: number + 1]
        # another element, or a sharding that has only a part of them
        found = [
            number
            for number, position in enumerate(positions)
            if self.digits & digits_of(sharding_of_leaf(self.run.records[position].new, leaf))
        ]
        return positions[: found[0] + 1] if found else positions

    def tries(self, record: Record) -> bool:
        """Whether a record's rule can be tried again: it gave one whole value in a round."""
        return _again(self._program, record) is not None

    def suffices(self, position: int, leaf: int | None, choice: Choice) -> bool:
        """Whether a record's rule gives its value of a leaf from a choice of what it read."""
        record = self.run.records[position]
        names = _again(self._program, record)
        rests_on = self._rests_on(record, leaf)
        if names is None or choice == Choice(record.old is not None, rests_on):
            return True
        self._trials -= 1
        kept = {source for source, _ in choice.sources}
        hide = [c for c in record.contributors if c not in kept and c != record.entity]
        if not choice.with_old:
            hide.append(record.entity)
        wanted = sharding_of_leaf(record.new, leaf)
        inquiry = self.run.at(position, hide)
        attempts = Attempts(inquiry)
        value = record.value
        inquiry.values = () if value is None else (value,)
        for variant in self.run.attempts.by_name(names):
            term = variant.rule.terms[0]
            start = {str(term): record.entity}
            for known in inquiry.solutions(variant.body, start):
                proposal: Any = attempts.value(variant, known)
                result = attempts.join(variant.channel, record.entity, proposal, value)
                part = sharding_of_leaf(result, leaf)
                if part is None:
                    continue
                if part is wanted or (wanted is not None and part.equals(wanted)):
                    return True
                if self.digits is not None and self.digits & digits_of(wanted) <= digits_of(part):
                    return True
        return False

    def _rests_on(self, record: Record, leaf: int | None) -> Leaves:
        entities = self.run.entities
        found = []
        for source in dict.fromkeys(record.contributors):
            if source != record.entity:
                belongs, part = leaf_of_source(entities[record.entity], leaf, entities[source])
                if belongs:
                    found.append((source, part))
        return tuple(found)


def _is_merged(record: Record) -> bool:
    """Whether a record that cannot be tried again may need the value before it."""
    return record.old is not None and record.value is not None


def _combinations(leaves: Leaves) -> Iterator[Leaves]:
    """Choices of some leaves, those of few first: all of few leaves, of many just everything."""
    sizes: Sequence[int] = range(1, len(leaves))
    if len(leaves) > FEWEST:
        sizes = (1, 2) if len(leaves) <= FEW else ()
    for size in sizes:
        yield from itertools.combinations(leaves, size)
    yield leaves


def _again(program: Any, record: Record) -> tuple[str, ...] | None:
    """The name of a record's rule, if it can be tried again: it proposes to one whole value."""
    channel = program.declared.channels.get(record.rule.relation)
    if channel is None or channel.grain == "pair" or record.value is None:
        return None
    return (record.rule.name,)
