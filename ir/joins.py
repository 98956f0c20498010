"""The joins of the sharding lattice: what becomes of a value when a rule proposes another.

None stands for "no sharding yet" as the old value and for "refused" as the result; a result equal
to the old value counts as refused. On arrays an accepted `improve` is strictly more specific. On
tuples it is not: a proposal that betters one element replaces all, so an element can lose.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shardlog.ir.algebra.improve import improved, judge
from shardlog.ir.algebra.order import more_specific
from shardlog.ir.algebra.tuples import spread
from shardlog.ir.shape import Shape
from shardlog.ir.sharding import HloSharding

__all__ = [
    "JOINS",
    "Elements",
    "fill",
    "improve",
    "improve_leaf",
    "improve_loose",
    "pick",
    "put",
    "share",
]

Elements = tuple[tuple[int, HloSharding], ...]
"""Proposals for single leaves of a tuple: (leaf, sharding)."""


def improve(
    old: HloSharding | None, new: HloSharding, shape: Shape, combine: bool
) -> HloSharding | None:
    """The proposal, or both merged, if that says more; a replacement must be a sub-tiling.

    The same as the function `improved`. Follows ReturnImprovedShardingImpl.
    """
    return improved(old, new, shape, combine)


def improve_loose(
    old: HloSharding | None, new: HloSharding, shape: Shape, combine: bool, loose: bool
) -> HloSharding | None:
    """As `improve`, but with `loose` a replacement may be any more specific sharding.

    Follows ReturnImprovedShardingImpl with allow_aggressive_resharding.
    """
    return judge(old, new, shape, combine, loose)[0]


def improve_leaf(
    old: HloSharding | None, elements: Elements, shape: Shape, combine: bool
) -> HloSharding | None:
    """The value with each proposed leaf improved by itself, one after the other.

    Once a leaf of an unset tuple is accepted the others are replicated. Leaf 0 of an array is the
    array. Follows MaybeImproveInstructionSubSharding.
    """
    value = old
    for index, new in elements:
        if not shape.is_tuple:
            value = improve(value, new, shape, combine) or value
            continue
        part = None if value is None else value.elements[index]
        better = improve(part, new, shape.leaves[index], combine)
        if better is not None:
            value = _replaced(value, {index: better}, shape)
    return None if value is old else value


def pick(old: HloSharding | None, elements: Elements, shape: Shape) -> HloSharding | None:
    """The tuple with each proposed leaf that is more specific; an unset tuple takes them all.

    Leaves of an unset tuple that nothing is proposed for are replicated.
    Follows InferShardingFromOperands, case kTuple.
    """
    chosen = {
        index: new
        for index, new in elements
        if old is None or more_specific(new, old.elements[index])
    }
    value = _replaced(old, chosen, shape)
    return None if old is not None and value.equals(old) else value


def _replaced(
    value: HloSharding | None, parts: dict[int, HloSharding], shape: Shape
) -> HloSharding:
    base = value or spread(HloSharding.replicated(), shape)
    return HloSharding.tuple_of(parts.get(i, part) for i, part in enumerate(base.elements))


def put(old: HloSharding | None, new: HloSharding) -> HloSharding | None:
    """The proposal, whatever was there. Follows HloInstruction::set_sharding."""
    return None if new is old else new


def share(old: HloSharding | None, new: HloSharding) -> HloSharding | None:
    """The proposal unless it is what was there, metadata and the spelling of devices aside.

    Follows MaybeComputationPropagation.
    """
    return None if old is not None and old.equals(new) else new


def fill(old: HloSharding | None, new: HloSharding) -> HloSharding | None:
    """The proposal if nothing was there."""
    return new if old is None else None


JOINS: dict[str, Callable[..., Any]] = {
    "fill": fill,
    "improve": improve,
    "improve_leaf": improve_leaf,
    "improve_loose": improve_loose,
    "pick": pick,
    "put": put,
    "share": share,
}
"""Every join by the name that channels use."""
