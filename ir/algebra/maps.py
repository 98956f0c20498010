"""Dimension maps as attributes of ops imply them.

All of these run once per instruction; `shardlog.ir.algebra.carry` applies the maps.
"""

from __future__ import annotations

from shardlog.ir.dimension_map import DimensionMap
from shardlog.ir.shape import Shape

__all__ = [
    "dim_at",
    "inverse",
    "kept",
    "others",
    "permuted",
    "placed_in_order",
    "same",
    "where_equal",
    "without",
]

Dims = tuple[int, ...]


def same(rank: int) -> DimensionMap:
    """The map of every dimension onto itself."""
    return DimensionMap(tuple((dim, dim) for dim in range(rank)), rank, rank)


def others(dims: Dims, rank: int) -> Dims:
    """The dimensions of an array of `rank` dimensions that are not listed."""
    return tuple(dim for dim in range(rank) if dim not in dims)


def kept(dims: Dims, rank: int) -> DimensionMap:
    """The map of the listed dimensions onto themselves; the others have no partner."""
    return DimensionMap(tuple((dim, dim) for dim in dims), rank, rank)


def permuted(dims: Dims) -> DimensionMap:
    """The map of a transpose: result dimension i is operand dimension dims[i]."""
    return DimensionMap(
        tuple((source, target) for target, source in enumerate(dims)), len(dims), len(dims)
    )


def placed_in_order(dims: Dims, rank: int) -> DimensionMap:
    """The map of a broadcast: operand dimension i is result dimension dims[i], devices unmoved.

    Where `dims` are not ascending XLA moves the tile counts but not the devices
    (InferShardingFromOperands, case kBroadcast).
    """
    return DimensionMap(tuple(enumerate(dims)), len(dims), rank, True)


def without(dims: Dims, rank: int) -> DimensionMap:
    """The map that removes the listed dimensions of an array of `rank` dimensions.

    It is the forward map of a reduce, and, with the new dimensions listed, the backward map of a
    broadcast (RemoveShapeDimensions).
    """
    left = (dim for dim in range(rank) if dim not in dims)
    pairs = tuple((source, target) for target, source in enumerate(left))
    return DimensionMap(pairs, rank, len(pairs))


def where_equal(source: Shape, target: Shape) -> DimensionMap | None:
    """The map of each dimension onto itself where both arrays have the same size.

    No row if the ranks differ.
    """
    if source.rank != target.rank:
        return None
    sizes = zip(source.dimensions, target.dimensions, strict=True)
    return kept(tuple(dim for dim, (a, b) in enumerate(sizes) if a == b), source.rank)


def inverse(dimension_map: DimensionMap) -> DimensionMap:
    """The map in the other direction."""
    return dimension_map.inverse()


def dim_at(dims: Dims, index: int) -> int | None:
    """The dimension at a position of a list of dimensions; no row if the list is shorter."""
    return dims[index] if 0 <= index < len(dims) else None
