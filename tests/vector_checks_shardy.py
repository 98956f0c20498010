"""What the entries of the reference values say about the Shardy bridge, file by file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shardlog.converters.named_sharding_proto import named_to_bytes
from shardlog.converters.op_sharding import from_proto_bytes, to_proto_bytes
from shardlog.converters.shardy import (
    export_named,
    export_per_value,
    export_sharding,
    find_meshes,
    import_on_meshes,
    import_sharding,
    is_open,
    read_back,
    release_bytes,
)
from shardlog.converters.wire import length_delimited
from shardlog.ir.errors import InputError
from shardlog.ir.named_sharding import NamedSharding
from shardlog.ir.sharding import HloSharding
from shardlog.ir.sharding_text import parse_sharding
from shardlog.ir.shardy import (
    Mesh,
    TensorSharding,
    parse_sharding_per_value,
    parse_tensor_sharding,
)

Entry = dict[str, Any]

_TYPES = ("REPLICATED", "MAXIMAL", "TUPLE", "OTHER", "MANUAL", "UNKNOWN", "UNREDUCED")


def equal(got: object, wanted: object) -> None:
    """Fail unless the two are equal, showing both."""
    assert got == wanted, f"got {got}\n  not {wanted}"


def op_sharding_fields(sharding: HloSharding) -> Entry:
    """The OpSharding of a sharding as the files spell it."""
    if sharding.is_tuple:
        fields = op_sharding_fields(HloSharding.replicated())
        elements = [op_sharding_fields(leaf) for leaf in sharding.elements]
        return {**fields, "type": "TUPLE", "tuple_shardings": elements}
    tile, tiled = sharding.tile, sharding.kind == "tiled"
    iota = tiled and tile.is_iota
    return {
        "type": "OTHER" if tiled else sharding.kind.upper(),
        "tile_assignment_dimensions": list(tile.dims) if tiled else [],
        "tile_assignment_devices": [] if iota else tile.array.reshape(-1).tolist(),
        "iota_reshape_dims": list(tile.reshape_dims) if iota else [],
        "iota_transpose_perm": list(tile.transpose_perm) if iota else [],
        "replicate_on_last_tile_dim": sharding.replicate_on_last_tile_dim,
        "last_tile_dims": [str(_TYPES.index(kind.upper())) for kind in sharding.subgroup_types],
    }


def sharding_of(entry: Entry) -> tuple[TensorSharding, Mesh]:
    """The Shardy sharding of an entry and its mesh; the text comes out as it went in."""
    mesh = Mesh.parse(entry["mesh"])
    sharding = parse_tensor_sharding(
        entry["sharding"], mesh, rank=entry.get("rank"), manual_axes=entry["manual_axes"]
    )
    equal(str(sharding), entry["sharding"])
    return sharding, mesh


def export(entry: Entry) -> None:
    """Text, fields and bytes, and what becomes of one device on the way through XLA."""
    exported = export_sharding(*sharding_of(entry), entry["manual_axes"])
    equal(str(exported), entry["hlo_sharding"])
    equal(op_sharding_fields(exported), entry["op_sharding"])
    equal(to_proto_bytes(exported).hex(), entry["proto_hex"])
    after = entry.get("after_hlo_conversion")
    if after is None:
        return
    if after["hlo_sharding"] is None:
        equal(after["proto_hex"], None)
        refused(lambda: parse_sharding(str(exported)))
        return
    read = from_proto_bytes(to_proto_bytes(exported))
    assert read is read_back(exported)
    equal(str(read), after["hlo_sharding"])
    equal(to_proto_bytes(read).hex(), after["proto_hex"])


def export_tuple(entry: Entry) -> None:
    """The shardings of several values."""
    mesh = Mesh.parse(entry["mesh"])
    shardings = parse_sharding_per_value(entry["sharding_per_value"], mesh)
    equal(str(shardings), entry["sharding_per_value"])
    equal([sharding.rank for sharding in shardings], entry["ranks"])
    exported = export_per_value(shardings, mesh)
    equal(str(exported), entry["hlo_sharding"])
    equal(op_sharding_fields(exported), entry["op_sharding"])
    equal(to_proto_bytes(exported).hex(), entry["proto_hex"])


def export_0_6_2(entry: Entry) -> None:
    """What jaxlib 0.6.2 makes of the same sharding."""
    sharding, mesh = sharding_of(entry)
    around = entry["manual_axes"]
    equal(str(export_sharding(sharding, mesh, around)), entry["v0_10_2_direct"])
    exported = export_sharding(sharding, mesh, around, release="0.6.2")
    if entry["v0_6_2_hlo"] is None:
        equal(entry["v0_6_2_proto_hex"], None)
        refused(lambda: parse_sharding(str(exported)))
        return
    read = read_back(exported, "0.6.2")
    equal(str(read), entry["v0_6_2_hlo"])
    equal(release_bytes(read, "0.6.2").hex(), entry["v0_6_2_proto_hex"])


def op_sharding_of(named: NamedSharding) -> bytes:
    """The OpSharding message that holds a mesh-based sharding."""
    return length_delimited(14, named_to_bytes(named))


def export_v3(entry: Entry) -> None:
    """The mesh-based form: text, bytes, the grid that it stands for, and back to Shardy."""
    sharding, mesh = sharding_of(entry)
    named = export_named(sharding, mesh, entry["manual_axes"])
    equal(str(named), entry["v3_text"])
    equal(op_sharding_of(named).hex(), entry["v3_proto_hex"])
    equal(str(named.tiles()), entry["v3_to_v2_text"])
    if entry["v3_imported_sdy"] is None:
        refused(named.to_sdy)
    else:
        equal(str(named.to_sdy()), entry["v3_imported_sdy"])


def imported(entry: Entry) -> None:
    """The Shardy shardings that an import gives, on a mesh that is given or found."""
    if entry["kind"] == "direct":
        equal(str(_imported_directly(entry)), entry["expected_sdy"])
        return
    meshes, args, results = _imported_module(entry)
    equal({name: mesh.stripped for name, mesh in meshes.items()}, entry["meshes"])
    equal(args, entry["expected_args"])
    equal(results, entry.get("expected_results", []))


def import_fails(entry: Entry) -> None:
    """What XLA aborts on."""
    if entry["kind"] == "direct":
        refused(lambda: _imported_directly(entry))
    else:
        refused(lambda: _imported_module(entry))


def _imported_directly(entry: Entry) -> TensorSharding:
    return import_sharding(
        parse_sharding(entry["hlo_sharding"]),
        Mesh.parse(entry["mesh"]),
        entry["rank"],
        not entry["open_dims"],
        name=None if entry["inline_mesh"] else "mesh",
    )


def _imported_module(entry: Entry) -> tuple[dict[str, Mesh], list[str | None], list[str | None]]:
    values = [entry["args"], entry["results"]]
    meshes = find_meshes(parse_sharding(value["hlo_sharding"]) for side in values for value in side)
    return (
        meshes,
        _imported_side(values[0], meshes, entry["allow_propagation_to_args"]),
        _imported_side(values[1], meshes, entry["allow_propagation_to_results"]),
    )


def _imported_side(
    values: Sequence[Entry], meshes: dict[str, Mesh], flags: Sequence[bool]
) -> list[str | None]:
    found = [
        import_on_meshes(
            parse_sharding(value["hlo_sharding"]), meshes, value["rank"], not is_open(flags, index)
        )
        for index, value in enumerate(values)
    ]
    return [None if sharding is None else str(sharding) for sharding in found]


def refused(read: Any) -> None:
    """Fail unless a call raises an InputError."""
    try:
        value = read()
    except InputError:
        return
    raise AssertionError(f"no error, but {value}")


CHECKS = {
    "export_vectors.json": {"vectors": export},
    "export_tuple_vectors.json": {"vectors": export_tuple},
    "export_v3_vectors.json": {"vectors": export_v3},
    "export_diffs_jaxlib_0_6_2.json": {"vectors": export_0_6_2},
    "import_vectors.json": {"vectors": imported, "must_fail": import_fails},
}
