"""Answers by pyDatalog: rules of one's own become its clauses, blocks over columns its resolvers.

Clauses are made of pyDatalog's own objects, never of text: its `load` and `ask` would run that.
Every rule is taken up once for each choice of arguments that are known when it is asked, since its
literals then go in another order. A resolver is the primitive of a predicate, which belongs to the
logic of this thread; the public registry of resolvers belongs to the process. What was there before
is put back.

What is denied or counted is asked in a run of the engine of its own, to its end. pyDatalog's own
way, which waits for it within one run, now and then gives a wrong answer, or none for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from pyDatalog import Logic, pyEngine, pyParser

from shardlog.engine.syntax import Constant, Literal, Match, Term, Variable, variables
from shardlog.query.bounds import Meter
from shardlog.query.folding import folded
from shardlog.query.joins import Block
from shardlog.query.planning import Planner, bound_names, known_places
from shardlog.query.reading import Aggregated, Derived
from shardlog.query.relations import Places, Source

__all__ = ["answers", "planned"]

Row = tuple[Any, ...]

_GOAL = "the question"
_OF_A_RUN = ("Tasks", "Recursive_Tasks", "Subgoals", "Goal", "Recursive")


def answers(
    body: Sequence[Literal],
    wanted: Sequence[str],
    rules: Mapping[str, Sequence[Derived]],
    sources: Mapping[str, Source],
    planner: Planner,
    meter: Meter,
) -> list[Row]:
    """The rows of values of `wanted` that satisfy a body, each once.

    Raises Unbound, TooCostly and EvaluationError.
    """
    meter.order = " & ".join(map(str, planner.plan(body, frozenset()).order))
    with _logic():
        clauses = _Clauses(rules, sources, planner, meter)
        goal = clauses.goal(body, wanted)
        places = [[str(term) for term in goal.terms].index(name) for name in wanted]
        return [tuple([row[place] for place in places]) for row in _facts(_asked(goal, meter, {}))]


def planned(planner: Planner, body: Sequence[Literal]) -> list[str]:
    """The literals of a body in the order in which they are taken, blocks in one line each."""
    lines: list[str] = []
    inside = False
    for literal in planner.plan(body, frozenset()).order:
        derived = isinstance(literal, Match) and literal.relation not in planner.sources
        if derived or not inside:
            lines.append(str(literal))
        else:
            lines[-1] += f" & {literal}"
        inside = not derived
    return lines


@contextmanager
def _logic() -> Iterator[None]:
    """A logic of its own for this thread."""
    nothing = object()
    local, fresh, parser = Logic.tl, pyEngine.Fresh_var.tl, pyParser.Thread_storage
    before = [
        (place, name, getattr(place, name, nothing))
        for place, name in ((local, "logic"), (fresh, "counter"), (parser, "variables"))
    ]
    Logic()
    try:
        yield
    finally:
        for place, name, value in before:
            if value is nothing:
                delattr(place, name)
            else:
                setattr(place, name, value)


class _Tasks(list[Any]):
    """The tasks of the engine, which it puts into a stack or, for recursive predicates, a queue."""

    def appendleft(self, task: Any) -> None:
        """Put a task with the others."""
        self.append(task)


class _Ended:
    """Stands for the goal, so that the engine takes no task by itself."""

    is_done = True


def _asked(goal: Any, meter: Meter, table: dict[Any, Any]) -> Any:
    """The subgoal of a goal, with all its facts; `table` has what was found for goals before.

    pyDatalog's subgoals search, keep clauses and hand facts to whoever waits for them; which task
    comes next is decided here. Its own loop runs in compiled code, where neither an interrupt nor a
    clock gets through, and has tasks that wait for others to end: none has to.
    """
    subgoal = table.get(goal.get_tag())
    if subgoal is not None:
        return subgoal
    logic = Logic.tl.logic
    before = {name: getattr(logic, name) for name in _OF_A_RUN}
    tasks = _Tasks()
    logic.Tasks = logic.Recursive_Tasks = tasks
    logic.Subgoals, logic.Goal, logic.Recursive = table, _Ended, False
    subgoal = pyEngine.Subgoal(goal)
    subgoal.schedule((pyEngine.SEARCH, (subgoal,)))
    step = meter.step
    while tasks:
        step()
        task, arguments = tasks.pop()
        owner = arguments[0]
        owner.tasks.pop()
        if task is pyEngine.NEXT_CLAUSE:
            clauses, owner.clauses = owner.clauses, []
            for clause in clauses:
                owner.schedule(clause)
        elif task is not pyEngine.SEARCHING:
            task(*arguments)
    for name, value in before.items():
        setattr(logic, name, value)
    return subgoal


def _facts(subgoal: Any) -> Iterator[Row]:
    """The values of a subgoal's facts."""
    if subgoal.facts is True:
        yield ()
    else:
        for fact in subgoal.facts.values():
            yield tuple([term.id for term in fact.terms])


