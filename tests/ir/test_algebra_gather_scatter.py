"""Dimension maps of gathers and scatters."""

from __future__ import annotations

from shardlog.ir.algebra import (
    appended,
    explicit_batch,
    implicit_batch,
    index_map,
    link_map,
    operand_dims,
    window_map,
)
from shardlog.ir.attributes import GatherDimensions, ScatterDimensions
from shardlog.ir.shape import Shape, parse_shape


def _shapes(*texts: str) -> tuple[Shape, ...]:
    return tuple(parse_shape(f"f32[{text}]") for text in texts)


# operand [b, v, d]: rows v of d are taken by index, b is a batch dimension of both sides.
BATCHED = GatherDimensions((2,), (1,), (1,), 2, (0,), (0,), (1, 1, 16))
BATCHED_SHAPES = _shapes("4,32,16", "4,8,1", "4,8,16")

# operand [b, v, d]; indices [b, n, 2] name b and v.
COUNTING = GatherDimensions((2,), (0, 1), (0, 1), 2, (), (), (1, 1, 16))
COUNTING_SHAPES = _shapes("4,32,16", "4,8,2", "4,8,16")
PARTS = _shapes("4,8,1", "4,8,1")


def test_batch_dimensions_by_attribute() -> None:
    batch = explicit_batch(BATCHED, BATCHED_SHAPES)
    assert batch is not None
    assert link_map(batch, "operand", "result").pairs == ((0, 0),)
    assert link_map(batch, "index", "result").pairs == ((0, 0),)
    assert link_map(batch, "operand", "result").source_rank == 3
    assert operand_dims(batch) == (0,)
    assert operand_dims(None) == ()
    assert explicit_batch(COUNTING, COUNTING_SHAPES) is None


def test_batch_dimensions_by_counting_indices() -> None:
    batch = implicit_batch(COUNTING, (0, None), PARTS, COUNTING_SHAPES)
    assert batch is not None
    assert (batch.operand, batch.index, batch.outer) == ((0,), (0,), (0,))
    assert implicit_batch(COUNTING, (-1, -1), PARTS, COUNTING_SHAPES) is None
    # an index that counts along the index vector is none
    assert implicit_batch(COUNTING, (2, None), PARTS, COUNTING_SHAPES) is None
    # sizes of operand and indices differ
    assert implicit_batch(COUNTING, (None, 1), PARTS, COUNTING_SHAPES) is None
    # two operand dimensions cannot share one dimension of the indices
    square = _shapes("4,4,16", "4,8,2", "4,8,16")
    assert implicit_batch(COUNTING, (0, 0), PARTS, square) is None
    # slices of more than one element do not count
    wide = GatherDimensions((2, 3), (1,), (0, 1), 2, (), (), (2, 1, 16))
    assert implicit_batch(wide, (0, None), PARTS, _shapes("4,32,16", "4,8,2", "4,8,2,16")) is None
    # a dimension that is a batch dimension by attribute already is left out
    shapes = _shapes("4,4,16", "4,8,1", "4,8,16")
    assert implicit_batch(BATCHED, (0,), _shapes("4,8,1"), shapes) is None


def test_one_counting_index_without_an_index_vector() -> None:
    gather = GatherDimensions((1,), (0,), (0,), 1, (), (), (1, 16))
    shapes = _shapes("8,16", "8", "8,16")
    batch = implicit_batch(gather, (0,), _shapes("8"), shapes)
    assert batch is not None
    assert link_map(batch, "index", "operand").pairs == ((0, 0),)


def test_lists_of_batch_dimensions_are_joined() -> None:
    first = explicit_batch(BATCHED, BATCHED_SHAPES)
    second = implicit_batch(COUNTING, (0, None), PARTS, COUNTING_SHAPES)
    assert appended(None, None) is None
    assert appended(first, None) is first
    assert appended(None, second) is second
    mixed = GatherDimensions((2,), (1,), (1,), 2, (0,), (0,), (1, 1, 16))
    shapes = _shapes("4,8,16", "4,8,1", "4,8,16")
    both = appended(
        explicit_batch(mixed, shapes), implicit_batch(mixed, (1,), _shapes("4,8,1"), shapes)
    )
    assert both is not None
    assert link_map(both, "operand", "result").pairs == ((0, 0), (1, 1))


def test_index_and_window_dimensions_of_a_gather() -> None:
    gather = GatherDimensions((0, 2), (0,), (0,), 0, (), (), (1, 8, 5))
    shapes = _shapes("32,8,16", "1,6", "8,6,5")
    assert index_map(gather, shapes).pairs == ((1, 1),)
    # dimension 2 is taken in part, so only dimension 1 goes through
    assert window_map(gather, shapes).pairs == ((1, 0),)


def test_a_scatter_has_its_outer_array_among_the_operands() -> None:
    scatter = ScatterDimensions((2,), (1,), (1,), 2, (0,), (0,))
    operand, indices, update = BATCHED_SHAPES
    shapes = (operand, indices, update, operand)
    batch = explicit_batch(scatter, shapes)
    assert batch is not None
    assert link_map(batch, "update", "result").pairs == ((0, 0),)
    assert link_map(batch, "operand", "result").target_rank == 3
    assert link_map(batch, "operand", "update") is link_map(batch, "update", "operand").inverse()
    assert index_map(scatter, shapes).pairs == ((0, 0), (1, 1))
    assert window_map(scatter, shapes).pairs == ((2, 2),)
    # of a variadic scatter the first operand and update speak for all
    both = (operand, operand, indices, update, update, parse_shape("(f32[4,32,16], f32[4,32,16])"))
    assert explicit_batch(scatter, both) is batch
    assert window_map(scatter, both) is window_map(scatter, shapes)
