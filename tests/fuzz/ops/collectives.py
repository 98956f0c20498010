"""Collectives, as shard_map and hand-written programs have them."""

from __future__ import annotations

from tests.fuzz.builder import Builder, emitter
from tests.fuzz.shapes import Array, Tuple

ALL = "replica_groups={{0,1}}"


@emitter(0.7)
def all_reduce(b: Builder) -> None:
    """An all-reduce of one array or two."""
    x = b.pick_or_make(0)
    to_apply = f"to_apply=%{b.module.reducer()}"
    if b.chance(0.93):  # XLA mostly fails on one of several arrays
        b.emit(x.shape, f"all-reduce({x}), {ALL}, {to_apply}")
    else:
        y = b.like(x.shape)
        b.elements(b.emit(Tuple((x.shape, y.shape)), f"all-reduce({x}, {y}), {ALL}, {to_apply}"))


@emitter(0.4)
def reduce_scatter(b: Builder) -> None:
    """A reduce-scatter over two devices."""
    x = b.pick(lambda v: v.rank > 0 and v.dims[0] % 2 == 0)
    if x is not None:
        shape = Array("f32", (x.dims[0] // 2, *x.dims[1:]))
        to_apply = f"to_apply=%{b.module.reducer()}"
        b.emit(shape, f"reduce-scatter({x}), {ALL}, dimensions={{0}}, {to_apply}")


@emitter(0.4)
def all_gather(b: Builder) -> None:
    """An all-gather over two devices."""
    x = b.pick_or_make()
    shape = Array("f32", (x.dims[0] * 2, *x.dims[1:]))
    if b.fits(shape.dims):
        b.emit(shape, f"all-gather({x}), {ALL}, dimensions={{0}}")


@emitter(0.4)
def collective_permute(b: Builder) -> None:
    """A collective-permute."""
    x = b.pick_or_make(0)
    b.emit(x.shape, f"collective-permute({x}), source_target_pairs={{{{0,1}},{{1,0}}}}")


@emitter(0.4)
def all_to_all(b: Builder) -> None:
    """An all-to-all, of an array or of a tuple."""
    x = b.pick_or_make()
    if b.chance(0.5) and x.dims[0] % 2 == 0:
        b.emit(x.shape, f"all-to-all({x}), {ALL}, dimensions={{0}}")
    else:
        y = b.like(x.shape)
        b.elements(b.emit(Tuple((x.shape, y.shape)), f"all-to-all({x}, {y}), {ALL}"))


@emitter(0.2)
def collective_broadcast(b: Builder) -> None:
    """A collective-broadcast."""
    x = b.pick_or_make(0)
    b.emit(x.shape, f"collective-broadcast({x}), {ALL}")
