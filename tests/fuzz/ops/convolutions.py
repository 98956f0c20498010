"""Convolutions: windows of all kinds, groups, and dots that are written as convolutions."""

from __future__ import annotations

from dataclasses import dataclass

from tests.fuzz.builder import Builder, emitter
from tests.fuzz.shapes import Array


@dataclass(frozen=True)
class Spatial:
    """One spatial dimension: sizes of input, kernel and result, and the window."""

    lhs: int
    rhs: int
    out: int
    size: int
    stride: int = 1
    low: int = 0
    high: int = 0
    base: int = 1
    inner: int = 1
    reversal: int = 0


def _windowed(b: Builder) -> Spatial:
    lhs = b.rng.choice((4, 5, 6, 8, 8))
    k = b.rng.choice((1, 2, 3, 3, lhs))
    stride = b.rng.choice((1, 1, 1, 2))
    low, high = b.rng.choice(((0, 0), (0, 0), (1, 1), (k - 1, 0), (k - 1, k - 1)))
    base = b.rng.choice((1, 1, 1, 1, 2))
    inner = b.rng.choice((1, 1, 1, 1, 2))
    whole = (lhs - 1) * base + 1 + low + high
    taken = (k - 1) * inner + 1
    if taken > whole:
        k = taken = 1
    reversal = int(b.chance(0.1))
    out = (whole - taken) // stride + 1
    return Spatial(lhs, k, out, k, stride, low, high, base, inner, reversal)


def _batch(b: Builder) -> Spatial:
    """A batch dimension of a dot, in one of three spellings."""
    n = b.rng.choice((2, 4, 8))
    kind = b.rng.randrange(3)
    if kind == 0:
        return Spatial(n, n, n, n, stride=max(1, n - 1), base=n)
    if kind == 1:
        return Spatial(n, n, n, n, base=n, inner=max(1, n - 1))
    if n == 2:
        return Spatial(n, n, n, n, stride=n, low=n - 1, high=n - 1, base=n - 1, reversal=1)
    whole = (n - 1) * (n - 1) + 1 + 2 * (n - 1)
    out = (whole - n) // n + 1
    return Spatial(n, n, out, n, stride=n, low=n - 1, high=n - 1, base=n - 1, reversal=1)


def _contracting(b: Builder) -> Spatial:
    n = b.rng.choice((2, 4, 8))
    return Spatial(n, n, 1, n, stride=b.rng.choice((1, 1, n)))


def _lhs_free(b: Builder) -> Spatial:
    n = b.rng.choice((2, 4, 8))
    return Spatial(n, 1, n, 1)


def _rhs_free(b: Builder) -> Spatial:
    n = b.rng.choice((2, 4, 8))
    return Spatial(1, n, n, n, low=n - 1, high=n - 1, reversal=1)


KINDS = (_windowed, _batch, _contracting, _lhs_free, _rhs_free)


def _window(dims: list[Spatial]) -> str:
    words = [f"size={'x'.join(str(d.size) for d in dims)}"]
    if any(d.stride > 1 for d in dims):
        words.append(f"stride={'x'.join(str(d.stride) for d in dims)}")
    if any(d.low or d.high for d in dims):
        words.append(f"pad={'x'.join(f'{d.low}_{d.high}' for d in dims)}")
    for name, values in (
        ("lhs_dilate", [d.base for d in dims]),
        ("rhs_dilate", [d.inner for d in dims]),
    ):
        if any(v > 1 for v in values):
            words.append(f"{name}={'x'.join(map(str, values))}")
    if any(d.reversal for d in dims):
        words.append(f"rhs_reversal={'x'.join(str(d.reversal) for d in dims)}")
    return "window={" + " ".join(words) + "}"


def _emit(b: Builder, dims: list[Spatial], groups: int, batch_groups: int) -> None:
    """Emit a convolution with its dimensions in a random order."""
    batch = b.rng.choice((2, 4, 8)) * batch_groups
    feature = b.rng.choice((1, 2, 4)) * groups
    outputs = b.rng.choice((1, 2, 4)) * groups * batch_groups
    spatial = list(map(str, range(len(dims))))
    mixed = b.chance(0.4)
    labels: list[str] = []
    shapes: list[Array] = []
    for first, sizes in (
        ("bf", {"b": batch, "f": feature}),
        ("io", {"i": feature // groups, "o": outputs}),
        ("bf", {"b": batch // batch_groups, "f": outputs}),
    ):
        side = ("lhs", "rhs", "out")[len(shapes)]
        sizes |= {s: getattr(d, side) for s, d in zip(spatial, dims, strict=True)}
        usual = [first[0], *spatial, first[1]] if first == "bf" else [*spatial, *first]
        order = b.rng.sample(usual, len(usual)) if mixed else usual
        labels.append("".join(order))
        shapes.append(Array("f32", tuple(sizes[label] for label in order)))
    if not all(b.fits(shape.dims) for shape in shapes):
        return
    lhs, rhs = b.like(shapes[0]), b.like(shapes[1])
    words = ["window={}" if not dims else _window(dims)]
    words.append(f"dim_labels={labels[0]}_{labels[1]}->{labels[2]}")
    words += [f"feature_group_count={groups}"] * (groups > 1)
    words += [f"batch_group_count={batch_groups}"] * (batch_groups > 1)
    b.emit(shapes[2], f"convolution({lhs}, {rhs}), {', '.join(words)}")


@emitter(1.2)
def convolution(b: Builder) -> None:
    """A convolution over one or two spatial dimensions."""
    _emit(b, [_windowed(b) for _ in range(b.rng.randint(1, 2))], 1, 1)


@emitter(0.8)
def convolution_grouped(b: Builder) -> None:
    """A convolution of feature groups or batch groups."""
    groups = b.rng.choice((2, 2, 4))
    dims = [b.rng.choice(KINDS)(b) for _ in range(b.rng.randint(1, 2))]
    if b.chance(0.6):
        _emit(b, dims, groups, 1)
    else:
        _emit(b, dims, 1, groups)


@emitter()
def convolution_as_dot(b: Builder) -> None:
    """A dot written as a convolution, at times with one real window among its dimensions."""
    dims = [b.rng.choice(KINDS[1:])(b) for _ in range(b.rng.randint(0, 3))]
    if b.chance(0.2) and dims:
        dims[0] = _windowed(b)
    _emit(b, dims, 1, 1)


@emitter(0.7)
def convolution_same(b: Builder) -> None:
    """A convolution that fits a value which is there, and keeps its spatial size."""
    x = b.pick(lambda v: v.rank in (3, 4) and all(size <= 16 for size in v.dims))
    if x is None:
        return
    outputs = b.rng.choice((2, 4, x.dims[-1]))
    spatial = [
        Spatial(size, k, size, k, low=k // 2, high=(k - 1) // 2)
        for size in x.dims[1:-1]
        for k in [b.rng.choice((1, 2, 3))]
    ]
    kernel = (*(d.rhs for d in spatial), x.dims[-1], outputs)
    result = (*x.dims[:-1], outputs)
    digits = "".join(map(str, range(len(spatial))))
    if b.fits(result) and b.fits(kernel):
        w = b.like(Array("f32", kernel))
        labels = f"b{digits}f_{digits}io->b{digits}f"
        b.emit(
            Array("f32", result),
            f"convolution({x}, {w}), {_window(spatial)}, dim_labels={labels}",
        )
