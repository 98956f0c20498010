"""Dots: batch, contracting and free dimensions in any order."""

from __future__ import annotations

from tests.fuzz.builder import Builder, emitter
from tests.fuzz.shapes import Array, Value, listed


@emitter(3)
def dot(b: Builder) -> None:
    """A dot of two arrays that share dimensions of equal size."""
    x = b.pick_or_make(1)
    y = b.pick_or_make(1) if b.chance(0.6) else _partner(b, x)
    pairs = [(i, j) for i in range(x.rank) for j in range(y.rank) if x.dims[i] == y.dims[j]]
    b.rng.shuffle(pairs)
    batch: list[tuple[int, int]] = []
    contracting: list[tuple[int, int]] = []
    used: set[tuple[str, int]] = set()
    for i, j in pairs:
        kind = b.rng.random()
        if kind > 0.65 or {("x", i), ("y", j)} & used:
            continue
        (contracting if kind < 0.4 else batch).append((i, j))
        used |= {("x", i), ("y", j)}
    left = [size for d, size in enumerate(x.dims) if ("x", d) not in used]
    right = [size for d, size in enumerate(y.dims) if ("y", d) not in used]
    result = [x.dims[i] for i, _ in batch] + left + right
    if not b.fits(result):
        return
    words = []
    for name, kind_pairs in (("batch", batch), ("contracting", contracting)):
        if kind_pairs:
            words.append(f"lhs_{name}_dims={listed([i for i, _ in kind_pairs])}")
            words.append(f"rhs_{name}_dims={listed([j for _, j in kind_pairs])}")
    b.emit(Array("f32", tuple(result)), ", ".join([f"dot({x}, {y})", *words]))


def _partner(b: Builder, x: Value) -> Value:
    """An array that shares some dimensions with another."""
    shared = [size for size in x.dims if b.chance(0.6)]
    dims = shared + [b.rng.choice((2, 4, 8)) for _ in range(b.rng.randint(0, 1))]
    b.rng.shuffle(dims)
    return b.like(Array("f32", tuple(dims or x.dims[:1])))


@emitter(1.5)
def matmul(b: Builder) -> None:
    """A plain product of matrices, as layers of a network have."""
    x = b.pick_or_make(2)
    wide = b.rng.choice((2, 4, 8, 16))
    w = b.like(Array("f32", (x.dims[-1], wide)))
    result = (*x.dims[:-1], wide)
    if b.fits(result):
        dims = f"lhs_contracting_dims={{{x.rank - 1}}}, rhs_contracting_dims={{0}}"
        b.emit(Array("f32", result), f"dot({x}, {w}), {dims}")


@emitter(0.5)
def attention(b: Builder) -> None:
    """Two products with the same batch dimensions, one behind the other."""
    batch, heads, length, size = (b.rng.choice((2, 4, 8)) for _ in range(4))
    q, k, v = (b.like(Array("f32", (batch, heads, length, size))) for _ in range(3))
    both = "lhs_batch_dims={0,1}, rhs_batch_dims={0,1}"
    scores = b.emit(
        Array("f32", (batch, heads, length, length)),
        f"dot({q}, {k}), {both}, lhs_contracting_dims={{3}}, rhs_contracting_dims={{3}}",
    )
    weights = b.emit(scores.shape, f"exponential({scores})")
    dims = f"{both}, lhs_contracting_dims={{3}}, rhs_contracting_dims={{2}}"
    b.emit(q.shape, f"dot({weights}, {v}), {dims}")


@emitter(0.3)
def ragged_dot(b: Builder) -> None:
    """A dot whose rows belong to groups of given sizes."""
    m, k, n, groups = (b.rng.choice((2, 4, 8)) for _ in range(4))
    x = b.like(Array("f32", (m, k)))
    w = b.like(Array("f32", (groups, k, n)))
    sizes = b.like(Array("s32", (groups,)))
    dims = "lhs_contracting_dims={1}, rhs_contracting_dims={1}"
    ragged = "lhs_ragged_dims={0}, rhs_group_dims={0}"
    b.emit(Array("f32", (m, n)), f"ragged-dot({x}, {w}, {sizes}), {dims}, {ragged}")


@emitter(0.3)
def scaled_dot(b: Builder) -> None:
    """A product of matrices in small floats, with scales for blocks of them."""
    m, k, n = (b.rng.choice((2, 4, 8)) for _ in range(3))
    x, y = b.like(Array("f32", (m, k))), b.like(Array("f32", (n, k)))
    scales = [b.like(Array("f32", (rows, b.rng.choice((1, 2))))) for rows in (m, n)]
    dims = "lhs_contracting_dims={1}, rhs_contracting_dims={1}"
    b.emit(Array("f32", (m, n)), f"scaled-dot({x}, {y}, {scales[0]}, {scales[1]}), {dims}")
