"""Ops that move elements about: transpose, reshape, slices, pads, concatenations."""

from __future__ import annotations

from tests.fuzz.builder import LARGEST, SIZES, Builder, emitter
from tests.fuzz.shapes import Array, Value, listed


@emitter(1.5)
def transpose(b: Builder) -> None:
    """A transpose."""
    x = b.pick_or_make(2)
    order = b.rng.sample(range(x.rank), x.rank)
    result = Array("f32", tuple(x.dims[d] for d in order))
    b.emit(result, f"transpose({x}), dimensions={listed(order)}")


@emitter(2)
def reshape(b: Builder) -> None:
    """A reshape: dimensions split, merged, of size 1 put in or taken out, or all anew."""
    x = b.pick_or_make()
    dims = list(x.dims)
    for _ in range(b.rng.randint(1, 3)):
        dims = _reshaped(b, dims)
    if b.fits(dims):
        b.emit(Array("f32", tuple(dims)), f"reshape({x})")


def _reshaped(b: Builder, dims: list[int]) -> list[int]:
    kind, dims = b.rng.random(), list(dims)
    if kind < 0.3 and dims:  # split
        at = b.rng.randrange(len(dims))
        factor = b.rng.choice([f for f in range(1, dims[at] + 1) if dims[at] % f == 0])
        dims[at : at + 1] = [factor, dims[at] // factor]
    elif kind < 0.6 and len(dims) > 1:  # merge
        at = b.rng.randrange(len(dims) - 1)
        dims[at : at + 2] = [dims[at] * dims[at + 1]]
    elif kind < 0.75:
        dims.insert(b.rng.randint(0, len(dims)), 1)
    elif kind < 0.85:
        dims = [size for size in dims if size != 1]
    else:
        return _anew(b, Array("f32", tuple(dims)).size)
    return dims


def _anew(b: Builder, size: int) -> list[int]:
    dims: list[int] = []
    while size > 1 and len(dims) < 3:
        factor = b.rng.choice(
            [f for f in range(1, size + 1) if size % f == 0 and f <= 16] or [size]
        )
        dims.append(factor)
        size //= factor
    return dims + [size] * (size > 1)


@emitter(1.5)
def broadcast(b: Builder) -> None:
    """A broadcast that adds dimensions; seldom one that also swaps those it has."""
    x = b.pick_or_make(0, 3)
    size = list(x.dims)
    places = list(range(x.rank))
    for _ in range(b.rng.randint(1, 2)):
        at = b.rng.randint(0, len(size))
        size.insert(at, b.rng.choice(SIZES))
        places = [place + (place >= at) for place in places]
    if x.rank > 1 and b.chance(0.05):
        b.rng.shuffle(places)
        for place, wanted in zip(places, x.dims, strict=True):
            size[place] = wanted
    if b.fits(size):
        b.emit(Array("f32", tuple(size)), f"broadcast({x}), dimensions={listed(places)}")


@emitter()
def slice_static(b: Builder) -> None:
    """A slice, at times with strides."""
    x = b.pick_or_make()
    parts, size = [], []
    for extent in x.dims:
        low = b.rng.choice((0, 0, 0, extent // 2))
        high = b.rng.choice((extent, extent, max(low + 1, extent // 2)))
        stride = 2 if b.chance(0.1) else 1
        parts.append(f"[{low}:{high}:{stride}]" if stride > 1 else f"[{low}:{high}]")
        size.append(-(-(high - low) // stride))
    b.emit(Array("f32", tuple(size)), f"slice({x}), slice={{{', '.join(parts)}}}")


@emitter()
def pad(b: Builder) -> None:
    """A pad: low, high, inside, or a negative one that cuts off."""
    x = b.pick_or_make()
    parts, size = [], []
    for extent in x.dims:
        low = b.rng.choice((0, 0, 0, extent, 1))
        high = b.rng.choice((0, 0, 0, 0, 1, -1 if extent + low > 1 else 0))
        inside = b.rng.choice((0, 0, 0, 0, 0, 1))
        parts.append(f"{low}_{high}_{inside}" if inside else f"{low}_{high}")
        size.append(low + high + extent + inside * (extent - 1))
    if b.fits(size):
        b.emit(Array("f32", tuple(size)), f"pad({x}, {b.scalar()}), padding={'x'.join(parts)}")


@emitter(1.2)
def concatenate(b: Builder) -> None:
    """A concatenate of one to three operands."""
    x = b.pick_or_make()
    along = b.rng.randrange(x.rank)

    def joins(v: Value) -> bool:
        return v.rank == x.rank and all(
            a == c for d, (a, c) in enumerate(zip(v.dims, x.dims, strict=True)) if d != along
        )

    operands = [x]
    for _ in range(b.rng.randint(0, 2)):
        operands.append(b.pick(joins) or x)
    size = list(x.dims)
    size[along] = sum(v.dims[along] for v in operands)
    if b.fits(size):
        names = ", ".join(map(str, operands))
        b.emit(Array("f32", tuple(size)), f"concatenate({names}), dimensions={{{along}}}")


@emitter(0.5)
def stacked_layers(b: Builder) -> None:
    """Parameters of repeated layers, reshaped and joined."""
    shape = b.shape(1, 3)
    operands = []
    for _ in range(2):
        x = b.like(shape)
        operands.append(b.emit(Array("f32", (1, *shape.dims)), f"reshape({x})", annotated=0.05))
    size = (2, *shape.dims)
    if Array("f32", size).size <= LARGEST:
        names = ", ".join(map(str, operands))
        b.emit(Array("f32", size), f"concatenate({names}), dimensions={{0}}")


@emitter()
def reverse(b: Builder) -> None:
    """A reverse of some dimensions."""
    x = b.pick_or_make()
    dims = sorted(b.rng.sample(range(x.rank), b.rng.randint(1, x.rank)))
    b.emit(x.shape, f"reverse({x}), dimensions={listed(dims)}")


def index(b: Builder) -> Value:
    """A scalar that says where a slice begins."""
    there = b.pick(lambda v: v.rank == 0, "s32")
    return there if there and b.chance(0.7) else b.scalar("s32")


@emitter()
def dynamic_slice(b: Builder) -> None:
    """A dynamic-slice."""
    x = b.pick_or_make()
    size = tuple(b.rng.choice((extent, max(1, extent // 2), 1)) for extent in x.dims)
    begins = ", ".join(str(index(b)) for _ in size)
    sizes = listed(list(size))
    b.emit(Array("f32", size), f"dynamic-slice({x}, {begins}), dynamic_slice_sizes={sizes}")


@emitter()
def dynamic_update_slice(b: Builder) -> None:
    """A dynamic-update-slice."""
    x = b.pick_or_make()
    size = tuple(b.rng.choice((extent, max(1, extent // 2), 1)) for extent in x.dims)
    update = b.like(Array("f32", size))
    begins = ", ".join(str(index(b)) for _ in size)
    b.emit(x.shape, f"dynamic-update-slice({x}, {update}, {begins})")
