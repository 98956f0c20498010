"""The order in which XLA visits a computation's instructions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
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
    instructions: Sequence[Instruction],
    with_channels: bool = True,
    rows: Sequence[Sequence[int]] | None = None,
    first: int = 0,
) -> list[Instruction]:
    """Instructions of one computation, operands first, from those without users in list order.

    `rows` are the operands of each by number, if these are known and count up from `first`.

    Follows HloComputation::MakeInstructionPostOrder: operands in order, control predecessors before
    operands. XLA keeps collectives of one channel together only while the module has no device
    assignment, which no text says: a list that is a post-order without this stays as it is, and
    without `with_channels` it is not done. Raises InputError if operands form a cycle.
    """
    waiting = [x for x in instructions if x.control_predecessors]
    if not waiting:
        if rows is None:
            rows, first = _numbered(instructions), 0
        if is_post_order(rows, first):
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


def _numbered(instructions: Sequence[Instruction]) -> list[tuple[int, ...]]:
    """The places of operands; sets `index` to that of each."""
    for place, instruction in enumerate(instructions):
        instruction.index = place
    return [tuple([x.index for x in instruction.operands]) for instruction in instructions]


def is_post_order(rows: Sequence[Sequence[int]], first: int = 0) -> bool:
    """Whether a depth-first search would yield a list as it is; `rows` are operands by number.

    Numbers count up from `first`. What a search finds from an instruction on is a stretch of the
    list that ends there: all of it that its operands' stretches cover without a gap. Read in order,
    these must each begin where everything before them is visited. What no stretch covers must have
    no users.
    """
    starts: list[int] = []
    uncovered: list[int] = []
    for place, row in enumerate(rows, first):
        start = place
        if len(row) == 1:
            (only,) = row
            if only >= place - 1:
                if only >= place:
                    return False
                start = starts[only - first]
        elif len(row) == 2:
            # as below, without the loops
            left, right = row
            if right >= place - 1:
                if right >= place:
                    return False
                start = starts[right - first]
            if left >= start - 1:
                if left >= place:
                    return False
                if starts[left - first] < start:
                    start = starts[left - first]
            if start < place:
                visited = start
                if left >= visited:
                    if starts[left - first] > visited:
                        return False
                    visited = left + 1
                if right >= visited and starts[right - first] > visited:
                    return False
        else:
            for operand in reversed(row):
                if operand >= start - 1:
                    if operand >= place:
                        return False
                    if starts[operand - first] < start:
                        start = starts[operand - first]
            if start < place:
                visited = start
                for operand in row:
                    if operand >= visited:
                        if starts[operand - first] > visited:
                            return False
                        visited = operand + 1
        if start < place:
            while uncovered and uncovered[-1] >= start:
                uncovered.pop()
        starts.append(start)
        uncovered.append(place)
    # the last one has no users; of others that is seldom in question
    tops = set(uncovered[:-1])
    return not tops or tops.isdisjoint(chain.from_iterable(rows))


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
