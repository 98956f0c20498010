"""What happens to shardings before the first and after the last visit."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from shardlog.ir.algebra.tuples import leaf, leaves
from shardlog.ir.op_metadata import OpMetadata
from shardlog.ir.shape import Shape
from shardlog.ir.sharding import HloSharding

__all__ = [
    "cse_mark",
    "cse_marked",
    "even_or_replicated",
    "manual_like",
    "replicated",
    "replicated_like",
    "restored",
    "restored_elements",
]

Leaves = Collection[int] | Literal["whole"]
"""Which leaves a mask is about: their places in the flattened shape, or the value as a whole."""

_CSE_MARK = OpMetadata((("op_name", "_sharding_propagation_cse_prevention"),))


def replicated() -> HloSharding:
    """The sharding that keeps the whole value on every device."""
    return HloSharding.replicated()


def manual_like(sharding: HloSharding) -> HloSharding:
    """Manual for an array, with the metadata of another sharding; that of a tuple counts as none.

    Follows the propagation of manual shardings in InferShardingFromOperands and -Users.
    """
    return HloSharding.manual().with_metadata(() if sharding.is_tuple else sharding.metadata)


def replicated_like(sharding: HloSharding) -> HloSharding:
    """Replicated, with the metadata of another sharding.

    Follows the replacement of unknown shardings in ShardingPropagation::Run.
    """
    return HloSharding.replicated().with_metadata(sharding.metadata)


def restored(sharding: HloSharding, saved: HloSharding, held: Collection[int]) -> HloSharding:
    """The sharding of a tuple with the held leaves as they were saved, unless as unknown.

    Follows the mask of outputs in ShardingPropagation::Run.
    """
    parts = list(sharding.elements)
    for index in held:
        old = leaf(saved, index)
        if old is not None and not old.is_unknown and index < len(parts):
            parts[index] = old
    return HloSharding.tuple_of(parts)


def restored_elements(
    sharding: HloSharding, saved: HloSharding, held: Collection[int], shape: Shape
) -> HloSharding:
    """The sharding of a tuple with the held elements as they were saved, unless as unknown.

    XLA counts elements where it reads what was saved, but leaves where it puts it back: of a nested
    tuple element 1 goes to leaf 1. An element that is a tuple itself, for which it writes a
    sharding that nobody can read, stays. Follows the mask of parameters in
    ShardingPropagation::Run.
    """
    parts = list(sharding.elements)
    for index in held:
        old = leaves(saved, index, shape)
        if old is not None and not old.is_tuple and not old.is_unknown:
            parts[index] = old
    return HloSharding.tuple_of(parts)


def even_or_replicated(sharding: HloSharding, shape: Shape, free: Leaves) -> HloSharding:
    """The sharding with each free leaf replicated that it does not split evenly.

    Leaf 0 of an array is the array. A whole tuple gets one replicated sharding, which is no tuple.
    As in XLA, leaf i is measured by the i-th element of the shape, which of nested tuples is
    another. Follows evenly_partitions in ShardingPropagation::Run.
    """
    if free == "whole" or not sharding.is_tuple:
        parts = sharding.elements if sharding.is_tuple else (sharding,)
        even = all(map(_is_even, shape.leaves, parts))
        return sharding if even or not free else HloSharding.replicated()
    elements = list(sharding.elements)
    for index in free:
        if index < len(elements) and not _is_even(shape.elements[index], elements[index]):
            elements[index] = HloSharding.replicated()
    return HloSharding.tuple_of(elements)


def _is_even(shape: Shape, sharding: HloSharding) -> bool:
    if sharding.kind != "tiled":
        return True
    sizes = zip(shape.dimensions, sharding.tile.dims, strict=False)
    return all(size % tiles == 0 for size, tiles in sizes)


def cse_marked(sharding: HloSharding) -> HloSharding:
    """The sharding marked as made only to keep equal broadcasts apart.

    Follows SetCSEPreventionSharding.
    """
    return sharding.with_metadata((_CSE_MARK,))


def cse_mark(sharding: HloSharding) -> bool:
    """Whether a sharding bears that mark and no other metadata. Follows IsCSEPreventionSharding."""
    return len(sharding.metadata) == 1 and sharding.metadata[0].op_name == _CSE_MARK.op_name
