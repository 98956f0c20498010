"""How each axis came to split each dimension: the step, the factor and the tensor it came from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from shardlog.converters.shardy.groups import GROUP, group_id
from shardlog.ir.shardy import step
from shardlog.ir.shardy.axes import AxisRef
from shardlog.ir.shardy.edges import EDGE, edge_of, holder_of
from shardlog.ir.shardy.op_rule import factor_symbol
from shardlog.ir.shardy.program import Operation
from shardlog.ir.shardy.projection import Axes, Part
from shardlog.ir.shardy.tensor_sharding import TensorSharding
from shardlog.shardy.history import History, Look, Visit

__all__ = ["Account", "Gain", "How"]

CONSTRAINT = "sdy.sharding_constraint"
MANUAL = "sdy.manual_computation"


class How(StrEnum):
    """How an axis came to split a dimension."""

    ANNOTATED = "annotated"
    CONSTRAINED = "constrained"
    """By a constraint or a manual computation that reads it."""
    PROPAGATED = "propagated"
    REVEALED = "revealed"
    ALIGNED = "aligned"


@dataclass(frozen=True)
class Gain:
    """That a dimension of an entity got an axis, or came with it.

    What a step brought has the operation, the factor of its rule, in which slots the value and what
    it was taken from stand (operands first, then results), the level, the user priority and the
    position of the record. `source`, with its dimension, is what it was taken from; the value from
    which a group took its sharding, too.
    """

    entity: int
    dim: int
    axis: AxisRef
    how: How
    rule: str = ""
    position: int = -1
    level: int | None = None
    priority: int = 0
    op: int | None = None
    factor: int | None = None
    slot: int | None = None
    source: int | None = None
    source_slot: int | None = None
    source_dim: int | None = None
    visit: Visit | None = None

    @property
    def symbol(self) -> str:
        """The letter of the factor, as Shardy prints it."""
        return "" if self.factor is None else factor_symbol(self.factor)


class Account:
    """Answers where the axes of values came from."""

    def __init__(self, history: History) -> None:
        self.history = history
        self._gains: dict[int, list[Gain]] = {}
        self._looks: dict[Visit, Look] = {}

    # ------------------------------------------------------------ asking

    def axes(self, entity: int, before: int | None = None) -> list[tuple[int, AxisRef]]:
        """The (dimension, axis) pairs of an entity, in the end or before a record."""
        sharding = self.sharding(entity, before)
        if sharding is None:
            return []
        return [(dim, axis) for dim, its in enumerate(sharding.dims) for axis in its.axes]

    def sharding(self, entity: int, before: int | None = None) -> TensorSharding | None:
        """The sharding of an entity, in the end or before a record."""
        if before is None:
            return self.history.end[entity]
        return self.history.before(entity, before)

    def gain(self, entity: int, dim: int, axis: AxisRef, before: int | None = None) -> Gain | None:
        """How a dimension came to have an axis, or a part of it: the last step that brought it.

        None if it does not have it, in the end or before a record.
        """
        found: Gain | None = None
        for one in self.gains(entity):
            if before is not None and one.position >= before:
                break
            if one.dim == dim and one.axis.overlaps(axis):
                found = one
        return found

    def origin(self, entity: int, dim: int, axis: AxisRef) -> Gain | None:
        """The annotation that an axis of a dimension comes from in the end; None without one."""
        gain = self.gain(entity, dim, axis)
        while gain is not None and gain.source is not None:
            before = self.moment(gain)
            within = [
                one
                for at, one in self.axes(gain.source, before)
                if at == gain.source_dim and one.overlaps(gain.axis)
            ]
            if not within or gain.source_dim is None:
                # a manual axis: the computation says it, but works without it
                manual = gain.op in self.history.manual
                return gain if manual or gain.how is How.CONSTRAINED else None
            gain = self.gain(gain.source, gain.source_dim, within[0], before)
        return gain

    @staticmethod
    def moment(gain: Gain) -> int:
        """The record before which a step read what it took; annotations are there before any."""
        if gain.position < 0:
            return 0
        return gain.position if gain.visit is None else gain.visit.records[0]

    def gains(self, entity: int) -> list[Gain]:
        """All gains of an entity in order, annotations first."""
        found = self._gains.get(entity)
        if found is None:
            found = self._gains[entity] = list(self._of(entity))
        return found

    def look(self, visit: Visit) -> Look:
        """What the operation of a visit saw and made of it."""
        found = self._looks.get(visit)
        if found is None:
            look = self.history.look(visit.op, visit.seen, visit.level, visit.held)
            assert look is not None
            found = self._looks[visit] = look
        return found

    # ------------------------------------------------------------ records

    def _of(self, entity: int) -> Iterator[Gain]:
        history = self.history
        start = history.start[entity]
        if start is not None:
            how, op, source = self._given(entity)
            for dim, its in enumerate(start.dims):
                for axis in its.axes:
                    place = None if source is None else dim
                    yield Gain(
                        entity, dim, axis, how, "start", op=op, source=source, source_dim=place
                    )
        for position in history.changes.get(entity, ()):
            record = history.records[position]
            visit = history.visit_of(position)
            if not isinstance(record.new, TensorSharding):
                continue
            if visit is not None:
                yield from self._stepped(position, visit)
                continue
            priority = history.priority(record)
            if record.rule.name == "reveal":
                how, op, source = self._given(entity)
                how = How.REVEALED if how is How.ANNOTATED else how
            else:
                how, op, source = How.ALIGNED, None, record.contributors[0]
            for dim, axis in _new(record.old, record.new):
                yield Gain(
                    entity,
                    dim,
                    axis,
                    how,
                    record.rule.name,
                    position,
                    record.value,
                    priority,
                    op,
                    source=source,
                    source_dim=None if source is None else dim,
                )

    def _given(self, entity: int) -> tuple[How, int | None, int | None]:
        """How an entity came by what it began with, with the operation and the value that says so.

        Shardy gives a value the sharding of a constraint, or of a manual computation's argument,
        that reads it, and all of a group that of one.
        """
        graph, given = self.history.graph, self.history.found.given
        value = self.history.value(entity)
        owner = value.op.operands[0] if value.op is not None and value.op.name == EDGE else value
        if value in given or owner in given or value.op in graph.results:
            return How.ANNOTATED, None, None
        for use in value.uses:
            its = use.op
            if its.name == CONSTRAINT and its.results[0].sharding is value.sharding:
                return How.CONSTRAINED, self.place(its), graph.numbers.get(its.results[0])
            if its.name == MANUAL:
                argument = its.regions[0].arguments[use.index]
                edge = edge_of(argument)
                if edge is not None and argument in given:
                    return How.CONSTRAINED, self.place(edge), graph.numbers.get(edge.results[0])
        for use in value.uses:
            if use.op.name == GROUP:
                return How.ALIGNED, self.place(use.op), self._leader(use.op, entity)
        return How.ANNOTATED, None, None

    def place(self, op: Operation) -> int:
        """The entity of an operation."""
        return self.places[op]

    @cached_property
    def places(self) -> dict[Operation, int]:
        """The entities of operations."""
        return {op: place for place, op in enumerate(self.history.graph.ops)}

    def _leader(self, group: Operation, entity: int) -> int | None:
        """The value of a group that came with the sharding which all got."""
        graph, given = self.history.graph, self.history.found.given
        for op in graph.ops:
            if op.name == GROUP and group_id(op) == group_id(group):
                holder = holder_of(op.operands[0])
                if holder is not None and holder in given and graph.numbers[holder] != entity:
                    return graph.numbers[holder]
        return None

    def _stepped(self, position: int, visit: Visit) -> Iterator[Gain]:
        """What a step brought to an entity, dimension by dimension.

        A factor's axes come from the first tensor, operands first, that had them all. Follows
        createSourceMap.
        """
        history = self.history
        record = history.records[position]
        look = self.look(visit)
        slots = history.slots[visit.op]
        # a value that stands in several slots was changed at the first of those that grew
        turn = 0
        for place in visit.records:
            if place == position:
                break
            turn += history.records[place].entity == record.entity
        grown = [
            slot
            for slot, one in enumerate(slots)
            if one == record.entity
            and look.growth is not None
            and look.growth.parts[slot] is not look.projection.slots[slot].parts
        ]
        if not grown:
            return
        slot = grown[min(turn, len(grown) - 1)]
        assert look.growth is not None
        before, after = look.projection.slots[slot].parts, look.growth.parts[slot]
        for dim, factors in enumerate(look.rule.slots[slot]):
            last: Gain | None = None
            for factor in factors:
                if factor not in after or after[factor] is before.get(factor):
                    continue
                whole = after[factor].axes
                source = self._source(look, factor, whole)
                source_dim = None
                if source is not None:
                    places = look.rule.slots[source]
                    source_dim = next(d for d, each in enumerate(places) if factor in each)
                held = record.new.dims[dim].axes
                for axis in _added(before[factor], after[factor]):
                    if not any(axis.overlaps(one) for one in held):
                        # the dimension ends at a more major factor that is not split all through
                        continue
                    made = Gain(
                        record.entity,
                        dim,
                        axis,
                        How.PROPAGATED,
                        record.rule.name,
                        position,
                        None if visit.sweep == "results" else visit.level,
                        visit.priority,
                        visit.op,
                        factor,
                        slot,
                        None if source is None else slots[source],
                        source,
                        source_dim,
                        visit,
                    )
                    if last is not None and last.axis.can_merge(axis):
                        # parts of one axis on factors that follow each other
                        merged = last.axis.merge(axis, look.projection.mesh)
                        last = replace(made, axis=merged)
                        continue
                    if last is not None:
                        yield last
                    last = made
            if last is not None:
                yield last

    @staticmethod
    def _source(look: Look, factor: int, axes: Axes) -> int | None:
        for slot, its in enumerate(look.projection.slots):
            part = its.parts.get(factor)
            if part is not None and step.prefix_of(axes, part.axes):
                return slot
        return None


def _added(old: Part, new: Part) -> Axes:
    """The axes that a factor has got; the last old one is among them if more of it came."""
    count = len(old.axes)
    if count and old.axes[-1] is not new.axes[count - 1]:
        return new.axes[count - 1 :]
    return new.axes[count:]


def _new(old: TensorSharding | None, new: TensorSharding) -> Iterator[tuple[int, AxisRef]]:
    for dim, its in enumerate(new.dims):
        had = () if old is None else old.dims[dim].axes
        yield from ((dim, axis) for axis in its.axes if axis not in had)
