"""The result of propagation put into the module: shardings, and the pass's edits of the graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter

from shardlog.converters.pass_graph import BARRIERS, PassGraph
from shardlog.ir.module import Computation, HloModule, Instruction
from shardlog.ir.sharding import HloSharding

__all__ = ["apply_result"]


def apply_result(graph: PassGraph, final: Sequence[HloSharding | None]) -> None:
    """Change the graph's module to what XLA's pass leaves; `final` has one sharding per entity.

    Sharding calls become copies with the names that XLA gives them, calls that only named a shard
    group and shard barriers vanish, and a while that was the entry's root gets its copy. Follows
    ProcessShardingInstruction and ShardingPropagation::Run.
    """
    for instruction, sharding in zip(graph.entities, final, strict=True):
        instruction.sharding = sharding
    module = graph.module
    barriers = [x for x, target in graph.targets.items() if target in BARRIERS]
    if graph.removal_order or graph.root_copy is not None or barriers:
        for computation in module.computations:
            # in the order of the text, which edits change
            computation.enter_users()
    if graph.copies or graph.root_copy is not None:
        names = _CopyNames(module)
    for call in graph.copies:
        call.become_copy(names.next())
    _move_to_end(graph.copies)
    for call in graph.removal_order:
        _remove(call)
    if graph.root_copy is not None:
        _add_root(graph.root_copy, names.next())
    for barrier in barriers:
        if barrier not in graph.controlled:
            _remove(barrier)
    module.forget_order()
    if not barriers:
        _keep_order(graph)


def _keep_order(graph: PassGraph) -> None:
    """Tell computations the post-order after the edits, which the graph knows already."""
    orders: dict[Computation, list[Instruction]] = {}
    for computation, together in groupby(graph.entities, attrgetter("computation")):
        orders.setdefault(computation, []).extend(together)
    for computation, order in orders.items():
        if graph.removed:
            order = [x for x in order if x not in graph.removed]
        computation.forget_order(known=order)


class _CopyNames:
    """The names that XLA's NameUniquer gives to new copies."""

    def __init__(self, module: HloModule) -> None:
        self._used: set[int] = set()
        self._next = 0
        for computation in module.computations:
            for instruction in computation.instructions:
                if instruction.name.startswith("copy"):
                    root, dot, number = instruction.name.rpartition(".")
                    if instruction.name == "copy":
                        self._register(0)
                    elif root == "copy" and dot and number.isdigit():
                        self._register(int(number))

    def _register(self, number: int) -> int:
        if number not in self._used:
            self._used.add(number)
            return number
        while self._next in self._used:
            self._next += 1
        self._used.add(self._next)
        self._next += 1
        return self._next - 1

    def next(self) -> str:
        """A name for one more copy."""
        number = self._register(0)
        return f"copy.{number}" if number else "copy"


def _remove(instruction: Instruction) -> None:
    """Put an instruction's operand in its place. Follows HloComputation::ReplaceInstruction."""
    operand = instruction.operands[0]
    operand.inherit(instruction)
    users = operand.users
    for user in instruction.users:
        user.operands = tuple(operand if x is instruction else x for x in user.operands)
        if user not in users:
            users.append(user)
    instruction.users = []
    # XLA fills the gap in a user list with its last entry
    place = users.index(instruction)
    users[place] = users[-1]
    users.pop()
    computation = instruction.computation
    computation.instructions.remove(instruction)
    if computation.root is instruction:
        computation.root = operand


def _add_root(copy: Instruction, name: str) -> None:
    copy.name = name
    (operand,) = copy.operands
    operand.users.append(copy)
    copy.computation.instructions.append(copy)
    copy.computation.root = copy


def _move_to_end(copies: Iterable[Instruction]) -> None:
    """Move copies to the ends of their computations' lists, where XLA adds them."""
    added: dict[Computation, list[Instruction]] = {}
    for copy in copies:
        added.setdefault(copy.computation, []).append(copy)
    for computation, moved in added.items():
        gone = set(moved)
        computation.instructions = [x for x in computation.instructions if x not in gone] + moved
