"""Made-up modules for timing: a transformer's training step of any length, and a wide loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TextIO

from benchmarks.hlo import Body, Shape, Value, write_module

__all__ = ["Mesh", "transformer", "wide_loop"]

BATCH, SEQUENCE, HEADS, HEAD, HIDDEN = 131_072, 256, 16, 64, 4096
WIDTH = HEADS * HEAD
ACTIVATION = Shape("bf16", (BATCH, SEQUENCE, WIDTH))
WEIGHTS: dict[str, tuple[tuple[int, ...], tuple[str, ...]]] = {
    "wq": ((WIDTH, HEADS, HEAD), ("data", "model", "")),
    "wk": ((WIDTH, HEADS, HEAD), ("data", "model", "")),
    "wv": ((WIDTH, HEADS, HEAD), ("data", "model", "")),
    "wo": ((HEADS, HEAD, WIDTH), ("model", "", "data")),
    "w1": ((WIDTH, HIDDEN), ("data", "model")),
    "w2": ((HIDDEN, WIDTH), ("model", "data")),
    "w3": ((WIDTH, HIDDEN), ("data", "model")),
    "scale": ((WIDTH,), ("",)),
}
"""Dimensions of a layer's weights, and the mesh axis along which each is split."""


@dataclass(frozen=True)
class Mesh:
    """A mesh of two axes, `data` by `model`; device lists are spelled out if `explicit`."""

    devices: int
    model: int = 4
    explicit: bool = False

    def sharding(self, *axes: str) -> str:
        """The text of a sharding that splits each dimension along the named axis, or not at all."""
        sizes = {"data": self.devices // self.model, "model": self.model}
        tiles = [str(sizes.get(axis, 1)) for axis in axes]
        used = [axis for axis in axes if axis]
        if not used:
            return "{replicated}"
        rest = [axis for axis in sizes if axis not in used]
        tiles += [str(sizes[axis]) for axis in rest]
        tail = " last_tile_dim_replicate" if rest else ""
        swapped = [*used, *rest] == ["model", "data"]
        if not self.explicit:
            order = f"[{sizes['data']},{sizes['model']}]T(1,0)" if swapped else f"[{self.devices}]"
            return f"{{devices=[{','.join(tiles)}]<={order}{tail}}}"
        # neighbours changed places, which no iota says
        order_of = [device ^ 1 for device in range(self.devices)]
        if swapped:
            order_of = [d for place in range(self.model) for d in order_of[place :: self.model]]
        return f"{{devices=[{','.join(tiles)}]{','.join(map(str, order_of))}{tail}}}"


class _Step:
    """The entry of a training step."""

    def __init__(self, mesh: Mesh) -> None:
        self.mesh = mesh
        self.body = Body("main")
        self.zero = self.body.constant(0)
        self.low = self.body.constant(-1e9)
        self.rate = self.body.constant(0.001)
        self.shardings: dict[tuple[str, ...], str] = {}

    def sharding(self, *axes: str) -> str:
        if axes not in self.shardings:
            self.shardings[axes] = self.mesh.sharding(*axes)
        return self.shardings[axes]

    def pointwise(self, opcode: str, *operands: Value) -> Value:
        return self.body.op(opcode, operands[0].shape, *operands)

    def convert(self, value: Value, kind: str) -> Value:
        return self.body.op("convert", Shape(kind, value.shape.dims), value)

    def spread(self, value: Value, like: Value, *dims: int) -> Value:
        listed = ",".join(map(str, dims))
        shape = Shape(value.shape.kind, like.shape.dims)
        return self.body.op("broadcast", shape, value, attributes=f"dimensions={{{listed}}}")

    def reduce(self, value: Value, start: Value, to_apply: str, *dims: int) -> Value:
        kept = tuple(size for d, size in enumerate(value.shape.dims) if d not in dims)
        attributes = f"dimensions={{{','.join(map(str, dims))}}}, to_apply=%{to_apply}"
        return self.body.op(
            "reduce", Shape(value.shape.kind, kept), value, start, attributes=attributes
        )

    def transpose(self, value: Value, *order: int) -> Value:
        shape = Shape(value.shape.kind, tuple(value.shape.dims[d] for d in order))
        listed = ",".join(map(str, order))
        return self.body.op("transpose", shape, value, attributes=f"dimensions={{{listed}}}")

    def dot(self, a: Value, b: Value, over: str, batch: str = "") -> Value:
        """A product; "2,3:0,1" contracts dimensions 2 and 3 of `a` with 0 and 1 of `b`."""
        left, right = _pair(over)
        left_batch, right_batch = _pair(batch)
        dims = [a.shape.dims[d] for d in left_batch]
        dims += [n for d, n in enumerate(a.shape.dims) if d not in (*left_batch, *left)]
        dims += [n for d, n in enumerate(b.shape.dims) if d not in (*right_batch, *right)]
        parts = [("lhs_batch_dims", left_batch), ("lhs_contracting_dims", left)]
        parts += [("rhs_batch_dims", right_batch), ("rhs_contracting_dims", right)]
        attributes = ", ".join(f"{k}={{{','.join(map(str, v))}}}" for k, v in parts if v)
        return self.body.op("dot", Shape("bf16", tuple(dims)), a, b, attributes=attributes)

    def constrain(self, value: Value, *axes: str) -> Value:
        return self.body.op(
            "custom-call",
            value.shape,
            value,
            attributes='custom_call_target="Sharding"',
            sharding=self.sharding(*axes),
        )

    def norm(self, x: Value, scale: Value) -> Value:
        wide = self.convert(x, "f32")
        mean = self.reduce(self.pointwise("multiply", wide, wide), self.zero, "sum", 2)
        root = self.spread(self.pointwise("rsqrt", mean), wide, 0, 1)
        scaled = self.pointwise("multiply", wide, root)
        by = self.spread(self.convert(scale, "f32"), wide, 2)
        return self.convert(self.pointwise("multiply", scaled, by), "bf16")

    def norm_gradient(self, x: Value, scale: Value, down: Value) -> tuple[Value, Value]:
        wide, grown = self.convert(x, "f32"), self.convert(down, "f32")
        product = self.pointwise("multiply", wide, grown)
        inner = self.reduce(product, self.zero, "sum", 2)
        by = self.spread(self.convert(scale, "f32"), wide, 2)
        back = self.pointwise("multiply", grown, by)
        back = self.pointwise("subtract", back, self.spread(inner, wide, 0, 1))
        of_scale = self.reduce(product, self.zero, "sum", 0, 1)
        return self.convert(back, "bf16"), self.convert(of_scale, "bf16")

    def softmax(self, scores: Value) -> Value:
        wide = self.convert(scores, "f32")
        top = self.spread(self.reduce(wide, self.low, "max", 3), wide, 0, 1, 2)
        grown = self.pointwise("exponential", self.pointwise("subtract", wide, top))
        total = self.spread(self.reduce(grown, self.zero, "sum", 3), wide, 0, 1, 2)
        return self.convert(self.pointwise("divide", grown, total), "bf16")


def _pair(text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    left, _, right = text.partition(":")
    return (
        tuple(int(word) for word in left.split(",") if word),
        tuple(int(word) for word in right.split(",") if word),
    )


class _Layer:
    """One layer's weights and what its forward half leaves for the backward half."""

    def __init__(self, step: _Step, x: Value) -> None:
        self.step, self.x = step, x
        self.weights = {
            name: step.body.parameter(Shape("bf16", dims), step.sharding(*axes))
            for name, (dims, axes) in WEIGHTS.items()
        }
        w = self.weights
        self.a = step.norm(x, w["scale"])
        self.q = step.constrain(step.dot(self.a, w["wq"], "2:0"), "data", "", "model", "")
        self.k = step.constrain(step.dot(self.a, w["wk"], "2:0"), "data", "", "model", "")
        self.v = step.dot(self.a, w["wv"], "2:0")
        self.probabilities = step.softmax(step.dot(self.q, self.k, "3:3", "0,2:0,2"))
        self.o = step.transpose(step.dot(self.probabilities, self.v, "3:1", "0,1:0,2"), 0, 2, 1, 3)
        self.middle = step.pointwise("add", x, step.dot(self.o, w["wo"], "2,3:0,1"))
        self.b = step.norm(self.middle, w["scale"])
        self.up = step.dot(self.b, w["w1"], "2:0")
        self.gate = step.pointwise("logistic", step.dot(self.b, w["w3"], "2:0"))
        self.h = step.pointwise("multiply", self.up, self.gate)
        out = step.pointwise("add", self.middle, step.dot(self.h, w["w2"], "2:0"))
        self.out = step.constrain(out, "data", "", "")

    def backward(self, down: Value) -> tuple[Value, dict[str, Value]]:
        """The gradient of the layer's input, and those of its weights."""
        step, w = self.step, self.weights
        grads = {"w2": step.dot(self.h, down, "0,1:0,1")}
        dh = step.dot(down, w["w2"], "2:1")
        dup = step.pointwise("multiply", dh, self.gate)
        dgate = step.pointwise("multiply", step.pointwise("multiply", dh, self.up), self.gate)
        grads["w1"] = step.dot(self.b, dup, "0,1:0,1")
        grads["w3"] = step.dot(self.b, dgate, "0,1:0,1")
        db = step.pointwise("add", step.dot(dup, w["w1"], "2:1"), step.dot(dgate, w["w3"], "2:1"))
        back, first = step.norm_gradient(self.middle, w["scale"], db)
        down = step.pointwise("add", down, back)
        grads["wo"] = step.dot(self.o, down, "0,1:0,1")
        do = step.dot(down, w["wo"], "2:2")
        dp = step.dot(do, self.v, "3:3", "0,2:0,2")
        dv = step.transpose(step.dot(self.probabilities, do, "2:1", "0,1:0,2"), 0, 2, 1, 3)
        product = step.pointwise("multiply", dp, self.probabilities)
        total = step.reduce(step.convert(product, "f32"), step.zero, "sum", 3)
        spread = step.convert(step.spread(total, dp, 0, 1, 2), "bf16")
        ds = step.pointwise("multiply", step.pointwise("subtract", dp, spread), self.probabilities)
        dq = step.transpose(step.dot(ds, self.k, "3:1", "0,1:0,2"), 0, 2, 1, 3)
        dk = step.transpose(step.dot(ds, self.q, "2:1", "0,1:0,2"), 0, 2, 1, 3)
        parts = []
        for name, grad in (("wq", dq), ("wk", dk), ("wv", dv)):
            grads[name] = step.dot(self.a, grad, "0,1:0,1")
            parts.append(step.dot(grad, w[name], "2,3:1,2"))
        da = step.pointwise("add", step.pointwise("add", parts[0], parts[1]), parts[2])
        back, second = step.norm_gradient(self.x, w["scale"], da)
        grads["scale"] = step.pointwise("add", first, second)
        return step.pointwise("add", down, back), grads


def _combiner(name: str, opcode: str) -> tuple[Body, Value]:
    body = Body(name)
    scalar = Shape("f32")
    left, right = body.parameter(scalar), body.parameter(scalar)
    return body, body.op(opcode, scalar, left, right)


def transformer(out: TextIO, layers: int, mesh: Mesh) -> int:
    """Write a training step: forward, backward and update; return its number of instructions."""
    step = _Step(mesh)
    x = step.body.parameter(ACTIVATION, step.sharding("data", "", ""))
    stack: list[_Layer] = []
    for _ in range(layers):
        stack.append(_Layer(step, x))
        x = stack[-1].out
    loss = step.reduce(step.convert(x, "f32"), step.zero, "sum", 0, 1, 2)
    down = step.pointwise("multiply", x, x)
    updated: list[Value] = []
    for layer in reversed(stack):
        down, grads = layer.backward(down)
        for name, weight in layer.weights.items():
            grad = step.convert(grads[name], "f32")
            change = step.pointwise("multiply", grad, step.spread(step.rate, grad))
            new = step.pointwise("subtract", step.convert(weight, "f32"), change)
            updated.append(step.convert(new, "bf16"))
    root = step.body.tuple([loss, *updated])
    inner = [_combiner("sum", "add"), _combiner("max", "maximum")]
    return write_module(out, "transformer", mesh.devices, inner, step.body, root)


def wide_loop(out: TextIO, leaves: int, mesh: Mesh) -> int:
    """Write a loop that carries a tuple of so many leaves; return its number of instructions."""
    counter, matrix = Shape("s32"), Shape("f32", (4096, 1024))
    carried = Shape("tuple", (), f"({', '.join([str(counter), *[str(matrix)] * (leaves - 1)])})")
    condition = Body("condition")
    state = condition.parameter(carried)
    index = condition.op("get-tuple-element", counter, state, attributes="index=0")
    less = condition.op(
        "compare", Shape("pred"), index, condition.constant(8, "s32"), attributes="direction=LT"
    )
    body = Body("body")
    state = body.parameter(carried)
    parts = [
        body.op("get-tuple-element", matrix if n else counter, state, attributes=f"index={n}")
        for n in range(leaves)
    ]
    new = [body.op("add", counter, parts[0], body.constant(1, "s32"))]
    for n in range(1, leaves):
        new.append(body.op("add", matrix, parts[n], parts[n - (n - 1) % 7]))
    entry = Body("main")
    given = [entry.constant(0, "s32")]
    for n in range(1, leaves):
        # one in seven is annotated, by turns along one dimension or the other
        axes = (("data", "model"), ("model", "data"))[n % 2]
        given.append(entry.parameter(matrix, mesh.sharding(*axes) if n % 7 == 1 else ""))
    loop = entry.op(
        "while", carried, entry.tuple(given), attributes="condition=%condition, body=%body"
    )
    root = entry.tuple(
        [
            entry.op("get-tuple-element", matrix, loop, attributes=f"index={n}")
            for n in range(1, leaves)
        ]
    )
    inner = [(condition, less), (body, body.tuple(new))]
    return write_module(out, "wide_loop", mesh.devices, inner, entry, root)
