"""HloSharding: identity, equality, canonical subgroups and numbers."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from shardlog.ir.errors import InputError
from shardlog.ir.op_metadata import OpMetadata
from shardlog.ir.sharding import HloSharding, ShardGroup
from shardlog.ir.sharding_text import parse_sharding
from shardlog.ir.tile_assignment import TileAssignment
from tests.ir.random_shardings import random_value
from tests.ir.shardy_strategies import generators

SUBGROUPS = ("manual", "unreduced", "replicated")


@st.composite
def tiles(draw: st.DrawFn) -> TileAssignment:
    dims = tuple(draw(st.lists(st.sampled_from((1, 2, 2, 3, 4)), min_size=1, max_size=4)))
    count = math.prod(dims)
    if count > 1 and draw(st.booleans()):
        return TileAssignment.explicit(dims, draw(st.permutations(range(count))))
    reshape_dims = draw(st.permutations(dims))
    return TileAssignment.iota(dims, reshape_dims, draw(st.permutations(range(len(dims)))))


@st.composite
def subgroup_words(draw: st.DrawFn) -> tuple[TileAssignment, list[str]]:
    tile = draw(tiles())
    return tile, draw(st.lists(st.sampled_from(SUBGROUPS), max_size=len(tile.dims)))


@st.composite
def leaves(draw: st.DrawFn) -> HloSharding:
    sharding = draw(
        st.one_of(
            st.sampled_from(("{replicated}", "{manual}", "{unknown}", "{unreduced}")).map(
                parse_sharding
            ),
            st.integers(0, 9).map(HloSharding.maximal),
            subgroup_words().map(lambda words: HloSharding.subgroup(*words)),
        )
    )
    if draw(st.booleans()):
        group = ShardGroup(draw(st.integers(0, 99)), draw(st.sampled_from(("as", "like"))))
        sharding = sharding.with_shard_group(group)
    names = draw(st.lists(st.text(max_size=4), max_size=2))
    return sharding.with_metadata(OpMetadata.of({"op_name": name}) for name in names)


shardings = st.one_of(leaves(), st.lists(leaves(), max_size=7).map(HloSharding.tuple_of))


def holders(tile: TileAssignment, types: list[str]) -> dict[str, list[frozenset[int]]]:
    """For each type of subgroup the sets of devices along it, tile by tile."""
    data_rank = len(tile.dims) - len(types)
    found = {}
    for kind in SUBGROUPS:
        along = [data_rank + i for i, each in enumerate(types) if each == kind]
        if math.prod(tile.dims[dim] for dim in along) > 1:
            rest = [dim for dim in range(len(tile.dims)) if dim not in along]
            size = math.prod(tile.dims[dim] for dim in along)
            rows = tile.array.transpose([*rest, *along]).reshape(-1, size)
            found[kind] = sorted(map(frozenset, rows.tolist()), key=min)
    return found


@given(subgroup_words())
def test_canonical_subgroups_hold_the_same_devices(words):
    tile, types = words
    sharding = HloSharding.subgroup(tile, types)
    data_dims = tile.dims[: len(tile.dims) - len(types)]
    if sharding.kind != "tiled":
        assert math.prod(data_dims) == 1
        return
    kinds = ["replicated"] if sharding.replicate_on_last_tile_dim else [*sharding.subgroup_types]
    assert kinds == sorted(kinds, key=SUBGROUPS.index)
    assert len(set(kinds)) == len(kinds)
    assert sharding.tile.dims[: sharding.tiled_data_rank] == data_dims
    before, after = holders(tile, types), holders(sharding.tile, kinds)
    if "replicated" in before:
        # XLA sorts the replicas, and with them moves devices between the other subgroups.
        assert before["replicated"] == after["replicated"]
    else:
        assert before == after
    # whatever the subgroups, each tile stays on its devices
    places = math.prod(data_dims)
    by_tile = [np.sort(grid.array.reshape(places, -1)) for grid in (tile, sharding.tile)]
    assert np.array_equal(*by_tile)


@given(tiles())
def test_replicas_are_in_ascending_order(tile):
    sharding = HloSharding.partial_tile(tile)
    if sharding.replicate_on_last_tile_dim:
        assert np.array_equal(sharding.tile.array, np.sort(tile.array, axis=-1))
        assert HloSharding.partial_tile(sharding.tile) is sharding
    else:
        assert tile.dims[-1] in (1, tile.num_elements)


def folded(sharding: HloSharding) -> HloSharding:
    """What only reading folds: an unreduced subgroup that has all devices."""
    if sharding.is_tuple:
        return HloSharding.tuple_of(map(folded, sharding.elements))
    if sharding.subgroup_types == ("unreduced",) and sharding.num_tiles == 1:
        plain = HloSharding.unreduced().with_metadata(sharding.metadata)
        return plain.with_shard_group(sharding.shard_group)
    return sharding


def has_grid_without_dimensions(sharding: HloSharding) -> bool:
    """`{devices=[]<=[1]}`: XLA prints it of one device in several subgroups, and cannot read it."""
    return any(
        part.kind == "tiled" and not part.tile.dims for part in sharding.elements or [sharding]
    )


@settings(max_examples=2000)
@given(generators)
def test_text_is_read_back_as_the_same_object(rng):
    sharding = random_value(rng)
    assume(not has_grid_without_dimensions(sharding))
    again = parse_sharding(sharding.to_text())
    assert again is folded(sharding)
    assert parse_sharding(str(sharding)) is again.bare


@given(shardings)
def test_values_survive_pickling_and_copying_as_the_same_object(sharding):
    assert pickle.loads(pickle.dumps(sharding)) is sharding
    assert copy.deepcopy(sharding) is sharding


@given(leaves(), leaves())
def test_equality_sees_devices_and_not_metadata_or_form(one, other):
    spelled = one
    if one.kind == "tiled":
        listed = TileAssignment.explicit(one.tile.dims, one.tile.array)
        spelled = HloSharding(
            "tiled",
            listed,
            one.replicate_on_last_tile_dim,
            one.subgroup_types,
            shard_group=one.shard_group,
        )
    assert spelled.equals(one)
    assert one.bare.equals(one)
    assert one.equals(other) == (one.essence is other.essence)
    if one.equals(other):
        assert one.kind == other.kind
        assert one.shard_group is other.shard_group
        assert np.array_equal(one.tile.array, other.tile.array)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("{devices=[2,2]0,1,2,3}", "{devices=[2,2]<=[4]}", True),
        ("{devices=[2,2]0,2,1,3}", "{devices=[2,2]<=[2,2]T(1,0)}", True),
        ("{devices=[2,2]0,1,3,2}", "{devices=[2,2]<=[4]}", False),
        ("{devices=[4]0,1,2,3}", "{devices=[2,2]<=[4]}", False),
        ('{replicated metadata={op_name="a"}}', "{replicated}", True),
        ("{replicated shard_as 1}", "{replicated}", False),
        ("{devices=[2,2]<=[4] last_tile_dim_replicate}", "{devices=[2,2]<=[4]}", False),
        ("{{devices=[2]0,1}, {manual}}", "{{devices=[2]<=[2]}, {manual}}", True),
    ],
)
def test_equality_is_xlas(one, other, equal):
    assert parse_sharding(one).equals(parse_sharding(other)) == equal
    assert parse_sharding(one) is not parse_sharding(other)


def test_numbers_of_a_sharding_with_subgroups():
    sharding = parse_sharding("{devices=[2,3,4,5]<=[120] last_tile_dims={manual, replicated}}")
    assert sharding.tiled_data_rank == 2
    assert sharding.num_tiles == 6
    assert sharding.total_num_tiles == sharding.num_devices == 120
    assert sharding.num_tiles_on((1,)) == 3
    assert sharding.is_manual_subgroup
    assert sharding.has_partial_replication
    assert not sharding.replicate_on_last_tile_dim


def test_what_has_no_grid_has_no_number_of_tiles():
    assert HloSharding.replicated().num_tiles == 1
    assert HloSharding.maximal(3).num_tiles == 1
    for sharding in (HloSharding.manual(), HloSharding.unknown(), HloSharding.unreduced()):
        with pytest.raises(InputError, match="has no number of tiles"):
            sharding.num_tiles  # noqa: B018
        with pytest.raises(InputError, match="has no grid of tiles"):
            sharding.tiled_data_rank  # noqa: B018


@pytest.mark.parametrize(
    ("text", "device"),
    [
        ("{maximal device=3}", 3),
        ("{{maximal device=3}, {maximal device=3}}", 3),
        ("{{maximal device=3}, {maximal device=4}}", None),
        ("{{maximal device=3}, {replicated}}", None),
        ("{replicated}", None),
        ("{}", None),
    ],
)
def test_the_one_device(text, device):
    assert parse_sharding(text).unique_device == device
    assert parse_sharding(text).has_unique_device == (device is not None)


def test_predicates_of_a_tuple_hold_if_they_hold_for_all_elements():
    sharding = parse_sharding("{{replicated}, {maximal device=1}}")
    assert sharding.is_tile_maximal
    assert not sharding.is_replicated
    assert not sharding.is_tiled
    assert parse_sharding("{}").is_replicated
    assert parse_sharding("{{manual}, {devices=[2]<=[2]}}").is_tiled
    assert parse_sharding("{{replicated shard_as 1}, {manual shard_as 2}}").is_shard_as
    assert not parse_sharding("{{replicated shard_as 1}, {manual}}").is_shard_group


def test_metadata_and_shard_groups_go_to_the_elements():
    note = OpMetadata.of({"op_name": "a"})
    sharding = parse_sharding('{{replicated metadata={op_name="b"}}, {manual}}')
    kept = sharding.with_metadata([note], overwrite=False)
    assert kept.to_text() == (
        '{{replicated metadata={op_name="b"}}, {manual metadata={op_name="a"}}}'
    )
    assert sharding.with_metadata([note]).elements[0].metadata == (note,)
    assert kept.bare is parse_sharding("{{replicated}, {manual}}") is sharding.without_metadata()
    grouped = sharding.bare.with_shard_group(ShardGroup(4, "like"))
    assert str(grouped) == "{{replicated shard_like 4}, {manual shard_like 4}}"
    assert grouped.without_shard_group() is sharding.bare


def test_subgroups_of_a_million_devices_stay_symbolic():
    tile = TileAssignment.iota((64, 16, 1024), (1024, 64, 16), (1, 2, 0))
    sharding = HloSharding.subgroup(tile, ("replicated", "manual"))
    assert str(sharding) == (
        "{devices=[64,1024,16]<=[1024,64,16]T(1,0,2) last_tile_dims={manual, replicated}}"
    )
    assert sharding.tile._array is None


@pytest.mark.parametrize("types", [("manual",) * 3, ("sharded",)])
def test_wrong_subgroups_are_refused(types):
    with pytest.raises(InputError):
        HloSharding.subgroup(TileAssignment.iota((2, 2)), types)
