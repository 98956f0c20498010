"""Comparing shardings: which is more specific, which is a sub-tiling of which."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from shardlog.ir.arrays import np
from shardlog.ir.shape import Shape
from shardlog.ir.sharding import HloSharding

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["more_specific", "most_specific", "strictly_better", "subtiling"]


def more_specific(sharding: HloSharding, than: HloSharding) -> bool:
    """Whether a sharding says more than another: more tiles, or anything against replicated.

    Manual is above replicated and one device and incomparable with tiled. A tuple is above another
    if no element is below and one is above. False for shapes that differ.
    Follows IsShardingMoreSpecific.
    """
    if sharding.is_tuple or than.is_tuple:
        if len(sharding.elements) != len(than.elements):
            return False
        pairs = list(zip(sharding.elements, than.elements, strict=True))
        return any(more_specific(a, b) for a, b in pairs) and not any(
            more_specific(b, a) for a, b in pairs
        )
    if sharding.kind == "manual" and than.is_tile_maximal:
        return True
    if sharding.kind == "manual" or than.kind == "manual":
        return False
    if than.kind == "replicated":
        return sharding.kind != "replicated"
    if than.kind == "maximal":
        return not sharding.is_tile_maximal
    return _tiles(sharding) > _tiles(than)


def _tiles(sharding: HloSharding) -> int:
    """Number of tiles, 1 for the kinds that XLA refuses to count."""
    return sharding.num_tiles if sharding.kind == "tiled" else 1


def strictly_better(sharding: HloSharding, than: HloSharding) -> bool:
    """Whether a sharding beats another whatever else holds: manual over whole values.

    Of tuples one element must be so and none the other way round; the rest does not count.
    Follows IsShardingStrictlyBetter.
    """
    if not sharding.is_tuple:
        return sharding.kind == "manual" and than.is_tile_maximal
    pairs = list(zip(sharding.elements, than.elements, strict=True))
    return any(a.kind == "manual" and b.is_tile_maximal for a, b in pairs) and not any(
        b.kind == "manual" and a.is_tile_maximal for a, b in pairs
    )


def most_specific(shardings: tuple[HloSharding, ...]) -> HloSharding | None:
    """The first sharding that no later one betters; no row for an empty list.

    Follows PickRepresentativeOperand: a later one replaces the choice only if more specific.
    """
    best: HloSharding | None = None
    for sharding in shardings:
        if best is None or more_specific(sharding, best):
            best = sharding
    return best


def subtiling(shape: Shape, inner: HloSharding, outer: HloSharding) -> bool:
    """Whether each device's part of `shape` under `inner` lies in its part under `outer`.

    Follows IsSubTilingOrEqualSharding.
    """
    if inner.kind == "manual" or outer.kind == "manual":
        return False
    if outer.is_tile_maximal:
        return True
    if inner.kind != "tiled" or outer.kind != "tiled":
        return inner is outer
    rank = inner.tiled_data_rank
    if rank != outer.tiled_data_rank or rank != shape.rank:
        return False
    inner_dims, outer_dims = inner.tile.dims, outer.tile.dims
    if any(a < b for a, b in zip(inner_dims[:rank], outer_dims[:rank], strict=True)):
        return False
    if not _splits_evenly(shape, inner_dims, outer_dims):
        return _offsets_nest(shape, inner, outer)
    if not outer.has_partial_replication:
        return inner.equals(outer)
    if inner.num_devices != outer.num_devices:
        return False
    # Where tiles split evenly, undoing the finer splits must give the outer grid.
    split: list[int] = []
    coarse: list[int] = []
    fine: list[int] = []
    for dim in range(rank):
        coarse.append(len(split))
        split.append(outer_dims[dim])
        if inner_dims[dim] != outer_dims[dim]:
            fine.append(len(split))
            split.append(inner_dims[dim] // outer_dims[dim])
    subgroups = range(len(split), len(split) + len(inner_dims) - rank)
    split.extend(inner_dims[rank:])
    tile = inner.tile.reshape(split).transpose((*coarse, *subgroups, *fine)).reshape(outer_dims)
    return HloSharding.partial_tile(tile).tile.same_devices(outer.tile)


def _splits_evenly(shape: Shape, inner_dims: tuple[int, ...], outer_dims: tuple[int, ...]) -> bool:
    """Whether all tiles hold data and inner ones divide outer ones, where outer splits at all."""
    for size, inner, outer in zip(shape.dimensions, inner_dims, outer_dims, strict=False):
        inner_tile, outer_tile = -(-size // inner), -(-size // outer)
        if outer != 1 and (
            inner % outer
            or inner_tile == 0
            or outer_tile % inner_tile
            or size <= (inner - 1) * inner_tile
        ):
            return False
    return True


def _offsets_nest(shape: Shape, inner: HloSharding, outer: HloSharding) -> bool:
    """Compare where each device's tiles begin and end; tiles that only hold padding count less."""
    sizes = np.array(shape.dimensions, dtype=np.int64)
    inner_tile, inner_start = _offsets(sizes, inner)
    outer_tile, outer_start = _offsets(sizes, outer)
    if inner_start.shape != outer_start.shape:
        return False
    inner_order = np.argsort(inner.tile.array, axis=None)
    outer_order = np.argsort(outer.tile.array, axis=None)
    inner_devices = inner.tile.array.reshape(-1)[inner_order]
    if not np.array_equal(inner_devices, outer.tile.array.reshape(-1)[outer_order]):
        return False
    start, limit = inner_start[inner_order], outer_start[outer_order]
    end = start + inner_tile
    # The last tile may reach beyond the array in either sharding, so it has no upper bound.
    outside = (start < limit) | ((end <= sizes) & (end > limit + outer_tile))
    return not bool(outside.any())


def _offsets(
    sizes: npt.NDArray[np.int64], sharding: HloSharding
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Size of a tile, and per device of the grid in order the place where its tile begins."""
    rank = len(sizes)
    dims = sharding.tile.dims
    tile = -(-sizes // np.array(dims[:rank], dtype=np.int64))
    index = np.indices(dims[:rank], dtype=np.int64).reshape(rank, -1).T
    return tile, np.repeat(index * tile, math.prod(dims[rank:]), axis=0)
