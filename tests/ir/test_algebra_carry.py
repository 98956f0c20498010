"""Carrying shardings along dimension maps, replicating and mirroring dimensions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shardlog.ir.algebra import (
    carry,
    data_replicated,
    device_range,
    dropped,
    inverse,
    mirrored,
    permuted,
    placed_in_order,
    same,
    without,
)
from shardlog.ir.dimension_map import DimensionMap
from shardlog.ir.op_metadata import OpMetadata
from shardlog.ir.shape import parse_shape
from shardlog.ir.sharding import HloSharding
from shardlog.ir.sharding_text import parse_sharding
from tests.ir.strategies import integers, rows, shardings, tile_of_devices, tiled


@st.composite
def maps(draw: st.DrawFn) -> DimensionMap:
    source, target = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    count = draw(st.integers(0, min(source, target)))
    sources = draw(st.permutations(range(source)))[:count]
    targets = draw(st.permutations(range(target)))[:count]
    return DimensionMap(tuple(zip(sources, targets, strict=True)), source, target)


@given(st.data())
def test_each_device_keeps_its_place_along_paired_dimensions(data: st.DataObject) -> None:
    dimension_map = data.draw(maps())
    source = data.draw(tiled(dimension_map.source_rank))
    result = carry(source, dimension_map)
    assert result is not None
    if source.kind != "tiled":
        assert result is source
        return
    before = tile_of_devices(source)
    expected = {}
    for device, place in before.items():
        moved = [0] * dimension_map.target_rank
        for old, new in dimension_map.pairs:
            moved[new] = place[old]
        expected[device] = (*moved, *place[dimension_map.source_rank :])
    if result.kind == "tiled":
        assert tile_of_devices(result) == expected
    else:
        data_rank = dimension_map.target_rank
        assert all(set(place[:data_rank]) <= {0} for place in expected.values())
        assert result.is_manual == source.is_manual_subgroup


@given(st.data())
def test_a_permutation_and_its_inverse_cancel(data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, 4))
    sharding = data.draw(shardings(rank))
    there = permuted(tuple(data.draw(st.permutations(range(rank)))))
    moved = carry(sharding, there)
    assert moved is not None
    back = carry(moved, inverse(there))
    assert back is not None
    assert back.equals(sharding)


@given(st.data())
def test_replicating_is_idempotent_and_takes_dimensions_in_any_order(data: st.DataObject) -> None:
    sharding = data.draw(tiled(3))
    first, second = data.draw(st.permutations(range(3)))[:2]
    both = dropped(sharding, (first, second))
    assert both.equals(dropped(dropped(sharding, (first,)), (second,)))
    assert dropped(both, (first, second)) is both


@given(st.data())
def test_mirroring_twice_gives_the_same_devices(data: st.DataObject) -> None:
    sharding = data.draw(tiled(2))
    dims = tuple(data.draw(st.lists(st.integers(0, 1), unique=True)))
    assert mirrored(mirrored(sharding, dims), dims).equals(sharding)


@pytest.mark.parametrize("row", rows("xla_carry.txt"), ids=lambda row: f"{row[0]} {row[3]}")
def test_single_ops_carry_what_xla_carries(row: list[str]) -> None:
    op, dims, rank, sharding, expected = row
    source, listed = parse_sharding(sharding), integers(dims)
    if op == "reverse":
        assert str(mirrored(source, listed)) == expected
        return
    dimension_map = {
        "transpose": lambda: permuted(listed),
        "broadcast": lambda: placed_in_order(listed, int(rank)),
        "broadcast_back": lambda: without(listed, int(rank)),
        "reduce": lambda: without(listed, int(rank)),
        "reduce_back": lambda: inverse(without(listed, int(rank))),
    }[op]()
    assert str(carry(source, dimension_map)) == expected


def test_cost_does_not_depend_on_the_number_of_devices() -> None:
    text = "{devices=[4096,4096,64]<=[1073741824] last_tile_dim_replicate}"
    sharding = parse_sharding(text)
    assert str(carry(sharding, permuted((1, 0)))) == (
        "{devices=[4096,4096,64]<=[4096,4096,64]T(1,0,2) last_tile_dim_replicate}"
    )
    assert str(dropped(sharding, (0,))) == (
        "{devices=[1,4096,262144]<=[4096,4096,64]T(1,0,2) last_tile_dim_replicate}"
    )


def test_a_broadcast_with_descending_dimensions_leaves_the_devices_in_order() -> None:
    sharding = parse_sharding("{devices=[4,2]<=[8]}")
    assert str(carry(sharding, placed_in_order((1, 0), 2))) == "{devices=[2,4]<=[8]}"
    assert str(carry(sharding, without((), 2))) == "{devices=[4,2]<=[8]}"


@pytest.mark.parametrize(
    "text", ["{replicated}", "{manual}", "{unknown}", "{unreduced}", "{maximal device=3}"]
)
def test_what_is_not_tiled_passes_unchanged(text: str) -> None:
    sharding = parse_sharding(text)
    assert carry(sharding, permuted((1, 0))) is sharding
    assert dropped(sharding, (0,)) is sharding
    assert mirrored(sharding, (0,)) is sharding


def test_carry_has_no_row_for_tuples_and_other_ranks() -> None:
    sharding = parse_sharding("{devices=[2,2]<=[4]}")
    assert carry(sharding, same(3)) is None
    assert carry(HloSharding.tuple_of([sharding]), same(2)) is None


def test_metadata_stays_and_a_shard_group_does_not() -> None:
    mark = OpMetadata((("op_name", "a"),))
    sharding = parse_sharding("{devices=[2,2]<=[4] shard_as 1}").with_metadata((mark,))
    for result in (carry(sharding, permuted((1, 0))), dropped(sharding, (0,))):
        assert result is not None
        assert result.metadata == (mark,)
        assert result.shard_group is None
    assert dropped(sharding, (0, 1)).metadata == (mark,)


def test_replicating_all_data_keeps_manual_groups() -> None:
    sharding = parse_sharding("{devices=[2,2,2]<=[8] last_tile_dims={manual}}")
    assert str(data_replicated(sharding)) == (
        "{devices=[1,1,2,4]<=[4,2]T(1,0) last_tile_dims={manual, replicated}}"
    )
    assert str(data_replicated(sharding, 1)) == (
        "{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dims={manual, replicated}}"
    )
    assert data_replicated(parse_sharding("{devices=[2,2]<=[4]}"), 3).is_replicated
    assert data_replicated(HloSharding.maximal(2)).is_replicated
    assert data_replicated(HloSharding.manual()).is_manual


@pytest.mark.parametrize(
    ("offset", "size", "expected"),
    [
        (0, 4, "{maximal device=0}"),
        (4, 8, "{devices=[2]1,2}"),
        (2, 4, "{devices=[2]0,1}"),
        (0, 16, "{devices=[4]0,1,2,3}"),
    ],
)
def test_a_part_of_a_concatenate_lies_on_the_devices_of_its_tiles(
    offset: int, size: int, expected: str
) -> None:
    sharding = parse_sharding("{devices=[4]<=[4]}")
    part, whole = parse_shape(f"f32[{size}]"), parse_shape("f32[16]")
    assert str(device_range(sharding, 0, offset, part, whole)) == expected


def test_an_unsplit_concatenate_passes_whole() -> None:
    sharding = parse_sharding("{devices=[1,4]<=[4]}")
    part, whole = parse_shape("f32[2,8]"), parse_shape("f32[4,8]")
    assert device_range(sharding, 0, 0, part, whole) is sharding


@given(st.data())
def test_a_map_in_order_leaves_the_list_of_devices_alone(data: st.DataObject) -> None:
    sharding = data.draw(tiled(2))
    dims = tuple(data.draw(st.permutations(range(3)))[:2])
    result = carry(sharding, placed_in_order(dims, 3))
    assert result is not None
    assert np.array_equal(result.tile.array.reshape(-1), sharding.tile.array.reshape(-1))
