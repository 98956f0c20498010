"""NamedShardingProto messages, the mesh-based form inside an OpSharding, as values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from shardlog.converters.message_fields import fields, numbers, packed, scalar, signed
from shardlog.converters.op_metadata import metadata_from_bytes, metadata_to_bytes
from shardlog.converters.wire import length_delimited
from shardlog.ir.errors import InputError
from shardlog.ir.named_sharding import NamedSharding
from shardlog.ir.op_metadata import OpMetadata
from shardlog.ir.shardy.axes import AxisRef
from shardlog.ir.shardy.mesh import MOST_AXES, Mesh, MeshAxis
from shardlog.ir.shardy.tensor_sharding import DimensionSharding
from shardlog.ir.tile_assignment import TileAssignment

__all__ = ["named_from_bytes", "named_to_bytes"]

_WHAT = "NamedShardingProto"


def named_to_bytes(sharding: NamedSharding) -> bytes:
    """Return the serialized NamedShardingProto. Follows NamedSharding::ToProto."""
    places = sharding.mesh.places
    out = [length_delimited(2, _mesh_bytes(sharding))]
    for dim in sharding.dims:
        axes = b"".join(length_delimited(1, _axis_bytes(axis, places)) for axis in dim.axes)
        out.append(length_delimited(3, axes + scalar(2, dim.is_closed)))
    for number, refs in ((4, sharding.replicated), (5, sharding.unreduced)):
        out += [length_delimited(number, _axis_bytes(axis, places)) for axis in refs]
    out += [length_delimited(6, metadata_to_bytes(metadata)) for metadata in sharding.metadata]
    out += [length_delimited(7, _axis_bytes(axis, places)) for axis in sharding.manual]
    return b"".join(out)


def named_from_bytes(data: bytes) -> NamedSharding:
    """Return the value of a serialized NamedShardingProto; unknown fields are ignored.

    Raises InputError for bytes that are no message and where XLA would abort.
    Follows NamedSharding::FromProto.
    """
    mesh_data = b""
    dims: list[bytes] = []
    groups: dict[int, list[bytes]] = {4: [], 5: [], 7: []}
    metadata: list[OpMetadata] = []
    for number, value, _ in fields(data, _WHAT):
        if not isinstance(value, bytes):
            continue
        if number == 2:
            mesh_data += value  # a message that comes twice is merged
        elif number == 3:
            dims.append(value)
        elif number == 6:
            metadata.append(metadata_from_bytes(value))
        elif number in groups:
            groups[number].append(value)
    if max(len(dims), *map(len, groups.values())) > MOST_AXES:
        raise InputError(f"a mesh-based sharding of more than {MOST_AXES} dimensions or axes")
    mesh, order = _mesh(mesh_data)
    if mesh.is_maximal:
        return NamedSharding(mesh, metadata=tuple(metadata))
    return NamedSharding(
        mesh,
        tuple(_dimension(dim, mesh) for dim in dims),
        tuple(_axis(axis, mesh) for axis in groups[4]),
        tuple(_axis(axis, mesh) for axis in groups[5]),
        tuple(_axis(axis, mesh) for axis in groups[7]),
        tuple(metadata),
        order,
    )


def _mesh_bytes(sharding: NamedSharding) -> bytes:
    mesh, order = sharding.mesh, sharding.order
    out = []
    for axis in mesh.axes:
        name = axis.name.encode("utf-8", "surrogateescape")
        record = length_delimited(1, name) if name else b""
        out.append(length_delimited(1, record + scalar(2, axis.size)))
    out.append(packed(2, mesh.device_ids))
    if order is not None:
        iota = packed(1, order.reshape_dims) + packed(2, order.transpose_perm)
        out.append(length_delimited(3, iota))
    return b"".join(out)


def _axis_bytes(axis: AxisRef, places: Mapping[str, int]) -> bytes:
    out = scalar(1, places[axis.name])
    if axis.sub_axis is not None:
        part = scalar(1, axis.sub_axis.pre_size) + scalar(2, axis.sub_axis.size)
        out += length_delimited(2, part)
    return out


def _mesh(data: bytes) -> tuple[Mesh, TileAssignment | None]:
    axes: list[MeshAxis] = []
    devices: list[int] = []
    iota = b""
    for number, value, _ in fields(data, "MeshProto"):
        if number == 1 and isinstance(value, bytes):
            axes.append(_mesh_axis(value))
            if len(axes) > MOST_AXES:
                raise InputError("too many mesh axes", expected=f"at most {MOST_AXES}")
        elif number == 2:
            devices += _signed(numbers(value, "MeshProto"))
        elif number == 3 and isinstance(value, bytes):
            iota += value
    mesh = Mesh(tuple(axes), tuple(devices))
    if axes and devices and not mesh.device_ids:
        raise InputError("device_ids of a mesh in their plain order", expected="none")
    if not axes or not iota:
        return mesh, None
    if devices:
        raise InputError("a mesh has either device_ids or an iota_transform, not both")
    return mesh, _order(iota, mesh)


def _order(data: bytes, mesh: Mesh) -> TileAssignment:
    reshape_dims: list[int] = []
    perm: list[int] = []
    for number, value, _ in fields(data, "iota_transform"):
        if number == 1:
            reshape_dims += _signed(numbers(value, "iota_transform"))
        elif number == 2:
            perm += _signed(numbers(value, "iota_transform"), 32)
    return TileAssignment.iota([axis.size for axis in mesh.axes], reshape_dims, perm)


def _mesh_axis(data: bytes) -> MeshAxis:
    name, size = b"", 0
    for number, value, _ in fields(data, "MeshAxis"):
        if number == 1 and isinstance(value, bytes):
            name = value
        elif number == 2 and isinstance(value, int):
            size = signed(value)
    try:
        return MeshAxis(name.decode(), size)
    except UnicodeDecodeError:
        raise InputError("the name of a mesh axis is no UTF-8", found=repr(name)) from None


def _dimension(data: bytes, mesh: Mesh) -> DimensionSharding:
    axes: list[AxisRef] = []
    closed = False
    for number, value, _ in fields(data, "DimensionSharding"):
        if number == 1 and isinstance(value, bytes):
            axes.append(_axis(value, mesh))
        elif number == 2 and isinstance(value, int):
            closed = bool(value)
    return DimensionSharding(tuple(axes), closed)


def _axis(data: bytes, mesh: Mesh) -> AxisRef:
    place = 0
    part: dict[int, int] | None = None
    for number, value, _ in fields(data, "AxisRefProto"):
        if number == 1 and isinstance(value, int):
            place = signed(value)
        elif number == 2 and isinstance(value, bytes):
            part = part or {}
            for inner, size, _ in fields(value, "SubAxis"):
                if isinstance(size, int):
                    part[inner] = signed(size)
    if not 0 <= place < len(mesh.axes):
        raise InputError(f"a mesh of {len(mesh.axes)} axes has no axis {place}")
    name = mesh.axes[place].name
    return AxisRef(name) if part is None else AxisRef.part(name, part.get(1, 0), part.get(2, 0))


def _signed(values: Iterable[int], bits: int = 64) -> list[int]:
    return [signed(value, bits) for value in values]
