"""Runs what `engine.stacked` runs, by compiled plans that entities which are alike share."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Sequence
from functools import cache
from types import CodeType
from typing import Any

from shardlog.engine.compiler import Compiler
from shardlog.engine.program import Program
from shardlog.engine.relations import Facts
from shardlog.engine.results import Saturated
from shardlog.engine.saturate import Saturation
from shardlog.engine.stacked import Stacked, filled_slots
from shardlog.engine.templates import (
    Change,
    OwnChange,
    Template,
    TemplateStep,
    Visit,
    VisitTable,
    proposed,
)


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


class Frozen:
    """The frozen visits of a template: one for all phase values at which it does the same."""

    __slots__ = ("visits",)

    def __init__(self, template: Template) -> None:
        known: dict[Hashable, Visit] = {}
        visits = []
        for bit in range(len(template.tables)):
            steps = [step for step in template.steps if step.mask >> bit & 1]
            same = tuple([_does(step, bit) for step in steps])
            if same not in known:
                known[same] = FrozenTable(template.steps, bit).visit()
            visits.append(known[same])
        self.visits: tuple[Visit, ...] = tuple(visits)


def _does(step: TemplateStep, bit: int) -> Hashable:
    """What is equal for steps that do the same, each at one value of the phase parameter."""
    doing: tuple[Any, ...] = (step.own,)
    if step.table is not None:
        doing = _written(step.table.kernel.__code__), step.table.arguments
    return *doing, id(step.rule), id(step.joins[bit]), step.sources, step.target


@cache
def _written(code: CodeType) -> Hashable:
    """What is equal for kernels of one compiler that were written alike, whatever their locals."""
    inner = [_written(one) if isinstance(one, CodeType) else one for one in code.co_consts]
    # 1 and True are equal, too
    return code.co_code, code.co_names, tuple(inner), tuple(map(type, inner))


class StackedSaturation(Saturation):
    """One run of such a program over facts; `record=False` leaves out provenance."""

    def __init__(self, program: Program, facts: Facts, record: bool = True) -> None:
        super().__init__(program, facts, record)
        self.plainly = Stacked(program, facts, record)
        self.plainly.state, self.plainly.records = self.state, self.records
        self.plainly.moment.state = self.state
        self.visited = 0
        self.stale: list[bytearray] = []
        """For each sweep, the entities whose visit may have another outcome than the last time."""
        self.orders: list[list[int]] = []
        """For each sweep, the entities that it concerns, in order."""
        self.last: int | None = None
        """The bit of the phase value before."""

    def run(self) -> Saturated:
        """Goes through the phases. Raises OscillationError, EvaluationError, RuleError."""
        self._start()
        self.orders = [
            [entity for entity, busy in enumerate(agenda.busy) if busy]
            for agenda in self.agendas.sweeps
        ]
        self.stale = [bytearray(agenda.busy) for agenda in self.agendas.sweeps]
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

    def _initial(self, compiler: Compiler, lattice: str) -> list[Any]:
        """The values that rules give a lattice at the start: few entities have any."""
        column: list[Any] = [None] * self.count
        name = compiler.answers.helper(lattice, (False, False))
        for entity, value in compiler.namespace[name][()]:
            column[entity] = value
        return column

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
                if self.last != self.bit:
                    self._reopen(place)
                if sweep in self.declared.agendas:
                    self._drain(place)
                else:
                    self._all(place)
            self.last = self.bit
            self.iterations += 1
        self.timings.saturation += time.perf_counter() - begin

    def _once(self, name: str, started: bool = True) -> None:
        self.plainly.iteration = self.iterations
        self.plainly.once(name)
        for place, agenda in enumerate(self.agendas.sweeps):
            self.stale[place] = bytearray(agenda.busy)

    def _reopen(self, place: int) -> None:
        """Notes whose visits do something else than at the phase value before."""
        stale, bit, last = self.stale[place], self.bit, self.last
        for template, entities in self.agendas.sweeps[place].groups:
            visits = self._visits(template)
            if last is None or visits[bit] is not visits[last]:
                for tokens in entities:
                    stale[tokens[0]] = 1

    def _visits(self, template: Template) -> Sequence[Visit | None]:
        """What a visit changes, by phase value; visits that are alike at two are one object."""
        if self.visit not in self.declared.frozen:
            return template.visits
        if template.frozen is None:
            template.frozen = Frozen(template)
        visits: Sequence[Visit] = template.frozen.visits
        return visits

    # ------------------------------------------------------------ visits

    def _all(self, place: int) -> None:
        """Visits every entity that a sweep concerns, in ascending order."""
        stale, take = self.stale[place], self._taking(place)
        for entity in self.orders[place]:
            if stale[entity]:
                stale[entity] = 0
                take(entity)

    def _drain(self, place: int) -> None:
        """Goes on with a sweep until nothing waits."""
        inside = self.agendas.sweeps[place].busy
        stack = self.orders[place][::-1]
        queued, stale = bytearray(inside), self.stale[place]
        found, take = self.agendas.found, self._taking(place)
        while stack:
            entity = stack.pop()
            queued[entity] = 0
            if not stale[entity]:
                continue
            stale[entity] = 0
            for one in take(entity):
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

    def _taking(self, place: int) -> Callable[[int], Sequence[int]]:
        """A function that visits an entity and returns what changed, in order."""
        found, bit = self.agendas.found, self.bit
        state, frozen = self.state[self.lattice], self.visit in self.declared.frozen
        visits_of = self._visits
        nothing: Sequence[int] = ()

        def take(entity: int) -> Sequence[int]:
            self.visited += 1
            plan, tokens = found[entity]  # type: ignore[misc]
            template = plan.sweeps[place]
            known = template.frozen.visits if frozen and template.frozen else visits_of(template)
            visit = known[bit]
            assert visit is not None
            changes = visit(state, tokens)
            return nothing if changes is None else self._changed(entity, tokens, changes)

        return take

    def _changed(self, entity: int, tokens: Sequence[int], changes: Any) -> list[int]:
        """Accepts what a visit changes; returns whose values these are, in order."""
        state = self.state[self.lattice]
        changed: list[int] = []
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
        for stale, agenda in zip(self.stale, self.agendas.sweeps, strict=True):
            for one in changed:
                for reader in agenda.readers[one] or ():
                    stale[reader] = 1
        return changed

    def _triggered_by(self, target: int) -> list[int]:
        known = self.agendas.found[target]
        if known is None or not known[0].changes:
            return []
        visit = self.visit
        found = self._cascade([target], self.state[self.lattice])
        self.visit = visit
        return found
