"""Dimension maps and the attributes that they come from."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shardlog.ir.algebra import (
    dim_at,
    inverse,
    kept,
    others,
    permuted,
    placed_in_order,
    same,
    where_equal,
    without,
)
from shardlog.ir.dimension_map import DimensionMap
from shardlog.ir.errors import InputError
from shardlog.ir.shape import parse_shape


def test_equal_maps_are_one_object() -> None:
    made = DimensionMap(((1, 0), (0, 1)), 2, 2)
    assert made is permuted((1, 0))
    assert DimensionMap(((0, 1), (1, 0)), 2, 2) is made
    assert pickle.loads(pickle.dumps(made)) is made
    assert made is not placed_in_order((1, 0), 2)


def test_parts_of_a_map() -> None:
    made = DimensionMap(((3, 0), (1, 2)), 4, 3)
    assert made.order == (3, 1)
    assert made.dropped == (0, 2)
    assert made.reorders
    assert not placed_in_order((1, 0), 2).reorders
    assert made.target_of(1) == 2
    assert made.target_of(0) is None
    assert str(made) == "{3->0, 1->2} of 4 to 3 dimensions"


@pytest.mark.parametrize("pairs", [((0, 0), (0, 1)), ((0, 1), (1, 1)), ((2, 0),), ((0, 2),)])
def test_impossible_pairs_are_refused(pairs: tuple[tuple[int, int], ...]) -> None:
    with pytest.raises(InputError, match="dimension"):
        DimensionMap(pairs, 2, 2)


@given(st.permutations(range(4)))
def test_inverting_twice_gives_the_map(dims: list[int]) -> None:
    made = permuted(tuple(dims))
    assert inverse(inverse(made)) is made


def test_maps_of_single_ops() -> None:
    assert permuted((2, 0, 1)).pairs == ((2, 0), (0, 1), (1, 2))
    assert placed_in_order((0, 2), 3).pairs == ((0, 0), (1, 2))
    assert without((1,), 3).pairs == ((0, 0), (2, 1))
    assert without((0, 1), 2).target_rank == 0
    assert same(2) is kept((0, 1), 2)
    assert where_equal(parse_shape("f32[8,4,2]"), parse_shape("f32[8,3,2]")) is kept((0, 2), 3)
    assert where_equal(parse_shape("f32[8]"), parse_shape("f32[8,3]")) is None


def test_lists_of_dimensions() -> None:
    assert others((0, 2), 4) == (1, 3)
    assert dim_at((5, 7), 1) == 7
    assert dim_at((5, 7), 2) is None
