"""The way from an instruction without tiles to where tiles stop."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator

from shardlog.explain.held import held
from shardlog.explain.run import Place, Run
from shardlog.ir.axes import Digit, digits_of

__all__ = ["FARTHEST", "beside", "way", "way_to_missing", "way_to_none"]

FARTHEST = 200_000
"""How many instructions are looked through for where tiles stop."""


def beside(run: Run, place: Place) -> Iterator[Place]:
    """Yield the leaves of neighbours that a leaf comes from, goes to or is tied to."""
    for number in run.sources(place):
        yield run.part(place, number)
    for number in (*run.users(place.entity), *run.ties(place.entity)):
        if run.touches(place, number):
            yield run.part(place, number)


def way(run: Run, start: Place) -> list[Place]:
    """Return the leaves without tiles from one to the nearest at which tiles stop.

    The start is left out. Looked for among what it is made of, then in all directions: where
    something that it could come from is tiled, or failing that anything beside it; or where an
    annotation without tiles keeps out what comes before. Empty if there is no such place.
    """

    def made_of(at: Place) -> Iterator[Place]:
        tied = (number for number in run.ties(at.entity) if run.touches(at, number))
        for number in (*run.sources(at), *tied):
            if not run.passes(number, at.entity):
                yield run.part(at, number)

    def everything(at: Place) -> Iterator[Place]:
        return beside(run, at)

    # scalars are no way: what has no dimension hands nothing on
    for steps, tiled, scalars in (
        (made_of, made_of, False),
        (made_of, everything, False),
        (made_of, made_of, True),
        (everything, everything, False),
    ):
        found = _nearest(run, start, steps, tiled, scalars)
        if found:
            return found
    return []


def way_to_none(run: Run, start: Place) -> list[Place]:
    """Return the leaves without any sharding from one to where what it is made of has one."""
    came: dict[Place, Place | None] = {start: None}
    todo = deque([start])
    while todo and len(came) < FARTHEST:
        at = todo.popleft()
        before = [run.part(at, n) for n in run.sources(at)]
        if at != start and any(run.saturated(one) is not None for one in before):
            return _back(came, at)
        for one in before:
            if one not in came and run.saturated(one) is None:
                came[one] = at
                todo.append(one)
    return []


def way_to_missing(
    run: Run, start: Place, missing: frozenset[Digit]
) -> tuple[list[Place], Place, str] | None:
    """Return the way from a leaf to the nearest one that some digits do not get to.

    With it the neighbour that has them, and in which direction they would have come. Looked for
    among what the leaf is made of, then in all directions; what stands before an annotation does
    not matter. None if no such neighbour is there.
    """

    def has(at: Place) -> bool:
        return bool(missing & digits_of(run.saturated(at)))

    for everywhere in (False, True):
        came: dict[Place, Place | None] = {start: None}
        todo = deque([start])
        while todo and len(came) < FARTHEST:
            at = todo.popleft()
            before = [run.part(at, n) for n in run.sources(at)]
            after = [run.part(at, n) for n in run.users(at.entity) if run.touches(at, n)]
            for direction, group in (
                ("forward", before),
                ("backward", after if everywhere else []),
            ):
                for one in group:
                    if has(one):
                        return _back(came, at), one, direction
            if at != start and held(run, at) is not None and not run.names_operand(at.entity):
                continue
            tied = [run.part(at, n) for n in run.ties(at.entity) if run.touches(at, n)]
            for one in (*before, *tied, *(after if everywhere else ())):
                if one not in came and run.shape(one).rank:
                    came[one] = at
                    todo.append(one)
    return None


_Steps = Callable[[Place], Iterator[Place]]


def _nearest(run: Run, start: Place, steps: _Steps, tiled: _Steps, scalars: bool) -> list[Place]:
    came: dict[Place, Place | None] = {start: None}
    todo = deque([start])
    kept: Place | None = None
    while todo and len(came) < FARTHEST:
        at = todo.popleft()
        if at != start:
            if any(run.is_split_at(one) for one in tiled(at)):
                return _back(came, at)
            # what stands before an annotation does not matter, but for what it annotates itself
            if run.operands(at.entity) and held(run, at) is not None:
                kept = kept or at
                if not run.names_operand(at.entity):
                    continue
        for one in steps(at):
            if one not in came and not run.is_split_at(one) and (scalars or run.shape(one).rank):
                came[one] = at
                todo.append(one)
    return [] if kept is None else _back(came, kept)


def _back(came: dict[Place, Place | None], end: Place) -> list[Place]:
    path: list[Place] = []
    step: Place | None = end
    while step is not None and came[step] is not None:
        path.append(step)
        step = came[step]
    return path[::-1]
