"""Shard groups, and the barriers that keep shardings apart."""

from __future__ import annotations

from tests.fuzz.builder import Builder, emitter
from tests.fuzz.shapes import Array, Value

BARRIERS = ("ShardBarrierFrom", "ShardBarrierTo")


def _member(b: Builder, value: Value, group: str) -> None:
    """Make a value, or something made of it, a member of a group."""
    draw = b.rng.random()
    if draw < 0.6:
        sharding = f"{{unknown {group}}}"
        text = f'custom-call({value}), custom_call_target="Sharding"'
    elif draw < 0.75:
        sharding = _within(b.sharding(value.shape), group)
        text = f'custom-call({value}), custom_call_target="Sharding"'
    elif draw < 0.9:
        sharding = _within(b.rng.choice((b.sharding(value.shape), "{unknown}")), group)
        target = b.rng.choice(BARRIERS)
        text = f'custom-call({value}), custom_call_target="{target}"'
        text += ", custom_call_has_side_effect=true"
    else:
        sharding = _within(b.sharding(value.shape), group)
        text = f"negate({value})"
    b.emit(value.shape, text, sharding=sharding)


def _within(sharding: str, group: str) -> str:
    return f"{sharding[:-1]} {group}}}"


@emitter(0.8)
def shard_group(b: Builder) -> None:
    """A shard_as or shard_like group of two to four arrays, or more members of an earlier one."""
    there = {v.dims for v in b.values if isinstance(v.shape, Array) and v.array.element == "f32"}
    known = [entry for entry in b.module.groups if entry[0] in there]
    dims = b.pick_or_make().dims
    if known and b.chance(0.4):
        dims, group = b.rng.choice(known)
    else:
        # at times a number that has members of the other kind, too
        number = b.rng.randint(1, max(1, len(b.module.groups)))
        if not any(dims == d and group.endswith(f" {number}") for d, group in b.module.groups):
            number = len(b.module.groups) + 1
        group = f"shard_{b.rng.choice(('as', 'as', 'like'))} {number}"
        b.module.groups.append((dims, group))
    for _ in range(b.rng.randint(1, 3)):
        value = b.pick(lambda v: v.dims == dims)
        if value is not None:
            _member(b, value, group)


@emitter(0.8)
def shard_barrier(b: Builder) -> None:
    """A barrier for shardings, or two on top of each other."""
    value = b.pick_or_make(0)
    for _ in range(b.rng.choice((1, 1, 2))):
        target = b.rng.choice(BARRIERS)
        text = f'custom-call({value}), custom_call_target="{target}"'
        value = b.emit(value.shape, text + ", custom_call_has_side_effect=true")
