"""Operations whose results nobody reads, which MLIR's rewriter erases as it meets them."""

from __future__ import annotations

from shardlog.ir.shardy.program import Operation, Program, Use

__all__ = ["drop_dead", "is_dead", "mortal_ops", "reader_of"]

RECURSIVE = frozenset(
    {
        "sdy.manual_computation",
        "sdy.named_computation",
        "stablehlo.case",
        "stablehlo.if",
        "stablehlo.map",
        "stablehlo.reduce",
        "stablehlo.reduce_window",
        "stablehlo.scatter",
        "stablehlo.select_and_scatter",
        "stablehlo.sort",
        "stablehlo.while",
    }
)
"""Operations that have just the effects of the operations in their regions."""

EFFECTS = frozenset(
    {
        "builtin.module",
        "func.call",
        "func.func",
        "sdy.data_flow_edge",
        "sdy.mesh",
        "sdy.sharding_constraint",
        "sdy.sharding_group",
        "stablehlo.after_all",
        "stablehlo.all_gather",
        "stablehlo.all_reduce",
        "stablehlo.all_to_all",
        "stablehlo.collective_broadcast",
        "stablehlo.create_token",
        "stablehlo.custom_call",
        "stablehlo.infeed",
        "stablehlo.outfeed",
        "stablehlo.recv",
        "stablehlo.reduce_scatter",
        "stablehlo.rng",
        "stablehlo.send",
    }
)
"""Operations that have effects, or do not say that they have none."""


def _has_effects(op: Operation) -> bool:
    if op.name in RECURSIVE:
        return any(_has_effects(one) for block in op.regions for one in block.ops)
    if op.name == "stablehlo.custom_call" and op.properties.get("has_side_effect") == "false":
        return False
    return op.name in EFFECTS


def is_dead(op: Operation) -> bool:
    """Tell whether an operation is unused and without effects. Follows isOpTriviallyDead."""
    return not op.is_used and not op.is_terminator and not _has_effects(op)


def drop_dead(program: Program) -> int:
    """Erase all such operations, and those that thereby become such; returns how many."""
    count = 0
    found = [op for op in program.module.walk() if not op.is_used and is_dead(op)]
    while found:
        op = found.pop()
        if op.parent is None:
            continue
        makers = [value.op for value in op.operands]
        inner = [value.op for one in op.walk() if one is not op for value in one.operands]
        op.erase()
        count += 1
        for maker in (*makers, *inner):
            if maker is not None and maker.parent is not None and is_dead(maker):
                found.append(maker)
    return count


def mortal_ops(program: Program) -> set[Operation]:
    """Return the operations that `drop_dead` would erase, without those in their regions."""
    mortal: set[Operation] = set()
    ops = program.module.walk()
    if not any(is_dead(op) for op in [op for op in ops if not op.is_used]):
        # whatever will have no use hangs on something that has none already
        return mortal
    ops = [op for op in ops if not op.is_terminator and not _has_effects(op)]
    changed = True
    while changed:
        changed = False
        for op in reversed(ops):
            if op not in mortal and all(
                reader_of(use, mortal) in mortal for result in op.results for use in result.uses
            ):
                mortal.add(op)
                changed = True
    return {op for op in mortal if not any(one in mortal for one in op.ancestors())}


def reader_of(use: Use, mortal: set[Operation]) -> Operation:
    """Return the operation whose end ends a use: its own, or a mortal one around it."""
    return next((one for one in use.op.ancestors() if one in mortal), use.op)
