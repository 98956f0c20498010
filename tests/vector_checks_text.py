"""What the entries of the reference values say about text and protos of shardings."""

from __future__ import annotations

from typing import Any

from shardlog.converters.named_sharding_proto import named_from_bytes, named_to_bytes
from shardlog.converters.op_sharding import from_proto_bytes, to_proto_bytes
from shardlog.converters.wire import length_delimited, payload
from shardlog.ir.errors import InputError
from shardlog.ir.named_sharding import NamedSharding
from shardlog.ir.named_sharding_text import parse_named_sharding
from shardlog.ir.sharding import HloSharding
from shardlog.ir.sharding_text import parse_sharding

Entry = dict[str, Any]

LENIENT_ONLY = "{replicated manual}"
"""XLA takes it, and so it is among the good texts; by default it is a contradiction."""
LENIENT_ONLY_PROTOS = {
    "other V1 duplicate devices",
    "other V2 perm duplicate",
    "last_tile_dims unknown",
    "dims product overflow",
}
"""XLA takes these; by default they are contradictions."""
NEVER = "other V2 perm negative"
"""XLA reads outside of the permutation and gives another result every time."""
NAMED = 14
"""The field of an OpSharding that holds the mesh-based form."""
OTHER_PLACE = {
    "bad-0051": 25,  # the entry; XLA points behind it
    "bad-0108": 18,  # the start of the second grid; XLA points at its end
    # what is wrong behind the mesh; XLA points at the start of the dimensions
    "bad-0115": 22,
    "bad-0117": 16,
    "bad-0118": 23,
    "bad-0119": 17,
    "bad-0132": 23,
    "bad-0136": 20,
}


def facts(sharding: HloSharding) -> Entry:
    """What is known of a sharding, as the files spell it."""
    if sharding.is_tuple:
        return {"is_tuple": True, "tuple_elements": [str(leaf) for leaf in sharding.elements]}
    found: Entry = {
        "is_tuple": False,
        "is_replicated": sharding.is_replicated,
        "is_manual": sharding.is_manual,
        "is_unknown": sharding.is_unknown,
        "is_unreduced": sharding.is_unreduced,
        "is_maximal": sharding.is_tile_maximal,
        "is_tiled": sharding.is_tiled,
        "is_iota": sharding.tile.is_iota,
    }
    if sharding.is_tiled:
        found["tile_dims"] = list(sharding.tile.dims)
        found["num_devices"] = sharding.num_devices
        found["replicate_on_last_tile_dim"] = sharding.replicate_on_last_tile_dim
        found["subgroup_types"] = [kind.upper() for kind in sharding.subgroup_types]
        if sharding.num_devices <= 1024:
            found["devices"] = sharding.tile.array.reshape(-1).tolist()
    return found


def text(entry: Entry) -> None:
    """A text that XLA reads: value, canonical text and bytes, each read back."""
    if entry.get("v3"):
        _mesh_based_text(entry)
        return
    sharding = parse_sharding(entry["text"], lenient=entry["text"] == LENIENT_ONLY)
    _equal(str(sharding), entry["canonical"])
    found = facts(sharding)
    _equal(found, {name: entry.get(name, value) for name, value in found.items()})
    assert "devices" in found or "devices" not in entry
    if "canonical_with_metadata" in entry:
        _equal(sharding.to_text(), entry["canonical_with_metadata"])
    data = bytes.fromhex(entry["proto_hex"])
    _equal(to_proto_bytes(sharding).hex(), data.hex())
    again = from_proto_bytes(data)
    _equal(str(again), entry["canonical"] if entry["from_proto"] == "same" else entry["from_proto"])
    assert again is sharding or entry["from_proto"] != "same"
    reparsed = parse_sharding(entry["canonical"])
    same = entry["reparse_canonical"] == "same"
    _equal(str(reparsed), entry["canonical"] if same else entry["reparse_canonical"])


