"""Operands whose axes are others than an operation can work with: what Shardy reshards behind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from shardlog.ir.shardy.edges import EDGE
from shardlog.ir.shardy.op_rule import factor_symbol
from shardlog.ir.shardy.projection import Axes
from shardlog.shardy.cuts import Cuts
from shardlog.shardy.shown import axes_text

__all__ = ["Reshard", "reshards"]


@dataclass(frozen=True)
class Reshard:
    """That two tensors of an operation are split differently along a factor.

    `operand` has `has`, the other one, by which the operation is done, `wants`.
    """

    op: int
    operand: int
    slot: int
    dim: int
    other: int
    other_slot: int
    factor: int
    has: Axes
    wants: Axes
    says: str

    def __str__(self) -> str:
        return self.says


def reshards(cuts: Cuts, ops: Iterable[int]) -> list[Reshard]:
    """Return where tensors of operations differ along a factor, in the state at the end.

    The first result that has the factor decides, without one the operand that is split most; so
    one side of each difference is to be resharded, or the result of what is computed.
    """
    found: list[Reshard] = []
    history, names = cuts.history, cuts.names
    for op in ops:
        rule = history.rules[op]
        if rule is None or history.end[op] is not None or history.graph.ops[op].name == EDGE:
            continue
        look = cuts.look(op)
        if look is None:
            continue
        slots = history.slots[op]
        for factor, size in enumerate(rule.sizes):
            if size == 1:
                continue
            parts = {
                slot: its.parts[factor].axes
                for slot, its in enumerate(look.projection.slots)
                if factor in its.parts
            }
            if len(set(parts.values())) < 2:
                continue
            results = [slot for slot in parts if slot >= rule.operand_count]
            deciding = results[0] if results else max(parts, key=lambda one: len(parts[one]))
            wants = parts[deciding]
            for slot, has in parts.items():
                if has == wants or slots[slot] == slots[deciding]:
                    continue
                dim = next(d for d, each in enumerate(rule.slots[slot]) if factor in each)
                says = (
                    f"{names.of_op(op)} has {axes_text(wants)} along factor "
                    f"{factor_symbol(factor)} in {names.of(slots[deciding])}, and dim {dim} of "
                    f"{names.of(slots[slot])} has {axes_text(has)}"
                )
                found.append(
                    Reshard(
                        op,
                        slots[slot],
                        slot,
                        dim,
                        slots[deciding],
                        deciding,
                        factor,
                        has,
                        wants,
                        says,
                    )
                )
    return found
