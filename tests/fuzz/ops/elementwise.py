"""Elementwise ops, constants, iota and random numbers."""

from __future__ import annotations

from tests.fuzz.builder import Builder, emitter
from tests.fuzz.shapes import Array, Tuple, listed

UNARY = [
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atanh",
    "cbrt",
    "ceil",
    "copy",
    "cosh",
    "cosine",
    "erf",
    "exponential",
    "exponential-minus-one",
    "floor",
    "log",
    "log-plus-one",
    "logistic",
    "negate",
    "round-nearest-afz",
    "round-nearest-even",
    "rsqrt",
    "sign",
    "sine",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
]
BINARY = ["add", "atan2", "divide", "maximum", "minimum", "multiply", "remainder", "subtract"]
SHIFTS = ["shift-left", "shift-right-arithmetic", "shift-right-logical"]
INTEGER = ["add", "and", "multiply", "or", "xor"]


@emitter(2)
def unary(b: Builder) -> None:
    """An op with one operand."""
    x = b.pick_or_make(0)
    b.emit(x.shape, f"{b.rng.choice(UNARY)}({x})")


@emitter(3)
def binary(b: Builder) -> None:
    """An op with two operands, of which either may decide."""
    x = b.pick_or_make(0)
    b.emit(x.shape, f"{b.rng.choice(BINARY)}({x}, {b.like(x.shape)})")


@emitter(0.5)
def power(b: Builder) -> None:
    """An op whose first operand decides."""
    x = b.pick_or_make(0)
    b.emit(x.shape, f"power({x}, {b.like(x.shape)})")


@emitter(0.5)
def integers(b: Builder) -> None:
    """Ops on integers: shifts, logic, counting."""
    x = b.pick(element="s32") or b.make(b.shape(1, 3, "s32"))
    kind = b.rng.random()
    if kind < 0.3:
        b.emit(x.shape, f"{b.rng.choice(SHIFTS)}({x}, {b.like(x.shape)})")
    elif kind < 0.7:
        b.emit(x.shape, f"{b.rng.choice(INTEGER)}({x}, {b.like(x.shape)})")
    else:
        b.emit(x.shape, f"{b.rng.choice(('not', 'popcnt', 'count-leading-zeros'))}({x})")


@emitter()
def select(b: Builder) -> None:
    """A comparison, and mostly a select by it."""
    x = b.pick_or_make(0)
    condition = b.pick(lambda v: v.dims == x.dims, "pred")
    if condition is None or b.chance(0.3):
        direction = b.rng.choice(("LT", "EQ"))
        text = f"compare({x}, {b.like(x.shape)}), direction={direction}"
        condition = b.emit(x.array.of("pred"), text)
    if b.chance(0.8):
        b.emit(x.shape, f"select({condition}, {x}, {b.like(x.shape)})")


@emitter(0.6)
def clamp(b: Builder) -> None:
    """A clamp between scalars or arrays."""
    x = b.pick_or_make(0)
    low, high = (b.scalar() if b.chance(0.5) else b.like(x.shape) for _ in (0, 1))
    b.emit(x.shape, f"clamp({low}, {x}, {high})")


@emitter()
def convert(b: Builder) -> None:
    """A change of type, of the same width or another."""
    x = b.pick(element=b.rng.choice(("s32", "f32", "pred", "u32"))) or b.pick_or_make()
    element = b.rng.choice(("f32", "f32", "s32", "bf16"))
    b.emit(x.array.of(element), f"convert({x})")


@emitter(0.4)
def bitcast_convert(b: Builder) -> None:
    """A reinterpretation of bits; a narrower type gets one more dimension."""
    x = b.pick_or_make()
    if b.chance(0.6):
        b.emit(x.array.of("u32"), f"bitcast-convert({x})")
    elif b.fits((*x.dims, 2)):
        narrow = b.emit(Array("u16", (*x.dims, 2)), f"bitcast-convert({x})")
        b.emit(x.shape, f"bitcast-convert({narrow})")


