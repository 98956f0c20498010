"""Where the two partitioners part ways, and why there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from shardlog.explain.account import account as gspmd_account
from shardlog.explain.meanings import Kind as Gspmd
from shardlog.explain.run import Place
from shardlog.explain.wanted import Wanted
from shardlog.explain.whynot import why_not
from shardlog.ir.axes import split_dims
from shardlog.ir.shardy.axes import AxisRef
from shardlog.ir.shardy.op_rule import factor_symbol
from shardlog.migrate.kinds import Kind, kind_of_op
from shardlog.migrate.pairs import ARGUMENT, RESULT, Key, Pair, Pairs
from shardlog.shardy.account import Gain, How
from shardlog.shardy.history import Look

__all__ = ["Cause", "Causes"]

END = "at the end"
DEPTH = 6
"""How many rules the proofs go back."""

FROM_GSPMD = {
    Gspmd.NO_RULE: Kind.GSPMD_HAS_NO_RULE,
    Gspmd.OP_REFUSES: Kind.GSPMD_HAS_NO_RULE,
    Gspmd.DIMENSION_LOST: Kind.FACTOR,
    Gspmd.MASK: Kind.ANNOTATION,
    Gspmd.ANNOTATION: Kind.ANNOTATION,
    Gspmd.UNEVEN: Kind.UNEVEN,
    Gspmd.OUTDONE: Kind.CONFLICT,
    Gspmd.REFUSED: Kind.CONFLICT,
    Gspmd.OVERRULED: Kind.CONFLICT,
    Gspmd.OTHER_TILES: Kind.CONFLICT,
    Gspmd.FROM_GROUP: Kind.GROUP,
}


@dataclass(frozen=True)
class Cause:
    """Why answers differ at one operation, and what each partitioner says there.

    `op` is the operation where they part, by name; both sentences are about `value`.
    """

    kind: Kind
    value: str
    op: str
    gspmd: str
    shardy: str


class Causes:
    """Finds, for each value that differs, the value where the difference began, and why there."""

    def __init__(self, pairs: Pairs) -> None:
        self.pairs = pairs
        self.run = pairs.gspmd
        self.shardy = pairs.shardy
        self.history, self.account = self.shardy.history, self.shardy.asked.account
        self.names = self.shardy.asked.names
        self._parents: dict[Key, Key | None] = {}

    # ------------------------------------------------------------ where it began

    def beginning(self, pair: Pair) -> Pair:
        """The value from which a difference came, by way of other values that differ."""
        way = [pair]
        while True:
            parent = self._parent(pair)
            if parent is None:
                return pair
            pair = self.pairs.pairs[parent]
            if pair in way:
                # each came from the other, in one of the two runs: what was first in GSPMD's
                return min(way[way.index(pair) :], key=self._event)
            way.append(pair)

    def _event(self, pair: Pair) -> int:
        record = self.run.last_record(pair.place)
        return -1 if record is None else record.event

    def _parent(self, pair: Pair) -> Key | None:
        if pair.key not in self._parents:
            self._parents[pair.key] = next(self._differing_sources(pair), None)
        return self._parents[pair.key]

    def _differing_sources(self, pair: Pair) -> Iterator[Key]:
        record = self.run.last_record(pair.place)
        if record is not None and record.visit == END:
            return
        for key in (*self._gspmd_sources(pair.place), *self._shardy_sources(pair)):
            other = self.pairs.pairs.get(key)
            if other is not None and other.differs and key != pair.key:
                yield key

    def _gspmd_sources(self, place: Place, depth: int = 6) -> Iterator[Key]:
        """The values that GSPMD's last step for a value rested on, as far as they were first."""
        record = self.run.last_record(place)
        if record is None or not split_dims(self.run.final(place)):
            return
        for contributor in record.contributors:
            if contributor == place.entity:
                continue
            other = self.run.part(place, contributor)
            last = self.run.last_record(other)
            if last is not None and last.event > record.event:
                continue
            key = self.pairs.by_place.get(other) or self.pairs.by_place.get(Place(contributor))
            if key is not None:
                yield key
            elif depth:
                yield from self._gspmd_sources(other, depth - 1)

    def gains(self, pair: Pair) -> list[Gain]:
        """How Shardy came to the axes of a value that GSPMD has not there.

        What came from values that only Shardy's program has is told from where these had it.
        """
        entity = self.shardy.entity(pair.value)
        if entity is None:
            return []
        theirs = pair.gspmd_axes or ((),) * len(pair.shardy_axes)
        found = []
        for dim, axis in self.account.axes(entity):
            if str(axis) not in theirs[dim]:
                gain = self.account.gain(entity, dim, axis)
                if gain is not None:
                    found.append(self._through(gain, axis))
        return found

    def _through(self, gain: Gain, axis: AxisRef) -> Gain:
        for _ in range(50):
            source, dim = gain.source, gain.source_dim
            if source is None or dim is None or self.shardy.keys.get(source) in self.pairs.pairs:
                break
            before = None if gain.position < 0 else gain.position
            earlier = self.account.gain(source, dim, axis, before)
            if earlier is None:
                break
            gain = earlier
        return gain

    def _shardy_sources(self, pair: Pair) -> Iterator[Key]:
        for gain in self.gains(pair):
            if gain.source is not None and gain.source in self.shardy.keys:
                yield self.shardy.keys[gain.source]

    # ------------------------------------------------------------ why there

    def cause(self, pair: Pair) -> Cause:
        """Why the answers differ at a value where a difference began."""
        record = self.run.last_record(pair.place)
        if record is not None and record.visit == END:
            return self._at_the_end(pair)
        if pair.key.tag in (ARGUMENT, RESULT) and self._lost_at_end(pair):
            return self._cut(pair)
        gains = self.gains(pair)
        if split_dims(pair.gspmd):
            return self._missing(pair, gains)
        return self._extra(pair, gains)

    def _made(self, kind: Kind, pair: Pair, op: str, shardy: str) -> Cause:
        return Cause(kind, pair.name, op, self.pairs.in_axes(self.gspmd_says(pair)), shardy)

    def gspmd_says(self, pair: Pair) -> str:
        """What GSPMD's own explanation says, in one sentence."""
        if split_dims(pair.gspmd):
            return gspmd_account(self.run, pair.place, depth=1).cause.says
        return self._why_not(pair)[1]

    def proofs(self, pair: Pair) -> tuple[str, str]:
        """The whole proofs of a value, or why it has none: GSPMD's and Shardy's."""
        if split_dims(pair.gspmd):
            gspmd = gspmd_account(self.run, pair.place, depth=DEPTH).to_text()
        else:
            wanted = Wanted.of(None, None, self.run.shape(pair.place))
            gspmd = why_not(self.run, pair.place, wanted).to_text()
        entity = self.shardy.entity(pair.value)
        if entity is None:
            return self.pairs.in_axes(gspmd), f"{pair.name} can have no sharding"
        name, asked = self.names.of(entity), self.shardy.asked
        parts = []
        if any(pair.shardy_axes):
            parts.append(asked.why(name, depth=DEPTH).to_text())
        if pair.gspmd_axes is not None and any(
            axis not in mine
            for axes, mine in zip(pair.gspmd_axes, pair.shardy_axes, strict=True)
            for axis in axes
        ):
            dims = ("{" + ", ".join(axes) + "}" for axes in pair.gspmd_axes)
            parts.append(asked.whynot(name, f"[{', '.join(dims)}]").to_text())
        gspmd = self.pairs.in_axes(gspmd)
        return gspmd, "\n".join(parts) or f"{name} has no axes"

    def _why_not(self, pair: Pair) -> tuple[Gspmd, str]:
        found = why_not(self.run, pair.place, Wanted.of(None, None, self.run.shape(pair.place)))
        return found.cause.kind, found.cause.says

    def shardy_says(self, gain: Gain) -> str:
        """How Shardy came to an axis, in one sentence."""
        what = f"{self.names.of(gain.entity)} has {gain.axis} on dimension {gain.dim}"
        if gain.how is not How.PROPAGATED or gain.op is None:
            came = {
                How.ANNOTATED: "since it is annotated so",
                How.CONSTRAINED: "since what reads it is annotated so",
                How.REVEALED: "since it is annotated so, with a priority",
                How.ALIGNED: "since its sharding group has it",
            }
            return f"{what}, {came.get(gain.how, 'by propagation')}"
        at = f"at level {gain.level}" if gain.level is not None else "before the levels"
        source = "" if gain.source is None else f" from {self.names.of(gain.source)}"
        if gain.source_dim is not None:
            source += f", dimension {gain.source_dim}"
        return f"{what}{source}, by {self.names.of_op(gain.op)} (factor {gain.symbol}, {at})"

    # ------------------------------------------------------------ at the end

    def _at_the_end(self, pair: Pair) -> Cause:
        gains = self.gains(pair)
        says = self.shardy_says(gains[0]) if gains else self._has_none(pair)
        if self._lost_at_end(pair):
            says = self._cut(pair).shardy
        kind = Kind.UNEVEN if self._is_uneven(pair) else Kind.ANNOTATION
        return self._made(kind, pair, self._op_of(pair), says)

    def _is_uneven(self, pair: Pair) -> bool:
        before = self.run.saturated(pair.place)
        shape = self.run.shape(pair.place).dimensions
        return before is not None and any(
            shape[dim] % before.tile.dims[dim] for dim in split_dims(before)
        )

    def _lost_at_end(self, pair: Pair) -> bool:
        """Whether Shardy took axes from an input or output after propagation."""
        before = self.shardy.before_end(pair.key)
        return before is not None and any(
            tuple(map(str, dim.axes)) != axes
            for dim, axes in zip(before.dims, pair.shardy_axes, strict=True)
        )

    def _cut(self, pair: Pair) -> Cause:
        before = self.shardy.before_end(pair.key)
        assert before is not None
        shape = pair.value.type.shape or ()
        mesh = self.shardy.program.mesh_of(before)
        uneven = any(
            size % dim.sharded_size(mesh) for dim, size in zip(before.dims, shape, strict=True)
        )
        had = ", ".join(str(dim) for dim in before.dims)
        if uneven:
            says = (
                f"{pair.name} would have [{had}], which does not divide {shape} evenly; Shardy "
                "cuts such dimensions of inputs and outputs short"
            )
            return self._made(Kind.UNEVEN, pair, self._op_of(pair), says)
        says = f"{pair.name} would have [{had}]; Shardy takes parts of axes from inputs and outputs"
        return self._made(Kind.PARTS, pair, self._op_of(pair), says)

    def _op_of(self, pair: Pair) -> str:
        if pair.key.tag == RESULT:
            return f"the return of {pair.name}"
        return self.shardy.was.get(pair.value.owner, pair.op)

    def _has_none(self, pair: Pair) -> str:
        return f"{pair.name} has {self._axes(pair)}"

    @staticmethod
    def _axes(pair: Pair) -> str:
        if not any(pair.shardy_axes):
            return "no axes"
        return "[" + ", ".join("{" + ", ".join(dim) + "}" for dim in pair.shardy_axes) + "]"

    # ------------------------------------------------------------ what Shardy has and GSPMD not

    def _extra(self, pair: Pair, gains: list[Gain]) -> Cause:
        kind, _ = self._why_not(pair)
        found = FROM_GSPMD.get(kind)
        gain = gains[0] if gains else None
        if gain is None:
            return self._made(found or Kind.OTHER, pair, self._op_of(pair), self._has_none(pair))
        op = self._op_of(pair) if gain.op is None else self.names.of_op(gain.op)
        if gain.how is How.ALIGNED:
            found = Kind.GROUP
        elif gain.priority or gain.how is How.REVEALED:
            found = Kind.PRIORITY
        elif found is None and gain.op is not None:
            found = kind_of_op(self.history.graph.ops[gain.op].name)
        elif found is None and gain.how is not How.PROPAGATED:
            found = Kind.ANNOTATION
        return self._made(found or Kind.OTHER, pair, op, self.shardy_says(gain))

    # ------------------------------------------------------------ what GSPMD has and Shardy not

    def _missing(self, pair: Pair, gains: list[Gain]) -> Cause:
        if pair.gspmd_axes is None:
            says = f"{pair.name} has {self._axes(pair)}; no axes of the mesh give GSPMD's tiles"
            return self._made(Kind.PARTS, pair, self._op_of(pair), says)
        entity = self.shardy.entity(pair.value)
        if entity is None:
            return self._made(Kind.OTHER, pair, self._op_of(pair), self._has_none(pair))
        for key in self._gspmd_sources(pair.place):
            source = self.shardy.entity(self.shardy.values[key])
            if source is None:
                continue
            for op, one, other in self._way(source, entity):
                found = self._refused(pair, op, other, one)
                if found is not None:
                    return self._made(found[0], pair, self.names.of_op(op), found[1])
        if gains:
            op_name = self._op_of(pair) if gains[0].op is None else self.names.of_op(gains[0].op)
            return self._made(Kind.CONFLICT, pair, op_name, self.shardy_says(gains[0]))
        return self._made(Kind.OTHER, pair, self._op_of(pair), self._has_none(pair))

    def _way(self, source: int, entity: int) -> list[tuple[int, int, int]]:
        """The steps from a value to another by way of what only Shardy's program has.

        Each is the operation, and the two that stand at it. Empty if there is no short way.
        """
        before: dict[int, tuple[int, int]] = {}
        edge = [source]
        for _ in range(6):
            following = []
            for one in edge:
                for op in self._ops_of.get(one, ()):
                    for other in self.history.slots[op]:
                        if other in before or other == source:
                            continue
                        before[other] = op, one
                        if other == entity:
                            return self._traced(before, entity, source)
                        if self.shardy.keys.get(other) not in self.pairs.pairs:
                            following.append(other)
            edge = following
        return []

    @staticmethod
    def _traced(
        before: dict[int, tuple[int, int]], entity: int, source: int
    ) -> list[tuple[int, int, int]]:
        found = []
        while entity != source:
            op, one = before[entity]
            found.append((op, one, entity))
            entity = one
        return found[::-1]

    @cached_property
    def _ops_of(self) -> dict[int, list[int]]:
        """The operations at which each value stands."""
        found: dict[int, list[int]] = {}
        for op, slots in enumerate(self.history.slots):
            for one in dict.fromkeys(slots):
                found.setdefault(one, []).append(op)
        return found

    def _refused(self, pair: Pair, op: int, entity: int, source: int) -> tuple[Kind, str] | None:
        """Why a value does not take at an operation what GSPMD gives it; None if it would."""
        history = self.history
        name, own = self.names.of_op(op), history.graph.ops[op].name
        seen = tuple(history.end[one] for one in history.slots[op])
        look = history.look(op, seen, 4)
        if look is None:
            kind = kind_of_op(own) or Kind.SHARDY_HAS_NO_RULE
            return kind, f"{pair.name} gets nothing at {name}: Shardy has no sharding rule for it"
        slot, other = history.slots[op].index(entity), history.slots[op].index(source)
        has = history.end[entity]
        for dim, axes in enumerate(pair.gspmd_axes or ()):
            if has is not None and dim >= has.rank:
                break
            for axis in axes:
                if has is None or axis not in map(str, has.dims[dim].axes):
                    found = self._no_way(look, op, (slot, dim), other, axis)
                    if found is not None:
                        kind, says = found
                        name = self.names.of(entity)
                        return kind, f"{name} does not get {axis} on dimension {dim}: {says}"
        return None

    def _no_way(
        self, look: Look, op: int, at: tuple[int, int], other: int, axis: str
    ) -> tuple[Kind, str] | None:
        history, name = self.history, self.names.of_op(op)
        special = kind_of_op(history.graph.ops[op].name)
        slot, dim = at
        factors = look.rule.slots[slot][dim] if dim < len(look.rule.slots[slot]) else ()
        there = next(
            (
                f
                for f, part in look.projection.slots[other].parts.items()
                if any(str(one) == axis for one in part.axes)
            ),
            None,
        )
        where = self.names.of(history.slots[op][other])
        if there is not None and there not in factors:
            kind = special or Kind.FACTOR
            return kind, f"the rule of {name} has another factor there than where {where} has it"
        if there is None:
            # another operand may have it, in both runs
            if any(
                str(one) == axis
                for each in look.projection.slots
                for part in each.parts.values()
                for one in part.axes
            ):
                return None
            return special or Kind.OTHER, f"{where} has it with GSPMD alone, and not in the end"
        symbol = factor_symbol(there)
        if look.ways[there] == "none":
            kind = special or Kind.FACTOR
            return kind, f"factor {symbol} of {name} passes nothing ({look.rule.kinds[there]})"
        if not any(str(one) == axis for one in look.wish[there]):
            told = []
            for number, one in enumerate(look.projection.slots):
                part = one.parts.get(there)
                if part is not None and part.axes:
                    has = ", ".join(map(str, part.axes))
                    told.append(f"{self.names.of(history.slots[op][number])} has {{{has}}}")
            said = " and ".join(dict.fromkeys(told))
            return Kind.CONFLICT, f"along factor {symbol} of {name}, {said}; nobody wins"
        if look.growth is not None and any(
            str(one) == axis for one in look.growth.parts[slot][there].axes
        ):
            return special or Kind.OTHER, (
                f"{where} got it later, and {name} is not visited again when what it reads changes"
            )
        part = look.projection.slots[slot].parts[there]
        sharding = look.projection.shardings[slot]
        if part.closed:
            return Kind.CLOSED, "the dimension is closed"
        if sharding is not None:
            taken = self._holder_of_axis(sharding.dims, axis)
            if taken is not None and taken != dim:
                return Kind.CONFLICT, f"dimension {taken} has it already, and came first"
            if any(str(one) == axis for one in (*sharding.replicated, *sharding.unreduced)):
                return Kind.REPLICATED, "it must not use that axis"
        return Kind.PARTS, f"factor {symbol} of {name} has no room for it, only for parts"

    @staticmethod
    def _holder_of_axis(dims: tuple[object, ...], axis: str) -> int | None:
        for place, dim in enumerate(dims):
            axes: tuple[AxisRef, ...] = dim.axes  # type: ignore[attr-defined]
            if any(str(one) == axis for one in axes):
                return place
        return None
