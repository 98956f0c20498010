"""Shardings at the border of a manual computation: with its manual axes, and without them."""

from __future__ import annotations

from shardlog.ir.shardy.projection import Axes
from shardlog.ir.shardy.tensor_sharding import DimensionSharding, ManualAxes, TensorSharding

__all__ = ["with_manual", "without_manual"]


def _leading(axes: Axes, manual: ManualAxes) -> int:
    """How many of a dimension's axes, from the major end, are manual."""
    for place, axis in enumerate(axes):
        if axis.name not in manual.names:
            return place
    return len(axes)


def without_manual(sharding: TensorSharding, manual: ManualAxes) -> TensorSharding:
    """The sharding without the manual axes, which lead the dimensions. Follows eraseManualAxes."""
    if not manual.names:
        return sharding
    dims = tuple(
        DimensionSharding(dim.axes[_leading(dim.axes, manual) :], dim.is_closed, dim.priority)
        for dim in sharding.dims
    )
    return TensorSharding(
        sharding.mesh,
        dims,
        tuple(axis for axis in sharding.replicated if axis.name not in manual.names),
        tuple(axis for axis in sharding.unreduced if axis.name not in manual.names),
    )


def with_manual(
    sharding: TensorSharding, outer: TensorSharding, manual: ManualAxes
) -> TensorSharding:
    """The sharding with the manual axes of `outer` before the axes of each dimension.

    Replicated and unreduced axes are those of `outer`. Follows
    addFreeAxesToManualComputationSharding.
    """
    dims = tuple(
        DimensionSharding(
            whole.axes[: _leading(whole.axes, manual)] + dim.axes, dim.is_closed, dim.priority
        )
        for whole, dim in zip(outer.dims, sharding.dims, strict=True)
    )
    return TensorSharding(sharding.mesh, dims, outer.replicated, outer.unreduced)
