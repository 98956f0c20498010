"""Dimension maps of gathers and scatters.

Up to three kinds of dimensions carry a sharding through a gather or scatter: batch dimensions,
which operand, indices and result (update) share, be it by attribute or because the indices count
up along them; index dimensions, shared by indices and result (update); and window dimensions that
are taken whole, shared by operand and result (update).

`shapes` are those of the instruction's operands in order, then that of its result. Of a variadic
scatter the first operand and the first update speak for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shardlog.ir.attributes import GatherDimensions, ScatterDimensions
from shardlog.ir.dimension_map import DimensionMap
from shardlog.ir.interned import Interned
from shardlog.ir.shape import Shape
from shardlog.light import dataclass

__all__ = [
    "BatchDims",
    "appended",
    "explicit_batch",
    "implicit_batch",
    "index_map",
    "link_map",
    "operand_dims",
    "window_map",
]

Dims = tuple[int, ...]
Shapes = tuple[Shape, ...]
Attribute = GatherDimensions | ScatterDimensions


@dataclass(frozen=True, eq=False, slots=True)
class BatchDims(metaclass=Interned):
    """Batch dimensions of a gather or scatter: position i is one dimension, seen from three sides.

    `outer` are its places in the result of a gather or the update of a scatter, `ranks` the ranks
    of operand, indices and that array. Equal values are one object. Follows GatherScatterDims.
    """

    is_gather: bool
    operand: Dims
    index: Dims
    outer: Dims
    ranks: tuple[int, int, int]

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return BatchDims, tuple(getattr(self, name) for name in self.__slots__)


@dataclass(frozen=True, slots=True)
class _View:
    """What gathers and scatters have in common, under one set of names."""

    is_gather: bool
    operand: Shape
    indices: Shape
    outer: Shape
    index_vector_dim: int
    index_to_operand: Dims
    operand_batch: Dims
    index_batch: Dims
    collapsed: Dims
    window: Dims

    @property
    def ranks(self) -> tuple[int, int, int]:
        return self.operand.rank, self.indices.rank, self.outer.rank

    def slice_sizes(self, gather: Attribute) -> Dims:
        """Sizes of the slice per operand dimension. Follows GetScatterSliceSize."""
        if isinstance(gather, GatherDimensions):
            return gather.slice_sizes
        sizes, taken = [1] * self.operand.rank, 0
        for dim in range(self.operand.rank):
            if dim not in self.collapsed + self.operand_batch:
                sizes[dim] = self.outer.dimensions[self.window[taken]]
                taken += 1
        return tuple(sizes)


def _view(attribute: Attribute, shapes: Shapes) -> _View:
    if isinstance(attribute, GatherDimensions):
        operand, indices, outer = shapes[0], shapes[1], shapes[-1]
        return _View(
            True,
            operand,
            indices,
            outer,
            attribute.index_vector_dim,
            attribute.start_index_map,
            attribute.operand_batching_dims,
            attribute.start_indices_batching_dims,
            attribute.collapsed_slice_dims,
            attribute.offset_dims,
        )
    count = (len(shapes) - 2) // 2
    operand, indices, outer = shapes[0], shapes[count], shapes[count + 1]
    return _View(
        False,
        operand,
        indices,
        outer,
        attribute.index_vector_dim,
        attribute.scatter_dims_to_operand_dims,
        attribute.input_batching_dims,
        attribute.scatter_indices_batching_dims,
        attribute.inserted_window_dims,
        attribute.update_window_dims,
    )


def explicit_batch(attribute: Attribute, shapes: Shapes) -> BatchDims | None:
    """The batch dimensions that the attribute names; no row if it names none."""
    view = _view(attribute, shapes)
    if not view.operand_batch:
        return None
    return _batch(view, view.operand_batch, view.index_batch)


def implicit_batch(
    attribute: Attribute, iotas: Sequence[int | None], parts: Sequence[Shape], shapes: Shapes
) -> BatchDims | None:
    """The batch dimensions that show in indices which count up along a dimension, or no row.

    The indices are made of `parts`, concatenated along the index vector dimension (or are one
    part); `iotas` says along which dimension each part counts up, None or -1 if along none. No row
    either if it does not say so of every part.
    Follows GetGatherScatterBatchParallelDims.
    """
    if len(iotas) != len(parts):
        return None
    view = _view(attribute, shapes)
    vector_dim = view.index_vector_dim
    counting: list[int | None] = []
    for iota, part in zip(iotas, parts, strict=True):
        width = part.dimensions[vector_dim] if part.rank > vector_dim else 1
        counting += [None if iota in (vector_dim, -1) else iota] * width
    slice_sizes = view.slice_sizes(attribute)
    operand_side: list[int] = []
    index_side: list[int] = []
    for index_dim, operand_dim in zip(counting, view.index_to_operand, strict=False):
        if index_dim is None:
            continue
        if index_dim in index_side:
            return None
        if slice_sizes[operand_dim] == 1 and index_dim not in view.index_batch:
            if view.operand.dimensions[operand_dim] != view.indices.dimensions[index_dim]:
                return None
            operand_side.append(operand_dim)
            index_side.append(index_dim)
    if not index_side:
        return None
    return _batch(view, tuple(operand_side), tuple(index_side))


def _batch(view: _View, operand: Dims, index: Dims) -> BatchDims:
    """Add the places in the outer array. Follows FillOutputDimsWithIndicesDims."""
    places = dict(_index_pairs(view))
    return BatchDims(
        view.is_gather, operand, index, tuple(places[dim] for dim in index), view.ranks
    )


def _index_pairs(view: _View) -> list[tuple[int, int]]:
    """Pairs (indices dimension, outer dimension) of all but the index vector dimension."""
    index_side = (dim for dim in range(view.indices.rank) if dim != view.index_vector_dim)
    outer_side = (dim for dim in range(view.outer.rank) if dim not in view.window)
    return list(zip(index_side, outer_side, strict=False))


def appended(first: BatchDims | None, second: BatchDims | None) -> BatchDims | None:
    """Both lists of batch dimensions in one; no row if there are none.

    Follows GatherScatterDims::append.
    """
    if first is None or second is None:
        return first or second
    return BatchDims(
        first.is_gather,
        first.operand + second.operand,
        first.index + second.index,
        first.outer + second.outer,
        first.ranks,
    )


def link_map(batch: BatchDims, source: str, target: str) -> DimensionMap:
    """The map between two sides, each 'operand', 'index', 'update' or 'result'.

    The result of a gather is its outer array; that of a scatter has the operand's dimensions.
    Follows InferGatherScatterParallelShardingFromOperandSharding and its callers.
    """
    sides = {
        "operand": (batch.operand, batch.ranks[0]),
        "index": (batch.index, batch.ranks[1]),
        "update": (batch.outer, batch.ranks[2]),
    }
    sides["result"] = sides["update" if batch.is_gather else "operand"]
    (sources, source_rank), (targets, target_rank) = sides[source], sides[target]
    return DimensionMap(tuple(zip(sources, targets, strict=True)), source_rank, target_rank)


def operand_dims(batch: BatchDims | None) -> Dims:
    """The operand's batch dimensions, none if there is no batch."""
    return batch.operand if batch else ()


def index_map(attribute: Attribute, shapes: Shapes) -> DimensionMap:
    """The map from the indices to the result of a gather or the update of a scatter.

    Follows GetGatherConnectedDimsAcrossIndicesAndOutput.
    """
    view = _view(attribute, shapes)
    return DimensionMap(tuple(_index_pairs(view)), view.indices.rank, view.outer.rank)


def window_map(attribute: Attribute, shapes: Shapes) -> DimensionMap:
    """The map from the operand to the result of a gather or the update of a scatter, by windows.

    Only dimensions that a window takes whole are paired.
    Follows GetGatherScatterOperandPassthroughDims.
    """
    view = _view(attribute, shapes)
    sizes = view.slice_sizes(attribute)
    pairs: list[tuple[int, int]] = []
    taken = 0
    for dim in range(view.operand.rank):
        if dim in view.collapsed + view.operand_batch:
            continue
        if sizes[dim] == view.operand.dimensions[dim]:
            pairs.append((dim, view.window[taken]))
        taken += 1
    return DimensionMap(tuple(pairs), view.operand.rank, view.outer.rank)
