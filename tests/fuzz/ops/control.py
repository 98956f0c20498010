"""Loops, conditionals and calls, whose computations at times have several call sites."""

from __future__ import annotations

from tests.fuzz.builder import Builder, Called, emitter
from tests.fuzz.ops.tuples import build, some_value
from tests.fuzz.shapes import Array, Shape, Tuple, Value

COUNTER = Array("s32", ())


def body_of(b: Builder, child: Builder, shape: Shape, steps: int) -> str:
    """Fill a computation that has its parameters, and finish it with a result of a shape."""
    for _ in range(b.rng.randint(0, steps)):
        child.step()
    root = build(child, shape, fresh=True)
    return child.finish(root)


def parameter(child: Builder, shape: Shape) -> Value:
    """A parameter of a called computation, with its elements at hand."""
    value = child.parameter(shape, 0.06)
    if isinstance(shape, Tuple):
        child.elements(value)
    return value


def condition(b: Builder, state: Shape) -> str:
    """The condition of a loop over a state, which counts if there is a counter."""
    child = b.child()
    value = child.parameter(state, 0.06)
    if isinstance(state, Tuple) and state.elements and state.elements[0] == COUNTER:
        counter = child.element(value, 0)
        limit = child.emit(COUNTER, "constant(5)", annotated=0)
        text = f"compare({counter}, {limit}), direction=LT"
        return child.finish(child.emit(Array("pred", ()), text, annotated=0), "condition")
    return child.finish(child.emit(Array("pred", ()), "constant(false)", annotated=0), "condition")


@emitter(2, calls=True)
def while_loop(b: Builder) -> None:
    """A loop over a tuple, nested or not, or over an array; two loops may share computations."""
    parts = [some_value(b) for _ in range(b.rng.randint(1, 3))]
    if b.chance(0.15):
        start = parts[0]
    else:
        if b.chance(0.7):
            parts.insert(0, b.emit(COUNTER, "constant(0)", annotated=0))
        shape = Tuple(tuple(part.shape for part in parts))
        start = b.emit(shape, f"tuple({', '.join(map(str, parts))})")
    key = f"while {start.shape}"
    known = b.module.called.get(key)
    if known is None or b.chance(0.3):
        child = b.child()
        parameter(child, start.shape)
        body = body_of(b, child, start.shape, 6)
        attributes = f"condition=%{condition(b, start.shape)}, body=%{body}"
        known = b.module.called[key] = Called((start.shape,), start.shape, attributes)
    loop = b.emit(start.shape, f"while({start}), {known.attributes}")
    if isinstance(loop.shape, Tuple):
        b.elements(loop)


@emitter(1.5, calls=True)
def conditional(b: Builder) -> None:
    """A conditional of two branches or several, some of which may be the same computation."""
    result = some_value(b).shape
    indexed = b.chance(0.4)
    arguments = [some_value(b) for _ in range(b.rng.randint(1, 3) if indexed else 2)]
    branches: list[str] = []
    for place, argument in enumerate(arguments):
        if place and argument.shape == arguments[place - 1].shape and b.chance(0.2):
            branches.append(branches[-1])
            continue
        child = b.child()
        parameter(child, argument.shape)
        branches.append(body_of(b, child, result, 4))
    names = ", ".join(map(str, arguments))
    if indexed:
        index = b.emit(COUNTER, "constant(0)", annotated=0)
        listed = ", ".join(f"%{name}" for name in branches)
        text = f"conditional({index}, {names}), branch_computations={{{listed}}}"
    else:
        index = b.emit(Array("pred", ()), "constant(true)", annotated=0)
        text = (
            f"conditional({index}, {names}), true_computation=%{branches[0]}, "
            f"false_computation=%{branches[1]}"
        )
    value = b.emit(result, text)
    if isinstance(result, Tuple):
        b.elements(value)


@emitter(1.5, calls=True)
def call(b: Builder) -> None:
    """A call, of a computation that may be called elsewhere, too."""
    known = [key for key in b.module.called if key.startswith("call ")]
    if known and b.chance(0.35):
        called = b.module.called[b.rng.choice(known)]
        arguments = [build(b, shape) for shape in called.arguments]
    else:
        arguments = [some_value(b) for _ in range(b.rng.randint(0, 3))]
        result = some_value(b).shape
        child = b.child()
        for argument in arguments:
            parameter(child, argument.shape)
        name = body_of(b, child, result, 4)
        shapes = tuple(argument.shape for argument in arguments)
        called = b.module.called[f"call {name}"] = Called(shapes, result, f"to_apply=%{name}")
    names = ", ".join(map(str, arguments))
    value = b.emit(called.result, f"call({names}), {called.attributes}")
    if isinstance(called.result, Tuple):
        b.elements(value)
