"""Shardings within printed text, shown as PartitionSpecs on a mesh."""

from __future__ import annotations

import re
from functools import lru_cache

from shardlog.converters.partition_spec import spec_of_sharding
from shardlog.ir.errors import InputError
from shardlog.ir.sharding_text import parse_sharding
from shardlog.ir.shardy.mesh import Mesh

__all__ = ["shown_on"]

# A word in braces is a sharding unless it belongs to last_tile_dims={...} or the like.
_SHARDING = re.compile(
    r"(?:\{devices=\[[^{}]*(?:\{[^{}]*\}[^{}]*)?\}"
    r"|(?<!=)\{(?:replicated|manual|unreduced)(?: shard_(?:as|like) -?\d+)?\})"
)


def shown_on(mesh: Mesh, text: str) -> str:
    """Return a text with each sharding in it replaced by its PartitionSpec on a mesh.

    Elements of a tuple are replaced one by one. What no spec on the mesh gives stays as it is.
    """
    return _SHARDING.sub(lambda match: _shown(mesh, match[0]), text)


@lru_cache(maxsize=4096)
def _shown(mesh: Mesh, text: str) -> str:
    try:
        sharding = parse_sharding(text, lenient=True)
        spec = spec_of_sharding(sharding.without_shard_group(), mesh)
    except InputError:
        return text
    group = sharding.shard_group
    return str(spec) if group is None else f"{spec} {group}"
