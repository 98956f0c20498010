"""Gathers and scatters: batch dimensions by name or by counting indices, windows, slices."""

from __future__ import annotations

from dataclasses import dataclass

from tests.fuzz.builder import Builder, emitter
from tests.fuzz.shapes import Array, Tuple, Value, listed


@dataclass(frozen=True)
class Plan:
    """A gather, or the scatter with the same dimensions.

    `outer` are the dimension sizes of a gather's result, or of a scatter's update; `sizes` are
    those of a slice.
    """

    operand: Value
    indices: Value
    outer: tuple[int, ...]
    offsets: list[int]
    collapsed: list[int]
    index_map: list[int]
    operand_batch: list[int]
    index_batch: list[int]
    vector_dim: int
    sizes: list[int]


def plan(b: Builder) -> Plan | None:
    """Draw a gather over an operand that is there."""
    x = b.pick_or_make()
    count = b.rng.randint(1, min(3, x.rank))
    mapped = b.rng.sample(range(x.rank), count)
    free = [d for d in range(x.rank) if d not in mapped]
    operand_batch = sorted(d for d in free if b.chance(0.2))
    batch = [b.rng.choice((1, 2, 4, 8, 3)) for _ in range(b.rng.randint(0, 2))]
    index_batch: list[int] = []
    for d in operand_batch:
        at = b.rng.randint(0, len(batch))
        batch.insert(at, x.dims[d])
        index_batch = [place + (place >= at) for place in index_batch] + [at]
    sizes = [_taken(b, d in mapped, d in operand_batch, n) for d, n in enumerate(x.dims)]
    able = [d for d in range(x.rank) if sizes[d] == 1 and d not in operand_batch]
    collapsed = [d for d in able if b.chance(0.85 if d in mapped else 0.1)]
    vector_dim = len(batch) if b.chance(0.85) else b.rng.randint(0, len(batch))
    indices = _indices(b, x, batch, mapped, index_batch, vector_dim)
    kept = [d for d in range(x.rank) if d not in collapsed and d not in operand_batch]
    rank = len(batch) + len(kept)
    offsets = sorted(b.rng.sample(range(rank), len(kept)))
    if b.chance(0.4):
        offsets = list(range(len(batch), rank))
    windows, places = iter([sizes[d] for d in kept]), iter(batch)
    outer = [next(windows) if d in offsets else next(places) for d in range(rank)]
    if not b.fits(outer):
        return None
    return Plan(
        x,
        indices,
        tuple(outer),
        offsets,
        collapsed,
        mapped,
        operand_batch,
        [place + (place >= vector_dim) for place in index_batch],
        vector_dim,
        sizes,
    )


