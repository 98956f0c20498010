"""Merging and comparing shardings."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shardlog.ir.algebra import (
    common,
    common_or,
    either_refined,
    first_refined,
    first_tiled,
    merged,
    merged_all,
    merged_if,
    more_specific,
    most_specific,
    subtiling,
)
from shardlog.ir.algebra.merge import refined, united
from shardlog.ir.op_metadata import OpMetadata
from shardlog.ir.shape import Shape, parse_shape
from shardlog.ir.sharding import HloSharding
from shardlog.ir.sharding_text import parse_sharding
from tests.ir.strategies import shardings, tile_of_devices, tiled

ROWS = parse_sharding("{devices=[2,1,4]<=[8] last_tile_dim_replicate}")
COLUMNS = parse_sharding("{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}")
BOTH = parse_sharding("{devices=[2,4]<=[8]}")


@given(st.data())
def test_a_merge_is_what_the_devices_of_both_imply(data: st.DataObject) -> None:
    devices = data.draw(st.sampled_from((4, 6, 8, 12)))
    kinds = (("replicated",), ("replicated",), ("manual", "replicated"))
    a = data.draw(tiled(2, devices, kinds))
    b = data.draw(tiled(2, devices, kinds))
    assume(a.kind == b.kind == "tiled" and b.has_partial_replication)
    result = united(a, b, 1)
    if not _could_merge(a, b):
        assert result is None
        return
    # Each dimension is split by one of the two or by both alike, so devices know their tiles.
    first, second = tile_of_devices(a), tile_of_devices(b)
    expected = {
        device: tuple(
            mine if b.tile.dims[dim] != 1 or dim > 1 else theirs
            for dim, (theirs, mine) in enumerate(zip(first[device], place, strict=True))
        )
        for device, place in second.items()
    }
    tiles = math.prod(max(x, y) for x, y in zip(a.tile.dims[:2], b.tile.dims[:2], strict=True))
    manual = math.prod(b.tile.dims[2:-1])
    even = devices % (tiles * manual) == 0
    copies = devices // (tiles * manual) if even else 0
    counts = Counter(expected.values())
    exists = even and len(counts) == tiles * manual and set(counts.values()) == {copies}
    agree = all(first[device][2:] == second[device][2:] for device in second) and all(
        first[device][dim] == second[device][dim]
        for device in second
        for dim in range(2)
        if a.tile.dims[dim] != 1 and b.tile.dims[dim] != 1
    )
    assert (result is not None) == (exists and agree)
    if result is not None:
        assert tile_of_devices(result) == expected


def _could_merge(a: HloSharding, b: HloSharding) -> bool:
    pairs = list(zip(a.tile.dims[:2], b.tile.dims[:2], strict=True))
    return (
        a.is_manual_subgroup == b.is_manual_subgroup
        and (not a.is_manual_subgroup or a.tile.dims[2] == b.tile.dims[2])
        and all(x == y or 1 in (x, y) for x, y in pairs)
    )


def test_a_merge_of_iota_grids_is_an_iota_grid_whatever_the_number_of_devices() -> None:
    rows = parse_sharding("{devices=[4096,1,262144]<=[1073741824] last_tile_dim_replicate}")
    columns = parse_sharding(
        "{devices=[1,4096,262144]<=[4096,4096,64]T(1,0,2) last_tile_dim_replicate}"
    )
    assert str(merged(rows, columns)) == (
        "{devices=[4096,4096,64]<=[1073741824] last_tile_dim_replicate}"
    )


def test_a_merge_with_a_device_list_prefers_the_iota_form() -> None:
    listed = parse_sharding("{devices=[1,4,2]0,4,1,5,2,6,3,7 last_tile_dim_replicate}")
    assert merged(listed, ROWS) is BOTH
    assert merged(ROWS, listed) is BOTH


def test_a_merge_of_shuffled_devices_lists_them() -> None:
    a = parse_sharding("{devices=[2,1,4]0,3,5,6,1,2,4,7 last_tile_dim_replicate}")
    b = parse_sharding("{devices=[1,2,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}")
    assert str(merged(a, b)) == "{devices=[2,2,2]0,3,5,6,1,2,4,7 last_tile_dim_replicate}"


def test_merged_needs_more_tiles_and_merged_if_only_no_fewer() -> None:
    full = parse_sharding("{devices=[8,1]<=[8]}")
    assert merged(ROWS, ROWS) is ROWS
    assert merged(ROWS, COLUMNS) is BOTH
    assert merged(BOTH, ROWS) is BOTH
    assert merged(ROWS, full) is ROWS
    assert merged_if(HloSharding.replicated(), ROWS) is ROWS
    other_order = parse_sharding("{devices=[2,1,4]1,0,2,3,4,5,6,7 last_tile_dim_replicate}")
    assert merged_if(other_order, ROWS) is not other_order
    assert merged(other_order, ROWS) is other_order


def test_nothing_merges_with_whole_or_manual_values_except_that_it_replaces_whole_ones() -> None:
    assert merged(ROWS, HloSharding.replicated()) is ROWS
    assert merged(HloSharding.maximal(1), ROWS) is ROWS
    assert merged(ROWS, HloSharding.manual()) is ROWS
    assert merged(HloSharding.manual(), ROWS).is_manual


def test_merged_metadata_is_the_refined_one_first_without_repetition() -> None:
    a, b = (OpMetadata((("op_name", name),)) for name in "ab")
    result = merged(ROWS.with_metadata((a,)), COLUMNS.with_metadata((b, a)))
    assert result.metadata == (a, b)


def test_folds() -> None:
    depth = parse_sharding("{devices=[2,2,2]<=[8] last_tile_dim_replicate}")
    assert merged_all(ROWS, (HloSharding.replicated(), COLUMNS)) is BOTH
    assert common((ROWS, COLUMNS, BOTH)) is BOTH
    assert common(()) is None
    clash = parse_sharding("{devices=[8,1]<=[8]}")
    assert common((ROWS, clash)) is ROWS
    assert common_or((ROWS, clash), clash) is clash
    assert common_or((), ROWS) is ROWS
    assert common((HloSharding.replicated(), HloSharding.replicated())) is HloSharding.replicated()
    assert first_tiled((HloSharding.replicated(), depth, ROWS)) is depth
    assert first_tiled(()).is_replicated


def test_refining_one_side_by_the_other() -> None:
    assert first_refined(ROWS, COLUMNS, True) is BOTH
    assert first_refined(ROWS, COLUMNS, False) is COLUMNS
    assert first_refined(COLUMNS, ROWS, False) is COLUMNS
    assert first_refined(ROWS, HloSharding.replicated(), True) is ROWS
    assert either_refined(ROWS, COLUMNS) is BOTH
    assert either_refined(HloSharding.replicated(), HloSharding.replicated()).is_replicated
    assert either_refined(ROWS, HloSharding.replicated()) is ROWS


def test_refining_needs_more_tiles_than_either_side_has() -> None:
    finer = parse_sharding("{devices=[2,2,2]<=[8] last_tile_dim_replicate}")
    assert refined(finer, ROWS, True) is None
    assert refined(ROWS, finer, True) is finer
    assert refined(ROWS, finer, False) is finer


def test_a_tuple_is_refined_as_a_whole_so_an_element_can_lose() -> None:
    old = HloSharding.tuple_of([ROWS, HloSharding.replicated()])
    new = HloSharding.tuple_of([HloSharding.replicated(), COLUMNS])
    assert refined(old, new, True) is new
    assert refined(old, HloSharding.tuple_of([ROWS]), True) is None


@given(st.data())
def test_more_specific_is_a_strict_order_on_what_is_not_manual(data: st.DataObject) -> None:
    a, b, c = (data.draw(shardings(2, 8)) for _ in range(3))
    assume(not any(each.is_manual for each in (a, b, c)))
    assert not more_specific(a, a)
    assert not (more_specific(a, b) and more_specific(b, a))
    if more_specific(a, b) and more_specific(b, c):
        assert more_specific(a, c)


def test_manual_is_above_whole_values_and_beside_tiled_ones() -> None:
    manual = HloSharding.manual()
    assert more_specific(manual, HloSharding.replicated())
    assert more_specific(manual, HloSharding.maximal(0))
    assert not more_specific(manual, ROWS)
    assert not more_specific(ROWS, manual)


def test_the_first_of_equally_specific_shardings_is_chosen() -> None:
    whole = HloSharding.replicated()
    assert most_specific((whole, ROWS, COLUMNS, BOTH, parse_sharding("{devices=[8,1]<=[8]}"))) is (
        BOTH
    )
    assert most_specific(()) is None


@given(st.data())
def test_subtiling_is_containment_device_by_device_where_tiles_are_even(
    data: st.DataObject,
) -> None:
    devices = data.draw(st.sampled_from((4, 6, 8, 12)))
    inner, outer = (data.draw(tiled(2, devices, ((), ("replicated",)))) for _ in range(2))
    assume(inner.kind == outer.kind == "tiled")
    sizes = tuple(math.lcm(inner.tile.dims[dim], outer.tile.dims[dim]) for dim in range(2))
    shape = Shape("f32", sizes)
    boxes_in, boxes_out = _boxes(inner, sizes), _boxes(outer, sizes)
    fewer = any(inner.tile.dims[dim] < outer.tile.dims[dim] for dim in range(2))
    inside = all(
        start >= outer_start and end <= outer_end
        for device, box in boxes_in.items()
        for (start, end), (outer_start, outer_end) in zip(box, boxes_out[device], strict=True)
    )
    assert subtiling(shape, inner, outer) == (inside and not fewer)


def _boxes(sharding: HloSharding, sizes: tuple[int, ...]) -> dict[int, list[tuple[int, int]]]:
    return {
        device: [
            (size // tiles * at, size // tiles * (at + 1))
            for size, tiles, at in zip(sizes, sharding.tile.dims, place, strict=False)
        ]
        for device, place in tile_of_devices(sharding).items()
    }


@pytest.mark.parametrize("size", range(1, 21))
def test_subtiling_of_uneven_tiles_ignores_the_end_of_the_last_tile(size: int) -> None:
    inner = parse_sharding("{devices=[4]<=[4]}")
    outer = parse_sharding("{devices=[2,2]<=[4] last_tile_dim_replicate}")
    contained = size in {1, 3, 4, 7, 8, 11, 12, 15, 16, 19, 20}
    assert subtiling(Shape("f32", (size,)), inner, outer) == contained


def test_subtiling_of_what_is_not_tiled() -> None:
    shape = parse_shape("f32[8,8]")
    assert subtiling(shape, ROWS, HloSharding.replicated())
    assert not subtiling(shape, HloSharding.replicated(), ROWS)
    assert not subtiling(shape, HloSharding.manual(), HloSharding.replicated())
    assert not subtiling(parse_shape("f32[8]"), ROWS, ROWS)
