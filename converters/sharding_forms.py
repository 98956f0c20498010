"""One sharding in all the forms that people meet: read from any of them, written in any other."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from shardlog.converters.message_fields import scalar
from shardlog.converters.named_sharding_proto import named_from_bytes, named_to_bytes
from shardlog.converters.op_sharding import from_proto_bytes, to_proto_bytes
from shardlog.converters.partition_spec import named_of_spec, parse_partition_spec, spec_of_sharding
from shardlog.converters.shardy import (
    Loss,
    export_losses,
    export_named,
    export_sharding,
    import_losses,
    import_sharding,
)
from shardlog.converters.wire import length_delimited, payload
from shardlog.ir.errors import InputError
from shardlog.ir.named_sharding import NamedSharding
from shardlog.ir.named_sharding_text import parse_named_sharding
from shardlog.ir.sharding import HloSharding
from shardlog.ir.sharding_text import parse_sharding
from shardlog.ir.shardy import (
    Mesh,
    TensorSharding,
    TensorShardingPerValue,
    parse_sharding_per_value,
    parse_tensor_sharding,
)
from shardlog.ir.tile_assignment import TileAssignment

__all__ = [
    "FORMS",
    "Setting",
    "ShardingForms",
    "form_of",
    "losses_of",
    "read_form",
    "write_form",
]

FORMS = {
    "hlo": "HloSharding text as XLA prints it",
    "v1": "HloSharding text, devices listed",
    "v2": "HloSharding text, devices as an iota",
    "v3": "HloSharding text on a mesh, {mesh['x'=2], [{'x'}]}",
    "sdy": 'Shardy\'s attribute, #sdy.sharding<@mesh, [{"x"}]>',
    "partition-spec": "JAX's PartitionSpec, P('x', None)",
    "proto-text": "an OpSharding in protobuf's text format",
    "proto-bytes-hex": "a serialized OpSharding in hexadecimal digits",
    "json": "an OpSharding as JSON, with the names of its fields",
}
"""The forms by name. `v1` to `v3` differ in writing only: reading, all are `hlo`."""

_NAMED = 14
_TUPLE = scalar(1, 2)
"""The type of an OpSharding that is a tuple."""
_HEX = re.compile(r"(?:[0-9a-fA-F]{2})+", re.ASCII)
_PROTO_TEXT = re.compile(r"[a-z_]+\s*[:{<]")
_BARE_DIMS = re.compile(r"\[\s*(?:\{|\])")


@dataclass(frozen=True)
class Setting:
    """What a form alone may not say: the mesh, its axes that are manual around, the tensor's rank.

    `closed` is whether dimensions that come out of a form that does not say are closed;
    `mesh_based` whether protos are written in the mesh-based ("V3") form.
    """

    mesh: Mesh | None = None
    manual_axes: tuple[str, ...] = ()
    rank: int | None = None
    closed: bool = True
    lenient: bool = False
    mesh_based: bool = False

    def needed_mesh(self, what: str) -> Mesh:
        """Return the mesh; raises InputError if there is none."""
        if self.mesh is None:
            raise InputError(f"{what} needs a mesh", expected="a mesh such as x=2,y=4")
        return self.mesh


@dataclass(frozen=True)
class ShardingForms:
    """A sharding with what the form that it was read from says beyond HloSharding.

    `named` and `sdy` are its mesh-based forms, one for each element of a tuple; empty if it was
    read from a form without a mesh.
    """

    tiles: HloSharding
    named: tuple[NamedSharding, ...] = ()
    sdy: tuple[TensorSharding, ...] = ()


def form_of(text: str) -> str:
    """Return the form that a text has, by how it begins. Raises InputError if it has none."""
    text = text.strip()
    if re.match(r"\{\s*(?:\"|\Z)", text):
        return "json"
    if text.startswith("{"):
        return "hlo"
    if text.startswith(("#sdy", "<")) or re.match(r"\[\s*[<{\]]", text):
        return "sdy"
    if re.match(r"(?:[\w.]+\.)?(?:P|PartitionSpec)\(", text):
        return "partition-spec"
    if _HEX.fullmatch(text):
        return "proto-bytes-hex"
    if _PROTO_TEXT.match(text):
        return "proto-text"
    raise InputError("no form of a sharding", expected=", ".join(FORMS), found=repr(text[:40]))


def read_form(text: str, setting: Setting, form: str | None = None) -> ShardingForms:
    """Return the sharding of a text in a form, by default the one that it begins like.

    Raises InputError.
    """
    form = form or form_of(text)
    if form in ("hlo", "v1", "v2", "v3"):
        return _read_hlo(text, setting)
    if form == "sdy":
        return _read_sdy(text.strip(), setting)
    if form == "partition-spec":
        spec = parse_partition_spec(text)
        named = named_of_spec(spec, setting.needed_mesh("a PartitionSpec"), setting.rank)
        return ShardingForms(named.tiles(), (named,))
    if form == "proto-bytes-hex":
        digits = text.strip()
        if not _HEX.fullmatch(digits) and digits:
            raise InputError("no hexadecimal digits", expected="pairs of 0-9a-f")
        return _read_bytes(bytes.fromhex(digits), setting)
    if form == "proto-text":
        return _read_bytes(_proto_of_text(text), setting)
    return _read_bytes(_proto_of_json(text), setting)


def _read_hlo(text: str, setting: Setting) -> ShardingForms:
    tiles = parse_sharding(text, setting.lenient)
    if re.match(r"\s*\{\s*(?:maximal_)?mesh\b", text):
        return ShardingForms(tiles, (parse_named_sharding(text, setting.lenient),))
    return ShardingForms(tiles)


def _read_bytes(data: bytes, setting: Setting) -> ShardingForms:
    tiles = from_proto_bytes(data, setting.lenient)
    inner = payload(data, _NAMED)
    return ShardingForms(tiles, () if inner is None else (named_from_bytes(inner),))


def _read_sdy(text: str, setting: Setting) -> ShardingForms:
    meshes, around = setting.mesh, setting.manual_axes
    if re.match(r"#sdy\.sharding_per_value|\[\s*<|<\s*\[", text):
        shardings = parse_sharding_per_value(text, meshes, manual_axes=around).shardings
    else:
        if _BARE_DIMS.match(text):
            text = f"<@mesh, {text}>"
        shardings = (parse_tensor_sharding(text, meshes, rank=setting.rank, manual_axes=around),)
    tiles = [export_sharding(sharding, meshes, around) for sharding in shardings]
    named = tuple(export_named(sharding, meshes, around) for sharding in shardings)
    whole = tiles[0] if len(tiles) == 1 else HloSharding.tuple_of(tiles)
    return ShardingForms(whole, named, tuple(shardings))


def write_form(sharding: ShardingForms, form: str, setting: Setting) -> str:
    """Return a sharding as text in a form. Raises InputError if the form cannot say it."""
    return _WRITERS[form](sharding, setting)


def losses_of(sharding: ShardingForms, form: str, setting: Setting) -> list[Loss]:
    """Return what a sharding loses on its way into a form, as far as the form is of another kind.

    Between Shardy and the others, what would not come back. Raises InputError as writing does.
    """
    if sharding.sdy and form != "sdy":
        return [
            loss
            for each in sharding.sdy
            for loss in export_losses(
                each, setting.mesh, setting.manual_axes, closed=setting.closed
            )
        ]
    if form == "sdy" and not sharding.sdy:
        leaves = sharding.tiles.elements if sharding.tiles.is_tuple else (sharding.tiles,)
        return [loss for leaf in leaves for loss in import_losses(leaf)]
    if form == "partition-spec":
        return _losses_to_spec(sharding.tiles)
    if form == "v3":
        return []
    return [loss for each in sharding.named for loss in _losses_to_tiles(each, setting)]


def _losses_to_tiles(named: NamedSharding, setting: Setting) -> list[Loss]:
    """What a mesh-based sharding says and a grid does not."""
    without = TensorSharding(named.mesh, named.dims, named.replicated, named.unreduced)
    manual = [axis.name for axis in named.manual if axis.sub_axis is None]
    # an export of Shardy's knows no unreduced axes beside manual ones, a grid does
    if manual:
        without = TensorSharding(named.mesh, named.dims, named.replicated)
    kept = ("unreduced axes", "manual axes")
    losses = export_losses(without, closed=setting.closed)
    return [loss for loss in losses if loss.what not in kept]


def _losses_to_spec(sharding: HloSharding) -> list[Loss]:
    found = []
    if sharding.metadata:
        found.append(Loss("metadata", "a PartitionSpec has none"))
    if sharding.shard_group is not None:
        found.append(Loss("shard group", f"a PartitionSpec is in none ({sharding.shard_group})"))
    if sharding.kind == "tiled" and not sharding.tile.is_iota:
        found.append(Loss("device list", "a PartitionSpec gives an iota grid"))
    return found


def _each(
    sharding: ShardingForms, write: Callable[[HloSharding, NamedSharding | None], str]
) -> list[str]:
    """Write each element of a tuple, or the one sharding that it is."""
    return [write(leaf, on_mesh) for leaf, on_mesh in _leaves(sharding)]


def _leaves(sharding: ShardingForms) -> list[tuple[HloSharding, NamedSharding | None]]:
    """The elements of a tuple, or the one sharding, each with its mesh-based form if it has one."""
    leaves = sharding.tiles.elements if sharding.tiles.is_tuple else (sharding.tiles,)
    named: Iterable[NamedSharding | None] = sharding.named or (None,) * len(leaves)
    return list(zip(leaves, named, strict=True))


def _tuple_text(sharding: ShardingForms, texts: list[str]) -> str:
    if not sharding.tiles.is_tuple:
        return texts[0]
    notes = (f"/*index={i}*/" if i and i % 5 == 0 else "" for i in range(len(texts)))
    return f"{{{', '.join(note + text for note, text in zip(notes, texts, strict=True))}}}"


def _hlo(sharding: ShardingForms, setting: Setting) -> str:
    return sharding.tiles.to_text()


def _v1(sharding: ShardingForms, setting: Setting) -> str:
    def listed(leaf: HloSharding, _: object) -> str:
        if leaf.kind != "tiled":
            return leaf.to_text()
        return _with_tile(leaf, TileAssignment.explicit(leaf.tile.dims, leaf.tile.array)).to_text()

    return _tuple_text(sharding, _each(sharding, listed))


def _v2(sharding: ShardingForms, setting: Setting) -> str:
    def iota(leaf: HloSharding, _: object) -> str:
        if leaf.kind != "tiled":
            return leaf.to_text()
        tile = leaf.tile.device_form
        if not tile.is_iota:
            raise InputError(f"the devices of {leaf} are no transposed iota")
        return _with_tile(leaf, tile).to_text()

    return _tuple_text(sharding, _each(sharding, iota))


def _with_tile(leaf: HloSharding, tile: TileAssignment) -> HloSharding:
    value = HloSharding("tiled", tile, leaf.replicate_on_last_tile_dim, leaf.subgroup_types)
    return value.with_metadata(leaf.metadata).with_shard_group(leaf.shard_group)


def _named(leaf: HloSharding, on_mesh: NamedSharding | None, setting: Setting) -> NamedSharding:
    """The mesh-based form: as it was read, unless another mesh is asked for."""
    if on_mesh is not None and setting.mesh in (None, on_mesh.mesh):
        return on_mesh
    if leaf.kind == "maximal":
        return NamedSharding.of(leaf, Mesh())
    return NamedSharding.of(leaf, setting.needed_mesh("the mesh-based form"))


def _v3(sharding: ShardingForms, setting: Setting) -> str:
    texts = _each(sharding, lambda leaf, on_mesh: _named(leaf, on_mesh, setting).to_text())
    return _tuple_text(sharding, texts)


def _spec(sharding: ShardingForms, setting: Setting) -> str:
    texts = _each(
        sharding,
        lambda leaf, on_mesh: str(
            spec_of_sharding(_named(leaf, on_mesh, setting), rank=setting.rank)
        ),
    )
    return f"({', '.join(texts)})" if sharding.tiles.is_tuple else texts[0]


def _sdy(sharding: ShardingForms, setting: Setting) -> str:
    shardings = sharding.sdy or tuple(
        _imported(leaf, on_mesh, setting) for leaf, on_mesh in _leaves(sharding)
    )
    if sharding.tiles.is_tuple:
        return str(TensorShardingPerValue(shardings))
    return str(shardings[0])


def _imported(leaf: HloSharding, on_mesh: NamedSharding | None, setting: Setting) -> TensorSharding:
    if on_mesh is not None and not on_mesh.manual and setting.mesh in (None, on_mesh.mesh):
        sdy = on_mesh.to_sdy()
        return sdy if setting.mesh is None else sdy.with_mesh("mesh")
    rank = setting.rank
    if rank is None and leaf.kind == "tiled":
        rank = leaf.tiled_data_rank
    if rank is None and leaf.kind != "maximal":
        raise InputError(f"{leaf} does not say the rank of its tensor", expected="a rank")
    mesh = Mesh() if leaf.kind == "maximal" else setting.needed_mesh("Shardy's form")
    return import_sharding(leaf, mesh, rank or 0, setting.closed)


def _proto_bytes(sharding: ShardingForms, setting: Setting) -> bytes:
    if not setting.mesh_based:
        return to_proto_bytes(sharding.tiles)
    leaves = _leaves(sharding)
    named = [
        length_delimited(_NAMED, named_to_bytes(_named(leaf, on_mesh, setting)))
        for leaf, on_mesh in leaves
    ]
    if not sharding.tiles.is_tuple:
        return named[0]
    return _TUPLE + b"".join(length_delimited(5, leaf) for leaf in named)


def _proto_hex(sharding: ShardingForms, setting: Setting) -> str:
    return _proto_bytes(sharding, setting).hex()


def _proto_text(sharding: ShardingForms, setting: Setting) -> str:
    from google.protobuf import text_format

    message = _message(sharding, setting)
    text = text_format.MessageToString(message, use_short_repeated_primitives=True)
    return str(text).rstrip("\n")


def _proto_of_text(text: str) -> bytes:
    from google.protobuf import text_format

    from shardlog.converters.proto import OpSharding

    try:
        message = text_format.Parse(text, OpSharding())
    except (text_format.ParseError, RecursionError) as error:
        raise InputError("unreadable OpSharding", found=str(error)) from None
    data = message.SerializeToString(deterministic=True)
    assert isinstance(data, bytes)
    return data


def _json(sharding: ShardingForms, setting: Setting) -> str:
    return json.dumps(_plain(_message(sharding, setting)))


def _message(sharding: ShardingForms, setting: Setting) -> Any:
    """The protobuf message of a sharding; raises InputError for text that protobuf refuses."""
    from shardlog.converters.proto import DecodeError, OpSharding

    try:
        return OpSharding.FromString(_proto_bytes(sharding, setting))
    except DecodeError as error:
        raise InputError("an OpSharding that protobuf does not read", found=str(error)) from None


def _plain(message: Any) -> dict[str, Any]:
    """The set fields of a message by name, enum values by name too."""
    fields: dict[str, Any] = {}
    for field, value in message.ListFields():

        def plain(entry: Any, field: Any = field) -> Any:
            if field.message_type is not None:
                return _plain(entry)
            known = field.enum_type and field.enum_type.values_by_number.get(entry)
            return known.name if known else entry

        repeated = not isinstance(value, (int, str, bytes, float)) and hasattr(value, "append")
        fields[field.name] = [plain(entry) for entry in value] if repeated else plain(value)
    return fields


def _proto_of_json(text: str) -> bytes:
    from google.protobuf import json_format

    from shardlog.converters.proto import OpSharding

    try:
        message = json_format.Parse(text, OpSharding())
    except (json_format.ParseError, RecursionError, ValueError) as error:
        raise InputError("unreadable OpSharding", found=str(error)[:200]) from None
    data = message.SerializeToString(deterministic=True)
    assert isinstance(data, bytes)
    return data


_WRITERS: dict[str, Callable[[ShardingForms, Setting], str]] = {
    "hlo": _hlo,
    "v1": _v1,
    "v2": _v2,
    "v3": _v3,
    "sdy": _sdy,
    "partition-spec": _spec,
    "proto-text": _proto_text,
    "proto-bytes-hex": _proto_hex,
    "json": _json,
}
