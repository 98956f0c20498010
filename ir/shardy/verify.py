"""Whether a sharding fits its mesh: the checks of Shardy's verifier, and one that it lacks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from shardlog.ir.errors import InputError
from shardlog.ir.shardy.axes import AxisRef
from shardlog.ir.shardy.mesh import Mesh
from shardlog.ir.shardy.tensor_sharding import ManualAxes, TensorSharding

__all__ = ["Problem", "problem_of", "verify_manual_axes", "verify_tensor_sharding"]


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a sharding, and with which of its references or dimensions.

    References are counted as `axis_refs` yields them. Neither number: the sharding as a whole.
    """

    message: str
    axis_ref: int | None = None
    dim: int | None = None


def verify_tensor_sharding(
    sharding: TensorSharding,
    mesh: Mesh | None = None,
    rank: int | None = None,
    manual_axes: Iterable[str] = (),
) -> None:
    """Raise InputError unless a sharding fits its mesh; see TensorSharding.verify."""
    if mesh is None:
        if isinstance(sharding.mesh, str):
            raise InputError(f"mesh @{sharding.mesh} is not known", expected="its axes")
        mesh = sharding.mesh
    problem = problem_of(sharding, mesh, rank, manual_axes)
    if problem is not None:
        raise InputError(f"{problem.message}, in {sharding.stripped} on mesh {mesh.stripped}")


def verify_manual_axes(manual_axes: ManualAxes, mesh: Mesh) -> None:
    """Raise InputError for a manual axis that the mesh lacks or that is listed twice.

    Follows ManualComputationOp::verifySymbolUses.
    """
    for name in manual_axes:
        mesh.place(name)
    if len(set(manual_axes)) < len(manual_axes):
        raise InputError(f"a manual axis is listed twice in {manual_axes.stripped}")


def problem_of(
    sharding: TensorSharding,
    mesh: Mesh,
    rank: int | None = None,
    manual_axes: Iterable[str] = (),
) -> Problem | None:
    """Return the first thing that is wrong with a sharding on a mesh, or None.

    `manual_axes` are those of manual computations around the tensor. Follows
    verifyTensorShardingAttr; a rank, if given, is that of the tensor.
    """
    if mesh.is_maximal:
        if sharding.dims or sharding.replicated or sharding.unreduced:
            return Problem("a sharding on a maximal mesh has neither dimensions nor axes")
        return None
    if rank is not None and sharding.rank != rank:
        return Problem(f"a sharding of {sharding.rank} dimensions for a tensor of rank {rank}")
    for index, dim in enumerate(sharding.dims):
        if dim.priority is None:
            continue
        if dim.priority < 0:
            return Problem(f"dimension {index} has a priority below 0", dim=index)
        if dim.is_closed and not dim.axes:
            return Problem(f"dimension {index} is empty and closed but has a priority", dim=index)
    seen: dict[AxisRef, int] = {}
    start = 0
    for axes in (*(dim.axes for dim in sharding.dims), sharding.replicated, sharding.unreduced):
        problem = _list_problem(axes, start, mesh, seen)
        if problem is not None:
            return problem
        start += len(axes)
    first = sum(len(dim.axes) for dim in sharding.dims)
    for word, axes in (("replicated", sharding.replicated), ("unreduced", sharding.unreduced)):
        for offset, (axis, minor) in enumerate(pairwise(axes)):
            if minor.mesh_order(mesh) < axis.mesh_order(mesh):
                return Problem(
                    f"{word} axes {axis}, {minor} are not in the order of the mesh",
                    first + offset + 1,
                )
        first += len(axes)
    problem = _sub_axis_problem(seen, mesh)
    if problem is not None:
        return problem
    bound = set(manual_axes)
    for axis, index in seen.items():
        if axis.name in bound:
            return Problem(f"axis {axis} is manual here", index)
    return None


def _list_problem(
    axes: Sequence[AxisRef], start: int, mesh: Mesh, seen: dict[AxisRef, int]
) -> Problem | None:
    """Check one list: axes of the mesh, none a second time, no neighbours that could be one."""
    before: AxisRef | None = None
    for index, axis in enumerate(axes, start):
        if axis.name not in mesh:
            return Problem(f"unknown axis {axis}", index)
        if axis in seen:
            return Problem(f"axis {axis} is used twice", index)
        if before is not None and before.can_merge(axis):
            return Problem(f"{before}, {axis} can be merged to one sub-axis", index)
        seen[axis] = index
        before = axis
    return None


def _sub_axis_problem(seen: dict[AxisRef, int], mesh: Mesh) -> Problem | None:
    """Check that the sub-axes of each axis are parts of one cut of it, all different."""
    ordered = sorted(seen, key=lambda axis: axis.mesh_order(mesh))
    before: AxisRef | None = None
    for axis in ordered:
        index = seen[axis]
        sub_axis = axis.sub_axis
        if before is not None and before.name != axis.name:
            before = None
        if sub_axis is not None:
            full = mesh.axis_size(axis.name)
            if sub_axis.size == full:
                return Problem(f"{axis} is the whole axis and must be given as such", index)
            if full % sub_axis.end:
                return Problem(f"{axis} is no part of an axis of size {full}", index)
            if AxisRef(axis.name) in seen:
                return Problem(f"{axis} is used beside the whole axis", index)
        if before is not None and before.overlaps(axis):
            return Problem(f"{before} and {axis} overlap", index)
        if before is not None and not before.can_coexist(axis):
            return Problem(f"no cut of the axis gives both {before} and {axis}", index)
        before = axis
    return None
