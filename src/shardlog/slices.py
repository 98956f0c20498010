"""Which slice of a tensor lies on which device under a sharding."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from shardlog.ir.errors import InputError
from shardlog.ir.shape import Shape
from shardlog.ir.sharding import HloSharding

__all__ = ["Slice", "devices_of_tile", "tile_shape", "tiles"]


@dataclass(frozen=True, slots=True)
class Slice:
    """One tile: its place among the tiles, the bounds of its slice, and the devices that hold it.

    `bounds` are (start, limit) for each dimension, limit excluded; where a dimension is not divided
    evenly the last slices are shorter, or empty. `devices` ascend; `device_count` counts also those
    left out of a long list.
    """

    place: tuple[int, ...]
    bounds: tuple[tuple[int, int], ...]
    devices: tuple[int, ...]
    device_count: int

    @property
    def is_empty(self) -> bool:
        """Whether the slice has no element: the tile is padding."""
        return any(start >= limit for start, limit in self.bounds)


def tile_shape(sharding: HloSharding, shape: Shape) -> tuple[int, ...]:
    """Return the dimensions of a tile, each rounded up. Follows HloSharding::TileShape.

    Raises InputError if the sharding is not one of an array of this rank.
    """
    grid = _grid(sharding, shape)
    return tuple(-(-size // count) for size, count in zip(shape.dimensions, grid, strict=True))


def tiles(
    sharding: HloSharding, shape: Shape, *, most: int = 4096, most_devices: int = 64
) -> Iterator[Slice]:
    """Yield the tiles of a tensor in row-major order, at most `most` of them.

    Of the devices of one tile at most `most_devices` are listed. The cost does not depend on how
    many there are in all. Raises InputError for a sharding without devices (replicated has one tile
    and no list) or of another rank. Follows HloSharding::TileOffsetForDevice and TileLimitForDevice
    """
    grid = _grid(sharding, shape)
    sizes = tile_shape(sharding, shape)
    for number in range(min(math.prod(grid), most)):
        place = _unravelled(number, grid)
        bounds = tuple(
            (min(at * size, whole), min((at + 1) * size, whole))
            for at, size, whole in zip(place, sizes, shape.dimensions, strict=True)
        )
        devices, count = devices_of_tile(sharding, place, most_devices)
        yield Slice(place, bounds, devices, count)


def _grid(sharding: HloSharding, shape: Shape) -> tuple[int, ...]:
    if not shape.is_array or sharding.is_tuple or min(shape.dimensions, default=0) < 0:
        raise InputError(
            "slices are those of one array",
            expected="an array, such as f32[16,32]",
            found=f"{shape}",
        )
    if sharding.is_tile_maximal:
        return (1,) * shape.rank
    if sharding.kind != "tiled":
        raise InputError(f"{sharding} does not say which device holds what")
    rank = sharding.tiled_data_rank
    if rank != shape.rank:
        raise InputError(f"{sharding} splits {rank} dimensions, {shape} has {shape.rank}")
    return sharding.tile.dims[:rank]


def devices_of_tile(
    sharding: HloSharding, place: tuple[int, ...], most: int
) -> tuple[tuple[int, ...], int]:
    """Return the devices that hold one tile, at most `most` of them, and how many they are."""
    if sharding.kind == "replicated":
        return (), 0
    if sharding.kind == "maximal":
        return (sharding.tile.first_device,), 1
    sharding.tile.require_sound()
    groups = sharding.tile.dims[len(place) :]
    count = math.prod(groups)
    found = [
        sharding.tile.device_at((*place, *_unravelled(number, groups)))
        for number in range(min(count, most))
    ]
    return tuple(sorted(found)), count


def _unravelled(number: int, grid: tuple[int, ...]) -> tuple[int, ...]:
    """The place with this number in row-major order."""
    place = []
    for size in reversed(grid):
        number, at = divmod(number, size)
        place.append(at)
    return tuple(reversed(place))
