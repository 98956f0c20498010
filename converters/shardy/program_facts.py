"""Base facts about a program that is ready for Shardy's propagation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from shardlog.converters.facts import FactSink
from shardlog.converters.shardy.dead_ops import mortal_ops, reader_of
from shardlog.converters.shardy.groups import GROUP, group_id
from shardlog.converters.shardy.op_facts import OP_VOCABULARY, op_facts
from shardlog.ir.shardy.edges import (
    DATA_FLOW,
    EDGE,
    edge_of_use,
    holder_of,
    is_data_flow,
    manual_axes_of,
    other_targets,
    sharding_of,
    sources_of,
)
from shardlog.ir.shardy.program import TERMINATORS, Operation, Program, TensorType, Use, Value
from shardlog.ir.shardy.tensor_sharding import TensorSharding

__all__ = ["PROGRAM_VOCABULARY", "ProgramGraph", "apply_shardings", "program_facts"]

SinkT = TypeVar("SinkT", bound=FactSink)

RESULT = "shardlog.function_result"
ELSEWHERE = TERMINATORS | DATA_FLOW
"""Operations whose operands may flow to where others read them."""
NOTHING = Value(TensorType("none"), None, None, 0)
"""Stands for operands that cannot have a sharding, such as arguments of a reduction's region."""

PROGRAM_VOCABULARY: dict[str, tuple[int, bool]] = {
    **OP_VOCABULARY,
    "slot": (3, True),
    "user": (3, True),
    "target_user": (3, True),
    "member": (3, True),
    "annotation": (2, True),
    "maker": (2, True),
    "shared_operand": (1, False),
    "held_by": (2, False),
    "mortal": (1, False),
    "reader": (2, False),
    "operand_maker": (3, True),
    "main_result": (1, False),
    "at_border": (1, False),
    "of_main": (1, False),
    "leaving": (2, True),
    "manual_argument": (1, False),
    "manual_result": (1, False),
    "outer": (2, True),
    "manual_axes": (2, True),
    "barrier_direction": (2, True),
    "meshes": (2, True),
    "dimensions": (2, True),
    "group": (2, True),
    "priority": (1, False),
    "custom_call_dims": (2, False),
    "opcode_dims": (2, False),
}
"""(number of terms, whether the last is the value of the others) of each base relation.

`custom_call_dims` and `opcode_dims` have no rows of their own: they are for users' rule files.
"""


REFERENCES: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(("attribute", "element", "extent", "operand_place", "number"), (0,)),
    **dict.fromkeys(("result_dim", "identity"), (0,)),
    **dict.fromkeys(("definer", "source", "slot", "user", "target_user"), (0, 2)),
    **dict.fromkeys(("annotation", "group", "dimensions", "outer", "manual_axes"), (0,)),
    **dict.fromkeys(("shared_operand", "main_result", "barrier_direction"), (0,)),
    **dict.fromkeys(("manual_argument", "manual_result"), (0,)),
    **dict.fromkeys(("held_by", "reader"), (0, 1)),
    "mortal": (0,),
    "operand_maker": (0, 2),
    "maker": (0, 1),
    "member": (2,),
}
"""The terms of relations at which there are only entities."""


@dataclass
class ProgramGraph:
    """The entities of a program: its operations, then the values that have shardings.

    Behind the operations of the module stands one for each result of main, which joins what is
    returned with what the function declares.
    """

    program: Program
    ops: list[Operation] = field(default_factory=list)
    holders: list[Value] = field(default_factory=list)
    numbers: dict[Value, int] = field(default_factory=dict)
    results: list[Operation] = field(default_factory=list)

    @property
    def entity_count(self) -> int:
        """The number of entities."""
        return len(self.ops) + len(self.holders)

    def number(self, value: Value) -> int:
        """The entity of a value that holds a sharding."""
        return self.numbers[value]