def _mesh_based_text(entry: Entry) -> None:
    sharding = parse_named_sharding(entry["text"])
    _named(sharding, entry["canonical"], entry["proto_hex"])
    _equal((entry["from_proto"], entry["reparse_canonical"]), ("same", "same"))
    tiles = sharding.tiles()
    assert parse_sharding(entry["text"]) is tiles
    assert parse_named_sharding(entry["canonical"]).tiles() is tiles
    _equal(sharding.mesh.is_maximal or tiles.is_replicated, entry["is_maximal"])
    _equal(tiles.is_replicated, entry["is_replicated"])


def _named(sharding: NamedSharding, canonical: str, proto_hex: str) -> None:
    data = bytes.fromhex(proto_hex)
    assert from_proto_bytes(data) is sharding.tiles()
    inner = payload(data, NAMED)
    assert inner is not None
    _equal(str(sharding), canonical)
    read = named_from_bytes(inner)
    _equal(str(read), canonical)
    _equal(length_delimited(NAMED, named_to_bytes(read)).hex(), proto_hex)
    # "manual" and "unreduced" name all axes, also where axes of size 1 were left out of the group
    _equal(read.tiles(), sharding.tiles())


def malformed(entry: Entry) -> None:
    """A broken text: refused with its place, or read as XLA reads it if lenient."""
    error = _refusal(lambda: parse_sharding(entry["text"]))
    _equal(error.line, entry.get("line", 1))
    column = error.column
    assert column is not None
    assert 0 < column <= len(entry["text"]) + 1
    if "column" in entry:
        _equal(column - 1, OTHER_PLACE.get(entry["id"], entry["column"]))
    if entry["class"] != "accepted_by_parser":
        _refusal(lambda: parse_sharding(entry["text"], lenient=True))
        return
    sharding = parse_sharding(entry["text"], lenient=True)
    _equal(str(sharding), entry["read_as"])
    if "proto_hex" not in entry:
        return
    data = bytes.fromhex(entry["proto_hex"])
    _equal(to_proto_bytes(sharding).hex(), data.hex())
    if entry["from_proto"] == "error":
        _refusal(lambda: from_proto_bytes(data, lenient=True))
    else:
        _equal(f"accepted as {from_proto_bytes(data, lenient=True)}", entry["from_proto"])


def from_proto(entry: Entry) -> None:
    """Bytes that XLA reads or refuses."""
    data, result = bytes.fromhex(entry["proto_hex"]), entry["result"]
    if not result["ok"] or entry["name"] == NEVER:
        _equal(result["ok"], entry["name"] == NEVER)
        for lenient in (False, True):
            _refusal(lambda lenient=lenient: from_proto_bytes(data, lenient))
        return
    sharding = from_proto_bytes(data, lenient=True)
    _equal(str(sharding), result.get("text"))
    _equal(to_proto_bytes(sharding).hex(), result.get("proto_hex"))
    if entry["name"] in LENIENT_ONLY_PROTOS:
        _refusal(lambda: from_proto_bytes(data))
    else:
        assert from_proto_bytes(data) is sharding


def mesh_based(entry: Entry) -> None:
    """The mesh-based form of an exported Shardy sharding: text, bytes, grid and the way back."""
    sharding = parse_named_sharding(entry["v3_text"])
    _named(sharding, entry["v3_text"], entry["v3_proto_hex"])
    tiles = sharding.tiles()
    _equal(str(tiles), entry["v3_to_v2_text"])
    if entry["v3_imported_sdy"] is not None:
        _equal(str(sharding.to_sdy()), entry["v3_imported_sdy"])
    if tiles.is_replicated or tiles.kind == "maximal":
        return
    assert NamedSharding.of(tiles, sharding.mesh).tiles().equals(tiles)


def _equal(got: object, wanted: object) -> None:
    assert got == wanted, f"got {got}\n  not {wanted}"


def _refusal(read: Any) -> InputError:
    try:
        value = read()
    except InputError as error:
        return error
    raise AssertionError(f"no error, but {value}")


CHECKS = {
    "hlo_sharding_text_vectors.json": {"vectors": text, "malformed": malformed},
    "fromproto_vectors.json": {"vectors": from_proto},
    "export_v3_vectors.json": {"vectors": mesh_based},
}
