"""Shardings within printed text, shown as PartitionSpecs on a mesh."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from shardlog.converters.partition_spec import (
    parse_partition_spec,
    sharding_of_spec,
    spec_of_sharding,
)
from shardlog.ir.errors import InputError
from shardlog.ir.sharding import HloSharding
from shardlog.ir.sharding_text import parse_sharding
from shardlog.ir.shardy.mesh import Mesh

__all__ = ["read_on", "replaced", "shown_on"]

# A word in braces is a sharding unless it belongs to last_tile_dims={...} or the like.
_SHARDING = re.compile(
    r"(?:\{devices=\[[^{}]*(?:\{[^{}]*\}[^{}]*)?\}"
    r"|(?<!=)\{(?:replicated|manual|unreduced)(?: shard_(?:as|like) -?\d+)?\})"
)

_SPEC = re.compile(r"\s*(?:[\w.]+\.)?(?:P|PartitionSpec)\s*\(")


def shown_on(mesh: Mesh, text: str) -> str:
    """Return a text with each sharding in it replaced by its PartitionSpec on a mesh.

    Elements of a tuple are replaced one by one. What no spec on the mesh gives stays as it is.
    """
    return replaced(text, lambda found: _shown(mesh, found))


def replaced(text: str, show: Callable[[str], str]) -> str:
    """Return a text with each sharding in it, elements of a tuple one by one, shown otherwise."""
    return _SHARDING.sub(lambda match: show(match[0]), text)


def read_on(mesh: Mesh | None, text: str, rank: int | None = None) -> HloSharding:
    """Return the sharding of a text that a user wrote: HloSharding, or a PartitionSpec on a mesh.

    Raises InputError, also for a spec without a mesh.
    """
    if not _SPEC.match(text):
        return parse_sharding(text)
    spec = parse_partition_spec(text)
    if mesh is None:
        raise InputError(f"{text} needs the axes of a mesh", expected="--mesh x=2,y=4")
    return sharding_of_spec(spec, mesh, rank)


@lru_cache(maxsize=4096)
def _shown(mesh: Mesh, text: str) -> str:
    try:
        sharding = parse_sharding(text, lenient=True)
        spec = spec_of_sharding(sharding.without_shard_group(), mesh)
    except InputError:
        return text
    group = sharding.shard_group
    return str(spec) if group is None else f"{spec} {group}"
