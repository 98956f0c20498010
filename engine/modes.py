"""What a rule set says of its relations without any facts: what each needs, and what it reads."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from shardlog.engine.syntax import (
    Compare,
    Compute,
    Literal,
    Match,
    Rule,
    Term,
    Variable,
    literal_terms,
    variables,
)

if TYPE_CHECKING:
    from shardlog.engine.program import Program

Needs = Mapping[str, frozenset[int]]


def needed_positions(program: Program, live: Collection[str]) -> dict[str, frozenset[int]]:
    """For each derived relation, the argument positions that must be known before it is asked.

    These are the inputs that a `mode` declares; without one, the positions that the relation's own
    rules cannot bind. `live` are the lattices that are being filled: their entity must be known.
    """
    declared = program.declared
    read = {*live, *(view for view, lattice in declared.views.items() if lattice in live)}
    volatile = program.volatile(set(declared.lattices) - set(live))
    needs: dict[str, frozenset[int]] = dict.fromkeys(read, frozenset((0,)))
    for relation, rules in program.by_relation.items():
        if relation not in read:
            keys = len(rules[0].terms) - 1 if rules and rules[0].aggregate is not None else 0
            inputs = len(declared.modes.get(relation, ()))
            needs[relation] = frozenset(range(max(inputs, keys if relation in volatile else 0)))
    # a component comes behind those that it asks
    for component in program.components:
        names = [n for n in component if n not in read and n not in declared.modes]
        changed = True
        while changed:
            changed = False
            for relation in names:
                rules = program.by_relation.get(relation) or []
                for place in range(len(rules[0].terms) if rules else 0):
                    if place not in needs[relation] and not all(
                        _binds_without(rule, place, needs) for rule in rules
                    ):
                        needs[relation] |= {place}
                        changed = True
            changed = changed and not program.recursive.isdisjoint(component)
    return needs


def _binds_without(rule: Rule, place: int, needs: Needs) -> bool:
    """Whether a rule's body binds its term at a place, given all the others."""
    term = rule.terms[place]
    if not isinstance(term, Variable):
        return True
    given = {t.name for t in rule.terms if isinstance(t, Variable)} - {term.name}
    if rule.aggregate is not None:
        if term == rule.aggregate.term:
            return True
        given.discard(rule.aggregate.term.name)
    return term.name in bound_names(rule.body, given, needs)


def bound_names(body: Sequence[Literal], given: Collection[str], needs: Needs) -> set[str]:
    """The variables that some order of a body's literals binds, from those given."""
    bound = set(given)
    waiting = [literal for literal in body if not (isinstance(literal, Match) and literal.negated)]
    while True:
        rest = [literal for literal in waiting if not _bind(literal, bound, needs)]
        if len(rest) == len(waiting):
            return bound
        waiting = rest


def _bind(literal: Literal, bound: set[str], needs: Needs) -> bool:
    """Adds what a literal binds, if it is ready; says whether it is."""

    def has(term: Term) -> bool:
        return not isinstance(term, Variable) or term.name in bound

    match literal:
        case Match(relation, terms):
            ready = all(has(terms[place]) for place in needs.get(relation, ()))
        case Compute(_, _, arguments):
            ready = all(map(has, arguments))
        case Compare("==", left, right):
            ready = has(left) or has(right)
        case _:
            ready = all(map(has, literal_terms(literal)))
    if ready:
        bound.update(variables(literal))
    return ready


def transparent_relations(program: Program) -> set[str]:
    """The relations whose matches count as grounds where they are asked as a condition.

    Such a relation has one rule, and that rule has at most one solution once its terms are known:
    it only gives a name to a few literals. What other relations match when all of their terms are
    known is not told apart from what else might have made them hold.
    """
    found: set[str] = set()
    for relation, rules in program.by_relation.items():
        if len(rules) == 1 and relation not in program.recursive and rules[0].aggregate is None:
            names = {t.name for t in rules[0].terms if isinstance(t, Variable)}
            if _determined(program, rules[0].body, names):
                found.add(relation)
    return found


def _determined(program: Program, body: Sequence[Literal], bound: set[str]) -> bool:
    """Whether a body has at most one solution, given some variables."""
    waiting = list(body)
    while waiting:
        for literal in waiting:
            if _determines(program, literal, bound):
                bound = bound | set(variables(literal))
                waiting.remove(literal)
                break
        else:
            return False
    return True


def _determines(program: Program, literal: Literal, bound: Collection[str]) -> bool:
    """Whether a literal, as it stands, has at most one solution."""

    def has(term: Term) -> bool:
        return not isinstance(term, Variable) or term.name in bound

    match literal:
        case Match(relation, terms, functional, negated):
            if negated or relation == program.declared.parameter:
                return True
            if relation in program.recursive:
                return False
            rules = program.by_relation.get(relation)
            if relation in program.declared.lattices or not rules or rules[0].aggregate is not None:
                return all(map(has, terms[:-1] if functional else terms))
            return all(map(has, terms))
        case Compute(_, _, arguments):
            return all(map(has, arguments))
        case Compare("==", left, right):
            return has(left) or has(right)
    return all(map(has, literal_terms(literal)))
