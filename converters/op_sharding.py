"""OpSharding messages: bytes to HloSharding and back."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from shardlog.converters.message_fields import fields, numbers, packed, scalar, signed
from shardlog.converters.op_metadata import metadata_from_bytes, metadata_to_bytes
from shardlog.converters.wire import length_delimited
from shardlog.ir.errors import InputError
from shardlog.ir.op_metadata import OpMetadata
from shardlog.ir.sharding import HloSharding, Kind, ShardGroup
from shardlog.ir.tile_assignment import MOST_DIMS, TileAssignment

_Type = Kind | Literal["other"]

__all__ = ["from_proto_bytes", "to_proto_bytes"]

_TYPES: tuple[_Type, ...] = (
    "replicated",
    "maximal",
    "tuple",
    "other",
    "manual",
    "unknown",
    "unreduced",
)
_TYPE_NUMBERS: dict[str, int] = {name: number for number, name in enumerate(_TYPES)}
_PROPER_SUBGROUPS = ("manual", "replicated", "unreduced", "maximal")
_MEMO_LIMIT = 1 << 16
_DEEPEST = 100

_read: dict[tuple[bytes, bool], HloSharding] = {}
_written: dict[HloSharding, bytes] = {}


def to_proto_bytes(sharding: HloSharding) -> bytes:
    """Return the serialized OpSharding of a sharding. Follows HloSharding::ToProto."""
    data = _written.get(sharding)
    if data is None:
        data = _serialized(sharding)
        if len(data) <= _MEMO_LIMIT:
            _written[sharding] = data
    return data


def from_proto_bytes(data: bytes, lenient: bool = False) -> HloSharding:
    """Return the sharding of a serialized OpSharding; unknown fields are ignored.

    By default a device that is listed twice or below 0, a permutation that is none and a subgroup
    type that has no name are errors; `lenient` takes them as XLA does. The mesh-based ("V3") form
    gives the same sharding as a grid. Raises InputError also for bytes that are no message, for
    what XLA refuses, and for tuples more than 100 deep, the depth at which protobuf gives up.
    Follows HloSharding::FromProto.
    """
    return _sharding_of(data, lenient, _DEEPEST)


def _sharding_of(data: bytes, lenient: bool, depth: int) -> HloSharding:
    if depth == 0:
        raise InputError(f"tuple shardings nested more than {_DEEPEST} deep")
    key = (data, lenient)
    known = _read.get(key)
    if known is not None:
        return known
    value = _sharding(_parsed(data), lenient, depth)
    # A nested tuple that is known would not be counted as deep when it comes again further in.
    if len(data) <= _MEMO_LIMIT and not any(element.is_tuple for element in value.elements):
        _read[key] = value
    return value


def _serialized(sharding: HloSharding) -> bytes:
    kind = "other" if sharding.kind == "tiled" else sharding.kind
    out = [scalar(1, _TYPE_NUMBERS[kind])]
    if sharding.is_tuple:
        out += [length_delimited(5, to_proto_bytes(element)) for element in sharding.elements]
        return b"".join(out)
    tile, tiled = sharding.tile, sharding.kind == "tiled"
    if tiled:
        out.append(packed(3, tile.dims))
    if not tile.is_iota:
        out.append(packed(4, tile.array.reshape(-1).tolist()))
    out.append(scalar(6, sharding.replicate_on_last_tile_dim))
    out += [length_delimited(7, metadata_to_bytes(metadata)) for metadata in sharding.metadata]
    out.append(packed(8, [_TYPE_NUMBERS[kind] for kind in sharding.subgroup_types]))
    if tile.is_iota:
        out.append(packed(9, tile.reshape_dims))
        out.append(packed(10, tile.transpose_perm))
    group = sharding.shard_group
    if group is not None and sharding.is_shard_group:
        out.append(scalar(11, True))
        out.append(scalar(12, group.group_id))
        out.append(scalar(13, group.kind == "like"))
    return b"".join(out)


@dataclass
class _Message:
    """The fields of one OpSharding as they stand in the bytes."""

    type: int = 0
    dims: list[int] = field(default_factory=list)
    devices: list[int] = field(default_factory=list)
    tuple_shardings: list[bytes] = field(default_factory=list)
    replicate_last: bool = False
    metadata: list[OpMetadata] = field(default_factory=list)
    last_tile_dims: list[int] = field(default_factory=list)
    reshape_dims: list[int] = field(default_factory=list)
    perm: list[int] = field(default_factory=list)
    is_shard_group: bool = False
    shard_group_id: int = 0
    shard_group_type: int = 0
    named: bytes | None = None


_REPEATED = {
    3: ("dims", 64),
    4: ("devices", 64),
    8: ("last_tile_dims", 32),
    9: ("reshape_dims", 64),
    10: ("perm", 32),
}
_SINGLE = {
    1: ("type", 32),
    6: ("replicate_last", 64),
    11: ("is_shard_group", 64),
    12: ("shard_group_id", 64),
    13: ("shard_group_type", 32),
}


def _parsed(data: bytes) -> _Message:
    message = _Message()
    for number, value, _ in fields(data, "OpSharding"):
        if number in _REPEATED:
            name, bits = _REPEATED[number]
            entries = numbers(value, "OpSharding")
            getattr(message, name).extend(signed(entry, bits) for entry in entries)
        elif number in _SINGLE and isinstance(value, int):
            name, bits = _SINGLE[number]
            setattr(message, name, signed(value, bits))
        elif isinstance(value, bytes):
            if number == 5:
                message.tuple_shardings.append(value)
            elif number == 7:
                message.metadata.append(metadata_from_bytes(value))
            elif number == 14:
                # a message that comes twice is merged
                message.named = (message.named or b"") + value
    return message


def _sharding(message: _Message, lenient: bool, depth: int) -> HloSharding:
    if message.named is not None:
        # few protos need all that belongs to meshes
        from shardlog.converters.named_sharding_proto import named_from_bytes

        return named_from_bytes(message.named).tiles()
    kind = _TYPES[message.type] if 0 <= message.type < len(_TYPES) else None
    if kind == "tuple":
        if message.metadata:
            raise InputError("a tuple sharding has metadata only on its elements")
        return HloSharding.tuple_of(
            _sharding_of(element, lenient, depth - 1) for element in message.tuple_shardings
        )
    if kind is None:
        raise InputError("unknown type of sharding", expected="0 to 6", found=str(message.type))
    value = _bare(message, kind, lenient).with_metadata(message.metadata)
    if not message.is_shard_group:
        return value
    group = ShardGroup(message.shard_group_id, "like" if message.shard_group_type else "as")
    return value.with_shard_group(group)


def _bare(message: _Message, kind: _Type, lenient: bool) -> HloSharding:
    """Return the sharding without metadata and shard group; it is no tuple."""
    if kind == "maximal":
        if len(message.devices) != 1:
            raise InputError("a maximal sharding needs exactly one device")
        if not lenient and message.devices[0] < 0:
            raise InputError(f"device {message.devices[0]} is below 0")
        return HloSharding.maximal(message.devices[0])
    if kind == "other":
        return _tiled(message, lenient)
    return HloSharding(kind)


def _tiled(message: _Message, lenient: bool) -> HloSharding:
    most = max(len(message.dims), len(message.reshape_dims))
    if most > MOST_DIMS:
        raise InputError(f"a grid of {most} dimensions", expected=f"at most {MOST_DIMS}")
    one_device = _one_device(message)
    if one_device and (lenient or not message.dims or math.prod(message.dims) == 1):
        return HloSharding.replicated()
    if not message.dims:
        raise InputError("a tiled sharding needs grid dimensions")
    if min(message.dims) <= 0:
        raise InputError(f"a grid needs positive dimensions, not {min(message.dims)}")
    tile = _tile(message, lenient)
    types = _subgroup_types(message, lenient)
    if message.replicate_last:
        if types:
            raise InputError("replicate_on_last_tile_dim goes without last_tile_dims")
        types = ["replicated"]
    return HloSharding.subgroup(tile, types)


def _one_device(message: _Message) -> bool:
    """Tell whether the grid has one place, after checking that it is one list or one iota."""
    if not message.reshape_dims:
        if not message.devices:
            raise InputError("a tiled sharding needs devices or iota_reshape_dims")
        return len(message.devices) == 1
    if message.devices:
        raise InputError("a tiled sharding needs either devices or iota_reshape_dims, not both")
    if len(message.perm) != len(message.reshape_dims):
        raise InputError(
            f"{len(message.perm)} entries in iota_transpose_perm "
            f"for {len(message.reshape_dims)} iota_reshape_dims"
        )
    return all(size == 1 for size in message.reshape_dims)


def _tile(message: _Message, lenient: bool) -> TileAssignment:
    if not message.reshape_dims:
        if not lenient and len(set(message.devices)) < len(message.devices):
            raise InputError("a device is listed twice")
        if not lenient and min(message.devices) < 0:
            raise InputError("a device is below 0")
        return TileAssignment.explicit(message.dims, message.devices)
    count = len(message.perm)
    if not all(0 <= entry < count for entry in message.perm) and count > 1:
        raise InputError(f"{message.perm} does not permute {count} reshape dimensions")
    # XLA multiplies in 64 bits and does not see an overflow.
    products = math.prod(message.dims), math.prod(message.reshape_dims)
    if lenient and signed(products[0]) != signed(products[1]):
        raise InputError(
            f"a grid of {message.dims} does not hold the devices of {message.reshape_dims}"
        )
    return TileAssignment.iota(message.dims, message.reshape_dims, message.perm, check=not lenient)


def _subgroup_types(message: _Message, lenient: bool) -> list[str]:
    types: list[str] = []
    for number in message.last_tile_dims:
        if not 0 <= number < len(_TYPES):
            raise InputError("unknown subgroup type", expected="0 to 6", found=str(number))
        name = _TYPES[number]
        if not lenient and name not in _PROPER_SUBGROUPS:
            raise InputError(
                "unknown subgroup type", expected="manual, replicated or unreduced", found=name
            )
        types.append(name)
    return types
