"""Where a dimension begins: what would have to be split for it to be split.

Found by supposing: an operand is given tiles along one of its dimensions, two or as many as it
has elements, everything else beside it none, and the rules say whether the dimension in question
gets any.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from shardlog.engine.attempts import Attempts
from shardlog.explain.candidate import came_from
from shardlog.explain.losses import lost, lost_to
from shardlog.explain.run import Place, Run
from shardlog.ir.axes import digits, digits_of, split_dims
from shardlog.ir.sharding import HloSharding
from shardlog.ir.tile_assignment import TileAssignment

__all__ = ["Beginning", "beginnings", "is_split_beside", "taken"]

MOST = 60
"""Up to how many instructions a dimension is followed back."""


@dataclass(frozen=True)
class Beginning:
    """A dimension that comes from no operand, and why it has no tiles.

    With `loses`, an operand that has tiles for it, and the op does not put them there; if
    `is_taken`, since another dimension is split over the same devices. `path` leads from what was
    asked about to the place, which is its last.
    """

    place: Place
    dim: int
    says: str
    path: tuple[Place, ...] = ()
    loses: Place | None = None
    is_taken: bool = False


def beginnings(run: Run, place: Place, dim: int) -> list[Beginning]:
    """Return where the tiles of a dimension would have to come from, and have not."""
    found: list[Beginning] = []
    paths: dict[tuple[Place, int], tuple[Place, ...]] = {(place, dim): ()}
    todo = [(place, dim)]
    while todo and len(paths) < MOST:
        at, d = todo.pop(0)
        path = paths[at, d]
        before = [] if _is_given(run, at) and at != place else list(_sources(run, at, d))
        following = []
        for source, from_dim, is_first in before:
            ended = _ended(run, source, from_dim, at, d)
            taken = _taken(run, source, from_dim, at, d) if is_first else None
            if ended is not None:
                found.append(Beginning(at, d, ended, path, source))
            elif taken is not None:
                found.append(Beginning(at, d, taken, path, source, is_taken=True))
            else:
                following.append((source, from_dim))
        tied = [(one, d) for one in _ties(run, at)]
        for one in (*following, *tied):
            if one not in paths:
                paths[one] = path if one[0] == at else (*path, one[0])
                todo.append(one)
        if not before and not tied:
            found.append(Beginning(at, d, _says(run, at, d), path))
        ended_by = _ended_by_a_reshape(run, at, d)
        if ended_by is not None:
            found.append(Beginning(at, d, ended_by[1], path, ended_by[0]))
    return found


def _ties(run: Run, place: Place) -> list[Place]:
    """What a leaf is tied to: loops hand it round, calls hand it over."""
    numbers = [number for number in run.ties(place.entity) if run.touches(place, number)]
    return [run.part(place, number) for number in numbers]


def _ended(run: Run, source: Place, from_dim: int, place: Place, dim: int) -> str | None:
    """Which tiles of a dimension an op does not put where it would put them, None if none."""
    has, tiles = run.saturated(place), run.saturated(source)
    if tiles is None or tiles.is_tuple or from_dim not in split_dims(tiles):
        return None
    if dim in split_dims(has) or not digits(tiles)[from_dim] - digits_of(has):
        return None
    return lost(run, source, has, place.entity, place)


def taken(run: Run, place: Place, dim: int) -> Beginning | None:
    """Return the operand with tiles for a dimension that another has the devices of."""
    for source, from_dim, is_first in _sources(run, place, dim):
        says = _taken(run, source, from_dim, place, dim) if is_first else None
        if says is not None:
            return Beginning(place, dim, says, (), source, is_taken=True)
    return None


def is_split_beside(run: Run, place: Place, dim: int) -> bool:
    """Whether an operand has tiles along what a dimension comes from, or a reshape ends some."""
    if _ended_by_a_reshape(run, place, dim) is not None:
        return True
    sources = _sources(run, place, dim)
    return any(from_dim in split_dims(run.saturated(one)) for one, from_dim, _ in sources)


def _taken(run: Run, source: Place, from_dim: int, place: Place, dim: int) -> str | None:
    has, tiles = run.saturated(place), run.saturated(source)
    if has is None or tiles is None or has.is_tuple or from_dim not in split_dims(tiles):
        return None
    mine = digits(tiles)[from_dim]
    others = [d for d, row in enumerate(digits(has)) if row & mine]
    if dim in split_dims(has) or not others:
        return None
    by = came_from(run, place)
    return (
        f"{run.named(source)} has {tiles}: dimension {from_dim} "
        f"(split {tiles.tile.dims[from_dim]} ways) is split over the devices that dimension "
        f"{' and '.join(map(str, others))} of {run.named(place)} is split over{by}"
    )


def _ended_by_a_reshape(run: Run, place: Place, dim: int) -> tuple[Place, str] | None:
    """Which tiles a reshape ends of the dimensions that it makes a dimension from, and whose."""
    if run.entities[place.entity].opcode != "reshape":
        return None
    (operand,) = run.operands(place.entity)
    source = Place(operand)
    if dim not in lost_to(run, source, place):
        return None
    says = lost(run, source, run.saturated(place), place.entity, place)
    return None if says is None else (source, says)


def _is_given(run: Run, place: Place) -> bool:
    return bool(run.inquiry.lookup("provided", ((0, place.entity),)))


def _says(run: Run, place: Place, dim: int) -> str:
    name, opcode = run.named(place), run.opcode(place.entity)
    sharding = run.saturated(place)
    has = "has no sharding" if sharding is None else f"has {sharding}"
    given = run.outcome.saturated.state["given"][place.entity]
    if given is not None:
        has = f"is annotated {given}"
    if not run.operands(place.entity):
        return f"dimension {dim} of {opcode} {name}, which {has}"
    return f"dimension {dim} of {name}, which {opcode} takes from no operand ({has})"


def _sources(run: Run, place: Place, dim: int) -> Iterator[tuple[Place, int, bool]]:
    """The operands' dimensions whose tiles it would get, and whether the first or only the rest."""
    operands = run.operands(place.entity)
    for number in operands:
        part = run.part(place, number)
        if not run.touches(place, number) or run.shape(part).is_tuple:
            continue
        for d, size in enumerate(run.shape(part).dimensions):
            # what is cut into several dimensions gives the last of them tiles if it has many
            for ways in sorted({2, size} - {1}):
                if size > 1 and dim in _would_split(run, place, part, d, ways, operands):
                    yield part, d, ways == 2
                    break


