"""Where an axis of a value goes, and at which operations it stops."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

from shardlog.ir.shardy.axes import AxisRef
from shardlog.shardy.account import Account
from shardlog.shardy.cuts import Cut, Cuts, Kind
from shardlog.shardy.graph import Links
from shardlog.shardy.names import Names, Origin
from shardlog.shardy.shown import in_words, spec

__all__ = ["Frontier", "Stop", "frontier"]

MOST_NAMES = 12
"""How many of the values that an axis reaches are named."""


@dataclass(frozen=True)
class Stop:
    """An operation at which axes of a value stop, and why."""

    entity: int
    cut: Cut
    distance: int


@dataclass(frozen=True)
class Frontier:
    """The values that axes of a value reach, and where they stop."""

    origin: Origin
    sharding: Any
    pairs: tuple[tuple[int, AxisRef], ...]
    reached: tuple[int, ...]
    stops: tuple[Stop, ...]
    names: Names

    def to_text(self, limit: int | None = None) -> str:
        """Return the answer as text, with so many stops at most."""
        lines = [f"{self.origin.name}  {spec(self.sharding)}", f"    {self.origin}"]
        if not self.pairs:
            return "\n".join([*lines, "no axis splits it, so that none can be followed"])
        shown = [self.names.of(one) for one in self.reached[:MOST_NAMES]]
        more = len(self.reached) - len(shown)
        text = ", ".join(shown) + (f" and {more} more" if more > 0 else "")
        count = len(self.reached)
        values = "value" if count == 1 else "values"
        lines.append(
            f"  {in_words(self.pairs)}: in {count} other {values}" + (f": {text}" if text else "")
        )
        stops = self.stops if limit is None else self.stops[:limit]
        for stop in stops:
            cut = stop.cut
            if cut.kind is Kind.DIMENSION_LOST:
                lines.append(f"  ends ({cut.kind}): {cut.says}")
            else:
                lines.append(f"  stops ({cut.kind}): {cut.says}")
        if len(self.stops) > len(stops):
            lines.append(f"  ... and {len(self.stops) - len(stops)} more (--limit)")
        if not self.stops:
            lines.append("  it stops nowhere")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer ready for JSON."""
        return {
            "instruction": self.origin.name,
            "sharding": None if self.sharding is None else str(self.sharding),
            "axes": [{"dim": dim, "axis": str(axis)} for dim, axis in self.pairs],
            "reached": [self.names.of(one) for one in self.reached],
            "stops": [
                {
                    "kind": str(stop.cut.kind),
                    "says": stop.cut.says,
                    "axis": str(stop.cut.axis),
                    "op": None if stop.cut.op is None else self.names.of_op(stop.cut.op),
                    "from": self.names.of(stop.entity),
                    "instruction": None
                    if stop.cut.entity is None
                    else self.names.of(stop.cut.entity),
                    "dim": stop.cut.dim,
                    "distance": stop.distance,
                }
                for stop in self.stops
            ],
        }

    def __str__(self) -> str:
        return self.to_text()


def frontier(
    account: Account,
    names: Names,
    links: Links,
    cuts: Cuts,
    entity: int,
    pairs: tuple[tuple[int, AxisRef], ...],
) -> Frontier:
    """Return where axes of an entity go along the factors of operations, and where they stop."""
    end = account.history.end
    stops: dict[tuple[object, ...], Stop] = {}
    reached: dict[int, None] = {}
    seen = {(entity, dim, axis) for dim, axis in pairs}
    todo = deque((entity, dim, axis, 0) for dim, axis in pairs)

    def stop(cut: Cut, at: int, distance: int) -> None:
        key = (cut.kind, cut.op, cut.entity, cut.dim, cut.axis)
        stops.setdefault(key, Stop(at, cut, distance))

    while todo:
        at, dim, axis, distance = todo.popleft()
        goes_on: set[int] = set()
        for link in links.of(at, dim):
            if link.op is not None:
                goes_on.add(link.op)
            sharding = end[link.other]
            found = [
                one
                for one in ([] if sharding is None else sharding.dims[link.other_dim].axes)
                if one.overlaps(axis)
            ]
            for one in found:
                if link.other != entity:
                    reached[link.other] = None
                key = (link.other, link.other_dim, one)
                if key not in seen:
                    seen.add(key)
                    todo.append((*key, distance + 1))
            if (
                not found
                and link.op is not None
                and _arrives(cuts, link.op, link.factor, link.slot, axis)
            ):
                cut = cuts.at(link.op, link.other_slot, link.factor, axis, link.slot)
                stop(cut, at, distance)
        for op, _ in links.without_rule(at):
            others = [one for one in account.history.slots[op] if one != at]
            if others:
                stop(cuts.without_look(op, others[-1], at, axis), at, distance)
        for op, slot in links.at.get(at, ()):
            rule = account.history.rules[op]
            if rule is None or op in goes_on or dim >= len(rule.slots[slot]):
                continue
            factors = rule.slots[slot][dim]
            if factors and all(rule.sizes[one] == 1 for one in factors):
                continue
            kinds = {rule.kinds[one] for one in factors}
            what = "is summed up" if "reduction" in kinds else "is no dimension of anything else"
            says = f"dim {dim} of {names.of(at)}, split by {axis}, {what} in {names.of_op(op)}"
            stop(Cut(Kind.DIMENSION_LOST, says, axis, op, at, dim), at, distance)
    return Frontier(
        names.origin(entity), end[entity], pairs, tuple(reached), tuple(stops.values()), names
    )


def _arrives(cuts: Cuts, op: int, factor: int, slot: int, axis: AxisRef) -> bool:
    """Whether a slot's factor has an axis of its dimension, of several factors of it."""
    look = cuts.look(op)
    if look is None:
        return True
    part = look.projection.slots[slot].parts.get(factor)
    return part is not None and any(one.overlaps(axis) for one in (*part.axes, *part.overflow))
