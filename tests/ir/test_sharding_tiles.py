"""Tile assignments against numpy, which spells out every device."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shardlog.ir.errors import InputError
from shardlog.ir.tile_assignment import TileAssignment

MILLION = 1 << 20


@st.composite
def regrouped(draw: st.DrawFn, factors: list[int]) -> tuple[int, ...]:
    """The factors in their order, some neighbours multiplied, some ones put in."""
    dims = [1]
    for factor in factors:
        if draw(st.booleans()):
            dims.append(factor)
        else:
            dims[-1] *= factor
    return tuple(dims)


@st.composite
def iota_words(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    factors = draw(st.lists(st.sampled_from((1, 2, 2, 3, 5)), max_size=5))
    reshape_dims = draw(regrouped(factors))
    perm = tuple(draw(st.permutations(range(len(reshape_dims)))))
    shuffled = draw(st.permutations(factors))
    return draw(regrouped(list(shuffled))), reshape_dims, perm


def spelled_out(
    dims: tuple[int, ...], reshape_dims: tuple[int, ...], perm: tuple[int, ...]
) -> np.ndarray:
    return np.arange(math.prod(dims)).reshape(reshape_dims).transpose(perm).reshape(dims)


@given(iota_words())
def test_canonical_form_keeps_the_devices(words):
    tile = TileAssignment.iota(*words)
    assert np.array_equal(tile.array, spelled_out(*words))
    assert 1 not in tile.reshape_dims or tile.reshape_dims == (1,)
    again = TileAssignment.iota(tile.dims, tile.reshape_dims, tile.transpose_perm)
    assert again is tile


@given(iota_words(), st.data())
def test_transpose_is_numpys(words, data):
    tile = TileAssignment.iota(*words)
    perm = data.draw(st.permutations(range(len(tile.dims))))
    assert np.array_equal(tile.transpose(perm).array, spelled_out(*words).transpose(perm))
    spelled = TileAssignment.explicit(tile.dims, tile.array)
    assert spelled.transpose(perm).same_devices(tile.transpose(perm))


@given(iota_words(), st.data())
def test_reshape_is_numpys(words, data):
    tile = TileAssignment.iota(*words)
    dims = [*data.draw(st.permutations(tile.dims)), 1]
    assert np.array_equal(tile.reshape(dims).array, spelled_out(*words).reshape(dims))
    assert tile.reshape(dims).is_iota
    spelled = TileAssignment.explicit(tile.dims, tile.array)
    assert spelled.reshape(dims).same_devices(tile.reshape(dims))


@given(iota_words())
def test_a_list_is_equal_to_the_iota_grid_that_it_spells_out(words):
    tile = TileAssignment.iota(*words)
    spelled = TileAssignment.explicit(tile.dims, tile.array)
    assert spelled is not tile
    assert spelled.device_form is tile
    assert spelled.same_devices(tile)
    assert tile.same_devices(spelled)


@given(st.permutations(range(12)), st.permutations(range(12)))
def test_lists_are_equal_if_their_devices_are(one, other):
    tiles = [TileAssignment.explicit((3, 4), devices) for devices in (one, other)]
    assert tiles[0].same_devices(tiles[1]) == (one == other) == (tiles[0] is tiles[1])
    assert np.array_equal(tiles[0].device_form.array, tiles[0].array)


@given(iota_words(), st.data())
def test_one_device_without_the_others(words, data):
    tile = TileAssignment.iota(*words)
    index = tuple(data.draw(st.integers(0, size - 1)) for size in tile.dims)
    assert tile.device_at(index) == tile.array[index]
    assert tile.first_device == tile.array.flat[0]
    assert tile.uses_device(tile.num_elements - 1)
    assert not tile.uses_device(tile.num_elements)


@given(iota_words())
def test_values_survive_pickling_as_the_same_object(words):
    tile = TileAssignment.iota(*words)
    spelled = TileAssignment.explicit(tile.dims, tile.array)
    assert pickle.loads(pickle.dumps(tile)) is tile
    assert pickle.loads(pickle.dumps(spelled)) is spelled


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (((8,), (2, 2, 2), (1, 2, 0)), "devices=[8]<=[2,4]T(1,0)"),
        (((8,), (2, 2, 2), (2, 0, 1)), "devices=[8]<=[4,2]T(1,0)"),
        (((60,), (1, 3, 1, 4, 1, 5), (4, 3, 2, 5, 1, 0)), "devices=[60]<=[3,20]T(1,0)"),
        (((1, 1), (1, 1), (1, 0)), "devices=[1,1]<=[1]"),
    ],
)
def test_canonical_text(words, text):
    assert str(TileAssignment.iota(*words)) == text


def test_dimensions_that_cut_a_factor_transpose_to_a_list():
    tile = TileAssignment.iota((2, 3), (2, 3), (1, 0))
    assert str(tile.transpose((1, 0))) == "devices=[3,2]0,4,3,2,1,5"


def test_a_million_devices_stay_symbolic():
    tile = TileAssignment.iota((1024, 8, 128), (128, 8, 1024), (2, 0, 1))
    moved = tile.transpose((1, 2, 0)).reshape((8, 128, 4, 256)).transpose((2, 0, 3, 1))
    assert str(moved) == "devices=[4,8,256,128]<=[8,128,4,256]T(2,0,3,1)"
    assert moved.num_elements == MILLION
    assert moved.device_at((3, 7, 255, 127)) == MILLION - 1
    assert moved._array is None
    assert tile._array is None


@pytest.mark.parametrize(
    "words",
    [
        ((2, 2), (8,), (0,)),
        ((2, 2), (2, 2), (0, 0)),
        ((2, 2), (2, 2), (0, 2)),
        ((2, 2), (2, 2), (0,)),
        ((0,), (0,), (0,)),
        ((-1, 2), (2,), (0,)),
        ((1 << 32, 1 << 32), (1 << 32, 1 << 32), (0, 1)),
    ],
)
def test_broken_words_are_refused_also_after_a_lenient_reader_took_them(words):
    with pytest.raises(InputError):
        TileAssignment.iota(*words)
    broken = TileAssignment.iota(*words, check=False)
    assert broken.problem
    with pytest.raises(InputError):
        TileAssignment.iota(*words)
    with pytest.raises(InputError):
        broken.devices()


def test_wrong_sizes_are_refused():
    tile = TileAssignment.iota((2, 4))
    with pytest.raises(InputError, match=r"cannot reshape a grid of \[2, 4\] to \[2, 3\]"):
        tile.reshape((2, 3))
    with pytest.raises(InputError, match="does not permute"):
        tile.transpose((0, 0))
    with pytest.raises(InputError, match="cannot hold 3 devices"):
        TileAssignment.explicit((2, 2), (0, 1, 2))


def test_devices_cannot_be_changed():
    for tile in (TileAssignment.iota((2, 2)), TileAssignment.explicit((2, 2), (3, 2, 1, 0))):
        with pytest.raises(ValueError, match="read-only"):
            tile.array[0, 0] = 7
