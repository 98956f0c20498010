"""Turns a program over given facts into Python: plans, kernels and functions for relations.

Literals over static facts become code that runs once per entity and yields its plan, a list of
steps. What reads a lattice becomes a kernel, a pure function from the values that it reads (and its
static arguments) to a proposal, memoised in a table that every entity with equal arguments shares.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any

from shardlog.engine.declarations import Channel
from shardlog.engine.dynamic import DynamicWriter
from shardlog.engine.errors import Problem, RuleError
from shardlog.engine.fold import fold
from shardlog.engine.program import Program
from shardlog.engine.relations import Facts, LazyTable, Table
from shardlog.engine.seminaive import evaluate
from shardlog.engine.specialise import (
    Alternative,
    Block,
    Goal,
    Read,
    Solved,
    Specialiser,
    goal_names,
)
from shardlog.engine.syntax import Constant, Match, Rule, Term, Variable
from shardlog.engine.tables import Info, JoinTables, Memo, ProposalTables, Step
from shardlog.engine.writer import GoalWriter, Names, Relations, Writer

UNIT = object()


@lru_cache(maxsize=4096)
def _code(source: str) -> CodeType:
    return compile(source, "<rules>", "exec")


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
        self.specialiser = Specialiser(program, facts, frozen, cold)
        self.namespace: dict[str, Any] = {"Info": Info, "UNIT": UNIT, "fold": fold}
        self.names = Names(self.namespace)
        self.relations = Relations(self.names)
        self.goals = GoalWriter(self.names, self.relations)
        self.dynamic = DynamicWriter(self)
        for name, function in program.functions.items():
            self.namespace[f"memo_{name}"] = Memo(function)
        for name, function in program.tests.items():
            self.namespace[f"test_{name}"] = function
        self.helpers: dict[tuple[str, tuple[bool, ...]], str] = {}
        self.live: dict[tuple[str, int], str] = {}
        self.continuations: dict[Any, str] = {}
        self.joins: dict[str, str] = {}
        self.plans: dict[str, Callable[[int], list[Step]]] = {}
        self.perishable: list[dict[Any, Any]] = []
        self.bind(facts, state)

    def bind(self, facts: Facts, state: dict[str, list[Any]]) -> None:
        """Turns what is compiled to other facts with the same constants."""
        self.facts, self.state = facts, state
        self.namespace["entity_count"] = facts.entity_count
        for lattice, values in state.items():
            self.namespace[f"state_{lattice}"] = values
        for memo in self.perishable:
            memo.clear()
        dispatch = self.declared.dispatch
        self.classes = facts.columns.get(dispatch) if dispatch is not None else None
        for relation in list(self.relations.known):
            self._bind_relation(relation)

    # ------------------------------------------------------------ plans

    def plan(self, visit: str) -> Callable[[int], list[Step]]:
        """The function that gives an entity's steps in a visit, in the order of the rules."""
        if visit not in self.plans:
            self.plans[visit] = self._plan(visit)
        return self.plans[visit]

    def _plan(self, visit: str) -> Callable[[int], list[Step]]:
        rules = self.program.channel_rules(visit)
        if not rules:
            return lambda _entity: []
        variable = self.declared.visits[visit].variable
        leaf = StepLeaf(self, rules, variable)
        alternatives = [
            self._contextual(channel, rule)._replace(path=(number,))
            for number, (channel, rule) in enumerate(rules)
        ]
        return self._dispatched([variable], alternatives, leaf, {})

    def _contextual(self, channel: Channel, rule: Rule) -> Alternative:
        """A rule's alternative whose head also gives the join's context of its entity."""
        alternative = self.specialiser.channel_alternative(channel, rule)
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
            values = self.declared.parameter_values() or (0,)
            phased = tuple(
                tuple(self.ask(name, value) for name, key in join.context if key != "I")
                for value in values
            )
            tables = JoinTables(self.program.library.joins[join.function], layout, phased)
            self.joins[join_name] = self.names.hold("joins_", tables)
        return self.joins[join_name]

    # ------------------------------------------------------------ asking relations

    def ask(self, relation: str, *keys: Any) -> Any:
        """The value of a static functional relation, or None."""
        if relation in self.facts.constants:
            return self.facts.constants[relation].get(keys[0])
        if relation not in self.program.by_relation:
            self._base(relation)
            kind, name = self.relations.known[relation]
            if kind == "column":
                return self.namespace[name][keys[0]]
            rows = self.namespace[name].lookup(tuple(range(len(keys))), keys)
            return rows[0][-1] if rows else None
        name = self.helper(relation, (*(True for _ in keys), False))
        return self.namespace[name][keys]

    def rows(self, relation: str) -> list[tuple[Any, ...]]:
        """All rows of a static relation that takes no inputs."""
        if relation in self.program.by_relation:
            arity = len(self.program.by_relation[relation][0].terms)
            if relation in self.program.recursive:
                return list(self._materialised(relation).rows)
            found = self.namespace[self.helper(relation, (False,) * arity)][()]
            return list(found) if found is not None else []
        return [tuple(row) for row in self._base_rows(relation)]

    def _find(
        self, relation: str, known: tuple[tuple[int, Any], ...]
    ) -> Sequence[tuple[Any, ...]] | None:
        """The rows of a column or indexed column that agree with known terms, by index."""
        facts, terms = self.facts, dict(known)
        if relation in facts.columns:
            if 0 in terms:
                value = facts.columns[relation][terms[0]]
                return [] if value is None else [(terms[0], value)]
            if 1 in terms:
                self._base(relation)
                index = self.namespace[self.relations.inverted(relation)]
                return [(entity, terms[1]) for entity in index.get(terms[1], ())]
        elif relation in facts.rows and 0 in terms:
            row = facts.rows[relation][terms[0]]
            return [(terms[0], place, value) for place, value in enumerate(row)]
        elif relation in facts.rows and 2 in terms:
            self._base(relation)
            index = self.namespace[self.relations.inverted(relation)]
            return [(entity, place, terms[2]) for entity, place in index.get(terms[2], ())]
        return None

    def _base_rows(self, relation: str) -> Iterable[tuple[Any, ...]]:
        facts = self.facts
        if relation in facts.columns:
            column = facts.columns[relation]
            for entity in range(facts.entity_count):
                if column[entity] is not None:
                    yield entity, column[entity]
        elif relation in facts.rows:
            for entity, row in enumerate(facts.rows[relation]):
                for position, value in enumerate(row):
                    yield entity, position, value
        elif relation in facts.constants:
            yield from facts.constants[relation].items()
        elif relation in self.state:
            values = self.state[relation]
            for entity in range(facts.entity_count):
                if values[entity] is not None:
                    yield entity, values[entity]
        else:
            tables = facts.tables if relation in facts.tables else self.program.tables
            if relation in tables:
                yield from tables[relation].rows

    def helper(self, relation: str, pattern: tuple[bool, ...]) -> str:
        """The name of a memo that answers a static derived relation for bound positions.

        Its value is True or None with nothing free, the value or None for a functional relation
        with only its value free, and a tuple of rows of the free terms otherwise.
        """
        key = (relation, pattern)
        if key in self.helpers:
            return self.helpers[key]
        name = self.names.fresh(f"s_{relation}_")
        self.helpers[key] = name
        parameters = [f"P{n}" for n, ok in enumerate(pattern) if ok]
        terms = [Variable(f"P{n}" if ok else f"Q{n}") for n, ok in enumerate(pattern)]
        rules = self.program.by_relation[relation]
        free = [t for t, ok in zip(terms, pattern, strict=True) if not ok]
        functional = bool(rules) and rules[0].functional
        single = functional and len(free) == 1 and not pattern[-1]
        if rules and rules[0].aggregate is not None:
            function = self._aggregate_helper(relation, rules, terms, pattern, parameters)
        else:
            kind = "test" if not free else ("first" if single else "rows")
            leaf = SolveLeaf(self, kind)
            alternatives = [
                a._replace(head=tuple(a.head[p] for p, ok in enumerate(pattern) if not ok))
                for a in self.specialiser.relation_alternatives(relation, terms)
            ]
            function = self._dispatched(parameters, alternatives, leaf, {})
        memo = self.namespace[name] = Memo(function)
        self.perishable.append(memo)
        return name

    def _aggregate_helper(
        self,
        relation: str,
        rules: Sequence[Rule],
        terms: Sequence[Variable],
        pattern: tuple[bool, ...],
        parameters: list[str],
    ) -> Callable[..., Any]:
        aggregate = rules[0].aggregate
        assert aggregate is not None
        keys_bound = all(pattern[:-1])
        alternatives = []
        for number, rule in enumerate(rules):
            assert rule.aggregate is not None
            made = self.specialiser._unfolded_aggregate(rule, rule.aggregate, terms[:-1], 0)
            if made is not None:
                goals, head, fresh = made
                keys = () if keys_bound else tuple(terms[:-1])
                full = self.specialiser.full_mask
                alternatives.append(
                    Alternative(goals, keys + head, mask=full, path=(number,), fresh=fresh)
                )
        leaf = SolveLeaf(self, "rows")
        keys_given = [t.name for t in terms[:-1]] if keys_bound else []
        solve = self._dispatched(keys_given, alternatives, leaf, {})
        if keys_bound and not pattern[-1]:
            return lambda *arguments: fold(aggregate, solve(*arguments))
        if keys_bound:
            return lambda *arguments: (
                True if fold(aggregate, solve(*arguments[:-1])) == arguments[-1] else None
            )
        if any(pattern):
            raise self.wrong(rules[0], "an aggregate is asked with all of its keys or none")
        width = len(terms) - 1

        def grouped() -> tuple[tuple[Any, ...], ...]:
            groups: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
            for row in solve():
                groups.setdefault(row[:width], []).append(row[width:])
            return tuple((*key, fold(aggregate, tuple(found))) for key, found in groups.items())

        return grouped

    def live_function(self, relation: str, inputs: int, arity: int) -> str:
        """The name of a function that solves a recursive relation at the instant."""
        key = (relation, inputs)
        if key not in self.live:
            name = self.live[key] = self.names.fresh(f"live_{relation}_")
            terms = [Variable(f"P{n}" if n < inputs else f"Q{n}") for n in range(arity)]
            alternatives = [
                a._replace(head=tuple(a.head[inputs:]))
                for a in self.specialiser.relation_alternatives(relation, terms)
            ]
            leaf = SolveLeaf(self, "rows", live=True)
            parameters = [t.name for t in terms[:inputs]]
            self.namespace[name] = self._dispatched(parameters, alternatives, leaf, {})
        return self.live[key]

    # ------------------------------------------------------------ functions

    def _dispatched(
        self,
        parameters: list[str],
        alternatives: list[Alternative],
        leaf: Leaf,
        known: dict[str, Any],
    ) -> Callable[..., Any]:
        """A function that picks, or first writes, the version for a parameter's dispatch value."""
        if self.classes is not None:
            for place, name in enumerate(parameters):
                if name in known:
                    continue
                if any(self.specialiser.asks_dispatch(a, name) for a in alternatives):
                    versions = Versions(
                        lambda value, name=name: self._dispatched(  # type: ignore[misc]
                            parameters, alternatives, leaf, {**known, name: value}
                        )
                    )
                    if len(parameters) == 1:
                        return lambda entity: versions[self.classes[entity]](entity)
                    return lambda *given: versions[self.classes[given[place]]](*given)
        return self.function(parameters, alternatives, leaf, known)

    def function(
        self,
        parameters: Sequence[str],
        alternatives: Sequence[Alternative],
        leaf: Leaf,
        known: dict[str, Any],
    ) -> Callable[..., Any]:
        """Writes and loads one function."""
        w = Writer()
        name = self.names.fresh("fn")
        w.put(0, f"def {name}({', '.join(parameters)}):")
        leaf.begin(w)
        self.group(w, alternatives, frozenset(parameters), known, 1, leaf)
        leaf.end(w)
        self.load(w.text())
        function: Callable[..., Any] = self.namespace[name]
        return function

    def load(self, source: str) -> None:
        """Runs the definition of a function that this compiler wrote."""
        exec(_code(source), self.namespace)

    def group(
        self,
        w: Writer,
        alternatives: Sequence[Alternative],
        bound: frozenset[str],
        known: dict[str, Any],
        indent: int,
        leaf: Leaf,
    ) -> None:
        """Writes the goals that alternatives share once, cheapest first, and then their leaves."""
        settled = self.specialiser.settle(alternatives, bound, known)
        waiting = [a for a in settled if a.goals]
        for alternative in settled:
            if not alternative.goals:
                leaf.emit(w, alternative, bound, indent)
        while waiting:
            goal = self._cheapest(waiting[0], bound)
            group = [a for a in waiting if goal in a.goals]
            waiting = [a for a in waiting if goal not in a.goals]
            rest = [a._replace(goals=tuple(g for g in a.goals if g != goal)) for a in group]
            self._base_of(goal)
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
            self.group(w, rest, names, known, inner, leaf)
            if len(w.lines) == written:
                w.put(inner, "pass")

    def _cheapest(self, alternative: Alternative, bound: frozenset[str]) -> Goal:
        best: tuple[int, int, Goal] | None = None
        for place, goal in enumerate(alternative.goals):
            self._base_of(goal)
            waits = isinstance(goal, Match | Solved) and self._unready(goal, alternative, bound)
            cost = None if waits else self.goals.cost(goal, bound)
            if cost is not None and (best is None or (cost, place) < best[:2]):
                best = (cost, place, goal)
        if best is None:
            raise self.stuck(alternative)
        return best[2]

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

    def _base_of(self, goal: Goal) -> None:
        if isinstance(goal, Match):
            self._base(goal.relation)

    def _base(self, relation: str) -> None:
        """Makes a base, stored or frozen relation known to generated code."""
        if relation not in self.relations.known and relation not in self.specialiser.volatile:
            self._bind_relation(relation)

    def _bind_relation(self, relation: str) -> None:
        """Gives a relation's name in generated code the rows that it has now."""
        facts, add = self.facts, self.relations.add
        lattice = self.declared.views.get(relation, relation)
        if lattice in self.frozen:
            add(relation, "column", self.state[lattice])
        elif relation in facts.columns:
            add(relation, "column", facts.columns[relation])
        elif relation in facts.rows:
            add(relation, "rows", facts.rows[relation])
        elif relation in facts.tables:
            add(relation, "table", facts.tables[relation])
        elif relation in facts.constants:
            rows = Table(2, True)
            for row in facts.constants[relation].items():
                rows.add(row)
            add(relation, "table", rows)
        elif relation in self.program.recursive or relation in self.declared.stored:
            add(relation, "table", LazyTable(lambda: self._materialised(relation)))
        elif relation in self.program.tables:
            add(relation, "table", self.program.tables[relation])
        elif relation not in self.program.by_relation:
            add(relation, "table", Table(*self.program.base.get(relation, (0, False))))

    def _materialised(self, relation: str) -> Table:
        if relation not in self.program.recursive:
            rules = self.program.by_relation[relation]
            table = Table(len(rules[0].terms) if rules else 0, bool(rules) and rules[0].functional)
            if rules:
                found = self.namespace[self.helper(relation, (False,) * table.arity)][()]
                for row in found or ():
                    table.add(row)
            return table
        component = next(c for c in self.program.components if relation in c)
        return evaluate(self.program, component, self.rows, self._find)[relation]

    def _solved(
        self, w: Writer, goal: Solved, bound: frozenset[str], indent: int
    ) -> tuple[int, frozenset[str]]:
        has = tuple(isinstance(t, Constant) or t.name in bound for t in goal.terms)
        if goal.negated:
            # what is not bound is local: ask whether any row matches
            keys = [self.names.term(t) for t, ok in zip(goal.terms, has, strict=True) if ok]
            call = f"{self.helper(goal.relation, has)}[{self.names.tuple(keys)}]"
            w.put(indent, f"if not ({call}):" if self._plural(goal, has) else f"if {call} is None:")
            return indent + 1, bound
        keys = [self.names.term(t) for t, ok in zip(goal.terms, has, strict=True) if ok]
        free = [t for t, ok in zip(goal.terms, has, strict=True) if not ok]
        call = f"{self.helper(goal.relation, has)}[{self.names.tuple(keys)}]"
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
        if self.classes is None:
            return None
        for name in sorted(new):
            if name not in known and any(
                self.specialiser.asks_dispatch(a, name) for a in alternatives
            ):
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
            used |= _used(alternative)
        parameters = [n for n in sorted(bound) if n in used or n == name]
        kept = {
            n: v
            for n, v in known.items()
            if any(self.specialiser.asks_dispatch(a, n) for a in alternatives)
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
        self._base(str(self.declared.dispatch))
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

    def stuck(self, alternative: Alternative) -> RuleError:
        """What to say of goals that no order makes ready."""
        goals = " & ".join(str(goal) for goal in alternative.goals)
        rule = self.program.rules[0]
        return self.wrong(rule, f"no order of evaluation binds the variables of {goals}")

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
    compiler: Compiler | None = program.compiled.get(key)
    if compiler is None:
        compiler = program.compiled[key] = Compiler(program, facts, state, frozen, cold)
    else:
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


def _used(alternative: Alternative) -> set[str]:
    """The names that an alternative's rest refers to."""
    found = {n for goal in alternative.goals for n in goal_names(goal)}
    terms: list[Term] = [*alternative.head, *alternative.order]
    found |= {t.name for t in terms if isinstance(t, Variable)}
    for item in alternative.dynamic:
        if isinstance(item, Block):
            for inner in item.alternatives:
                found |= _used(inner)
            if isinstance(item.value, Variable):
                found.add(item.value.name)
        elif isinstance(item, Read):
            found |= {t.name for t in (item.entity, item.value) if isinstance(t, Variable)}
        else:
            found |= {t.name for t in _terms(item) if isinstance(t, Variable)}
    return found


def _terms(item: Any) -> Sequence[Term]:
    from shardlog.engine.specialise import Live, goal_terms

    return item.terms if isinstance(item, Live) else goal_terms(item)


class Leaf:
    """What is written where an alternative has no goals left."""

    dispatches = False
    extra: tuple[str, ...] = ()
    key: Any = None

    def begin(self, w: Writer) -> None:
        """Writes the first lines of the function."""

    def end(self, w: Writer) -> None:
        """Writes the last lines of the function."""

    def call(self, w: Writer, indent: int, expression: str) -> None:
        """Writes the call of a continuation."""
        w.put(indent, expression)

    def emit(self, w: Writer, alternative: Alternative, bound: frozenset[str], indent: int) -> None:
        """Writes the leaf of one alternative."""
        raise NotImplementedError


class SolveLeaf(Leaf):
    """Solutions of a relation: rows, the first value, or whether there is one."""

    def __init__(self, compiler: Compiler, kind: str, live: bool = False) -> None:
        self.compiler, self.kind, self.live = compiler, kind, live
        self.dispatches = kind == "rows"
        self.extra = ("out",)
        self.key = (kind, live)

    def begin(self, w: Writer) -> None:
        w.put(1, "out = {}" if self.kind == "rows" else "pass")

    def end(self, w: Writer) -> None:
        w.put(1, "return tuple(out)" if self.kind == "rows" else "return None")

    def emit(self, w: Writer, alternative: Alternative, bound: frozenset[str], indent: int) -> None:
        names = self.compiler.names

        def solution(inner: int) -> None:
            terms = [names.term(t) for t in alternative.head]
            if self.kind == "rows":
                w.put(inner, f"out[{names.tuple(terms)}] = None")
            elif self.kind == "first":
                w.put(inner, f"return {terms[0]}")
            else:
                w.put(inner, "return True")

        if alternative.dynamic:
            reader = self.compiler.dynamic.live_reader()
            self.compiler.dynamic.write(w, alternative.dynamic, bound, indent, reader, solution)
        else:
            solution(indent)


class StepLeaf(Leaf):
    """A step of a plan: kernel, sources, join, and what to say of it."""

    dispatches = True
    extra = ("out",)

    def __init__(
        self, compiler: Compiler, rules: Sequence[tuple[Channel, Rule]], variable: str
    ) -> None:
        self.compiler, self.rules, self.variable = compiler, rules, variable
        self.key = ("step", variable, rules[0][0].visit)

    def begin(self, w: Writer) -> None:
        w.put(1, "out = []")

    def end(self, w: Writer) -> None:
        w.put(1, "if len(out) > 1:")
        w.put(2, "out.sort(key=first)")
        w.put(1, "return [step for _, step in out]")
        self.compiler.namespace["first"] = _first

    def emit(self, w: Writer, alternative: Alternative, bound: frozenset[str], indent: int) -> None:
        number = alternative.path[0]
        channel, rule = self.rules[number]
        compiler, names = self.compiler, self.compiler.names
        kernel = compiler.dynamic.kernel(w, alternative, bound, indent, channel, rule)
        tables = compiler.join_tables(channel.join)
        extra = len(rule.terms)
        context = names.tuple([names.term(t) for t in alternative.head[extra:]])
        order = names.tuple([names.term(t) for t in alternative.order])
        target = names.term(alternative.head[0])
        partner = names.term(alternative.head[2]) if channel.grain == "pair" else "None"
        held = names.hold("rule", rule), names.hold("channel", channel)
        info = (
            f"Info({held[0]}, {held[1]}, {target}, {partner}, {kernel.contributors}, "
            f"{kernel.sources}, {kernel.filtered}, {kernel.several}, {kernel.live})"
        )
        plain = channel.grain != "pair" and kernel.live == "None" and target == self.variable
        source = kernel.source if plain else "None"
        step = f"({alternative.mask}, {source}, {kernel.table}, {tables}[{context}], {info})"
        w.put(indent, f"out.append((({number}, {order}, {alternative.path!r}), {step}))")


def _first(pair: tuple[Any, Step]) -> Any:
    return pair[0]


__all__ = ["Compiler", "ProposalTables", "Relations"]