class _Clauses:
    """Enters rules into pyDatalog, as they are reached."""

    def __init__(
        self,
        rules: Mapping[str, Sequence[Derived]],
        sources: Mapping[str, Source],
        planner: Planner,
        meter: Meter,
    ) -> None:
        self.rules, self.sources, self.planner, self.meter = rules, sources, planner, meter
        self.entered: dict[tuple[str, Places], str] = {}
        self.tables: dict[str, dict[Any, Any]] = {}
        self.blocks = 0
        self.kept: list[Any] = []  # the registry of predicates does not keep them

    def goal(self, body: Sequence[Literal], wanted: Sequence[str]) -> Any:
        """What to ask for the values of some variables."""
        literals = self._body(body, frozenset(), wanted)
        if len(literals) == 1 and literals[0].pred.prim and len(literals[0].terms) == len(wanted):
            # a rule for it would cost more than its rows
            return literals[0]
        goal = pyEngine.Literal(_GOAL, [pyEngine.Var(name) for name in wanted])
        self._assert(goal, literals)
        return goal

    def enter(
        self, head: str, terms: Sequence[Term], body: Sequence[Literal], bound: frozenset[str]
    ) -> None:
        """Enter a clause whose variables `bound` are known when it is asked."""
        goal = pyEngine.Literal(head, [_term(term) for term in terms])
        wanted = [term.name for term in terms if isinstance(term, Variable)]
        self._assert(goal, self._body(body, bound, wanted))

    def name(self, relation: str, places: Places) -> str:
        """The predicate of a relation asked with arguments known at `places`."""
        rules = self.rules[relation]
        if any(rule.aggregated for rule in rules):
            # the value of an aggregate comes last, and is never known before
            places = tuple(place for place in places if place < len(rules[0].terms) - 1)
        key = relation, places
        if key not in self.entered:
            name = self.entered[key] = f"{relation}:{'-'.join(map(str, places))}"
            self._predicate(name, len(rules[0].terms))
            for number, rule in enumerate(rules):
                if rule.aggregated is not None:
                    self._aggregate(f"{name}:{number}", name, rule, rule.aggregated, places)
                else:
                    self.enter(name, rule.terms, rule.body, bound_names(rule, places))
        return self.entered[key]

    def _assert(self, head: Any, body: list[Any]) -> None:
        pyEngine.assert_(pyEngine.Clause(head, body))  # noqa: PT009  (nothing of unittest)
        self.kept.append(head.pred)

    def _aggregate(
        self, inner: str, name: str, rule: Derived, how: Aggregated, places: Places
    ) -> None:
        """Enter a rule whose head has an aggregate: what it is made of is asked for, and folded."""
        keys = [term.name for term in rule.terms[:-1] if isinstance(term, Variable)]
        wanted = [*keys, how.term.name, *(each.name for each in how.by)]
        names = list(dict.fromkeys(wanted))
        bound = bound_names(rule, places)
        self.enter(inner, [Variable(each) for each in names], rule.body, bound)
        spots = [names.index(each) for each in wanted]
        known = [n for n, key in enumerate(keys) if key in bound]
        pred = self._predicate(f"{inner}!", len(keys) + 1)

        def resolve(literal: Any, subgoal: Any) -> None:
            terms = [pyEngine.Var(each) for each in names]
            for n in known:
                terms[names.index(keys[n])] = literal.terms[n]
            goal = pyEngine.Literal(inner, terms)
            found = _facts(_asked(goal, self.meter, self.tables.setdefault(inner, {})))
            rows = ([row[spot] for spot in spots] for row in found)
            held = [(n, term.id) for n, term in enumerate(literal.terms) if term.is_const()]
            for row in folded(how, len(keys), rows):
                self.meter.row()
                if any(row[n] != value for n, value in held):
                    continue
                subgoal.fact(pyEngine.Literal(pred, [pyEngine.Const(value) for value in row]))

        pred.prim = resolve
        terms = [pyEngine.Var(each) for each in (*keys, "_value")]
        self._assert(pyEngine.Literal(name, terms), [pyEngine.Literal(pred, terms)])

    def _denied(self, literal: Match, places: Places, name: str) -> Any:
        """The literal of a resolver that holds if a relation has no row."""
        self.blocks += 1
        pred = self._predicate(f"not {name} {self.blocks}", len(places))

        def resolve(asked: Any, subgoal: Any) -> None:
            terms = [_term(term) for term in literal.terms]
            for place, term in zip(places, asked.terms, strict=True):
                terms[place] = term
            goal = pyEngine.Literal(name, terms)
            if not _asked(goal, self.meter, self.tables.setdefault(name, {})).facts:
                subgoal.fact(pyEngine.Literal(pred, asked.terms))

        pred.prim = resolve
        return pyEngine.Literal(pred, [_term(literal.terms[place]) for place in places])

    def _predicate(self, name: str, arity: int) -> Any:
        """A predicate, kept for as long as the question."""
        pred = pyEngine.insert(pyEngine.Pred(name, arity))
        pred.prearity = arity
        self.kept.append(pred)
        return pred

    # ------------------------------------------------------------ bodies

    def _body(
        self, body: Sequence[Literal], bound: frozenset[str], wanted: Sequence[str]
    ) -> list[Any]:
        """The literals that pyDatalog sees of a body."""
        order = self.planner.plan(body, bound).order
        needed = _needed_after(order, wanted)
        known = set(bound)
        found: list[Any] = []
        block: list[Literal] = []
        for place, literal in enumerate(order):
            if not isinstance(literal, Match) or literal.relation in self.sources:
                block.append(literal)
                continue
            if block:
                found.append(self._block(block, known, needed[place - 1]))
                block = []
            found.append(self._derived(literal, known))
            if not literal.negated:
                known.update(variables(literal))
        if block:
            found.append(self._block(block, known, needed[-1]))
        return found

    def _derived(self, literal: Match, known: set[str]) -> Any:
        places = known_places(literal, known)
        name = self.name(literal.relation, places)
        if literal.negated:
            return self._denied(literal, places, name)
        return pyEngine.Literal(name, [_term(term) for term in literal.terms])

    def _block(self, literals: Sequence[Literal], known: set[str], needed: set[str]) -> Any:
        """The literal of a resolver for some literals; what they bind is known from now on."""
        mine = dict.fromkeys(name for literal in literals for name in variables(literal))
        inputs = [name for name in mine if name in known]
        positive = [each for each in literals if not (isinstance(each, Match) and each.negated)]
        bound = {name for literal in positive for name in variables(literal)}
        outputs = [name for name in mine if name in bound - known and name in needed]
        known.update(bound)
        self.blocks += 1
        joined = Block(literals, inputs, outputs, self.sources, self.meter)
        names = [*inputs, *outputs]
        pred = self._predicate(f"block {self.blocks}", len(names))
        pred.prim = _resolver(joined)
        return pyEngine.Literal(pred, [pyEngine.Var(name) for name in names])


def _resolver(block: Block) -> Callable[[Any, Any], None]:
    """What pyDatalog calls for the facts of a block."""
    count = len(block.inputs)

    def resolve(literal: Any, subgoal: Any) -> None:
        given, free = literal.terms[:count], literal.terms[count:]
        held = [(n, term.id) for n, term in enumerate(free) if term.is_const()]
        fact, make, constant, pred = subgoal.fact, pyEngine.Literal, pyEngine.Const, literal.pred
        for row in block.rows(tuple([term.id for term in given])):
            if held and any(row[n] != value for n, value in held):
                continue
            fact(make(pred, [*given, *[constant(value) for value in row]]))

    return resolve


def _needed_after(order: Sequence[Literal], wanted: Sequence[str]) -> list[set[str]]:
    """The variables that are needed after each literal of a body."""
    needed = [set(wanted)]
    for literal in reversed(order[1:]):
        needed.append(needed[-1] | set(variables(literal)))
    return needed[::-1]


def _term(term: Term) -> Any:
    return pyEngine.Const(term.value) if isinstance(term, Constant) else pyEngine.Var(term.name)
