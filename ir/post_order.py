"""The order in which XLA visits a computation's instructions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from shardlog.ir.errors import InputError

if TYPE_CHECKING:
    from shardlog.ir.module import Instruction

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


def post_order(instructions: Sequence[Instruction]) -> list[Instruction]:
    """Instructions of one computation, operands first, from those without users in list order.

    Follows HloComputation::MakeInstructionPostOrder: operands in order, control predecessors before
    operands. XLA keeps collectives of one channel together only while the module has no device
    assignment, which no text says: a list that is a post-order without this stays as it is.
    Raises InputError if operands form a cycle.
    """
    if _is_post_order(instructions):
        return list(instructions)
    order = search(instructions, {})
    if len(order) != len(instructions):
        reached = set(order)
        lost = next(x for x in instructions if x not in reached)
        raise InputError(f"instruction {lost.name} is its own operand, over others", line=lost.line)
    together = channel_groups(instructions)
    if not together or order == list(instructions):
        return order
    return search(instructions, together)


def _is_post_order(instructions: Sequence[Instruction]) -> bool:
    """Whether a depth-first search would yield the list as it is.

    True only if so; a list with control predecessors or an operand that is used twice by its first
    user may answer False though it is one.
    """
    done: list[Instruction] = []  # roots of finished subtrees that no user has claimed yet
    claimed: set[Instruction] = set()
    for instruction in instructions:
        if instruction.control_predecessors:
            return False
        for operand in reversed(instruction.operands):
            if done and done[-1] is operand:
                claimed.add(done.pop())
            elif operand not in claimed:
                return False
        done.append(instruction)
    return all(not instruction.users for instruction in done)


def search(
    instructions: Sequence[Instruction], together: Mapping[Instruction, list[Instruction]]
) -> list[Instruction]:
    """The depth-first order, with fellows of `together` visited right after a member's operands.

    Shorter than the list if operands form a cycle.
    """
    order: list[Instruction] = []
    entered: set[Instruction] = set()
    finished: set[Instruction] = set()
    for root in instructions:
        if root.users:
            continue
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
            stack.extend(x for x in reversed(current.operands) if x not in finished)
            stack.extend(x for x in current.control_predecessors if x not in finished)
    return order


def channel_groups(instructions: Sequence[Instruction]) -> dict[Instruction, list[Instruction]]:
    """For each collective that shares a channel, its fellows."""
    groups: dict[int, list[Instruction]] = {}
    for instruction in instructions:
        if instruction.opcode in GROUPED_BY_CHANNEL and instruction.channel_id is not None:
            groups.setdefault(instruction.channel_id, []).append(instruction)
    # earlier fellows come first for a member, later ones are appended as they are met
    return {
        member: [other for other in group if other is not member]
        for group in groups.values()
        if len(group) > 1
        for member in group
    }
