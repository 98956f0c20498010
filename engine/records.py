"""Provenance: one record per accepted join."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, overload

from shardlog.engine.syntax import Rule

if TYPE_CHECKING:
    from shardlog.engine.templates import OwnChange

When: TypeAlias = tuple[str, int | None, int, str]
"""Phase, value, iteration and visit, as a record has them."""


class Record(NamedTuple):
    """What one accepted join did, and on what grounds.

    `event` counts accepted joins from 0; `contributors` are the entities whose values the rule
    matched, `phase` is the name of the phase and `value` its parameter, or None outside the rounds.
    """

    event: int
    entity: int
    old: Any
    new: Any
    rule: Rule
    contributors: tuple[int, ...]
    phase: str
    value: int | None
    iteration: int
    visit: str


class Records(Sequence[Record]):
    """The records of a run in order.

    Of most changes it is only noted down which one it was, of which entity, given which tokens;
    records are made of such notes when somebody asks for them.
    """

    def __init__(self) -> None:
        self.notes: list[Record | tuple[int, OwnChange, Sequence[int]]] = []
        self._begun: list[tuple[int, When]] = []
        self._made: list[Record] = []

    def begin(self, when: When) -> None:
        """Says when the changes happen that are noted down from now on."""
        self._begun.append((len(self.notes), when))

    def append(self, record: Record) -> None:
        """Adds a record that is made already."""
        self.notes.append(record)

    def _all(self) -> list[Record]:
        """All records that there are by now."""
        made, notes = self._made, self.notes
        if len(made) == len(notes):
            return made
        new = tuple.__new__
        ends: list[tuple[int, When | None]] = [(0, None), *self._begun, (len(notes), None)]
        for (low, when), (high, _) in pairwise(ends):
            for event in range(max(low, len(made)), high):
                note = notes[event]
                if not isinstance(note, Record):
                    entity, (old, value, rule, contributors, _), tokens = note
                    # entities that the rule reads at several places count once
                    grounds = tuple(dict.fromkeys([tokens[c] for c in contributors]))
                    assert when is not None
                    # as Record(...) does, in half the time
                    note = new(Record, (event, entity, old, value, rule, grounds, *when))
                made.append(note)
        return made

    def __len__(self) -> int:
        return len(self.notes)

    @overload
    def __getitem__(self, place: int) -> Record: ...

    @overload
    def __getitem__(self, place: slice) -> list[Record]: ...

    def __getitem__(self, place: int | slice) -> Record | list[Record]:
        return self._all()[place]

    def __iter__(self) -> Iterator[Record]:
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Records):
            return self._all() == other._all()
        return isinstance(other, list) and self._all() == other

    __hash__ = None  # type: ignore[assignment]
