"""Merging two partially replicated shardings into one that has the tiles of both."""

from __future__ import annotations

import math
from itertools import permutations
from typing import TYPE_CHECKING

from shardlog.ir.algebra.order import more_specific
from shardlog.ir.arrays import np
from shardlog.ir.sharding import HloSharding
from shardlog.ir.tile_assignment import TileAssignment
from shardlog.light import dataclass

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "common",
    "common_or",
    "either_refined",
    "first_refined",
    "first_tiled",
    "merged",
    "merged_all",
    "merged_if",
    "refined",
    "united",
]


def merged(sharding: HloSharding, other: HloSharding) -> HloSharding:
    """The sharding refined by another if they are compatible and that gives more tiles.

    Else the sharding itself. Follows the two-argument MergeShardingIfCompatible.
    """
    return united(other, sharding, _tiles(sharding) + 1) or sharding


def merged_if(sharding: HloSharding, other: HloSharding) -> HloSharding:
    """The sharding refined by another if they are compatible and that gives no fewer tiles.

    Else the sharding itself. Follows MergeShardingIfCompatible as the barriers of ShardAs use it.
    """
    return united(other, sharding, _tiles(sharding)) or sharding


def merged_all(sharding: HloSharding, others: tuple[HloSharding, ...]) -> HloSharding:
    """The sharding refined by each of the others in turn, where that gives more tiles."""
    for other in others:
        sharding = merged(sharding, other)
    return sharding


def common(shardings: tuple[HloSharding, ...]) -> HloSharding | None:
    """All shardings merged in order, or the first if some do not fit; no row for none.

    Follows FindCommonSharding without a default.
    """
    return common_or(shardings, shardings[0]) if shardings else None


def common_or(shardings: tuple[HloSharding, ...], default: HloSharding) -> HloSharding:
    """All shardings merged in order, or the default if some do not fit or there are none.

    Follows FindCommonSharding with a default.
    """
    if not shardings:
        return default
    result = shardings[0]
    for sharding in shardings[1:]:
        if result.equals(sharding):
            continue
        both = united(sharding, result, _tiles(result))
        if both is None:
            return default
        result = both
    return result


def first_tiled(shardings: tuple[HloSharding, ...]) -> HloSharding:
    """The first sharding that is not replicated; replicated if all are or there are none.

    Follows the choice of a default in the alignment of ShardAs groups.
    """
    result = HloSharding.replicated()
    for sharding in shardings:
        if result.is_replicated:
            result = sharding
    return result


def first_refined(first: HloSharding, second: HloSharding, combine: bool) -> HloSharding:
    """The second sharding merged with the first if that says more than the first, else the first.

    Follows the merge with the other operand in InferDotOperandSharding.
    """
    return refined(first, second, combine) or first


def either_refined(first: HloSharding, second: HloSharding) -> HloSharding:
    """The second merged with the first, else the first with the second, else the first.

    Follows GatherOperandShardingFromOutput and ScatterUpdateShardingFromOutput.
    """
    return refined(first, second, True) or refined(second, first, True) or first


def refined(old: HloSharding, new: HloSharding, combine: bool) -> HloSharding | None:
    """The new sharding merged with the old if that says more than the old, else None.

    With `combine` two partially replicated shardings over equally many devices merge; where they
    do not, the new one must be more specific by itself. Of a tuple one element must get better;
    the other elements are the new ones, be they worse. Follows MergeSharding.
    """
    if old.is_tuple:
        if not new.is_tuple or len(old.elements) != len(new.elements):
            return None
        pairs = list(zip(old.elements, new.elements, strict=True))
        parts = [refined(a, b, combine) for a, b in pairs]
        if all(part is None for part in parts):
            return None
        return HloSharding.tuple_of(part or b for part, (_, b) in zip(parts, pairs, strict=True))
    if (
        combine
        and old.has_partial_replication
        and new.has_partial_replication
        and old.num_devices == new.num_devices
    ):
        both = united(old, new, max(old.num_tiles, new.num_tiles) + 1)
        if both is not None:
            return both
    return new if more_specific(new, old) else None


def _tiles(sharding: HloSharding) -> int:
    return sharding.num_tiles if sharding.kind in ("tiled", "replicated", "maximal") else 1


def united(other: HloSharding, sharding: HloSharding, minimum_tiles: int) -> HloSharding | None:
    """The sharding that has the tiles of both, if it exists with at least so many tiles, else None.

    `sharding` must be partially replicated, or it is replaced if it is replicated or on one device.
    Where the grids allow it the result is an iota grid. Metadata is that of both. Follows the
    three-argument MergeShardingIfCompatible, whose `to_merge` is `other` and `dst` is `sharding`.
    """
    if other.kind != "tiled":
        return None
    if sharding.is_tile_maximal and not sharding.is_tuple:
        return other
    if sharding.kind != "tiled" or not sharding.has_partial_replication:
        return None
    plan = _plan(other, sharding, minimum_tiles)
    if plan is None:
        return None
    tile = _common_grid(plan, other, sharding) or _matched_grid(plan, other, sharding)
    if tile is None:
        return None
    types = ("manual",) * (plan.manual > 0) + ("replicated",) * (plan.copies > 1)
    made = HloSharding.subgroup(tile, types)
    if not (sharding.metadata or other.metadata):
        return made
    seen = sharding.metadata
    return made.with_metadata(seen + tuple(entry for entry in other.metadata if entry not in seen))


