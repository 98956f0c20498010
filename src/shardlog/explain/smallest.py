"""The smallest proof: which records, and which of the instructions they read, a sharding needs.

A record says what its rule read, not what decided. That is found by trying the rule again in the
state of its moment, with some of what it read taken away.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from shardlog.engine import Record
from shardlog.engine.attempts import Attempts
from shardlog.explain.run import Run
from shardlog.ir.axes import Digit, digits_of
from shardlog.ir.sharding import HloSharding
from shardlog.leaves import leaf_of_source, sharding_of_leaf
from shardlog.why import Chosen

__all__ = ["Smallest"]

FEW = 12
"""Up to how many instructions that a rule read are tried one by one."""


class Smallest:
    """Selects what a proof needs; with `digits`, a proof that these are split, nothing more."""

    def __init__(self, run: Run, digits: frozenset[Digit] | None = None) -> None:
        self.run, self.digits = run, digits
        self._program = run.outcome.saturated.program

    def select(self, leaf: int | None, positions: Sequence[int]) -> Chosen:
        """The records that a leaf's sharding needs, and of each the sources that it needs."""
        positions = list(positions)
        if self.digits is not None:
            positions = self._until_split(leaf, positions)
        chosen: Chosen = []
        while positions:
            position = positions.pop()
            with_old, sources = self._needed(position, leaf)
            chosen.append((position, sources))
            if not with_old:
                break
        return chosen[::-1]

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

    def _needed(self, position: int, leaf: int | None) -> tuple[bool, list[tuple[int, int | None]]]:
        """Whether a record needs the value before it, and the leaves of the sources it needs."""
        record = self.run.records[position]
        rests_on = self._rests_on(record, leaf)
        others = [source for source, _ in rests_on]
        if record.old is None and len(others) < 2:
            return False, rests_on
        attempts = _again(self._program, record)
        if attempts is None or not others:
            return record.old is not None and record.value is not None, rests_on
        wanted = sharding_of_leaf(record.new, leaf)
        for with_old, kept in self._smaller(record, others):
            hide = [c for c in record.contributors if c not in kept and c != record.entity]
            if not with_old:
                hide.append(record.entity)
            if self._gives(record, position, hide, attempts, leaf, wanted):
                return with_old, [pair for pair in rests_on if pair[0] in kept]
        return record.old is not None, rests_on

    @staticmethod
    def _smaller(record: Record, others: list[int]) -> Iterator[tuple[bool, tuple[int, ...]]]:
        """Choices of what to keep, small ones first."""
        for with_old in (False, True) if record.old is not None else (False,):
            if len(others) <= FEW:
                yield from ((with_old, (one,)) for one in others)
            if len(others) > 2:
                half = tuple(others)
                if len(others) <= FEW:
                    yield from (
                        (with_old, (one, other))
                        for n, one in enumerate(others)
                        for other in others[n + 1 :]
                    )
                yield with_old, half
            elif len(others) == 2:
                yield with_old, tuple(others)

    def _gives(
        self,
        record: Record,
        position: int,
        hide: list[int],
        names: tuple[str, ...],
        leaf: int | None,
        wanted: HloSharding | None,
    ) -> bool:
        """Whether the rule gives the value with some instructions unset."""
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

    def _rests_on(self, record: Record, leaf: int | None) -> list[tuple[int, int | None]]:
        entities = self.run.entities
        found = []
        for source in dict.fromkeys(record.contributors):
            if source != record.entity:
                belongs, part = leaf_of_source(entities[record.entity], leaf, entities[source])
                if belongs:
                    found.append((source, part))
        return found


def _again(program: Any, record: Record) -> tuple[str, ...] | None:
    """The name of a record's rule, if it can be tried again: it proposes to one whole value."""
    channel = program.declared.channels.get(record.rule.relation)
    if channel is None or channel.grain == "pair" or record.value is None:
        return None
    return (record.rule.name,)
