"""Shardings of tuples: one per leaf of the flattened shape, in order."""

from __future__ import annotations

from functools import lru_cache
from itertools import accumulate

from shardlog.ir.algebra.carry import data_replicated, extended
from shardlog.ir.algebra.order import most_specific
from shardlog.ir.shape import Shape
from shardlog.ir.sharding import HloSharding

__all__ = [
    "chained",
    "extended_leaves",
    "front",
    "leaf",
    "leaves",
    "most_specific_leaves",
    "on_device",
    "placed_leaves",
    "spread",
    "with_leaves",
]


def leaf(sharding: HloSharding, index: int) -> HloSharding | None:
    """The sharding of one leaf of a tuple; a sharding that is no tuple as it is.

    No row if there is no such leaf.
    """
    if not sharding.is_tuple:
        return sharding
    return sharding.elements[index] if index < len(sharding.elements) else None


def placed_leaves(
    sharding: HloSharding, index: int, shape: Shape
) -> tuple[tuple[int, HloSharding], ...] | None:
    """The leaves of one element of a value of tuple `shape`, each with its place in the whole.

    This is how the joins of leaves take proposals. Where the element is no tuple but the sharding
    is, as for an outfeed's token, its last leaf counts (GetOutputSharding). No row if the shape has
    no such element.
    """
    if index >= len(shape.elements):
        return None
    parts = sharding.elements if sharding.is_tuple else (sharding,)
    if not shape.elements[index].is_tuple:
        parts = parts[-1:]
    return tuple(enumerate(parts, _first_leaf(index, shape)))


def chained(
    parts: tuple[tuple[tuple[int, HloSharding], ...], ...],
) -> tuple[tuple[int, HloSharding], ...]:
    """Several lists of placed leaves as one."""
    return tuple(pair for part in parts for pair in part)


def leaves(sharding: HloSharding, index: int, shape: Shape) -> HloSharding | None:
    """The sharding of one element of a value of tuple `shape`; the element may be a tuple again.

    No row if the shape has no such element or the sharding no such leaves.
    Follows HloSharding::GetSubSharding.
    """
    if not sharding.is_tuple:
        return sharding
    if index >= len(shape.elements):
        return None
    start = _first_leaf(index, shape)
    element = shape.elements[index]
    end = start + element.leaf_count
    if end > len(sharding.elements):
        return None
    if element.is_tuple:
        return HloSharding.tuple_of(sharding.elements[start:end])
    return sharding.elements[start]


def _first_leaf(index: int, shape: Shape) -> int:
    return _first_leaves(shape)[index]


@lru_cache(maxsize=4096)
def _first_leaves(shape: Shape) -> tuple[int, ...]:
    """Where the leaves of each element begin, and where the last ones end."""
    return tuple(accumulate((part.leaf_count for part in shape.elements), initial=0))


def front(sharding: HloSharding, shape: Shape) -> HloSharding | None:
    """The sharding of the first element, of the given shape, of a tuple: the data of an outfeed.

    Follows GetShardingFromUser, case kOutfeed.
    """
    return leaves(sharding, 0, Shape.tuple_of((shape,)))


def with_leaves(
    sharding: HloSharding | None, index: int, element: HloSharding, shape: Shape
) -> HloSharding | None:
    """The sharding of a value of tuple `shape` with that of one of its elements replaced.

    Of a value that has none (None) the other leaves are replicated, manual subgroups kept. No row
    if the element is an empty tuple or a token. Follows GetShardingFromUser, case kGetTupleElement.
    """
    if index >= len(shape.elements):
        return None
    new = element.elements if shape.elements[index].is_tuple else (element,)
    if shape.elements[index].element_type == "token" or not new:
        return None
    if sharding is None:
        parts = [data_replicated(new[0], part.rank) for part in shape.leaves]
    else:
        parts = list(sharding.elements)
    start = _first_leaf(index, shape)
    if start + len(new) > len(parts):
        return None
    parts[start : start + len(new)] = new
    return HloSharding.tuple_of(parts)


def most_specific_leaves(
    sharding: HloSharding, positions: tuple[int, ...], shape: Shape
) -> HloSharding | None:
    """The most specific of some elements of a value of tuple `shape`, earlier ones first.

    Follows GetShardingFromUser, case kTuple.
    """
    views = (leaves(sharding, position, shape) for position in positions)
    return most_specific(tuple(view for view in views if view is not None))


def spread(sharding: HloSharding, shape: Shape) -> HloSharding:
    """The sharding itself for an array, the same on every leaf for a tuple.

    Follows HloSharding::NormalizeTupleSharding.
    """
    if not shape.is_tuple or sharding.is_tuple:
        return sharding
    return HloSharding.tuple_of([sharding] * shape.required_leaves)


def extended_leaves(sharding: HloSharding, shape: Shape) -> HloSharding | None:
    """The sharding of a value of any shape whose leaves all have the first dimensions of this one.

    Follows ComputeResultShapeAndSharding of CustomCallBatchPartitioner.
    """
    if not shape.is_tuple:
        return extended(sharding, shape.rank)
    parts = [extended(sharding, part.rank) for part in shape.leaves]
    return HloSharding.tuple_of([part for part in parts if part is not None])


def on_device(device: int, shape: Shape) -> HloSharding:
    """The sharding that keeps a value of any shape on one device.

    Follows HloInstruction::set_device_sharding.
    """
    return spread(HloSharding.maximal(device), shape)
