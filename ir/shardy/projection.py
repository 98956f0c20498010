"""Shardings of an operation's tensors, dealt out to the factors of its rule, and back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from shardlog.ir.shardy.axes import AxisRef
from shardlog.ir.shardy.mesh import Mesh
from shardlog.ir.shardy.op_rule import OpRule
from shardlog.ir.shardy.tensor_sharding import DimensionSharding, TensorSharding

__all__ = ["Axes", "Part", "Projection", "Slot", "common_mesh", "deal", "projected", "rebuilt"]

Axes: TypeAlias = tuple[AxisRef, ...]


class Part(NamedTuple):
    """What a tensor's dimension gives to one of its factors.

    `overflow` are axes that do not fit; then no minor factor gets any. `last` says that the factor
    is the minor-most of its dimension, which may be padded.
    """

    axes: Axes
    overflow: Axes
    closed: bool
    last: bool


@dataclass(frozen=True, eq=False, slots=True)
class Slot:
    """One operand or result: the parts of its factors, and the axes that no factor may have."""

    parts: dict[int, Part]
    barred: Axes


@dataclass(frozen=True, eq=False, slots=True)
class Projection:
    """An operation's shardings by factors, the mesh they are on, and its rule.

    `shardings` are what was projected, None for a tensor without.
    """

    rule: OpRule
    mesh: Mesh
    name: str | Mesh
    shardings: tuple[TensorSharding | None, ...]
    slots: tuple[Slot, ...]


def common_mesh(
    shardings: Sequence[TensorSharding | None], meshes: dict[str, Mesh]
) -> tuple[str | Mesh, Mesh] | None:
    """The name and the mesh that all shardings share; None without one or if it is one device.

    Empty meshes go with any. Follows getCommonMeshName and propagateTensorShardings.
    """
    name: str | Mesh = ""
    mesh: Mesh | None = None
    for sharding in shardings:
        if sharding is None or sharding.mesh == name:
            continue
        other = meshes[sharding.mesh] if isinstance(sharding.mesh, str) else sharding.mesh
        if mesh is None or mesh.is_empty:
            mesh, name = other, sharding.mesh
        elif not other.is_empty and other is not mesh:
            return None
    return None if mesh is None or mesh.is_maximal else (name, mesh)


def deal(axes: Axes, sizes: Sequence[int], mesh: Mesh) -> list[tuple[Axes, Axes]]:
    """The axes of a dimension for each of its factors, major first, with those that overflow.

    A factor that is not the last takes what divides what is left of it, of an axis perhaps a part;
    axes that share no divisor with it overflow, and all behind them. The last takes everything.
    Follows buildTensorFactorShardings.
    """
    found: list[tuple[Axes, Axes]] = []
    rest = list(axes)
    for place, size in enumerate(sizes):
        if place == len(sizes) - 1:
            found.append((tuple(rest), ()))
            break
        taken: list[AxisRef] = []
        while rest:
            whole = rest[0].size(mesh)
            common = math.gcd(size, whole)
            if whole != 1 and common == 1:
                break
            size //= common
            if whole > common:
                start = rest[0].pre_size
                taken.append(AxisRef.part(rest[0].name, start, common))
                rest[0] = AxisRef.part(rest[0].name, start * common, whole // common)
            else:
                taken.append(rest.pop(0))
        if size > 1 and rest:
            found.append((tuple(taken), tuple(rest)))
            break
        found.append((tuple(taken), ()))
    found += [((), ())] * (len(sizes) - len(found))
    return found


def projected(
    rule: OpRule, shardings: tuple[TensorSharding | None, ...], name: str | Mesh, mesh: Mesh
) -> Projection:
    """The shardings of operands and results dealt out to the factors of the rule.

    Follows ShardingProjection::build.
    """
    slots = tuple(
        _slot(rule, dims, sharding, mesh)
        for dims, sharding in zip(rule.slots, shardings, strict=True)
    )
    return Projection(rule, mesh, name, shardings, slots)


def _slot(
    rule: OpRule,
    dims: tuple[tuple[int, ...], ...],
    sharding: TensorSharding | None,
    mesh: Mesh,
) -> Slot:
    parts: dict[int, Part] = {}
    for place, factors in enumerate(dims):
        its = None if sharding is None else sharding.dims[place]
        closed = its is not None and its.is_closed
        axes = () if its is None else its.axes
        if len(factors) == 1:
            parts[factors[0]] = Part(axes, (), closed, True)
            continue
        shut = False
        pieces = deal(axes, [rule.sizes[factor] for factor in factors], mesh)
        for number, (factor, (taken, spilt)) in enumerate(zip(factors, pieces, strict=True)):
            last = number == len(factors) - 1
            parts[factor] = Part(taken, spilt, closed or shut, last)
            if shut:
                break
            shut = bool(spilt)
    barred = () if sharding is None else sharding.replicated + sharding.unreduced
    return Slot(parts, barred)


def rebuilt(
    rule: OpRule,
    slot: int,
    parts: dict[int, Part],
    old: TensorSharding | None,
    name: str | Mesh,
    mesh: Mesh,
) -> TensorSharding:
    """The sharding of a tensor whose factors have these parts.

    A dimension ends at the first factor that is not split as far as it goes, or that overflows.
    Follows createTensorShardingAttr.
    """
    dims = []
    for factors in rule.slots[slot]:
        axes: list[AxisRef] = []
        closed = False
        for factor in factors:
            part = parts[factor]
            closed = closed or part.closed
            _append(axes, part.axes, mesh)
            if part.overflow:
                _append(axes, part.overflow, mesh)
                break
            if math.prod(axis.size(mesh) for axis in part.axes) < rule.sizes[factor]:
                break
        dims.append(DimensionSharding(tuple(axes), closed))
    if old is None:
        return TensorSharding(name, tuple(dims))
    return TensorSharding(name, tuple(dims), old.replicated, old.unreduced)


def _append(axes: list[AxisRef], more: Axes, mesh: Mesh) -> None:
    """Add axes; the first is merged with a sub-axis that it follows."""
    for place, axis in enumerate(more):
        if place == 0 and axes and axes[-1].can_merge(axis):
            axes[-1] = axes[-1].merge(axis, mesh)
        else:
            axes.append(axis)
