"""The text of shardings, against what XLA makes of the same text."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from shardlog.ir.errors import InputError
from shardlog.ir.named_sharding_text import parse_named_sharding
from shardlog.ir.sharding import HloSharding
from shardlog.ir.sharding_text import parse_sharding

VECTORS = Path(__file__).parents[1] / "data" / "vectors" / "hlo_sharding_text_vectors.json"
DATA = json.loads(VECTORS.read_text())
MESH_BASED = [entry for entry in DATA["vectors"] if entry.get("v3")]
LENIENT_ONLY = "{replicated manual}"
GOOD = [entry for entry in DATA["vectors"] if not entry.get("v3")]
BROKEN = DATA["malformed"]
TAKEN_BY_XLA = [entry for entry in BROKEN if entry["class"] == "accepted_by_parser"]
REFUSED_BY_XLA = [entry for entry in BROKEN if entry["class"] != "accepted_by_parser"]
# XLA points behind the wrong entry, at the end of the second of two grids, and, in a mesh-based
# text, in front of the dimensions; here the error is at the entry, at the start of the second grid
# and at what is wrong behind the mesh.
OTHER_PLACE = {
    "bad-0051": 25,
    "bad-0108": 18,
    "bad-0115": 22,
    "bad-0117": 16,
    "bad-0118": 23,
    "bad-0119": 17,
    "bad-0132": 23,
    "bad-0136": 20,
}


def named(entry):
    return entry["id"]


def described(sharding: HloSharding) -> dict[str, object]:
    """The facts about a sharding that the reference values may hold."""
    if sharding.is_tuple:
        return {
            "is_tuple": True,
            "tuple_elements": [str(element) for element in sharding.elements],
        }
    facts: dict[str, object] = {
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
        facts["tile_dims"] = list(sharding.tile.dims)
        facts["num_devices"] = sharding.num_devices
        facts["replicate_on_last_tile_dim"] = sharding.replicate_on_last_tile_dim
        facts["subgroup_types"] = [kind.upper() for kind in sharding.subgroup_types]
    return facts


@pytest.mark.parametrize("entry", GOOD, ids=named)
def test_text_is_read_as_xla_reads_it(entry):
    sharding = parse_sharding(entry["text"], lenient=entry["text"] == LENIENT_ONLY)
    assert str(sharding) == entry["canonical"]
    facts = described(sharding)
    assert facts == {name: entry[name] for name in facts}
    if "devices" in entry:
        assert sharding.tile.array.reshape(-1).tolist() == entry["devices"]
    if "canonical_with_metadata" in entry:
        assert sharding.to_text() == entry["canonical_with_metadata"]


@pytest.mark.parametrize("entry", GOOD, ids=named)
def test_canonical_text_is_read_back(entry):
    again = parse_sharding(entry["canonical"])
    if entry["reparse_canonical"] == "same":
        assert again is parse_sharding(entry["text"], lenient=True).bare
    else:
        assert str(again) == entry["reparse_canonical"]


@pytest.mark.parametrize("entry", BROKEN, ids=named)
def test_broken_text_is_refused_with_its_place(entry):
    with pytest.raises(InputError) as caught:
        parse_sharding(entry["text"])
    error = caught.value
    assert error.line == 1
    assert error.column is not None
    if "column" in entry:
        assert error.column - 1 == OTHER_PLACE.get(entry["id"], entry["column"])
    assert 0 < error.column <= len(entry["text"]) + 1


@pytest.mark.parametrize("entry", TAKEN_BY_XLA, ids=named)
def test_lenient_reading_is_xlas(entry):
    assert str(parse_sharding(entry["text"], lenient=True)) == entry["read_as"]


@pytest.mark.parametrize("entry", REFUSED_BY_XLA, ids=named)
def test_lenient_reading_refuses_what_xla_refuses_or_dies_of(entry):
    with pytest.raises(InputError):
        parse_sharding(entry["text"], lenient=True)


@pytest.mark.parametrize("entry", MESH_BASED, ids=named)
def test_a_mesh_based_text_gives_the_sharding_of_its_tiles(entry):
    assert parse_sharding(entry["text"]) is parse_named_sharding(entry["text"]).tiles()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "{devices=[2,2]<=[8]}",
            "1:2: a grid of [2, 2] has 4 places, but reshape dimensions [8] give 8 devices",
        ),
        ("{devices=[2,2]0,1,2}", "1:2: a grid of [2, 2] cannot hold 3 devices"),
        ("{devices=[4]0,1,2,1}", "1:2: a device is listed twice"),
        ("{{manual},\n {replicated device=3}}", "2:3: replicated goes without devices"),
        (
            "{devices=[2,2]<=[4] last_tile_dims={manul}}",
            "1:37: unknown subgroup type (expected manual, replicated or unreduced, found 'manul')",
        ),
        (
            "{devices=[4]0,1,2,}",
            "1:19: unreadable sharding (expected an integer, found '}')",
        ),
    ],
)
def test_messages(text, message):
    with pytest.raises(InputError) as caught:
        parse_sharding(text)
    assert str(caught.value) == message


def test_an_error_can_be_moved_to_its_file_and_sent_to_another_process():
    with pytest.raises(InputError) as caught:
        parse_sharding("{devices=[4]0,1,2,}")
    located = caught.value.located(file="a.hlo", line=7)
    assert str(located) == "a.hlo:7:19: unreadable sharding (expected an integer, found '}')"
    assert str(pickle.loads(pickle.dumps(located))) == str(located)


def test_comments_and_blanks_are_skipped():
    text = "{ /* a grid */ devices=[ 2,\n2 ]<=[4] // the end\n}"
    assert parse_sharding(text) is parse_sharding("{devices=[2,2]<=[4]}")


def test_metadata_is_printed_as_xla_prints_it():
    text = (
        '{replicated metadata={stack_frame_id=7 op_name="a\\"b\\303\\244\\x41" source_line=-3, '
        'profile_type={2,1} scheduling_name="s\\"" op_type=""}}'
    )
    sharding = parse_sharding(text)
    assert sharding.to_text() == (
        '{replicated metadata={op_name="a\\"b\\303\\244A" source_line=-3 profile_type={2,1} '
        'scheduling_name="s"" stack_frame_id=7}}'
    )
    assert sharding.metadata[0].op_name == 'a"bäA'
    assert sharding.metadata[0].source_line == -3


def test_several_metadata_stand_in_two_pairs_of_braces():
    text = '{devices=[2]<=[2] shard_like 3 metadata={{op_name="a"}, {op_name="b"}}}'
    assert parse_sharding(text).to_text() == text
    assert parse_sharding('{manual metadata={{op_name="a"}}}').to_text() == (
        '{manual metadata={op_name="a"}}'
    )


def test_a_long_device_list_is_read():
    devices = list(range(20_000, 0, -1))
    text = f"{{devices=[200,100]{','.join(map(str, devices))}}}"
    sharding = parse_sharding(text)
    assert sharding.tile.array.reshape(-1).tolist() == devices
    assert str(sharding) == text
