"""OpSharding messages; tests/vectors.py compares them with XLA's bytes and what XLA reads."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shardlog.converters.message_fields import packed, scalar
from shardlog.converters.op_sharding import from_proto_bytes, to_proto_bytes
from shardlog.converters.proto import OpSharding
from shardlog.converters.wire import length_delimited
from shardlog.ir.errors import InputError
from shardlog.ir.op_metadata import OpMetadata
from shardlog.ir.sharding import HloSharding, ShardGroup
from shardlog.ir.sharding_text import parse_sharding
from shardlog.ir.tile_assignment import TileAssignment
from tests.ir.random_shardings import random_value
from tests.ir.shardy_strategies import generators


@st.composite
def leaves(draw: st.DrawFn) -> HloSharding:
    dims = tuple(draw(st.lists(st.integers(1, 9), min_size=1, max_size=4)))
    tile = TileAssignment.iota(dims)
    if tile.num_elements > 1 and draw(st.booleans()):
        tile = TileAssignment.explicit(dims, draw(st.permutations(range(tile.num_elements))))
    kinds = st.sampled_from(("manual", "replicated", "unreduced"))
    types = draw(st.lists(kinds, max_size=len(dims) - 1))
    sharding = HloSharding.subgroup(tile, types)
    if draw(st.booleans()):
        number = draw(st.integers(0, 1 << 40))
        sharding = sharding.with_shard_group(
            ShardGroup(number, draw(st.sampled_from(("as", "like"))))
        )
    metadata = st.fixed_dictionaries(
        {},
        optional={
            "op_name": st.text(max_size=5),
            "source_line": st.integers(-(1 << 31), (1 << 31) - 1),
            "profile_type": st.lists(st.integers(0, 3), max_size=3).map(tuple),
            "metadata_payload": st.text(max_size=2),
            "source_end_column": st.integers(0, 999),
        },
    )
    return sharding.with_metadata(map(OpMetadata.of, draw(st.lists(metadata, max_size=2))))


def folded(sharding: HloSharding) -> HloSharding:
    """What only reading folds: a grid of one place, an unreduced subgroup that has all devices."""
    if sharding.is_tuple:
        return HloSharding.tuple_of(map(folded, sharding.elements))
    if sharding.kind == "tiled" and sharding.tile.num_elements == 1:
        plain = HloSharding.replicated()
    elif sharding.subgroup_types == ("unreduced",) and sharding.num_tiles == 1:
        plain = HloSharding.unreduced()
    else:
        return sharding
    return plain.with_metadata(sharding.metadata).with_shard_group(sharding.shard_group)


@given(leaves())
def test_all_metadata_is_read_back(sharding):
    assert from_proto_bytes(to_proto_bytes(sharding)) is folded(sharding)


@settings(max_examples=2000)
@given(generators)
def test_bytes_are_read_back_as_the_same_object(rng):
    sharding = random_value(rng)
    assert from_proto_bytes(to_proto_bytes(sharding)) is folded(sharding)


@given(leaves())
def test_protobuf_writes_the_same_bytes(sharding):
    data = to_proto_bytes(sharding)
    message = OpSharding.FromString(data)
    assert message.SerializeToString(deterministic=True) == data
    assert list(message.iota_reshape_dims) == list(sharding.tile.reshape_dims)


def test_lists_may_come_unpacked_and_in_pieces():
    packed = bytes.fromhex("08031a0202024a0202025202 0100".replace(" ", ""))
    pieces = bytes.fromhex("50011802 4a020202 0803 1802 5000".replace(" ", ""))
    assert from_proto_bytes(pieces) is from_proto_bytes(packed)
    assert str(from_proto_bytes(packed)) == "{devices=[2,2]<=[2,2]T(1,0)}"


def nested(depth: int) -> bytes:
    data = b""
    for _ in range(depth):
        data = scalar(1, 2) + length_delimited(5, data)
    return data


def test_nested_tuples_are_read_as_deep_as_protobuf_reads_them():
    assert str(from_proto_bytes(nested(99))) == "{" * 99 + "{replicated}" + "}" * 99
    with pytest.raises(InputError, match="nested more than 100 deep"):
        from_proto_bytes(nested(10_000))
    # what was read before does not make deeper ones readable
    for depth in range(1, 300):
        if depth < 100:
            from_proto_bytes(nested(depth))
        elif depth > 100:
            with pytest.raises(InputError):
                from_proto_bytes(nested(depth))


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize(
    "fields",
    [
        [packed(3, [1 << 62] * 100_000), packed(9, [4]), packed(10, [0])],
        [packed(3, [4]), packed(9, [1] * 100_000), packed(10, range(100_000))],
        [packed(3, [2 * 10**11, 6]), packed(9, [2, 2, 3 * 10**11]), packed(10, [2, 1, 0]),
         scalar(6, 1)],
        [packed(3, [10**12]), packed(4, [0, 1])],
    ],
)  # fmt: skip
def test_hostile_messages_are_refused(fields, lenient):
    with pytest.raises(InputError) as caught:
        from_proto_bytes(scalar(1, 3) + b"".join(fields), lenient)
    assert len(str(caught.value)) < 1000


def test_unknown_fields_are_ignored():
    known = bytes.fromhex("08041a0102")
    unknown = bytes.fromhex(
        "f80105 a20603616263 fd0600000000 f1060000000000000000".replace(" ", "")
    )
    assert from_proto_bytes(unknown + known) is HloSharding.manual()


def test_metadata_without_text_is_kept():
    # sizes 8 and 9, a profile, an id instead of a payload, and a field that nobody knows
    inner = bytes.fromhex("120161 4005 4807 52021801 a2010210 05 f00107".replace(" ", ""))
    data = b"\x3a" + bytes([len(inner)]) + inner
    sharding = from_proto_bytes(data)
    assert sharding.to_text() == '{replicated metadata={op_name="a"}}'
    assert to_proto_bytes(sharding) == data


@pytest.mark.parametrize(
    "broken",
    [
        "08",
        "0803 1a05 0202",
        "0803 1a01 ff",
        "0803 1a0c ffffffffffffffffffffff01",
        "ffffffffffffffffffff01",
        "00",
        "0f",
        "3a03 1205 61",
    ],
)
def test_bytes_that_are_no_message_are_refused(broken):
    with pytest.raises(InputError, match="broken Op"):
        from_proto_bytes(bytes.fromhex(broken.replace(" ", "")))


def test_a_million_devices_take_a_few_bytes():
    sharding = parse_sharding("{devices=[1024,1024]<=[1024,1024]T(1,0)}")
    data = to_proto_bytes(sharding)
    assert len(data) < 24
    assert from_proto_bytes(data) is sharding
    assert sharding.tile._array is None


def test_a_long_list_of_devices():
    tile = TileAssignment.explicit((100, 200), list(range(20_000))[::-1])
    sharding = HloSharding.tiled(tile)
    assert (
        list(OpSharding.FromString(to_proto_bytes(sharding)).tile_assignment_devices)
        == list(range(20_000))[::-1]
    )
    assert from_proto_bytes(to_proto_bytes(sharding)) is sharding


@settings(max_examples=2000)
@given(generators)
def test_jaxlib_reads_and_writes_the_same(rng):
    sharding = random_value(rng)
    hlo = pytest.importorskip("jaxlib._hlo")
    data = to_proto_bytes(sharding)
    message = hlo.OpSharding()
    message.ParseFromString(data)
    theirs = hlo.HloSharding.from_proto(message)
    assert str(theirs) == str(from_proto_bytes(data))
    assert theirs.to_proto().SerializeToString() == to_proto_bytes(from_proto_bytes(data))
    if "devices=[]" not in str(sharding):  # XLA prints it and cannot read it
        assert str(hlo.HloSharding.from_string(sharding.to_text())) == str(
            parse_sharding(sharding.to_text())
        )
