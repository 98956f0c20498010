"""From HloSharding to Shardy's shardings: grids of devices become axes of a mesh."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from shardlog.converters.shardy.factors import Factor, device_order, factors_of
from shardlog.ir.arrays import np
from shardlog.ir.errors import InputError
from shardlog.ir.sharding import HloSharding
from shardlog.ir.shardy import AxisRef, DimensionSharding, Mesh, TensorSharding
from shardlog.ir.tile_assignment import TileAssignment

__all__ = ["grid_factors", "import_sharding", "maximal_mesh_name"]


def maximal_mesh_name(device: int) -> str:
    """Return the symbol of the mesh that is one device."""
    return f"maximal_mesh_{device}"


def import_sharding(
    sharding: HloSharding, mesh: Mesh, rank: int, closed: bool = True, *, name: str | None = "mesh"
) -> TensorSharding:
    """Return the Shardy sharding of a tensor of this rank on a mesh.

    Dimensions are closed or open as told; an unknown sharding is always open. Manual, unreduced and
    replicated subgroups leave no trace, as with jaxlib 0.10.2. The sharding refers to the mesh by
    `name`, or holds it if that is None; one on a single device is on a mesh of its own, named by
    `maximal_mesh_name`. Raises InputError where the grid is not made of the mesh's axes and their
    parts, for tuples, unreduced, another rank, and for device lists other than 0..n-1, unless the
    mesh lists its devices. Follows xla::sdy::convertToSdySharding.
    """
    target = mesh if name is None else name
    if sharding.is_tuple:
        raise InputError(f"{sharding} is of several values", expected="the sharding of one")
    if sharding.kind == "maximal":
        device = sharding.tile.first_device
        if device < 0:
            raise InputError(f"{sharding} names no device")
        return TensorSharding(Mesh.maximal(device) if name is None else maximal_mesh_name(device))
    if sharding.kind == "unreduced":
        raise InputError(f"{sharding} does not say along which axes of the mesh")
    if sharding.kind != "tiled":
        return TensorSharding.unsharded(target, rank, closed and sharding.kind != "unknown")
    if sharding.tiled_data_rank != rank:
        raise InputError(
            f"{sharding} splits {sharding.tiled_data_rank} dimensions of a tensor of rank {rank}"
        )
    factors = _factors_on(sharding, mesh)
    refs = dict(zip(device_order(factors), _walk(device_order(factors), mesh), strict=True))
    dims: list[list[AxisRef]] = [[] for _ in range(rank)]
    for factor in factors:
        if factor.dim < rank:
            dims[factor.dim] += refs[factor]
    return TensorSharding(target, tuple(DimensionSharding(tuple(axes), closed) for axes in dims))


def grid_factors(sharding: HloSharding) -> list[Factor]:
    """Return the factors of a tiled sharding in the order of its grid.

    Raises InputError for a device list other than 0..n-1 and for a grid that no mesh has, such as
    `[2,3]<=[2,3]T(1,0)`.
    """
    tile = sharding.tile
    tile.require_sound()
    if not tile.is_iota:
        in_order = np.arange(tile.num_elements, dtype=np.int64)
        if not np.array_equal(tile.array.reshape(-1), in_order):
            raise InputError(f"the devices of {_short(sharding)} are not in the order of a mesh")
        tile = TileAssignment.iota(tile.dims)
    factors = factors_of(tile)
    if factors is None:
        raise InputError(f"the dimensions of {sharding} are not made of axes of any mesh")
    return factors


def _factors_on(sharding: HloSharding, mesh: Mesh) -> list[Factor]:
    if sharding.num_devices != mesh.total_size:
        raise InputError(
            f"{_short(sharding)} is for another mesh than {mesh.stripped}",
            expected=f"{mesh.total_size} devices",
            found=str(sharding.num_devices),
        )
    if not mesh.device_ids:
        return grid_factors(sharding)
    tile = sharding.tile
    place = np.empty(mesh.total_size, dtype=np.int64)
    place[list(mesh.device_ids)] = np.arange(mesh.total_size)
    devices = tile.array
    if devices.min() < 0 or devices.max() >= mesh.total_size:
        raise InputError(f"{_short(sharding)} has devices that the mesh lacks")
    places = place[devices]
    if sharding.replicate_on_last_tile_dim or sharding.subgroup_types[-1:] == ("replicated",):
        # within a group of replicas devices are in ascending order, whatever the mesh says
        places = np.sort(places, axis=-1)
    on_mesh = TileAssignment.explicit(tile.dims, places).device_form
    factors = factors_of(on_mesh) if on_mesh.is_iota else None
    if factors is None:
        raise InputError(f"{_short(sharding)} is not made of the axes of {mesh.stripped}")
    return factors


def _walk(factors: Sequence[Factor], mesh: Mesh) -> Iterator[list[AxisRef]]:
    """Yield for each factor the axes and sub-axes that it consists of, major to minor."""
    axes = iter(axis for axis in mesh.axes if axis.size > 1)
    name, size, taken = "", 1, 1
    for factor in factors:
        refs: list[AxisRef] = []
        rest = factor.size
        while rest > 1:
            if taken == size:
                axis = next(axes)
                name, size, taken = axis.name, axis.size, 1
            step = math.gcd(rest, size // taken)
            if step == 1:
                raise InputError(
                    f"a part of size {rest} does not fit into the {size // taken} places left of "
                    f"axis {name!r} of mesh {mesh.stripped}"
                )
            refs.append(AxisRef(name) if step == size else AxisRef.part(name, taken, step))
            taken *= step
            rest //= step
        yield refs


def _short(sharding: HloSharding) -> str:
    text = str(sharding)
    return text if len(text) <= 200 else f"{text[:200]}..."
