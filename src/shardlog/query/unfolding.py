"""Puts the bodies of simple rules in the place of their heads, so that columns are joined at once.

A relation that one rule defines, over columns only, is a name for its body: a question that names
it then costs what it would cost written out.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from itertools import count

from shardlog.engine.syntax import Literal, Match, Term, Variable, substitute, variables
from shardlog.query.reading import Derived

__all__ = ["unfolded"]

LONGEST = 100
"""Literals beyond which a body is left as it is."""

Rules = Mapping[str, Sequence[Derived]]
Body = tuple[Literal, ...]


def unfolded(
    rules: Rules, body: Body, columns: Container[str]
) -> tuple[dict[str, list[Derived]], Body]:
    """The rules and a body with simple rules put in; `columns` are relations that have columns."""
    fresh = count()
    done = {name: list(group) for name, group in rules.items()}
    names: dict[str, Derived] = {}
    while True:
        new = {
            name: group[0]
            for name, group in done.items()
            if name not in names and _is_simple(group, columns)
        }
        if not new:
            break
        names.update(new)
        done = {
            name: [replace(rule, body=_put_in(rule.body, new, fresh)) for rule in group]
            for name, group in done.items()
        }
    return done, _put_in(body, names, fresh)


def _is_simple(group: Sequence[Derived], columns: Container[str]) -> bool:
    if len(group) != 1 or group[0].aggregated is not None or not group[0].body:
        return False
    (rule,) = group
    heads = {term for term in rule.terms if isinstance(term, Variable)}
    return len(heads) == len(rule.terms) and all(
        each.relation in columns for each in rule.body if isinstance(each, Match)
    )


def _put_in(body: Body, names: Mapping[str, Derived], fresh: count[int]) -> Body:
    literals: list[Literal] = []
    for place, literal in enumerate(body):
        rule = None
        if isinstance(literal, Match) and not literal.negated:
            rule = names.get(literal.relation)
        if rule is None or len(literals) + len(rule.body) + len(body) - place > LONGEST:
            literals.append(literal)
            continue
        assert isinstance(literal, Match)
        number = next(fresh)
        values: dict[str, Term] = {
            name: Variable(f"_{name}_{number}") for each in rule.body for name in variables(each)
        }
        values.update(
            (str(mine), given) for mine, given in zip(rule.terms, literal.terms, strict=True)
        )
        literals += [substitute(each, values) for each in rule.body]
    return tuple(literals)
