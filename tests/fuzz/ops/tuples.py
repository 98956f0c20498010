"""Tuples, nested and empty ones, and their elements."""

from __future__ import annotations

from tests.fuzz.builder import Builder, emitter
from tests.fuzz.shapes import Array, Shape, Tuple, Value

TOKEN = Array("token", ())


def token(b: Builder) -> Value:
    """A token: one that is there, or a new one."""
    there = [v for v in b.values if v.shape == TOKEN]
    if there and b.chance(0.6):
        return b.rng.choice(there)
    return b.emit(TOKEN, "after-all()", annotated=0)


def some_value(b: Builder) -> Value:
    """A value of any kind: mostly an array of numbers, at times a tuple or a scalar."""
    draw = b.rng.random()
    if draw < 0.2:
        tuples = [v for v in b.values if isinstance(v.shape, Tuple)]
        if tuples:
            return b.rng.choice(tuples[-3:])
    if draw < 0.3:
        return b.scalar(b.rng.choice(("f32", "s32")))
    return b.pick_or_make()


def build(b: Builder, shape: Shape, *, fresh: bool = False) -> Value:
    """A value of a shape: one that is there, unless it must be fresh, or a new one."""
    if isinstance(shape, Array):
        value = token(b) if shape == TOKEN else b.like(shape)
        if fresh and shape != TOKEN and b.chance(0.7):
            return b.emit(shape, f"copy({value})")
        return value
    there = [v for v in b.values if v.shape == shape]
    if there and b.chance(0.1 if fresh else 0.5):
        return b.rng.choice(there)
    parts = [build(b, element) for element in shape.elements]
    value = b.emit(shape, f"tuple({', '.join(map(str, parts))})")
    return b.emit(shape, f"opt-barrier({value})") if b.chance(0.1) else value


@emitter(1.5)
def tuple_of_values(b: Builder) -> None:
    """A tuple of up to four values, tuples among them, and some of its elements."""
    parts = [some_value(b) for _ in range(b.rng.choice((0, 1, 2, 2, 3, 3, 4)))]
    if len(parts) > 1 and b.chance(0.2):
        parts[-1] = parts[0]
    shape = Tuple(tuple(part.shape for part in parts))
    whole = b.emit(shape, f"tuple({', '.join(map(str, parts))})")
    b.elements(whole)


@emitter(0.8)
def tuple_barrier(b: Builder) -> None:
    """An optimization barrier of a tuple."""
    tuples = [v for v in b.values if isinstance(v.shape, Tuple)]
    if tuples:
        whole = b.rng.choice(tuples)
        b.elements(b.emit(whole.shape, f"opt-barrier({whole})"))


@emitter(0.4)
def tuple_copy(b: Builder) -> None:
    """A copy of a tuple."""
    tuples = [v for v in b.values if isinstance(v.shape, Tuple)]
    if tuples:
        whole = b.rng.choice(tuples)
        b.elements(b.emit(whole.shape, f"copy({whole})"))


@emitter(0.8)
def more_elements(b: Builder) -> None:
    """Further elements of a tuple that is there."""
    tuples = [v for v in b.values if isinstance(v.shape, Tuple)]
    if tuples:
        b.elements(b.rng.choice(tuples))


@emitter(0.5)
def tuple_custom_call(b: Builder) -> None:
    """A custom call with a tuple as its operand or its result."""
    operand, result = some_value(b), some_value(b).shape
    words = ', custom_call_target="own"' + ", custom_call_has_side_effect=true" * b.chance(0.2)
    value = b.emit(result, f"custom-call({operand}){words}")
    if isinstance(result, Tuple):
        b.elements(value)
