"""In which order the literals of a body are taken, by what is known and how many rows they give.

However a question is written, it begins where there are fewest rows, and goes on from what it
knows. The same for rules of one's own, once for each choice of arguments that are known when they
are asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
    variables,
)
from shardlog.query.reading import Derived
from shardlog.query.relations import Places, Source

__all__ = ["Plan", "Planner", "Unbound", "known_places"]

Literals = Sequence[Literal]

_MANY = 1e15
_FILTERED = 0.1
"""The share of rows that a comparison or a test lets through, for want of knowing."""

_ASK = 4.0
"""A derived relation costs more to ask than a column."""


class Unbound(Exception):
    """A variable that gets no value; `name` is its name."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


@dataclass(frozen=True)
class Plan:
    """Literals in the order in which they are taken, and about how many rows come out."""

    order: tuple[Literal, ...]
    rows: float


class Planner:
    """Orders bodies over relations with known sizes and rules over them."""

    def __init__(
        self, sources: Mapping[str, Source], rules: Mapping[str, Sequence[Derived]], many: int
    ) -> None:
        """`many` is about how many rows a recursion gives."""
        self.sources, self.rules, self.many = sources, rules, float(max(many, 2))
        self._derived: dict[tuple[str, Places], float] = {}

    def plan(self, body: Literals, bound: frozenset[str]) -> Plan:
        """The order of a body of which some variables are known. Raises Unbound."""
        known = set(bound)
        left = list(body)
        order: list[Literal] = []
        rows = 1.0
        while left:
            costs = [
                (self._cost(literal, known), place)
                for place, literal in enumerate(left)
                if self._ready(literal, left, known)
            ]
            if not costs:
                raise Unbound(_first_free(left, known))
            (cost, place) = min(costs)
            literal = left.pop(place)
            order.append(literal)
            rows = min(rows * self._share(literal, cost, known), _MANY)
            known.update(_bound_by(literal))
        return Plan(tuple(order), rows)

    @staticmethod
    def _share(literal: Literal, cost: float, known: set[str]) -> float:
        """How many rows a literal makes of one."""
        if isinstance(literal, Match):
            return max(cost, 0.01)
        binds = any(name not in known for name in variables(literal))
        return 1.0 if binds or isinstance(literal, Compute) else _FILTERED

    def _ready(self, literal: Literal, left: Literals, known: set[str]) -> bool:
        free = {name for name in variables(literal) if name not in known}
        match literal:
            case Match(negated=False):
                return True
            case Match():
                # what stands nowhere else is asked whether there is any
                others = {n for each in left if each is not literal for n in variables(each)}
                return not free & others
            case Compute(_, _, arguments):
                return all(_is_known(term, known) for term in arguments)
            case Compare("==", left_term, right_term):
                return _is_known(left_term, known) or _is_known(right_term, known)
            case Member(term=Variable(name), negated=False):
                return True if name in known else not _binds_elsewhere(name, left, literal)
        return not free

    def _cost(self, literal: Literal, known: set[str]) -> float:
        if not isinstance(literal, Match):
            return 0.0 if not isinstance(literal, Member) else 0.1
        places = known_places(literal, known)
        if literal.relation in self.sources:
            source = self.sources[literal.relation]
            cost = source.estimate(places, constant_key(literal, places))
            return 0.5 * min(cost, 1.0) if literal.negated else cost
        if literal.negated:
            return 0.5
        return max(self.estimate(literal.relation, places), 1.0) * _ASK

    def estimate(self, relation: str, places: Places) -> float:
        """About how many rows a relation of the rules gives where some arguments are known."""
        key = relation, places
        if key not in self._derived:
            self._derived[key] = self.many if len(places) == 0 else self.many**0.5
            total = 0.0
            for rule in self.rules.get(relation, ()):
                try:
                    total += self.plan(rule.body, bound_names(rule, places)).rows
                except Unbound:
                    total += _MANY
            self._derived[key] = min(total, _MANY)
        return self._derived[key]


def known_places(literal: Match, known: set[str] | frozenset[str]) -> Places:
    """The places of a literal whose terms have values."""
    return tuple(place for place, term in enumerate(literal.terms) if _is_known(term, known))


def constant_key(literal: Match, places: Places) -> tuple[object, ...] | None:
    """The values at some places if all are constants."""
    terms = [literal.terms[place] for place in places]
    if all(isinstance(term, Constant) for term in terms):
        return tuple(term.value for term in terms if isinstance(term, Constant))
    return None


def bound_names(rule: Derived, places: Places) -> frozenset[str]:
    """The variables of a rule's head at some places; an aggregate's value is never known."""
    terms = [rule.terms[place] for place in places if place < len(rule.terms)]
    return frozenset(term.name for term in terms if isinstance(term, Variable))


def _is_known(term: Term, known: set[str] | frozenset[str]) -> bool:
    return isinstance(term, Constant) or term.name in known


def _bound_by(literal: Literal) -> set[str]:
    match literal:
        case Match(negated=True) | Test():
            return set()
    return set(variables(literal))


def _binds_elsewhere(name: str, left: Literals, but: Literal) -> bool:
    """Whether another literal gives a variable its value."""
    for literal in left:
        if literal is but:
            continue
        if isinstance(literal, Match) and not literal.negated and name in variables(literal):
            return True
        if isinstance(literal, Compute) and str(literal.target) == name:
            return True
    return False


def _first_free(left: Literals, known: set[str]) -> str:
    for literal in left:
        for term in literal_terms(literal):
            if isinstance(term, Variable) and term.name not in known:
                return term.name
    return ""
