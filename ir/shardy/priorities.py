"""User priorities: what is hidden until its turn comes, and what it is then."""

from __future__ import annotations

from shardlog.ir.shardy.axes import AxisRef
from shardlog.ir.shardy.mesh import Mesh
from shardlog.ir.shardy.tensor_sharding import DimensionSharding, TensorSharding

__all__ = ["hidden_above", "revealed"]

NOTHING = DimensionSharding((), True)


def hidden_above(sharding: TensorSharding, meshes: tuple[tuple[str, Mesh], ...]) -> TensorSharding:
    """The sharding of the first round: dimensions of priority above 0 are empty and closed.

    Their axes must stay free, so they are replicated. Follows getInitializedSharding.
    """
    dims: list[DimensionSharding] = []
    hidden = list(sharding.replicated)
    for dim in sharding.dims:
        if dim.priority:
            hidden += dim.axes
            dims.append(NOTHING)
        else:
            dims.append(DimensionSharding(dim.axes, dim.is_closed))
    if len(hidden) > len(sharding.replicated):
        named = dict(meshes)
        mesh = named[sharding.mesh] if isinstance(sharding.mesh, str) else sharding.mesh
        hidden.sort(key=lambda axis: axis.mesh_order(mesh))
    return TensorSharding(sharding.mesh, tuple(dims), tuple(hidden), sharding.unreduced)


def revealed(
    sharding: TensorSharding, annotation: TensorSharding, priority: int
) -> TensorSharding | None:
    """The sharding with the dimensions of a priority as annotated; None if there are none.

    Follows getUpdatedShardingForPriority.
    """
    dims = list(sharding.dims)
    shown: set[AxisRef] = set()
    for place, dim in enumerate(annotation.dims):
        if dim.priority == priority:
            dims[place] = DimensionSharding(dim.axes, dim.is_closed)
            shown.update(dim.axes)
    if not any(dim.priority == priority for dim in annotation.dims):
        return None
    left = tuple(axis for axis in sharding.replicated if axis not in shown)
    return TensorSharding(sharding.mesh, tuple(dims), left, sharding.unreduced)
