"""Where an op refuses what its operands have, though a rule of its own is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shardlog.explain.meanings import Kind, Meanings
from shardlog.explain.run import Run

__all__ = ["Refusal", "refusals"]


@dataclass(frozen=True)
class Refusal:
    """An instruction that takes nothing from tiled operands, and why.

    `operands` are those that are tiled, with their shardings; `says` is the reason in words.
    """

    instruction: str
    opcode: str
    says: str
    operands: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        offered = ", ".join(f"{name} ({sharding})" for name, sharding in self.operands)
        return f"{self.says}; {offered} stays outside"

    def to_dict(self) -> dict[str, Any]:
        """Return the refusal ready for JSON."""
        return {
            "instruction": self.instruction,
            "opcode": self.opcode,
            "says": self.says,
            "operands": [
                {"instruction": name, "sharding": sharding} for name, sharding in self.operands
            ],
        }


def refusals(run: Run) -> list[Refusal]:
    """Return every refusal of a run, in program order.

    An op refuses where a relation holds whose meaning in the rule set is of the kind `op_refuses`,
    as XLA's pass refuses windows with dilation (InferShardingFromOperands).
    """
    saturated = run.outcome.saturated
    meanings = Meanings(saturated.program, run.name, run.opcode)
    found: dict[int, Refusal] = {}
    for relation, says in meanings.of_kind(Kind.OP_REFUSES):
        for row in saturated.rows(relation):
            entity = int(row[0])
            tiled = [number for number in run.operands(entity) if run.is_split(number)]
            if tiled and not run.is_split(entity):
                offered = tuple((run.name(n), str(run.entities[n].sharding)) for n in tiled)
                found[entity] = Refusal(run.name(entity), run.opcode(entity), says(row), offered)
    return [found[entity] for entity in sorted(found)]
