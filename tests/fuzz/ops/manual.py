"""Manual regions: conversions between full arrays and the shards of one device."""

from __future__ import annotations

from math import prod

from tests.fuzz.builder import Builder, emitter
from tests.fuzz.meshes import Mesh
from tests.fuzz.ops.tuples import build
from tests.fuzz.shapes import Array, Value, listed


def _call(b: Builder, value: Value, shape: Array, target: str, sharding: str, words: str) -> Value:
    text = f'custom-call({value}), custom_call_target="{target}"{words}'
    return b.emit(shape, text, sharding=sharding)


def _pair(b: Builder, full: Array, shard: Array) -> tuple[str, str]:
    """Shardings for both sides of a conversion: mostly such as are made to fit each other."""
    mesh = b.module.mesh
    axes = (*mesh.axes, mesh.manual) if mesh.manual > 1 else mesh.axes
    whole = Mesh(axes)
    if mesh.manual == 1:
        return whole.sharding(b.rng, full), "{manual}"
    if b.chance(0.4):
        return whole.sharding(b.rng, full), mesh.tiled(b.rng, shard)
    place = b.rng.randrange(full.rank)
    copies = prod(mesh.axes)
    order = f"[{copies},{mesh.manual}]T(1,0)"
    dims = [mesh.manual if d == place else 1 for d in range(full.rank)]
    outside = f"{{devices=[{_commas([*dims, copies])}]<={order} last_tile_dim_replicate}}"
    dims = [1] * full.rank + [mesh.manual, copies]
    inside = f"{{devices=[{_commas(dims)}]<={order} last_tile_dims={{manual, replicated}}}}"
    return outside, inside


def _commas(numbers: list[int]) -> str:
    return listed(numbers)[1:-1]


def _open(b: Builder, rank: int) -> str:
    """Dimensions that are left unspecified, mostly none."""
    if not b.chance(0.3):
        return ""
    dims = sorted(b.rng.sample(range(rank), b.rng.randint(1, rank)))
    return f', backend_config="unspecified_dims=[{_commas(dims)}]"'


@emitter(1.2)
def manual_region(b: Builder) -> None:
    """A value made manual, some ops on it, and what they give made whole again."""
    full = b.pick_or_make()
    assert isinstance(full.shape, Array)
    tiles = [b.rng.choice((1, 1, 2)) if size % 2 == 0 else 1 for size in full.dims]
    shard = Array("f32", tuple(size // n for size, n in zip(full.dims, tiles, strict=True)))
    words = _open(b, full.rank)
    outside, inside = _pair(b, full.array, shard)
    placed = full
    if b.chance(0.9):
        placed = _call(b, full, full.array, "Sharding", outside, words)
    other = words if b.chance(0.9) else _open(b, full.rank)
    value = _call(b, placed, shard, "SPMDFullToShardShape", inside, other)
    _work(b)
    back = build(b, value.shape) if b.chance(0.7) else value
    words = _open(b, full.rank)
    outside, inside = _pair(b, full.array, shard)
    if b.chance(0.9):
        back = _call(b, back, shard, "Sharding", inside, words)
    other = words if b.chance(0.9) else _open(b, full.rank)
    _call(b, back, full.array, "SPMDShardToFullShape", outside, other)


def _work(b: Builder) -> None:
    for _ in range(b.rng.randint(0, 3)):
        b.step()
