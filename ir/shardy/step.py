"""One step of propagation on one operation: what factors wish, and what each tensor takes of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from shardlog.ir.shardy.axes import AxisRef
from shardlog.ir.shardy.mesh import Mesh
from shardlog.ir.shardy.op_rule import OpRule
from shardlog.ir.shardy.projection import Axes, Part, Projection, Slot
from shardlog.ir.shardy.projection import rebuilt as rebuilt_sharding
from shardlog.ir.shardy.tensor_sharding import TensorSharding

__all__ = [
    "Direction",
    "Growth",
    "agreed",
    "common_major",
    "directions",
    "fitting",
    "grown",
    "prefix_of",
    "ranking",
    "rebuilt",
    "wishes",
]

Direction: TypeAlias = Literal["none", "forward", "backward", "both"]


@dataclass(frozen=True, eq=False, slots=True)
class Growth:
    """A projection with the parts that factors have after a step, slot by slot."""

    projection: Projection
    parts: tuple[dict[int, Part], ...]


def directions(rule: OpRule, passing: Direction, others: Direction) -> tuple[Direction, ...]:
    """The direction of each factor: of those that pass, of all others, none of blocked ones."""
    return tuple(
        "none" if number in rule.blocked else passing if kind == "pass" else others
        for number, kind in enumerate(rule.kinds)
    )


def prefix_of(first: Axes, second: Axes) -> bool:
    """Tell whether an axis list is the other, or a prefix of it. Follows isAxisListPrefixOf."""
    if not first:
        return True
    count = len(first)
    if count > len(second) or first[:-1] != second[: count - 1]:
        return False
    return first[-1].is_prefix_of(second[count - 1])


# ---------------------------------------------------------------- wishes


def common_major(old: Axes, new: Axes, can_expand: bool) -> tuple[Axes, bool]:
    """The major axes that two lists agree on, and whether more may be added to them.

    Where one list ends the longer goes on, the new one only if `can_expand`. At a difference the
    result ends for good. Follows getCompatibleMajorAxesInternal.
    """
    found: list[AxisRef] = []
    count = min(len(old), len(new))
    for place in range(count):
        mine, its = old[place], new[place]
        if mine is its:
            found.append(its)
        elif its.is_prefix_of(mine):
            if place + 1 < len(new):
                return (*found, its), False
            found.append(mine)
        elif mine.is_prefix_of(its):
            if not can_expand or place + 1 < len(old):
                return (*found, mine), False
            found.append(its)
        else:
            return tuple(found), False
    found += old[count:]
    if can_expand:
        found += new[count:]
    return tuple(found), can_expand


def wishes(projection: Projection, ways: Sequence[Direction]) -> tuple[Axes, ...] | None:
    """The axes that each factor would have if there were no conflicts; None if none has any.

    Senders come first and may add axes; what only receives may cut them short. Follows
    getCompatibleMajorAxes.
    """
    split = projection.rule.operand_count
    operands, results = projection.slots[:split], projection.slots[split:]
    found = []
    for factor, way in enumerate(ways):
        axes: Axes = ()
        if way != "none":
            senders, receivers = (results, operands) if way == "backward" else (operands, results)
            can_expand = True
            for number, side in enumerate((senders, receivers)):
                if number and way != "both":
                    can_expand = False
                for slot in side:
                    part = slot.parts.get(factor)
                    if part is not None:
                        axes, can_expand = common_major(axes, part.axes, can_expand)
        found.append(axes)
    return tuple(found) if any(found) else None


# ---------------------------------------------------------------- room and conflicts


def fitting(
    axis: AxisRef, slot: Slot, part: Part, before: int, size: int, mesh: Mesh
) -> AxisRef | None:
    """The part of an axis that a factor of a tensor has room for; None for nothing.

    `before` is the product of the axes before it, `size` that of the factor. What the factor has
    already is fine; beyond that it must be open, without overflow, and the minor-most one or
    divisible. Follows compatiblePrefixNoConflictsWithinFactor.
    """
    found = _clear(axis, slot.barred)
    if found is None:
        return None
    if any(mine.contains(found) for mine in part.axes):
        return found
    if not part.closed and not part.overflow:
        if part.last:
            return found
        if size % before == 0:
            whole = found.size(mesh)
            common = math.gcd(size // before, whole)
            if common == whole:
                return found
            if common != 1:
                return AxisRef.part(found.name, found.pre_size, common)
    if part.axes and part.axes[-1].is_prefix_of(found):
        return part.axes[-1]
    return None


def _clear(axis: AxisRef, others: Axes) -> AxisRef | None:
    """The prefix of an axis that overlaps none of the others."""
    found: AxisRef | None = axis
    for other in others:
        if found is None:
            return None
        if found.name == other.name:
            found = found.prefix_without_overlap(other)
    return found


def _without_conflict(axis: AxisRef, parts: dict[int, Part], factor: int) -> AxisRef | None:
    """The prefix of an axis that no other factor of the tensor has.

    Follows compatiblePrefixNoConflictsAcrossFactors.
    """
    found: AxisRef | None = axis
    for other, part in parts.items():
        if other != factor and found is not None:
            found = _clear(found, part.overflow)
            if found is not None:
                found = _clear(found, part.axes)
    return found


def _cut(axes: Axes, keep: Callable[[AxisRef, int], AxisRef | None], mesh: Mesh) -> Axes:
    """Axes up to the first that is not kept as a whole. Follows truncateAxesByRemovingConflicts."""
    before = 1
    for place, axis in enumerate(axes):
        kept = keep(axis, before)
        if kept is None:
            return axes[:place]
        if kept is not axis:
            return (*axes[:place], kept)
        before *= kept.size(mesh)
    return axes


def _longer(old: Axes, new: Axes) -> bool:
    return old != new and prefix_of(old, new)


# ---------------------------------------------------------------- the two strategies


def ranking(projection: Projection, wish: Sequence[Axes], elementwise: bool) -> tuple[int, ...]:
    """The factors in the order in which they take axes.

    The larger the largest tensor that has the wish already, the earlier; then, for an elementwise
    op, the more parts the wish makes; then the earlier tensor, then the number. Follows the sort in
    AggressiveFactorPropagation.
    """
    rule, mesh = projection.rule, projection.mesh
    size, index = [-1] * len(wish), [-1] * len(wish)
    for number, slot in enumerate(projection.slots):
        whole = math.prod(rule.sizes[factor] for factor in slot.parts)
        for factor, part in slot.parts.items():
            axes = wish[factor]
            if axes and whole > size[factor] and prefix_of(axes, part.axes):
                size[factor], index[factor] = whole, number

    def key(factor: int) -> tuple[int, int, int, int]:
        parts = math.prod(axis.size(mesh) for axis in wish[factor]) if elementwise else 0
        return -size[factor], -parts, index[factor], factor

    return tuple(sorted(range(len(wish)), key=key))


def grown(
    projection: Projection, wish: Sequence[Axes], order: Sequence[int], elementwise: bool
) -> Growth:
    """What the tensors have after factors took their wishes in order, each as far as it fits.

    Results go first; an operand of an elementwise op is given no more than the results have, unless
    they have more. Follows AggressiveFactorPropagation::propagateFactorShardings.
    """
    split = projection.rule.operand_count
    made: list[dict[int, Part]] = [slot.parts for slot in projection.slots]
    places = [*range(split, len(made)), *range(split)]
    for place in places:
        slot = projection.slots[place]
        parts = made[place]
        for factor in order:
            axes = _taken(projection, slot, parts, factor, wish[factor])
            if not axes:
                continue
            if place < split and elementwise:
                for result in made[split:]:
                    there = result.get(factor)
                    if there is not None and _longer(there.axes, axes):
                        axes = there.axes
            part = parts[factor]
            if _longer(part.axes, axes):
                if parts is slot.parts:
                    parts = dict(parts)
                parts[factor] = part._replace(axes=axes)
        made[place] = parts
    return Growth(projection, tuple(made))


def _taken(
    projection: Projection, slot: Slot, parts: dict[int, Part], factor: int, wish: Axes
) -> Axes:
    """What a factor of one tensor takes of its wish; empty if that would be nothing new."""
    part = parts.get(factor)
    if part is None or not wish:
        return ()
    mesh, size = projection.mesh, projection.rule.sizes[factor]
    axes = _cut(wish, lambda axis, before: fitting(axis, slot, part, before, size, mesh), mesh)
    if not _longer(part.axes, axes):
        return ()
    return _cut(axes, lambda axis, _: _without_conflict(axis, parts, factor), mesh)


def agreed(projection: Projection, ways: Sequence[Direction]) -> Growth | None:
    """What the tensors have after each factor got what all tensors have room for; None if nothing.

    Follows BasicFactorPropagation::propagateFactorShardings.
    """
    rule, mesh = projection.rule, projection.mesh
    slots = list(projection.slots)
    for factor, size in enumerate(rule.sizes):
        now = Projection(rule, mesh, projection.name, projection.shardings, tuple(slots))
        only = tuple(ways[factor] if n == factor else "none" for n in range(len(ways)))
        wish = wishes(now, only)
        if wish is None:
            continue

        def keep(
            axis: AxisRef, before: int, factor: int = factor, size: int = size
        ) -> AxisRef | None:
            found: AxisRef | None = axis
            for slot in slots:
                if found is None:
                    return None
                found = _without_conflict(found, slot.parts, factor)
                part = slot.parts.get(factor)
                if part is not None and found is not None:
                    found = fitting(found, slot, part, before, size, mesh)
            return found

        axes = _cut(wish[factor], keep, mesh)
        for place, slot in enumerate(slots):
            part = slot.parts.get(factor)
            if part is not None and _longer(part.axes, axes):
                parts = {**slot.parts, factor: part._replace(axes=axes)}
                slots[place] = Slot(parts, slot.barred)
    return Growth(projection, tuple(slot.parts for slot in slots))


def rebuilt(growth: Growth, slot: int) -> TensorSharding | None:
    """The sharding of an operand or result after a step; None if it is what it was.

    Follows updateTensorSharding.
    """
    projection = growth.projection
    parts = growth.parts[slot]
    if parts is projection.slots[slot].parts:
        return None
    old = projection.shardings[slot]
    new = rebuilt_sharding(projection.rule, slot, parts, old, projection.name, projection.mesh)
    if old is None:
        return new if new.has_axes else None
    return None if new is old else new
