"""The mesh that a module tells of, by whose axes its shardings can be named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from shardlog.ir.module import HloModule

if TYPE_CHECKING:
    from shardlog.ir.shardy.mesh import Mesh

__all__ = ["mesh_of", "mesh_text"]

_HEADER, _BASED = "xla.sdy.meshes", "mesh["
_SHARDING = re.compile(r"\{mesh\[[^\n]*?(?=, *\[)")
"""A mesh-based sharding up to its dimensions."""


def mesh_of(module: HloModule) -> Mesh | None:
    """Return the one mesh with axes that a module tells of; None if it tells of none or of several.

    Shardy's meshes stand in the frontend attributes of the header, also of a module that was
    converted for GSPMD; mesh-based shardings hold theirs.
    """
    found = dict.fromkeys(_meshes(module))
    return next(iter(found)) if len(found) == 1 else None


def mesh_text(mesh: Mesh) -> str:
    """Return a mesh as the option --mesh takes it."""
    if mesh.device_ids or not all(axis.name.isidentifier() for axis in mesh.axes):
        return str(mesh)
    return ",".join(f"{axis.name}={axis.size}" for axis in mesh.axes)


def _meshes(module: HloModule) -> Iterator[Mesh]:
    if _HEADER in module.attributes.get("frontend_attributes", ""):
        from shardlog.converters.shardy.marks import shardy_meshes

        yield from (mesh for mesh in shardy_meshes(module).values() if mesh.axes)
    if _BASED not in module.source:
        return
    from shardlog.ir.errors import InputError
    from shardlog.ir.named_sharding_text import parse_named_sharding

    for text in dict.fromkeys(match[0] for match in _SHARDING.finditer(module.source)):
        try:
            mesh = parse_named_sharding(f"{text}, []}}").mesh
        except InputError:
            # something else that looks like one, such as a part of the user's metadata
            continue
        if mesh.axes:
            yield mesh
