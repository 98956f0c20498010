"""Modules in which operands, attributes and shapes do not go together: one clear error."""

from pathlib import Path

import pytest

import shardlog
from shardlog.ir.consistency import first_inconsistency

TEXT = """\
HloModule m, num_partitions=2

ENTRY e {{
  a = f32[4,8] parameter(0), sharding={{devices=[2,1]<=[2]}}
  b = f32[8,4] parameter(1)
  t = (f32[4,8], s32[]) parameter(2), sharding={{{{devices=[2,1]<=[2]}}, {{replicated}}}}
  i = s32[4,1] parameter(3)
  ROOT r = {}
}}
"""
CASES = {
    "f32[4,8] get-tuple-element(t), index=2": (
        "r: index (expected that of an element of (f32[4,8], s32[]), found 2)"
    ),
    "f32[4,8] get-tuple-element(t)": (
        "r: index (expected that of an element of (f32[4,8], s32[]), found None)"
    ),
    "f32[4,4] dot(a, b), lhs_contracting_dims={2}, rhs_contracting_dims={0}": (
        "r: lhs_contracting_dims (expected numbers below 2, each once, found {2})"
    ),
    "f32[4,4] dot(a, b), lhs_contracting_dims={0,1}, rhs_contracting_dims={0}": (
        "r: contracting dimensions (expected equal sizes, found {4,8} and {8})"
    ),
    "f32[4,4] dot(a), lhs_contracting_dims={1}, rhs_contracting_dims={0}": (
        "r: operands (expected at least 2, found 1)"
    ),
    "f32[4,8] transpose(a), dimensions={1,2}": (
        "r: dimensions (expected numbers below 2, each once, found {1,2})"
    ),
    "f32[4,8] broadcast(a), dimensions={0,3}": (
        "r: dimensions (expected one of f32[4,8] for each of the operand, found {0,3})"
    ),
    "f32[8,8] concatenate(a, a), dimensions={7}": (
        "r: dimensions (expected numbers below 2, each once, found {7})"
    ),
    "f32[8,8] concatenate(a, a)": "r: dimensions (expected one, found {})",
    "f32[4,8] gather(a, i), offset_dims={1}, collapsed_slice_dims={5}, start_index_map={0}, "
    "index_vector_dim=1, slice_sizes={1,8}": (
        "r: collapsed_slice_dims (expected numbers below 2, each once, found {5})"
    ),
}


@pytest.mark.parametrize(("text", "message"), CASES.items(), ids=CASES)
def test_one_clear_error(text: str, message: str) -> None:
    with pytest.raises(shardlog.InputError) as caught:
        shardlog.propagate(TEXT.format(text).encode())
    assert str(caught.value) == f"8: {message}"


FOUND = {
    "f32[4] transpose(a), dimensions={1,0}": (
        "r: shape (expected f32[8,4] from operands and attributes, found f32[4])"
    ),
    "f32[3] reshape(a)": (
        "r: reshape (expected as many elements as before, found f32[3], f32[4,8])"
    ),
    "f32[4] iota(), iota_dimension=1": (
        "r: iota_dimension (expected a dimension of f32[4], found 1)"
    ),
}


@pytest.mark.parametrize(("text", "message"), FOUND.items(), ids=FOUND)
def test_what_is_found_when_asked_for(text: str, message: str) -> None:
    found = first_inconsistency(shardlog.load(TEXT.format(text).encode()))
    assert str(found) == f"8: {message}"


def test_nothing_is_found_in_real_modules() -> None:
    for path in (Path(__file__).parents[1] / "data" / "real").glob("*.before.txt*"):
        assert first_inconsistency(shardlog.load(path)) is None
