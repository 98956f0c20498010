"""The order in which XLA visits a computation's instructions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from shardlog.ir.errors import InputError

if TYPE_CHECKING:
    from shardlog.ir.module import Instruction

_T = TypeVar("_T")

GROUPED_BY_CHANNEL = frozenset(
    (
        "all-reduce",
        "all-gather",
        "all-to-all",
        "collective-broadcast",
        "collective-permute",
        "ragged-all-to-all",
        "reduce-scatter",
    )
)
"""Opcodes that a post-order keeps together when they share a channel."""


def post_order(
    instructions: Sequence[Instruction], with_channels: bool = True
) -> list[Instruction]:
    """Instructions of one computation, operands first, from those without users in list order.

    Follows HloComputation::MakeInstructionPostOrder: operands in order, control predecessors before
    operands. XLA keeps collectives of one channel together only while the module has no device
    assignment, which no text says: a list that is a post-order without this stays as it is, and
    without `with_channels` it is not done. Raises InputError if operands form a cycle.
    """
    if _is_post_order(instructions):
        return list(instructions)
    roots = [x for x in instructions if not x.users]
    order = search(roots, _operands, _predecessors, {})
    if len(order) != len(instructions):
        reached = set(order)
        lost = next(x for x in instructions if x not in reached)
        raise InputError(f"instruction {lost.name} is its own operand, over others", line=lost.line)
    together = channel_groups(instructions) if with_channels else {}
    if not together or order == list(instructions):
        return order
    return search(roots, _operands, _predecessors, together)


def _operands(instruction: Instruction) -> Sequence[Instruction]:
    return instruction.operands


def _predecessors(instruction: Instruction) -> Sequence[Instruction]:
    return instruction.control_predecessors


def _is_post_order(instructions: Sequence[Instruction]) -> bool:
    """Whether a depth-first search would yield the list as it is; sets `index` to the place in it.

    What a search finds from an instruction on is a stretch of the list that ends there: all of it
    that its operands' stretches cover without a gap. Read in order, these must each begin where
    everything before them is visited. What no stretch covers must have no users. True only if the
    list is a post-order; False for some that have control predecessors.
    """
    for place, instruction in enumerate(instructions):
        instruction.index = place
    starts: list[int] = []
    uncovered: list[int] = []
    for place, instruction in enumerate(instructions):
        start = place
        operands = instruction.operands
        if len(operands) == 1:
            index = operands[0].index
            if index >= place - 1:
                if index >= place:
                    return False
                start = starts[index]
        elif len(operands) == 2:
            # as below, without the loops
            first, second = operands[0].index, operands[1].index
            if second >= place - 1:
                if second >= place:
                    return False
                start = starts[second]
            if first >= start - 1:
                if first >= place:
                    return False
                if starts[first] < start:
                    start = starts[first]
            if start < place:
                visited = start
                if first >= visited:
                    if starts[first] > visited:
                        return False
                    visited = first + 1
                if second >= visited and starts[second] > visited:
                    return False
        else:
            for operand in reversed(operands):
                index = operand.index
                if index >= start - 1:
                    if index >= place:
                        return False
                    if starts[index] < start:
                        start = starts[index]
        if start < place:
            if len(operands) > 2:
                visited = start
                for operand in operands:
                    index = operand.index
                    if index >= visited:
                        if starts[index] > visited:
                            return False
                        visited = index + 1
            while uncovered and uncovered[-1] >= start:
                uncovered.pop()
        if instruction.control_predecessors:
            return False
        starts.append(start)
        uncovered.append(place)
    # the last one has no users; of others that is seldom in question
    tops = set(uncovered[:-1])
    return not tops or not any(x.index in tops for user in instructions for x in user.operands)


def search(
    roots: Iterable[_T],
    operands: Callable[[_T], Sequence[_T]],
    predecessors: Callable[[_T], Sequence[_T]],
    together: Mapping[_T, Sequence[_T]],
) -> list[_T]:
    """The depth-first post-order from these roots, which have no users.

    Fellows in `together` are visited right after the operands of a member that is no root. What
    leads to itself is not reached.
    """
    order: list[_T] = []
    entered: set[_T] = set()
    finished: set[_T] = set()
    for root in roots:
        stack = [root]
        while stack:
            current = stack[-1]
            if current in entered:
                stack.pop()
                if current not in finished:
                    finished.add(current)
                    order.append(current)
                continue
            entered.add(current)
            if together and current is not root:
                stack.extend(x for x in together.get(current, ()) if x not in finished)
            stack.extend(x for x in reversed(operands(current)) if x not in finished)
            stack.extend(x for x in predecessors(current) if x not in finished)
    return order


def channel_groups(instructions: Iterable[Instruction]) -> dict[Instruction, list[Instruction]]:
    """For each collective that shares a channel, its fellows in list order.

    Follows HloComputation::ComputeChannelDependencies.
    """
    groups: dict[int, list[Instruction]] = {}
    for instruction in instructions:
        if instruction.opcode in GROUPED_BY_CHANNEL and instruction.channel_id is not None:
            groups.setdefault(instruction.channel_id, []).append(instruction)
    return {
        member: [other for other in group if other is not member]
        for group in groups.values()
        if len(group) > 1
        for member in group
    }
