"""From Shardy's shardings to HloSharding: axes of a mesh become a grid of devices."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from shardlog.converters.shardy.releases import Release
from shardlog.ir.errors import InputError
from shardlog.ir.sharding import HloSharding
from shardlog.ir.shardy import AxisRef, ManualAxes, Mesh, Meshes, TensorSharding
from shardlog.ir.shardy.verify import verify_manual_axes
from shardlog.ir.tile_assignment import TileAssignment

__all__ = ["export_per_value", "export_sharding", "mesh_of"]


def mesh_of(sharding: TensorSharding, meshes: Meshes | None) -> Mesh:
    """Return the mesh of a sharding: its own, or the one that its symbol stands for.

    Raises InputError for an unknown symbol.
    """
    if isinstance(sharding.mesh, Mesh):
        return sharding.mesh
    if isinstance(meshes, Mesh):
        return meshes
    mesh = None if meshes is None else meshes.get(sharding.mesh)
    if mesh is None:
        raise InputError(f"mesh @{sharding.mesh} is not known", expected="its axes")
    return mesh


def export_sharding(
    sharding: TensorSharding,
    meshes: Meshes | None = None,
    manual_axes: Iterable[str] = (),
    *,
    release: Release = "0.10.2",
) -> HloSharding:
    """Return the HloSharding of a Shardy sharding, with the axes around that are manual.

    `meshes` may be left out if the sharding holds its mesh. Raises InputError for an unknown mesh,
    a sharding that does not fit it, and for unreduced axes beside manual ones, where XLA aborts.
    Follows xla::sdy::convertToHloSharding.
    """
    mesh = mesh_of(sharding, meshes)
    manual = ManualAxes(tuple(manual_axes))
    verify_manual_axes(manual, mesh)
    sharding.verify(mesh, manual_axes=manual)
    if not mesh.axes:
        device = mesh.maximal_device
        return HloSharding.replicated() if device is None else HloSharding.maximal(device)
    if len(manual) == len(mesh.axes):
        return HloSharding.manual()
    unreduced = sharding.unreduced if release != "0.6.2" else ()
    if unreduced and manual.names:
        raise InputError(
            f"unreduced axes in {sharding.stripped} beside manual axes {manual.stripped} "
            "have no HloSharding"
        )
    groups = [("manual", [AxisRef(name) for name in manual]), ("unreduced", list(unreduced))]
    dims = [dim.axes for dim in sharding.dims]
    return _grid(mesh, dims, [(kind, refs) for kind, refs in groups if refs])


def _grid(
    mesh: Mesh,
    dims: Sequence[Sequence[AxisRef]],
    subgroups: Sequence[tuple[str, Sequence[AxisRef]]],
) -> HloSharding:
    """Return the grid whose dimensions are products of axes; all other axes replicate."""
    lists = [*dims, *(refs for _, refs in subgroups)]
    used = [ref for refs in lists for ref in refs]
    pieces = _pieces(mesh, used)
    place = {ref: index for index, ref in enumerate(pieces)}
    order = [place[ref] for ref in used]
    taken = set(order)
    rest = [index for index in range(len(pieces)) if index not in taken]
    reshape_dims = [ref.size(mesh) for ref in pieces]
    grid = [math.prod(ref.size(mesh) for ref in refs) for refs in lists]
    types = [kind for kind, _ in subgroups]
    replicas = math.prod(reshape_dims[index] for index in rest)
    if replicas > 1:
        grid.append(replicas)
        types.append("replicated")
    if mesh.device_ids:
        # an array has a limit of dimensions, which those of size 1 could reach
        kept = [index for index, size in enumerate(reshape_dims) if size > 1]
        at = {index: new for new, index in enumerate(kept)}
        ids = np.array(mesh.device_ids, dtype=np.int64).reshape([reshape_dims[i] for i in kept])
        perm = [at[index] for index in order + rest if index in at]
        tile = TileAssignment.explicit(grid, ids.transpose(perm))
    else:
        tile = TileAssignment.iota(grid, reshape_dims, order + rest)
    return HloSharding.subgroup(tile, types)


def _pieces(mesh: Mesh, used: Iterable[AxisRef]) -> list[AxisRef]:
    """Return the axes in order, each cut where a used sub-axis begins or ends.

    Follows getOrderedAxisRefs.
    """
    cuts: dict[str, set[int]] = {}
    for ref in used:
        if ref.sub_axis is not None:
            cuts.setdefault(ref.name, set()).update((ref.sub_axis.pre_size, ref.sub_axis.end))
    pieces = []
    for axis in mesh.axes:
        if axis.name not in cuts:
            pieces.append(AxisRef(axis.name))
            continue
        bounds = sorted(cuts[axis.name] | {1, axis.size})
        pieces += [AxisRef.part(axis.name, start, end // start) for start, end in pairwise(bounds)]
    return pieces


def export_per_value(
    shardings: Iterable[TensorSharding],
    meshes: Meshes | None = None,
    manual_axes: Iterable[str] = (),
    *,
    release: Release = "0.10.2",
) -> HloSharding:
    """Return the HloSharding of an op with these results: of one the bare one, else a tuple.

    Raises InputError as `export_sharding` does. Follows convertToHloShardingAttr.
    """
    around = tuple(manual_axes)
    exported = [
        export_sharding(sharding, meshes, around, release=release) for sharding in shardings
    ]
    return exported[0] if len(exported) == 1 else HloSharding.tuple_of(exported)