@dataclass(frozen=True, slots=True)
class _Plan:
    """The dimensions of a merged grid.

    `tiles` per data dimension, `manual` size of the manual subgroup or 0, `copies` replicas left.
    """

    tiles: tuple[int, ...]
    manual: int
    copies: int

    @property
    def dims(self) -> tuple[int, ...]:
        manual = (self.manual,) if self.manual else ()
        return (*self.tiles, *manual, *((self.copies,) if self.copies > 1 else ()))


def _plan(other: HloSharding, sharding: HloSharding, minimum_tiles: int) -> _Plan | None:
    rank = sharding.tiled_data_rank
    devices = other.num_devices
    if rank != other.tiled_data_rank or devices != sharding.num_devices:
        return None
    manual = _manual_size(other)
    if manual != _manual_size(sharding):
        return None
    tiles = []
    for a, b in zip(other.tile.dims[:rank], sharding.tile.dims[:rank], strict=True):
        if a != b and a != 1 and b != 1:
            return None
        tiles.append(max(a, b))
    count = math.prod(tiles)
    if count < minimum_tiles or devices % (count * max(manual, 1)):
        return None
    return _Plan(tuple(tiles), manual, devices // (count * max(manual, 1)))


def _manual_size(sharding: HloSharding) -> int:
    """Number of devices in the manual subgroup, 0 if there is none."""
    if "manual" not in sharding.subgroup_types:
        return 0
    return sharding.tile.dims[sharding.tiled_data_rank + sharding.subgroup_types.index("manual")]


def _common_grid(plan: _Plan, other: HloSharding, sharding: HloSharding) -> TileAssignment | None:
    """A grid that both shardings allow by assigning their replicas to the new tiles, or None.

    Of several the last of `sharding`'s wins, and of equal grids the iota one, as in XLA.
    """
    # XLA forgets an unreduced group in the permutation it would apply; nothing sound follows.
    may_cut = "unreduced" not in sharding.subgroup_types
    offered: dict[TileAssignment, TileAssignment] = {}
    for grid in _grids(plan, other, may_cut):
        offered[grid.device_form] = grid
    for grid in reversed(_grids(plan, sharding, may_cut)):
        match = offered.get(grid.device_form)
        if match is not None:
            return grid if grid.is_iota else match
    return None


def _grids(plan: _Plan, sharding: HloSharding, may_cut: bool) -> list[TileAssignment]:
    """The merged grids that a sharding allows: one per order of cutting up its replicas."""
    tile = sharding.tile
    if not sharding.has_partial_replication or tile.dims[-1] == plan.copies:
        return [tile]
    if not may_cut:
        return []
    rank = len(plan.tiles)
    fixed = [dim for dim in range(rank) if tile.dims[dim] == plan.tiles[dim]]
    cut = [dim for dim in range(rank) if tile.dims[dim] != plan.tiles[dim]]
    old = [tile.dims[dim] for dim in fixed]
    if plan.manual:
        fixed.append(rank)
        old.append(plan.manual)
    if plan.copies > 1:
        cut.append(len(plan.dims) - 1)
    result = []
    for order in permutations(cut):
        places = {dim: place for place, dim in enumerate([*fixed, *order])}
        split = tile.reshape((*old, *(plan.dims[dim] for dim in order)))
        result.append(split.transpose([places[dim] for dim in range(len(plan.dims))]))
    return result


def _matched_grid(plan: _Plan, other: HloSharding, sharding: HloSharding) -> TileAssignment | None:
    """A grid whose every tile takes the smallest free device that both shardings give it, or None.

    Every device belongs to one replica group of either sharding. The tiles and the devices of one
    pair of groups must be equally many; they are then matched in ascending order.
    """
    cells = np.stack([_groups_of_cells(plan, each) for each in (other, sharding)])
    devices_a, groups_a = _groups_of_devices(plan, other)
    devices_b, groups_b = _groups_of_devices(plan, sharding)
    if not np.array_equal(devices_a, devices_b):
        return None
    by_pair = np.lexsort((devices_a, groups_b, groups_a))
    cell_order = np.lexsort((np.arange(cells.shape[1]), cells[1], cells[0]))
    if not np.array_equal(cells[:, cell_order], np.stack([groups_a, groups_b])[:, by_pair]):
        return None
    grid = np.empty(len(devices_a), dtype=np.int64)
    grid[cell_order] = devices_a[by_pair]
    return TileAssignment.explicit(plan.dims, grid)


def _groups_of_cells(plan: _Plan, sharding: HloSharding) -> npt.NDArray[np.int64]:
    """Per cell of the merged grid, the replica group of a sharding that it lies in."""
    data = sharding.tile.dims[: len(plan.tiles)]
    groups = np.arange(math.prod(data) * max(plan.manual, 1)).reshape(*data, max(plan.manual, 1), 1)
    shape = (*plan.tiles, max(plan.manual, 1), plan.copies)
    return np.broadcast_to(groups, shape).reshape(-1)


def _groups_of_devices(
    plan: _Plan, sharding: HloSharding
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The devices in ascending order, and the replica group of each."""
    count = math.prod(sharding.tile.dims[: len(plan.tiles)]) * max(plan.manual, 1)
    devices = sharding.tile.array.reshape(-1)
    groups = np.repeat(np.arange(count), len(devices) // count)
    order = np.argsort(devices)
    return devices[order], groups[order]
