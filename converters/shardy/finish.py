"""What Shardy does to a program after propagation, up to its dump `after_propagation`."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from shardlog.converters.shardy.begin import open_sharding
from shardlog.converters.shardy.call_graph import (
    CALL,
    ORIGINAL,
    Symbols,
    callee_of,
    calls_in,
    drop_unused_functions,
    original_name,
)
from shardlog.converters.shardy.dead_ops import drop_dead
from shardlog.converters.shardy.groups import GROUP
from shardlog.converters.shardy.places import Decide, Place
from shardlog.ir.shardy.edges import (
    EDGE,
    edge_owners,
    is_data_flow,
    manual_axes_of,
    sharding_of,
)
from shardlog.ir.shardy.manual import with_manual
from shardlog.ir.shardy.program import Block, Operation, Program, TensorType, Value, drop_all
from shardlog.ir.shardy.tensor_sharding import TensorSharding

__all__ = ["finish"]

NAMED = "sdy.named_computation"
MANUAL = "sdy.manual_computation"
BORDERS = frozenset(("func.func", CALL, MANUAL))
"""Operations whose arguments and results come in and go out."""


def finish(program: Program, decide: Decide) -> None:
    """Bring a propagated program into the form that Shardy hands on.

    Calls come back, edges go, constraints become reshards; what shardings then are is for `decide`
    to say. Follows the passes behind propagation.
    """
    drop_dead(program)
    _outline(program)
    _results_of_functions(program)
    if calls_in(program.module):
        _share_functions(program)
        drop_unused_functions(program)
        _reshard_results(program)
    for function in program.functions.values():
        function.attributes.pop(ORIGINAL, None)
    for function in program.functions.values():
        _merge_constants(function)
        _sink_edges(function)
    for op in program.module.walk_inner_first():
        if op.name == GROUP:
            op.erase()
        elif op.name == "sdy.sharding_constraint":
            op.name = "sdy.reshard"
    _leave(program, decide)


# ---------------------------------------------------------------- calls


def _edge_shardings(owners: Sequence[Value]) -> list[TensorSharding] | None:
    """What the edges of values have; what has none is open; None if no edge has any.

    Follows getShardingsFromDataFlowEdges.
    """
    found = []
    for owner in owners:
        uses = owner.uses
        edge = uses[0].op if len(uses) == 1 and uses[0].op.name == EDGE else None
        found.append(None if edge is None else edge.results[0].sharding)
    mesh = next((one.mesh for one in found if one is not None), None)
    if mesh is None:
        return None
    return [
        open_sharding(owner, mesh) if one is None else one
        for owner, one in zip(owners, found, strict=True)
    ]


def _drop_edges(values: Sequence[Value]) -> None:
    for value in values:
        uses = value.uses
        if uses and uses[0].op.name == EDGE:
            edge = uses[0].op
            edge.results[0].replace_uses(value)
            edge.erase()


def _outline(program: Program) -> None:
    """Make functions and calls of named computations. Follows sdy-export-named-computations."""
    symbols = Symbols(program)
    results: list[Value] = []
    for op in program.module.walk_inner_first():
        if op.name != NAMED:
            continue
        block = op.regions[0]
        for values in (block.arguments, op.results):
            shardings = _edge_shardings(values)
            if shardings is not None:
                for value, sharding in zip(values, shardings, strict=True):
                    value.sharding = sharding
        name = symbols.unique(op.symbol("name"))
        _function_of(op, name, program)
        attributes = {k: v for k, v in op.attributes.items() if k != "execution_thread"}
        call = Operation(
            CALL,
            list(op.operands),
            [result.type for result in op.results],
            {"callee": f"@{name}"},
            attributes,
            op.line,
        )
        assert op.parent is not None
        op.parent.add(call, op.parent.place(op))
        for old, new in zip(op.results, call.results, strict=True):
            new.sharding = old.sharding
            old.replace_uses(new)
        results += call.results
        op.erase()
    _drop_edges(results)


def _function_of(op: Operation, name: str, program: Program) -> Operation:
    block = op.regions[0]
    inputs = ", ".join(one.type.text for one in block.arguments)
    properties = {
        "sym_name": f'"{name}"',
        "sym_visibility": '"private"',
        "function_type": f"({inputs}) -> {_shown([one.type for one in op.results])}",
    }
    attributes = {ORIGINAL: op.properties["name"]}
    if "execution_thread" in op.attributes:
        attributes["execution_thread"] = op.attributes["execution_thread"]
    function = Operation("func.func", properties=properties, attributes=attributes, line=op.line)
    op.regions = [Block(op)]
    block.parent = function
    function.regions = [block]
    block.terminator.name = "func.return"
    function.result_shardings = [None] * len(op.results)
    _drop_edges(block.arguments)
    return program.body.add(function)


def _shown(types: Sequence[TensorType]) -> str:
    texts = [one.text for one in types]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _results_of_functions(program: Program) -> None:
    """Give results of functions the shardings that are returned.

    Follows sdy-propagate-to-func-results.
    """
    main = program.main
    for function in program.functions.values():
        if function is not main and function.regions:
            values = function.regions[0].terminator.operands
            function.result_shardings = [sharding_of(value) for value in values]


def _told(
    values: Sequence[Value] | Sequence[TensorType],
    shardings: Sequence[TensorSharding | None],
    program: Program,
) -> tuple[TensorSharding, ...] | None:
    """Shardings with open ones for those that lack; None if none is on a mesh of axes."""
    mesh = next(
        (one.mesh for one in shardings if one is not None and not program.mesh_of(one).is_maximal),
        None,
    )
    if mesh is None:
        return None
    ranks = [value.type.rank if isinstance(value, Value) else value.rank for value in values]
    return tuple(
        TensorSharding.unsharded(mesh, rank, closed=False) if one is None else one
        for rank, one in zip(ranks, shardings, strict=True)
    )


def _argument_shardings(function: Operation, program: Program) -> Hashable:
    values = function.regions[0].arguments
    return _told(values, [value.sharding for value in values], program)


def _result_shardings(function: Operation, program: Program) -> tuple[TensorSharding, ...] | None:
    values = function.regions[0].terminator.operands
    return _told([value.type for value in values], function.result_shardings, program)


def _share_functions(program: Program) -> None:
    """Let calls of one function with one set of shardings share it.

    Follows sdy-unflatten-call-graph.
    """
    first: dict[Hashable, str] = {}
    for op in program.module.walk_inner_first():
        if op.name != CALL:
            continue
        function = callee_of(op, program)
        key = (
            original_name(function),
            _argument_shardings(function, program),
            _result_shardings(function, program),
        )
        op.properties["callee"] = f"@{first.setdefault(key, function.symbol())}"


def _equivalent(one: TensorSharding, other: TensorSharding | None) -> bool:
    """Whether two shardings split alike. Follows TensorShardingAttr::isEquivalent."""
    if other is None:
        return not any(dim.axes for dim in one.dims) and not one.unreduced
    return (
        one.mesh == other.mesh
        and [dim.axes for dim in one.dims] == [dim.axes for dim in other.dims]
        and one.unreduced == other.unreduced
    )


def _reshard_results(program: Program) -> None:
    """Reshard results of calls that differ from the function's.

    Follows sdy-insert-func-call-reshards.
    """
    for call in program.module.walk_inner_first():
        if call.name != CALL:
            continue
        shardings = _result_shardings(callee_of(call, program), program)
        if shardings is None:
            if all(value.sharding is None for value in call.results):
                continue
            mesh = next(one.sharding.mesh for one in call.results if one.sharding is not None)
            shardings = tuple(
                TensorSharding.unsharded(mesh, value.type.rank) for value in call.results
            )
        for value, sharding in zip(call.results, shardings, strict=True):
            if not _equivalent(sharding, value.sharding):
                reshard = Operation("sdy.reshard", (value,), (value.type,))
                reshard.results[0].sharding = value.sharding or TensorSharding.unsharded(
                    sharding.mesh, sharding.rank
                )
                reshard.insert_after(value)
                value.replace_uses(reshard.results[0], keep=reshard)
            value.sharding = sharding


# ---------------------------------------------------------------- constants and edges


def _merge_constants(function: Operation) -> None:
    """Merge equal constants of a region, and equal broadcasts of one scalar.

    Follows sdy-constant-or-scalar-merger.
    """
    first: dict[Hashable, Operation] = {}
    gone = []
    for op in function.walk_inner_first():
        key: Hashable
        constant = op.name in ("sdy.constant", "stablehlo.constant")
        if constant or (op.name == "stablehlo.broadcast_in_dim" and op.operands[0].type.is_scalar):
            result = op.results[0]
            said = (tuple(sorted(op.properties.items())), tuple(sorted(op.attributes.items())))
            key = (said, op.parent, result.sharding)
            if not constant:
                key = (*key, result.type.text, op.operands[0])
        else:
            continue
        other = first.setdefault(key, op)
        if other is not op:
            op.results[0].replace_uses(other.results[0])
            op.forget_operands()
            gone.append(op)
    drop_all(gone)


def _sink_edges(function: Operation) -> None:
    """Move shardings from edges to the operations they belong to, and drop the edges.

    Follows sdy-sink-data-flow-edges.
    """
    edges = []
    for op in function.walk():
        if op.name == EDGE:
            op.results[0].replace_uses(op.operands[0])
            op.forget_operands()
            edges.append(op)
            continue
        if not is_data_flow(op):
            continue
        arguments, results = edge_owners(op)
        for values in (arguments, results):
            shardings = _edge_shardings(values)
            if shardings is None:
                continue
            for value, sharding in zip(values, shardings, strict=True):
                if op.name == MANUAL and values is arguments and value.sharding is not None:
                    value.sharding = with_manual(sharding, value.sharding, manual_axes_of(op))
                else:
                    value.sharding = sharding
    drop_all(edges)


# ---------------------------------------------------------------- what shardings leave


def _leave(program: Program, decide: Decide) -> None:
    """Give every value the sharding that it leaves with.

    Follows sdy-update-non-divisible-input-output-shardings,
    sdy-remove-sub-axes-in-input-output-shardings and sdy-close-shardings.
    """
    holders: list[tuple[Operation | Value, int]] = []
    places: list[Place] = []
    for op in program.module.walk():
        manual = manual_axes_of(op) if op.name == MANUAL else None
        of_main = op is program.main
        for block in op.regions:
            for value in block.arguments:
                if value.sharding is not None:
                    shape = value.type.shape if op.name in BORDERS else None
                    holders.append((value, 0))
                    places.append(Place(value.sharding, shape, of_main, manual))
        for value in op.results:
            if value.sharding is not None:
                shape = value.type.shape if op.name in BORDERS else None
                holders.append((value, 0))
                places.append(Place(value.sharding, shape))
        for number, sharding in enumerate(op.result_shardings):
            if sharding is not None:
                shape = op.regions[0].terminator.operands[number].type.shape
                holders.append((op, number))
                places.append(Place(sharding, shape, of_main))
    for (holder, number), sharding in zip(holders, decide(places), strict=True):
        if isinstance(holder, Value):
            holder.sharding = sharding
        else:
            holder.result_shardings[number] = sharding
