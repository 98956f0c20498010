"""Partial evaluation of rule bodies: a rule's body in the place of a literal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shardlog.engine.alternatives import (
    PHASE,
    Alternative,
    Goal,
    Live,
    Solved,
    goal_names,
    substituted,
)
from shardlog.engine.syntax import (
    Aggregate,
    Compare,
    Compute,
    Literal,
    Match,
    Rule,
    Term,
    Variable,
    literal_terms,
    substitute,
    variables,
)
from shardlog.light import replace

if TYPE_CHECKING:
    from shardlog.engine.settling import Settler


class Bodies:
    """Bodies under unification with callers' terms, for one settler."""

    def __init__(self, settler: Settler) -> None:
        self.settler, self.program = settler, settler.program

    def relation_alternatives(
        self,
        relation: str,
        terms: Sequence[Term],
        base: Alternative | None = None,
        place: tuple[int, ...] = (),
        quiet: bool = False,
    ) -> list[Alternative]:
        """One alternative per rule of a relation, its head unified with the given terms.

        `place` is that of the literal which they are for, and `quiet` says whether it is.
        """
        found = []
        parent = base or Alternative((), (), mask=self.settler.full_mask)
        for number, rule in enumerate(self.program.by_relation.get(relation, ())):
            made = self.body(rule, terms, parent.fresh, place, quiet)
            if made is not None:
                goals, fresh = made
                found.append(
                    Alternative(
                        goals,
                        tuple(terms),
                        mask=parent.mask,
                        dynamic_names=parent.dynamic_names,
                        stored_names=parent.stored_names,
                        path=((place, number),),
                        fresh=fresh,
                    )
                )
        return found

    def placed(self, literal: Literal, place: tuple[int, ...], quiet: bool) -> Literal:
        """A literal that knows its place, if it is one that may be unfolded or read."""
        if not isinstance(literal, Match) or literal.relation in self.settler.base:
            return literal
        quiet = quiet and literal.relation in self.settler.volatile
        return replace(literal, place=place, quiet=quiet)

    def body(
        self,
        rule: Rule,
        terms: Sequence[Term],
        fresh: int,
        place: tuple[int, ...] = (),
        quiet: bool = False,
    ) -> tuple[tuple[Goal, ...], int] | None:
        """A rule's body under unification with the caller's terms; None if constants clash."""
        names: dict[str, Term] = {}
        equal: list[Goal] = []
        for formal, actual in zip(rule.terms, terms, strict=True):
            if isinstance(formal, Variable):
                if formal.name not in names:
                    names[formal.name] = actual
                else:
                    equal.append(Compare("==", names[formal.name], actual))
            elif isinstance(actual, Variable):
                equal.append(Compare("==", actual, formal))
            elif actual != formal:
                return None
        for literal in rule.body:
            for name in variables(literal):
                if name not in names:
                    fresh += 1
                    names[name] = Variable(f"{name.split('__')[0]}__{fresh}")
        body = tuple(
            self.placed(substitute(literal, names), (*place, number), quiet)
            for number, literal in enumerate(rule.body)
        )
        return (*equal, *body), fresh

    def aggregate_body(
        self,
        rule: Rule,
        aggregate: Aggregate,
        keys: Sequence[Term],
        fresh: int,
        quiet: bool = False,
    ) -> tuple[tuple[Goal, ...], tuple[Term, ...], int] | None:
        """An aggregate rule's body with (value, *order) as its head."""
        inner = (aggregate.term, *aggregate.order_by)
        formal = Rule(
            rule.relation, (*rule.terms[:-1], *inner), rule.body, False, rule.span, rule.name
        )
        names: dict[str, Term] = {}
        actual: list[Term] = list(keys)
        for term in inner:
            if term.name not in names:
                fresh += 1
                names[term.name] = Variable(f"{term.name}__{fresh}")
            actual.append(names[term.name])
        made = self.body(formal, actual, fresh, (), quiet)
        if made is None:
            return None
        goals, fresh = made
        return goals, tuple(actual[len(keys) :]), fresh


def joined(rest: Alternative, part: Alternative, terms: Sequence[Term]) -> Alternative:
    """The caller's alternative with a part of an unfolded relation in the literal's place."""
    joined = rest._replace(
        goals=(*part.goals, *rest.goals),
        dynamic=rest.dynamic + part.dynamic,
        dynamic_names=rest.dynamic_names | part.dynamic_names,
        stored_names=rest.stored_names | part.stored_names,
        mask=rest.mask & part.mask,
        path=rest.path + part.path,
        fresh=max(rest.fresh, part.fresh),
    )
    for old, new in zip(terms, part.head, strict=True):
        if isinstance(old, Variable) and old != new:
            joined = substituted(joined, old.name, new)
    return joined


def enumerates(part: Alternative, bound: frozenset[str]) -> bool:
    """Whether a part may have several solutions for the same outer variables."""
    if any(isinstance(item, Live) for item in part.dynamic):
        return True
    names = set(bound) | part.dynamic_names | {PHASE}
    pending = list(part.goals)
    while pending:
        for goal in pending:
            if _single(goal, names):
                names |= set(goal_names(goal))
                pending.remove(goal)
                break
        else:
            return True
    return False


def _single(goal: Goal, names: set[str]) -> bool:
    """Whether a goal has at most one solution once the names are bound."""
    if isinstance(goal, Solved):
        return set(goal_names(goal)) <= names
    if isinstance(goal, Match):
        terms = goal.terms[:-1] if goal.functional and not goal.negated else goal.terms
        if goal.negated:
            return True
    elif isinstance(goal, Compute):
        terms = goal.arguments
    elif isinstance(goal, Compare) and goal.operator == "==":
        return len([n for n in goal_names(goal) if n not in names]) <= 1
    else:
        terms = literal_terms(goal)
    return all(not isinstance(t, Variable) or t.name in names for t in terms)
