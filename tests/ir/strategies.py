"""Random shardings over small meshes, and what a sharding means device by device."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from hypothesis import strategies as st

from shardlog.ir.sharding import HloSharding
from shardlog.ir.tile_assignment import TileAssignment

DEVICE_COUNTS = (2, 4, 6, 8, 12)
DATA = Path(__file__).parent / "data"


def rows(name: str) -> list[list[str]]:
    """The rows of a file of results that XLA gave, split into columns."""
    lines = (DATA / name).read_text().splitlines()
    return [
        [column.strip() for column in line.split("|")] for line in lines if not line.startswith("#")
    ]


def integers(text: str) -> tuple[int, ...]:
    """The integers of a comma-separated list."""
    return tuple(int(part) for part in text.split(",")) if text else ()


@st.composite
def factorings(draw: st.DrawFn, number: int, count: int) -> list[int]:
    """`count` factors whose product is the number."""
    factors = [1] * count
    for prime in _primes(number):
        factors[draw(st.integers(0, count - 1))] *= prime
    return factors


def _primes(number: int) -> Iterator[int]:
    divisor = 2
    while number > 1:
        while number % divisor == 0:
            yield divisor
            number //= divisor
        divisor += 1


@st.composite
def grids(draw: st.DrawFn, dims: list[int]) -> TileAssignment:
    """A grid of these dims: in order, a transposed mesh, or shuffled devices."""
    count = math.prod(dims)
    form = draw(st.sampled_from(("in order", "mesh", "mesh", "shuffled")))
    if form == "shuffled":
        return TileAssignment.explicit(dims, draw(st.permutations(range(count))))
    if form == "in order":
        return TileAssignment.iota(dims)
    mesh = draw(factorings(count, draw(st.integers(2, 3))))
    return TileAssignment.iota(dims, mesh, draw(st.permutations(range(len(mesh)))))


@st.composite
def tiled(
    draw: st.DrawFn,
    rank: int,
    devices: int | None = None,
    subgroups: tuple[tuple[str, ...], ...] = (
        (),
        ("replicated",),
        ("manual",),
        ("manual", "replicated"),
    ),
) -> HloSharding:
    """A sharding of an array, tiled unless its canonical form is something simpler."""
    count = draw(st.sampled_from(DEVICE_COUNTS)) if devices is None else devices
    types = draw(st.sampled_from(subgroups))
    dims = draw(factorings(count, rank + len(types)))
    return HloSharding.subgroup(draw(grids(dims)), types)


def shardings(rank: int, devices: int | None = None) -> st.SearchStrategy[HloSharding]:
    """Any sharding of an array; most are tiled."""
    plain = st.sampled_from(
        (HloSharding.replicated(), HloSharding.manual(), HloSharding.maximal(1))
    )
    return st.one_of(tiled(rank, devices), tiled(rank, devices), tiled(rank, devices), plain)


def tile_of_devices(sharding: HloSharding) -> dict[int, tuple[int, ...]]:
    """Per device the place of its tile among all, and last its manual group if there are any."""
    rank = sharding.tiled_data_rank
    manual = "manual" in sharding.subgroup_types
    at = rank + sharding.subgroup_types.index("manual") if manual else None
    places = {}
    for place in _places(sharding.tile.dims):
        group = () if at is None else (place[at],)
        places[int(sharding.tile.array[place])] = (*place[:rank], *group)
    return places


def _places(dims: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if not dims:
        yield ()
        return
    for head in range(dims[0]):
        for tail in _places(dims[1:]):
            yield (head, *tail)
