"""Why an axis does not go from one tensor of an operation to another: where it is cut."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from shardlog.ir.shardy import step
from shardlog.ir.shardy.axes import AxisRef
from shardlog.ir.shardy.op_rule import factor_symbol
from shardlog.ir.shardy.projection import Axes
from shardlog.shardy.account import Account, How
from shardlog.shardy.history import History, Look
from shardlog.shardy.names import Names
from shardlog.shardy.shown import axes_text, spec
from shardlog.shardy.why import KINDS, slot_text

__all__ = ["Cut", "Cuts", "Kind"]

LAST = 4
"""The last level, at which everything may propagate."""


class Kind(StrEnum):
    """Why a value does not have an axis."""

    IT_IS_SO = "it_is_so"
    CONFLICT = "conflict"
    AXIS_USED = "axis_used"
    CLOSED = "closed"
    REPLICATED = "replicated"
    UNREDUCED = "unreduced"
    NOT_DIVISIBLE = "not_divisible"
    OVERFLOW = "overflow"
    MAJOR_FACTOR = "major_factor"
    DIRECTION = "direction"
    BLOCKED = "blocked"
    NO_RULE = "no_rule"
    MESH = "mesh"
    DIMENSION_LOST = "dimension_lost"
    UNEVEN = "uneven"
    SUB_AXIS = "sub_axis"
    MANUAL = "manual"
    UNSETTLED = "unsettled"
    NOTHING_TO_OFFER = "nothing_to_offer"


@dataclass(frozen=True)
class Cut:
    """Where an axis is cut: at a slot of an operation, with the value that has it.

    `entity` is the value that does not get the axis, `source` one that has it; `others` are values
    that have a part in the reason.
    """

    kind: Kind
    says: str
    axis: AxisRef | None = None
    op: int | None = None
    entity: int | None = None
    dim: int | None = None
    source: int | None = None
    source_dim: int | None = None
    others: tuple[int, ...] = ()


class Cuts:
    """Finds out, in the state at the end, where operations cut axes."""

    def __init__(self, account: Account, names: Names) -> None:
        self.account, self.names = account, names
        self.history: History = account.history
        self._looks: dict[int, Look | None] = {}

    def look(self, op: int) -> Look | None:
        """What an operation sees in the end."""
        if op not in self._looks:
            history = self.history
            seen = tuple(history.end[one] for one in history.slots[op])
            self._looks[op] = history.look(op, seen, LAST)
        return self._looks[op]

    def without_look(self, op: int, entity: int, source: int, axis: AxisRef) -> Cut:
        """Why an operation passes nothing on at all."""
        name = self.names.of_op(op)
        had = f"{self.names.of(source)} has {axis}"
        if self.history.rules[op] is None:
            its = self.history.graph.ops[op]
            says = (
                f"no op sharding rule is known for {name}, so that nothing goes through it: {had}"
            )
            if its.name == "stablehlo.custom_call":
                target = its.symbol("call_target_name")
                says += f" (a rule custom_call_dims({target!r}, '...') would say which dimensions "
                says += "belong together)"
            return Cut(Kind.NO_RULE, says, axis, op, entity, None, source)
        says = f"the tensors of {name} are on different meshes, or on one device: {had}"
        return Cut(Kind.MESH, says, axis, op, entity, None, source)

    def at(self, op: int, slot: int, factor: int, axis: AxisRef, source_slot: int) -> Cut:
        """Why a slot of an operation does not have an axis of a factor that another one has."""
        history = self.history
        entity, source = history.slots[op][slot], history.slots[op][source_slot]
        look = self.look(op)
        if look is None:
            return self.without_look(op, entity, source, axis)
        rule = look.rule
        dim = _dim(rule.slots[slot], factor)
        source_dim = _dim(rule.slots[source_slot], factor)
        kind, says, others = self._why(op, look, slot, factor, axis, source_slot)
        return Cut(kind, says, axis, op, entity, dim, source, source_dim, tuple(others))

    def _why(
        self, op: int, look: Look, slot: int, factor: int, axis: AxisRef, source_slot: int
    ) -> tuple[Kind, str, Sequence[int]]:
        names, history = self.names, self.history
        slots, rule = history.slots[op], look.rule
        name = names.of_op(op)
        kind = rule.kinds[factor]
        about = f"factor {factor_symbol(factor)} of {name}"
        about += f" ({KINDS.get(kind, kind)}, size {rule.sizes[factor]})"
        source = f"{names.of(slots[source_slot])}, {slot_text(op, source_slot, self.account)}"
        way = look.ways[factor]
        if factor in rule.blocked:
            return Kind.BLOCKED, f"{about} is blocked: {axis} of {source} goes nowhere", ()
        forward = slot >= rule.operand_count
        if way == "none" or (way == "forward" and not forward) or (way == "backward" and forward):
            only = "nothing" if way == "none" else f"only {way}"
            return Kind.DIRECTION, f"{about} lets {only} through: {axis} is at {source}", ()
        wish = look.wish[factor]
        if not any(axis.overlaps(one) for one in wish):
            return self._conflict(op, look, factor, axis, about)
        return self._no_room(op, look, slot, factor, axis, about)

    # ------------------------------------------------------------ tensors that differ

    def _conflict(
        self, op: int, look: Look, factor: int, axis: AxisRef, about: str
    ) -> tuple[Kind, str, Sequence[int]]:
        """Which two tensors of an operation have different axes along a factor."""
        history, names = self.history, self.names
        split = look.rule.operand_count
        places = [*range(len(look.projection.slots))]
        if look.ways[factor] == "backward":
            places = [*places[split:], *places[:split]]
        axes: Axes = ()
        before: list[int] = []
        can_expand = True
        for place in places:
            part = look.projection.slots[place].parts.get(factor)
            if part is None:
                continue
            longest, goes_on = step.common_major(axes, part.axes, can_expand)
            differs = can_expand and not goes_on and part.axes
            if differs:
                others = [
                    one
                    for one in before
                    if look.projection.slots[one].parts[factor].axes
                    and not step.prefix_of(look.projection.slots[one].parts[factor].axes, part.axes)
                ]
                if others:
                    other = others[0]
                    mine = look.projection.slots[other].parts[factor].axes
                    entities = [history.slots[op][one] for one in (other, place)]
                    first = f"{slot_text(op, other, self.account)}, {names.of(entities[0])}"
                    second = f"{slot_text(op, place, self.account)}, {names.of(entities[1])}"
                    left = axes_text(longest) if longest else "none"
                    return (
                        Kind.CONFLICT,
                        f"{about} is split by {axes_text(mine)} in {first}, and by "
                        f"{axes_text(part.axes)} in {second}: the axes that they agree on are "
                        f"{left}, so that {axis} is not passed on"
                        + self._whence(entities, factor, op, (other, place)),
                        entities,
                    )
            axes, can_expand = longest, goes_on
            before.append(place)
        return Kind.CONFLICT, f"the tensors of {about} do not agree on {axis}", ()

    def _whence(self, entities: Sequence[int], factor: int, op: int, slots: tuple[int, int]) -> str:
        """Where two tensors have the axes of a factor from."""
        rule = self.history.rules[op]
        assert rule is not None
        found = []
        for entity, slot in zip(entities, slots, strict=True):
            dim = _dim(rule.slots[slot], factor)
            sharding = self.history.end[entity]
            if dim is None or sharding is None or not sharding.dims[dim].axes:
                continue
            axis = sharding.dims[dim].axes[0]
            found.append(f"{axis} of {self.names.of(entity)} {self.whence(entity, dim, axis)}")
        return f" ({'; '.join(found)})" if found else ""

    def whence(self, entity: int, dim: int, axis: AxisRef) -> str:
        """Where a value has an axis from, in a few words."""
        gain = self.account.gain(entity, dim, axis)
        if gain is None:
            return "is there from the start"
        if gain.how is How.ANNOTATED:
            return "is annotated"
        if gain.how is How.CONSTRAINED:
            assert gain.op is not None
            return f"is what {self.names.of_op(gain.op)} says"
        if gain.how is How.REVEALED:
            return f"is annotated, with priority {gain.priority}"
        if gain.how is How.ALIGNED:
            return "is that of its group"
        assert gain.op is not None
        level = "" if gain.level is None else f" at level {gain.level}"
        if len(self.history.priorities) > 1:
            level += f" of priority {gain.priority}"
        where = "" if gain.source is None else f" from {self.names.of(gain.source)}"
        return f"came{where} through {self.names.of_op(gain.op)}{level}"

    # ------------------------------------------------------------ no room in a tensor

    def _no_room(
        self, op: int, look: Look, slot: int, factor: int, axis: AxisRef, about: str
    ) -> tuple[Kind, str, Sequence[int]]:
        """What keeps a tensor from taking an axis that a factor wishes."""
        its = look.projection.slots[slot]
        part, mesh = its.parts.get(factor), look.projection.mesh
        entity = self.history.slots[op][slot]
        name, size = self.names.of(entity), look.rule.sizes[factor]
        dim = _dim(look.rule.slots[slot], factor)
        if part is None:
            says = f"a more major factor of dim {dim} of {name} has axes that do not fit into it"
            return Kind.OVERFLOW, f"{says}, so that {about} gets none", ()
        before = 1
        for one in look.wish[factor]:
            behind = "" if one.overlaps(axis) else f", and {axis} stands behind it"
            kept = step.fitting(one, its, part, before, size, mesh)
            if kept is not one:
                return (*self._unfit(op, look, slot, factor, one, before, kept, behind, about), ())
            for other, theirs in its.parts.items():
                if other == factor:
                    continue
                clash = [a for a in (*theirs.axes, *theirs.overflow) if a.overlaps(one)]
                if clash:
                    at = _dim(look.rule.slots[slot], other)
                    assert at is not None
                    had = self.whence(entity, at, clash[0])
                    return (
                        Kind.AXIS_USED,
                        f"dim {at} of {name} has {clash[0]} already ({had}), so that dim {dim} "
                        f"cannot take {one} along {about}{behind}" + self._first_level(op, factor),
                        (),
                    )
            before *= one.size(mesh)
        if look.growth is not None:
            grown = look.growth.parts[slot].get(factor)
            if grown is not None and any(axis.overlaps(one) for one in grown.axes):
                assert dim is not None
                major = look.rule.slots[slot][dim][0]
                return (
                    Kind.MAJOR_FACTOR,
                    f"dim {dim} of {name} ends at factor {factor_symbol(major)} of size "
                    f"{look.rule.sizes[major]}, which is not split all through, so that {axis} on "
                    f"{about} does not show",
                    (),
                )
        if slot < look.rule.operand_count:
            return (
                Kind.UNSETTLED,
                f"{name} is given no more than the results of {self.names.of_op(op)} have along "
                f"{about}, and they have no {axis}",
                (),
            )
        return Kind.UNSETTLED, f"{about} would bring {axis} to {name} in another visit", ()

    def _first_level(self, op: int, factor: int) -> str:
        """From which level on an operation propagates along a factor, if not from the first."""
        for level in range(LAST + 1):
            if self.history.ways(op, level)[factor] != "none":
                return "" if level == 0 else f"; it propagates from level {level} on"
        return ""

    def _unfit(
        self,
        op: int,
        look: Look,
        slot: int,
        factor: int,
        axis: AxisRef,
        before: int,
        kept: AxisRef | None,
        behind: str,
        about: str,
    ) -> tuple[Kind, str]:
        """Why a factor of a tensor has no room for an axis, or for a part of it only."""
        its = look.projection.slots[slot]
        part, mesh = its.parts[factor], look.projection.mesh
        entity = self.history.slots[op][slot]
        name, size = self.names.of(entity), look.rule.sizes[factor]
        dim = _dim(look.rule.slots[slot], factor)
        sharding = look.projection.shardings[slot]
        for kind, axes in (
            (Kind.REPLICATED, () if sharding is None else sharding.replicated),
            (Kind.UNREDUCED, () if sharding is None else sharding.unreduced),
        ):
            if any(axis.overlaps(one) for one in axes):
                return kind, f"{name} is annotated {kind} along {axis}{behind}"
        if part.closed:
            came = "annotated"
            if (its_gain := self.history.annotations.get(entity)) is not None:
                came = f"annotated {spec(its_gain)}"
            return (
                Kind.CLOSED,
                f"dim {dim} of {name} is closed ({came}): it takes no {axis}{behind}",
            )
        if part.overflow:
            return (
                Kind.OVERFLOW,
                f"dim {dim} of {name} has {axes_text(part.overflow)}, which does not fit into "
                f"{about}: it takes no more{behind}",
            )
        rest = size // before if size % before == 0 else size
        common = math.gcd(rest, axis.size(mesh)) if size % before == 0 else 1
        fits = f"only {kept} of {axis} fits" if kept is not None else f"{axis} does not fit"
        return (
            Kind.NOT_DIVISIBLE,
            f"{fits} into dim {dim} of {name}: {about} is not the minor-most of the dimension, and "
            f"of its {rest} places the {axis.size(mesh)} of {axis} share the divisor {common}"
            f"{behind}",
        )


def _dim(dims: tuple[tuple[int, ...], ...], factor: int) -> int | None:
    return next((dim for dim, factors in enumerate(dims) if factor in factors), None)
