"""Reductions, windows and sorts."""

from __future__ import annotations

from tests.fuzz.builder import Builder, emitter
from tests.fuzz.shapes import Array, Tuple, listed


@emitter(1.5)
def reduce(b: Builder) -> None:
    """A reduce over some dimensions, or none."""
    x = b.pick_or_make()
    gone = sorted(b.rng.sample(range(x.rank), b.rng.randint(0 if b.chance(0.1) else 1, x.rank)))
    left = tuple(size for d, size in enumerate(x.dims) if d not in gone)
    opcode = b.rng.choice(("add", "maximum", "multiply"))
    to_apply = b.module.reducer(opcode=opcode)
    operands = f"{x}, {b.scalar()}"
    b.emit(
        Array("f32", left), f"reduce({operands}), dimensions={listed(gone)}, to_apply=%{to_apply}"
    )


@emitter()
def reduce_variadic(b: Builder) -> None:
    """A reduce of two or three inputs."""
    x = b.pick_or_make()
    inputs = [x] + [b.like(x.shape) for _ in range(b.rng.randint(1, 2))]
    gone = sorted(b.rng.sample(range(x.rank), b.rng.randint(1, x.rank)))
    left = Array("f32", tuple(size for d, size in enumerate(x.dims) if d not in gone))
    inits = [b.scalar()] * len(inputs)
    to_apply = b.module.reducer(count=len(inputs))
    operands = ", ".join(map(str, [*inputs, *inits]))
    attributes = f"dimensions={listed(gone)}, to_apply=%{to_apply}"
    b.elements(b.emit(Tuple((left,) * len(inputs)), f"reduce({operands}), {attributes}"))


def window(b: Builder, dims: tuple[int, ...], *, dilated: bool) -> tuple[str, list[int]]:
    """A random window over dimensions, and the sizes that it leaves."""
    size, stride, pad, base, inner, left = [], [], [], [], [], []
    for extent in dims:
        k = min(b.rng.choice((1, 1, 2, 3)), extent)
        s = b.rng.choice((1, 1, 1, 2))
        low, high = (b.rng.choice((0, 0, 0, 1)) for _ in (0, 1))
        lhs = 2 if dilated and b.chance(0.1) else 1
        rhs = 2 if dilated and b.chance(0.1) else 1
        whole = (extent - 1) * lhs + 1 + low + high
        taken = (k - 1) * rhs + 1
        if taken > whole:
            k = taken = 1
        size.append(k)
        stride.append(s)
        pad.append(f"{low}_{high}")
        base.append(lhs)
        inner.append(rhs)
        left.append((whole - taken) // s + 1)
    words = [f"size={_by(size)}"]
    words += [f"stride={_by(stride)}"] * any(s > 1 for s in stride)
    words += [f"pad={_by(pad)}"] * any(p != "0_0" for p in pad)
    words += [f"lhs_dilate={_by(base)}"] * any(d > 1 for d in base)
    words += [f"rhs_dilate={_by(inner)}"] * any(d > 1 for d in inner)
    return "window={" + " ".join(words) + "}", left


def _by(items: list[int] | list[str]) -> str:
    return "x".join(map(str, items))


@emitter()
def reduce_window(b: Builder) -> None:
    """A reduce-window of one or two inputs, at times dilated."""
    x = b.pick_or_make()
    text, left = window(b, x.dims, dilated=b.chance(0.3))
    shape = Array("f32", tuple(left))
    if b.chance(0.6):
        to_apply = b.module.reducer(opcode=b.rng.choice(("add", "maximum")))
        b.emit(shape, f"reduce-window({x}, {b.scalar()}), {text}, to_apply=%{to_apply}")
        return
    y, init = b.like(x.shape), b.scalar()
    to_apply = b.module.reducer(count=2)
    both = Tuple((shape, shape))
    b.elements(
        b.emit(both, f"reduce-window({x}, {y}, {init}, {init}), {text}, to_apply=%{to_apply}")
    )


@emitter(0.7)
def select_and_scatter(b: Builder) -> None:
    """A select-and-scatter, the way back from a maximum over windows."""
    x = b.pick_or_make()
    text, left = window(b, x.dims, dilated=False)
    source = b.like(Array("f32", tuple(left)))
    select = b.module.comparator(("f32",), "GE")
    scatter = b.module.reducer()
    attributes = f"{text}, select=%{select}, scatter=%{scatter}"
    b.emit(x.shape, f"select-and-scatter({x}, {source}, {b.scalar()}), {attributes}")


@emitter()
def sort(b: Builder) -> None:
    """A sort of one to three operands."""
    x = b.pick_or_make()
    operands = [x] + [b.like(x.shape) for _ in range(b.rng.choice((0, 0, 1, 2)))]
    along = b.rng.randrange(x.rank)
    to_apply = b.module.comparator(["f32"] * len(operands))
    names = ", ".join(map(str, operands))
    attributes = f"dimensions={{{along}}}, to_apply=%{to_apply}"
    if len(operands) == 1:
        b.emit(x.shape, f"sort({names}), {attributes}")
    else:
        shape = Tuple((x.shape,) * len(operands))
        b.elements(b.emit(shape, f"sort({names}), {attributes}"))


@emitter(0.5)
def topk(b: Builder) -> None:
    """A topk: the op, or the custom call that JAX makes."""
    x = b.pick_or_make()
    k = b.rng.randint(1, x.dims[-1])
    dims = (*x.dims[:-1], k)
    shape = Tuple((Array("f32", dims), Array("s32", dims)))
    if b.chance(0.5):
        b.elements(b.emit(shape, f"topk({x}), k={k}, largest=true"))
    else:
        b.elements(b.emit(shape, f'custom-call({x}), custom_call_target="TopK"'))


@emitter(0.4)
def scan_windows(b: Builder) -> None:
    """A running sum, as a reduce-window over all that came before."""
    x = b.pick_or_make()
    along = b.rng.randrange(x.rank)
    size = [x.dims[d] if d == along else 1 for d in range(x.rank)]
    pad = [f"{x.dims[d] - 1}_0" if d == along else "0_0" for d in range(x.rank)]
    text = f"window={{size={_by(size)} pad={_by(pad)}}}"
    to_apply = b.module.reducer()
    b.emit(x.shape, f"reduce-window({x}, {b.scalar()}), {text}, to_apply=%{to_apply}")


@emitter(0.4)
def scan(b: Builder) -> None:
    """A scan along a dimension; XLA mostly fails on one that also carries a value."""
    x = b.pick_or_make()
    along = b.rng.randrange(x.rank)
    part = Array("f32", tuple(size for d, size in enumerate(x.dims) if d != along))
    words = f"dimensions={{{along}}}, is_associative=false"
    body = b.child()
    if b.chance(0.9):
        p = body.parameter(part, 0)
        root = body.emit(part, f"negate({p})", annotated=0)
        name = body.finish(root)
        b.emit(x.shape, f"scan({x}), {words}, num_carries=0, to_apply=%{name}")
        return
    carry, p = body.parameter(part, 0), body.parameter(part, 0)
    both = body.emit(part, f"add({carry}, {p})", annotated=0)
    root = body.emit(Tuple((part, part)), f"tuple({both}, {both})", annotated=0)
    text = f"scan({x}, {b.like(part)}), {words}, num_carries=1, to_apply=%{body.finish(root)}"
    b.elements(b.emit(Tuple((x.shape, part)), text))
