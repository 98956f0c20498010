"""The graph of a module as a reader found it, by numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shardlog.ir.instruction import Instruction

Numbers = tuple[int, ...]


class Reading:
    """The instructions of a text in their order, and the numbers of their operands among them.

    Most that is asked of a graph can be told from numbers, sooner than from objects that name each
    other. `is_current` says whether operands are still those that were read; a reader that counts
    nothing leaves the lists empty.
    """

    __slots__ = ("instructions", "is_current", "operands")

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []
        self.operands: list[Numbers] = []
        self.is_current = True

    def operands_of(self, number: int) -> tuple[Instruction, ...]:
        """The operands that an instruction was read with."""
        instructions = self.instructions
        return tuple([instructions[operand] for operand in self.operands[number]])

    def users(self, used: set[Instruction], among: Iterable[Instruction]) -> list[Instruction]:
        """Those of some instructions that have any of others as operands."""
        if not self.is_current:
            return [x for x in among if not used.isdisjoint(x.operands)]
        numbers, rows = {x.number for x in used}, self.operands
        return [x for x in among if x.number >= 0 and not numbers.isdisjoint(rows[x.number])]

    def rows(self, first: int, instructions: Sequence[Instruction]) -> list[Numbers] | None:
        """The operands of instructions that were read one after the other from number `first` on.

        None if they were not, or if operands have changed since.
        """
        last = first + len(instructions)
        if not self.is_current or self.instructions[first:last] != instructions:
            return None
        return self.operands[first:last]
