"""Factorings: lists of sizes, major to minor, and what two of them have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from shardlog.ir.tile_assignment import TileAssignment

__all__ = ["Factor", "common_factors", "device_order", "factors_of"]


@dataclass(frozen=True, slots=True)
class Factor:
    """A part of a grid dimension that is also a part of one reshape dimension of the devices."""

    size: int
    reshape_dim: int
    dim: int


def _bounds(sizes: Sequence[int]) -> list[int]:
    """Return the products of the first sizes, from 1 up to all; sizes of 1 add none."""
    bounds = [1]
    for size in sizes:
        if size != 1:
            bounds.append(bounds[-1] * size)
    return bounds


def common_factors(sizes: Sequence[int], others: Sequence[int]) -> list[int] | None:
    """Return the shortest list of sizes above 1 that refines both, or None if there is none.

    Both must have the same product. Follows shortestCommonFactorization.
    """
    mine, its = _bounds(sizes), _bounds(others)
    if mine[-1] != its[-1]:
        return None
    bounds = sorted({*mine, *its})
    if any(minor % major for major, minor in pairwise(bounds)):
        return None
    return [minor // major for major, minor in pairwise(bounds)]


def factors_of(tile: TileAssignment) -> list[Factor] | None:
    """Return the factors of an iota grid in the order of its dimensions, or None if it has none.

    In `device_order` their sizes are a mesh on which each grid dimension is a list of whole axes.
    Follows analyzeTileAssignment.
    """
    device_dims = [tile.reshape_dims[dim] for dim in tile.transpose_perm]
    sizes = common_factors(tile.dims, device_dims)
    if sizes is None:
        return None
    grid_dim = _Cursor(tile.dims)
    device_dim = _Cursor(device_dims)
    return [
        Factor(size, tile.transpose_perm[device_dim.take(size)], grid_dim.take(size))
        for size in sizes
    ]


def device_order(factors: Iterable[Factor]) -> list[Factor]:
    """Return factors in the order of the devices, major to minor; no two are at one place."""
    return sorted(factors, key=lambda factor: (factor.reshape_dim, factor.dim))


class _Cursor:
    """Goes along sizes, major to minor, in steps that never cross the end of one."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = sizes
        self.at = 0
        self.taken = 1

    def take(self, size: int) -> int:
        """Return which entry the next step of a size lies in."""
        while self.sizes[self.at] == self.taken:
            self.at += 1
            self.taken = 1
        self.taken *= size
        return self.at
