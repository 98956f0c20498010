"""Send and receive, async ops and control dependencies."""

from __future__ import annotations

from tests.fuzz.builder import Builder, emitter
from tests.fuzz.ops.tuples import TOKEN, build, some_value, token
from tests.fuzz.shapes import Array, Shape, Tuple


@emitter(0.4)
def send_and_receive(b: Builder) -> None:
    """A send and a receive over a channel, at times on one device."""
    data = b.pick_or_make()
    channel = b.module.counter + 1
    host = ", is_host_transfer=true" if b.chance(0.4) else ""
    words = f"channel_id={channel}{host}"
    place = f"{{maximal device={b.rng.randrange(b.module.mesh.devices)}}}"
    on_device = b.chance(0.5)
    sharding = f"{{{', '.join([place] * 3)}}}" if on_device else ""
    context = Array("u32", ())
    sent = Tuple((data.shape, context, TOKEN))
    first = b.emit(sent, f"send({data}, {token(b)}), {words}", sharding=sharding, usable=False)
    b.emit(TOKEN, f"send-done({first}), {words}", sharding=place * on_device, annotated=0)
    second = b.emit(sent, f"recv({token(b)}), {words}", sharding=sharding, usable=False)
    done = Tuple((data.shape, TOKEN))
    both = f"{{{place}, {place}}}" if on_device else ""
    whole = b.emit(done, f"recv-done({second}), {words}", sharding=both)
    b.element(whole, 0)


@emitter(0.6, calls=True)
def async_call(b: Builder) -> None:
    """An async op that runs a computation, on this thread or another."""
    operands = [some_value(b) for _ in range(b.rng.randint(1, 3))]
    result = some_value(b).shape
    child = b.child()
    for operand in operands:
        child.parameter(operand.shape, 0.06)
    for _ in range(b.rng.randint(0, 3)):
        child.step()
    # of more than one instruction, since XLA's text has other names for what wraps a single one
    inner = child.emit(result, f"opt-barrier({build(child, result)})")
    name = child.finish(child.emit(result, f"opt-barrier({inner})"), "async")
    inside: tuple[Shape, ...] = tuple(operand.shape for operand in operands)
    shape = Tuple((Tuple(inside), result, Array("u32", ())))
    thread = ', async_execution_thread="other"' if b.chance(0.4) else ""
    names = ", ".join(map(str, operands))
    started = b.emit(shape, f"async-start({names}), calls=%{name}{thread}", usable=False)
    if b.chance(0.3):
        started = b.emit(shape, f"async-update({started})", usable=False)
    value = b.emit(result, f"async-done({started})")
    if isinstance(result, Tuple):
        b.elements(value)


@emitter(0.3)
def async_copy(b: Builder) -> None:
    """A copy in two parts."""
    value = b.pick_or_make()
    shape = Tuple((value.shape, value.shape, Array("u32", ())))
    started = b.emit(shape, f"copy-start({value})", usable=False)
    b.emit(value.shape, f"copy-done({started})")


@emitter(0.3)
def ordered(b: Builder) -> None:
    """An instruction that must run after another, which it does not use."""
    first, value = b.pick_or_make(0), b.pick_or_make(0)
    line = next(line for line in b.lines if line.startswith(f"  {first} = "))
    # beside a Sharding call that must stay XLA leaves an unused copy, which shardlog does not
    if 'target="Sharding"' not in line:
        b.emit(value.shape, f"negate({value}), control-predecessors={{{first}}}")
