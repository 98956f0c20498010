"""Moving a sharding along a dimension map, and replicating some of its dimensions.

Only tiled shardings change here. Replicated, one-device, manual, unknown and unreduced ones mean
the same for every shape and pass as they are.
"""

from __future__ import annotations

from collections.abc import Iterable

from shardlog.ir.arrays import np
from shardlog.ir.dimension_map import DimensionMap
from shardlog.ir.shape import Shape
from shardlog.ir.sharding import HloSharding
from shardlog.ir.tile_assignment import TileAssignment

__all__ = [
    "carry",
    "data_replicated",
    "device_range",
    "dropped",
    "evened",
    "extended",
    "leading",
    "mirrored",
    "rebuilt",
]


def carry(sharding: HloSharding, dimension_map: DimensionMap) -> HloSharding | None:
    """The sharding of the target that fits this sharding of the source.

    Paired dimensions keep their tiles, all others are replicated over the same devices; manual
    subgroups stay. No row for a tuple or a sharding of another rank. One function for
    TransposeSharding, TransposeShardingWithCollapsedDims, RemoveShapeDimensions,
    PropagateShardingAlongDimsAndReplicateOthers and the broadcast of InferShardingFromOperands.
    """
    if sharding.kind != "tiled":
        return None if sharding.is_tuple else sharding
    if sharding.tiled_data_rank != dimension_map.source_rank:
        return None
    source = dropped(sharding, dimension_map.dropped)
    if source.kind != "tiled":
        return source
    tile, rank = source.tile, dimension_map.source_rank
    sizes = tile.dims
    if dimension_map.reorders:
        rest = range(rank, len(sizes))
        tile = tile.transpose((*dimension_map.order, *dimension_map.dropped, *rest))
    dims = [1] * dimension_map.target_rank
    for source_dim, target_dim in dimension_map.pairs:
        dims[target_dim] = sizes[source_dim]
    return rebuilt(source, tile.reshape((*dims, *sizes[rank:])))


def rebuilt(sharding: HloSharding, tile: TileAssignment) -> HloSharding:
    """The sharding with another grid whose last dimensions mean what they did, made canonical.

    Metadata stays, a shard group does not.
    """
    if sharding.replicate_on_last_tile_dim:
        made = HloSharding.partial_tile(tile)
    else:
        made = HloSharding.subgroup(tile, sharding.subgroup_types)
    return made.with_metadata(sharding.metadata) if sharding.metadata else made


def dropped(sharding: HloSharding, dims: Iterable[int]) -> HloSharding:
    """The sharding with some dimensions replicated over the devices that split them.

    Follows PartiallyReplicateTiledShardingOnDims.
    """
    if sharding.kind != "tiled":
        return sharding
    rank, sizes = sharding.tiled_data_rank, sharding.tile.dims
    gone = [dim for dim in dims if dim < rank]
    copies = sharding.num_tiles_on(gone)
    if copies == 1:
        return sharding
    if copies == sharding.num_tiles and not sharding.subgroup_types:
        return HloSharding.replicated().with_metadata(sharding.metadata)
    stay = [dim for dim in range(rank) if dim not in gone]
    # An intermediate sharding is made on purpose: it sorts replicas, and XLA's result follows it.
    moved = rebuilt(sharding, sharding.tile.transpose((*stay, *gone, *range(rank, len(sizes)))))
    data = [1 if dim in gone else sizes[dim] for dim in range(rank)]
    if sharding.replicate_on_last_tile_dim:
        return rebuilt(sharding, moved.tile.reshape((*data, sizes[-1] * copies)))
    tile = moved.tile.reshape((*data, copies, *sizes[rank:]))
    made = HloSharding.subgroup(tile, ("replicated", *sharding.subgroup_types))
    return made.with_metadata(sharding.metadata)


def evened(sharding: HloSharding, shape: Shape) -> HloSharding:
    """The sharding with each dimension of the shape replicated that it does not split evenly."""
    if sharding.kind != "tiled":
        return sharding
    sizes = zip(shape.dimensions, sharding.tile.dims, strict=False)
    return dropped(sharding, [dim for dim, (size, tiles) in enumerate(sizes) if size % tiles])


def data_replicated(sharding: HloSharding, rank: int = -1) -> HloSharding:
    """The sharding of an array of another rank that splits no data; manual subgroups stay.

    Without a rank the sharding keeps its own. Follows ReplicateAllDataDims.
    """
    if sharding.is_manual:
        return sharding
    if not sharding.subgroup_types:
        return HloSharding.replicated().with_metadata(sharding.metadata)
    own_rank = sharding.tiled_data_rank
    result = dropped(sharding, range(own_rank))
    if rank < 0 or result.kind != "tiled" or rank == own_rank:
        return result
    tile = result.tile.reshape((*[1] * rank, *result.tile.dims[own_rank:]))
    return HloSharding.subgroup(tile, result.subgroup_types)


def leading(sharding: HloSharding, count: int) -> HloSharding | None:
    """The sharding of the first `count` dimensions alone, the others replicated.

    Replicated if the array has no more dimensions than that, even if it is tiled along them, and
    for shardings of other kinds. Follows GetBatchSharding of CustomCallBatchPartitioner.
    """
    rank = sharding.tiled_data_rank if sharding.kind == "tiled" else 0
    if not 0 < count < rank:
        return HloSharding.replicated().with_metadata(sharding.metadata)
    return carry(sharding, DimensionMap(tuple((dim, dim) for dim in range(count)), rank, count))


def extended(sharding: HloSharding, rank: int) -> HloSharding | None:
    """The sharding of an array of `rank` dimensions whose first ones are tiled like this one.

    Replicated if there are fewer, and for shardings of other kinds. Follows InsertNonBatchSharding
    of CustomCallBatchPartitioner.
    """
    count = sharding.tiled_data_rank if sharding.kind == "tiled" else rank + 1
    if count > rank:
        return HloSharding.replicated().with_metadata(sharding.metadata)
    return carry(sharding, DimensionMap(tuple((dim, dim) for dim in range(count)), count, rank))


def mirrored(sharding: HloSharding, dims: tuple[int, ...]) -> HloSharding:
    """The sharding with the tiles along some dimensions in reverse order.

    The result lists its devices, since XLA's does. Follows ReverseSharding.
    """
    if sharding.kind != "tiled" or not dims:
        return sharding
    array = np.flip(sharding.tile.array, axis=dims)
    return rebuilt(sharding, TileAssignment.explicit(sharding.tile.dims, array))


def device_range(
    sharding: HloSharding, dim: int, offset: int, part: Shape, whole: Shape
) -> HloSharding | None:
    """The sharding of a concatenate's operand outside SPMD: the tiles that hold its part of `dim`.

    `offset` is where the part begins in the whole. The result is on one device if that holds all.
    No row if the part is empty. Follows GetShardingFromUser, case kConcatenate.
    """
    if sharding.kind != "tiled" or sharding.tile.dims[dim] == 1:
        return sharding
    tile_size = -(-whole.dimensions[dim] // sharding.tile.dims[dim])
    first = offset // tile_size
    last = -(-(offset + part.dimensions[dim]) // tile_size)
    index = [slice(None)] * len(sharding.tile.dims)
    index[dim] = slice(first, last)
    devices = sharding.tile.array[tuple(index)]
    if devices.size == 0:
        return None
    if devices.size == 1:
        made = HloSharding.maximal(int(devices.flat[0]))
    else:
        made = HloSharding.tiled(TileAssignment.explicit(devices.shape, devices))
    return made.with_metadata(sharding.metadata)
