"""Which digits of the device number each dimension of a sharding splits over.

A mesh axis, or a part of one, shows in a device grid as a digit of the device number: devices that
differ in that digit alone hold different tiles of a dimension. Digits tell whether two shardings
split over the same devices, whatever dimensions they split.
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from shardlog.ir.sharding import HloSharding
from shardlog.ir.tile_assignment import TileAssignment

__all__ = [
    "Digit",
    "digits",
    "digits_of",
    "manual_digits",
    "overlapping_dims",
    "paired_digits",
    "same_tiles",
    "split_dims",
]


class Digit(NamedTuple):
    """A digit of the device number: `device // stride % size`, `size` being a prime.

    `grid` tells grids apart that are no iota: their digits are those of the place in their list.
    """

    stride: int
    size: int
    grid: int = 0

    def __str__(self) -> str:
        return f"{self.size}@{self.stride}"


@lru_cache(maxsize=4096)
def digits(sharding: HloSharding) -> tuple[frozenset[Digit], ...]:
    """The digits that each data dimension of an array's sharding is split over.

    Empty for shardings that are not tiled and for tuples.
    """
    if sharding.kind != "tiled" or sharding.is_tuple:
        return ()
    return _grid_digits(sharding.tile)[: sharding.tiled_data_rank]


@lru_cache(maxsize=4096)
def digits_of(sharding: HloSharding | None) -> frozenset[Digit]:
    """All digits that any dimension is split over."""
    if sharding is None:
        return frozenset()
    parts = sharding.elements if sharding.is_tuple else (sharding,)
    return frozenset(digit for part in parts for row in digits(part) for digit in row)


@lru_cache(maxsize=4096)
def manual_digits(sharding: HloSharding) -> frozenset[Digit]:
    """The digits over which an array is divided by hand: those of its manual subgroup.

    Empty for shardings without one and for tuples.
    """
    if sharding.kind != "tiled" or sharding.is_tuple:
        return frozenset()
    types = sharding.subgroup_types
    rows = _grid_digits(sharding.tile)[sharding.tiled_data_rank :]
    found = [row for row, kind in zip(rows, types, strict=False) if kind == "manual"]
    return frozenset().union(*found)


def paired_digits(
    first: HloSharding, second: HloSharding
) -> list[tuple[frozenset[Digit], frozenset[Digit]]]:
    """The digits of two shardings of an array, dimension by dimension; none where not tiled."""
    none: frozenset[Digit] = frozenset()
    return list(itertools.zip_longest(digits(first), digits(second), fillvalue=none))


@lru_cache(maxsize=4096)
def same_tiles(first: HloSharding, second: HloSharding) -> bool:
    """Whether every device holds the same tile of an array by two shardings of it.

    Digits may be the same where tiles are not: in another order, or mirrored.
    """
    if digits(first) != digits(second):
        return False
    if first.equals(second):
        return True
    places = (_places(first), _places(second))
    return all(
        np.array_equal(mine, theirs)
        for mine, theirs in zip(places[0].values(), places[1].values(), strict=False)
    )


def overlapping_dims(first: HloSharding, second: HloSharding) -> list[int]:
    """The dimensions that two shardings of an array split so that neither's tiles hold the other's.

    Of as many devices both; a tile of one and a tile of the other then overlap on some device.
    """
    if first.num_devices != second.num_devices:
        return []
    mine, theirs = _places(first), _places(second)
    found = []
    for dim in mine.keys() & theirs.keys():
        coarse, fine = sorted(
            ((first.tile.dims[dim], mine[dim]), (second.tile.dims[dim], theirs[dim])),
            key=lambda one: one[0],
        )
        ratio, rest = divmod(fine[0], coarse[0])
        if rest or not np.array_equal(coarse[1], fine[1] // ratio):
            found.append(dim)
    return sorted(found)


def _places(sharding: HloSharding) -> dict[int, Any]:
    """For each data dimension that is split, which of its tiles each device holds."""
    tile = sharding.tile
    place = np.empty(tile.num_elements, dtype=np.int64)
    place[tile.array.reshape(-1)] = np.arange(tile.num_elements)
    indices = np.unravel_index(place, tile.dims)
    return {dim: indices[dim] for dim in split_dims(sharding)}


@lru_cache(maxsize=1 << 12)
def split_dims(sharding: HloSharding | None) -> tuple[int, ...]:
    """The dimensions of an array that are split."""
    if sharding is None or sharding.kind != "tiled" or sharding.is_tuple:
        return ()
    dims = sharding.tile.dims[: sharding.tiled_data_rank]
    return tuple(dim for dim, size in enumerate(dims) if size > 1)


def _grid_digits(tile: TileAssignment) -> tuple[frozenset[Digit], ...]:
    listed = None if tile.is_iota else _list_digits(tile)
    if listed is not None:
        return listed
    # the devices' order as (size, stride) pairs, the most minor last
    if tile.is_iota:
        strides, stride = [], 1
        for size in reversed(tile.reshape_dims):
            strides.append(stride)
            stride *= size
        strides.reverse()
        order = [(tile.reshape_dims[dim], strides[dim]) for dim in tile.transpose_perm]
        grid = 0
    else:
        order, grid = [(tile.num_elements, 1)], hash(tile.array.tobytes()) or 1
    found: list[frozenset[Digit]] = []
    for size in reversed(tile.dims):
        mine: set[Digit] = set()
        while size > 1 and order:
            whole, stride = order.pop()
            # a dimension that no digits make up exactly takes those that it cuts
            part = math.gcd(whole, size) if math.gcd(whole, size) > 1 else whole
            mine |= {Digit(at, prime, grid) for prime, at in _primes(part, stride)}
            if whole > part:
                order.append((whole // part, stride * part))
            size = -(-size // part)
        found.append(frozenset(mine))
    return tuple(reversed(found))


def _list_digits(tile: TileAssignment) -> tuple[frozenset[Digit], ...] | None:
    """The digits of a grid that is spelled out, None if its dimensions are split over no digits.

    A mirrored grid is such a one: it has the digits of the one that it mirrors.
    """
    count = tile.num_elements
    if not np.array_equal(np.sort(tile.array.reshape(-1)), np.arange(count)):
        return None
    # where each device stands in the grid
    place = np.empty(count, dtype=np.int64)
    place[tile.array.reshape(-1)] = np.arange(count)
    indices = np.unravel_index(place, tile.dims)
    devices = np.arange(count)
    found = []
    for dim, size in enumerate(tile.dims):
        mine = set()
        for prime, stride in _primes(count, 1):
            digit = devices // stride % prime
            turned = devices + ((digit + 1) % prime - digit) * stride
            if (indices[dim] != indices[dim][turned]).any():
                mine.add(Digit(stride, prime))
        if math.prod(digit.size for digit in mine) != size:
            return None
        found.append(frozenset(mine))
    return tuple(found)


def _primes(size: int, stride: int) -> list[tuple[int, int]]:
    """A digit cut into prime ones, the most minor first."""
    pairs = []
    prime = 2
    while size > 1:
        if size % prime == 0:
            pairs.append((prime, stride))
            stride *= prime
            size //= prime
        else:
            prime += 1 if prime * prime <= size else size - prime
    return pairs
