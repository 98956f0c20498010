"""The mesh behind the shardings of a module, and their import onto it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from shardlog.converters.shardy.factors import common_factors, device_order
from shardlog.converters.shardy.importing import (
    grid_factors,
    import_sharding,
    maximal_mesh_name,
)
from shardlog.ir.errors import InputError
from shardlog.ir.sharding import HloSharding
from shardlog.ir.shardy import Mesh, MeshAxis, TensorSharding

__all__ = ["find_meshes", "import_on_meshes", "is_open"]

MESH_NAME = "mesh"


def find_meshes(shardings: Iterable[HloSharding]) -> dict[str, Mesh]:
    """Return the meshes, by name, on which all shardings of a module can be given with whole axes.

    `mesh` has the axes `_axis_0` and so on, the shortest list that refines all grids, and one named
    by `maximal_mesh_name` each device that has values of its own. Empty if no sharding needs a
    mesh: then XLA drops them all. Raises InputError where the grids have no common mesh, and for
    unreduced shardings. Follows ImportShardingsPass and findMeshAxesAndIds.
    """
    sizes: list[int] = []
    devices: set[int] = set()
    first: HloSharding | None = None
    leaves = dict.fromkeys(leaf for sharding in shardings for leaf in _leaves(sharding))
    for leaf in leaves:
        if leaf.kind == "maximal":
            devices.add(leaf.tile.first_device)
        if leaf.kind == "unreduced":
            raise InputError(f"{leaf} does not say along which axes of the mesh")
        # one device is replicated once it has been through a proto
        if leaf.kind != "tiled" or leaf.num_devices == 1:
            continue
        local = [factor.size for factor in device_order(grid_factors(leaf))]
        if first is None:
            first, sizes = leaf, local
            continue
        common = common_factors(local, sizes)
        if common is None:
            raise InputError(f"{leaf} has no mesh in common with the other shardings, as {first}")
        sizes = common
    if not sizes and not devices:
        return {}
    axes = tuple(MeshAxis(f"_axis_{index}", size) for index, size in enumerate(sizes))
    meshes = {MESH_NAME: Mesh(axes)}
    for device in sorted(devices):
        meshes[maximal_mesh_name(device)] = Mesh.maximal(device)
    return meshes


def _leaves(sharding: HloSharding) -> Sequence[HloSharding]:
    return sharding.elements if sharding.is_tuple else (sharding,)


def import_on_meshes(
    sharding: HloSharding, meshes: Mapping[str, Mesh], rank: int, closed: bool = True
) -> TensorSharding | None:
    """Return the Shardy sharding of a tensor on the meshes of `find_meshes`; None without meshes.

    Raises InputError as `import_sharding` does.
    """
    if not meshes:
        return None
    if sharding.kind == "tiled" and sharding.num_devices == 1:
        sharding = HloSharding.replicated()
    return import_sharding(sharding, meshes[MESH_NAME], rank, closed, name=MESH_NAME)


def is_open(allow_propagation: Sequence[bool], index: int) -> bool:
    """Tell whether an argument or result of the main function is imported with open dimensions.

    The flags say it for each, one alone for all, none forbids. Raises InputError for an index that
    has no flag. Follows shouldOpenDims.
    """
    if not allow_propagation:
        return False
    if len(allow_propagation) == 1:
        return allow_propagation[0]
    if index >= len(allow_propagation):
        raise InputError(f"{len(allow_propagation)} flags to propagate, but a value {index}")
    return allow_propagation[index]
