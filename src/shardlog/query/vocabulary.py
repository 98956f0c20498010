"""All relations that questions may name; their sources for a run are made when reached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from shardlog.ir.errors import InputError
from shardlog.query.graph import GRAPH, ORIGINS, SHAPES
from shardlog.query.ground import Ground, Made
from shardlog.query.placed import SHARDINGS
from shardlog.query.provenance import PROVENANCE
from shardlog.query.relations import Relation, Source

__all__ = ["HEADINGS", "RELATIONS", "Sources"]

_SHELVES = (GRAPH, SHAPES, ORIGINS, SHARDINGS, PROVENANCE)
_MADE: dict[str, Made] = {made.relation.name: made for shelf in _SHELVES for made in shelf.made}

RELATIONS: Mapping[str, Relation] = {name: made.relation for name, made in _MADE.items()}
"""Every relation by its name, in the order in which they are told of."""

HEADINGS = tuple(shelf.heading for shelf in _SHELVES)


class Sources(Mapping[str, Source]):
    """The sources of a run's relations; each is made when it is first asked for."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._sources: dict[str, Source] = {}

    def __getitem__(self, name: str) -> Source:
        if name not in self._sources:
            made = _MADE[name]
            if made.needs_mesh and self._ground.mesh is None:
                raise InputError(f"{name} needs a mesh, such as --mesh x=2,y=4")
            self._sources[name] = made.make(self._ground)
        return self._sources[name]

    def __contains__(self, name: object) -> bool:
        return name in _MADE

    def __iter__(self) -> Iterator[str]:
        return iter(_MADE)

    def __len__(self) -> int:
        return len(_MADE)
