"""What of a body no state changes, and whether that can hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from shardlog.engine.inquiry import Inquiry
from shardlog.engine.solver import Environment
from shardlog.engine.syntax import Compute, Literal, Match, Variable, variables

__all__ = ["may_hold"]


def may_hold(inquiry: Inquiry, body: Sequence[Literal], known: Environment) -> bool:
    """Whether what no state changes of a body holds for what is known.

    Where it does not, the body is about other entities, whatever values they come to have.
    """
    local = Counter(name for one in body for name in set(variables(one)))
    left = [one for one in body if _is_fixed(inquiry, one)]
    bound, asked = set(known), list[Literal]()
    while True:
        ready = [one for one in left if _needs(inquiry, one, local) <= bound]
        if not ready:
            return any(True for _ in inquiry.solutions(asked, known))
        asked += ready
        left = [one for one in left if one not in ready]
        given = [one for one in ready if isinstance(one, Match) and not one.negated]
        bound.update(name for one in given for name in variables(one))


def _is_fixed(inquiry: Inquiry, literal: Literal) -> bool:
    if isinstance(literal, Match):
        return literal.relation not in inquiry.moving
    return not isinstance(literal, Compute)


def _needs(inquiry: Inquiry, literal: Literal, local: Mapping[str, int]) -> set[str]:
    """The variables that have to have values before a literal can be asked."""
    if not isinstance(literal, Match):
        return set(variables(literal))
    if literal.negated:
        # those that stand nowhere else count as "any"
        return {name for name in variables(literal) if local[name] > 1}
    inputs = literal.terms[: len(inquiry.declared.modes.get(literal.relation, ()))]
    return {term.name for term in inputs if isinstance(term, Variable)}
