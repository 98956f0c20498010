"""Dynamic sizes, batch norms, fusions and other ops that XLA mostly leaves alone."""

from __future__ import annotations

from tests.fuzz.builder import Builder, emitter
from tests.fuzz.shapes import Array, Tuple, listed


@emitter(0.3)
def dynamic_size(b: Builder) -> None:
    """An array whose first dimension is cut at run time, and its size."""
    x = b.pick_or_make()
    d = b.rng.randrange(x.rank)
    sizes = [f"<={n}" if i == d else str(n) for i, n in enumerate(x.dims)]
    name = b.module.name()
    size = b.scalar("s32")
    shape = f"f32[{','.join(sizes)}]"
    sharding = f", sharding={b.sharding(x.shape)}" if b.chance(0.15) else ""
    b.lines.append(
        f"  %{name} = {shape} set-dimension-size({x}, {size}), dimensions={{{d}}}{sharding}"
    )
    after = b.module.name()
    b.lines.append(f"  %{after} = {shape} negate(%{name})")
    b.emit(Array("s32", ()), f"get-dimension-size(%{after}), dimensions={{{d}}}")


@emitter(0.6)
def batch_norm(b: Builder) -> None:
    """A batch norm: training, inference, or the gradient."""
    x = b.pick_or_make()
    d = b.rng.randrange(x.rank)
    feature = Array("f32", (x.dims[d],))
    words = f"epsilon=0.001, feature_index={d}"
    kind = b.rng.choice(("training", "inference", "grad"))
    few = [b.like(feature) for _ in range({"training": 2, "inference": 4, "grad": 3}[kind])]
    operands = [x, *few] + [b.like(x.shape)] * (kind == "grad")
    text = f"batch-norm-{kind}({', '.join(map(str, operands))}), {words}"
    if kind == "inference":
        b.emit(x.shape, text)
    else:
        b.elements(b.emit(Tuple((x.shape, feature, feature)), text))


@emitter(0.4)
def fusion(b: Builder) -> None:
    """A fusion of elementwise ops."""
    x = b.pick_or_make(0)
    y = b.make(x.array)  # of equal operands XLA keeps one when it replaces them
    body = b.child()
    p, q = body.parameter(x.shape, 0), body.parameter(y.shape, 0)
    both = body.emit(x.shape, f"add({p}, {q})", annotated=0)
    root = body.emit(x.shape, f"negate({both})", annotated=0)
    b.emit(x.shape, f"fusion({x}, {y}), kind=kLoop, calls=%{body.finish(root, 'fused')}")


@emitter(0.3)
def ragged_all_to_all(b: Builder) -> None:
    """A ragged-all-to-all over two devices."""
    x = b.pick_or_make()
    output = b.like(x.shape)
    offsets = [b.like(Array("s32", (2,))) for _ in range(4)]
    operands = ", ".join(map(str, [x, output, *offsets]))
    b.emit(x.shape, f"ragged-all-to-all({operands}), replica_groups={{{{0,1}}}}")


@emitter(0.2)
def dynamic_reshape(b: Builder) -> None:
    """A reshape to sizes that are known at run time only."""
    x = b.pick_or_make()
    sizes = [b.scalar("s32") for _ in x.dims]
    shape = f"f32[{','.join(f'<={n}' for n in x.dims)}]"
    name = b.module.name()
    operands = ", ".join(map(str, [x, *sizes]))
    b.lines.append(f"  %{name} = {shape} dynamic-reshape({operands})")
    b.emit(Array("s32", ()), f"get-dimension-size(%{name}), dimensions={listed([0])}")
