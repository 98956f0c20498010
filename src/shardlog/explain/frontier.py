"""Where the tiles of an instruction go, and at which edges they stop."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shardlog.engine.attempts import Variant
from shardlog.explain.candidates import Candidates
from shardlog.explain.conflict import SAME
from shardlog.explain.held import held
from shardlog.explain.losses import lost
from shardlog.explain.meanings import Kind
from shardlog.explain.run import Place, Run
from shardlog.explain.sizes import counted
from shardlog.explain.wanted import Wanted
from shardlog.ir.axes import Digit, digits, digits_of
from shardlog.ir.errors import InputError
from shardlog.ir.sharding import HloSharding
from shardlog.markup import Displayed, paragraph, table

__all__ = ["Edge", "Frontier", "frontier", "stopped"]


@dataclass(frozen=True)
class Edge:
    """An edge at which the axis stops: the last instruction that has it, the first that has not."""

    source: str
    has: HloSharding
    target: str
    target_has: HloSharding | None
    opcode: str
    direction: str
    kind: Kind
    because: str


@dataclass(frozen=True)
class Frontier(Displayed):
    """How far an axis goes from an instruction, and the edges at which it stops.

    `reached` are the instructions that have it, in the order in which they are come upon.
    """

    name: str
    sharding: HloSharding
    dim: int | None
    reached: tuple[str, ...]
    edges: tuple[Edge, ...]
    more: int

    def to_text(self) -> str:
        """Return the answer as text."""
        lines = [
            f"{self.name}  {self.sharding}",
            f"  {self._reach} {_listed(self.reached)}",
            f"  and stop at {counted(len(self.edges) + self.more, 'edge')}:",
        ]
        for edge in self.edges:
            arrow = "->" if edge.direction == "forward" else "<-"
            has = "no sharding" if edge.target_has is None else str(edge.target_has)
            lines.append(f"  {edge.source} {edge.has} {arrow} {edge.target} ({edge.opcode}) {has}")
            lines.append(f"      {edge.kind}: {edge.because}")
        if self.more:
            lines.append(f"  ... and {self.more} more edges (--limit)")
        return "\n".join(lines)

    @property
    def _reach(self) -> str:
        what = "its tiles" if self.dim is None else f"the tiles of dimension {self.dim}"
        return f"{what} reach {counted(len(self.reached), 'instruction')}:"

    def to_dict(self) -> dict[str, Any]:
        """Return the answer ready for JSON."""
        return {
            "instruction": self.name,
            "sharding": str(self.sharding),
            "dim": self.dim,
            "reached": list(self.reached),
            "edges": [
                {
                    "source": edge.source,
                    "has": str(edge.has),
                    "target": edge.target,
                    "target_has": None if edge.target_has is None else str(edge.target_has),
                    "opcode": edge.opcode,
                    "direction": edge.direction,
                    "kind": str(edge.kind),
                    "because": edge.because,
                }
                for edge in self.edges
            ],
            "more_edges": self.more,
        }

    def _repr_html_(self) -> str:
        heads = ("from", "to", "opcode", "has", "kind", "because")
        rows = [
            (e.source, e.target, e.opcode, e.target_has or "no sharding", e.kind, e.because)
            for e in self.edges
        ]
        edges = counted(len(self.edges) + self.more, "edge")
        return (
            paragraph(self.name, self.sharding)
            + paragraph(self._reach, _listed(self.reached))
            + paragraph(f"and stop at {edges}{':' if rows else ''}")
            + (table(heads, rows) if rows else "")
        )

    def __str__(self) -> str:
        return self.to_text()


def frontier(run: Run, start: Place, dim: int | None = None, limit: int | None = 20) -> Frontier:
    """Return where the tiles of a leaf, or of one of its dimensions, go and where they stop.

    Raises InputError if it has none. At most `limit` edges are explained.
    """
    stand_in = run.stand_in(start.entity)
    if stand_in is not None:
        start = Place(stand_in, start.leaf)
    sharding = run.saturated(start)
    axis = _axis(run, start, dim)
    assert sharding is not None
    reached: dict[Place, None] = {start: None}
    todo = deque([start])
    stops: dict[tuple[int, int], tuple[Place, str]] = {}
    partly: dict[tuple[int, int], tuple[Place, str]] = {}
    flow = _Flow(run, axis)
    while todo:
        place = todo.popleft()
        for direction, group in (
            ("forward", run.users(place.entity)),
            ("backward", run.operands(place.entity) if place.leaf is None else run.sources(place)),
            ("tied", run.ties(place.entity)),
        ):
            for number in group:
                part = run.part(place, number)
                if place.leaf is not None and not run.touches(place, number):
                    continue
                there = axis & digits_of(run.saturated(part))
                if there:
                    here = axis & digits_of(run.saturated(place))
                    if direction == "forward" and here - there and _loses(run, place, part):
                        partly.setdefault((place.entity, number), (place, direction))
                    if part in reached:
                        continue
                    if flow.goes_on(place, part):
                        reached[part] = None
                        todo.append(part)
                    elif direction != "tied":
                        # it has them from elsewhere, and so along other dimensions
                        stops.setdefault((place.entity, number), (place, direction))
                elif direction == "forward" or (direction == "backward" and _has_dims(run, part)):
                    stops.setdefault((place.entity, number), (place, direction))
    shapes = {place.entity: run.entities[place.entity].shape for place in reached}
    arrived = {p.entity for p in reached if (p.leaf is None) != shapes[p.entity].is_tuple}
    every = [
        (place, number, direction)
        for (_, number), (place, direction) in stops.items()
        if number not in arrived
    ]
    every += [
        (place, number, direction)
        for (source, number), (place, direction) in partly.items()
        if (source, number) not in stops
    ]
    # tiles that stop on their way from operands to users are what people look for
    every.sort(key=lambda edge: edge[2] != "forward")
    shown = every if limit is None else every[:limit]
    return Frontier(
        run.named(start),
        sharding,
        dim,
        tuple(run.named(place) for place in reached),
        tuple(_edge(run, axis, *edge) for edge in shown),
        len(every) - len(shown),
    )


def _axis(run: Run, start: Place, dim: int | None) -> frozenset[Digit]:
    sharding = run.saturated(start)
    axis = digits_of(sharding)
    if dim is not None and sharding is not None:
        axis = frozenset().union(*digits(sharding)[dim : dim + 1])
    if not axis:
        where = "" if dim is None else f" along dimension {dim}"
        raise InputError(
            f"{run.named(start)} is not split{where}, so nothing can be followed",
            expected="an instruction or element that is tiled",
            found="no sharding" if sharding is None else str(sharding),
        )
    return axis


class _Flow:
    """Tells whether tiles go from one of two neighbours that have them to the other."""

    def __init__(self, run: Run, axis: frozenset[Digit]) -> None:
        self.run, self.axis = run, axis
        self._known: dict[Any, bool] = {}

    def goes_on(self, source: Place, target: Place) -> bool:
        """Whether two neighbours that both have the tiles have them from each other, or alike."""
        run = self.run
        here, there = run.saturated(source), run.saturated(target)
        if here is None or there is None:
            return False
        if run.shape(source).dimensions == run.shape(target).dimensions:
            mine, theirs = self._rows(here), self._rows(there)
            if mine == theirs:
                return True
        if self._gave(source, target) or self._gave(target, source):
            return True
        # another gave it, and this one would have given the same
        return self._would_give(source, target)

    def _would_give(self, source: Place, target: Place) -> bool:
        run = self.run
        if target.leaf is not None or source.leaf is not None:
            return False
        around = {*run.operands(target.entity), *run.users(target.entity)} - {source.entity}
        key = ("alone", *self._key(source, target))
        if key not in self._known:
            forward = source.entity in run.operands(target.entity)
            visit = "forward" if forward else "backward"
            variants = [v for v in run.attempts.variants if v.channel.visit == visit]
            self._known[key] = self._gives_alone(source, target, sorted(around), variants)
        return self._known[key]

    def _rows(self, sharding: HloSharding) -> list[frozenset[Digit]]:
        return [row & self.axis for row in digits(sharding)]

    def _gave(self, source: Place, target: Place) -> bool:
        """Whether a target has the tiles from a source, not from others that its rule read."""
        run = self.run
        record = run.record_of(target, self.axis)
        if record is None or source.entity not in record.contributors:
            return False
        others = [
            number
            for number in dict.fromkeys(record.contributors)
            if number not in (source.entity, target.entity)
            and self.axis & digits_of(run.saturated(run.part(target, number)))
        ]
        if not others or target.leaf is not None:
            return True
        key = (record.rule.name, *self._key(source, target))
        if key not in self._known:
            self._known[key] = self._gives_alone(
                source, target, others, run.attempts.by_name((record.rule.name,))
            )
        return self._known[key]

    def _key(self, source: Place, target: Place) -> tuple[Any, ...]:
        """What is equal where a source and a target that are alike stand to each other alike."""
        run = self.run
        instruction, other = run.entities[target.entity], run.entities[source.entity]
        operands = run.operands(target.entity)
        uses = run.operands(source.entity)
        return (
            instruction.opcode,
            instruction.shape,
            str(instruction.attributes),
            run.saturated(target),
            *((run.entities[n].shape, run.saturated(Place(n))) for n in operands),
            operands.index(source.entity) if source.entity in operands else -1,
            other.opcode,
            str(other.attributes),
            other.shape,
            uses.index(target.entity) if target.entity in uses else -1,
            run.saturated(source),
        )

    def _gives_alone(
        self, source: Place, target: Place, others: Sequence[int], variants: Sequence[Variant]
    ) -> bool:
        run = self.run
        has = run.saturated(target)
        assert has is not None
        attempts = run.without([*others, target.entity])
        attempts.inquiry.values = run.inquiry.declared.parameter_values()[-1:]
        for variant in variants:
            if variant.channel.grain == "pair" or variant.channel.lattice != "sharding":
                continue
            start = {str(variant.rule.terms[0]): target.entity}
            for known in attempts.inquiry.solutions(variant.body, start):
                value = attempts.value(variant, known)
                is_array = isinstance(value, HloSharding) and not value.is_tuple
                if is_array and self._rows(value) == self._rows(has):
                    return True
        return False


def _loses(run: Run, source: Place, target: Place) -> bool:
    """Whether a user splits a leaf less than it comes, and so ends a part of its tiles."""
    return lost(run, source, run.saturated(target), target.entity, target) is not None


def _has_dims(run: Run, place: Place) -> bool:
    """Whether an instruction has any dimension that could be split."""
    return any(leaf.rank for leaf in run.entities[place.entity].shape.leaves)


def _edge(run: Run, axis: frozenset[Digit], source: Place, number: int, direction: str) -> Edge:
    target = run.part(source, number)
    if target.leaf is None and run.entities[number].shape.is_tuple:
        target = run.leaves(number)[0]
    has = run.saturated(source)
    assert has is not None
    kind, because = stopped(run, axis, source, target, direction)
    return Edge(
        run.named(source),
        has,
        run.name(number),
        run.saturated(Place(number)),
        run.opcode(number),
        direction,
        kind,
        because,
    )


def stopped(
    run: Run, axis: frozenset[Digit], source: Place, target: Place, direction: str
) -> tuple[Kind, str]:
    """Return why a neighbour has not the tiles over some digits, or not all of them."""
    kept = held(run, target)
    if kept is not None:
        return kept.kind, kept.says
    has = run.saturated(target)
    if digits_of(has) & axis:
        # it has tiles over the same devices: what would this one give alone?
        group = run.operands if direction == "forward" else run.users
        others = [number for number in group(target.entity) if number != source.entity]
        for one in Candidates(run, target, Wanted(), others).all((direction,)):
            if source.entity in one.numbers and one.kind is Kind.REFUSED and one.because != SAME:
                return one.kind, one.because
    for candidate in Candidates(run, target, Wanted()).all():
        if source.entity in candidate.numbers and candidate.kind is not Kind.NOTHING:
            if candidate.kind is Kind.REFUSED and candidate.because == SAME:
                continue
            return candidate.kind, candidate.because
    # the neighbour is tiled in another way: what the source lost on the way there
    at = target.entity if direction == "forward" else source.entity
    said = lost(run, source, has, at, target)
    if said is not None:
        return Kind.DIMENSION_LOST, said
    if has is not None and digits_of(has):
        said = f"{run.named(target)} has {has}"
        return Kind.OTHER_TILES, f"{said}, and what {run.named(source)} has is not in it"
    return Kind.OTHER, "no rule gives it"


def _listed(names: tuple[str, ...], most: int = 12) -> str:
    more = f", ... and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
