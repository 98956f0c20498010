"""The form in which a program is propagated: data-flow edges, no calls, constraints applied."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shardlog.converters.shardy.call_graph import (
    Symbols,
    callee_of,
    calls_in,
    clone_function,
    drop_unused_functions,
    original_name,
    with_callees_first,
)
from shardlog.converters.shardy.groups import join_groups, settle_groups
from shardlog.ir.shardy.edges import (
    EDGE,
    edge_of,
    edge_owners,
    holder_of,
    is_data_flow,
    set_sharding,
    sharding_of,
)
from shardlog.ir.shardy.mesh import Mesh
from shardlog.ir.shardy.program import Block, Operation, Program, Value
from shardlog.ir.shardy.tensor_sharding import TensorSharding

__all__ = ["begin", "open_sharding"]

CONSTRAINT = "sdy.sharding_constraint"
MANUAL = "sdy.manual_computation"
NAMED = "sdy.named_computation"


def begin(program: Program) -> None:
    """Bring a prepared program into the form in which shardings are propagated.

    Raises InputError for sharding groups that cannot be. Follows the passes between Shardy's dump
    `before_propagation` and its propagation.
    """
    for op in program.module.walk_inner_first():
        if is_data_flow(op) and op.name != NAMED:
            _edges_of(op)
    if calls_in(program.module):
        _flatten_calls(program)
        drop_unused_functions(program)
    _inline_calls(program)
    drop_unused_functions(program)
    _apply_constraints(program)
    join_groups(program)
    settle_groups(program)


# ---------------------------------------------------------------- edges


def _edges_of(op: Operation) -> None:
    """Put an edge behind each value that an operation passes on."""
    for owners in edge_owners(op):
        _add_edges(owners)


def _add_edges(owners: Sequence[Value]) -> None:
    """Follows addDataFlowEdges."""
    for owner in reversed(owners):
        if owner.type.shape is None:
            continue
        sharding = sharding_of(owner)
        edge = Operation(EDGE, (owner,), (owner.type,))
        edge.results[0].sharding = sharding
        edge.insert_after(owner)
        owner.replace_uses(edge.results[0], keep=edge)


# ---------------------------------------------------------------- calls


def _flatten_calls(program: Program) -> None:
    """Give every call a function of its own. Follows sdy-flatten-call-graph."""
    symbols = Symbols(program)
    seen: set[str] = set()
    for function in with_callees_first(program):
        for call in calls_in(function):
            name = call.symbol("callee")
            if name in seen:
                copy = clone_function(callee_of(call, program), symbols)
                call.properties["callee"] = f"@{copy}"
            seen.add(name)


def _inline_calls(program: Program) -> None:
    """Make a named computation of every call. Follows sdy-import-func-calls."""
    gone = []
    for function in with_callees_first(program):
        for call in calls_in(function):
            called = callee_of(call, program)
            _inline(call, called, program)
            gone.append(called)
    for function in gone:
        function.erase()
    for op in program.module.walk_inner_first():
        if op.name == NAMED:
            _edges_of(op)


def _inline(call: Operation, function: Operation, program: Program) -> None:
    attributes = {k: v for k, v in call.attributes.items() if k != "sdy.sharding"}
    if "execution_thread" in function.attributes:
        attributes["execution_thread"] = function.attributes["execution_thread"]
    made = Operation(
        NAMED,
        list(call.operands),
        [result.type for result in call.results],
        {"name": f'"{original_name(function)}"'},
        attributes,
        call.line,
    )
    made.location, made.source = call.location, call.source
    for old, new in zip(call.results, made.results, strict=True):
        new.sharding, new.name, new.label = old.sharding, old.name, old.label
    block = function.regions[0]
    function.regions = [Block(function)]
    block.parent = made
    made.regions = [block]
    block.terminator.name = "sdy.return"
    first = [
        one.sharding.mesh
        for one in block.arguments
        if one.sharding is not None and not program.mesh_of(one.sharding).is_maximal
    ]
    for argument in block.arguments:
        if not first:
            argument.sharding = None
        elif argument.sharding is None:
            argument.sharding = open_sharding(argument, first[0])
    assert call.parent is not None
    call.parent.add(made, call.parent.place(call))
    for old, new in zip(call.results, made.results, strict=True):
        old.replace_uses(new)
    call.erase()


def open_sharding(value: Value, mesh: str | Mesh) -> TensorSharding:
    """Return the sharding of a value that has no axes and is open."""
    return TensorSharding.unsharded(mesh, value.type.rank, closed=False)


# ---------------------------------------------------------------- constraints


def _apply_constraints(program: Program) -> None:
    """Put the shardings of constraints on what they constrain, too.

    Follows sdy-apply-sharding-constraints.
    """
    for op in program.module.walk_inner_first():
        if op.name == CONSTRAINT:
            _apply_constraint(op)
        elif op.name == MANUAL:
            for place, argument in enumerate(op.regions[0].arguments):
                if argument.sharding is not None:
                    _apply_argument(op, place, argument.sharding)


def _apply_constraint(op: Operation) -> None:
    tail = _chain_tail(op)
    source = op.operands[0]
    if tail is not None:
        block = tail.parent
        assert block is not None
        place = block.place(tail)
        for use in source.uses:
            user = use.op
            if user is op or user.name == "func.return" or user.parent is not block:
                continue
            if block.place(user) > place:
                user.set_operand(use.index, tail.results[0])

    def moved() -> Operation:
        op.remove()
        op.insert_after(source)
        return op

    sharding = op.results[0].sharding
    if sharding is not None:
        _apply(source, sharding, moved)


def _apply_argument(op: Operation, place: int, sharding: TensorSharding) -> None:
    source = op.operands[place]

    def made() -> Operation:
        # the computation itself cannot move
        constraint = Operation(CONSTRAINT, (source,), (source.type,))
        constraint.results[0].sharding = sharding
        constraint.insert_after(source)
        return constraint

    _apply(source, sharding, made)


def _apply(source: Value, sharding: TensorSharding, behind: Callable[[], Operation]) -> None:
    if not _applies(source, sharding):
        return
    if edge_of(source) is None and (source.op is None or source.op.name != EDGE):
        set_sharding(source, sharding)
        return
    # all targets of an edge would be bound, so what reads this one reads the constraint instead
    constraint = behind()
    source.replace_uses(constraint.results[0], keep=constraint)
    if sharding.unreduced:
        old = sharding_of(source) or open_sharding(source, sharding.mesh)
        set_sharding(source, TensorSharding(old.mesh, old.dims, old.replicated, sharding.unreduced))


def _applies(source: Value, sharding: TensorSharding) -> bool:
    if holder_of(source) is None or sharding_of(source) is not None:
        return False
    if not all(dim.is_closed for dim in sharding.dims):
        return False
    for use in source.uses:
        other = None
        if use.op.name == CONSTRAINT:
            other = use.op.results[0].sharding
        elif use.op.name == MANUAL:
            other = use.op.regions[0].arguments[use.index].sharding
        else:
            continue
        if other is not sharding:
            return False
    return True


def _constrained(value: Value, but: Operation | None = None) -> bool:
    return any(use.op is not but and use.op.name in (CONSTRAINT, MANUAL) for use in value.uses)


def _chain_tail(head: Operation) -> Operation | None:
    """The last of a chain of constraints that begins here, if all is done at its end.

    Follows getTailOfShardingConstraintChain.
    """
    source = head.operands[0]
    if source.op is not None and source.op.name == CONSTRAINT:
        return None
    if sharding_of(source) is not None or _constrained(source, but=head):
        return None
    tail = head
    while True:
        uses = tail.results[0].uses
        if len(uses) != 1 or uses[0].op.name != CONSTRAINT:
            break
        tail = uses[0].op
    return None if tail is head or _constrained(tail.results[0]) else tail
