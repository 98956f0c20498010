"""Runs a compiled program to its fixpoint: phases, rounds, sweeps and the ordered agenda."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from shardlog.engine.agenda import Agenda, Agendas
from shardlog.engine.compiler import compiled
from shardlog.engine.declarations import CHANGE, ORDERS, WAKES
from shardlog.engine.errors import EvaluationError, RuleError
from shardlog.engine.guard import Watch
from shardlog.engine.program import Program
from shardlog.engine.records import Record
from shardlog.engine.relations import Facts
from shardlog.engine.results import Saturated, Timings
from shardlog.engine.tables import UNIT, Info, Step, call


class Saturation:
    """One run of a program over facts.

    `record=False` leaves out provenance; `everything=True` marks every entity at the start of each
    round, as XLA does, in place of only those whose visit could have another outcome.
    """

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
        self.records: list[Record] = []
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
        for entity in self._busy(name, self._in_order(self.declared.visits[name].order)):
            for step in self._steps(name, entity):
                changed = self._slow(step, self.state[step[4].channel.lattice], 0)
                if started and changed:
                    self._after(changed, entity, False)
        self.timings.saturation += time.perf_counter() - begin - (self.timings.planning - planning)

    def _in_order(self, order: str) -> Sequence[int]:
        if order == "descending":
            blocks = self._blocks()
            return [entity for low, high in blocks for entity in range(high - 1, low - 1, -1)]
        if order in ORDERS:
            return range(self.count)
        column = self.facts.columns[order]
        return sorted(range(self.count), key=lambda entity: column[entity])

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
            for entity in range(self.count):
                state[entity] = first.answers.first_value(last, entity)
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

    def _compile(self) -> None:
        """Compiles for the rounds and builds every entity's plans."""
        last = self.declared.lattices[-1]
        self.compiler = compiled(self.program, self.facts, self.state, self.frozen, self.cold)
        sweeps = []
        for name in self.declared.sweeps:
            plans = self._plans(name)
            descending = self.declared.visits[name].order == "descending"
            restless, insistent = self.declared.restless, self.declared.insistent
            sweeps.append(Agenda(name, descending, plans, restless, insistent))
        self.agendas = Agendas(sweeps, self._wakes())
        changes = [v for v in self.declared.visits.values() if v.order == CHANGE]
        self.on_change = [visit.name for visit in changes]
        self.change_memo: dict[int, list[str]] = {}
        self.lattice = last

    def _wakes(self) -> Callable[[int], Sequence[tuple[str, int]]]:
        if WAKES not in self.program.by_relation:
            return lambda entity: ()
        helper = self.compiler.namespace[self.compiler.answers.helper(WAKES, (True, False, False))]
        return lambda entity: helper[entity]

    def _round(self, name: str, value: int, number: int) -> None:
        begin = time.perf_counter()
        planning = self.timings.planning
        bit = self.declared.parameter_values().index(value)
        self._mark(value, bit, number)
        self.phase, self.value, self.bit = name, value, bit
        self.agendas.first = True
        self.watch.begin(name, value)
        changed = True
        while changed:
            changed = False
            self.iteration = self.iterations
            for low, high in self.blocks:
                for place in range(len(self.agendas.sweeps)):
                    changed |= self._sweep(place, low, high)
            self.agendas.first = False
            self.iterations += 1
        self.timings.saturation += time.perf_counter() - begin - (self.timings.planning - planning)

    def _mark(self, value: int, bit: int, number: int) -> None:
        """Marks what the start of a round re-opens."""
        rounds = self.declared.rounds()
        earlier = [value for _, value in rounds[:number] if value is not None]
        values = self.declared.parameter_values()
        opened = not earlier or earlier[-1] != value
        follows = not opened or (bit > 0 and bool(earlier) and earlier[-1] == values[bit - 1])
        for agenda in self.agendas.sweeps:
            if self.everything or not follows:
                agenda.mark_all()
            else:
                agenda.mark_changed(bit, opened)

    def _sweep(self, place: int, low: int, high: int) -> bool:
        """One visit of every marked entity of a block; says whether anything changed."""
        agenda = self.agendas.sweeps[place]
        self.agendas.place, self.agendas.low, self.agendas.high = place, low, high
        self.visit = agenda.name
        state, bit = self.state[self.lattice], self.bit
        wanted = 1 << bit
        now, plans = agenda.now, agenda.plans
        changed = False
        entity = now.rfind(1, low, high) if agenda.descending else now.find(1, low, high)
        while entity >= 0:
            now[entity] = 0
            touched: list[int] | None = None
            for step in plans[entity]:
                mask, source, table, joins, info = step
                if not mask & wanted:
                    continue
                if source.__class__ is int:
                    proposal = table[state[source]]  # type: ignore[index]
                elif source is None:
                    moved = self._slow(step, state, bit)
                    if moved:
                        touched = [*(touched or ()), *moved]
                        if agenda is not self.agendas.sweeps[place]:
                            touched += self._resume(agenda, entity, step)
                            break
                    continue
                else:
                    proposal = table[tuple([state[s] for s in source])]  # type: ignore[index]
                if proposal is None:
                    continue
                old = state[entity]
                if proposal is old:
                    continue
                new = joins[bit][old, proposal]
                if new is None:
                    continue
                self._accept(entity, old, new, info)
                if touched is None:
                    touched = [entity]
                else:
                    touched.append(entity)
                if agenda is not self.agendas.sweeps[place]:
                    touched += self._resume(agenda, entity, step)
                    break
            if not touched and agenda.insistent[entity] & wanted and self._insists(plans[entity]):
                touched = [entity]
            if touched:
                changed = True
                self._after(touched, entity)
                if agenda is not self.agendas.sweeps[place]:
                    agenda = self.agendas.sweeps[place]
                    now, plans = agenda.now, agenda.plans
            elif agenda.restless[entity] & wanted:
                now[entity] = 1
            if agenda.descending:
                entity = now.rfind(1, low, entity)
            else:
                entity = now.find(1, entity + 1, high)
        return changed

    def _insists(self, plan: Sequence[Step]) -> bool:
        """Whether an insistent channel proposes something, be it what is there already."""
        state, wanted = self.state[self.lattice], 1 << self.bit
        for mask, _, table, _, info in plan:
            if mask & wanted and info.channel.head in self.declared.insistent:
                seen: Any = UNIT
                if info.sources:
                    several = tuple([state[s] for s in info.sources])
                    seen = several if info.several else several[0]
                if info.live is not None:
                    proposal = call(*info.live, seen, info.rule)
                else:
                    proposal = None if table is None else table[seen]
                if proposal is not None:
                    return True
        return False

    # ------------------------------------------------------------ accepting

    def _slow(self, step: Step, state: list[Any], bit: int) -> list[int]:
        """A step of any kind; returns the entities that count as changed."""
        mask, _, table, joins, info = step
        if not mask & 1 << bit and self.value is not None:
            return []
        if info.several:
            seen: Any = tuple([state[s] for s in info.sources])
        else:
            seen = state[info.sources[0]] if info.sources else UNIT
        if info.live is not None:
            proposal = call(*info.live, seen, info.rule)
        else:
            assert table is not None
            proposal = table[seen]
        if proposal is None:
            return []
        if info.partner is not None:
            return self._pair(proposal, joins[bit], info, state)
        target = info.target
        old = state[target]
        new = joins[bit][old, proposal]
        if new is None:
            return []
        self._accept(target, old, new, info)
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
                self._accept(target, state[target], new, info, found)
        return list(dict.fromkeys(targets))

    def _contributors(self, info: Info, state: list[Any]) -> tuple[int, ...]:
        """Whose values a step has matched, by the state before it is accepted."""
        found = info.contributors
        if info.filtered:
            return tuple(dict.fromkeys(c for c in found if state[c] is not None))
        return found if len(found) < 2 else tuple(dict.fromkeys(found))

    def _accept(
        self, entity: int, old: Any, new: Any, info: Info, found: tuple[int, ...] | None = None
    ) -> None:
        state = self.state[info.channel.lattice]
        if self.record:
            if found is None:
                found = self._contributors(info, state)
            event = len(self.records)
            phase = (self.phase, self.value, self.iteration, self.visit)
            self.records.append(Record(event, entity, old, new, info.rule, found, *phase))
        state[entity] = new
        if self.cold and new not in self.seen:
            self.seen.add(new)
            if any(test(new) for test in self.rare):
                self._thaw()
        if old is not None:
            self.watch.changed(entity, new, info.rule)

    def _after(self, changed: list[int], entity: int, cascade: bool = True) -> None:
        """Runs what a change triggers at once, then marks what it re-opens."""
        changed = list(dict.fromkeys(changed))
        done = list(changed)
        if self.on_change and cascade:
            visit = self.visit
            done += self._cascade(changed, self.state[self.lattice])
            self.visit = visit
        for one in dict.fromkeys(done):
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
            names = self.change_memo.get(one)
            if names is None:
                names = [name for name in self.on_change if self._plan(name, one)]
                self.change_memo[one] = names
            for name in names:
                for step in self._steps(name, one):
                    yield name, step

    # ------------------------------------------------------------ plans

    def _plan(self, visit: str, entity: int) -> list[tuple[Any, Step]]:
        """The steps of a visit, each with what it is sorted by. Raises EvaluationError."""
        try:
            return self.compiler.plan(visit)(entity)
        except (EvaluationError, RuleError):
            raise
        except Exception as error:
            message = f"visit {visit!r} of entity {entity} cannot be planned: {error!r}"
            raise EvaluationError(message) from error

    def _plans(self, visit: str) -> list[list[Step]]:
        """The plans of all entities for a visit. Raises EvaluationError."""
        planner = self.compiler.plan(visit)
        try:
            return [[step for _, step in planner(entity)] for entity in range(self.count)]
        except (EvaluationError, RuleError):
            raise
        except Exception:
            # once more, to tell of which entity
            return [[step for _, step in self._plan(visit, n)] for n in range(self.count)]

    def _busy(self, visit: str, entities: Sequence[int]) -> list[int]:
        """The entities that have steps in a visit."""
        planner = self.compiler.plan(visit)
        try:
            return [entity for entity in entities if planner(entity)]
        except (EvaluationError, RuleError):
            raise
        except Exception:
            # once more, to tell of which entity
            return [entity for entity in entities if self._plan(visit, entity)]

    def _steps(self, visit: str, entity: int) -> Iterator[Step]:
        """The steps of a visit; once one of them makes the plans new, the rest of the new ones."""
        compiler = self.compiler
        for key, step in self._plan(visit, entity):
            yield step
            if self.compiler is not compiler:
                for other, rest in self._plan(visit, entity):
                    if other > key:
                        yield rest
                return

    def _resume(self, agenda: Agenda, entity: int, done: Step) -> list[int]:
        """Goes on with a visit under new plans, after a step of the old; returns what changed."""
        number = next(n for n, step in enumerate(agenda.plans[entity]) if step is done)
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
        self.melted = self.compiler
        self.cold = False
        agendas = self.agendas
        self._compile()
        self.agendas.take_marks(agendas)
        self.timings.planning += time.perf_counter() - begin
