"""Custom calls, linear algebra, Sharding calls and barriers."""

from __future__ import annotations

from tests.fuzz.builder import Builder, emitter
from tests.fuzz.shapes import Array, Tuple, Value, listed

SAME_SHAPE = ("own", "Cholesky", "LayoutConstraint", "MoveToHost", "MoveToDevice", "ResizeNearest")


def _custom(operands: list[Value], target: str, *words: str) -> str:
    names = ", ".join(map(str, operands))
    return ", ".join([f'custom-call({names}), custom_call_target="{target}"', *words])


@emitter(2)
def sharding_call(b: Builder) -> None:
    """A Sharding call; of a tiled one some dimensions may be unspecified."""
    x = b.pick_or_make()
    sharding = b.sharding(x.shape)
    words = []
    if "devices=" in sharding and b.chance(0.4):
        open_dims = sorted(b.rng.sample(range(x.rank), b.rng.randint(1, x.rank)))
        words.append(f'backend_config="unspecified_dims=[{listed(open_dims)[1:-1]}]"')
    b.emit(x.shape, _custom([x], "Sharding", *words), sharding=sharding)


@emitter(0.8)
def custom_call(b: Builder) -> None:
    """A custom call that XLA knows, or one it does not."""
    x = b.pick_or_make()
    target = b.rng.choice(SAME_SHAPE)
    words = ["custom_call_has_side_effect=true"] if b.chance(0.15) else []
    if target == "own" and b.chance(0.5):
        operands = [x] + [b.pick_or_make(0) for _ in range(b.rng.randint(0, 2))]
        b.emit(b.shape(0, 3), _custom(operands, target, *words))
    else:
        b.emit(x.shape, _custom([x], target, *words))


@emitter(0.3)
def resize(b: Builder) -> None:
    """A resize, which changes sizes but not the rank."""
    x = b.pick_or_make(2)
    dims = (x.dims[0], *(max(1, size * 2 // b.rng.choice((1, 2, 4))) for size in x.dims[1:]))
    if b.fits(dims):
        target = b.rng.choice(("ResizeBilinear", "ResizeNearest", "ResizeBilinearGrad"))
        b.emit(Array("f32", dims), _custom([x], target))


@emitter(0.3)
def combine(b: Builder) -> None:
    """An X64Combine of two halves."""
    x = b.pick_or_make(element="u32")
    y = b.like(x.shape)
    b.emit(x.array.of("u64"), _custom([x, y], "X64Combine"))


@emitter(0.8)
def lapack(b: Builder) -> None:
    """A batched call of LAPACK, as JAX makes it."""
    x = b.pick_or_make(2)
    batch = b.rng.randint(0, x.rank)
    words = [
        "api_version=API_VERSION_TYPED_FFI",
        f'frontend_attributes={{num_batch_dims="{batch}"}}',
    ]
    kind = b.rng.randrange(3)
    if kind == 0:
        y = b.pick(lambda v: v.dims[:batch] == x.dims[:batch]) or x
        b.emit(y.shape, _custom([x, y], "lapack_strsm_ffi", *words))
    elif kind == 1:
        tau = Array("f32", (*x.dims[:-2], min(x.dims[-2:])))
        shape = Tuple((x.shape, tau))
        b.elements(b.emit(shape, _custom([x], "lapack_sgeqrf_ffi", *words)))
    else:
        m, n = x.dims[-2:]
        pre = x.dims[:-2]
        parts = ((m, n), (min(m, n),), (m, m), (n, n), ())
        shape = Tuple(tuple(Array("f32", (*pre, *part)) for part in parts))
        b.elements(b.emit(shape, _custom([x], "lapack_sgesdd_ffi", *words)))


@emitter(0.4)
def cholesky(b: Builder) -> None:
    """A cholesky decomposition of square matrices."""
    x = b.pick(lambda v: v.rank >= 2 and v.dims[-1] == v.dims[-2])
    if x is None:
        n = b.rng.choice((2, 4, 8))
        x = b.make(Array("f32", (*b.shape(0, 2).dims, n, n)))
    b.emit(x.shape, f"cholesky({x}), lower={b.rng.choice(('true', 'false'))}")


@emitter(0.4)
def triangular_solve(b: Builder) -> None:
    """A triangular solve with square matrices on the left."""
    y = b.pick_or_make(2)
    a = b.like(Array("f32", (*y.dims[:-1], y.dims[-2])))
    words = "left_side=true, lower=true, unit_diagonal=false, transpose_a=NO_TRANSPOSE"
    b.emit(y.shape, f"triangular-solve({a}, {y}), {words}")


@emitter(0.4)
def fft(b: Builder) -> None:
    """A Fourier transform, of complex or real numbers."""
    x = b.pick_or_make()
    n = x.dims[-1]
    if b.chance(0.5):
        z = b.emit(x.array.of("c64"), f"complex({x}, {b.like(x.shape)})")
        y = b.emit(z.shape, f"fft({z}), fft_type=FFT, fft_length={{{n}}}")
        b.emit(x.shape, f"real({y})")
    else:
        half = Array("c64", (*x.dims[:-1], n // 2 + 1))
        z = b.emit(half, f"fft({x}), fft_type=RFFT, fft_length={{{n}}}")
        b.emit(x.shape, f"fft({z}), fft_type=IRFFT, fft_length={{{n}}}")


@emitter(0.5)
def barrier(b: Builder) -> None:
    """An optimization barrier of one array."""
    x = b.pick_or_make(0)
    b.emit(x.shape, f"opt-barrier({x})")


@emitter(0.3)
def device_id(b: Builder) -> None:
    """The number of a partition or replica."""
    b.emit(Array("u32", ()), f"{b.rng.choice(('partition-id', 'replica-id'))}()")


@emitter(0.2)
def dimension_size(b: Builder) -> None:
    """The size of a dimension, and an array with a dynamic one."""
    x = b.pick_or_make()
    d = b.rng.randrange(x.rank)
    b.emit(Array("s32", ()), f"get-dimension-size({x}), dimensions={{{d}}}")
