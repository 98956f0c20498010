"""Copies of programs, as they are or with other annotations."""

from __future__ import annotations

from shardlog.ir.shardy.program import Operation, Program, Value
from shardlog.ir.shardy.tensor_sharding import TensorSharding

__all__ = ["CONSTRAINT", "annotate", "copied", "drop"]

CONSTRAINT = "sdy.sharding_constraint"


def copied(program: Program) -> tuple[Program, dict[Value, Value]]:
    """Return a copy of a program, and which of its values each value is."""
    mapping: dict[Value, Value] = {}
    made = Program(program.module.clone(mapping), program.file)
    made.meshes = dict(program.meshes)
    return made, mapping


def annotate(value: Value, sharding: TensorSharding) -> None:
    """Annotate a value as a user can: an argument itself, else by a constraint behind it.

    A constraint that is there gets the sharding.
    """
    op = value.op
    if op is None and value.owner.name == "func.func":
        value.sharding = sharding
        return
    if op is not None and (op.name == CONSTRAINT or value.sharding is not None):
        value.sharding = sharding
        return
    constraint = Operation(CONSTRAINT, (value,), (value.type,))
    constraint.results[0].sharding = sharding
    constraint.insert_after(value)
    value.replace_uses(constraint.results[0], keep=constraint)


def drop(value: Value) -> bool:
    """Take the annotation off a value; a constraint goes. Returns whether there was any."""
    if value.sharding is None:
        return False
    op = value.op
    if op is not None and op.name == CONSTRAINT:
        value.replace_uses(op.operands[0])
        op.erase()
    value.sharding = None
    return True
