"""Questions to one state of a run: what holds, on what grounds, and what fails first.

Relations are evaluated from the top down, so that a question costs what it reaches and not what
the program could derive. The state may be that of a finished run or of any moment of it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shardlog.engine.instant import Instant, Known, Row, unified
from shardlog.engine.program import Program
from shardlog.engine.relations import Facts, Inverted
from shardlog.engine.solver import (
    BodySolver,
    Environment,
    Lookup,
    Ordered,
    agree,
    is_bound,
    value_of,
)
from shardlog.engine.syntax import (
    Compute,
    Constant,
    Literal,
    Match,
    Rule,
    Term,
    Variable,
    literal_terms,
    substitute,
)

__all__ = ["Failure", "Finding", "Inquiry", "Narrowed", "ground"]

DEEPEST = 16
"""How many relations deep an explanation goes."""

NEAR, FAR, NOWHERE, SCAN = 1, 2, 3, 4
"""What a literal costs: it starts at what is known, at a constant, nowhere, at all entities."""

Note = Callable[[Literal, Environment, int], None]


@dataclass(frozen=True)
class Failure:
    """The literal at which the best attempt to satisfy a body ended, and what was known there."""

    literal: Literal
    known: Environment
    satisfied: int
    of: int


@dataclass(frozen=True)
class Finding:
    """That a literal holds or fails, with what decides it.

    `literal` has the values in place of variables, where they are known. `rule` is the rule of the
    relation that gives it or comes nearest to giving it, `inner` what decides that rule's body.
    """

    literal: Literal
    holds: bool
    rule: Rule | None = None
    inner: tuple[Finding, ...] = ()

    def walk(self) -> Iterator[Finding]:
        """Yield this and all below it, from the top down."""
        todo = [self]
        while todo:
            finding = todo.pop()
            yield finding
            todo += reversed(finding.inner)


class _Tracer(BodySolver):
    """A solver that tells where each attempt ends.

    It goes from what is known to its neighbours, in reading order: what is tried last then is what
    a reader of the rule would call the reason.
    """

    def __init__(self, inquiry: Inquiry) -> None:
        super().__init__(inquiry.program.functions, inquiry.program.tests, inquiry.declared.modes)
        self.lattices = {*inquiry.state, *inquiry.declared.views}

    def _next(self, body: Sequence[Literal], environment: Environment) -> int:
        best: tuple[int, int] | None = None
        for place, literal in enumerate(body):
            if self._ready(literal, body, environment):
                cost = self._cost(literal, environment)
                if cost == 0:
                    return place
                if best is None or cost < best[0]:
                    best = cost, place
        if best is None or best[0] >= SCAN:
            # rather than go through all entities, ask backwards what wants to be asked forwards
            for place, literal in enumerate(body):
                if (
                    isinstance(literal, Match)
                    and not literal.negated
                    and literal.relation in self.inputs
                    and self._cost(literal, environment) == NEAR
                ):
                    return place
        return super()._next(body, environment) if best is None else best[1]

    def _cost(self, literal: Literal, environment: Environment) -> int:
        terms = literal_terms(literal)
        if all(is_bound(term, environment) for term in terms):
            return 0
        if isinstance(literal, Match) and literal.relation in self.lattices:
            return NEAR if is_bound(terms[0], environment) else SCAN
        if any(isinstance(term, Variable) and term.name in environment for term in terms):
            return NEAR
        return FAR if any(isinstance(term, Constant) for term in terms) else NOWHERE

    def traced(
        self, body: Sequence[Literal], known: Environment, lookup: Lookup, note: Note, done: int = 0
    ) -> Iterator[Environment]:
        """The solutions of a body; `note` is told the literal, what is known and how many hold."""
        return self._traced(self._ordered(body), known, lookup, note, done)

    def _traced(
        self, body: Ordered, known: Environment, lookup: Lookup, note: Note, done: int
    ) -> Iterator[Environment]:
        if not body.literals:
            yield known
            return
        literal, rest = self._taken(body, known)
        failed = True
        for extended in self._literal(literal, known, lookup):
            failed = False
            yield from self._traced(rest, extended, lookup, note, done + 1)
        if failed:
            note(literal, known, done)


@dataclass
class _Best:
    """The best failures of a body, one for each choice of the variables that tell them apart."""

    keys: Sequence[str]
    size: int
    found: dict[tuple[Any, ...], Failure] = field(default_factory=dict)

    def __call__(self, literal: Literal, known: Environment, done: int) -> None:
        key = tuple(known.get(name) for name in self.keys)
        best = self.found.get(key)
        if best is None or best.satisfied < done:
            self.found[key] = Failure(literal, known, done, self.size)


class Inquiry(Instant):
    """Answers questions about one state.

    `values` are those that the phase parameter has at that moment.
    """

    def __init__(
        self,
        program: Program,
        facts: Facts,
        state: Mapping[str, Any],
        values: tuple[int, ...] = (),
    ) -> None:
        super().__init__(program, facts, dict(state), ())
        self.values = values
        self.solver = self.tracer = _Tracer(self)
        self.phased = program.reaching(self.declared.parameter)
        self.moving = program.volatile()
        self._memo: dict[tuple[str, Known, tuple[int, ...]], Sequence[Row]] = {}
        self._lasting: dict[tuple[str, Known, tuple[int, ...]], Sequence[Row]] = {}
        self._open: set[tuple[str, Known]] = set()
        self._inverses: dict[str, Inverted] = {}
        self._near: tuple[frozenset[str], int, frozenset[int]] = frozenset(), 0, frozenset()

    def over(self, state: Mapping[str, Any]) -> Inquiry:
        """Questions to another state of the same run; what no state changes is known already."""
        other = copy.copy(self)
        other.state = dict(state)
        other._memo, other._open = {}, set()
        return other

    def near(self, relations: Sequence[str], entity: int, others: frozenset[int]) -> Inquiry:
        """Questions that see, of the entities that some relations list for one, only `others`."""
        other = self.over(self.state)
        other._lasting, other._near = {}, (frozenset(relations), entity, others)
        return other

    # ------------------------------------------------------------ what holds

    def lookup(self, relation: str, known: Known, literal: Match | None = None) -> Sequence[Row]:
        """The rows of a relation that agree with (position, value) pairs, or more."""
        if not self.program.by_relation.get(relation) or relation in self.state:
            return super().lookup(relation, known, literal)
        if relation in self.program.bottom_up:
            return super().lookup(relation, known, literal)
        values = self.values if relation in self.phased else ()
        key = relation, known, values
        memo = self._memo if relation in self.moving else self._lasting
        rows = memo.get(key)
        if rows is None:
            if (relation, known) in self._open:
                return ()
            self._open.add((relation, known))
            try:
                rows = memo[key] = self.evaluate(relation, known)
            finally:
                self._open.discard((relation, known))
        return rows

    def _base(self, relation: str, given: dict[int, Any], known: Known) -> Iterator[Row]:
        facts = self.facts
        if relation in facts.rows and 0 not in given and 2 in given:
            for entity, place in self._inverse(relation).get(given[2]):
                yield entity, place, given[2]
        elif relation in facts.columns and 0 not in given and 1 in given:
            for entity in self._inverse(relation).get(given[1]):
                yield entity, given[1]
        elif relation in self._near[0] and given.get(0) == self._near[1]:
            others = self._near[2]
            yield from (row for row in super()._base(relation, given, known) if row[2] in others)
        else:
            yield from super()._base(relation, given, known)

    def _inverse(self, relation: str) -> Inverted:
        if relation not in self._inverses:
            facts = self.facts
            column, rows = facts.columns.get(relation), facts.rows.get(relation)
            self._inverses[relation] = Inverted(facts.entity_count, column, rows)
        return self._inverses[relation]

    def solutions(self, body: Sequence[Literal], known: Environment) -> Iterator[Environment]:
        """The ways to satisfy a body."""
        return self.solver.solve(body, known, self.lookup)

    def attempts(
        self, body: Sequence[Literal], known: Environment, keys: Sequence[str]
    ) -> tuple[list[Environment], list[Failure]]:
        """The solutions of a body, and the best failure for each choice of the variables `keys`.

        A choice that has solutions has no failure, nor has one that is part of another.
        """
        best = _Best(keys, len(body))
        solved = list(self.tracer.traced(body, known, self.lookup, best))
        good = {tuple(one.get(name) for name in keys) for one in solved}
        narrowed = Narrowed([*good, *best.found])
        failures = [
            failure
            for key, failure in best.found.items()
            if key not in good and key not in narrowed
        ]
        return solved, failures

    # ------------------------------------------------------------ why

    def grounds(self, body: Sequence[Literal], known: Environment) -> list[Finding]:
        """What makes each literal of a satisfied body hold."""
        return [self.holding(literal, known) for literal in body]

    def holding(self, literal: Literal, known: Environment, depth: int = 0) -> Finding:
        """Why a literal that holds does so; of several ways the first."""
        shown = ground(literal, known)
        if not isinstance(literal, Match) or literal.negated or depth > DEEPEST:
            return Finding(shown, True)
        for rule in self.program.by_relation.get(literal.relation, ()):
            if literal.relation in self.state:
                break
            found = self._first(rule, literal, known)
            if found is not None:
                inner = [self.holding(one, known_, depth + 1) for one, known_ in found]
                return Finding(shown, True, rule, tuple(inner))
        return Finding(shown, True)

    def _first(
        self, rule: Rule, literal: Match, known: Environment
    ) -> list[tuple[Literal, Environment]] | None:
        """The literals that satisfy a rule so that it gives a literal; all, of an aggregate."""
        start = self._start(rule, literal, known)
        if start is None:
            return None
        if rule.aggregate is not None:
            solved = list(self.solver.solve(rule.body, start, self.lookup))
            return [(one, env) for env in solved for one in rule.body] or None
        for found in self.solver.solve(rule.body, start, self.lookup):
            row = [value_of(term, found) for term in rule.terms]
            if agree(row, literal.terms, known) is not None:
                return [(one, found) for one in rule.body]
        return None

    def _start(self, rule: Rule, literal: Match, known: Environment) -> Environment | None:
        terms = literal.terms[:-1] if rule.aggregate is not None else literal.terms
        pairs = tuple((p, value_of(t, known)) for p, t in enumerate(terms) if is_bound(t, known))
        return unified(rule, pairs)

    # ------------------------------------------------------------ why not

    def failing(self, literal: Literal, known: Environment, depth: int = 0) -> Finding:
        """Why a literal that fails does so: of several rules the one that comes nearest."""
        shown = ground(literal, known)
        if not isinstance(literal, Match) or depth > DEEPEST:
            return Finding(shown, False)
        if literal.negated:
            positive = Match(literal.relation, literal.terms, literal.functional)
            return Finding(shown, False, None, (self.holding(positive, known, depth + 1),))
        if literal.relation in self.state or literal.relation in self.declared.views:
            return Finding(shown, False)
        nearest: tuple[float, Finding] | None = None
        for rule in self.program.by_relation.get(literal.relation, ()):
            start = self._start(rule, literal, known)
            if start is None:
                continue
            best = _Best((), len(rule.body))
            solved = next(self.tracer.traced(rule.body, start, self.lookup, best), None)
            if solved is not None:
                # it gives another value than the one asked for
                row = tuple(Constant(value_of(t, solved)) for t in rule.terms)
                other = Match(literal.relation, row, literal.functional)
                return Finding(shown, False, rule, (Finding(other, True),))
            for failure in best.found.values():
                rank = failure.satisfied / max(failure.of, 1)
                if nearest is None or nearest[0] < rank:
                    inner = self.failing(failure.literal, failure.known, depth + 1)
                    nearest = rank, Finding(shown, False, rule, (inner,))
        return Finding(shown, False) if nearest is None else nearest[1]


def ground(literal: Literal, known: Environment) -> Literal:
    """A literal with values in place of the variables that are known."""
    values: dict[str, Term] = {name: Constant(value) for name, value in known.items()}
    if isinstance(literal, Compute) and isinstance(literal.target, Variable):
        values.setdefault(literal.target.name, literal.target)
    return substitute(literal, values)


class Narrowed:
    """Choices that others among them make, too, with more of the variables chosen."""

    def __init__(self, choices: Sequence[tuple[Any, ...]]) -> None:
        self._choices = choices
        self._parts: dict[tuple[int, ...], dict[tuple[Any, ...], set[tuple[Any, ...]]]] = {}

    def __contains__(self, key: tuple[Any, ...]) -> bool:
        places = tuple(place for place, value in enumerate(key) if value is not None)
        if len(places) == len(key):
            return False
        if places not in self._parts:
            # there may be thousands of them: each is looked up by what it has at those places
            parts = self._parts[places] = {}
            for one in self._choices:
                parts.setdefault(tuple(one[place] for place in places), set()).add(one)
        others = self._parts[places].get(tuple(key[place] for place in places), set())
        return len(others) > (key in others)
