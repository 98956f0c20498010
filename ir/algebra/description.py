"""How a custom call's dimensions belong together, in the notations that people write it in.

    b h s d, b h t d -> b h s d, need_replication={d}
    i (j k), k -> i j                                            JAX's, of `sharding_rule`
    ([i, j], [j, k])->([i, k]) {i=8, j=4, k=2} reduction={j}     Shardy's

Names stand for dimensions; those of one name are tiled alike.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from shardlog.ir.errors import InputError

__all__ = ["Description", "read_description"]

Side = tuple[str, ...]

_ATTRIBUTE = re.compile(r"^#sdy\.op_sharding_rule<(.*)>$", re.S)
_GROUPS = ("reduction", "need_replication", "permutation", "blocked_propagation")
_GROUP = re.compile(rf"[,\s]*\b({'|'.join(_GROUPS)})\s*=\s*\{{([^{{}}]*)\}}")
_SIZES = re.compile(r"\{\s*(?:\w+\s*=\s*\d+\s*,?\s*)*\}\s*$")
_CUSTOM = re.compile(r",\s*custom\s*$")
_SHARDY = re.compile(r"^\((.*)\)$", re.S)
_TENSOR = re.compile(r"\[([^\[\]]*)\]")
_TOKEN = re.compile(r"\([^()]*\)|\S+")
_NAME = re.compile(r"[A-Za-z_]\w*")
_FACTOR = re.compile(r"[a-z](?:_\d+)?")


@dataclass(frozen=True)
class Description:
    """The names of each operand's and of the result's dimensions; `closed` ones pass no tiles."""

    operands: tuple[Side, ...]
    result: Side
    closed: frozenset[str] = frozenset()


@cache
def read_description(text: str) -> Description:
    """Read a description. Raises InputError with what was expected.

    A dimension that is made of several factors has one name, which all of them make up. Sizes of
    factors and what they are reduced or permuted by say nothing about tiles.
    """
    rest = text.strip()
    inner = _ATTRIBUTE.match(rest)
    rest = _CUSTOM.sub("", inner[1].strip() if inner else rest)
    groups = {name: re.split(r"[,\s]+", factors.strip()) for name, factors in _GROUP.findall(rest)}
    rest = _SIZES.sub("", _CUSTOM.sub("", _GROUP.sub("", rest)).strip()).strip()
    left, arrow, right = rest.partition("->")
    if not arrow or "->" in right:
        raise _unreadable(text, "one '->' between operands and result")
    is_shardy = "[" in left
    if is_shardy:
        operands, results = (_tensors(text, half.strip()) for half in (left, right))
    else:
        operands, results = (tuple(_side(s) for s in half.split(",")) for half in (left, right))
    for side in operands + results:
        for name in side:
            if not all(_NAME.fullmatch(factor) for factor in _factors(name)):
                raise _unreadable(text, f"names of dimensions, not {name!r}")
        if len(set(side)) != len(side):
            raise _unreadable(text, f"each name once in {' '.join(side)!r}")
    if len(set(results)) != 1:
        raise _unreadable(text, "the same dimensions in every result")
    names = {name for side in operands + results for name in side}
    parts = {name: {name, *_factors(name)} for name in names}
    if is_shardy:
        parts = {name: {name, *_FACTOR.findall(name)} for name in names}
    closed = {
        factor
        for group in ("need_replication", "blocked_propagation")
        for factor in groups.get(group, ())
        if factor
    }
    for factor in sorted(closed.difference(*parts.values())):
        raise _unreadable(text, f"names of dimensions to be replicated, not {factor!r}")
    return Description(operands, results[0], frozenset(n for n in names if parts[n] & closed))


def _tensors(text: str, half: str) -> tuple[Side, ...]:
    inner = _SHARDY.match(half)
    if inner is None or _TENSOR.sub("", inner[1]).replace(",", "").strip():
        raise _unreadable(text, "operands and results in parentheses, each in brackets")
    found = _TENSOR.findall(inner[1])
    return tuple(tuple(filter(None, map(str.strip, dims.split(",")))) for dims in found)


def _side(text: str) -> Side:
    return tuple(" ".join(token.split()) for token in _TOKEN.findall(text))


def _factors(name: str) -> list[str]:
    """The factors of a dimension that is written in parentheses, or the one name."""
    return name[1:-1].split() if name.startswith("(") and name.endswith(")") else [name]


def _unreadable(text: str, expected: str) -> InputError:
    return InputError("unreadable custom_call_dims", expected=expected, found=repr(text))
