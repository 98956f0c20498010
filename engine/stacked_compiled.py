"""Runs what `engine.stacked` runs, by compiled plans that entities which are alike share."""

from __future__ import annotations

import time
from typing import Any
from weakref import WeakKeyDictionary

from shardlog.engine.program import Program
from shardlog.engine.relations import Facts
from shardlog.engine.results import Saturated
from shardlog.engine.saturate import Saturation
from shardlog.engine.stacked import Stacked, filled_slots
from shardlog.engine.templates import Change, OwnChange, Template, VisitTable, proposed


class FrozenTable(VisitTable):
    """What a frozen visit changes at one value of the phase parameter, by the values it reads.

    The value is None where it changes nothing, else the changes in order.
    """

    __slots__ = ()

    def __missing__(self, key: Any) -> Any:
        places = self.places
        before = dict(zip(places, (key,) if len(places) == 1 else key, strict=True))
        values = dict(before)
        changes: list[Change] = []
        for number, step in enumerate(self.steps):
            if not step.mask & 1 << self.bit:
                continue
            proposal = proposed(step, before)
            if proposal is None:
                continue
            old = values[step.target]
            new = None if old is proposal else step.joins[self.bit][old, proposal]
            if new is None:
                continue
            values[step.target] = new
            changes.append(Change((step.target,), (old,), (new,), step.rule, (), number))
        result = self[key] = tuple(changes) or None
        return result


_known: WeakKeyDictionary[Template, tuple[Any, ...]] = WeakKeyDictionary()
"""What gives the changes of visits, by phase value, of templates that have been asked for."""


class StackedSaturation(Saturation):
    """One run of such a program over facts; `record=False` leaves out provenance."""

    def __init__(self, program: Program, facts: Facts, record: bool = True) -> None:
        super().__init__(program, facts, record)
        self.plainly = Stacked(program, facts, record)
        self.plainly.state, self.plainly.records = self.state, self.records
        self.plainly.moment.state = self.state
        self.visited = 0

    def run(self) -> Saturated:
        """Goes through the phases. Raises OscillationError, EvaluationError, RuleError."""
        self._start()
        self._go_through()
        repeats = self.declared.repeats
        if repeats is not None:
            phase, relation, _ = repeats
            moment = self.plainly.moment
            for (value,) in sorted(moment.rows(relation)):
                moment.now = (value,)
                self._once(phase)
                self._go_through()
            moment.now = ()
        # whoever asks for more than values has a compiler made for it
        return Saturated(
            self.program,
            self.facts,
            self.state,
            self.records,
            self.iterations,
            self.timings,
            None,
        )

    def _go_through(self) -> None:
        """Goes through the phases once."""
        begin = time.perf_counter()
        for name, value in self.declared.rounds():
            if value is None:
                self._once(name)
                continue
            self.phase, self.value, self.iteration = name, value, self.iterations
            self.bit = self.declared.parameter_values().index(value)
            self.watch.begin(name, value)
            for place, sweep in enumerate(self.declared.sweeps):
                self.visit = sweep
                if sweep in self.declared.agendas:
                    self._drain(place)
                else:
                    self._all(place)
            self.iterations += 1
        self.timings.saturation += time.perf_counter() - begin

    def _once(self, name: str, started: bool = True) -> None:
        self.plainly.iteration = self.iterations
        self.plainly.once(name)

    def _all(self, place: int) -> None:
        """Visits every entity that a sweep concerns, in ascending order."""
        for entity in self._concerned(place):
            self._take(place, entity)

    def _concerned(self, place: int) -> list[int]:
        now = self.agendas.sweeps[place].busy
        return [entity for entity in range(self.count) if now[entity]]

    def _drain(self, place: int) -> None:
        """Goes on with a sweep until nothing waits."""
        inside = self.agendas.sweeps[place].busy
        stack = self._concerned(place)[::-1]
        queued = bytearray(inside)
        found, state, bit = self.agendas.found, self.state[self.lattice], self.bit
        frozen = self.visit in self.declared.frozen
        tables = _known
        count = 0
        while stack:
            entity = stack.pop()
            queued[entity] = 0
            count += 1
            plan, tokens = found[entity]  # type: ignore[misc]
            template = plan.sweeps[place]
            known = tables.get(template)
            if known is None:
                known = self._tables(template, frozen)
            if known[bit](state, tokens) is None:
                continue
            for one in self._take(place, entity):
                told = found[one]
                if told is None:
                    continue
                woken, others = told
                for number, target_places in woken.woken:
                    if number != place:
                        continue
                    for target_place in target_places:
                        target = others[target_place]
                        if target != entity and inside[target] and not queued[target]:
                            queued[target] = 1
                            stack.append(target)
        self.visited += count

    def _tables(self, template: Template, frozen: bool) -> tuple[Any, ...]:
        tables: tuple[VisitTable, ...] = template.tables
        if frozen:
            tables = tuple(FrozenTable(template.steps, bit) for bit in range(len(tables)))
        visits = _known[template] = tuple(table.visit() for table in tables)
        return visits

    def _take(self, place: int, entity: int) -> list[int]:
        """Visits an entity; returns what changed, in order."""
        plan, tokens = self.agendas.found[entity]  # type: ignore[misc]
        template = plan.sweeps[place]
        tables = _known.get(template) or self._tables(template, self.visit in self.declared.frozen)
        state = self.state[self.lattice]
        changes = tables[self.bit](state, tokens)
        changed: list[int] = []
        if changes is None:
            return changed
        if changes.__class__ is OwnChange:
            changes = changes.changes()
        grounds = filled_slots(self.facts, state, entity) if self.record else ()
        for targets, _, news, rule, _, _ in changes:
            target, new = tokens[targets[0]], news[0]
            if state[target] is new:
                continue
            others = [one for one in grounds if one != target]
            self._accept(target, state[target], new, rule, (entity, *others))
            changed.append(target)
            changed += self._triggered_by(target)
        return changed

    def _triggered_by(self, target: int) -> list[int]:
        known = self.agendas.found[target]
        if known is None or not known[0].changes:
            return []
        visit = self.visit
        found = self._cascade([target], self.state[self.lattice])
        self.visit = visit
        return found
