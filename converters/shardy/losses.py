"""What does not survive the way between Shardy's shardings and HloSharding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from shardlog.converters.shardy.export import export_sharding, mesh_of
from shardlog.converters.shardy.importing import maximal_mesh_name
from shardlog.ir.sharding import HloSharding
from shardlog.ir.shardy import AxisRef, Mesh, Meshes, TensorSharding

__all__ = ["Loss", "export_losses", "import_losses"]


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing that is lost: in a word or two, and in a sentence with the values."""

    what: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.what}: {self.sentence}"


def export_losses(
    sharding: TensorSharding,
    meshes: Meshes | None = None,
    manual_axes: Iterable[str] = (),
    *,
    closed: bool = True,
) -> list[Loss]:
    """Return what a Shardy sharding loses if it is exported and imported again on its mesh.

    `closed` is what the import will be told. Without losses the same sharding comes back. Raises
    InputError where the export does.
    """
    around = tuple(manual_axes)
    mesh = mesh_of(sharding, meshes)
    exported = export_sharding(sharding, mesh, around)
    return list(_export_losses(sharding, mesh, around, closed, exported))


def _export_losses(
    sharding: TensorSharding,
    mesh: Mesh,
    manual_axes: tuple[str, ...],
    closed: bool,
    exported: HloSharding,
) -> Iterator[Loss]:
    wrong = [str(i) for i, dim in enumerate(sharding.dims) if dim.is_closed != closed]
    if wrong:
        was, becomes = ("open", "closed") if closed else ("closed", "open")
        yield Loss(
            f"{was} dimensions",
            f"HloSharding does not say which are {was}; {_dims(wrong)} will be {becomes}",
        )
    priorities = [
        f"{i} (p{d.priority})" for i, d in enumerate(sharding.dims) if d.priority is not None
    ]
    if priorities:
        yield Loss("priorities", f"HloSharding has none; lost for {_dims(priorities)}")
    if sharding.replicated:
        yield Loss(
            "replicated axes",
            f"{_axes(sharding.replicated)} will replicate, but no longer explicitly",
        )
    if sharding.unreduced:
        yield Loss(
            "unreduced axes",
            f"the import drops that {_axes(sharding.unreduced)} hold parts of a sum",
        )
    ones = [ref for dim in sharding.dims for ref in dim.axes if ref.size(mesh) == 1]
    if ones:
        yield Loss("axes of size 1", f"{_axes(ones)} split nothing and leave no trace")
    if manual_axes:
        yield Loss(
            "manual axes",
            f"the import drops that {', '.join(manual_axes)} are manual around the tensor",
        )
    if mesh.device_ids and mesh.axes and exported.kind == "tiled":
        yield Loss(
            "device order",
            "the devices become a list; XLA's import refuses it, or takes it for devices in order "
            "if it happens to be 0..n-1 (here it is read against the mesh)",
        )
    device = mesh.maximal_device
    if device is not None and sharding.mesh not in (mesh, maximal_mesh_name(device)):
        yield Loss("mesh name", f"the mesh will be named @{maximal_mesh_name(device)}")


def import_losses(sharding: HloSharding) -> list[Loss]:
    """Return what an HloSharding of one value loses if it is imported and exported again.

    Without losses the same sharding comes back, on every mesh of more than one device that it can
    be imported on.
    """
    return list(_import_losses(sharding))


def _import_losses(sharding: HloSharding) -> Iterator[Loss]:
    if sharding.metadata:
        yield Loss("metadata", "Shardy's shardings have none")
    if sharding.shard_group is not None:
        yield Loss("shard group", f"Shardy's shardings are in none ({sharding.shard_group})")
    if sharding.kind == "manual":
        yield Loss("manual", "becomes replicated; manual axes belong to manual computations")
    if sharding.kind == "unknown":
        yield Loss("unknown", "becomes open dimensions without axes, and those replicated")
    for kind in ("manual", "unreduced"):
        if kind in sharding.subgroup_types:
            yield Loss(f"{kind} subgroup", "becomes replicated; the import keeps data dimensions")
    if sharding.kind == "tiled" and not sharding.tile.is_iota:
        yield Loss("device list", "comes back as an iota grid, unless the mesh lists its devices")
    if sharding.kind == "tiled" and sharding.num_devices == 1:
        yield Loss("one device", "becomes replicated")


def _dims(dims: list[str]) -> str:
    return f"dimension{'s' if len(dims) > 1 else ''} {', '.join(dims)}"


def _axes(axes: Iterable[AxisRef]) -> str:
    return ", ".join(map(str, axes))
