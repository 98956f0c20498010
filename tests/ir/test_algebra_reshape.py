"""Shardings through reshapes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shardlog.ir.algebra import reshaped
from shardlog.ir.shape import Shape
from shardlog.ir.sharding import HloSharding
from shardlog.ir.sharding_text import parse_sharding
from tests.ir.strategies import factorings, integers, rows, tile_of_devices, tiled


@pytest.mark.parametrize("row", rows("xla_reshape.txt"), ids=lambda row: " to ".join(row[:2]))
def test_reshapes_carry_what_xla_carries(row: list[str]) -> None:
    source, target = (Shape("f32", integers(column)) for column in row[:2])
    assert str(reshaped(parse_sharding(row[2]), source, target)) == row[3]


@given(st.data())
def test_each_device_still_has_the_elements_that_it_had(data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, 3))
    sharding = data.draw(tiled(rank))
    if sharding.kind != "tiled":
        return
    tiles = sharding.tile.dims[:rank]
    sizes = [count * data.draw(st.sampled_from((1, 2, 3))) for count in tiles]
    target = data.draw(factorings(math.prod(sizes), data.draw(st.integers(1, 4))))
    result = reshaped(sharding, Shape("f32", tuple(sizes)), Shape("f32", tuple(target)))
    assert result is not None
    if result.kind != "tiled":
        return
    if any(size % count for size, count in zip(target, result.tile.dims, strict=False)):
        return
    before, after = _elements(sharding, sizes), _elements(result, target)
    assert all(before[device] <= after[device] for device in before)


def _elements(sharding: HloSharding, sizes: list[int]) -> dict[int, set[int]]:
    """Per device the elements of its tile, numbered in row-major order."""
    numbers = np.arange(math.prod(sizes)).reshape(sizes)
    owned = {}
    for device, place in tile_of_devices(sharding).items():
        box = tuple(
            slice(size // tiles * at, size // tiles * (at + 1))
            for size, tiles, at in zip(sizes, sharding.tile.dims, place, strict=False)
        )
        owned[device] = set(numbers[box].reshape(-1).tolist())
    return owned


@pytest.mark.parametrize(
    ("source", "target", "sharding", "expected"),
    [
        # merging keeps the major dimension, splitting hands out factors from the major end
        ("8,4", "32", "{devices=[4,1]<=[4]}", "{devices=[4]<=[4]}"),
        ("8,4", "32", "{devices=[1,4]<=[4]}", "{replicated}"),
        ("32", "8,4", "{devices=[16]<=[16]}", "{devices=[8,2]<=[16]}"),
        ("6,4", "4,6", "{devices=[6,1]<=[6]}", "{devices=[2,1,3]<=[6] last_tile_dim_replicate}"),
        # two runs survive apart and are merged
        (
            "4,3,4",
            "4,12",
            "{devices=[2,1,2]<=[4]}",
            "{devices=[2,1,2]<=[4] last_tile_dim_replicate}",
        ),
        (
            "4,1,4",
            "4,4",
            "{devices=[2,2,2]<=[8]}",
            "{devices=[2,2,2]<=[8] last_tile_dim_replicate}",
        ),
        # manual groups stay and remain an iota grid
        (
            "8,4",
            "2,4,4",
            "{devices=[4,1,2]<=[8] last_tile_dims={manual}}",
            "{devices=[2,2,1,2]<=[8] last_tile_dims={manual}}",
        ),
        (
            "8,4",
            "32",
            "{devices=[1,2,2]<=[4] last_tile_dims={manual}}",
            "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual, replicated}}",
        ),
        # nothing is known of arrays without elements
        ("0,4", "4,0", "{devices=[2,2]<=[4]}", "{replicated}"),
    ],
)
def test_examples(source: str, target: str, sharding: str, expected: str) -> None:
    shapes = [Shape("f32", integers(text)) for text in (source, target)]
    assert str(reshaped(parse_sharding(sharding), *shapes)) == expected


def test_cost_does_not_depend_on_the_number_of_devices() -> None:
    sharding = parse_sharding(
        "{devices=[1024,1,1024,1024]<=[1073741824] last_tile_dims={manual, replicated}}"
    )
    source, target = Shape("f32", (2048, 512)), Shape("f32", (1048576,))
    assert str(reshaped(sharding, source, target)) == (
        "{devices=[1024,1024,1024]<=[1073741824] last_tile_dims={manual, replicated}}"
    )


def test_other_kinds_pass_and_wrong_ranks_have_no_row() -> None:
    source, target = Shape("f32", (8,)), Shape("f32", (2, 4))
    assert reshaped(HloSharding.manual(), source, target) is HloSharding.manual()
    assert reshaped(HloSharding.maximal(2), source, target) is HloSharding.maximal(2)
    assert reshaped(parse_sharding("{devices=[2,2]<=[4]}"), source, target) is None
    assert reshaped(HloSharding.tuple_of([HloSharding.manual()]), source, target) is None
