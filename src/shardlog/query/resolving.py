"""Answers by pyDatalog: rules of one's own become its clauses, blocks over columns its resolvers.

Clauses are made of pyDatalog's own objects, never of text: its `load` and `ask` would run that.
Every rule is taken up once for each choice of arguments that are known when it is asked, since its
literals then go in another order. A resolver is the primitive of a predicate, which belongs to the
logic of this thread; the public registry of resolvers belongs to the process. What was there before
is put back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from pyDatalog import Aggregate, Logic, pyEngine, pyParser

from shardlog.engine.syntax import Constant, Literal, Match, Term, Variable, variables
from shardlog.query.bounds import Meter
from shardlog.query.joins import Block
from shardlog.query.planning import Planner, bound_names, known_places
from shardlog.query.reading import Aggregated, Derived
from shardlog.query.relations import Places, Source

__all__ = ["answers", "planned"]

Row = tuple[Any, ...]

_GOAL = "the question"
_DONE: tuple[Any, tuple[Any, ...]] = (None, ())


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
        return [tuple([row[place] for place in places]) for row in _asked(goal, meter)]


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


def _asked(goal: Any, meter: Meter) -> list[Row]:
    """The facts of a goal, as pyDatalog's own `Literal.ask` finds them.

    Its loop is written out here, since that one runs in compiled code to the end: neither an
    interrupt nor a clock would get through.
    """
    logic = Logic.tl.logic
    subgoal = pyEngine.Subgoal(goal)
    logic.Tasks, logic.Recursive_Tasks = pyEngine.TaskList(), pyEngine.TaskDeque()
    logic.Subgoals, logic.Goal = {}, subgoal
    logic.gc_uncollected, logic.Recursive = True, False
    task: Any = pyEngine.SEARCH
    arguments: tuple[Any, ...] = (subgoal,)
    step = meter.step
    while task is not None:
        step()
        task, arguments = task(*arguments) or _DONE
    if subgoal.facts is True:
        return [()]
    return [tuple([term.id for term in fact.terms]) for fact in subgoal.facts.values()]


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
            pred = pyEngine.insert(pyEngine.Pred(name, len(rules[0].terms)))
            pred.prearity = len(rules[0].terms)
            self.kept.append(pred)
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
        """Enter a rule whose head has an aggregate, through pyDatalog's own."""
        keys = [str(term) for term in rule.terms[:-1]]
        made = _aggregate_of(how)
        function = pyParser.Function(inner, tuple(map(pyParser.Term, keys)))
        (base,) = made.make_literal_for(function, "==").literals
        wanted = [*keys, how.term.name, *(each.name for each in how.by)]
        self._assert(base.lua, self._body(rule.body, bound_names(rule, places), wanted))
        whole = [pyEngine.Var(key) for key in keys]
        value = pyEngine.Var("_value")
        answer = pyEngine.Literal(
            f"{inner}[{len(keys)}]==", [pyEngine.Const("_pyD_class"), *whole, value], len(keys) + 1
        )
        self._assert(pyEngine.Literal(name, [*whole, value]), [answer])

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
        terms = [_term(term) for term in literal.terms]
        return pyEngine.Literal(f"~{name}" if literal.negated else name, terms)

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
        pred = pyEngine.insert(pyEngine.Pred(f"block {self.blocks}", len(names)))
        pred.prearity = len(names)
        pred.prim = _resolver(joined)
        self.kept.append(pred)
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


def _aggregate_of(how: Aggregated) -> Any:
    """pyDatalog's aggregate."""
    term = pyParser.Term(how.term.name)
    by = [pyParser.Term(each.name) for each in how.by]
    if how.descending:
        by = [-each for each in by]
    match how.function:
        case "len_":
            return Aggregate.Len(term)
        case "sum_":
            return Aggregate.Sum(term, for_each=by)
        case "mean_":
            return Aggregate.Mean(term, for_each=by)
        case "min_":
            return Aggregate.Min(term, order_by=by)
        case "max_":
            return Aggregate.Max(term, order_by=by)
        case "tuple_":
            return Aggregate.Tuple(term, order_by=by)
    return Aggregate.Concat(term, order_by=by, sep=how.separator)
