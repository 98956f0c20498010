"""What a rule file may hold at most: it is data, whoever wrote it.

The text is looked through before Python's own parser sees it, numbers are worked out within
bounds, and what rules derive from each other has an end. docs/rules.md states the bounds.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from typing import Any

__all__ = [
    "ARITHMETIC",
    "LARGEST_NUMBER",
    "MOST_ROWS",
    "TooLarge",
    "is_plain",
    "number",
    "too_large",
    "value_problem",
]

LONGEST_FILE = 1_000_000
"""Characters of a rule file."""

LONGEST_TEXT = 10_000
"""Characters of a text in quotes."""

LONGEST_STATEMENT = 4_000
"""Names, values and signs of one statement."""

MOST_STATEMENTS = 5_000
"""Rules and facts of a file."""

DEEPEST = 60
"""How many parentheses and brackets stand inside each other, and signs before a term."""

LARGEST_NUMBER = 2**63 - 1
"""Numbers, written or worked out, go from minus this to this."""

MOST_ROWS = 1_000_000
"""Rows that relations which are defined by each other may have together."""

_LONGEST_NUMBER = 40
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SIGNS = ("-", "+", "~", "not", "lambda", "await")
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
}


class TooLarge(ValueError):
    """A number beyond LARGEST_NUMBER, or none at all where one is needed."""


def too_large(text: str) -> tuple[int, int, str] | None:
    """The first place (line, column) of a text that is larger than may be, and in what way.

    What is no Python at all is not told here.
    """
    if len(text) > LONGEST_FILE:
        return 1, 1, f"a rule file has at most {LONGEST_FILE:,} characters, found {len(text):,}"
    try:
        return next(_too_large(text), None)
    except (tokenize.TokenError, SyntaxError, ValueError):
        return None


def _too_large(text: str) -> Iterator[tuple[int, int, str]]:
    depth = signs = tokens = statements = 0
    first = (1, 0)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        line, column = token.start
        if token.type == tokenize.NEWLINE:
            depth = signs = tokens = 0
            statements += 1
            if statements > MOST_STATEMENTS:
                yield line, 1, f"a rule file has at most {MOST_STATEMENTS:,} statements"
            continue
        if token.type in (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT):
            continue
        if not tokens:
            first = token.start
        tokens += 1
        depth += (token.string in ("(", "[", "{")) - (token.string in (")", "]", "}"))
        signs = signs + 1 if token.string in _SIGNS else 0
        if depth > DEEPEST or signs > DEEPEST:
            yield line, column + 1, f"nested more than {DEEPEST} deep"
        if tokens > LONGEST_STATEMENT:
            message = f"a statement has at most {LONGEST_STATEMENT:,} names, values and signs"
            yield first[0], first[1] + 1, message
        if token.type == tokenize.NUMBER and len(token.string) > _LONGEST_NUMBER:
            yield line, column + 1, _beyond()
        if token.type == tokenize.STRING and len(token.string) > LONGEST_TEXT:
            yield line, column + 1, f"a text has at most {LONGEST_TEXT:,} characters"


def is_plain(name: str) -> bool:
    """Whether a name may be that of a relation or function: plain letters, and no `__`."""
    return _NAME.fullmatch(name) is not None and "__" not in name


def value_problem(value: object) -> str | None:
    """What is wrong with a value that is written in a rule, if anything."""
    if value is None or isinstance(value, bool | str):
        return None
    if isinstance(value, int):
        return None if abs(value) <= LARGEST_NUMBER else _beyond()
    return f"{value!r:.40} is no value that rules know"


def _beyond() -> str:
    return f"numbers go up to {LARGEST_NUMBER} (2**63 - 1)"


def number(node: ast.expr) -> int | None:
    """The number that an expression of numbers alone is, None if it is none.

    Raises TooLarge before anything large is worked out.
    """
    match node:
        case ast.Constant(int() as value) if not isinstance(value, bool):
            return _within(value)
        case ast.UnaryOp(ast.USub(), operand):
            inner = number(operand)
            return None if inner is None else -inner
        case ast.BinOp(left, sign, right) if type(sign) in _OPERATORS:
            one = number(left)
            other = number(right) if one is not None else None
            if one is None or other is None:
                return None
            return ARITHMETIC[_OPERATORS[type(sign)]](one, other)
    return None


def _within(value: int) -> int:
    if abs(value) > LARGEST_NUMBER:
        raise TooLarge(_beyond())
    return value


def _numbers(one: Any, other: Any) -> None:
    for value in (one, other):
        if not isinstance(value, int):
            raise TooLarge(f"arithmetic is for numbers, not for {value!r:.40}")


def _added(one: int, other: int) -> int:
    _numbers(one, other)
    return _within(one + other)


def _less(one: int, other: int) -> int:
    _numbers(one, other)
    return _within(one - other)


def _times(one: int, other: int) -> int:
    _numbers(one, other)
    return _within(one * other)


def _divided(one: int, other: int) -> int:
    _numbers(one, other)
    if other == 0:
        raise TooLarge("division by zero")
    return one // other


def _rest(one: int, other: int) -> int:
    _numbers(one, other)
    if other == 0:
        raise TooLarge("division by zero")
    return one % other


def _power(one: int, other: int) -> int:
    _numbers(one, other)
    if other < 0:
        raise TooLarge("no number has a power below 0 here")
    if abs(one) > 1 and other * (abs(one).bit_length() - 1) > 63:
        raise TooLarge(_beyond())
    return _within(one if other and abs(one) == 1 and other % 2 else one**other)


ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": _added,
    "-": _less,
    "*": _times,
    "//": _divided,
    "%": _rest,
    "**": _power,
}
"""Arithmetic within bounds; each raises TooLarge."""
