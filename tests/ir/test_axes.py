"""Digits of the device number that a sharding's dimensions split over."""

from __future__ import annotations

import pytest

from shardlog.ir.axes import digits, digits_of, paired_digits, same_tiles, split_dims
from shardlog.ir.sharding_text import parse_sharding


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{devices=[2,4]<=[8]}", [["2@4"], ["2@1", "2@2"]]),
        ("{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}", [["2@1", "2@2"], []]),
        ("{devices=[1,1,4,2]<=[8]}", [[], [], ["2@2", "2@4"], ["2@1"]]),
        ("{devices=[3,2]<=[6]}", [["3@2"], ["2@1"]]),
        ("{devices=[2,1,3]<=[6] last_tile_dim_replicate}", [["2@3"], []]),
        ("{replicated}", []),
        ("{maximal device=3}", []),
        ("{manual}", []),
    ],
)
def test_each_dimension_has_its_digits(text: str, expected: list[list[str]]) -> None:
    assert [sorted(map(str, row)) for row in digits(parse_sharding(text))] == expected


def test_the_same_devices_have_the_same_digits_on_any_dimension() -> None:
    rows = parse_sharding("{devices=[8,1]<=[8]}")
    columns = parse_sharding("{devices=[1,8]<=[8]}")
    crossed = parse_sharding("{devices=[1,8]<=[2,4]T(1,0)}")
    assert digits_of(rows) == digits_of(columns) == digits_of(crossed)
    assert digits(rows) != digits(columns)


def test_lists_of_devices_have_digits_of_their_own() -> None:
    listed = parse_sharding("{devices=[2,2]0,3,1,2}")
    assert [len(row) for row in digits(listed)] == [1, 1]
    assert not digits_of(listed) & digits_of(parse_sharding("{devices=[2,2]<=[4]}"))


def test_mirrored_lists_have_the_digits_of_what_they_mirror() -> None:
    there, mirrored = map(
        parse_sharding, ("{devices=[4,2]<=[8]}", "{devices=[4,2]6,7,4,5,2,3,0,1}")
    )
    assert digits(mirrored) == digits(there)
    assert not same_tiles(mirrored, there)


def test_the_same_digits_in_another_order_are_other_tiles() -> None:
    rows, crossed = map(parse_sharding, ("{devices=[4]<=[4]}", "{devices=[4]<=[2,2]T(1,0)}"))
    assert digits(rows) == digits(crossed)
    assert not same_tiles(rows, crossed)
    assert same_tiles(rows, parse_sharding("{devices=[4]0,1,2,3}"))
    one, other = map(
        parse_sharding,
        (
            "{devices=[2,1,4]<=[8] last_tile_dim_replicate}",
            "{devices=[2,1,4]0,2,1,3,4,6,5,7 last_tile_dim_replicate}",
        ),
    )
    assert same_tiles(one, other)


def test_dimensions_that_are_split() -> None:
    assert split_dims(parse_sharding("{devices=[1,4,1,2]<=[8] last_tile_dim_replicate}")) == (1,)
    assert split_dims(parse_sharding("{replicated}")) == ()
    assert split_dims(None) == ()
    assert digits_of(None) == frozenset()


def test_tuples_have_the_digits_of_their_elements() -> None:
    both = parse_sharding("{{devices=[2,1]<=[2]}, {replicated}}")
    assert sorted(map(str, digits_of(both))) == ["2@1"]
    assert digits(both) == ()


def test_pairs_are_filled_where_one_is_not_tiled() -> None:
    tiled, whole = parse_sharding("{devices=[2,1]<=[2]}"), parse_sharding("{replicated}")
    assert [(len(a), len(b)) for a, b in paired_digits(tiled, whole)] == [(1, 0), (0, 0)]
