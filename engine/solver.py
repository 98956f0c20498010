"""Solves a body by plain nested loops over tables: the slow, obvious reading of a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from shardlog.engine.alternatives import COMPARE
from shardlog.engine.syntax import (
    Compare,
    Compute,
    Constant,
    Literal,
    Match,
    Member,
    Term,
    Test,
    Variable,
    literal_terms,
)

Environment = dict[str, Any]


class Lookup(Protocol):
    """Gives the rows of a relation that agree with the terms that are known."""

    def __call__(
        self, relation: str, known: tuple[tuple[int, Any], ...], literal: Match
    ) -> Sequence[tuple[Any, ...]]:
        """`known` are (position, value) pairs."""
        ...


def value_of(term: Term, environment: Environment) -> Any:
    """The value of a bound term; raises KeyError if it is not bound."""
    return term.value if isinstance(term, Constant) else environment[term.name]


def is_bound(term: Term, environment: Environment) -> bool:
    """Whether a term has a value."""
    return isinstance(term, Constant) or term.name in environment


def same(left: Any, right: Any) -> bool:
    """Equality that tells True from 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return bool(left == right)


MOST_BODIES = 4096
"""For how many bodies the order is remembered."""


class Ordered:
    """A body, and for each choice of variables that have a value which literal is taken next.

    Values play no part in that, so it is found out once.
    """

    __slots__ = ("literals", "names", "taken")

    def __init__(self, literals: Sequence[Literal]) -> None:
        self.literals = literals
        terms = (term for literal in literals for term in literal_terms(literal))
        self.names = tuple({term.name: None for term in terms if isinstance(term, Variable)})
        self.taken: dict[frozenset[str], tuple[Literal, Ordered]] = {}


class BodySolver:
    """Enumerates the solutions of bodies; literals are taken in reading order as they get ready."""

    def __init__(
        self,
        functions: Mapping[str, Callable[..., Any]],
        tests: Mapping[str, Callable[..., Any]],
        inputs: Mapping[str, tuple[str, ...]],
    ) -> None:
        self.functions, self.tests, self.inputs = functions, tests, inputs
        self._bodies: dict[int, Ordered] = {}

    def solve(
        self, body: Sequence[Literal], environment: Environment, lookup: Lookup
    ) -> Iterator[Environment]:
        """All environments that extend the given one and satisfy the body."""
        return self._solve(self._ordered(body), environment, lookup)

    def _solve(
        self, body: Ordered, environment: Environment, lookup: Lookup
    ) -> Iterator[Environment]:
        if not body.literals:
            yield environment
            return
        literal, rest = self._taken(body, environment)
        for extended in self._literal(literal, environment, lookup):
            yield from self._solve(rest, extended, lookup)

    def _ordered(self, body: Sequence[Literal]) -> Ordered:
        """A body with what is known of its order; of a tuple, as rules have, the same each time."""
        known = self._bodies.get(id(body))
        if known is not None and known.literals is body:
            return known
        found = Ordered(body)
        if isinstance(body, tuple):
            if len(self._bodies) >= MOST_BODIES:
                self._bodies.clear()
            self._bodies[id(body)] = found
        return found

    def _taken(self, body: Ordered, environment: Environment) -> tuple[Literal, Ordered]:
        """The literal that is taken next, and what is left then."""
        bound = frozenset([name for name in body.names if name in environment])
        found = body.taken.get(bound)
        if found is None:
            literals = body.literals
            place = self._next(literals, environment)
            rest = Ordered([*literals[:place], *literals[place + 1 :]])
            found = body.taken[bound] = literals[place], rest
        return found

    def _next(self, body: Sequence[Literal], environment: Environment) -> int:
        best: tuple[int, int] | None = None
        for place, literal in enumerate(body):
            if self._ready(literal, body, environment):
                terms = literal_terms(literal)
                free = sum(not is_bound(term, environment) for term in terms)
                if not free:
                    return place
                if best is None or free * 8 - len(terms) < best[0]:
                    best = (free * 8 - len(terms), place)
        if best is not None:
            return best[1]
        raise ValueError("no order binds " + " & ".join(map(str, body)))

    def _ready(self, literal: Literal, body: Sequence[Literal], environment: Environment) -> bool:
        free = {
            t.name
            for t in literal_terms(literal)
            if isinstance(t, Variable) and t.name not in environment
        }
        match literal:
            case Match(relation, terms, _, negated):
                if negated:
                    others = {
                        t.name
                        for other in body
                        if other is not literal
                        for t in literal_terms(other)
                        if isinstance(t, Variable)
                    }
                    return not free & others
                return all(
                    is_bound(t, environment) for t in terms[: len(self.inputs.get(relation, ()))]
                )
            case Compute(_, _, arguments):
                return all(is_bound(t, environment) for t in arguments)
            case Compare("==", left, right):
                return is_bound(left, environment) or is_bound(right, environment)
        return not free

    def _literal(
        self, literal: Literal, environment: Environment, lookup: Lookup
    ) -> Iterator[Environment]:
        match literal:
            case Match(relation, terms, _, negated):
                known = tuple(
                    (place, value_of(t, environment))
                    for place, t in enumerate(terms)
                    if is_bound(t, environment)
                )
                rows = lookup(relation, known, literal)
                if negated:
                    if not any(True for row in rows if agree(row, terms, environment) is not None):
                        yield environment
                    return
                for row in rows:
                    extended = agree(row, terms, environment)
                    if extended is not None:
                        yield extended
            case Compute(target, function, arguments):
                values = [value_of(t, environment) for t in arguments]
                result = self.functions[function](*values)
                if result is None:
                    return
                if is_bound(target, environment):
                    if same(value_of(target, environment), result):
                        yield environment
                elif isinstance(target, Variable):
                    yield {**environment, target.name: result}
            case Test(function, arguments, negated):
                values = [value_of(t, environment) for t in arguments]
                if bool(self.tests[function](*values)) != negated:
                    yield environment
            case Compare(operator, left, right):
                yield from self._compare(operator, left, right, environment)
            case Member(term, values_, negated):
                inside = any(same(value_of(term, environment), v.value) for v in values_)
                if inside != negated:
                    yield environment

    @staticmethod
    def _compare(
        operator: str, left: Term, right: Term, environment: Environment
    ) -> Iterator[Environment]:
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Variable) and one.name not in environment:
                yield {**environment, one.name: value_of(other, environment)}
                return
        a, b = value_of(left, environment), value_of(right, environment)
        if operator in ("==", "!="):
            if same(a, b) == (operator == "=="):
                yield environment
        elif COMPARE[operator](a, b):
            yield environment


def agree(
    row: Sequence[Any], terms: Sequence[Term], environment: Environment
) -> Environment | None:
    """The environment extended so that the terms equal a row, or None if they cannot."""
    extended = environment
    for value, term in zip(row, terms, strict=True):
        if is_bound(term, extended):
            if not same(value_of(term, extended), value):
                return None
        elif isinstance(term, Variable):
            if extended is environment:
                extended = dict(environment)
            extended[term.name] = value
    return extended