def _would_split(
    run: Run, place: Place, source: Place, dim: int, ways: int, operands: Any
) -> frozenset[int]:
    """The dimensions that would be split if a source were split along one, and nothing else."""
    state: dict[str, Any] = dict(run.outcome.saturated.state)
    supposed: dict[int, HloSharding | None] = dict.fromkeys((*operands, place.entity))
    supposed[source.entity] = _with_tiles(run, source, dim, ways)
    state["sharding"] = _Supposed(state["sharding"], supposed)
    inquiry = run.inquiry.over(state)
    attempts = Attempts(inquiry)
    inquiry.values = run.inquiry.declared.parameter_values()[-1:]
    found: set[int] = set()
    for variant in run.attempts.variants:
        channel = variant.channel
        # what refines a pair of values has no meaning where there are none
        if (channel.visit, channel.lattice) == ("forward", "sharding") and channel.grain != "pair":
            start = {str(variant.rule.terms[0]): place.entity}
            for known in inquiry.solutions(variant.body, start):
                value = attempts.value(variant, known)
                parts = [value] if isinstance(value, HloSharding) else [s for _, s in value]
                for part in parts:
                    if part.is_tuple and place.leaf is not None:
                        part = part.elements[place.leaf]
                    found |= set(split_dims(part))
        if found:
            break
    return frozenset(found)


def _with_tiles(run: Run, place: Place, dim: int, ways: int) -> HloSharding:
    """Tiles along one dimension of a leaf; the other leaves of its tuple are replicated."""
    rank = run.shape(place).rank
    tile = TileAssignment.iota(tuple(ways if d == dim else 1 for d in range(rank)))
    tiled = HloSharding.tiled(tile)
    if place.leaf is None:
        return tiled
    count = run.entities[place.entity].shape.leaf_count
    return HloSharding.tuple_of(
        tiled if leaf == place.leaf else HloSharding.replicated() for leaf in range(count)
    )


class _Supposed:
    """A column of shardings with some of them supposed."""

    def __init__(self, column: Any, supposed: dict[int, HloSharding | None]) -> None:
        self._column, self._supposed = column, supposed

    def __getitem__(self, entity: int) -> HloSharding | None:
        if entity in self._supposed:
            return self._supposed[entity]
        sharding: HloSharding | None = self._column[entity]
        return sharding
