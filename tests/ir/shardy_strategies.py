"""Random meshes and Shardy shardings on them, made quickly from a random generator."""

from __future__ import annotations

import math
from collections.abc import Collection
from random import Random

from hypothesis import strategies as st

from shardlog.ir.shardy import AxisRef, DimensionSharding, Mesh, TensorSharding

NAMES = ("x", "y", "data", "model", "stage 1", 'q"\\é')
MOST_DEVICES = 512

generators = st.randoms(use_true_random=True)
"""Seeded generators: thousands of cases cost little, and a failing one prints its seed."""


def random_mesh(rng: Random, devices: bool = False) -> Mesh:
    """A mesh of a few axes, some of size 1; with `devices` perhaps in another order."""
    sizes: dict[str, int] = {}
    left = MOST_DEVICES
    for name in rng.sample(NAMES, rng.randint(1, 4)):
        sizes[name] = rng.choice([n for n in (1, 2, 3, 4, 6, 8, 12) if n <= left])
        left //= sizes[name]
    total = math.prod(sizes.values())
    ids = list(range(total)) if devices and rng.random() < 0.4 else []
    rng.shuffle(ids)
    return Mesh.of(sizes, ids)


def random_cut(rng: Random, size: int) -> list[int]:
    """The sizes of the parts that an axis is cut into."""
    parts = []
    while size > 1:
        parts.append(rng.choice([n for n in range(2, size + 1) if size % n == 0]))
        size //= parts[-1]
    return parts


def random_pieces(rng: Random, mesh: Mesh) -> list[AxisRef]:
    """References that cover the mesh, in its order: whole axes, and all parts of the others."""
    found: list[AxisRef] = []
    for axis in mesh.axes:
        parts = random_cut(rng, axis.size) if rng.random() < 0.5 else []
        if len(parts) < 2:
            found.append(AxisRef(axis.name))
            continue
        start = 1
        for part in parts:
            found.append(AxisRef.part(axis.name, start, part))
            start *= part
    return found


def merged(refs: Collection[AxisRef], mesh: Mesh) -> tuple[AxisRef, ...]:
    """The same references, neighbours that are one sub-axis made one."""
    out: list[AxisRef] = []
    for ref in refs:
        if out and out[-1].can_merge(ref):
            out[-1] = out[-1].merge(ref, mesh)
        else:
            out.append(ref)
    return tuple(out)


def random_sharding(
    rng: Random, mesh: Mesh, manual: Collection[str] = (), unreduced: bool = True
) -> TensorSharding:
    """A valid sharding on a mesh: each piece in a dimension, replicated, unreduced or nowhere."""
    rank = rng.randint(0, 4)
    homes: list[int | str] = [*range(rank), *range(rank), "replicated", "nowhere"]
    homes += ["unreduced"] * unreduced
    lists: dict[int | str, list[AxisRef]] = {home: [] for home in homes}
    pieces = random_pieces(rng, mesh)
    rng.shuffle(pieces)
    for ref in pieces:
        if ref.name not in manual:
            lists[rng.choice(homes)].append(ref)
    dims = []
    for dim in range(rank):
        axes, closed = merged(lists[dim], mesh), rng.random() < 0.5
        priority = rng.choice((None, None, 0, 3)) if axes or not closed else None
        dims.append(DimensionSharding(axes, closed, priority))
    ordered = [
        merged(sorted(lists.get(home, []), key=lambda ref: ref.mesh_order(mesh)), mesh)
        for home in ("replicated", "unreduced")
    ]
    return TensorSharding(rng.choice(("mesh", "a b", mesh)), tuple(dims), *ordered)
