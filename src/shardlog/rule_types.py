"""Types of what rules pass around: a text where a function takes a sharding is told before a run.

Kinds come from the base relations, from functions' annotations and from values as written. What
is of no known kind is not looked at.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from shardlog.converters.vocabulary import VALUES
from shardlog.engine import Program
from shardlog.engine.program import BUILTIN_FUNCTIONS
from shardlog.engine.syntax import (
    Compare,
    Compute,
    Constant,
    Literal,
    Match,
    Rule,
    Term,
    Test,
    Variable,
)
from shardlog.ir.algebra.named_dims import NamedDims
from shardlog.ir.dimension_map import DimensionMap
from shardlog.ir.shape import Shape
from shardlog.ir.sharding import HloSharding

__all__ = ["wrong_types"]

_KINDS: dict[Any, str] = {
    HloSharding: "sharding",
    Shape: "shape",
    DimensionMap: "dimension map",
    NamedDims: "named dimensions",
    str: "text",
    int: "number",
    tuple[int, ...]: "list of dimensions",
    tuple[Shape, ...]: "list of shapes",
}
_SPELT = {"dims": "list of dimensions", "shapes": "list of shapes"}


def wrong_types(rule: Rule, program: Program) -> Iterator[tuple[str, str | None]]:
    """What in a rule is of another type than is wanted, each with a hint."""
    known: dict[str, tuple[str, str]] = {}
    for literal in rule.body:
        yield from _sources(literal, program, known)
    for literal in rule.body:
        yield from _uses(literal, program, known)


def _sources(
    literal: Literal, program: Program, known: dict[str, tuple[str, str]]
) -> Iterator[tuple[str, str | None]]:
    """Notes what kind of thing a literal gives a variable; tells of two kinds for one."""
    given: tuple[Term, str, str] | None = None
    if isinstance(literal, Match) and literal.functional and not literal.negated:
        kind = _value(literal.relation, program)
        if kind is not None:
            given = literal.terms[-1], kind, f"{literal.relation}[...]"
    elif isinstance(literal, Compute):
        kind = _returned(literal.function, program)
        if kind is not None:
            given = literal.target, kind, _shown(literal.function)
    if given is None:
        return
    term, kind, where = given
    if isinstance(term, Constant):
        found = _of_constant(term)
        if found is not None and found != kind:
            yield f"{where} is {_a(kind)}, and never {term}", None
        return
    first, place = known.setdefault(term.name, (kind, where))
    if first != kind:
        what = "one value" if term.name.startswith("_") else term.name
        yield f"{what} would be {_a(first)} ({place}) and {_a(kind)} ({where})", None


def _uses(
    literal: Literal, program: Program, known: dict[str, tuple[str, str]]
) -> Iterator[tuple[str, str | None]]:
    """Tells of arguments and comparisons of another kind than is wanted."""
    if isinstance(literal, Compare):
        left, right = (_kind(term, known) for term in (literal.left, literal.right))
        if left and right and left[0] != right[0]:
            yield (
                f"compares {_a(left[0])} ({left[1]}) with {_a(right[0])} ({right[1]})",
                None,
            )
        return
    if not isinstance(literal, Compute | Test):
        return
    wanted = _parameters(literal.function, program)
    for term, (name, kind) in zip(literal.arguments, wanted, strict=False):
        found = _kind(term, known)
        if kind is not None and found is not None and found[0] != kind:
            message = f"{_shown(literal.function)} takes {_a(kind)} as {name!r}"
            names = ", ".join(one for one, _ in wanted)
            hint = None if literal.function in BUILTIN_FUNCTIONS else f"{literal.function}({names})"
            yield f"{message}, found {_a(found[0])} ({found[1]})", hint


def _kind(term: Term, known: dict[str, tuple[str, str]]) -> tuple[str, str] | None:
    if isinstance(term, Variable):
        return known.get(term.name)
    kind = _of_constant(term)
    return None if kind is None else (kind, str(term))


def _of_constant(term: Constant) -> str | None:
    value = term.value
    if isinstance(value, str):
        return "text"
    if isinstance(value, int) and not isinstance(value, bool):
        return "number"
    if isinstance(value, tuple) and value and all(isinstance(part, int) for part in value):
        return "list of dimensions"
    return None


def _value(relation: str, program: Program) -> str | None:
    if relation in program.declared.lattices or relation in program.declared.views:
        return "sharding"
    kind = VALUES.get(relation) if relation not in program.by_relation else None
    return None if kind is None else _SPELT.get(kind, kind)


def _returned(name: str, program: Program) -> str | None:
    if name in BUILTIN_FUNCTIONS:
        return "number"
    function = program.functions.get(name)
    return _signature(function)[1] if function is not None else None


def _parameters(name: str, program: Program) -> tuple[tuple[str, str | None], ...]:
    if name in BUILTIN_FUNCTIONS:
        return ("left", "number"), ("right", "number")
    function = program.functions.get(name) or program.tests.get(name)
    return _signature(function)[0] if function is not None else ()


@cache
def _signature(
    function: Callable[..., Any],
) -> tuple[tuple[tuple[str, str | None], ...], str | None]:
    """The parameters of a function with their kinds, and the kind of its value."""
    hints = typing.get_type_hints(inspect.unwrap(function))
    parameters = inspect.signature(function).parameters
    named = tuple((name, _of_type(hints.get(name))) for name in parameters)
    return named, _of_type(hints.get("return"))


def _of_type(hint: Any) -> str | None:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        kinds = {_of_type(part) for part in typing.get_args(hint) if part is not type(None)}
        return kinds.pop() if len(kinds) == 1 else None
    return _KINDS.get(hint) if hint is not bool else None


def _shown(function: str) -> str:
    return f"`{function}`" if function in BUILTIN_FUNCTIONS else function


def _a(kind: str) -> str:
    if kind == "named dimensions":
        return kind
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
