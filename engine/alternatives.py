"""Alternatives: one way through a body, in part settled, in part waiting for values or the run.

Of an alternative, `goals` are literals that remain to be enumerated when an entity's plan is
built, and `dynamic` are the items that read a lattice, in an order in which each finds its
variables bound.
`mask` holds the values of the phase parameter for which the alternative counts, one bit each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeAlias

from shardlog.engine.syntax import (
    Aggregate,
    Literal,
    Term,
    Variable,
    literal_terms,
    substitute,
)
from shardlog.light import dataclass, field

PHASE = "@phase"
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: bool(a == b),
    "!=": lambda a, b: bool(a != b),
    "<": lambda a, b: bool(a < b),
    "<=": lambda a, b: bool(a <= b),
    ">": lambda a, b: bool(a > b),
    ">=": lambda a, b: bool(a >= b),
}
MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Read:
    """A look at the lattice: `value` (must be set), `view` (may be unset) or `unset` (must be)."""

    lattice: str
    entity: Term
    value: Term
    kind: str
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """A nested body: `neg` (no solution), `any` (some) or `agg` (all, folded into value)."""

    kind: str
    alternatives: tuple[Alternative, ...]
    value: Term | None = None
    aggregate: Aggregate | None = None
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Live:
    """A call of a recursive relation at the instant itself; `given` tells which terms are known.

    `mask` is that of the phase, for a relation that asks for it, or 0.
    """

    relation: str
    terms: tuple[Term, ...]
    given: tuple[bool, ...]
    mask: int = 0


@dataclass(frozen=True, slots=True)
class Solved:
    """A static derived relation, asked through a function of its own."""

    relation: str
    terms: tuple[Term, ...]
    negated: bool = False
    place: tuple[int, ...] = field(default=(), compare=False)


# the rules that were taken for literals that could be had in several ways, each with its place
Path: TypeAlias = tuple[tuple[tuple[int, ...], int], ...]
Item: TypeAlias = Literal | Read | Block | Live
Goal: TypeAlias = Literal | Solved


class Alternative(NamedTuple):
    """One way through a body; `head` are the terms that solutions give, `order` their sort key."""

    goals: tuple[Goal, ...]
    head: tuple[Term, ...]
    order: tuple[Term, ...] = ()
    dynamic: tuple[Item, ...] = ()
    dynamic_names: frozenset[str] = frozenset()
    stored_names: frozenset[str] = frozenset()
    mask: int = 1
    path: Path = ()
    fresh: int = 0

    def outer_names(self) -> set[str]:
        """The names in goals and head, which a negation beside them must wait for."""
        found = {name for goal in self.goals for name in goal_names(goal)}
        return found | {t.name for t in (*self.head, *self.order) if isinstance(t, Variable)}


def goal_terms(goal: Goal) -> tuple[Term, ...]:
    """All terms of a goal."""
    return goal.terms if isinstance(goal, Solved) else literal_terms(goal)


def goal_names(goal: Goal) -> list[str]:
    """The names of a goal's variables."""
    return [term.name for term in goal_terms(goal) if isinstance(term, Variable)]


def later(rest: Alternative, item: Item, names: Iterable[str]) -> Alternative:
    """The alternative with one more dynamic item, which binds the names."""
    return rest._replace(
        dynamic=(*rest.dynamic, item),
        dynamic_names=rest.dynamic_names | frozenset(names),
    )


def substituted(rest: Alternative, name: str, term: Term) -> Alternative:
    """The alternative with a term in place of a variable that its goals or head mention."""
    values = {name: term}

    def put(old: Term) -> Term:
        return term if isinstance(old, Variable) and old.name == name else old

    goals = tuple(
        Solved(g.relation, tuple(map(put, g.terms)), g.negated, g.place)
        if isinstance(g, Solved)
        else substitute(g, values)
        for g in rest.goals
    )
    return rest._replace(
        goals=goals,
        head=tuple(map(put, rest.head)),
        order=tuple(map(put, rest.order)),
    )


def item_terms(item: Item) -> tuple[Term, ...]:
    """All terms of an item, those within a block left out."""
    if isinstance(item, Read):
        return (item.entity, item.value)
    if isinstance(item, Block):
        return () if item.value is None else (item.value,)
    return item.terms if isinstance(item, Live) else literal_terms(item)


def used_names(alternative: Alternative) -> set[str]:
    """The names that an alternative's rest refers to, those within blocks included."""
    found = {n for goal in alternative.goals for n in goal_names(goal)}
    terms: list[Term] = [*alternative.head, *alternative.order]
    for item in alternative.dynamic:
        terms += item_terms(item)
        if isinstance(item, Block):
            for inner in item.alternatives:
                found |= used_names(inner)
    return found | {t.name for t in terms if isinstance(t, Variable)}