def _taken(b: Builder, mapped: bool, batch: bool, size: int) -> int:
    if batch:
        return 1
    if mapped:
        return b.rng.choice((1, 1, 1, 1, size, max(1, size // 2)))
    return b.rng.choice((size, size, size, max(1, size // 2), 1))


def _indices(
    b: Builder, x: Value, batch: list[int], mapped: list[int], named: list[int], vector_dim: int
) -> Value:
    """Indices whose parts count up along a dimension, or do not."""
    implicit = vector_dim == len(batch) and len(mapped) == 1 and b.chance(0.15)
    free = [d for d in range(len(batch)) if d not in named]
    sources = []
    for d in mapped:
        along = b.rng.choice(free) if free and b.chance(0.45) else None
        if along is not None and b.chance(0.8):
            batch[along] = x.dims[d]
        sources.append(along)
    if implicit:  # no index vector dimension: each index is a scalar
        return _part(b, tuple(batch), sources[0])
    widths = [*batch[:vector_dim], 1, *batch[vector_dim:]]
    parts = []
    for along in sources:
        place = None if along is None else along + (along >= vector_dim)
        parts.append(_part(b, tuple(widths), place))
    if len(parts) == 1:
        return _wrapped(b, parts[0])
    widths[vector_dim] = len(parts)
    names = ", ".join(map(str, parts))
    text = f"concatenate({names}), dimensions={{{vector_dim}}}"
    return _wrapped(b, b.emit(Array("s32", tuple(widths)), text, annotated=0.1))


def _wrapped(b: Builder, x: Value) -> Value:
    while b.chance(0.15):
        x = b.emit(x.shape, f"copy({x})", annotated=0.05)
    return x


def _part(b: Builder, dims: tuple[int, ...], along: int | None) -> Value:
    shape = Array("s32", dims)
    if along is None:
        there = b.pick(lambda v: v.dims == dims, "s32")
        return there if there and b.chance(0.5) else b.make(shape, 0.4)
    kind = b.rng.random()
    if kind < 0.5:
        return b.emit(shape, f"iota(), iota_dimension={along}", annotated=0.1)
    size = dims[along]
    vector = Array("s32", (size,))
    if kind < 0.75 or size > 8:
        line = b.emit(vector, "iota(), iota_dimension=0", annotated=0.1)
    else:
        first, step = b.rng.choice(((0, 1), (0, 1), (2, 1), (0, 2), (size, -1)))
        values = ", ".join(str(first + step * i) for i in range(size))
        line = b.emit(vector, f"constant({{{values}}})", annotated=0.1)
    if size == dims[-1] and len(dims) == 2 and size <= 4 and b.chance(0.3):
        row = "{" + ",".join(map(str, range(size))) + "}"
        return b.emit(shape, f"constant({{{', '.join([row] * dims[0])}}})", annotated=0.1)
    if b.chance(0.2):
        line = b.emit(vector, f"{b.rng.choice(('copy', 'negate'))}({line})", annotated=0.05)
    return b.emit(shape, f"broadcast({line}), dimensions={{{along}}}", annotated=0.1)


@emitter(2)
def gather(b: Builder) -> None:
    """A gather."""
    p = plan(b)
    if p is None:
        return
    words = [
        f"offset_dims={listed(p.offsets)}",
        f"collapsed_slice_dims={listed(p.collapsed)}",
        f"start_index_map={listed(p.index_map)}",
    ]
    if p.operand_batch:
        words.append(f"operand_batching_dims={listed(p.operand_batch)}")
        words.append(f"start_indices_batching_dims={listed(p.index_batch)}")
    words.append(f"index_vector_dim={p.vector_dim}")
    words.append(f"slice_sizes={listed(p.sizes)}")
    b.emit(Array("f32", p.outer), f"gather({p.operand}, {p.indices}), {', '.join(words)}")


@emitter(2)
def scatter(b: Builder) -> None:
    """A scatter of one to three operands."""
    p = plan(b)
    if p is None:
        return
    count = b.rng.choice((1, 1, 1, 2, 3))
    operands = [p.operand] + [b.like(p.operand.shape) for _ in range(count - 1)]
    updates = [b.like(Array("f32", p.outer)) for _ in range(count)]
    words = [
        f"update_window_dims={listed(p.offsets)}",
        f"inserted_window_dims={listed(p.collapsed)}",
        f"scatter_dims_to_operand_dims={listed(p.index_map)}",
    ]
    if p.operand_batch:
        words.append(f"input_batching_dims={listed(p.operand_batch)}")
        words.append(f"scatter_indices_batching_dims={listed(p.index_batch)}")
    words.append(f"index_vector_dim={p.vector_dim}")
    words.append(f"to_apply=%{b.module.reducer(count=count)}")
    names = ", ".join(map(str, [*operands, p.indices, *updates]))
    text = f"scatter({names}), {', '.join(words)}"
    if count == 1:
        b.emit(p.operand.shape, text)
    else:
        b.elements(b.emit(Tuple((p.operand.shape,) * count), text))


@emitter(0.6)
def take_along(b: Builder) -> None:
    """A gather along one dimension, its others counted by iotas, as JAX used to write it."""
    x = b.pick_or_make(2, 3)
    along = b.rng.randrange(x.rank)
    batch = list(x.dims)
    batch[along] = b.rng.choice((2, 4, x.dims[along]))
    part = Array("s32", (*batch, 1))
    parts = []
    for d in range(x.rank):
        if d == along:
            parts.append(b.make(part, 0.4))
        else:
            parts.append(b.emit(part, f"iota(), iota_dimension={d}", annotated=0.1))
    names = ", ".join(map(str, parts))
    shape = Array("s32", (*batch, x.rank))
    indices = b.emit(shape, f"concatenate({names}), dimensions={{{x.rank}}}", annotated=0.1)
    words = [
        "offset_dims={}",
        f"collapsed_slice_dims={listed(range(x.rank))}",
        f"start_index_map={listed(range(x.rank))}",
        f"index_vector_dim={x.rank}",
        f"slice_sizes={listed([1] * x.rank)}",
    ]
    b.emit(Array("f32", tuple(batch)), f"gather({x}, {indices}), {', '.join(words)}")
