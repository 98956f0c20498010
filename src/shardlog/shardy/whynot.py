"""Why a value is not split as expected: the cuts between it and the axes around it, ranked."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from shardlog.ir.shardy.axes import AxisRef
from shardlog.ir.shardy.tensor_sharding import TensorSharding
from shardlog.shardy.account import Account
from shardlog.shardy.cuts import Cut, Cuts, Kind
from shardlog.shardy.graph import Links
from shardlog.shardy.names import Names, Origin
from shardlog.shardy.shown import spec

__all__ = ["Candidate", "WhyNot", "why_not"]

FARTHEST = 4000
"""How many dimensions of values are gone through at most."""

SIDEWAYS = 3
"""How much farther away an axis counts that lies on a dimension which is not handed on."""

WEIGHT = {
    Kind.CONFLICT: 0,
    Kind.AXIS_USED: 0,
    Kind.CLOSED: 0,
    Kind.REPLICATED: 0,
    Kind.UNREDUCED: 0,
    Kind.NOT_DIVISIBLE: 0,
    Kind.MAJOR_FACTOR: 0,
    Kind.OVERFLOW: 0,
    Kind.DIRECTION: 0,
    Kind.BLOCKED: 0,
    Kind.NO_RULE: 0,
    Kind.MESH: 0,
    Kind.DIMENSION_LOST: 1,
}


@dataclass(frozen=True)
class Candidate:
    """A cut, and how many operations lie between it and the value that is asked about."""

    cut: Cut
    distance: int

    @property
    def rank(self) -> tuple[int, int, int]:
        """What the best candidate has least of."""
        sideways = SIDEWAYS if self.cut.kind is Kind.DIMENSION_LOST else 0
        return self.distance + sideways, WEIGHT.get(self.cut.kind, 2), self.distance


@dataclass(frozen=True)
class WhyNot:
    """Why a value does not have axes: candidates, best first.

    `cause` is the best one, or says why there is none.
    """

    origin: Origin
    sharding: TensorSharding | None
    wanted: str
    cause: Cut
    candidates: tuple[Candidate, ...]
    names: Names
    reached: int

    def to_text(self, limit: int | None = None) -> str:
        """Return the answer as text, with so many candidates at most."""
        lines = [
            f"{self.origin.name}  {spec(self.sharding)}, not {self.wanted}",
            f"    {self.origin}",
            f"cause ({self.cause.kind}): {self._where}{self.cause.says}",
        ]
        rest = [one for one in self.candidates if one.cut is not self.cause]
        shown = rest if limit is None else rest[:limit]
        for one in shown:
            lines.append(f"{_far(one.distance)} ({one.cut.kind}): {one.cut.says}")
        if len(rest) > len(shown):
            lines.append(f"... and {len(rest) - len(shown)} more (--limit)")
        return "\n".join(lines)

    @property
    def _where(self) -> str:
        """How far away the cause lies, if it does not lie at the value."""
        found = [one.distance for one in self.candidates if one.cut is self.cause]
        return f"{_far(found[0])}, " if found and found[0] else ""

    def to_dict(self) -> dict[str, Any]:
        """Return the answer ready for JSON."""
        return {
            "instruction": self.origin.name,
            "opcode": self.origin.opcode,
            "shape": self.origin.type,
            "label": self.origin.label or None,
            "op_name": self.origin.op_name or None,
            "source": self.origin.source or None,
            "sharding": None if self.sharding is None else str(self.sharding),
            "wanted": self.wanted,
            "cause": self._cut(self.cause),
            "candidates": [
                {**self._cut(one.cut), "distance": one.distance} for one in self.candidates
            ],
        }

    def _cut(self, cut: Cut) -> dict[str, Any]:
        def name(entity: int | None) -> str | None:
            return None if entity is None else self.names.of(entity)

        contributors = [one for one in (cut.source, *cut.others) if one is not None]
        return {
            "kind": str(cut.kind),
            "says": cut.says,
            "axis": None if cut.axis is None else str(cut.axis),
            "op": None if cut.op is None else self.names.of_op(cut.op),
            "instruction": name(cut.entity),
            "dim": cut.dim,
            "from": name(cut.source),
            "from_dim": cut.source_dim,
            "contributors": [self.names.of(one) for one in dict.fromkeys(contributors)],
        }

    def __str__(self) -> str:
        return self.to_text()


def _far(distance: int) -> str:
    if distance == 0:
        return "at it"
    return "one operation away" if distance == 1 else f"{distance} operations away"


def why_not(
    account: Account,
    names: Names,
    links: Links,
    cuts: Cuts,
    entity: int,
    *,
    dims: Sequence[int],
    axis: AxisRef | None,
    wanted: str,
    final: TensorSharding | None,
    at_the_end: Sequence[Cut] = (),
) -> WhyNot:
    """Return why none of some dimensions of an entity has an axis, or any axis that it lacks.

    `final` is the sharding that it leaves with and `at_the_end` what was taken away from it after
    propagation.
    """
    found, reached = _search(account, names, links, cuts, entity, dims, axis)
    ranked = tuple(sorted(found, key=lambda one: one.rank))
    ranked = tuple(Candidate(cut, 0) for cut in at_the_end) + ranked
    cause = ranked[0].cut if ranked else _nothing(account, names, entity, dims, axis, reached)
    return WhyNot(names.origin(entity), final, wanted, cause, ranked, names, reached)


def _nothing(
    account: Account,
    names: Names,
    entity: int,
    dims: Sequence[int],
    axis: AxisRef | None,
    reached: int,
) -> Cut:
    name = names.of(entity)
    if not dims:
        says = f"{name} is a scalar, which has no dimension that could be split"
        return Cut(Kind.NOTHING_TO_OFFER, says, axis, entity=entity)
    what = "any axis that it lacks" if axis is None else str(axis)
    where = f"dim {dims[0]}" if len(dims) == 1 else "its dimensions"
    count = reached - len(dims)
    says = (
        f"no dimension that belongs together with {where} of {name} has {what} ({count} looked at)"
    )
    named = {axis.name for _, axis in account.axes(entity)}
    mesh = {one.name for each in account.history.meshes.values() for one in each.axes}
    if axis is None and mesh <= named:
        says = f"all axes of the mesh split {name} already"
        return Cut(Kind.NOTHING_TO_OFFER, says, axis, entity=entity)
    closed = account.history.end[entity]
    if closed is not None and all(closed.dims[dim].is_closed for dim in dims):
        says += f"; it is annotated {spec(closed)}, too, and closed"
    return Cut(Kind.NOTHING_TO_OFFER, says, axis, entity=entity)


def _search(
    account: Account,
    names: Names,
    links: Links,
    cuts: Cuts,
    entity: int,
    dims: Iterable[int],
    axis: AxisRef | None,
) -> tuple[list[Candidate], int]:
    """Go from dimensions along the factors of operations up to values that have an axis."""
    end = account.history.end
    mine = [one for _, one in account.axes(entity)]

    def offered(other: int, dim: int, all_of_it: bool = False) -> Iterator[AxisRef]:
        sharding = end[other]
        if sharding is None or dim >= len(sharding.dims):
            return
        for one in sharding.dims[dim].axes:
            if axis is not None and not axis.overlaps(one):
                continue
            # with nothing in particular wanted, what it has elsewhere is no loss
            if axis is None and any(one.overlaps(own) for own in mine):
                continue
            yield one

    found: list[Candidate] = []
    told: set[tuple[object, ...]] = set()

    def add(cut: Cut, distance: int) -> None:
        key = (cut.kind, cut.op, cut.entity, cut.dim, cut.axis)
        if key not in told:
            told.add(key)
            found.append(Candidate(cut, distance))

    seen = {(entity, dim) for dim in dims}
    todo = deque((entity, dim, 0) for dim in dims)
    silent: set[int] = set()
    while todo and len(seen) < FARTHEST:
        at, dim, distance = todo.popleft()
        for link in links.of(at, dim):
            offers = list(offered(link.other, link.other_dim))
            if not offers:
                if (link.other, link.other_dim) not in seen:
                    seen.add((link.other, link.other_dim))
                    todo.append((link.other, link.other_dim, distance + 1))
                continue
            for one in offers:
                if link.op is None:
                    continue
                cut = cuts.at(link.op, link.slot, link.factor, one, link.other_slot)
                add(cut, distance)
        if at in silent:
            continue
        silent.add(at)
        for op, _ in links.without_rule(at):
            for other in account.history.slots[op]:
                if other == at:
                    continue
                rank = account.history.value(other).type.rank
                for place in range(rank):
                    for one in offered(other, place):
                        add(cuts.without_look(op, at, other, one), distance)
        if distance > 1:
            continue
        for op, _, _, other, other_dim in links.partners(at):
            for one in offered(other, other_dim):
                says = (
                    f"dim {other_dim} of {names.of(other)} has {one}, but {names.of_op(op)} does "
                    f"not hand that dimension on to {names.of(at)}"
                )
                add(Cut(Kind.DIMENSION_LOST, says, one, op, at, None, other, other_dim), distance)
    return found, len(seen)
