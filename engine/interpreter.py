"""The plain interpreter: a slow, direct reading of a rule set, kept as an oracle for the compiler.

It writes no code and keeps no plans: a round marks every entity, as XLA's does, and a visit tries
each way through each rule against the state as it stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shardlog.engine.declarations import CHANGE, ORDERS, WAKES, Channel
from shardlog.engine.errors import Problem, RuleError
from shardlog.engine.guard import Watch
from shardlog.engine.instant import Instant
from shardlog.engine.program import Program, guard_literals
from shardlog.engine.records import Record
from shardlog.engine.relations import Facts
from shardlog.engine.solver import Environment, value_of
from shardlog.engine.syntax import Literal, Match, Rule, Term, Variable, variables
from shardlog.engine.ways import Way, Ways, residue


@dataclass(frozen=True, slots=True)
class Interpreted:
    """A finished run, in the shape of what a saturation gives."""

    program: Program
    facts: Facts
    state: dict[str, list[Any]]
    records: Sequence[Record]
    iterations: int
    final: Instant

    def value(self, lattice: str, entity: int) -> Any:
        """The value of an entity in a lattice, or None."""
        return self.state[lattice][entity]

    def rows(self, relation: str) -> list[tuple[Any, ...]]:
        """All rows of a relation over the finished lattices."""
        return self.final.rows(relation)

    def column(self, relation: str) -> list[Any]:
        """A functional relation of entities as a list, None where there is no row."""
        return [self.final.value(relation, n) for n in range(self.facts.entity_count)]


@dataclass(frozen=True, slots=True)
class Trial:
    """One static solution of a channel rule, to be tried at its own instant."""

    key: tuple[Any, ...]
    channel: Channel
    rule: Rule
    way: Way
    context: tuple[Any, ...]


class Interpretation:
    """One run of a program over facts; `record=False` leaves out provenance."""

    def __init__(self, program: Program, facts: Facts, record: bool = True) -> None:
        self.program, self.facts, self.record = program, facts, record
        self.declared = program.declared
        self.count = facts.entity_count
        self.state: dict[str, list[Any]] = {
            lattice: [None] * self.count for lattice in self.declared.lattices
        }
        self.records: list[Record] = []
        self.watch = Watch()
        self.iterations = 0
        self.marks: dict[str, list[bool]] = {}
        self.phase, self.visit = "", ""
        self.value: int | None = None
        self.iteration = 0
        self.live = list(self.declared.lattices)
        self.instant = Instant(program, facts, self.state, self.live)
        self.ways = Ways(self.instant)
        self.trials: dict[tuple[str, int], list[Trial]] = {}

    def run(self) -> Interpreted:
        """Goes through the phases. Raises OscillationError, EvaluationError, RuleError."""
        last = self.live[-1] if self.live else ""
        started = False
        for name, value in self.declared.rounds():
            fills_last = any(c.lattice == last for c, _ in self.program.channel_rules(name))
            if not started and (value is not None or fills_last):
                started = True
                self._start(last)
            self.phase, self.value, self.iteration = name, value, self.iterations
            self.watch.begin(name, value)
            self._look()
            if value is None:
                self._once(name)
            else:
                self._round()
        self.live, self.value = [], None
        self._look()
        return Interpreted(
            self.program, self.facts, self.state, self.records, self.iterations, self.instant
        )

    def _look(self) -> None:
        """Turns to the facts, frozen lattices and parameter values of the phase that begins."""
        values = self.declared.parameter_values() if self.value is None else (self.value,)
        if self.instant.live != tuple(self.live):
            self.instant = Instant(self.program, self.facts, self.state, self.live)
            self.ways = Ways(self.instant)
        self.instant.values = values
        self.trials.clear()

    def _start(self, last: str) -> None:
        """Freezes what was filled before and gives the last lattice its first values."""
        self.live, self.value = [], None
        self._look()
        if self.program.by_relation.get(last):
            rows = self.instant.evaluate(last, ())
            for entity, value in rows:
                self.state[last][entity] = value
        self.live = [last]

    # ------------------------------------------------------------ the order of visits

    def _blocks(self) -> list[list[int]]:
        """The entities in runs that have the same block."""
        column = self.facts.columns.get(self.declared.blocks or "")
        blocks: list[list[int]] = []
        for entity in range(self.count):
            if not blocks or (column is not None and column[entity] != column[entity - 1]):
                blocks.append([])
            blocks[-1].append(entity)
        return blocks

    def _in_order(self, visit: str, block: list[int]) -> list[int]:
        return block[::-1] if self.declared.visits[visit].order == "descending" else block

    def _once(self, visit: str) -> None:
        order = self.declared.visits[visit].order
        blocks = self._blocks()
        if order not in ORDERS:
            column = self.facts.columns[order]
            blocks = [sorted(range(self.count), key=lambda entity: column[entity])]
        for block in blocks:
            for entity in self._in_order(visit, block):
                for trial in self._trials(visit, entity):
                    self._try(trial, visit)

    def _round(self) -> None:
        self.marks = {sweep: [True] * self.count for sweep in self.declared.sweeps}
        changed = True
        while changed:
            changed = False
            self.iteration = self.iterations
            for block in self._blocks():
                for sweep in self.declared.sweeps:
                    for entity in self._in_order(sweep, block):
                        if self.marks[sweep][entity]:
                            self.marks[sweep][entity] = False
                            changed |= self._visit(sweep, entity)
            self.iterations += 1

    def _visit(self, sweep: str, entity: int) -> bool:
        """Tries all rules of an entity; says whether anything changed."""
        trials = self._trials(sweep, entity)
        moved = [one for trial in trials for one in self._try(trial, sweep)]
        changed = list(dict.fromkeys(moved))
        if not changed and any(map(self._insists, trials)):
            changed = [entity]
        if changed:
            for one in [*changed, *self._cascade(changed)]:
                self._wake(one)
        elif any(trial.channel.head in self.declared.restless for trial in trials):
            self.marks[sweep][entity] = True
        return bool(changed)

    def _insists(self, trial: Trial) -> bool:
        """Whether an insistent channel proposes something, be it what is there already."""
        if trial.channel.head not in self.declared.insistent:
            return False
        solutions = self.instant.solver.solve(
            list(trial.way.later), trial.way.known, self.instant.lookup
        )
        return next(iter(solutions), None) is not None

    def _cascade(self, changed: Sequence[int]) -> list[int]:
        """Runs the visits on change, depth first; returns what they changed."""
        found: list[int] = []
        for entity in changed:
            for visit in self.declared.visits.values():
                if visit.order == CHANGE:
                    for trial in self._trials(visit.name, entity):
                        more = self._try(trial, visit.name)
                        found += [*more, *self._cascade(more)]
        return found

    def _wake(self, entity: int) -> None:
        if WAKES in self.program.by_relation:
            for _, sweep, target in self.instant.lookup(WAKES, ((0, entity),)):
                if sweep in self.marks:
                    self.marks[sweep][target] = True

    # ------------------------------------------------------------ trying one rule

    def _trials(self, visit: str, entity: int) -> list[Trial]:
        """The static solutions of a visit's rules for an entity, distinct and in order."""
        key = visit, entity
        if key not in self.trials:
            found: dict[Any, Trial] = {}
            for number, (channel, rule) in enumerate(self.program.channel_rules(visit)):
                for trial in self._solutions(visit, entity, number, channel, rule):
                    head = [*rule.terms, *map(Variable, self._context_names(channel))]
                    found.setdefault((trial.key, residue(trial.way, head)), trial)
            self.trials[key] = sorted(found.values(), key=lambda trial: trial.key)
        return self.trials[key]

    def _solutions(
        self, visit: str, entity: int, number: int, channel: Channel, rule: Rule
    ) -> list[Trial]:
        used = {t.name for t in rule.terms if isinstance(t, Variable)}
        join = self.declared.joins[channel.join]
        body: list[Literal] = [*guard_literals(channel, rule), *rule.body]
        names = {name for literal in rule.body for name in variables(literal)}
        order = [name for name in self.declared.orders.get(visit, ()) if name in names]
        for place, (relation, key) in enumerate(join.context):
            if key == "I":
                body.append(Match(relation, (rule.terms[0], Variable(f"_c{place}")), True))
        start = {self.declared.visits[visit].variable: entity}
        outer = {*used, *order, *self._context_names(channel)}
        found = []
        for way in self.ways.solve(body, start, outer):
            if any(name in way.told for name in (*order, *_entities(channel, rule))):
                message = "its target or its order is known only at the instant"
                raise RuleError([Problem(rule.span, message, rule.name)])
            position = (number, tuple(way.known[name] for name in order), tuple(sorted(way.path)))
            context = []
            for place, (relation, key) in enumerate(join.context):
                known = way.known[f"_c{place}"] if key == "I" else self._of_phase(relation)
                context.append(known)
            found.append(Trial(position, channel, rule, way, tuple(context)))
        return found

    def _context_names(self, channel: Channel) -> list[str]:
        context = self.declared.joins[channel.join].context
        return [f"_c{place}" for place, (_, key) in enumerate(context) if key == "I"]

    def _of_phase(self, relation: str) -> Any:
        """What a join's context relation says of the phase parameter's (first) value."""
        values = self.instant.values
        return self.instant.value(relation, values[0] if values else 0)

    def _try(self, trial: Trial, visit: str) -> list[int]:
        """Evaluates what a static solution leaves for this instant; returns what changed."""
        later, known = list(trial.way.later), trial.way.known
        solver, lookup = self.instant.solver, self.instant.lookup
        found = next(iter(solver.solve(later, known, lookup)), None)
        if found is None:
            return []
        state = self.state[trial.channel.lattice]
        join = self.program.library.joins[self.declared.joins[trial.channel.join].function]
        proposals = _proposals(trial.channel, trial.rule, found)
        accepted: list[tuple[int, Any, Any]] = []
        for target, proposal in proposals:
            old = state[target]
            new = join(old, proposal, *trial.context)
            if new is not None and new != old:
                accepted.append((target, old, new))
        if not accepted:
            return []
        grounds = tuple(dict.fromkeys(e for e in trial.way.grounds if state[e] is not None))
        for target, old, new in accepted:
            state[target] = new
            if old is not None:
                self.watch.changed(target, new, trial.rule)
            if self.record:
                self._record(target, old, new, trial.rule, grounds, visit)
        return list(dict.fromkeys(target for target, _ in proposals))

    def _record(
        self, entity: int, old: Any, new: Any, rule: Rule, grounds: tuple[int, ...], visit: str
    ) -> None:
        event = len(self.records)
        phase = (self.phase, self.value, self.iteration, visit)
        self.records.append(Record(event, entity, old, new, rule, grounds, *phase))


def _entities(channel: Channel, rule: Rule) -> list[str]:
    """The variables of a head that name what is changed."""
    terms = rule.terms[:3:2] if channel.grain == "pair" else rule.terms[:1]
    return [t.name for t in terms if isinstance(t, Variable)]


def _proposals(channel: Channel, rule: Rule, found: Environment) -> list[tuple[int, Any]]:
    """What a solution proposes to whom."""

    def value(term: Term) -> Any:
        return value_of(term, found)

    terms = list(map(value, rule.terms))
    match channel.grain:
        case "leaf":
            return [(terms[0], ((terms[1], terms[2]),))]
        case "pair" if terms[0] != terms[2]:
            return [(terms[0], terms[1]), (terms[2], terms[3])]
    return [(terms[0], terms[1])]
