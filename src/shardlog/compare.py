"""Compares the shardings of two modules, instruction by instruction, in canonical form."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from shardlog.ir.module import HloModule, Instruction
from shardlog.ir.sharding import HloSharding
from shardlog.markup import Displayed, paragraph, table

__all__ = [
    "Comparison",
    "Difference",
    "Verdict",
    "compare_modules",
    "compare_shardings",
]


class Verdict(StrEnum):
    """How the shardings of one instruction in two modules relate."""

    EQUAL = "equal"
    """The same sharding, written the same way."""

    SAME_DEVICES = "same devices"
    """Equal by XLA's operator==, but one spells out a device list and the other does not."""

    ONLY_LEFT = "only left"
    """The left module has a sharding where the right one has none."""

    ONLY_RIGHT = "only right"
    """The right module has a sharding where the left one has none."""

    DIFFERENT = "different"
    """Two different shardings."""

    NO_LEFT = "not in left"
    """The left module has no such instruction."""

    NO_RIGHT = "not in right"
    """The right module has no such instruction."""

    @property
    def agrees(self) -> bool:
        """True if XLA would call the two shardings equal."""
        return self in (Verdict.EQUAL, Verdict.SAME_DEVICES)


@dataclass(frozen=True)
class Difference:
    """One instruction whose shardings are not written alike in the two modules."""

    computation: str
    instruction: str
    opcode: str
    verdict: Verdict
    left: HloSharding | None
    right: HloSharding | None


@dataclass(frozen=True)
class Comparison(Displayed):
    """What differs between two modules, in the left module's program order.

    `differences` holds every instruction whose verdict is not EQUAL. `equal` counts the equal ones
    by opcode.
    """

    differences: tuple[Difference, ...]
    equal: Counter[str]

    @property
    def total(self) -> int:
        """The number of instructions in either module."""
        return self.equal.total() + len(self.differences)

    @property
    def agreeing(self) -> int:
        """The number of instructions whose shardings XLA would call equal."""
        return self.equal.total() + sum(d.verdict.agrees for d in self.differences)

    @property
    def disagreements(self) -> tuple[Difference, ...]:
        """The differences that XLA would also call one."""
        return tuple(d for d in self.differences if not d.verdict.agrees)

    def by_opcode(self) -> dict[str, Counter[Verdict]]:
        """Return {opcode: {verdict: count}}, the opcodes with most disagreements first."""
        rows = {opcode: Counter({Verdict.EQUAL: n}) for opcode, n in self.equal.items()}
        for difference in self.differences:
            rows.setdefault(difference.opcode, Counter())[difference.verdict] += 1

        def disagreeing(item: tuple[str, Counter[Verdict]]) -> tuple[int, str]:
            opcode, row = item
            return -sum(n for verdict, n in row.items() if not verdict.agrees), opcode

        return dict(sorted(rows.items(), key=disagreeing))

    def __str__(self) -> str:
        return f"{self.agreeing} of {self.total} instructions agree"

    def _repr_html_(self) -> str:
        seen = {verdict for row in self.by_opcode().values() for verdict in row}
        verdicts = [verdict for verdict in Verdict if verdict in seen]
        rows = [
            (opcode, *(row.get(verdict, "") for verdict in verdicts))
            for opcode, row in self.by_opcode().items()
        ]
        heads = ("instruction", "opcode", "verdict", "left", "right")
        found = [
            (one.instruction, one.opcode, one.verdict, one.left or "", one.right or "")
            for one in self.disagreements
        ]
        return (
            paragraph(self)
            + (table(heads, found) if found else "")
            + table(("opcode", *verdicts), rows)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison ready for JSON."""
        return {
            "total": self.total,
            "agreeing": self.agreeing,
            "by_opcode": {
                opcode: {str(verdict): count for verdict, count in row.items()}
                for opcode, row in self.by_opcode().items()
            },
            "differences": [
                {
                    "computation": difference.computation,
                    "instruction": difference.instruction,
                    "opcode": difference.opcode,
                    "verdict": str(difference.verdict),
                    "left": None if difference.left is None else str(difference.left),
                    "right": None if difference.right is None else str(difference.right),
                }
                for difference in self.differences
            ],
        }


def compare_shardings(left: HloSharding | None, right: HloSharding | None) -> Verdict:
    """Return how two shardings relate, leaving metadata out.

    Follows HloSharding::operator==, for which an explicit device list equals the iota that it
    spells out.
    """
    if left is None or right is None:
        if left is right:
            return Verdict.EQUAL
        return Verdict.ONLY_RIGHT if left is None else Verdict.ONLY_LEFT
    if left.bare is right.bare:
        return Verdict.EQUAL
    return Verdict.SAME_DEVICES if left.equals(right) else Verdict.DIFFERENT


def compare_modules(left: HloModule, right: HloModule) -> Comparison:
    """Compare the shardings of two modules, matching instructions by computation and name.

    What is left over, such as copies that the pass made and numbered otherwise, is matched by
    computation, opcode and operands.
    """
    others = {_key(instruction): instruction for instruction in right.instructions}
    matches = {i: others.pop(_key(i), None) for i in left.instructions}
    if others:
        _match_renamed(matches, others)
    differences: list[Difference] = []
    equal: Counter[str] = Counter()
    for instruction, other in matches.items():
        if other is None:
            verdict = Verdict.NO_RIGHT
        else:
            verdict = compare_shardings(instruction.sharding, other.sharding)
        if verdict is Verdict.EQUAL:
            equal[instruction.opcode] += 1
        else:
            answer = None if other is None else other.sharding
            differences.append(_difference(instruction, verdict, instruction.sharding, answer))
    for other in others.values():
        differences.append(_difference(other, Verdict.NO_LEFT, None, other.sharding))
    return Comparison(tuple(differences), equal)


def _match_renamed(
    matches: dict[Instruction, Instruction | None], others: dict[tuple[str, str], Instruction]
) -> None:
    """Match what has no namesake, moving it from `others` to `matches`."""
    names = {other: i.name for i, other in matches.items() if other is not None}
    while True:
        # Operands may have been matched in the round before, so their names are looked up anew.
        by_shape: dict[tuple[str, ...], Instruction] = {}
        for other in others.values():
            operands = [names.get(operand, "") for operand in other.operands]
            if "" not in operands:
                by_shape.setdefault((other.computation.name, other.opcode, *operands), other)
        found = False
        for instruction, match in matches.items():
            if match is not None:
                continue
            operands = [operand.name for operand in instruction.operands]
            shape = (instruction.computation.name, instruction.opcode, *operands)
            namesake = by_shape.pop(shape, None)
            if namesake is not None:
                matches[instruction] = others.pop(_key(namesake))
                names[namesake] = instruction.name
                found = True
        if not found:
            return


def _key(instruction: Instruction) -> tuple[str, str]:
    return instruction.computation.name, instruction.name


def _difference(
    instruction: Instruction,
    verdict: Verdict,
    left: HloSharding | None,
    right: HloSharding | None,
) -> Difference:
    return Difference(
        instruction.computation.name, instruction.name, instruction.opcode, verdict, left, right
    )
