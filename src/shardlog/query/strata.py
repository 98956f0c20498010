"""Refuses rules that deny, or count, what they themselves make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shardlog.engine.syntax import Match
from shardlog.query.grammar import Page
from shardlog.query.reading import Derived

__all__ = ["check_strata"]


def check_strata(rules: Mapping[str, Sequence[Derived]], page: Page) -> None:
    """See that no relation rests on itself through `~` or an aggregate. Raises RuleError."""
    reads = {
        name: {
            literal.relation
            for rule in group
            for literal in rule.body
            if isinstance(literal, Match) and literal.relation in rules
        }
        for name, group in rules.items()
    }
    for name, group in rules.items():
        for rule in group:
            for literal in rule.body:
                if not isinstance(literal, Match) or literal.relation not in rules:
                    continue
                if not literal.negated and rule.aggregated is None:
                    continue
                way = _way(reads, literal.relation, name)
                if way:
                    how = "denies" if literal.negated else "counts"
                    line = rule.span.line if rule.span.file == page.name else 1
                    raise page.at(
                        line,
                        1,
                        f"{name!r} {how} what it rests on itself: {' <- '.join([name, *way])}",
                        "what is denied or counted must be known before",
                    )


def _way(reads: Mapping[str, set[str]], start: str, goal: str) -> list[str]:
    """The relations from one to another, each read by the one before; none if there is no way."""
    ways = {start: [start]}
    todo = [start]
    while todo:
        name = todo.pop()
        if name == goal:
            return ways[name]
        for other in sorted(reads.get(name, ())):
            if other not in ways:
                ways[other] = [*ways[name], other]
                todo.append(other)
    return []
