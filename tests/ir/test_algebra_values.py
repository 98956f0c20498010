"""Tuples of shardings, open dimensions, masks and the small questions about shardings."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import pytest

from shardlog.ir import algebra
from shardlog.ir.algebra import (
    chained,
    compatible,
    cse_mark,
    cse_marked,
    even_or_replicated,
    front,
    has_manual,
    is_manual,
    is_maximal,
    is_partitioned,
    is_replicated,
    is_tiled,
    is_unknown,
    leaf,
    leaves,
    most_specific_leaves,
    movable_tiles,
    on_device,
    opened,
    paired,
    placed_leaves,
    replicated,
    replicated_like,
    restored,
    restored_elements,
    spread,
    tiles,
    tiles_on,
    with_leaves,
)
from shardlog.ir.functions import FUNCTIONS, TESTS
from shardlog.ir.shape import parse_shape
from shardlog.ir.sharding import HloSharding
from shardlog.ir.sharding_text import parse_sharding

ROWS = parse_sharding("{devices=[2,1,4]<=[8] last_tile_dim_replicate}")
COLUMNS = parse_sharding("{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}")
BOTH = parse_sharding("{devices=[2,4]<=[8]}")
MANUAL_ROWS = parse_sharding("{devices=[1,1,2,4]<=[8] last_tile_dims={manual, replicated}}")
MANUAL_BOTH = parse_sharding("{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dims={manual}}")
REPLICATED = HloSharding.replicated()
NESTED = parse_shape("(f32[4,4], (f32[4,4], s32[]), token[])")
FOUR = HloSharding.tuple_of([ROWS, COLUMNS, REPLICATED, HloSharding.maximal(0)])


def test_parts_of_a_tuple() -> None:
    assert leaf(FOUR, 1) is COLUMNS
    assert leaf(FOUR, 4) is None
    assert leaf(ROWS, 1) is ROWS
    assert leaves(FOUR, 0, NESTED) is ROWS
    assert leaves(FOUR, 1, NESTED) is HloSharding.tuple_of([COLUMNS, REPLICATED])
    assert leaves(FOUR, 2, NESTED) is HloSharding.maximal(0)
    assert leaves(FOUR, 3, NESTED) is None
    assert front(FOUR, parse_shape("f32[4,4]")) is ROWS
    assert front(FOUR, parse_shape("(f32[4,4], f32[4,4])")) is HloSharding.tuple_of([ROWS, COLUMNS])
    assert placed_leaves(COLUMNS, 2, NESTED) == ((3, COLUMNS),)
    assert chained((((0, ROWS),), ((1, COLUMNS),))) == ((0, ROWS), (1, COLUMNS))


def test_replacing_one_element_of_a_tuple() -> None:
    pair = HloSharding.tuple_of([BOTH, ROWS])
    changed = with_leaves(FOUR, 1, pair, NESTED)
    assert changed is HloSharding.tuple_of([ROWS, BOTH, ROWS, HloSharding.maximal(0)])
    fresh = with_leaves(None, 0, MANUAL_BOTH, parse_shape("(f32[4,4], f32[4])"))
    assert fresh is not None
    assert [str(part) for part in fresh.elements] == [
        str(MANUAL_BOTH),
        "{devices=[1,2,4]<=[8] last_tile_dims={manual, replicated}}",
    ]
    assert with_leaves(None, 2, REPLICATED, NESTED) is None
    assert with_leaves(None, 1, REPLICATED, NESTED) is None


def test_the_most_specific_position_of_a_tuple() -> None:
    shape = parse_shape("(f32[4,4], f32[4,4], f32[4,4])")
    value = HloSharding.tuple_of([ROWS, COLUMNS, BOTH])
    assert most_specific_leaves(value, (0, 1), shape) is COLUMNS
    assert most_specific_leaves(value, (0, 1, 2), shape) is BOTH
    assert most_specific_leaves(value, (), shape) is None


def test_spreading_over_a_shape() -> None:
    assert spread(ROWS, parse_shape("f32[4,4]")) is ROWS
    assert spread(ROWS, NESTED) is HloSharding.tuple_of([ROWS] * 4)
    assert spread(FOUR, NESTED) is FOUR
    assert spread(ROWS, parse_shape("()")) is HloSharding.tuple_of([ROWS])
    assert str(on_device(3, parse_shape("(f32[], f32[])"))) == (
        "{{maximal device=3}, {maximal device=3}}"
    )


def test_open_dimensions_take_tiles_from_others() -> None:
    assert opened(ROWS, BOTH, (1,)) is BOTH
    assert opened(ROWS, COLUMNS, (0,)) is None
    assert opened(ROWS, HloSharding.manual(), (1,)) is None
    assert opened(BOTH, BOTH, (0, 1)) is None


@pytest.mark.parametrize(
    ("own_side", "source", "sharding"),
    [
        ("automatic", "automatic", BOTH),
        ("automatic", "manual", MANUAL_BOTH),
        ("manual", "manual", MANUAL_BOTH),
        ("manual", "automatic", BOTH),
    ],
)
def test_an_annotation_and_its_conversion_are_refined_together(
    own_side: str, source: str, sharding: HloSharding
) -> None:
    first = own_side == "automatic"
    own, other = (ROWS, MANUAL_ROWS) if first else (MANUAL_ROWS, ROWS)
    expected = (BOTH, MANUAL_BOTH) if first else (MANUAL_BOTH, BOTH)
    for part, refined in (("automatic", BOTH), ("manual", MANUAL_BOTH)):
        result = paired(own, other, sharding, (1,), own_side, source, part)
        assert str(result) == str(refined)
        # closed dimensions and missing replicas leave both alone
        assert paired(own, other, sharding, (0,), own_side, source, part) is None
        assert paired(*expected, sharding, (1,), own_side, source, part) is None


def test_replicas_that_are_left_over_stay_replicas_on_both_sides() -> None:
    own = parse_sharding("{devices=[2,1,4]<=[8] last_tile_dim_replicate}")
    other = parse_sharding("{devices=[1,1,2,4]<=[8] last_tile_dims={manual, replicated}}")
    sharding = parse_sharding("{devices=[2,2,2]<=[8] last_tile_dim_replicate}")
    refined = [
        paired(own, other, sharding, (1,), "automatic", "automatic", part)
        for part in ("automatic", "manual")
    ]
    assert refined[0] is sharding
    assert str(refined[1]) == (
        "{devices=[1,2,2,2]<=[2,2,2]T(1,0,2) last_tile_dims={manual, replicated}}"
    )


def test_masks_restore_what_was_held() -> None:
    saved = HloSharding.tuple_of([ROWS, HloSharding.unknown()])
    value = HloSharding.tuple_of([BOTH, COLUMNS])
    assert restored(value, saved, (0, 1)) is HloSharding.tuple_of([ROWS, COLUMNS])
    assert restored(value, saved, ()) is value


def test_masks_count_elements_of_a_parameter() -> None:
    shape = parse_shape("(f32[4,4], (f32[4,4], s32[]), f32[4,4])")
    saved = HloSharding.tuple_of([HloSharding.unknown(), ROWS, REPLICATED, COLUMNS])
    value = HloSharding.tuple_of([BOTH, BOTH, BOTH, BOTH])
    # element 2 is put back at leaf 2; of a tuple nothing is
    expected = HloSharding.tuple_of([BOTH, BOTH, COLUMNS, BOTH])
    assert restored_elements(value, saved, (0, 1, 2), shape) is expected


def test_uneven_free_leaves_are_replicated() -> None:
    even, uneven = parse_shape("f32[4,8]"), parse_shape("f32[4,6]")
    assert even_or_replicated(BOTH, even, (0,)) is BOTH
    assert even_or_replicated(BOTH, uneven, (0,)) is REPLICATED
    assert even_or_replicated(BOTH, uneven, ()) is BOTH
    pair, shape = HloSharding.tuple_of([BOTH, BOTH]), parse_shape("(f32[4,6], f32[4,6])")
    assert even_or_replicated(pair, shape, (1,)) is HloSharding.tuple_of([BOTH, REPLICATED])
    assert even_or_replicated(pair, shape, "whole") is REPLICATED
    assert even_or_replicated(HloSharding.manual(), uneven, (0,)).is_manual


def test_marks_and_replacements() -> None:
    marked = cse_marked(ROWS)
    assert cse_mark(marked)
    assert not cse_mark(ROWS)
    assert marked.bare is ROWS
    assert replicated() is REPLICATED
    assert cse_mark(replicated_like(cse_marked(HloSharding.unknown())))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{devices=[2,4]<=[8]}", {is_partitioned, is_tiled}),
        ("{replicated}", {is_partitioned, is_maximal, is_replicated}),
        ("{maximal device=1}", {is_maximal}),
        ("{manual}", {is_partitioned, is_manual, has_manual}),
        ("{unknown}", {is_partitioned, is_unknown}),
        ("{{maximal device=1}, {manual}}", {is_partitioned, is_tiled, has_manual}),
        ("{{maximal device=1}, {replicated}}", {is_partitioned, is_maximal}),
        ("{{manual}, {manual}}", {is_partitioned, is_manual, has_manual}),
    ],
)
def test_questions_about_kinds(text: str, expected: set[Callable[[HloSharding], bool]]) -> None:
    questions = {
        has_manual,
        is_manual,
        is_maximal,
        is_partitioned,
        is_replicated,
        is_tiled,
        is_unknown,
    }
    assert {ask for ask in questions if ask(parse_sharding(text))} == expected


def test_numbers_of_tiles() -> None:
    assert tiles(BOTH) == 8
    assert tiles(REPLICATED) == tiles(HloSharding.manual()) == 1
    assert tiles_on(BOTH, 1) == 4
    assert tiles_on(BOTH, (0, 1)) == 8
    assert tiles_on(BOTH, ()) == 1
    assert tiles_on(HloSharding.manual(), (0, 1)) == 1


def test_tiles_can_move_to_a_dimension_that_they_divide() -> None:
    assert movable_tiles(parse_shape("f32[8,8]"), BOTH, 0)
    assert not movable_tiles(parse_shape("f32[8,4]"), BOTH, 0)
    assert not movable_tiles(parse_shape("f32[8,8]"), ROWS, 1)
    assert not movable_tiles(parse_shape("f32[1,8]"), BOTH, 0)
    assert not movable_tiles(parse_shape("f32[8]"), parse_sharding("{devices=[2]<=[2]}"), 0)


def test_shapes_are_compared_without_their_element_types() -> None:
    assert compatible(parse_shape("f32[4,2]"), parse_shape("s32[4,2]"))
    assert not compatible(parse_shape("f32[4,2]"), parse_shape("f32[2,4]"))
    assert compatible(parse_shape("(f32[4], token[])"), parse_shape("(pred[4], token[])"))
    assert not compatible(parse_shape("(f32[4])"), parse_shape("f32[4]"))
    assert not compatible(parse_shape("token[]"), parse_shape("f32[]"))
    assert not compatible(parse_shape("(f32[4])"), parse_shape("(f32[4], f32[4])"))


def test_every_registered_function_is_documented_and_public() -> None:
    assert not set(FUNCTIONS) & set(TESTS)
    for name, function in (FUNCTIONS | TESTS).items():
        assert getattr(algebra, name) is function
        assert inspect.getdoc(function)
