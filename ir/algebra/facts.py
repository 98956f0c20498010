"""Numbers and yes-or-no questions about shardings and shapes."""

from __future__ import annotations

from shardlog.ir.shape import Shape
from shardlog.ir.sharding import HloSharding

__all__ = [
    "compatible",
    "has_manual",
    "is_manual",
    "is_maximal",
    "is_partitioned",
    "is_replicated",
    "is_tiled",
    "is_unknown",
    "movable_tiles",
    "tiles",
    "tiles_on",
]


def is_partitioned(sharding: HloSharding) -> bool:
    """Whether a sharding is worth moving: anything but one device, in a tuple on some leaf.

    Follows IsSpatiallyPartitioned.
    """
    if sharding.is_tuple:
        return any(is_partitioned(element) for element in sharding.elements)
    return sharding.kind != "maximal"


def is_tiled(sharding: HloSharding) -> bool:
    """Whether devices hold different tiles. Follows HloSharding::IsTiled."""
    return sharding.is_tiled


def is_manual(sharding: HloSharding) -> bool:
    """Whether the user partitions the value by hand. Follows HloSharding::IsManual."""
    return sharding.is_manual


def has_manual(sharding: HloSharding) -> bool:
    """Whether the user partitions the value, or any leaf of a tuple, by hand."""
    return any(part.is_manual for part in sharding.elements or (sharding,))


def is_maximal(sharding: HloSharding) -> bool:
    """Whether the value is whole, on one device or all. Follows HloSharding::IsTileMaximal."""
    return sharding.is_tile_maximal


def is_replicated(sharding: HloSharding) -> bool:
    """Whether every device holds the whole value. Follows HloSharding::IsReplicated."""
    return sharding.is_replicated


def is_unknown(sharding: HloSharding) -> bool:
    """Whether the sharding is a placeholder. Follows HloSharding::IsUnknown."""
    return sharding.is_unknown


def tiles(sharding: HloSharding) -> int:
    """The number of different tiles, 1 for kinds that have none. Follows HloSharding::NumTiles."""
    return sharding.num_tiles if sharding.kind == "tiled" else 1


def tiles_on(sharding: HloSharding, dims: int | tuple[int, ...]) -> int:
    """The number of tiles along one or more dimensions, 1 for kinds that have none."""
    if sharding.kind != "tiled":
        return 1
    return sharding.num_tiles_on((dims,) if isinstance(dims, int) else dims)


def movable_tiles(shape: Shape, sharding: HloSharding, dim: int) -> bool:
    """Whether the tiles along a dimension can move to another that they then divide evenly.

    Follows GetFirstTargetDimToMoveShardingTiles.
    """
    if sharding.kind != "tiled" or shape.rank < 2 or shape.dimensions[dim] == 1:
        return False
    sizes = sharding.tile.dims
    if sizes[dim] == 1:
        return False
    return any(
        other != dim and shape.dimensions[other] % (sizes[dim] * sizes[other]) == 0
        for other in range(shape.rank)
    )


def compatible(first: Shape, second: Shape) -> bool:
    """Whether two shapes have the same structure and dimensions, whatever their element types.

    Follows ShapeUtil::CompatibleIgnoringElementType.
    """
    if first is second:
        return True
    if first.is_tuple or second.is_tuple:
        return (
            first.is_tuple
            and second.is_tuple
            and len(first.elements) == len(second.elements)
            and all(map(compatible, first.elements, second.elements))
        )
    if not (first.is_array and second.is_array):
        return first.element_type == second.element_type
    return first.dimensions == second.dimensions
