"""Dimensions with names: what a description says of an op with certain shapes.

A dimension may be made of several factors. Moving a sharding from an operand to a result then goes
by three steps: the dimensions are taken apart as a reshape would do it, factors are carried to
those of the same name, and what they make up is put together again.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod

from shardlog.ir.algebra.carry import carry
from shardlog.ir.algebra.description import Description, Dim, read_description
from shardlog.ir.algebra.merge import merged
from shardlog.ir.algebra.reshape import reshaped
from shardlog.ir.dimension_map import DimensionMap
from shardlog.ir.shape import Shape
from shardlog.ir.sharding import HloSharding

__all__ = [
    "NamedDims",
    "fit",
    "named_dims",
    "to_leaves",
    "to_operand",
    "to_result",
    "to_sibling",
]

Dims = tuple[Dim, ...]
Elements = tuple[tuple[int, HloSharding], ...]


class NamedDims:
    """The named dimensions of an op's operands and results, fitted to their shapes.

    `operands` and `results` (one for each leaf of the op's shape) hold the factors of each
    dimension; `shapes` are their shapes, operands first. Factors in `closed` pass no tiles.
    """

    __slots__ = ("_moves", "closed", "operands", "results", "shapes", "sizes")

    def __init__(
        self,
        operands: tuple[Dims, ...],
        results: tuple[Dims, ...],
        shapes: tuple[Shape, ...],
        sizes: dict[str, int],
        closed: frozenset[str],
    ) -> None:
        self.operands, self.results, self.shapes = operands, results, shapes
        self.sizes, self.closed = sizes, closed
        self._moves: dict[tuple[int, int, frozenset[str] | None], _Move | None] = {}

    def move(self, source: int, target: int, within: frozenset[str] | None = None) -> _Move | None:
        """The move between two sides, by their places among operands and then results.

        With `within` only along those factors; None if they have none of them in common.
        """
        key = source, target, within
        if key not in self._moves:
            sides = (*self.operands, *self.results)
            named = {f for dim in sides[source] for f in dim}
            shared = named & {f for dim in sides[target] for f in dim} - self.closed
            if within is not None:
                shared &= within
            is_idle = within is not None and not shared
            self._moves[key] = None if is_idle else _Move(self, source, target, shared)
        return self._moves[key]

    @property
    def contracted(self) -> frozenset[str]:
        """The open factors that no result has."""
        kept = {f for side in self.results for dim in side for f in dim}
        every = {f for side in self.operands for dim in side for f in dim}
        return frozenset(every - kept - self.closed)

    def __repr__(self) -> str:
        sides = [" ".join("(" + " ".join(dim) + ")" for dim in side) for side in self.operands]
        ends = [" ".join("(" + " ".join(dim) + ")" for dim in side) for side in self.results]
        return f"<NamedDims {', '.join(sides)} -> {', '.join(ends)}>"


class _Move:
    """A way for shardings from one array to another along factors of the same names."""

    def __init__(self, named: NamedDims, source: int, target: int, shared: set[str]) -> None:
        sides = (*named.operands, *named.results)
        self.source, self.target = named.shapes[source], named.shapes[target]
        first, last = _flat(sides[source]), _flat(sides[target])
        place = {factor: number for number, factor in enumerate(last)}
        pairs = tuple((n, place[f]) for n, f in enumerate(first) if f in shared)
        self.along = DimensionMap(pairs, len(first), len(last))
        self.apart = _taken_apart(sides[source], self.source, named.sizes)
        self.together = _taken_apart(sides[target], self.target, named.sizes)

    def __call__(self, sharding: HloSharding) -> HloSharding | None:
        """No row for a tuple or a sharding of another rank."""
        if sharding.kind == "tiled" and sharding.tiled_data_rank != self.source.rank:
            return None
        apart = reshaped(sharding, self.source, self.apart) if self.apart else sharding
        carried = carry(apart, self.along) if apart is not None else None
        if carried is None or self.together is None:
            return carried
        return reshaped(carried, self.together, self.target)


def _flat(dims: Dims) -> list[str]:
    return [factor for dim in dims for factor in dim]


def _taken_apart(dims: Dims, shape: Shape, sizes: dict[str, int]) -> Shape | None:
    """The shape with a dimension for each factor; None if each dimension is one factor."""
    if all(len(dim) == 1 for dim in dims):
        return None
    parts: list[int] = []
    for dim, size in zip(dims, shape.dimensions, strict=True):
        parts += [size] if len(dim) == 1 else [sizes[factor] for factor in dim]
    return Shape(shape.element_type, tuple(parts))


def named_dims(spec: str, shapes: tuple[Shape, ...]) -> NamedDims | None:
    """What a description such as `'... s d -> ... s d'` says of an op; no row if it does not fit.

    `shapes` are those of the operands and then of the op. Dimensions of one name are tiled alike.
    docs/rules.md has the notations. Raises InputError if the description cannot be read.
    """
    found = fit(spec, shapes)
    return None if isinstance(found, str) else found


@lru_cache(maxsize=4096)
def fit(spec: str, shapes: tuple[Shape, ...]) -> NamedDims | str:
    """The named dimensions of an op with these shapes, or in words why it does not fit.

    Raises InputError if the description cannot be read.
    """
    description = read_description(spec)
    try:
        return _Fit(description, shapes).named()
    except _Misfit as misfit:
        return str(misfit)


class _Misfit(Exception):
    pass


class _Fit:
    def __init__(self, description: Description, shapes: tuple[Shape, ...]) -> None:
        operands, leaves = shapes[:-1], shapes[-1].leaves
        results = description.results
        if len(operands) != len(description.operands):
            raise _Misfit(_count(len(operands), "operand", len(description.operands)))
        # one result that is named stands for all of a tuple
        if len(results) == 1 and len(leaves) > 1:
            results = results * len(leaves)
        if len(leaves) != len(results):
            raise _Misfit(_count(len(leaves), "result", len(results)))
        self.description = description
        self.shapes = (*operands, *leaves)
        self.count = len(operands)
        self.alone = not shapes[-1].is_tuple
        self.batch: dict[str, tuple[int, str]] = {}
        self.dims = [
            self._spread(number, side.batch, side.dims)
            for number, side in enumerate((*description.operands, *results))
        ]

    def named(self) -> NamedDims:
        """Raises _Misfit."""
        sizes = self._sizes()
        closed = {*self.description.closed, *(f for f in _all(self.dims) if f.startswith("_"))}
        return NamedDims(
            tuple(self.dims[: self.count]),
            tuple(self.dims[self.count :]),
            self.shapes,
            sizes,
            frozenset(closed),
        )

    def _where(self, number: int) -> str:
        if number < self.count:
            return f"operand {number}"
        return "the result" if self.alone else f"result {number - self.count}"

    def _spread(self, number: int, batch: str | None, dims: Dims) -> Dims:
        """The dimensions of a side with `...` written out. Raises _Misfit."""
        shape = self.shapes[number]
        if not shape.is_array:
            raise _Misfit(f"{self._where(number)} is {shape}, which is no array")
        extra = shape.rank - len(dims)
        if extra < 0 or (extra and batch is None):
            least = "at least " if batch is not None else ""
            raise _Misfit(f"{self._where(number)} is {shape}, not of {least}{len(dims)} dimensions")
        named = tuple((f"_{number}_{n}",) if dim == ("_",) else dim for n, dim in enumerate(dims))
        if batch is None:
            return named
        first, where = self.batch.setdefault(batch, (extra, self._where(number)))
        if first != extra:
            message = f"'...' is {extra} dimensions of {self._where(number)} and {first} of {where}"
            raise _Misfit(message)
        return (*((f"...{batch}.{n}",) for n in range(extra)), *named)

    def _sizes(self) -> dict[str, int]:
        """The size of each factor. Raises _Misfit if dimensions of one name differ in size."""
        description = self.description
        written = dict(description.sizes)
        sizes, seen = dict(written), dict.fromkeys(written, "in the description")
        for number, dims in enumerate(self.dims):
            for place, dim in enumerate(dims):
                if len(dim) > 1:
                    continue
                (factor,) = dim
                size = self.shapes[number].dimensions[place]
                where = f"in {self._where(number)}"
                known = sizes.setdefault(factor, size)
                first = seen.setdefault(factor, where)
                may_differ = factor in description.resized or factor in description.closed
                if known == size or may_differ or (factor in written and size > known):
                    sizes[factor] = min(known, size)
                    continue
                shown = "..." if factor.startswith(".") else factor
                message = f"{shown!r} is {known} {first} and {size} {where}"
                if factor not in written and shown != "...":
                    message += (
                        f"; if tiles pass all the same, add pass_through={{{shown}}}, "
                        f"if they do not, need_replication={{{shown}}}"
                    )
                raise _Misfit(message)
        for number, dims in enumerate(self.dims):
            for place, dim in enumerate(dims):
                if len(dim) > 1:
                    self._compound(dim, self.shapes[number].dimensions[place], number, sizes)
        return sizes

    def _compound(self, dim: Dim, size: int, number: int, sizes: dict[str, int]) -> None:
        """Checks a dimension of several factors; one of unknown size is what remains."""
        unknown = [factor for factor in dim if factor not in sizes]
        known = prod(sizes[factor] for factor in dim if factor in sizes)
        shown = f"'({' '.join(dim)})'"
        if len(unknown) > 1:
            raise _Misfit(
                f"{shown} needs the sizes of {' and '.join(unknown)}: write {{{unknown[0]}=...}}"
            )
        if unknown and known and size % known == 0:
            sizes[unknown[0]] = size // known
        elif unknown or known != size:
            raise _Misfit(f"{shown} is {known} by its factors and {size} in {self._where(number)}")


def _all(sides: list[Dims]) -> set[str]:
    return {factor for side in sides for dim in side for factor in dim}


def _count(found: int, what: str, described: int) -> str:
    return f"it has {found} {what}{'s' * (found != 1)}, not {described}"


def to_result(sharding: HloSharding, named: NamedDims, operand: int) -> HloSharding | None:
    """The sharding of an op's array as that of one of its operands makes it, by named dimensions.

    What has no name in the result, or passes no tiles, is replicated. No row for a tuple or a
    sharding of another rank.
    """
    return _moved(named, operand, len(named.operands), sharding)


def to_leaves(sharding: HloSharding, named: NamedDims, operand: int) -> Elements | None:
    """The same for each leaf of an op that is a tuple, with its place; no row if there is none."""
    count = len(named.operands)
    moved = [(leaf, _moved(named, operand, count + leaf, sharding)) for leaf in _leaves(named)]
    return tuple((leaf, made) for leaf, made in moved if made is not None) or None


def to_operand(sharding: HloSharding, named: NamedDims, operand: int) -> HloSharding | None:
    """The sharding of an operand as that of the op makes it; leaves of a tuple are merged in order.

    Manual leaves hand nothing on. No row if no leaf has anything to give.
    """
    count = len(named.operands)
    found: HloSharding | None = None
    for leaf in _leaves(named):
        part = sharding.elements[leaf] if sharding.is_tuple else sharding
        if sharding.is_tuple and part.is_manual:
            continue
        made = _moved(named, count + leaf, operand, part)
        if made is not None:
            found = made if found is None else merged(found, made)
    return found


def to_sibling(
    sharding: HloSharding, named: NamedDims, operand: int, other: int
) -> HloSharding | None:
    """The sharding of operand `other` as that of an operand makes it, by what no result has.

    No row if the two have no such dimension in common.
    """
    move = named.move(operand, other, named.contracted) if operand != other else None
    return None if move is None else move(sharding)


def _leaves(named: NamedDims) -> range:
    return range(len(named.results))


def _moved(named: NamedDims, source: int, target: int, sharding: HloSharding) -> HloSharding | None:
    move = named.move(source, target)
    return None if move is None else move(sharding)
