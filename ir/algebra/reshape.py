"""Moving a sharding through a reshape.

A run of dimensions survives a reshape if its tiles can be handed out, factor by factor, to
dimensions of the target. The longest runs are taken first and their results merged.
"""

from __future__ import annotations

import math

from shardlog.ir.algebra.merge import merged
from shardlog.ir.shape import Shape
from shardlog.ir.sharding import HloSharding
from shardlog.ir.tile_assignment import TileAssignment

__all__ = ["reshaped"]

Dims = tuple[int, ...]


def reshaped(sharding: HloSharding, source: Shape, target: Shape) -> HloSharding | None:
    """The sharding of the reshaped array; what cannot pass is replicated over the same devices.

    No row for a tuple or a sharding of another rank. Follows PropagateShardingThroughReshape.
    """
    if sharding.kind != "tiled":
        return None if sharding.is_tuple else sharding
    if sharding.tiled_data_rank != source.rank:
        return None
    if sharding.is_manual_subgroup:
        result = _within_manual(sharding, source.dimensions, target.dimensions)
    else:
        result = _without_manual(sharding, source.dimensions, target.dimensions)
    return result.with_metadata(sharding.metadata)


def _without_manual(sharding: HloSharding, source: Dims, target: Dims) -> HloSharding:
    tile = sharding.tile
    result = HloSharding.replicated()
    start = 0
    while start < len(source):
        for end in range(len(source), start, -1):
            run = [1] * len(source)
            run[start:end] = tile.dims[start:end]
            tiles = _handed_out(source, target, run)
            if tiles is None:
                continue
            rest = (*range(start), *range(end, len(tile.dims)))
            grid = tile.transpose((*range(start, end), *rest))
            copies = tile.num_elements // math.prod(tiles)
            better = merged(result, HloSharding.partial_tile(grid.reshape((*tiles, copies))))
            if better is not result:
                result, start = better, end
                break
        else:
            start += 1
    return result


def _handed_out(source: Dims, target: Dims, run: list[int]) -> Dims | None:
    """Tiles per target dimension after `run` tiles per source dimension, or None if there are none.

    Follows ReshapeSharding of jaxlib 0.10.2, which is newer than the public source of January 2025.
    """
    if 0 in source or 0 in target:
        return None
    tiles = [1] * len(target)
    sizes, parts, goals = list(source), list(run), list(target)
    at = to = 0
    while at < len(source) and to < len(target):
        whole = 1
        while at < len(source) and parts[at] == 1:
            whole *= sizes[at]
            at += 1
        while whole != 1 and to < len(target) and whole % goals[to] == 0:
            whole //= goals[to]
            to += 1
        if at == len(source) or to == len(target) or whole != 1:
            break
        size, goal = sizes[at], goals[to]
        if size == goal:
            if goal != target[to] and size % parts[at]:
                tiles[to] *= math.gcd(size, parts[at])
                break
            tiles[to] *= parts[at]
            at += 1
            to += 1
        elif goal == 1:
            to += 1
        elif size == 1:
            # More tiles than elements: their factor finds no place and is replicated.
            at += 1
        elif size % parts[at]:
            return None
        else:
            factor = math.gcd(parts[at], goal)
            if factor == 1:
                break
            sizes[at] //= factor
            parts[at] //= factor
            goals[to] //= factor
            tiles[to] *= factor
    return tuple(tiles) if math.prod(tiles) != 1 else None


def _within_manual(sharding: HloSharding, source: Dims, target: Dims) -> HloSharding:
    """Reshape the grid that each manual group has, and put the groups together again.

    Follows GroupShardingOnDims and UngroupSharding.
    """
    dims = sharding.tile.dims
    manual = len(source) + sharding.subgroup_types.index("manual")
    rest = [dim for dim in range(len(dims)) if dim != manual]
    by_group = sharding.tile.transpose((manual, *rest))
    groups, size = dims[manual], by_group.num_elements // dims[manual]
    # A group's replicas count as one more dimension that no target dimension takes up.
    inner = HloSharding.tiled(TileAssignment.iota(dims[dim] for dim in rest))
    inner = _without_manual(inner, source, target)
    tile, tiles, copies = inner.tile, inner.tile.dims[: len(target)], inner.tile.dims[len(target) :]
    if inner.is_replicated:
        tile, tiles, copies = TileAssignment.iota((size,)), (1,) * len(target), (size,)
    types = ("manual", "replicated") if copies else ("manual",)
    if tile.is_iota:
        split = by_group.reshape((groups, *tile.reshape_dims))
        regrouped = split.transpose((0, *(dim + 1 for dim in tile.transpose_perm)))
    else:
        listed = by_group.array.reshape(groups, size)[:, tile.array.reshape(-1)]
        regrouped = TileAssignment.explicit(listed.shape, listed)
    grid = regrouped.reshape((groups, *tiles, *copies))
    order = (*range(1, len(target) + 1), 0, *range(len(target) + 1, len(grid.dims)))
    return HloSharding.subgroup(grid.transpose(order), types)
