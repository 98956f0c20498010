"""Between axes of a mesh and grids of devices: what HloSharding and the mesh-based forms share.

Both directions cut the mesh into pieces. A sharding on a mesh says which pieces split which
dimension; the grid is then the mesh's devices, reshaped to the pieces and transposed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from shardlog.ir.arrays import np
from shardlog.ir.errors import InputError
from shardlog.ir.sharding import HloSharding
from shardlog.ir.shardy.axes import AxisRef
from shardlog.ir.shardy.mesh import Mesh
from shardlog.ir.tile_assignment import TileAssignment

__all__ = ["axes_of_tile", "devices_of_mesh", "tile_on_mesh"]

_Axes = Sequence[AxisRef]


def devices_of_mesh(mesh: Mesh) -> TileAssignment:
    """Return the devices of a mesh with axes as a grid, a dimension for each axis."""
    sizes = [axis.size for axis in mesh.axes]
    if mesh.device_ids:
        return TileAssignment.explicit(sizes, mesh.device_ids)
    return TileAssignment.iota(sizes)


def tile_on_mesh(
    mesh: Mesh,
    dims: Sequence[_Axes],
    manual: _Axes = (),
    unreduced: _Axes = (),
    devices: TileAssignment | None = None,
    replicated: _Axes = (),
) -> HloSharding:
    """Return the sharding whose dimensions are split by the given axes of a mesh.

    Axes in no list replicate. `devices` replaces the mesh's own, in the shape of its axes; whether
    the grid is then an iota depends on all cuts, and so on sub-axes in `replicated`. The axes must
    have been verified: they exist and come from one cut of each axis without overlap. A list of
    device ids stays a list, and a mesh of one device gives a grid of one place.
    Follows convertToHloSharding.
    """
    groups = {"manual": manual, "unreduced": unreduced}
    types = [kind for kind, axes in groups.items() if axes]
    lists = [*dims, *(groups[kind] for kind in types)]
    named = [axis for axes in lists for axis in axes]
    sizes, pieces = _pieces(mesh, [*named, *replicated])
    order = [piece for axis in named for piece in pieces[axis]]
    taken = set(order)
    rest = [piece for piece in range(len(sizes)) if piece not in taken]
    grid = [math.prod(axis.size(mesh) for axis in axes) for axes in lists]
    replicas = math.prod(sizes[piece] for piece in rest)
    if replicas > 1:
        types.append("replicated")
        grid.append(replicas)
    if devices is not None:
        tile = devices.reshape(sizes).transpose(order + rest).reshape(grid)
    elif mesh.device_ids:
        listed = np.array(mesh.device_ids, dtype=np.int64).reshape(sizes)
        tile = TileAssignment.explicit(grid, listed.transpose(order + rest))
    else:
        tile = TileAssignment.iota(grid, sizes or [1], [*order, *rest] or [0])
    return HloSharding.subgroup(tile, types)


def _pieces(mesh: Mesh, named: _Axes) -> tuple[list[int], dict[AxisRef, range]]:
    """Cut the axes of a mesh at the ends of all sub-axes.

    Returns the sizes of the pieces in mesh order, and for each reference its pieces; axes of size 1
    have none, since an array can have only so many dimensions. Follows getOrderedAxisRefs.
    """
    cuts: dict[str, set[int]] = {axis.name: {1, axis.size} for axis in mesh.axes}
    for axis in named:
        cuts[axis.name] |= {axis.pre_size, axis.end(mesh)}
    sizes: list[int] = []
    starts: dict[tuple[str, int], int] = {}
    for name, ends in cuts.items():
        bounds = sorted(ends)
        for start, end in pairwise(bounds):
            starts[name, start] = len(sizes)
            sizes.append(end // start)
        starts[name, bounds[-1]] = len(sizes)
    return sizes, {
        axis: range(starts[axis.name, axis.pre_size], starts[axis.name, axis.end(mesh)])
        for axis in named
    }


def axes_of_tile(
    tile: TileAssignment,
    mesh: Mesh,
    *,
    sets: bool = False,
    devices: TileAssignment | None = None,
) -> list[tuple[AxisRef, ...]]:
    """Return the axes of a mesh that make up each dimension of a grid, major to minor.

    Axes of size 1 are left out. With `sets` the order of devices along the last dimension does not
    count. `devices` replaces the mesh's own. Raises InputError if the grid is not made of axes and
    sub-axes of this mesh.
    """
    tile.require_sound()
    if tile.num_elements != mesh.total_size or not mesh.axes:
        raise InputError(
            f"{tile} has {tile.num_elements} devices, "
            f"the mesh {mesh.stripped} {mesh.total_size if mesh.axes else len(mesh.device_ids)}"
        )
    placed = _by_place(tile, devices or devices_of_mesh(mesh), sets)
    cut = placed.cut() if placed.is_iota else None
    if cut is None:
        raise InputError(f"{tile} is not made of axes of the mesh {mesh.stripped}")
    sizes, order, groups = cut
    parts = _matched(sizes, order, mesh)
    if parts is None:
        raise InputError(f"{tile} is not made of axes of the mesh {mesh.stripped}")
    return [_merged([part for piece in group for part in parts[piece]], mesh) for group in groups]


def _by_place(tile: TileAssignment, devices: TileAssignment, sets: bool) -> TileAssignment:
    """Return a grid with each device replaced by its place in the mesh, as iota if that can be."""
    if devices.is_iota and len(devices.reshape_dims) == 1:
        if tile.is_iota or not sets:
            return tile.device_form
        places = tile.array
        if places.min() < 0 or places.max() >= places.size:
            return tile
    else:
        listed = tile.array
        if listed.min() < 0 or listed.max() >= listed.size:
            return tile
        places = np.argsort(devices.array.reshape(-1))[listed]
    if sets and tile.rank:
        places = np.sort(places, axis=-1)
    return TileAssignment.explicit(tile.dims, places).device_form


def _matched(
    sizes: Sequence[int], order: Sequence[int], mesh: Mesh
) -> dict[int, list[AxisRef]] | None:
    """Find for each piece, taken in mesh order, the sub-axes that it is made of.

    Returns None if a piece ends within an axis where no sub-axis ends.
    """
    parts: dict[int, list[AxisRef]] = {piece: [] for piece in range(len(sizes))}
    axes = (axis for axis in mesh.axes if axis.size > 1)
    axis, done = None, 1
    for piece in order:
        left = sizes[piece]
        while left > 1:
            if axis is None or done == axis.size:
                axis, done = next(axes), 1
            size = math.gcd(left, axis.size // done)
            if size == 1:
                return None
            whole = size == axis.size
            parts[piece].append(
                AxisRef(axis.name) if whole else AxisRef.part(axis.name, done, size)
            )
            done *= size
            left //= size
    return parts


def _merged(axes: Sequence[AxisRef], mesh: Mesh) -> tuple[AxisRef, ...]:
    merged: list[AxisRef] = []
    for axis in axes:
        if merged and merged[-1].can_merge(axis):
            merged[-1] = merged[-1].merge(axis, mesh)
        else:
            merged.append(axis)
    return tuple(merged)
