"""Checks that rules can be evaluated: facts must lead to every entity whose value is read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

import networkx as nx

from shardlog.engine.declarations import UNGUARDED, WAKES
from shardlog.engine.errors import Problem
from shardlog.engine.modes import Needs, bound_names, needed_positions
from shardlog.engine.syntax import Literal, Match, Rule, Term, Variable, variables

if TYPE_CHECKING:
    from shardlog.engine.program import Program


def evaluation_problems(program: Program) -> list[Problem]:
    """The rules of which some variable is bound by no literal that is ready in time."""
    declared = program.declared
    last = declared.lattices[-1:]
    needs = {
        "before": needed_positions(program, declared.lattices),
        "then": needed_positions(program, last),
        "after": needed_positions(program, ()),
    }
    in_a_run = _used(program)
    problems: list[Problem] = []
    for rule in program.rules:
        channel = declared.channels.get(rule.relation)
        if channel is not None:
            guard = [] if channel.guard == UNGUARDED else [Match(channel.guard, rule.terms[:1])]
            live = last if [channel.lattice] == last else declared.lattices
            given = {declared.visits[channel.visit].variable}
            targets = rule.terms[:3:2] if channel.grain == "pair" else rule.terms[:1]
            order = [Variable(name) for name in declared.orders.get(channel.visit, ())]
            mine = needs["then" if live is last else "before"]
            body = [*guard, *rule.body]
            problems += _unbound(rule, body, given, mine)
            problems += _told(program, rule, body, given, mine, live, [*targets, *order])
        elif rule.relation != WAKES and rule.relation not in declared.lattices:
            # what no channel asks for is only asked once all lattices are filled
            live = last if rule.relation in in_a_run else []
            mine = needs["then" if rule.relation in in_a_run else "after"]
            given = _names(rule.terms[place] for place in mine[rule.relation])
            problems += _unbound(rule, rule.body, given, mine)
            heads = given | _names(rule.terms)
            problems += _told(program, rule, rule.body, heads, mine, live, ())
    return problems


def _used(program: Program) -> set[str]:
    """The relations that channels ask, directly or through others."""
    channels = program.declared.channels.values()
    roots = {c.head for c in channels} | {c.guard for c in channels}
    known = roots & set(program.graph)
    return known.union(*(nx.descendants(program.graph, root) for root in known))


def _names(terms: Iterable[Term]) -> set[str]:
    return {term.name for term in terms if isinstance(term, Variable)}


def _unbound(
    rule: Rule, body: Sequence[Literal], given: Collection[str], needs: Needs
) -> list[Problem]:
    bound = bound_names(body, given, needs)
    wanted: dict[str, None] = {}
    for literal in body:
        if not (isinstance(literal, Match) and literal.negated):
            wanted.update(dict.fromkeys(variables(literal)))
    missing = [name for name in wanted if name not in bound]
    if not missing:
        return []
    shown = ", ".join(name for name in missing if not name.startswith("_")) or "nested terms"
    message = f"nothing that is known in time leads to {shown}"
    hint = "a lattice is read, and a relation with inputs asked, for entities that facts give"
    return [Problem(rule.span, message, rule.name, hint)]


def _told(
    program: Program,
    rule: Rule,
    body: Sequence[Literal],
    given: Collection[str],
    needs: Needs,
    live: Collection[str],
    targets: Sequence[Term],
) -> list[Problem]:
    """Entities that only a lattice's value could tell."""
    views = program.declared.views
    reads = [
        literal
        for literal in body
        if isinstance(literal, Match) and views.get(literal.relation, literal.relation) in live
    ]
    others = [literal for literal in body if literal not in reads]
    known = bound_names(others, given, needs)
    mentioned = {name for literal in body for name in variables(literal)}
    wanted = _names([*(read.terms[0] for read in reads), *targets])
    told = sorted(name for name in wanted & mentioned if name not in known)
    if not told or _unbound(rule, body, given, needs):
        return []
    message = f"{', '.join(told)} would be an entity or a place that a lattice's value tells"
    hint = "values can be compared and computed with, not followed"
    return [Problem(rule.span, message, rule.name, hint)]
