"""The pure functions and joins that the rules of Shardy's propagation may name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shardlog.ir.algebra import exactness, matches
from shardlog.ir.shardy import factors, step
from shardlog.ir.shardy.described import described_rule, hlo_name
from shardlog.ir.shardy.final import closed, divided_evenly, whole_axes
from shardlog.ir.shardy.manual import with_manual, without_manual
from shardlog.ir.shardy.mesh import Mesh
from shardlog.ir.shardy.op_rule import Factor, OpRule, op_rule_of
from shardlog.ir.shardy.priorities import hidden_above, revealed
from shardlog.ir.shardy.projection import Projection, common_mesh, projected
from shardlog.ir.shardy.tensor_sharding import TensorSharding

__all__ = ["SHARDY_FUNCTIONS", "SHARDY_JOINS", "SHARDY_TESTS"]


def factor_of(places: tuple[int, ...], size: int, kind: str, blocked: bool) -> Factor:
    """A factor by its places, size and kind."""
    return Factor(places, size, kind, blocked)


def mesh_of_all(
    shardings: tuple[TensorSharding | None, ...], meshes: tuple[tuple[str, Mesh], ...]
) -> tuple[str | Mesh, Mesh] | None:
    """The name and mesh that shardings have in common; no row without such or for one device."""
    return common_mesh(shardings, dict(meshes))


def projection_of(
    rule: OpRule,
    shardings: tuple[TensorSharding | None, ...],
    mesh: tuple[str | Mesh, Mesh],
) -> Projection:
    """Shardings of operands and results dealt out to the factors of a rule."""
    return projected(rule, shardings, *mesh)


def put(old: TensorSharding | None, new: TensorSharding) -> TensorSharding | None:
    """The new sharding unless it is the old one."""
    return None if new is old else new


SHARDY_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(factors, name) for name in factors.__all__},
    "closed": closed,
    "common_mesh": mesh_of_all,
    "described_rule": described_rule,
    "directions": step.directions,
    "divided_evenly": divided_evenly,
    "exactness": exactness,
    "factor_of": factor_of,
    "grown": step.grown,
    "hidden_above": hidden_above,
    "hlo_name": hlo_name,
    "op_rule_of": op_rule_of,
    "projected": projection_of,
    "ranking": step.ranking,
    "rebuilt": step.rebuilt,
    "revealed": revealed,
    "whole_axes": whole_axes,
    "wishes": step.wishes,
    "with_manual": with_manual,
    "without_manual": without_manual,
}
SHARDY_TESTS: dict[str, Callable[..., Any]] = {"matches": matches}
SHARDY_JOINS: dict[str, Callable[..., Any]] = {"put": put}