@emitter(0.3)
def bitcast(b: Builder) -> None:
    """A bitcast, to the same shape or another of as many elements."""
    x = b.pick_or_make()
    dims = list(x.dims)
    if b.chance(0.5):
        b.rng.shuffle(dims)
    b.emit(Array("f32", tuple(dims)), f"bitcast({x})")


@emitter(0.3)
def complex_parts(b: Builder) -> None:
    """Complex numbers and their parts."""
    x = b.pick_or_make(0)
    z = b.emit(x.array.of("c64"), f"complex({x}, {b.like(x.shape)})")
    b.emit(x.shape, f"{b.rng.choice(('real', 'imag'))}({z})")


@emitter(0.3)
def odd_unary(b: Builder) -> None:
    """Elementwise ops with attributes or results of another type."""
    x = b.pick_or_make(0)
    kind = b.rng.randrange(3)
    if kind == 0:
        b.emit(x.shape, f"reduce-precision({x}), exponent_bits=8, mantissa_bits=10")
    elif kind == 1:
        b.emit(x.array.of("pred"), f"is-finite({x})")
    else:
        bits = b.like(x.array.of("u32"))
        b.emit(x.array.of("bf16"), f"stochastic-convert({x}, {bits})")


@emitter(0.6)
def map_scalars(b: Builder) -> None:
    """A map of a computation over all dimensions."""
    x = b.pick_or_make()
    dims = listed(range(x.rank))
    if b.chance(0.6):
        combine = b.module.reducer()
        b.emit(x.shape, f"map({x}, {b.like(x.shape)}), dimensions={dims}, to_apply=%{combine}")
    else:
        body = b.child()
        scalar = body.parameter(Array("f32", ()), 0)
        root = body.emit(scalar.shape, f"negate({scalar})", annotated=0)
        b.emit(x.shape, f"map({x}), dimensions={dims}, to_apply=%{body.finish(root)}")


@emitter()
def iota(b: Builder) -> None:
    """An iota, often turned into floats."""
    shape = b.shape(1, 3, "s32")
    x = b.emit(shape, f"iota(), iota_dimension={b.rng.randrange(shape.rank)}")
    if b.chance(0.7):
        b.emit(shape.of("f32"), f"convert({x})")


@emitter(0.5)
def constant(b: Builder) -> None:
    """A small constant array."""
    size = b.rng.choice((2, 3, 4, 8))
    values = ", ".join(str(b.rng.randrange(9)) for _ in range(size))
    b.emit(Array("f32", (size,)), f"constant({{{values}}})")


@emitter(0.5)
def rng(b: Builder) -> None:
    """Random numbers between two scalars."""
    shape = b.pick_or_make().shape
    low, high = b.scalar(), b.scalar()
    b.emit(shape, f"rng({low}, {high}), distribution=rng_{b.rng.choice(('uniform', 'normal'))}")


@emitter(0.6)
def rng_bits(b: Builder) -> None:
    """Random bits from a state, whose next value may be used."""
    shape = b.pick_or_make().array
    state = b.pick(lambda v: v.dims == (2,), "u64")
    if state is None:
        state = b.emit(Array("u64", (2,)), "constant({1, 2})", annotated=0.1)
        if b.chance(0.4):
            state = b.emit(state.shape, f"not({state})")
    result = Tuple((state.shape, shape.of("u32")))
    algorithm = b.rng.choice(("rng_default", "rng_three_fry"))
    both = b.emit(result, f"rng-bit-generator({state}), algorithm={algorithm}")
    b.emit(shape, f"convert({b.element(both, 1)})")
    if b.chance(0.4):
        b.element(both, 0)


@emitter(0.2)
def rng_state(b: Builder) -> None:
    """A state of random numbers that the device keeps, fed to a generator."""
    state = b.emit(Array("u64", (2,)), "rng-get-and-update-state(), delta=1")
    shape = b.shape(1, 3, "u32")
    result = Tuple((state.shape, shape))
    both = b.emit(result, f"rng-bit-generator({state}), algorithm=rng_philox")
    b.emit(shape.of("f32"), f"convert({b.element(both, 1)})")
