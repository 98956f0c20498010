"""What happened in a run of Shardy's propagation: its visits, replayed from the records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from shardlog.engine import Record
from shardlog.ir.shardy import step
from shardlog.ir.shardy.manual import with_manual, without_manual
from shardlog.ir.shardy.mesh import Mesh
from shardlog.ir.shardy.op_rule import OpRule
from shardlog.ir.shardy.program import Value
from shardlog.ir.shardy.projection import Axes, Projection, common_mesh, projected
from shardlog.ir.shardy.tensor_sharding import ManualAxes, TensorSharding
from shardlog.shardy.propagation import Propagated

__all__ = ["LEVELS", "History", "Look", "Shardings", "Visit"]

LEVELS = 5
"""How many levels each priority goes through."""

RESULTS = frozenset({"results", "results again"})

Shardings = tuple[TensorSharding | None, ...]


@dataclass(frozen=True, eq=False)
class Visit:
    """A visit of an operation that changed something.

    `seen` is what its operands and results had, as it is kept outside of manual computations;
    `held` whether an operation without use read its operands, too; `records` are positions.
    """

    op: int
    sweep: str
    level: int
    priority: int
    seen: Shardings
    held: bool
    records: list[int] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Look:
    """What an operation sees and makes of it: by factor the direction and the wish.

    `wish` is empty for each factor if nobody wishes anything; `growth` what its tensors then have.
    """

    projection: Projection
    ways: tuple[step.Direction, ...]
    wish: tuple[Axes, ...]
    order: tuple[int, ...]
    growth: step.Growth | None

    @property
    def rule(self) -> OpRule:
        """The op sharding rule."""
        return self.projection.rule


class History:
    """The records of a run by visit and by entity, and what operations see in any state."""

    def __init__(self, found: Propagated) -> None:
        self.found = found
        self.graph = found.graph
        self.records: Sequence[Record] = found.run.records
        facts = found.run.facts
        rows = found.run.rows
        self.count = facts.entity_count
        slots: list[list[int]] = [[] for _ in range(self.count)]
        for row in rows("slot"):
            slots[row[0]].append(row[2])
        self.slots = [tuple(each) for each in slots]
        self.meshes: dict[str, Mesh] = dict(found.program.meshes)
        self.outer: dict[int, TensorSharding] = dict(rows("outer"))
        self.manual: dict[int, ManualAxes] = dict(rows("manual_axes"))
        self.into = {op for (op,) in rows("manual_argument")}
        self.barriers: dict[int, step.Direction] = dict(rows("barrier_direction"))
        self.annotations: dict[int, TensorSharding] = dict(rows("annotation"))
        self.main_results = {op for (op,) in rows("main_result")}
        self.priorities: list[int] = [0, *sorted(row[0] for row in rows("priority"))]
        self._held: dict[int, list[int]] = {}
        for row in rows("held_by"):
            self._held.setdefault(row[0], []).append(row[1])

    # ------------------------------------------------------------ what rules say of operations

    @cached_property
    def rules(self) -> Sequence[OpRule | None]:
        """The op sharding rule of each entity."""
        return self.found.run.column("op_rule")

    @cached_property
    def _flat(self) -> Sequence[bool | None]:
        return self.found.run.column("flat")

    @cached_property
    def _manner(self) -> Sequence[str | None]:
        return self.found.run.column("manner")

    @cached_property
    def _crowded(self) -> Sequence[bool | None]:
        return self.found.run.column("crowded")

    @cached_property
    def _way(self) -> dict[tuple[str, bool, int, str], step.Direction]:
        rows = self.found.run.rows("way")
        return {(c, h, level, kind): way for c, h, level, kind, way in rows}

    def ways(self, op: int, level: int, held: bool = False) -> tuple[step.Direction, ...]:
        """The direction of each factor of an operation at a level."""
        rule = self.rules[op]
        assert rule is not None
        barrier = self.barriers.get(op)
        if barrier is not None:
            return step.directions(rule, barrier, barrier)
        if op in self.main_results:
            return step.directions(rule, "both", "both")
        manner, crowded = self._manner[op], bool(self._crowded[op]) or (held and level == 0)
        assert manner is not None
        passing, others = (self._way[manner, crowded, level, kind] for kind in ("pass", "other"))
        return step.directions(rule, passing, others)

    # ------------------------------------------------------------ what an operation sees

    def inside(self, op: int, seen: Shardings) -> Shardings:
        """What an operation works on: a manual computation's edge is seen from the other side."""
        manual = self.manual.get(op)
        if manual is None or seen[-1] is None:
            return seen
        if op in self.into:
            last = with_manual(seen[-1], self.outer[op], manual)
        else:
            last = without_manual(seen[-1], manual)
        return (*seen[:-1], last)

    def look(self, op: int, seen: Shardings, level: int, held: bool = False) -> Look | None:
        """What an operation makes of shardings at a level; None without a rule or a mesh."""
        rule = self.rules[op]
        if rule is None:
            return None
        seen = self.inside(op, seen)
        mesh = common_mesh(seen, self.meshes)
        if mesh is None:
            return None
        projection = projected(rule, seen, *mesh)
        ways = self.ways(op, level, held)
        wish = step.wishes(projection, ways)
        if wish is None:
            return Look(projection, ways, ((),) * len(rule.sizes), (), None)
        flat = bool(self._flat[op]) and op not in self.main_results
        order = step.ranking(projection, wish, flat)
        return Look(projection, ways, wish, order, step.grown(projection, wish, order, flat))

    # ------------------------------------------------------------ the replay

    @cached_property
    def start(self) -> list[TensorSharding | None]:
        """What each entity had before the first visit."""
        state = list(self.end)
        for record in reversed(self.records):
            state[record.entity] = record.old
        return state

    @cached_property
    def end(self) -> list[TensorSharding | None]:
        """What each entity has after the last visit."""
        state: list[TensorSharding | None] = self.found.run.state["sharding"][: self.count]
        return state

    @cached_property
    def changes(self) -> dict[int, list[int]]:
        """The positions of the records of each entity."""
        found: dict[int, list[int]] = {}
        for position, record in enumerate(self.records):
            found.setdefault(record.entity, []).append(position)
        return found

    @cached_property
    def _replayed(self) -> tuple[list[Visit], dict[int, Visit]]:
        state = list(self.start)
        visits: list[Visit] = []
        of: dict[int, Visit] = {}
        last: tuple[object, ...] | None = None
        for position, record in enumerate(self.records):
            if record.visit == "visit" or record.visit in RESULTS:
                op = record.contributors[0]
                key = op, record.iteration, record.visit
                # what a change of a group triggers stands between changes of one visit
                if key != last:
                    held = any(state[one] is None for one in self._held.get(op, ()))
                    seen = tuple(state[one] for one in self.slots[op])
                    visits.append(
                        Visit(
                            op, record.visit, record.value or 0, self.priority(record), seen, held
                        )
                    )
                    last = key
                visits[-1].records.append(position)
                of[position] = visits[-1]
            state[record.entity] = record.new
        return visits, of

    @property
    def visits(self) -> list[Visit]:
        """The visits that changed something, in order."""
        return self._replayed[0]

    def visit_of(self, position: int) -> Visit | None:
        """The visit in which a record came about; None for one of no operation."""
        return self._replayed[1].get(position)

    def priority(self, record: Record) -> int:
        """The user priority whose turn it was at a record."""
        return self.priorities[min(record.iteration // LEVELS, len(self.priorities) - 1)]

    def before(self, entity: int, position: int) -> TensorSharding | None:
        """What an entity had before a record."""
        found = self.start[entity]
        for place in self.changes.get(entity, ()):
            if place >= position:
                break
            found = self.records[place].new
        return found

    def value(self, entity: int) -> Value:
        """The value that an entity is."""
        return self.graph.holders[entity - len(self.graph.ops)]
