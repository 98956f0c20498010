"""The last touches to shardings of what goes into a program and comes out of it."""

from __future__ import annotations

import math

from shardlog.ir.shardy.axes import AxisRef
from shardlog.ir.shardy.mesh import Mesh
from shardlog.ir.shardy.tensor_sharding import DimensionSharding, TensorSharding

__all__ = ["closed", "divided_evenly", "evenly_dividing", "whole_axes"]


def divided_evenly(
    sharding: TensorSharding, shape: tuple[int, ...], meshes: tuple[tuple[str, Mesh], ...]
) -> TensorSharding:
    """What `evenly_dividing` gives on the sharding's own mesh, one of those by name."""
    mesh = sharding.mesh
    return evenly_dividing(sharding, shape, mesh if isinstance(mesh, Mesh) else dict(meshes)[mesh])


def closed(sharding: TensorSharding) -> TensorSharding:
    """The sharding closed, which need not say what it replicates. Follows getClosedLike."""
    shut = sharding.closed()
    return TensorSharding(shut.mesh, shut.dims, (), shut.unreduced)


def evenly_dividing(sharding: TensorSharding, shape: tuple[int, ...], mesh: Mesh) -> TensorSharding:
    """The sharding with each dimension's axes cut to the longest prefix that divides its size.

    The last axis may be kept in part. Dimensions that are divided evenly stay as they are. Follows
    getEvenlySharded. One device has no dimensions.
    """
    if mesh.is_maximal:
        return sharding
    dims = []
    for dim, size in zip(sharding.dims, shape, strict=True):
        if size % dim.sharded_size(mesh) == 0:
            dims.append(dim)
            continue
        axes: list[AxisRef] = []
        for axis in dim.axes:
            whole = axis.size(mesh)
            common = math.gcd(whole, size)
            if common == 1:
                break
            if common != whole:
                axes.append(AxisRef.part(axis.name, axis.pre_size, common))
                break
            axes.append(axis)
            size //= common
        dims.append(DimensionSharding(tuple(axes), dim.is_closed))
    return sharding.with_dims(dims)


def whole_axes(sharding: TensorSharding) -> TensorSharding:
    """The sharding with the axes of each open dimension up to its first sub-axis.

    Follows removeSubAxesInDimensionShardings.
    """
    dims = []
    for dim in sharding.dims:
        axes = dim.axes
        if not dim.is_closed:
            count = next((n for n, axis in enumerate(axes) if axis.sub_axis), len(axes))
            axes = axes[:count]
        dims.append(DimensionSharding(axes, dim.is_closed, dim.priority))
    return sharding.with_dims(dims)
