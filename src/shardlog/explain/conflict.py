"""Why a join refused a proposal, dimension by dimension."""

from __future__ import annotations

from shardlog.ir.algebra.improve import Verdict, judge
from shardlog.ir.axes import digits, overlapping_dims
from shardlog.ir.shape import Shape
from shardlog.ir.sharding import HloSharding

__all__ = ["SAME", "conflicting_dims", "refusal"]

SAME = "it is there already"
"""What is said of a proposal that changes nothing."""

_WORDS: dict[Verdict, str] = {
    "one_device": "a sharding on one device is not handed on",
    "manual": "manual does not replace tiles",
    "other_structure": "the two are for values of different structure",
    "other_devices": "the two are for different numbers of devices",
    "incompatible_tiles": "the tiles do not fit into each other",
    "not_more_specific": "it has no more tiles than that",
    "not_subtiling": "it does not split the old tiles further",
}


def refusal(old: HloSharding | None, new: HloSharding, shape: Shape) -> str:
    """Why a proposal does not replace a sharding and cannot be merged with it, in words."""
    if old is None:
        return "nothing takes it"
    if new is old or new.equals(old):
        return SAME
    result, verdict = judge(old, new, shape, combine=True)
    if result is not None:
        return "it came when nothing was merged any more, or to an op that does not merge"
    dims = conflicting_dims(old, new)
    words = _WORDS.get(verdict, verdict)
    if not dims:
        return words
    return f"{words}: they conflict on {'; '.join(dims)}"


def conflicting_dims(old: HloSharding, new: HloSharding) -> list[str]:
    """Where two shardings of an array cannot both hold, a phrase for each dimension."""
    if old.kind != "tiled" or new.kind != "tiled" or old.is_tuple or new.is_tuple:
        return []
    mine, theirs = digits(old), digits(new)
    found = []
    for dim, (a, b) in enumerate(zip(mine, theirs, strict=False)):
        ours, yours = old.tile.dims[dim], new.tile.dims[dim]
        if a and b and not (a <= b or b <= a):
            how = "ways on other devices" if ours == yours else f"and {yours} ways"
            found.append(f"dimension {dim} (split {ours} {how})")
        else:
            used = [d for d, row in enumerate(mine) if row & (b - a) and d != dim]
            for other in used:
                found.append(
                    f"dimension {dim} (would take the devices that dimension {other} is split over)"
                )
    return found or [
        f"dimension {dim} (split {old.tile.dims[dim]} and {new.tile.dims[dim]} ways, over devices "
        "in another order)"
        for dim in overlapping_dims(old, new)
    ]
