"""Turns a program over given facts into Python: plans, kernels and functions for relations.

Literals over static facts become code that runs once per entity and yields its plan, a list of
steps. What reads a lattice becomes a kernel, a pure function from the values that it reads (and its
static arguments) to a proposal, memoised in a table that every entity with equal arguments shares.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from shardlog.engine.alternatives import Alternative, Goal, Solved, goal_names, used_names
from shardlog.engine.answers import Answers
from shardlog.engine.declarations import Channel
from shardlog.engine.dynamic import DynamicWriter
from shardlog.engine.errors import Problem, RuleError
from shardlog.engine.fold import fold
from shardlog.engine.leaves import Leaf, StepLeaf
from shardlog.engine.limits import ARITHMETIC
from shardlog.engine.live import StateColumn
from shardlog.engine.program import Program
from shardlog.engine.relations import Facts
from shardlog.engine.settling import Settler
from shardlog.engine.sharing import Sharing
from shardlog.engine.standins import StandIns
from shardlog.engine.syntax import Constant, Match, Rule, Variable
from shardlog.engine.tables import UNIT, Info, JoinTables, Memo, ProposalTables, Step, where_is
from shardlog.engine.traced import Column, TracedMemo, traced_test, traced_where
from shardlog.engine.writer import (
    OPERATORS,
    SCAN,
    GoalWriter,
    Names,
    Relations,
    Writer,
    code_of,
)

REMEMBERED = 100_000
"""Entries of one memo that are kept from one set of facts to the next."""
Planner: TypeAlias = Callable[[int], list[tuple[Any, Step]]]


class Compiler:
    """Compiles one program for one set of facts and one state of its lattices."""

    def __init__(
        self,
        program: Program,
        facts: Facts,
        state: dict[str, list[Any]],
        frozen: Iterable[str] = (),
        cold: bool = False,
    ) -> None:
        """`state` holds each lattice's values, one more than entities; the last is always UNIT."""
        self.program, self.facts, self.state = program, facts, state
        self.declared = program.declared
        self.frozen = frozenset(frozen)
        self.settler = Settler(program, facts, frozen, cold)
        self.namespace: dict[str, Any] = {
            "Info": Info,
            "UNIT": UNIT,
            "fold": fold,
            **{name: ARITHMETIC[sign] for sign, name in OPERATORS.items()},
        }
        self.names = Names(self.namespace)
        self.stand_ins = StandIns(self.namespace)
        self.stand_ins.add("where_is", where_is, traced_where)
        self.relations = Relations(self.names, self.stand_ins)
        self.goals = GoalWriter(self.names, self.relations)
        self.answers = Answers(self)
        self.dynamic = DynamicWriter(self)
        self.lasting: list[dict[Any, Any]] = []
        for name, function in program.functions.items():
            memo = Memo(function, name)
            self.stand_ins.add(f"memo_{name}", memo, TracedMemo(memo))
            self.lasting.append(memo)
        for name, function in program.tests.items():
            self.stand_ins.add(f"test_{name}", function, traced_test(function))
        self.functions: dict[Any, Callable[..., Any]] = {}
        self.continuations: dict[Any, str] = {}
        self.joins: dict[str, str] = {}
        self.join_contexts: dict[str, JoinTables] = {}
        self.plans: dict[str, Planner] = {}
        self.sharing = Sharing(self)
        self.perishable: list[dict[Any, Any]] = []
        self.bind(facts, state)

    def bind(self, facts: Facts, state: dict[str, list[Any]]) -> None:
        """Turns what is compiled to other facts with the same constants."""
        self.facts, self.state = facts, state
        # one that a snapshot gave back has none
        self.settler.facts = facts
        self.namespace["entity_count"] = facts.entity_count
        for lattice, values in state.items():
            name = f"state_{lattice}"
            self.stand_ins.add(name, values, StateColumn(self.stand_ins.tracer, name, values))
        for memo in self.perishable:
            memo.clear()
        for memo in self.lasting:
            # what is remembered for the next facts must not grow with their number
            if len(memo) > REMEMBERED:
                memo.clear()
            elif self.dynamic.asks and isinstance(memo, ProposalTables):
                memo.forget()
        self.sharing.bind()
        dispatch = self.declared.dispatch
        column = facts.columns.get(dispatch) if dispatch is not None else None
        self.by_class = column is not None
        if column is not None:
            kind = "colour" if dispatch in self.sharing.coloured else "value"
            other = Column(self.stand_ins.tracer, "dispatched", column, kind)
            self.stand_ins.add("dispatched", column, other)
        for relation in list(self.relations.known):
            self.answers.bind(relation)
        for name, tables in self.join_contexts.items():
            phased = self._phased(name)
            if phased != tables.phased:
                tables.phased = phased
                tables.clear()
                self.sharing.shared.clear()

    # ------------------------------------------------------------ plans

    def plan(self, visit: str) -> Planner:
        """The function that gives an entity's steps in a visit, each with its sort key, sorted."""
        if visit not in self.plans:
            self.plans[visit] = self._plan(visit)
        return self.plans[visit]

    def _plan(self, visit: str) -> Planner:
        rules = self.program.channel_rules(visit)
        if not rules:
            return lambda _entity: []
        variable = self.declared.visits[visit].variable
        leaf = StepLeaf(self, rules, variable)
        alternatives = [
            self._contextual(channel, rule)._replace(path=(((), number),))
            for number, (channel, rule) in enumerate(rules)
        ]
        return self.dispatched([variable], alternatives, leaf, {})

    def _contextual(self, channel: Channel, rule: Rule) -> Alternative:
        """A rule's alternative whose head also gives the join's context of its entity."""
        alternative = self.settler.channel_alternative(channel, rule)
        goals, head = list(alternative.goals), list(alternative.head)
        for number, (relation, key) in enumerate(self.declared.joins[channel.join].context):
            if key == "I":
                value = Variable(f"_c{number}")
                goals.append(Match(relation, (rule.terms[0], value), True))
                head.append(value)
        return alternative._replace(goals=tuple(goals), head=tuple(head))

    def join_tables(self, join_name: str) -> str:
        """The name of a join's tables."""
        if join_name not in self.joins:
            join = self.declared.joins[join_name]
            layout = tuple("entity" if key == "I" else "phase" for _, key in join.context)
            function = self.program.library.joins[join.function]
            tables = JoinTables(function, layout, self._phased(join_name))
            self.join_contexts[join_name] = tables
            self.lasting.append(tables)
            self.joins[join_name] = self.names.hold("joins_", tables)
        return self.joins[join_name]

    def _phased(self, join_name: str) -> tuple[tuple[Any, ...], ...]:
        """For each value of the phase parameter, what a join's context says of it."""
        context = self.declared.joins[join_name].context
        values = self.declared.parameter_values() or (0,)
        asked = [relation for relation, key in context if key != "I"]
        return tuple(tuple(self.answers.ask(name, value) for name in asked) for value in values)

    # ------------------------------------------------------------ functions

    def dispatched(
        self,
        parameters: list[str],
        alternatives: list[Alternative],
        leaf: Leaf,
        known: dict[str, Any],
    ) -> Callable[..., Any]:
        """A function that picks, or first writes, the version for a parameter's dispatch value."""
        if self.by_class:
            space = self.namespace
            for place, name in enumerate(parameters):
                if name in known:
                    continue
                if any(self.settler.asks_dispatch(a, name) for a in alternatives):
                    versions = Versions(
                        lambda value, name=name: self.dispatched(  # type: ignore[misc]
                            parameters, alternatives, leaf, {**known, name: value}
                        )
                    )
                    if len(parameters) == 1:
                        return lambda entity: versions[space["dispatched"][entity]](entity)
                    return lambda *given: versions[space["dispatched"][given[place]]](*given)
        return self.function(parameters, alternatives, leaf, known)

    def function(
        self,
        parameters: Sequence[str],
        alternatives: Sequence[Alternative],
        leaf: Leaf,
        known: dict[str, Any],
    ) -> Callable[..., Any]:
        """Writes and loads one function, unless it has one that does the same."""
        bound = frozenset(parameters)
        settled = self.settler.settle(alternatives, bound, known)
        kept = {
            name: value
            for name, value in known.items()
            if any(self.settler.asks_dispatch(a, name) for a in settled)
        }
        key = (tuple(settled), tuple(parameters), tuple(kept.items()), leaf.key)
        if key not in self.functions:
            w = Writer()
            name = self.names.fresh("fn")
            w.put(0, f"def {name}({', '.join(parameters)}):")
            leaf.begin(w)
            self.group(w, settled, bound, kept, 1, leaf, frozenset())
            leaf.end(w)
            self.load(w.text())
            self.functions[key] = self.namespace[name]
        return self.functions[key]

    def load(self, source: str) -> None:
        """Runs the definition of a function that this compiler wrote."""
        self.program.written += 1
        exec(code_of(source), self.namespace)

    def group(
        self,
        w: Writer,
        alternatives: Sequence[Alternative],
        bound: frozenset[str],
        known: dict[str, Any],
        indent: int,
        leaf: Leaf,
        new: frozenset[str] | None = None,
    ) -> None:
        """Writes the goals that alternatives share once, cheapest first, and then their leaves.

        `new` are the names bound since the alternatives were settled, if they were.
        """
        settled = self.settler.settle(alternatives, bound, known, new)
        waiting = [a for a in settled if a.goals]
        for alternative in settled:
            if not alternative.goals:
                leaf.emit(w, alternative, bound, indent)
        while waiting:
            cost, goal = self._cheapest(waiting[0], bound)
            if goal is None or cost >= SCAN:
                forced = self.settler.force(waiting[0], bound, known)
                if forced is not None:
                    settled = self.settler.settle(forced, bound, known)
                    waiting[:1] = [a for a in settled if a.goals]
                    for alternative in settled:
                        if not alternative.goals:
                            leaf.emit(w, alternative, bound, indent)
                    continue
            if goal is None:
                raise self.stuck(waiting[0], leaf.rule(waiting[0]))
            group = [a for a in waiting if goal in a.goals]
            waiting = [a for a in waiting if goal not in a.goals]
            rest = [a._replace(goals=tuple(g for g in a.goals if g != goal)) for a in group]
            self.answers.know_of(goal)
            if isinstance(goal, Solved):
                inner, names = self._solved(w, goal, bound, indent)
            else:
                inner, names = self.goals.write(w, goal, bound, indent)
            if leaf.dispatches:
                name = self._dispatch_name(rest, names - bound, known)
                if name is not None:
                    leaf.call(w, inner, self._continuation(rest, names, known, name, leaf))
                    continue
            written = len(w.lines)
            self.group(w, rest, names, known, inner, leaf, names - bound)
            if len(w.lines) == written:
                w.put(inner, "pass")

    def _cheapest(self, alternative: Alternative, bound: frozenset[str]) -> tuple[int, Goal | None]:
        """The goal to write next and its cost; no goal if none is ready."""
        best: tuple[int, int, Goal] | None = None
        for place, goal in enumerate(alternative.goals):
            self.answers.know_of(goal)
            waits = isinstance(goal, Match | Solved) and self._unready(goal, alternative, bound)
            cost = None if waits else self.goals.cost(goal, bound)
            if cost is not None and (best is None or (cost, place) < best[:2]):
                best = (cost, place, goal)
        return (0, None) if best is None else (best[0], best[2])

    def _unready(
        self, goal: Match | Solved, alternative: Alternative, bound: frozenset[str]
    ) -> bool:
        """A negated goal waits until every variable that others bind is bound."""
        if not goal.negated:
            return isinstance(goal, Match) and goal.relation not in self.relations.known
        others = {n for g in alternative.goals if g is not goal for n in goal_names(g)}
        others |= {
            t.name for t in (*alternative.head, *alternative.order) if isinstance(t, Variable)
        }
        return any(n in others and n not in bound for n in goal_names(goal))

    def _solved(
        self, w: Writer, goal: Solved, bound: frozenset[str], indent: int
    ) -> tuple[int, frozenset[str]]:
        has = tuple(isinstance(t, Constant) or t.name in bound for t in goal.terms)
        if goal.negated:
            # what is not bound is local: ask whether any row matches
            keys = [self.names.term(t) for t, ok in zip(goal.terms, has, strict=True) if ok]
            call = f"{self.answers.helper(goal.relation, has)}[{self.names.key(keys)}]"
            w.put(indent, f"if not ({call}):" if self._plural(goal, has) else f"if {call} is None:")
            return indent + 1, bound
        keys = [self.names.term(t) for t, ok in zip(goal.terms, has, strict=True) if ok]
        free = [t for t, ok in zip(goal.terms, has, strict=True) if not ok]
        call = f"{self.answers.helper(goal.relation, has)}[{self.names.key(keys)}]"
        names = bound | {t.name for t in free if isinstance(t, Variable)}
        if not free:
            w.put(indent, f"if {call} is not None:")
        elif not self._plural(goal, has):
            assert isinstance(free[0], Variable)
            w.put(indent, f"{free[0].name} = {call}")
            w.put(indent, f"if {free[0].name} is not None:")
        else:
            targets = ", ".join(self.names.term(t) for t in free)
            w.put(indent, f"for {targets}{',' if len(free) == 1 else ''} in {call}:")
        return indent + 1, names

    def _plural(self, goal: Solved, has: tuple[bool, ...]) -> bool:
        """Whether the helper for a pattern answers with rows rather than one value."""
        rules = self.program.by_relation[goal.relation]
        functional = bool(rules) and rules[0].functional
        return not all(has) and not (functional and all(has[:-1]))

    # ------------------------------------------------------------ continuations

    def _dispatch_name(
        self, alternatives: Sequence[Alternative], new: Iterable[str], known: dict[str, Any]
    ) -> str | None:
        if not self.by_class:
            return None
        for name in sorted(new):
            if name not in known and any(self.settler.asks_dispatch(a, name) for a in alternatives):
                return name
        return None

    def _continuation(
        self,
        alternatives: Sequence[Alternative],
        bound: frozenset[str],
        known: dict[str, Any],
        name: str,
        leaf: Leaf,
    ) -> str:
        """An expression that calls the version of the rest for a variable's dispatch value."""
        used: set[str] = set()
        for alternative in alternatives:
            used |= used_names(alternative)
        parameters = [n for n in sorted(bound) if n in used or n == name]
        kept = {
            n: v
            for n, v in known.items()
            if any(self.settler.asks_dispatch(a, n) for a in alternatives)
        }
        key = (tuple(alternatives), tuple(parameters), tuple(kept.items()), name, leaf.key)
        if key not in self.continuations:
            arguments = [*parameters, *leaf.extra]
            versions = Versions(
                lambda value: self._version(
                    arguments, alternatives, bound & set(parameters), {**kept, name: value}, leaf
                )
            )
            self.continuations[key] = self.names.hold("go", versions)
        self.answers.know(str(self.declared.dispatch))
        column = self.relations.name(str(self.declared.dispatch))
        arguments = [*parameters, *leaf.extra]
        return f"{self.continuations[key]}[{column}[{name}]]({', '.join(arguments)})"

    def _version(
        self,
        arguments: Sequence[str],
        alternatives: Sequence[Alternative],
        bound: frozenset[str],
        known: dict[str, Any],
        leaf: Leaf,
    ) -> Callable[..., Any]:
        w = Writer()
        name = self.names.fresh("fn")
        w.put(0, f"def {name}({', '.join(arguments)}):")
        w.put(1, "pass")
        self.group(w, alternatives, bound, known, 1, leaf)
        self.load(w.text())
        function: Callable[..., Any] = self.namespace[name]
        return function

    # ------------------------------------------------------------ errors

    def stuck(self, alternative: Alternative, rule: Rule | None) -> RuleError:
        """What to say of goals of a rule that no order makes ready."""
        goals = re.sub(r"__\d+", "", " & ".join(str(goal) for goal in alternative.goals))
        message = f"no order of evaluation binds the variables of {goals}"
        return self.wrong(rule or self.program.rules[0], message)

    @staticmethod
    def wrong(rule: Rule, message: str) -> RuleError:
        """A RuleError at a rule."""
        return RuleError([Problem(rule.span, message, rule.name)])


