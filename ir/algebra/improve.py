"""Trying an improvement: what a value becomes if a sharding is proposed for it, and why."""

from __future__ import annotations

from typing import Literal

from shardlog.ir.algebra.facts import is_partitioned
from shardlog.ir.algebra.merge import refined
from shardlog.ir.algebra.order import strictly_better, subtiling
from shardlog.ir.shape import Shape
from shardlog.ir.sharding import HloSharding

__all__ = ["Verdict", "improved", "improved_or_same", "judge"]

Verdict = Literal[
    "first",
    "manual_wins",
    "merged",
    "replaced",
    "one_device",
    "manual",
    "other_structure",
    "other_devices",
    "incompatible_tiles",
    "not_more_specific",
    "not_subtiling",
]
"""Why a proposal was accepted (the first four) or refused."""


def judge(
    old: HloSharding | None, new: HloSharding, shape: Shape, combine: bool, loose: bool = False
) -> tuple[HloSharding | None, Verdict]:
    """The result of `improve` or `improve_loose`, and why.

    `shape` is that of the instruction, `combine` says whether partially replicated shardings merge
    at this tier. Follows ReturnImprovedShardingImpl.
    """
    if old is not None:
        if len(old.elements) != len(new.elements) or old.is_tuple != new.is_tuple:
            return None, "other_structure"
        if strictly_better(new, old):
            return new, "manual_wins"
    if not is_partitioned(new):
        return None, "one_device"
    if old is None:
        return new, "first"
    if new.is_manual:
        return None, "manual"
    result = refined(old, new, combine)
    if result is None or result is old:
        return None, _refusal(old, new)
    if result is not new:
        return result, "merged"
    if not loose and shape.is_array and not subtiling(shape, new, old):
        return None, "not_subtiling"
    return result, "replaced"


def _refusal(old: HloSharding, new: HloSharding) -> Verdict:
    """What kept two shardings from merging, if they are such that they could."""
    if old.kind != "tiled" or new.kind != "tiled":
        return "not_more_specific"
    if old.num_devices != new.num_devices:
        return "other_devices"
    rank = min(old.tiled_data_rank, new.tiled_data_rank)
    pairs = zip(old.tile.dims[:rank], new.tile.dims[:rank], strict=True)
    if any(a != b and 1 not in (a, b) for a, b in pairs):
        return "incompatible_tiles"
    return "not_more_specific"


def improved(
    old: HloSharding | None, new: HloSharding, shape: Shape, combine: bool
) -> HloSharding | None:
    """The proposal, or both merged, if that says more; a replacement must be a sub-tiling.

    Accepted on an unset value (None): all but one device. On a set one: manual over replicated or
    one device; the merge of two partially replicated shardings if `combine`; else the proposal if
    it is more specific and, on arrays, splits the old tiles further. No row if refused.
    Follows ReturnImprovedShardingImpl.
    """
    return judge(old, new, shape, combine)[0]


def improved_or_same(
    old: HloSharding, new: HloSharding, shape: Shape, combine: bool
) -> HloSharding:
    """The result of `improved`, or the old sharding where that is refused."""
    return judge(old, new, shape, combine)[0] or old
