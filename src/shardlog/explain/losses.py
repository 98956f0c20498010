"""Which tiles of one instruction another has not, which it has elsewhere, and why."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from shardlog.explain.run import Place, Run
from shardlog.ir.axes import digits, digits_of, manual_digits, split_dims
from shardlog.ir.shape import Shape
from shardlog.ir.sharding import HloSharding

__all__ = ["contracted", "lost", "lost_to", "moved", "uneven"]

_LOSES = {
    "dot": "the dot contracts it",
    "convolution": "the convolution sums over it",
    "reduce": "the reduce sums over it",
    "gather": "the indices select along it, so the result has no such dimension",
    "scatter": "the indices select along it",
    "dynamic-slice": "the slice takes a part of it",
    "dynamic-update-slice": "the update covers a part of it",
    "broadcast": "the broadcast makes it",
    "reshape": "the reshape leaves no dimension that it could split",
}
_NO_PART = ("dot", "convolution", "gather", "scatter")


def lost(run: Run, source: Place, value: HloSharding | None, at: int, target: Place) -> str | None:
    """Say which tiles of a source a sharding of `target` has not; None if it has them all.

    `at` is the instruction whose op decides that: the target, or the user that it learns from.
    What a manual sharding divides by hand is not lost.
    """
    sharding = run.saturated(source)
    if sharding is None or sharding.is_tuple or (value is not None and value.kind == "manual"):
        return None
    kept = digits_of(value) | (frozenset() if value is None else manual_digits(value))
    rows = digits(sharding)
    gone = [dim for dim, row in enumerate(rows) if row - kept]
    if not gone:
        return None
    opcode = run.entities[at].opcode
    if at != target.entity and opcode in _NO_PART:
        why = f"{run.named(target)} has no part in it"
        if list(run.outcome.saturated.facts.rows["operand"][at]).count(target.entity) > 1:
            why += " as the first of the operands that it is"
    elif opcode == "reshape" and len(gone) == 1:
        ways = sharding.tile.dims[gone[0]]
        why = _reshape(run.shape(source), gone[0], run.shape(target), ways)
    elif at == target.entity and opcode == "dot" and source.entity in run.operands(at):
        why = _dot(run, at, source.entity, gone)
    else:
        why = _LOSES.get(opcode, f"{opcode} does not keep it")
    split = []
    for dim in gone:
        how = f"split {sharding.tile.dims[dim]} ways"
        if rows[dim] & kept:
            how += f", of which {math.prod(digit.size for digit in rows[dim] - kept)} end"
        split.append(f"dimension {dim} ({how})")
    return f"{run.named(source)} has {sharding}: {' and '.join(split)}, {why}"


def lost_to(run: Run, source: Place, reshaped: Place) -> frozenset[int]:
    """The dimensions of a reshape that it makes from those whose tiles it ends, or ends in part."""
    sharding = run.saturated(source)
    if sharding is None or sharding.is_tuple:
        return frozenset()
    kept = digits_of(run.saturated(reshaped))
    before, after = run.shape(source).dimensions, run.shape(reshaped).dimensions
    made = [_together(before, d, after)[1] for d, row in enumerate(digits(sharding)) if row - kept]
    return frozenset(itertools.chain.from_iterable(made))


def _reshape(before: Shape, dim: int, after: Shape, ways: int) -> str:
    """Why a reshape loses the tiles of a dimension: what it makes of it."""
    mine, theirs = _together(before.dimensions, dim, after.dimensions)
    size = before.dimensions[dim]
    if not theirs or size == 1:
        return "which the reshape drops"
    parts = " x ".join(str(after.dimensions[d]) for d in theirs)
    if len(mine) == 1:
        return f"which the reshape cuts into {parts}: {ways} tiles do not fit the first of these"
    joined = " x ".join(str(before.dimensions[d]) for d in mine)
    what = f"which the reshape joins with others, {joined}, into {parts}"
    if len(theirs) == 1 and dim != mine[0]:
        return f"{what}: what was a tile is in many places there"
    return f"{what}: {ways} tiles do not fit these"


def _together(before: Sequence[int], dim: int, after: Sequence[int]) -> tuple[list[int], list[int]]:
    """The smallest runs of dimensions, one with `dim`, that have as many elements as each other."""
    mine: list[int] = []
    theirs: list[int] = []
    left, right, at, to = 1, 1, 0, 0
    while at < len(before) or to < len(after):
        if left <= right and at < len(before):
            left *= before[at]
            mine += [at] if before[at] > 1 or at == dim else []
            at += 1
        elif to < len(after):
            right *= after[to]
            theirs += [to] if after[to] > 1 else []
            to += 1
        else:
            break
        if left == right:
            if dim in mine:
                return mine, theirs
            mine, theirs, left, right = [], [], 1, 1
    return mine, theirs


def _dot(run: Run, at: int, source: int, gone: list[int]) -> str:
    """Why a dot loses dimensions of an operand: it contracts them, or they gave way."""
    if contracted(run, at, source) >= set(gone):
        return _LOSES["dot"]
    return "which gives way to the tiles of the other operand"


def contracted(run: Run, at: int, source: int) -> set[int]:
    """The dimensions of an operand that a dot contracts; none for other ops."""
    instruction = run.entities[at]
    found: set[int] = set()
    if instruction.opcode == "dot":
        dims = instruction.dot_dimensions
        for place, operand in enumerate(run.outcome.saturated.facts.rows["operand"][at]):
            if operand == source:
                found |= set(dims.lhs_contracting if place == 0 else dims.rhs_contracting)
    return found


def moved(run: Run, source: Place, target: Place) -> str | None:
    """Say where the tiles of a source are in a target, if they changed dimension or were cut."""
    there, here = run.saturated(source), run.saturated(target)
    if there is None or here is None or here.is_tuple or there.is_tuple:
        return None
    phrases = []
    for dim in split_dims(there):
        mine = digits(there)[dim]
        found = [d for d, row in enumerate(digits(here)) if row & mine]
        kept = frozenset().union(*(digits(here)[d] for d in found)) & mine
        if not found or (found == [dim] and kept == mine):
            continue
        ways = [f"{d} ({here.tile.dims[d]} ways)" for d in found]
        word = "dimension" if len(found) == 1 else "dimensions"
        rest = math.prod(digit.size for digit in mine - kept)
        cut = f", where {rest} of its {there.tile.dims[dim]} ways end" if rest > 1 else ""
        phrases.append(
            f"dimension {dim} of {run.named(source)} ({there.tile.dims[dim]} ways) "
            f"is {word} {' and '.join(ways)} of {run.named(target)}{cut}"
        )
    return "; ".join(phrases) or None


def uneven(run: Run, place: Place) -> str | None:
    """Say which dimensions of a leaf its sharding does not divide evenly."""
    sharding = run.final(place)
    shape = run.entities[place.entity].shape
    if place.leaf is not None:
        shape = shape.leaves[place.leaf]
    if shape.is_tuple or sharding is None or sharding.is_tuple:
        return None
    phrases = [
        f"dimension {dim} of {size} is split {sharding.tile.dims[dim]} ways"
        for dim, size in enumerate(shape.dimensions)
        if dim in split_dims(sharding) and size % sharding.tile.dims[dim]
    ]
    return f"uneven: {', '.join(phrases)}" if phrases else None