def compiled(
    program: Program,
    facts: Facts,
    state: dict[str, list[Any]],
    frozen: Iterable[str] = (),
    cold: bool = False,
) -> Compiler:
    """A compiler for facts: one that the program already has for the same constants, or a new one.

    One compiler serves one run at a time; runs in several threads want a program each.
    """
    constants = tuple((name, tuple(rows.items())) for name, rows in sorted(facts.constants.items()))
    shape = tuple(sorted((name, facts.signature(name)) for name in facts.names()))
    key = (constants, frozenset(frozen), cold, shape)
    if key in program.asleep:
        program.compiled[key] = program.asleep.pop(key)()
    compiler: Compiler | None = program.compiled.get(key)
    if compiler is None:
        compiler = program.compiled[key] = Compiler(program, facts, state, frozen, cold)
    elif compiler.frozen or compiler.facts is not facts or compiler.state is not state:
        compiler.bind(facts, state)
    return compiler


class Versions(dict[Any, Callable[..., Any]]):
    """Functions by dispatch value, each written when first wanted."""

    __slots__ = ("write",)

    def __init__(self, write: Callable[[Any], Callable[..., Any]]) -> None:
        super().__init__()
        self.write = write

    def __missing__(self, value: Any) -> Callable[..., Any]:
        function = self[value] = self.write(value)
        return function
