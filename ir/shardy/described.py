"""Op sharding rules of what users describe by named dimensions."""

from __future__ import annotations

from functools import lru_cache

from shardlog.ir.algebra.description import read_description
from shardlog.ir.algebra.named_dims import fit
from shardlog.ir.shape import Shape
from shardlog.ir.shardy.op_rule import OpRule

__all__ = ["described_rule", "hlo_name", "shapes_in_hlo"]

NAMES = {
    "broadcast_in_dim": "broadcast",
    "case": "conditional",
    "custom_call": "custom-call",
    "dot_general": "dot",
    "optimization_barrier": "opt-barrier",
}
KINDS = {
    "reduction": "reduction",
    "need_replication": "need_replication",
    "blocked_propagation": "pass",
    "permutation": "permutation",
    "pass_through": "pass",
}


def hlo_name(opcode: str | None) -> str | None:
    """What an op of StableHLO is called in HLO, where the two correspond; no row for none."""
    if opcode is None:
        return None
    return NAMES.get(opcode, opcode.replace("_", "-"))


def shapes_in_hlo(shapes: tuple[tuple[int, ...], ...], operand_count: int) -> tuple[Shape, ...]:
    """The shapes of operands, then of what the op gives, a tuple if that is several values."""
    arrays = [Shape("f32", shape) for shape in shapes]
    results = tuple(arrays[operand_count:])
    result = results[0] if len(results) == 1 else Shape.tuple_of(results)
    return (*arrays[:operand_count], result)


@lru_cache(maxsize=4096)
def described_rule(
    spec: str, shapes: tuple[tuple[int, ...], ...], operand_count: int
) -> OpRule | None:
    """The op sharding rule of a description, in any notation that `read_description` takes.

    No row if it does not fit the shapes of operands and results. Factors are numbered as they come
    first, from operands to results; nothing propagates along those that are said to be blocked.
    """
    named = fit(spec, shapes_in_hlo(shapes, operand_count))
    if isinstance(named, str):
        return None
    said = dict(read_description(spec).kinds)
    sides = (*named.operands, *named.results)
    factors = list(dict.fromkeys(factor for side in sides for dim in side for factor in dim))
    number = {factor: place for place, factor in enumerate(factors)}
    return OpRule(
        tuple(named.sizes[factor] for factor in factors),
        tuple(KINDS.get(said.get(factor, ""), "pass") for factor in factors),
        frozenset(number[f] for f in factors if said.get(f) == "blocked_propagation"),
        tuple(tuple(tuple(number[factor] for factor in dim) for dim in side) for side in sides),
        operand_count,
    )