def entities_of(program: Program) -> ProgramGraph:
    """Return the entities of a program."""
    graph = ProgramGraph(program)
    graph.ops = program.module.walk()
    main = program.main
    for place, value in enumerate(main.regions[0].terminator.operands):
        if value.type.shape is None:
            continue
        made = Operation(RESULT, (), (value.type,))
        # it reads the value without being a use of it
        made.operands = [value]
        made.results[0].sharding = main.result_shardings[place]
        made.line = place
        graph.results.append(made)
    graph.ops += graph.results
    numbers, holders = graph.numbers, graph.holders
    last = len(graph.ops)
    for op in graph.ops:
        for block in op.regions:
            for argument in block.arguments:
                if holder_of(argument) is argument:
                    numbers[argument] = last + len(holders)
                    holders.append(argument)
        flows = is_data_flow(op)
        for result in op.results:
            if not flows or holder_of(result) is result:
                numbers[result] = last + len(holders)
                holders.append(result)
    numbers[NOTHING] = last + len(holders)
    holders.append(NOTHING)
    return graph


def program_facts(program: Program, make: Callable[[int], SinkT]) -> tuple[ProgramGraph, SinkT]:
    """Return the entities of a program and the facts about them, in a sink that `make` makes.

    Raises InputError as `op_facts` does.
    """
    graph = entities_of(program)
    facts = make(graph.entity_count)
    _Facts(graph, facts).all()
    return graph, facts


def apply_shardings(graph: ProgramGraph, shardings: Sequence[TensorSharding | None]) -> None:
    """Give the values of a program the shardings of their entities.

    Of an operation's results all are open if some have a sharding.
    """
    main = graph.program.main
    for value, number in graph.numbers.items():
        sharding = shardings[number]
        if sharding is None or value is NOTHING:
            continue
        op = value.op
        if op is not None and op.name == RESULT:
            main.result_shardings[op.line] = sharding
            continue
        value.sharding = sharding
        for other in () if op is None else op.results:
            if other.sharding is None and other in graph.numbers:
                mesh = sharding.mesh
                other.sharding = TensorSharding.unsharded(mesh, other.type.rank, closed=False)


