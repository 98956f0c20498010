"""Tokens and transfers, dynamic sizes, batch norms and other ops that XLA mostly leaves alone."""

from __future__ import annotations

from tests.fuzz.builder import Builder, emitter
from tests.fuzz.shapes import Array, Tuple, Value, listed

TOKEN = Array("token", ())  # printed as token[]


def token(b: Builder) -> Value:
    """A token, new or not."""
    return b.emit(TOKEN, "after-all()", annotated=0, usable=False)


def _device(b: Builder) -> str:
    return f"{{maximal device={b.rng.randrange(b.module.mesh.devices)}}}"


@emitter(0.3, entry_only=True)
def infeed(b: Builder) -> None:
    """An infeed of an array or two."""
    data = Tuple(tuple(b.shape(1, 3) for _ in range(b.rng.randint(1, 2))))
    shape = Tuple((data, TOKEN))
    sharding = ""
    if b.chance(0.6):
        parts = [b.sharding(leaf) for leaf in data.elements]
        sharding = "{" + ", ".join([*parts, _device(b)]) + "}"
    fed = b.emit(shape, f"infeed({token(b)})", annotated=0, sharding=sharding or None)
    got = b.emit(data, f"get-tuple-element({fed}), index=0", annotated=0)
    b.elements(got)


@emitter(0.3)
def outfeed(b: Builder) -> None:
    """An outfeed of an array."""
    x = b.pick_or_make()
    sharding = ""
    if b.chance(0.5):
        sharding = "{" + b.sharding(x.shape) + ", " + _device(b) + "}"
    text = f"outfeed({x}, {token(b)}), outfeed_shape={x.shape}"
    b.emit(TOKEN, text, annotated=0, sharding=sharding or None, usable=False)


@emitter(0.3)
def send_and_recv(b: Builder) -> None:
    """A value sent away and one received, on one device or on any."""
    x = b.pick_or_make()
    channel = int(b.module.name("channel").rpartition(".")[2])
    shape = Tuple((x.shape, Array("u32", ()), TOKEN))
    device = _device(b) if b.chance(0.6) else None
    if device:
        device = "{" + ", ".join([device] * 3) + "}"
    start = b.emit(
        shape, f"send({x}, {token(b)}), channel_id={channel}", annotated=0, sharding=device
    )
    b.emit(TOKEN, f"send-done({start}), channel_id={channel}", annotated=0, usable=False)
    start = b.emit(
        shape, f"recv({token(b)}), channel_id={channel + 10000}", annotated=0, sharding=device
    )
    done = Tuple((x.shape, TOKEN))
    got = b.emit(done, f"recv-done({start}), channel_id={channel + 10000}", annotated=0)
    b.element(got, 0)


@emitter(0.3)
def dependency(b: Builder) -> None:
    """A value that waits for a token."""
    x = b.pick_or_make()
    b.emit(x.shape, f"add-dependency({x}, {token(b)})")


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


@emitter(0.3)
def domain(b: Builder) -> None:
    """A domain between two shardings."""
    x = b.pick_or_make()
    first, second = (b.sharding(x.shape) for _ in (0, 1))
    words = f'domain={{kind="sharding", entry={first}, exit={second}}}'
    b.emit(x.shape, f"domain({x}), {words}", annotated=0)


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
