"""Runs a program whose visits wait on a stack, read everything at once and write slot by slot.

Three things set such a program apart from one that is swept:

- `agenda(VISIT, 'stack')`: a round fills a stack with the entities of the visit so that they come
  off in ascending order, and goes on until it is empty. A change pushes what `wakes` names, in the
  order of its rows, unless it waits already; a visit does not wake itself.
- `frozen(VISIT)`: all that a visit proposes is found in the state at its start, then applied in the
  order of rules, and in each in that of the visit's `order` variables. A head of grain `slot`,
  `step(I, T, S)`, proposes S to the entity `slot[I, T]`.
- `phases_from(PHASE, RELATION, NOW)`: once the phases are done, for each value of RELATION,
  ascending, PHASE runs with `NOW(value)`, then all phases again.

A round takes each of its sweeps once; one without an agenda visits every entity in ascending order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from shardlog.engine.declarations import CHANGE, SLOT, UNGUARDED, WAKES, Channel
from shardlog.engine.guard import Watch
from shardlog.engine.instant import Instant, Known, Row
from shardlog.engine.interpreter import Interpreted
from shardlog.engine.program import Program, guard_literals
from shardlog.engine.records import Record, Records
from shardlog.engine.relations import Facts
from shardlog.engine.solver import value_of
from shardlog.engine.syntax import Match, Rule


def filled_slots(facts: Facts, state: Sequence[Any], entity: int) -> tuple[int, ...]:
    """The entities in the slots of one that have a value, without repetitions."""
    if SLOT in facts.rows:
        slots = facts.rows[SLOT][entity]
    else:
        slots = [row[2] for row in facts.tables[SLOT].lookup((0,), (entity,))]
    return tuple(dict.fromkeys([one for one in slots if state[one] is not None]))


class Proposal(NamedTuple):
    """A value that a rule proposes for `target`, in a visit of `entity`."""

    channel: Channel
    rule: Rule
    entity: int
    target: int
    value: Any


class _Moment(Instant):
    """An instant that remembers what it was asked until the state changes."""

    def __init__(
        self,
        program: Program,
        facts: Facts,
        state: dict[str, list[Any]],
        live: Sequence[str],
    ) -> None:
        super().__init__(program, facts, state, live)
        self.now: tuple[Any, ...] = ()
        self.known: dict[tuple[str, Known], Sequence[Row]] = {}

    def lookup(self, relation: str, known: Known, literal: Match | None = None) -> Sequence[Row]:
        """The rows of a relation, as an instant has them."""
        repeats = self.declared.repeats
        if repeats is not None and relation == repeats[2]:
            return [self.now] if self.now else []
        if relation not in self.volatile or relation in self.state:
            return super().lookup(relation, known, literal)
        key = (relation, known)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = super().lookup(relation, known, literal)
        return found


class Stacked:
    """One run of such a program over facts; `record=False` leaves out provenance."""

    def __init__(self, program: Program, facts: Facts, record: bool = True) -> None:
        self.program, self.facts, self.record = program, facts, record
        self.declared = program.declared
        self.count = facts.entity_count
        self.state: dict[str, list[Any]] = {
            lattice: [None] * self.count for lattice in self.declared.lattices
        }
        self.records: list[Record] | Records = []
        self.watch = Watch()
        self.phase, self.visit = "", ""
        self.value: int | None = None
        self.iteration = 0
        self.visited = 0
        self.moment = _Moment(program, facts, self.state, self.declared.lattices)
        self.guarded: dict[str, list[int]] = {}
        self.grounds: tuple[int, ...] = ()
        self.woken: dict[int, list[tuple[str, int]]] = {}

    def run(self) -> Interpreted:
        """Goes through the phases. Raises OscillationError, EvaluationError, RuleError."""
        last = self.declared.lattices[-1]
        if self.program.by_relation.get(last):
            for entity, value in self.moment.evaluate(last, ()):
                self.state[last][entity] = value
        self._phases()
        repeats = self.declared.repeats
        if repeats is not None:
            phase, relation, _ = repeats
            for (value,) in sorted(self.moment.rows(relation)):
                self.moment.now = (value,)
                self.once(phase)
                self._phases()
            self.moment.now = ()
        self.moment = _Moment(self.program, self.facts, self.state, ())
        self.moment.values = self.declared.parameter_values()
        return Interpreted(
            self.program, self.facts, self.state, self.records, self.iteration, self.moment
        )

    def once(self, phase: str) -> None:
        """Runs a phase that is a visit of its own."""
        self._begin(phase, None)
        self._sweep(phase)

    def _begin(self, phase: str, value: int | None) -> None:
        self.phase, self.value = phase, value
        self.watch.begin(phase, value)
        self.moment.values = () if value is None else (value,)
        self.moment.known.clear()

    def _phases(self) -> None:
        for phase, value in self.declared.rounds():
            if value is None:
                self.once(phase)
                continue
            self._begin(phase, value)
            for sweep in self.declared.sweeps:
                if sweep in self.declared.agendas:
                    self._drain(sweep)
                else:
                    self._sweep(sweep)
            self.iteration += 1

    # ------------------------------------------------------------ the order of visits

    def _entities(self, visit: str) -> list[int]:
        """The entities that the guard of some channel of a visit lets in, ascending."""
        if visit not in self.guarded:
            guards = {
                channel.guard
                for channel in self.declared.channels.values()
                if channel.visit == visit
            }
            if UNGUARDED in guards:
                self.guarded[visit] = list(range(self.count))
            else:
                found = {row[0] for guard in guards for row in self.moment.lookup(guard, ())}
                self.guarded[visit] = sorted(found)
        return self.guarded[visit]

    def _sweep(self, visit: str) -> None:
        for entity in self._entities(visit):
            self._take(visit, entity)

    def _drain(self, visit: str) -> None:
        entities = self._entities(visit)
        inside = bytearray(self.count)
        for entity in entities:
            inside[entity] = 1
        stack = entities[::-1]
        queued = bytearray(inside)
        while stack:
            entity = stack.pop()
            queued[entity] = 0
            for one in self._take(visit, entity):
                for sweep, target in self._wakes(one):
                    if sweep != visit or target == entity or not inside[target]:
                        continue
                    if not queued[target]:
                        queued[target] = 1
                        stack.append(target)

    def _wakes(self, entity: int) -> list[tuple[str, int]]:
        found = self.woken.get(entity)
        if found is None:
            found = []
            if WAKES in self.program.by_relation:
                rows = self.moment.lookup(WAKES, ((0, entity),))
                found = [(sweep, target) for _, sweep, target in rows]
            self.woken[entity] = found
        return found

    # ------------------------------------------------------------ one visit

    def _take(self, visit: str, entity: int) -> list[int]:
        """Visits an entity; returns what changed, in order."""
        self.visited += 1
        self.visit = visit
        frozen = visit in self.declared.frozen
        changed: list[int] = []
        later: list[Proposal] = []
        for channel, rule in self.program.channel_rules(visit):
            found = self._proposals(channel, rule, entity)
            if frozen:
                later += found
            else:
                for one in found:
                    changed += self._accept(one)
        if later:
            self.grounds = filled_slots(self.facts, self.state[later[0].channel.lattice], entity)
        for one in later:
            changed += self._accept(one)
        return changed

    def _proposals(self, channel: Channel, rule: Rule, entity: int) -> list[Proposal]:
        """What a rule proposes in a visit of an entity, in the state as it is; in its order."""
        start = {self.declared.visits[channel.visit].variable: entity}
        body = [*guard_literals(channel, rule), *rule.body]
        names = self.declared.orders.get(channel.visit, ())
        solutions = self.moment.solver.solve(body, start, self.moment.lookup)
        found = [
            (
                [known[name] for name in names if name in known],
                Proposal(channel, rule, entity, *[value_of(term, known) for term in rule.terms]),
            )
            for known in solutions
        ]
        return [proposal for _, proposal in sorted(found, key=lambda one: one[0])]

    def _accept(self, proposal: Proposal) -> list[int]:
        """Joins a proposal to the state and runs what that triggers; returns what changed."""
        channel, target = proposal.channel, proposal.target
        state = self.state[channel.lattice]
        old = state[target]
        join = self.program.library.joins[self.declared.joins[channel.join].function]
        new = join(old, proposal.value)
        if new is None or new == old:
            return []
        if self.record:
            self._record(proposal, old, new)
        state[target] = new
        self.moment.known.clear()
        if old is not None:
            self.watch.changed(target, new, proposal.rule)
        changed = [target]
        visit = self.visit
        for its in self.declared.visits.values():
            if its.order == CHANGE:
                self.visit = its.name
                for triggered, rule in self.program.channel_rules(its.name):
                    for one in self._proposals(triggered, rule, target):
                        changed += self._accept(one)
        self.visit = visit
        return changed

    def _record(self, proposal: Proposal, old: Any, new: Any) -> None:
        """Appends the record.

        Its contributors are the visited entity and, for grain `slot`, the slots that were filled
        when the visit began.
        """
        target = proposal.target
        found: tuple[int, ...] = (proposal.entity,)
        if proposal.channel.grain == SLOT:
            found += tuple([one for one in self.grounds if one != target])
        when = (self.phase, self.value, self.iteration, self.visit)
        self.records.append(
            Record(len(self.records), target, old, new, proposal.rule, found, *when)
        )
