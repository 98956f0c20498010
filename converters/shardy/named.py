"""From Shardy's shardings to the mesh-based form of HloSharding."""

from __future__ import annotations

from collections.abc import Iterable

from shardlog.converters.shardy.export import mesh_of
from shardlog.ir.named_sharding import NamedSharding
from shardlog.ir.shardy import AxisRef, ManualAxes, Meshes, TensorSharding
from shardlog.ir.shardy.verify import verify_manual_axes

__all__ = ["export_named"]


def export_named(
    sharding: TensorSharding, meshes: Meshes | None = None, manual_axes: Iterable[str] = ()
) -> NamedSharding:
    """Return the mesh-based sharding of a Shardy sharding, with the axes around that are manual.

    Open dimensions stay open, priorities are lost. Raises InputError as `export_sharding` does,
    except that unreduced axes may be beside manual ones, and manual axes must be in the order of
    the mesh. Follows xla::sdy::convertToHloSharding with its mesh-based form.
    """
    mesh = mesh_of(sharding, meshes)
    manual = ManualAxes(tuple(manual_axes))
    verify_manual_axes(manual, mesh)
    sharding.verify(mesh, manual_axes=manual)
    if manual.names and len(manual) == len(mesh.axes):
        return NamedSharding(mesh, manual=tuple(AxisRef(axis.name) for axis in mesh.axes))
    return NamedSharding.of_sdy(sharding.with_mesh(mesh), [AxisRef(name) for name in manual])
