"""Bottom-up, semi-naive evaluation of mutually recursive static relations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from shardlog.engine import limits
from shardlog.engine.errors import EvaluationError
from shardlog.engine.relations import Table
from shardlog.engine.solver import BodySolver, value_of
from shardlog.engine.syntax import Match, Rule

if TYPE_CHECKING:
    from shardlog.engine.program import Program

Rows = Callable[[str], Iterable[tuple[Any, ...]]]
Known = tuple[tuple[int, Any], ...]
Find = Callable[[str, Known], Sequence[tuple[Any, ...]] | None]


def evaluate(program: Program, component: set[str], rows: Rows, find: Find) -> dict[str, Table]:
    """The relations of one strongly connected component; `rows` gives all others.

    `find` may answer a look-up in another relation from an index, or return None.

    Each round joins only with what the last round added, until nothing is new.
    """
    solver = BodySolver(program.functions, program.tests, program.declared.modes)
    others: dict[str, Table] = {}
    rules = [rule for rule in program.rules if rule.relation in component]
    rules += [
        rule
        for name in component
        for rule in program.by_relation[name]
        if not rule.body and rule not in rules
    ]
    tables = {name: Table(0) for name in component}
    for rule in rules:
        tables[rule.relation] = Table(len(rule.terms), rule.functional)

    def outside(relation: str) -> Table:
        if relation not in others:
            found = [tuple(row) for row in rows(relation)]
            table = others[relation] = Table(len(found[0]) if found else 0)
            for row in found:
                table.add(row)
        return others[relation]

    def derive(rule: Rule, delta: dict[str, Table], place: int | None) -> list[tuple[Any, ...]]:
        try:
            return derived(rule, delta, place)
        except limits.TooLarge as error:
            raise EvaluationError(f"{rule.span}: rule {rule.name!r}: {error}") from error

    def derived(rule: Rule, delta: dict[str, Table], place: int | None) -> list[tuple[Any, ...]]:
        body = list(rule.body)
        marked = body[place] if place is not None else None

        def lookup(
            relation: str, known: tuple[tuple[int, Any], ...], literal: Match
        ) -> Sequence[tuple[Any, ...]]:
            if relation in component:
                table = delta[relation] if literal is marked else tables[relation]
            else:
                found = find(relation, known)
                if found is not None:
                    return found
                table = outside(relation)
            return list(table.lookup(tuple(p for p, _ in known), tuple(v for _, v in known)))

        if place is not None:
            body = [body[place], *body[:place], *body[place + 1 :]]
        return [
            tuple(value_of(term, environment) for term in rule.terms)
            for environment in solver.solve(body, {}, lookup)
        ]

    delta = {name: Table(table.arity) for name, table in tables.items()}
    for rule in rules:
        if not any(isinstance(lit, Match) and lit.relation in component for lit in rule.body):
            for row in derive(rule, delta, None):
                if tables[rule.relation].add(row):
                    delta[rule.relation].add(row)
    count = 0
    while any(table.rows for table in delta.values()):
        new: list[tuple[Rule, tuple[Any, ...]]] = []
        for rule in rules:
            for place, literal in enumerate(rule.body):
                if isinstance(literal, Match) and literal.relation in component:
                    new += [(rule, row) for row in derive(rule, delta, place)]
        delta = {name: Table(table.arity) for name, table in tables.items()}
        for rule, row in new:
            if tables[rule.relation].add(row):
                delta[rule.relation].add(row)
                count += 1
                if count > limits.MOST_ROWS:
                    raise _runaway(rule, row)
    return tables


def _runaway(rule: Rule, row: tuple[Any, ...]) -> EvaluationError:
    return EvaluationError(
        f"{rule.span}: rule {rule.name!r} does not come to an end: more than {limits.MOST_ROWS:,} "
        f"rows, the last of them {rule.relation}({', '.join(map(repr, row))})"
    )
