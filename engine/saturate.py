"""Runs a compiled program to its fixpoint: phases, rounds, sweeps and the ordered agenda."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from shardlog.engine.agenda import Agenda, Agendas
from shardlog.engine.classes import Classes, Found
from shardlog.engine.compiler import Compiler, compiled
from shardlog.engine.declarations import CHANGE, ORDERS
from shardlog.engine.errors import EvaluationError, RuleError
from shardlog.engine.guard import Watch
from shardlog.engine.live import BY_STEPS
from shardlog.engine.program import Program
from shardlog.engine.records import Record, Records
from shardlog.engine.relations import Facts
from shardlog.engine.results import Saturated, Timings
from shardlog.engine.syntax import Rule
from shardlog.engine.tables import UNIT, Info, Step, proposal_of
from shardlog.engine.templates import Change, OwnChange, Plan

_new = tuple.__new__


class Saturation:
    """One run of a program over facts.

    `record=False` leaves out provenance; `everything=True` marks every entity at the start of each
    round, as XLA does, in place of only those whose visit could have another outcome.
    """

    quick = True
    """Whether what a visit makes of values is remembered, rather than asked of every step anew."""

    def __init__(
        self, program: Program, facts: Facts, record: bool = True, everything: bool = False
    ) -> None:
        self.program, self.facts = program, facts
        self.declared = program.declared
        self.record, self.everything = record, everything
        self.count = facts.entity_count
        self.state: dict[str, list[Any]] = {
            lattice: [None] * self.count + [UNIT] for lattice in self.declared.lattices
        }
        self.records = Records()
        self.moved: list[int] = []
        """Entities that the present sweep has changed, and that have marked nobody yet."""
        self.timings = Timings()
        self.iterations = 0
        self.watch = Watch()
        self.compiler = compiled(program, facts, self.state)
        self.cold = False
        self.value: int | None = None
        self.bit = 0

    def run(self) -> Saturated:
        """Goes through the phases. Raises OscillationError, EvaluationError, RuleError."""
        rounds = self.declared.rounds()
        started = False
        for number, (name, value) in enumerate(rounds):
            if not started and (value is not None or self._in_rounds(name)):
                self._start()
                started = True
            if value is None:
                self._once(name, started)
            else:
                self._round(name, value, number)
        begin = time.perf_counter()
        frozen = self.declared.lattices
        final = compiled(self.program, self.facts, self.state, frozen)
        self.timings.planning += time.perf_counter() - begin
        return Saturated(
            self.program,
            self.facts,
            self.state,
            self.records,
            self.iterations,
            self.timings,
            final,
        )

    # ------------------------------------------------------------ phases that run once

    def _in_rounds(self, name: str) -> bool:
        """Whether a once-phase proposes to the lattice that the rounds saturate."""
        last = self.declared.lattices[-1]
        return any(c.lattice == last for c in self.declared.channels.values() if c.visit == name)

    def _once(self, name: str, started: bool) -> None:
        begin = time.perf_counter()
        planning = self.timings.planning
        self.phase, self.value, self.iteration, self.visit = name, None, self.iterations, name
        self.watch.begin(name, None)
        found: dict[int, Found] = {}
        self._fill(self.compiler.sharing.visits(name), found, name)
        for entity in self._in_order(self.declared.visits[name].order, found):
            for step in self._steps(name, entity, found[entity]):
                changed = self._slow(step, self.state[step[4].channel.lattice], 0)
                if started and changed:
                    self._after(changed, entity, False)
        self.timings.saturation += time.perf_counter() - begin - (self.timings.planning - planning)

    def _in_order(self, order: str, entities: Iterable[int]) -> list[int]:
        ordered = sorted(entities)
        if order == "descending":
            lows = [low for low, _ in self._blocks()] if ordered else []
            ordered.sort(key=lambda entity: (bisect_right(lows, entity), -entity))
        elif order not in ORDERS:
            column = self.facts.columns[order]
            ordered.sort(key=lambda entity: column[entity])
        return ordered

    def _blocks(self) -> list[tuple[int, int]]:
        """The ranges of entities that a sweep takes one after the other."""
        name = self.declared.blocks
        if name is None or name not in self.facts.columns:
            return [(0, self.count)]
        column = self.facts.columns[name]
        blocks, low = [], 0
        for entity in range(1, self.count + 1):
            if entity == self.count or column[entity] != column[low]:
                blocks.append((low, entity))
                low = entity
        return blocks

    # ------------------------------------------------------------ the rounds

    def _start(self) -> None:
        """Freezes what was filled before, initialises the last lattice and builds all plans."""
        begin = time.perf_counter()
        last = self.declared.lattices[-1]
        frozen = [name for name in self.declared.lattices if name != last]
        if any(rule.relation == last for rule in self.program.rules):
            first = compiled(self.program, self.facts, self.state, self.declared.lattices)
            state = self.state[last]
            state[: self.count] = self._initial(first, last)
        self.frozen = frozen
        self.blocks = self._blocks()
        self.seen: set[Any] = set()
        tests = [self.program.tests[name] for name in self.declared.rare]
        self.rare: list[Callable[[Any], bool]] = tests
        values = {value for value in self.state[last][: self.count] if value is not None}
        self.seen = values
        self.cold = bool(tests) and not any(test(v) for test in tests for v in values)
        self._compile()
        self.timings.planning += time.perf_counter() - begin

    def _initial(self, compiler: Compiler, lattice: str) -> list[Any]:
        """The values that rules give a lattice at the start."""
        return compiler.sharing.column(lattice)

    def _compile(self) -> None:
        """Compiles for the rounds and builds every entity's plans."""
        last = self.declared.lattices[-1]
        self.compiler = compiled(self.program, self.facts, self.state, self.frozen, self.cold)
        found: list[Found | None] = [None] * self.count
        self._fill(self.compiler.sharing.rounds(), found, "rounds")
        plans: dict[Plan, list[Sequence[int]]] = {}
        for one in found:
            if one is not None:
                plans.setdefault(one[0], []).append(one[1])
        sweeps = []
        for place, name in enumerate(self.declared.sweeps):
            descending = self.declared.visits[name].order == "descending"
            sweeps.append(Agenda(name, descending, place, self.count, plans))
        self.agendas = Agendas(sweeps, found)
        visits = self.declared.visits.values()
        self.on_change = [visit.name for visit in visits if visit.order == CHANGE]
        self.lattice = last

    def _round(self, name: str, value: int, number: int) -> None:
        begin = time.perf_counter()
        planning = self.timings.planning
        bit = self.declared.parameter_values().index(value)
        self._mark(value, bit, number)
        self.phase, self.value, self.bit = name, value, bit
        self.agendas.first = True
        self.watch.begin(name, value)
        starts = [low for low, _ in self.blocks]
        changed = True
        while changed:
            changed = False
            self.iteration = self.iterations
            place = self._due(0)
            while place >= 0:
                low, high = self.blocks[bisect_right(starts, place) - 1]
                for number in range(len(self.agendas.sweeps)):
                    changed |= self._sweep(number, low, high)
                place = self._due(high)
            self.agendas.first = False
            self.iterations += 1
        self.timings.saturation += time.perf_counter() - begin - (self.timings.planning - planning)

    def _due(self, low: int) -> int:
        """The first entity from a number on of which a visit is due, or -1."""
        found = [at for agenda in self.agendas.sweeps if (at := agenda.now.find(1, low)) >= 0]
        return min(found, default=-1)

    def _mark(self, value: int, bit: int, number: int) -> None:
        """Marks what the start of a round re-opens."""
        rounds = self.declared.rounds()
        earlier = [value for _, value in rounds[:number] if value is not None]
        values = self.declared.parameter_values()
        opened = not earlier or earlier[-1] != value
        follows = not opened or (bit > 0 and bool(earlier) and earlier[-1] == values[bit - 1])
        for agenda in self.agendas.sweeps:
            if self.everything or not (follows or self.quick):
                agenda.mark_all()
            elif not follows:
                agenda.mark_possible(bit, self.state[self.lattice])
            else:
                agenda.mark_changed(bit, opened)

    def _sweep(self, place: int, low: int, high: int) -> bool:
        """One visit of every marked entity of a block; says whether anything changed."""
        agendas = self.agendas
        agenda = agendas.sweeps[place]
        agendas.place, agendas.low, agendas.high = place, low, high
        self.visit = agenda.name
        self.records.begin((self.phase, self.value, self.iteration, self.visit))
        state, bit, quick = self.state[self.lattice], self.bit, self.quick
        now, found, seen = agenda.now, agendas.found, self.seen
        note = self.records.notes.append if self.record else None
        moved = self.moved.append
        changed, descending, restless = False, agenda.descending, agenda.restless
        entity = high if descending else low - 1
        while True:
            entity = now.rfind(1, low, entity) if descending else now.find(1, entity + 1, high)
            if entity < 0:
                break
            now[entity] = 0
            plan, tokens = found[entity]  # type: ignore[misc]
            visit = plan.sweeps[place].visits[bit] if quick else None
            touched: list[int] | None
            if visit is None:
                touched = self._live_visit(agenda, entity, state)
            else:
                change = visit(state, tokens)
                if change is None:
                    if restless and restless.get(entity, 0) >> bit & 1:
                        now[entity] = 1
                    continue
                if tokens.count(entity) > 1:
                    # found in several ways, of which what is remembered knows nothing
                    touched = self._by_steps(agenda, entity, state)
                elif change.__class__ is not OwnChange:
                    touched = self._apply(agenda, entity, change, tokens)
                elif plan.changes or (self.cold and change[1] not in seen):
                    touched = self._apply(agenda, entity, change.changes(), tokens)
                else:
                    # what most changes are: the entity's own, which triggers nothing
                    changed = True
                    if note is not None:
                        note((entity, change, tokens))
                    state[entity] = change[1]
                    if change[0] is not None:
                        self.watch.changed(entity, change[1], change[2])
                    moved(entity)
                    agendas.woken(plan, tokens, agenda, entity)
                    continue
            if touched:
                changed = True
                self._after(touched, entity)
                if agendas is not self.agendas:
                    agendas = self.agendas
                    agenda = agendas.sweeps[place]
                    now, found, restless = agenda.now, agendas.found, agenda.restless
            elif restless and restless.get(entity, 0) >> bit & 1:
                now[entity] = 1
        self._mark_moved()
        return changed

    def _mark_moved(self) -> None:
        """Marks what the changes re-open that a sweep has only noted down."""
        if self.moved:
            self.agendas.moved(self.moved)
            self.moved.clear()

    def _apply(
        self, agenda: Agenda, entity: int, changes: Sequence[Change], tokens: Sequence[int]
    ) -> list[int]:
        """Accepts what a visit changes; returns the entities that count as changed."""
        place = self.agendas.place
        touched: list[int] = []
        for targets, olds, news, rule, contributors, number in changes:
            grounds = tuple([tokens[c] for c in contributors])
            if len(grounds) > 1:
                # entities that the rule reads at several places count once
                grounds = tuple(dict.fromkeys(grounds))
            for target, old, new in zip(targets, olds, news, strict=True):
                touched.append(tokens[target])
                if new is not None:
                    self._accept(tokens[target], old, new, rule, grounds)
            if agenda is not self.agendas.sweeps[place]:
                return touched + self._resume(agenda, entity, number)
        return touched

    def _live_visit(self, agenda: Agenda, entity: int, state: list[Any]) -> list[int]:
        """A visit that reads what is known at the instant."""
        if self.quick:
            outcome = self.compiler.sharing.live(agenda.name, self.bit, self.lattice).find(entity)
            if outcome is None:
                return []
            if outcome is not BY_STEPS:
                return self._apply(agenda, entity, *outcome)
        return self._by_steps(agenda, entity, state)

    def _by_steps(self, agenda: Agenda, entity: int, state: list[Any]) -> list[int]:
        """A visit that makes each step by what the steps before it have left."""
        steps = agenda.instances.get(entity)
        if steps is None:
            plan, tokens = self.agendas.found[entity]  # type: ignore[misc]
            steps = plan.sweeps[self.agendas.place].instances(tokens)
            agenda.instances[entity] = steps
        touched: list[int] = []
        place = self.agendas.place
        for number, step in enumerate(steps):
            moved = self._slow(step, state, self.bit)
            if moved:
                touched += moved
                if agenda is not self.agendas.sweeps[place]:
                    return touched + self._resume(agenda, entity, number)
        if not touched and agenda.insistent.get(entity, 0) >> self.bit & 1:
            return [entity] if self._insists(steps) else []
        return touched

    def _insists(self, steps: Sequence[Step]) -> bool:
        """Whether an insistent channel proposes something, be it what is there already."""
        state, wanted = self.state[self.lattice], 1 << self.bit
        for mask, _, table, _, info in steps:
            insists = mask & wanted and info.channel.head in self.declared.insistent
            if insists and proposal_of(info, table, state) is not None:
                return True
        return False

    # ------------------------------------------------------------ accepting

    def _slow(self, step: Step, state: list[Any], bit: int) -> list[int]:
        """A step of any kind; returns the entities that count as changed."""
        mask, _, table, joins, info = step
        if not mask & 1 << bit and self.value is not None:
            return []
        proposal = proposal_of(info, table, state)
        if proposal is None:
            return []
        if info.partner is not None:
            return self._pair(proposal, joins[bit], info, state)
        target = info.target
        old = state[target]
        new = joins[bit][old, proposal]
        if new is None:
            return []
        found = self._contributors(info, state)
        self._accept(target, old, new, info.rule, found, info.channel.lattice)
        return [target]

    def _pair(self, proposal: Any, join: Any, info: Any, state: list[Any]) -> list[int]:
        """Both of a pair count as changed if one of them does."""
        targets = (info.target, info.partner)
        news = [join[state[t], p] for t, p in zip(targets, proposal, strict=True)]
        if info.target == info.partner:
            news = news[:1]
        if all(new is None for new in news):
            return []
        found = self._contributors(info, state)
        for target, new in zip(targets, news, strict=False):
            if new is not None:
                lattice = info.channel.lattice
                self._accept(target, state[target], new, info.rule, found, lattice)
        return list(dict.fromkeys(targets))

    def _contributors(self, info: Info, state: list[Any]) -> tuple[int, ...]:
        """Whose values a step has matched, by the state before it is accepted."""
        found = info.contributors
        if info.filtered:
            return tuple(dict.fromkeys(c for c in found if state[c] is not None))
        return found if len(found) < 2 else tuple(dict.fromkeys(found))

    def _accept(
        self,
        entity: int,
        old: Any,
        new: Any,
        rule: Rule,
        found: tuple[int, ...],
        lattice: str | None = None,
    ) -> None:
        if self.record:
            records = self.records
            when = self.phase, self.value, self.iteration, self.visit
            # as Record(...) does, in half the time
            records.append(_new(Record, (len(records), entity, old, new, rule, found, *when)))
        self.state[lattice or self.lattice][entity] = new
        if self.cold and new not in self.seen:
            self.seen.add(new)
            if any(test(new) for test in self.rare):
                self._thaw()
        if old is not None:
            self.watch.changed(entity, new, rule)

    def _after(self, changed: list[int], entity: int, cascade: bool = True) -> None:
        """Runs what a change triggers at once, then marks what it re-opens."""
        if cascade:
            plans = self.agendas.found
            for one in changed:
                known = plans[one]
                if known is not None and known[0].changes:
                    visit = self.visit
                    moved = list(dict.fromkeys(changed))
                    changed += self._cascade(moved, self.state[self.lattice])
                    self.visit = visit
                    break
        if len(changed) == 1:
            self.agendas.changed(changed[0], entity)
            return
        for one in dict.fromkeys(changed):
            self.agendas.changed(one, entity)

    def _cascade(self, moved: list[int], state: list[Any]) -> list[int]:
        """Runs the visits on change, depth first; returns what they changed."""
        found: list[int] = []
        stack = [self._triggered(moved)]
        while stack:
            for self.visit, step in stack[-1]:
                more = self._slow(step, state, self.bit)
                if more:
                    found += more
                    stack.append(self._triggered(more))
                    break
            else:
                stack.pop()
        return found

    def _triggered(self, moved: list[int]) -> Iterator[tuple[str, Step]]:
        """The steps that changes trigger, each with the name of its visit."""
        for one in moved:
            known = self.agendas.found[one]
            if known is None:
                continue
            plan, tokens = known
            for name, template in zip(self.on_change, plan.changes, strict=False):
                if template is not None:
                    for step in self._steps(name, one, (template, tokens)):
                        yield name, step

    # ------------------------------------------------------------ plans

    def _plan(self, visit: str, entity: int) -> list[tuple[Any, Step]]:
        """The steps of a visit, each with what it is sorted by. Raises EvaluationError."""
        with self._planning(visit, entity):
            return [
                ((number, order, path), (*step[:4], step[4]._replace(origin=(number, path))))
                for (number, order, path), step in self.compiler.plan(visit)(entity)
            ]

    def _fill(self, classes: Classes, found: Any, visit: str) -> None:
        """Finds what entities have to do. Raises EvaluationError."""
        try:
            classes.fill(found)
        except Exception:
            # once more in order, to tell of the first entity of which it cannot be found out
            for entity in range(self.count):
                with self._planning(visit, entity):
                    classes.find(entity)
            raise

    @contextmanager
    def _planning(self, visit: str, entity: int) -> Iterator[None]:
        try:
            yield
        except (EvaluationError, RuleError):
            raise
        except Exception as error:
            message = f"visit {visit!r} of entity {entity} cannot be planned: {error!r}"
            raise EvaluationError(message) from error

    def _steps(self, visit: str, entity: int, found: Found) -> Iterator[Step]:
        """The steps of a visit; once one of them makes the plans new, the rest of the new ones."""
        compiler = self.compiler
        template, entities = found
        for number, step in enumerate(template.instances(entities)):
            yield step
            if self.compiler is not compiler:
                last, _ = compiler.plan(visit)(entity)[number]
                for key, rest in self._plan(visit, entity):
                    if key > last:
                        yield rest
                return

    def _resume(self, agenda: Agenda, entity: int, number: int) -> list[int]:
        """Goes on with a visit under new plans, after a step of the old; returns what changed."""
        last, _ = self.melted.plan(agenda.name)(entity)[number]
        state = self.state[self.lattice]
        moved: list[int] = []
        for key, step in self._plan(agenda.name, entity):
            if key > last:
                moved += self._slow(step, state, self.bit)
        return moved

    def _thaw(self) -> None:
        """Compiles anew once a value has passed a test that was taken to be rare."""
        begin = time.perf_counter()
        self._mark_moved()
        self.melted = self.compiler
        self.cold = False
        agendas = self.agendas
        self._compile()
        self.agendas.take_marks(agendas)
        self.timings.planning += time.perf_counter() - begin
