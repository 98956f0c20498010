"""The agenda: which visits of a sweep are due, and which are to be looked at in the next round."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

from shardlog.engine.classes import Found
from shardlog.engine.tables import Step
from shardlog.engine.templates import Plan, Template

Plans: TypeAlias = Mapping[Plan, Sequence[Sequence[int]]]
"""The entities of each plan, by their tokens; the entity itself comes first."""


class Agenda:
    """The marks of one sweep.

    `now` marks the visits that are due. `later` marks those whose outcome may differ when the next
    round starts. `busy` marks the entities that have visits, `readers` gives those whose visit
    reads the value of an entity beside their own, `opening` those for which a value of the phase
    parameter makes a difference, `live` those that read what is known at the instant only,
    `restless` the parameter values (bits) for which an entity stays due until its visit changes
    something, `insistent` those for which what is proposed counts as a change even if it changes
    nothing.
    """

    def __init__(self, name: str, descending: bool, place: int, count: int, plans: Plans) -> None:
        """`count` is the number of entities, `place` that of the sweep in plans."""
        self.name, self.descending = name, descending
        self.now = bytearray(count)
        self.later = bytearray(count)
        self.busy = bytearray(count)
        self.instances: dict[int, list[Step]] = {}
        self.readers: list[list[int] | tuple[()]] = [()] * count
        self.opening: dict[int, list[int]] = {}
        self.live: list[int] = []
        self.restless: dict[int, int] = {}
        self.insistent: dict[int, int] = {}
        self.groups: list[tuple[Template, Sequence[Sequence[int]]]] = []
        busy, readers, groups = self.busy, self.readers, self.groups
        for plan, entities in plans.items():
            told = plan.told[place]
            if told is None:
                continue
            template, places, special = told
            groups.append((template, entities))
            for tokens in entities:
                entity = tokens[0]
                busy[entity] = 1
                for read_at in places:
                    read = tokens[read_at]
                    known = readers[read]
                    if known:
                        known.append(entity)
                    else:
                        readers[read] = [entity]
            if special is not None:
                self._special([tokens[0] for tokens in entities], *special)

    def _special(
        self, entities: Sequence[int], live: bool, opens: int, restless: int, insistent: int
    ) -> None:
        if live:
            self.live += entities
        if restless:
            self.restless |= dict.fromkeys(entities, restless)
        if insistent:
            self.insistent |= dict.fromkeys(entities, insistent)
        for bit in range(opens.bit_length()):
            if opens >> bit & 1:
                self.opening.setdefault(bit, []).extend(entities)

    def mark_all(self) -> None:
        """Makes every visit due."""
        self.now[:] = self.busy
        self.later = bytearray(len(self.busy))

    def mark_possible(self, bit: int, state: Sequence[Any]) -> None:
        """Makes all visits due but those that read no value and do nothing without one."""
        if not self.groups:
            return
        now, readers = bytearray(len(self.busy)), self.readers
        for template, entities in self.groups:
            if template.live or not template.tables[bit].needs_a_value():
                for tokens in entities:
                    now[tokens[0]] = 1
        for masks in (self.restless, self.insistent):
            for entity, mask in masks.items():
                if mask >> bit & 1:
                    now[entity] = 1
        busy = self.busy
        for one, value in enumerate(state):
            if value is not None and one < len(busy):
                if busy[one]:
                    now[one] = 1
                for reader in readers[one]:
                    now[reader] = 1
        self.now[:] = now
        self.later = bytearray(len(self.busy))

    def mark_changed(self, bit: int, opened: bool) -> None:
        """Makes the visits due that may have another outcome than the last time.

        `bit` is that of the phase parameter's value; `opened` says whether it is a new value.
        """
        now = self.now
        for entity in self.live:
            now[entity] = 1
        if opened:
            for entity in self.opening.get(bit, ()):
                now[entity] = 1
        found = self.later.find(1)
        while found >= 0:
            now[found] = 1
            found = self.later.find(1, found + 1)
        for masks in (self.restless, self.insistent):
            for entity, mask in masks.items():
                if mask >> bit & 1:
                    now[entity] = 1
        self.later = bytearray(len(self.busy))


class Agendas:
    """The agendas of all sweeps, and the place where a run is in them.

    In the first iteration of a round (`first`), the visits to come are those of the later sweeps
    of the block from `low` to `high`, of the rest of the sweep at `place`, and of later blocks.
    """

    def __init__(self, agendas: Sequence[Agenda], found: Sequence[Found | None]) -> None:
        """`found` has the plan of each entity."""
        self.sweeps = list(agendas)
        self.found = found
        self.place = self.low = self.high = 0
        self.first = False

    def take_marks(self, others: Agendas) -> None:
        """Goes on with the marks and the place of other agendas, whose plans were different."""
        self.place, self.first = others.place, others.first
        self.low, self.high = others.low, others.high
        for agenda, other in zip(self.sweeps, others.sweeps, strict=True):
            agenda.now = other.now
            due = agenda.now.find(1)
            while due >= 0:
                agenda.now[due] = agenda.busy[due]
                due = agenda.now.find(1, due + 1)
            # what the new plans say of an entity has not been seen: look at it in the next round
            agenda.later = bytearray(agenda.busy)

    def changed(self, one: int, entity: int) -> None:
        """Marks what a change of an entity concerns, in a visit of perhaps another one."""
        sweeps = self.sweeps
        found = self.found[one]
        if found is not None:
            self._wake(*found)
        for place, agenda in enumerate(sweeps):
            if not agenda.groups:
                continue
            readers = agenda.readers[one]
            if agenda.busy[one]:
                readers = [*readers, one]
            if self.first:
                self._stale(agenda, place, readers, entity)
            else:
                later = agenda.later
                for reader in readers:
                    later[reader] = 1

    def _wake(self, plan: Plan, tokens: Sequence[Any]) -> None:
        """Makes the visits due that a plan says a change makes due."""
        sweeps = self.sweeps
        for number, places in plan.woken:
            agenda = sweeps[number]
            now, busy = agenda.now, agenda.busy
            for place in places:
                target = tokens[place]
                # nobody is due who is not busy
                now[target] = busy[target]

    def woken(self, plan: Plan, tokens: Sequence[Any], agenda: Agenda, entity: int) -> None:
        """Marks what an entity's change in its own visit makes due at once."""
        self._wake(plan, tokens)
        if self.first:
            readers = agenda.readers[entity]
            if readers:
                self._stale(agenda, self.place, readers, entity)

    def moved(self, entities: Collection[int]) -> None:
        """Marks who reads entities that a sweep has changed, each in its own visit.

        It comes at the end of the sweep, or before. In the first iteration those have been marked
        by then that the same sweep concerns, but for the entities themselves.
        """
        low, high = self.low, self.high
        for place, agenda in enumerate(self.sweeps):
            if not agenda.groups:
                continue
            now, later, busy = agenda.now, agenda.later, agenda.busy
            readers = chain.from_iterable(map(agenda.readers.__getitem__, entities))
            own = later
            if not self.first:
                for reader in readers:
                    later[reader] = 1
            elif place != self.place:
                first = low if place > self.place else high
                own = now if place > self.place else later
                for reader in readers:
                    if reader >= first:
                        now[reader] = 1
                    else:
                        later[reader] = 1
            for one in entities:
                if busy[one]:
                    own[one] = 1

    def _stale(self, agenda: Agenda, place: int, readers: Sequence[int], entity: int) -> None:
        """Marks readers for this round if their first visit is still to come, else for the next."""
        now, later = agenda.now, agenda.later
        low, high = self.low, self.high
        if place != self.place:
            first = low if place > self.place else high
            for reader in readers:
                if reader >= first:
                    now[reader] = 1
                else:
                    later[reader] = 1
        elif agenda.descending:
            for reader in readers:
                if low <= reader < entity or reader >= high:
                    now[reader] = 1
                else:
                    later[reader] = 1
        else:
            for reader in readers:
                if reader > entity:
                    now[reader] = 1
                else:
                    later[reader] = 1
