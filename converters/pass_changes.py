"""Whether the pass's own first edits change anything, which its return value tells of."""

from __future__ import annotations

from shardlog.converters.pass_graph import PassGraph
from shardlog.ir.algebra import cse_mark
from shardlog.ir.module import Instruction

__all__ = ["changes_at_start"]


def changes_at_start(graph: PassGraph) -> bool:
    """Whether XLA's pass counts a change before it propagates anything.

    It does if it takes marks against common subexpressions off, takes metadata off shardings or
    puts it on, makes a copy of a Sharding call or of a while that is the root. It does not if it
    only takes out calls that name a shard group. The module must be as it came. Follows
    ShardingPropagation::RunImpl.
    """
    if graph.copies or graph.root_copy is not None:
        return True
    options = graph.options
    annotated = [
        x for x in graph.entities if x.sharding is not None and x.computation not in graph.outside
    ]
    if not options.propagate_metadata:
        given = {x.sharding for x in annotated}
        return any(sharding is not None and sharding.bare is not sharding for sharding in given)
    return any(_gets_metadata(x, options.cse_prevention_only) for x in annotated)


def _gets_metadata(instruction: Instruction, cse_prevention_only: bool) -> bool:
    sharding, metadata = instruction.sharding, instruction.metadata
    assert sharding is not None
    if not cse_prevention_only and cse_mark(sharding):
        return True
    if not metadata.fields and not metadata.rest:
        return False
    return sharding.with_metadata((metadata,), overwrite=False) is not sharding
