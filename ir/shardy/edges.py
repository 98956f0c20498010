"""Data-flow edges: what loops, branches and regions pass on, and where shardings live."""

from __future__ import annotations

from shardlog.ir.shardy.manual import with_manual, without_manual
from shardlog.ir.shardy.parser import parse_manual_axes
from shardlog.ir.shardy.program import Operation, Use, Value
from shardlog.ir.shardy.tensor_sharding import ManualAxes, TensorSharding

__all__ = [
    "DATA_FLOW",
    "EDGE",
    "edge_of",
    "edge_of_use",
    "edge_owners",
    "holder_of",
    "is_data_flow",
    "manual_axes_of",
    "other_targets",
    "set_sharding",
    "sharding_of",
    "sources_of",
]

EDGE = "sdy.data_flow_edge"
REGIONS = frozenset({"sdy.manual_computation", "sdy.named_computation"})
RESULTS = frozenset({"stablehlo.while", "stablehlo.case", "stablehlo.optimization_barrier"})
DATA_FLOW = REGIONS | RESULTS
"""Operations that pass values on by edges."""


def is_data_flow(op: Operation) -> bool:
    """Tell whether an operation passes values on by edges. Follows ShardableDataFlowOpInterface."""
    return op.name in DATA_FLOW


def edge_owners(op: Operation) -> tuple[list[Value], list[Value]]:
    """Return the block arguments and the results of an operation that have edges."""
    if op.name in REGIONS:
        return op.regions[0].arguments, op.results
    return [], op.results if op.name in RESULTS else []


def _owner_of_target(value: Value) -> Value:
    """The value that stands for all targets of an edge."""
    op = value.owner
    if value.op is None and op.name == "stablehlo.while":
        return op.results[value.index]
    return value


def _edge_user(owner: Value) -> Operation | None:
    uses = owner.uses
    return uses[0].op if len(uses) == 1 and uses[0].op.name == EDGE else None


def edge_of(target: Value) -> Operation | None:
    """Return the edge that a value is a target of. Follows DataFlowEdgeOp::lookup(Value)."""
    op = target.owner
    if not is_data_flow(op) or (target.op is None and op.name in RESULTS - {"stablehlo.while"}):
        return None
    return _edge_user(_owner_of_target(target))


def edge_of_use(use: Use) -> Operation | None:
    """Return the edge that a use is a source of.

    An operand of a computation with a region is none, though the edge of its argument reads it.
    Follows DataFlowEdgeOp::lookup(OpOperand).
    """
    op = use.op
    around = op.parent_op if op.is_terminator else op
    if around is None or not is_data_flow(around):
        return None
    if around.name in REGIONS and not op.is_terminator:
        return _edge_user(op.operands[use.index])
    if use.index >= len(around.results):
        return None
    return _edge_user(around.results[use.index])


def sources_of(edge: Operation) -> list[Value]:
    """Return the values that flow into an edge. Follows DataFlowEdgeOp::getSources."""
    owner = edge.operands[0]
    op, place = owner.owner, owner.index
    match op.name:
        case "stablehlo.while":
            return [op.operands[place], op.regions[1].terminator.operands[place]]
        case "stablehlo.case":
            return [block.terminator.operands[place] for block in op.regions]
        case "stablehlo.optimization_barrier":
            return [op.operands[place]]
    if owner.op is None:
        return [op.operands[place]]
    return [op.regions[0].terminator.operands[place]]


def other_targets(edge: Operation) -> list[Value]:
    """Return the targets of an edge besides its owner. Follows getNonEdgeOwnerTargets."""
    owner = edge.operands[0]
    op = owner.owner
    if op.name != "stablehlo.while":
        return []
    return [block.arguments[owner.index] for block in op.regions]


def holder_of(value: Value) -> Value | None:
    """Return the value that has the sharding of a value; None for one that has none.

    Follows getShardableValue.
    """
    made = value.op
    if made is not None and made.name not in DATA_FLOW:
        return value
    edge = edge_of(value)
    if edge is not None:
        return edge.results[0]
    if value.op is not None:
        return value
    op = value.owner
    if op.name == "func.func" or op.name in REGIONS:
        return value
    return _owner_of_target(value) if op.name == "stablehlo.while" else None


def manual_axes_of(op: Operation) -> ManualAxes:
    """Return the axes that an operation handles itself, none for any but a manual computation."""
    text = op.properties.get("manual_axes")
    return ManualAxes() if text is None else parse_manual_axes(text)


def sharding_of(value: Value) -> TensorSharding | None:
    """Return the sharding of a value, wherever it is kept, or None.

    That of a manual computation's argument is what is seen inside. Follows getSharding.
    """
    holder = holder_of(value)
    if holder is None or holder.sharding is None:
        return None
    if holder.op is None and "manual_axes" in holder.owner.properties:
        return without_manual(holder.sharding, manual_axes_of(holder.owner))
    return holder.sharding


def set_sharding(value: Value, sharding: TensorSharding) -> None:
    """Set the sharding of a value; nothing happens where none is kept.

    If the first of an operation's results gets one, the others become open. Follows setSharding.
    """
    holder = holder_of(value)
    if holder is None:
        return
    if holder.op is None:
        if "manual_axes" in holder.owner.properties and holder.sharding is not None:
            manual = manual_axes_of(holder.owner)
            sharding = with_manual(sharding, holder.sharding, manual)
        holder.sharding = sharding
        return
    holder.sharding = sharding
    for other in holder.op.results:
        if other.sharding is None:
            other.sharding = TensorSharding.unsharded(sharding.mesh, other.type.rank, closed=False)
