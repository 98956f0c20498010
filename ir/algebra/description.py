"""How the dimensions of an op belong together, in the notations that people write it in.

    b h s d, b h t d -> b h s d, need_replication={d}
    ... i (j k), k -> ... i j                                    JAX's, of `sharding_rule`
    ([i, j], [j, k])->([i, k]) {i=8, j=4, k=2} reduction={j}     Shardy's

Names stand for dimensions; those of one name are tiled alike. `shardlog.ir.algebra.named_dims` fits
what is read here to shapes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from shardlog.ir.errors import InputError
from shardlog.light import dataclass

__all__ = ["Description", "Side", "read_description"]

Dim = tuple[str, ...]
"""The factors that a dimension is made of, major to minor; usually one."""

_ATTRIBUTE = re.compile(r"#sdy\.op_sharding_rule<(.*)>", re.S)
_GROUPS = {
    "reduction": "reduction",
    "need_replication": "closed",
    "blocked_propagation": "closed",
    "permutation": "resized",
    "pass_through": "resized",
}
_TAIL = re.compile(
    rf"[\s,]*(?:\b({'|'.join(_GROUPS)})(?:_factors)?\s*=\s*(?:\{{([^{{}}()]*)\}}|\(([^{{}}()]*)\))"
    r"|\{\s*((?:\w+\s*=\s*\d+[\s,]*)*)\}|\b(\w+)\s*=\s*(\d+)\b|,\s*(custom)\b)[\s,]*$"
)
_SIZE = re.compile(r"(\w+)\s*=\s*(\d+)")
_SHARDY = re.compile(r"\((.*)\)", re.S)
_TENSOR = re.compile(r"\[([^\[\]]*)\]")
_TOKEN = re.compile(r"\([^()]*\)|[^\s()]+|[()]")
_NAME = re.compile(r"[A-Za-z]\w*")
_BATCH = re.compile(r"\.\.\.(\d*)")
_FACTOR = re.compile(r"[a-z](?:_\d+)?")
_NOBODY = "_"


@dataclass(frozen=True)
class Side:
    """The dimensions of one operand or result; `batch` names what `...` before them stands for."""

    dims: tuple[Dim, ...]
    batch: str | None = None


@dataclass(frozen=True)
class Description:
    """What a description says before it is fitted to shapes.

    `sizes` are those of factors as written. `closed` factors pass no tiles, dimensions of `resized`
    ones may differ in size, `reduction` ones are summed over and have no place in a result; `kinds`
    are the words that say so, by factor.
    """

    operands: tuple[Side, ...]
    results: tuple[Side, ...]
    sizes: tuple[tuple[str, int], ...] = ()
    closed: frozenset[str] = frozenset()
    resized: frozenset[str] = frozenset()
    reduction: frozenset[str] = frozenset()
    kinds: tuple[tuple[str, str], ...] = ()

    @property
    def factors(self) -> set[str]:
        """The names of all factors."""
        return {f for side in (*self.operands, *self.results) for dim in side.dims for f in dim}


@cache
def read_description(text: str) -> Description:
    """Read a description in any notation. Raises InputError with what was expected."""
    rest = text.strip()
    inner = _ATTRIBUTE.fullmatch(rest)
    rest, sizes, groups, kinds = _tail(text, inner[1].strip() if inner else rest)
    left, arrow, right = rest.partition("->")
    if not arrow or "->" in right:
        raise _unreadable(text, "one '->' between operands and results")
    read = _tensors if "[" in left or "[" in right else _sides
    operands, results = (tuple(read(text, half.strip())) for half in (left, right))
    closed, resized, reduction = map(frozenset, groups.values())
    described = Description(
        operands, results, sizes, closed, resized, reduction, tuple(kinds.items())
    )
    for side in operands + results:
        factors = [f for dim in side.dims for f in dim if f != _NOBODY]
        if len(set(factors)) != len(factors):
            raise _unreadable(text, f"each name once in {_spelt(side)!r}")
    known = described.factors - {_NOBODY}
    for name in sorted({*(name for name, _ in sizes), *(n for g in groups.values() for n in g)}):
        if name not in known:
            raise _unreadable(text, f"names of dimensions in braces, not {name!r}")
    in_results = {f for side in results for dim in side.dims for f in dim}
    for name in sorted(described.reduction & in_results):
        raise _unreadable(text, f"no {name!r} in a result, since it is reduced")
    return described


def _tail(
    text: str, rest: str
) -> tuple[str, tuple[tuple[str, int], ...], dict[str, dict[str, None]], dict[str, str]]:
    """What stands before the options, sizes of factors, their groups, and the word for each."""
    sizes: dict[str, int] = {}
    groups: dict[str, dict[str, None]] = {name: {} for name in ("closed", "resized", "reduction")}
    kinds: dict[str, str] = {}
    while found := _TAIL.search(rest):
        group, braces, parentheses, many, name, size, _ = found.groups()
        if group is not None:
            names = re.split(r"[,\s]+", (braces or parentheses or "").strip(" ,"))
            factors = [name.strip("'\"") for name in names if name]
            groups[_GROUPS[group]].update(dict.fromkeys(factors))
            kinds.update(dict.fromkeys(factors, group))
        for one, number in _SIZE.findall(many or "") or ([(name, size)] if name else []):
            if sizes.setdefault(one, int(number)) != int(number) or int(number) < 1:
                raise _unreadable(text, f"one size above 0 for {one!r}")
        rest = rest[: found.start()].rstrip()
    return rest, tuple(sizes.items()), groups, kinds


def _tensors(text: str, half: str) -> Iterator[Side]:
    """The sides in Shardy's notation, whose factors are single letters."""
    inner = _SHARDY.fullmatch(half)
    if inner is None or _TENSOR.sub("", inner[1]).replace(",", "").strip():
        raise _unreadable(text, "operands and results in parentheses, each in brackets")
    for tensor in _TENSOR.findall(inner[1]):
        dims = [dim.strip() for dim in tensor.split(",") if dim.strip()]
        for dim in dims:
            if "".join(_FACTOR.findall(dim)) != dim:
                raise _unreadable(text, f"factors such as i, jk or z_1, not {dim!r}")
        yield Side(tuple(tuple(_FACTOR.findall(dim)) for dim in dims))


def _sides(text: str, half: str) -> Iterator[Side]:
    """The sides as names with spaces between them."""
    for part in half.split(","):
        batch, dims = None, []
        for number, token in enumerate(_TOKEN.findall(part)):
            is_batch = _BATCH.fullmatch(token)
            if is_batch and number:
                raise _unreadable(text, f"'{token}' at the beginning, before all other dimensions")
            if is_batch:
                batch = is_batch[1] or "0"
                continue
            is_compound = token.startswith("(") and token.endswith(")")
            names = token[1:-1].split() if is_compound else [token]
            if is_compound and len(names) < 2:
                raise _unreadable(text, f"two names or more in parentheses, not {token!r}")
            for name in names:
                if not _NAME.fullmatch(name) and (name != _NOBODY or is_compound):
                    raise _unreadable(text, f"names of dimensions, not {name!r}")
            dims.append(tuple(names))
        yield Side(tuple(dims), batch)


def _spelt(side: Side) -> str:
    return " ".join(dim[0] if len(dim) == 1 else f"({' '.join(dim)})" for dim in side.dims)


def _unreadable(text: str, expected: str) -> InputError:
    return InputError("unreadable dimensions", expected=expected, found=repr(text))
