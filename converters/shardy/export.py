"""From Shardy's shardings to HloSharding: axes of a mesh become a grid of devices."""

from __future__ import annotations

from collections.abc import Iterable

from shardlog.converters.shardy.releases import Release
from shardlog.ir.errors import InputError
from shardlog.ir.mesh_tiles import tile_on_mesh
from shardlog.ir.sharding import HloSharding
from shardlog.ir.shardy import AxisRef, ManualAxes, Mesh, Meshes, TensorSharding
from shardlog.ir.shardy.verify import verify_manual_axes

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
    dims = [dim.axes for dim in sharding.dims]
    return tile_on_mesh(mesh, dims, [AxisRef(name) for name in manual], unreduced)


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
