"""What Shardy does to a program before it dumps it as `before_propagation`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from shardlog.converters.shardy.call_graph import (
    CALL,
    Symbols,
    callee_of,
    drop_unused_functions,
)
from shardlog.converters.shardy.split_constants import split_constants
from shardlog.ir.shardy.axes import AxisRef
from shardlog.ir.shardy.edges import manual_axes_of
from shardlog.ir.shardy.mesh import Mesh
from shardlog.ir.shardy.program import Operation, Program, Value
from shardlog.ir.shardy.tensor_sharding import DimensionSharding, TensorSharding

__all__ = ["common_mesh_name", "map_shardings", "prepare"]

Changer: TypeAlias = Callable[[TensorSharding], TensorSharding]


def prepare(program: Program) -> None:
    """Bring a program as a user has it into the form in which Shardy begins to propagate.

    Done again it changes nothing but constants that are shared. Follows the passes of
    addImportPipeline up to the dump.
    """
    drop_unused_functions(program)
    lift_meshes(program)
    drop_axes_of_size_one(program)
    shardings_to_calls(program)
    split_constants(program)
    drop_unused_functions(program)
    clean_manual_axes(program)


def map_shardings(program: Program, change: Changer) -> None:
    """Replace every sharding of the program by what a function makes of it."""
    known: dict[TensorSharding, TensorSharding] = {}

    def changed(sharding: TensorSharding) -> TensorSharding:
        found = known.get(sharding)
        if found is None:
            found = known[sharding] = change(sharding)
        return found

    for op in program.module.walk():
        for value in op.results:
            if value.sharding is not None:
                value.sharding = changed(value.sharding)
        for block in op.regions:
            for value in block.arguments:
                if value.sharding is not None:
                    value.sharding = changed(value.sharding)
        if op.result_shardings:
            shardings = op.result_shardings
            op.result_shardings = [None if one is None else changed(one) for one in shardings]


def _values(op: Operation) -> list[Value]:
    return [*(one for block in op.regions for one in block.arguments), *op.results]


# ---------------------------------------------------------------- meshes


def lift_meshes(program: Program) -> None:
    """Let every sharding name a mesh of the module; equal meshes become one.

    Follows sdy-lift-inlined-meshes.
    """
    names: dict[Mesh, str] = {}
    renamed: dict[str, str] = {}
    symbols = Symbols(program)
    last = 0
    for op in [one for one in program.body.ops if one.name == "sdy.mesh"]:
        name, mesh = op.symbol(), program.meshes[op.symbol()]
        if mesh in names:
            renamed[name] = names[mesh]
            del program.meshes[name]
            op.erase()
        else:
            names[mesh] = name
            last = program.body.place(op) + 1

    def lifted(sharding: TensorSharding) -> TensorSharding:
        nonlocal last
        if isinstance(sharding.mesh, str):
            program.mesh_of(sharding.with_mesh(renamed.get(sharding.mesh, sharding.mesh)))
            return sharding.with_mesh(renamed.get(sharding.mesh, sharding.mesh))
        mesh = sharding.mesh
        if mesh not in names:
            name = "mesh"
            if mesh.is_maximal:
                name = f"maximal_mesh_{mesh.maximal_device}"
            elif mesh.is_empty:
                name = "empty_mesh"
            names[mesh] = symbols.unique(name)
            program.meshes[names[mesh]] = mesh
            properties = {"mesh": str(mesh), "sym_name": f'"{names[mesh]}"'}
            program.body.add(Operation("sdy.mesh", properties=properties), last)
            last += 1
        return sharding.with_mesh(names[mesh])

    map_shardings(program, lifted)


def drop_axes_of_size_one(program: Program) -> None:
    """Take axes of size 1 out of shardings. Follows sdy-remove-size-one-axes."""
    if all(axis.size != 1 for mesh in program.meshes.values() for axis in mesh.axes):
        return

    def without(sharding: TensorSharding) -> TensorSharding:
        mesh = program.mesh_of(sharding)

        def left(axes: tuple[AxisRef, ...]) -> tuple[AxisRef, ...]:
            return tuple(axis for axis in axes if axis.size(mesh) != 1)

        dims = []
        for dim in sharding.dims:
            axes = left(dim.axes)
            priority = None if not axes and dim.is_closed else dim.priority
            dims.append(DimensionSharding(axes, dim.is_closed, priority))
        return TensorSharding(
            sharding.mesh, tuple(dims), left(sharding.replicated), left(sharding.unreduced)
        )

    map_shardings(program, without)


def shardings_to_calls(program: Program) -> None:
    """Give results of calls the shardings that the function has for them.

    Follows sdy-propagate-sharding-from-func-to-call.
    """
    for call in program.module.walk_inner_first():
        if call.name != CALL or any(value.sharding is not None for value in call.results):
            continue
        function = callee_of(call, program)
        shardings = function.result_shardings
        known = [
            one.mesh for one in shardings if one is not None and not program.mesh_of(one).is_maximal
        ]
        if not known:
            continue
        for value, sharding in zip(call.results, shardings, strict=True):
            value.sharding = sharding or TensorSharding.unsharded(
                known[0], value.type.rank, closed=False
            )


# ---------------------------------------------------------------- manual computations


def common_mesh_name(shardings: list[TensorSharding | None], program: Program) -> str | Mesh | None:
    """Return the name of the mesh that shardings share, None without one.

    Follows getCommonMeshOrRef.
    """
    name: str | Mesh | None = None
    mesh: Mesh | None = None
    for sharding in shardings:
        if sharding is None:
            continue
        other = program.mesh_of(sharding)
        if mesh is None or mesh.is_empty:
            name, mesh = sharding.mesh, other
        elif not other.is_empty and other is not mesh:
            return None
    return name


def clean_manual_axes(program: Program) -> None:
    """Sort manual axes, and replicate those that a sharding does not use.

    Follows sdy-manual-axes-cleanup.
    """
    for op in program.module.walk_inner_first():
        if op.name != "sdy.manual_computation":
            continue
        values = _values(op)
        name = common_mesh_name([value.sharding for value in values], program)
        if name is None:
            continue
        mesh = name if isinstance(name, Mesh) else program.meshes[name]
        manual = manual_axes_of(op)
        ordered = sorted(manual.names, key=mesh.place)
        if ordered != list(manual.names):
            shown = ", ".join(f'"{one}"' for one in ordered)
            op.properties["manual_axes"] = f"#sdy<manual_axes{{{shown}}}>"
        for value in values:
            if value.sharding is not None and value.type.shape is not None:
                value.sharding = _with_unused(value.sharding, ordered, name, mesh)


def _with_unused(
    sharding: TensorSharding, manual: list[str], name: str | Mesh, mesh: Mesh
) -> TensorSharding:
    used = list(sharding.axis_refs())
    unused: list[AxisRef] = []
    for axis in manual:
        unused += _left(AxisRef(axis), used, mesh)
    if not unused:
        return sharding
    axes = sorted([*sharding.replicated, *unused], key=lambda axis: axis.mesh_order(mesh))
    merged: list[AxisRef] = []
    for one in axes:
        if merged and merged[-1].can_merge(one):
            merged[-1] = merged[-1].merge(one, mesh)
        else:
            merged.append(one)
    return TensorSharding(name, sharding.dims, tuple(merged), sharding.unreduced)


def _left(axis: AxisRef, used: list[AxisRef], mesh: Mesh) -> list[AxisRef]:
    """The parts of an axis that no other has. Follows getAxisSetDiff."""
    found: list[AxisRef] = []
    rest: AxisRef | None = axis
    for other in sorted(used, key=lambda one: one.mesh_order(mesh)):
        if rest is None:
            break
        if not rest.overlaps(other):
            continue
        prefix = rest.prefix_without_overlap(other)
        if prefix is not None:
            found.append(prefix)
        rest = rest.suffix_without_overlap(other, mesh)
    if rest is not None:
        found.append(rest)
    return found