class _Facts:
    def __init__(self, graph: ProgramGraph, facts: FactSink) -> None:
        self.graph, self.facts = graph, facts
        self.place = dict(zip(graph.ops, range(len(graph.ops)), strict=True))
        self.before = len(graph.ops)
        self.mortal = mortal_ops(graph.program)
        self.order = [op for op in graph.ops if op in self.mortal]

    def all(self) -> None:
        graph, facts = self.graph, self.facts
        joining = {op: op.operands for op in graph.results}
        joining |= {op: sources_of(op) for op in graph.ops if op.name == EDGE}
        op_facts(graph.ops, graph.numbers, facts, len(graph.holders), joining)
        self.slots(joining)
        self.wakes()
        self.values()
        self.special()
        for name, places in REFERENCES.items():
            facts.refer(name, *places)
        meshes = tuple(graph.program.meshes.items())
        facts.table("meshes", [("all", meshes)], 2, True)

    def slots(self, joining: dict[Operation, list[Value]]) -> None:
        rows: list[tuple[int, ...]] = []
        shared: list[tuple[int]] = []
        held: list[tuple[int, int]] = []
        numbers = self.graph.numbers
        for number, op in enumerate(self.graph.ops):
            values = [*joining.get(op, op.operands), *op.results]
            try:
                rows.append(tuple([numbers[value] for value in values]))
            except KeyError:
                holders = [holder_of(value) or NOTHING for value in values]
                rows.append(tuple([numbers[one] for one in holders]))
            if op.name == RESULT:
                continue
            if not self.mortal:
                if op.shares_operands:
                    shared.append((number,))
                continue
            readers = self.other_readers(op)
            if readers is None:
                shared.append((number,))
            else:
                held += [(number, one) for one in sorted(self.place[each] for each in readers)]
        self.facts.indexed("slot", rows + [()] * len(self.graph.holders))
        self.facts.table("shared_operand", shared, 1)
        self.facts.table("held_by", held, 2)
        self.facts.table("mortal", [(self.place[op],) for op in self.order], 1)
        found = [
            (self.place[op], self.place[reader])
            for op in self.order
            for reader in {reader_of(use, self.mortal): 0 for r in op.results for use in r.uses}
        ]
        self.facts.table("reader", found, 2)
        makers = [
            (self.place[op], place, self.place[value.op])
            for op in self.order
            for place, value in enumerate(op.operands)
            if value.op is not None and self.left(value, op) < 2
        ]
        self.facts.table("operand_maker", makers, 3, True)

    def other_readers(self, op: Operation) -> set[Operation] | None:
        """The mortal operations that read its operands, too; None if others do, or it does twice.

        Scalars do not count.
        """
        found: set[Operation] = set()
        for operand in op.operands:
            if operand.use_count == 1 or operand.type.is_scalar:
                continue
            uses = [use for use in operand.uses if use.op is not op]
            if len(uses) + 1 < operand.use_count:
                return None
            readers = {reader_of(use, self.mortal) for use in uses}
            if not readers <= self.mortal:
                return None
            found |= readers
        return found

    def left(self, value: Value, op: Operation) -> int:
        """How many operations besides a mortal one read a value until the end."""
        readers = {reader_of(use, self.mortal) for use in value.uses}
        return len(readers - self.mortal - {op})

    def wakes(self) -> None:
        """Whom a change of a value concerns, in the order in which Shardy tells them."""
        none: list[Any] = [()] * self.before
        users, targets = none[:], none[:]
        makers: list[int | None] = [None] * self.before
        place, nobody = self.place, ()
        for value in self.graph.holders[:-1]:
            readers = [use.op for use in value.uses]
            if ELSEWHERE.isdisjoint([op.name for op in readers]):
                users.append([place[op] for op in readers])
            else:
                users.append(self.told(value))
            op = value.op
            targets.append(nobody)
            makers.append(None if op is None else place[op])
            if op is not None and op.name == EDGE:
                targets[-1] = [one for target in other_targets(op) for one in self.told(target)]
        # behind the values that have users stands the one for none
        self.facts.indexed("user", [*users, ()])
        self.facts.indexed("target_user", [*targets, ()])
        self.facts.functional("maker", [*makers, None])

    def told(self, value: Value) -> list[int]:
        found = [self.concerned(use) for use in value.uses]
        return [self.place[op] for op in found if op is not None]

    @staticmethod
    def concerned(use: Use) -> Operation | None:
        edge = edge_of_use(use)
        if edge is not None:
            return edge
        return use.op.parent_op if use.op.is_terminator else use.op

    def values(self) -> None:
        annotations = []
        groups: dict[int, list[Value]] = {}
        for op in self.graph.ops:
            if op.name == GROUP:
                number = group_id(op)
                holder = holder_of(op.operands[0])
                if holder is not None:
                    groups.setdefault(number, []).append(holder)
        members, of = [], []
        for group, values in sorted(groups.items()):
            for place, value in enumerate(values):
                members.append((group, place, self.graph.numbers[value]))
                of.append((self.graph.numbers[value], group))
        for number, value in enumerate(self.graph.holders[:-1], self.before):
            sharding = value.sharding if value.op is not None else sharding_of(value)
            if sharding is not None:
                annotations.append((number, sharding))
        # whether a value is annotated makes no difference to what is planned for it
        self.facts.lazy_table("annotation", lambda: annotations, 2, True)
        priorities = {dim.priority for _, one in annotations for dim in one.dims}
        self.facts.table("priority", [(p,) for p in sorted(filter(None, priorities))], 1)
        self.facts.table("member", members, 3, True)
        self.facts.table("group", of, 2, True)
        self.facts.lazy("dimensions", self.dimensions)

    def dimensions(self, entity: int) -> tuple[int, ...] | None:
        if entity < self.before:
            return None
        return self.graph.holders[entity - self.before].type.shape or ()

    def special(self) -> None:
        facts, place = self.facts, self.place
        facts.table("main_result", [(place[op],) for op in self.graph.results], 1)
        arguments: list[tuple[int]] = []
        results: list[tuple[int]] = []
        outer, axes, directions = [], [], []
        for number, op in enumerate(self.graph.ops):
            if op.name == "sdy.propagation_barrier":
                directions.append((number, DIRECTIONS[op.properties["allowed_direction"]]))
            if op.name != EDGE:
                continue
            owner = op.operands[0]
            computation = owner.owner
            if "manual_axes" not in computation.properties:
                continue
            (arguments if owner.op is None else results).append((number,))
            outer.append((number, owner.sharding))
            axes.append((number, manual_axes_of(computation)))
        facts.table("manual_argument", arguments, 1)
        facts.table("manual_result", results, 1)
        facts.table("outer", [row for row in outer if row[1] is not None], 2, True)
        facts.table("manual_axes", axes, 2, True)
        facts.table("barrier_direction", directions, 2, True)


DIRECTIONS = {"0 : i32": "none", "1 : i32": "forward", "2 : i32": "backward", "3 : i32": "both"}
"""The values of a barrier's direction. Follows PropagationDirection."""
