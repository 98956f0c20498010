"""Where values stand when propagation has ended: what decides with what sharding they leave."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shardlog.converters.facts import FactSink
from shardlog.ir.shardy.mesh import Mesh
from shardlog.ir.shardy.tensor_sharding import ManualAxes, TensorSharding

__all__ = ["Decide", "Place", "place_facts"]


@dataclass(frozen=True)
class Place:
    """A value's sharding so far, and what counts for the one that it leaves with.

    `shape` is that of the value if it is an argument or a result of a function, a call or a manual
    computation, else None; `of_main` says that it is one of main, `manual` are the axes of the
    manual computation that it is an argument of.
    """

    sharding: TensorSharding
    shape: tuple[int, ...] | None = None
    of_main: bool = False
    manual: ManualAxes | None = None


Decide = Callable[[Sequence[Place]], Sequence[TensorSharding]]
"""What gives each of some places the sharding that its value leaves with."""


def place_facts(
    places: Sequence[Place], meshes: tuple[tuple[str, Mesh], ...], facts: FactSink
) -> None:
    """Put the facts about places into `facts`; entity N is `places[N]`."""
    facts.functional("leaving", [place.sharding for place in places])
    facts.functional("dimensions", [place.shape for place in places])
    numbered = list(enumerate(places))
    facts.table("at_border", [(n,) for n, place in numbered if place.shape is not None], 1)
    facts.table("of_main", [(n,) for n, place in numbered if place.of_main], 1)
    manual = [(n, place.manual) for n, place in numbered if place.manual is not None]
    facts.table("manual_axes", manual, 2, True)
    facts.table("meshes", [("all", meshes)], 2, True)
