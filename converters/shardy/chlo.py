"""Operations of CHLO, which XLA lowers before Shardy sees the program."""

from __future__ import annotations

from shardlog.ir.shardy.program import Operation, Program

__all__ = ["lower_chlo"]

CALLED = {
    **{name: f"mhlo.{name}" for name in ("acos", "acosh", "asin", "asinh", "atanh", "cosh")},
    **{name: f"mhlo.{name}" for name in ("erf", "sinh")},
    "top_k": "mhlo.topk",
}
"""Those that are opcodes of HLO, and custom calls of these names once they are StableHLO."""

ELEMENTWISE = "stablehlo.exponential"
"""Stands for the elementwise operations into which XLA expands many others."""


def lower_chlo(program: Program) -> tuple[dict[Operation, str], list[str]]:
    """Replace CHLO by what it becomes in XLA; what becomes many elementwise operations by one.

    Returns what the replaced operations were, and the names of those that stay, which have no op
    sharding rule. Follows ChloLegalizeToHighLevelMhloPass and ChloLegalizeToStablehloPass.
    """
    was: dict[Operation, str] = {}
    left: dict[str, None] = {}
    for op in program.module.walk():
        if not op.name.startswith("chlo."):
            continue
        name = op.name.removeprefix("chlo.")
        if name in CALLED:
            made = "stablehlo.custom_call"
            op.properties["call_target_name"] = f'"{CALLED[name]}"'
        elif name == "square":
            made = "stablehlo.multiply"
            op.add_operand(op.operands[0])
        elif _is_elementwise(op):
            made = ELEMENTWISE
        else:
            left[op.name] = None
            continue
        was[op], op.name = op.name, made
    return was, [*left]


def _is_elementwise(op: Operation) -> bool:
    shapes = {value.type.shape for value in (*op.operands, *op.results)}
    return not op.regions and len(shapes) == 1 and len(op.results) == 1
