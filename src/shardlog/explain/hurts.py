"""What can hurt in a propagated module, and where: each kind has its finder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Any

from shardlog.explain.account import reshards
from shardlog.explain.held import held
from shardlog.explain.idle import Idle
from shardlog.explain.losses import lost, uneven
from shardlog.explain.run import Place, Run
from shardlog.explain.sizes import bytes_on_device
from shardlog.explain.wanted import Wanted
from shardlog.explain.whynot import why_not
from shardlog.ir.axes import split_dims
from shardlog.ir.sharding import HloSharding
from shardlog.proof_text import brief

__all__ = ["Found", "Hurt", "finders", "problems"]

LOSING = frozenset(
    (
        "reshape", "gather", "scatter", "concatenate", "dynamic-slice", "dynamic-update-slice",
        "custom-call", "fft", "topk", "sort", "while", "conditional", "call", "cholesky",
        "triangular-solve", "reverse", "pad", "slice", "select-and-scatter", "reduce-window",
        "bitcast-convert", "all-to-all", "all-gather", "reduce-scatter", "collective-permute",
        "map", "scan", "ragged-dot", "async-start",
    )
)  # fmt: skip
"""Ops that a user does not expect to lose an axis; a dot or reduce sums over it."""

CHEAP = frozenset(("constant", "iota", "tuple", "get-tuple-element", "after-all", "partition-id"))
"""Ops whose results cost nothing, or are those of others."""

NAMING = frozenset(("metadata", "sharding", "origin", "backend_config", "to_apply", "calls"))
"""Attributes that do not decide what an instruction wants of its operands."""


class Hurt(StrEnum):
    """What can hurt."""

    REPLICATED = "replicated"
    RESHARD = "reshard"
    LOST = "axis_lost"
    IDLE = "annotation_without_effect"
    UNEVEN = "uneven"


@dataclass(frozen=True)
class Found:
    """Something that costs `bytes` on each device at a leaf of an instruction.

    `command` is a command of shardlog that explains it and the name to give it. `operand` is the
    one that it is about, if it is about one; `also` are further kinds of the same problem.
    """

    hurt: Hurt
    place: Place
    bytes: int
    what: str
    command: tuple[str, str]
    cause: Callable[[], str]
    operand: int | None = None
    also: tuple[Found, ...] = ()


def finders(idles: Sequence[Idle]) -> dict[Hurt, Callable[[Run, int], Iterator[Found]]]:
    """The finders, which take a run and from how many bytes on a device on a value counts."""
    return {
        Hurt.REPLICATED: _replicated,
        Hurt.RESHARD: _resharded,
        Hurt.LOST: _losing,
        Hurt.IDLE: lambda run, _: (_idle(run, one) for one in idles),
        Hurt.UNEVEN: _unevenly,
    }


def problems(found: Sequence[Found]) -> list[Found]:
    """Return each problem once: what several finders say of one instruction and operand is one.

    A value that is left whole wants its operands whole, and where tiles end they end at an operand.
    The kind with most bytes speaks for it, of equal ones the first.
    """
    by_entity: dict[int, list[Found]] = {}
    for one in found:
        if one.hurt in (Hurt.REPLICATED, Hurt.RESHARD, Hurt.LOST):
            by_entity.setdefault(one.place.entity, []).append(one)
    gone: set[int] = set()
    also: dict[int, list[Found]] = {}
    for group in by_entity.values():
        heads: list[Found] = []
        for one in sorted(group, key=lambda one: -one.bytes):
            head = next((other for other in heads if _is_one_problem(other, one)), None)
            if head is None:
                heads.append(one)
            else:
                gone.add(id(one))
                also.setdefault(id(head), []).append(one)
    return [
        replace(one, also=tuple(also[id(one)])) if id(one) in also else one
        for one in found
        if id(one) not in gone
    ]


def _is_one_problem(one: Found, other: Found) -> bool:
    leaves, operands = (one.place.leaf, other.place.leaf), (one.operand, other.operand)
    if leaves[0] != leaves[1] and None not in leaves:
        return False
    if one.hurt is other.hurt:
        # an op that ends the tiles of several operands
        return one.hurt is Hurt.LOST and leaves[0] == leaves[1]
    return operands[0] == operands[1] or None in operands


def _arrays(run: Run, least: int) -> Iterator[tuple[Place, HloSharding | None, int]]:
    """The arrays of computations that run, with what a device holds of them."""
    for number, instruction in enumerate(run.entities):
        if instruction.opcode in CHEAP:
            continue
        for place in run.leaves(number):
            sharding = run.final(place)
            size = bytes_on_device(run.shape(place), sharding)
            if size >= least and run.shape(place).rank and _runs(run, number):
                yield place, sharding, size


def _runs(run: Run, number: int) -> bool:
    """Whether an instruction stays, and is no part of what a reduce or a sort applies."""
    if run.stand_in(number) is not None:
        return False
    return run.outcome.saturated.facts.columns["inside"][number] in run.running


def _replicated(run: Run, least: int) -> Iterator[Found]:
    """Large values of which every device holds all, where tiles stop or none came."""
    if run.outcome.module.num_partitions < 2:
        return
    for place, sharding, size in _arrays(run, least):
        if split_dims(sharding) or (sharding is not None and _is_whole_on_purpose(sharding)):
            continue
        number = place.entity
        # of a chain of values without tiles only the first is a finding
        before = [one for one in run.operands(number) if run.touches(place, one)]
        if before and not any(map(run.is_split, before)) and _any_large(run, before, least):
            continue
        name = run.named(place)
        has = "no sharding" if sharding is None else str(sharding)
        yield Found(
            Hurt.REPLICATED,
            place,
            size,
            f"{run.opcode(number)} {run.shape(place)}, {has}",
            ("whynot", name),
            lambda at=place: why_not(run, at, Wanted()).cause.says,  # type: ignore[misc]
        )


def _is_whole_on_purpose(sharding: HloSharding) -> bool:
    """Whether a value is on one device, or divided by hand over all of them."""
    by_hand = sharding.is_manual_subgroup and not sharding.has_partial_replication
    return by_hand or sharding.kind in ("manual", "maximal")


def _any_large(run: Run, numbers: list[int], least: int) -> bool:
    return any(
        bytes_on_device(run.shape(place), run.final(place)) >= least
        for number in numbers
        for place in run.leaves(number)
    )


def _resharded(run: Run, least: int) -> Iterator[Found]:
    """Operands whose tiles are others than their user wants."""
    known: dict[tuple[Any, ...], list[tuple[int, HloSharding, HloSharding]]] = {}
    for number, instruction in enumerate(run.entities):
        if instruction.sharding is None:
            continue
        operands = run.operands(number)
        has = [run.entities[one].sharding for one in operands]
        # what is wanted of operands takes long to find out, and small ones are no matter
        if not any(
            one is not None
            and split_dims(one)
            and bytes_on_device(run.entities[operand].shape, one) >= least
            for operand, one in zip(operands, has, strict=True)
        ):
            continue
        if not _runs(run, number):
            continue
        shapes = tuple(run.entities[one].shape for one in operands)
        attributes = tuple((n, v) for n, v in instruction.attributes.items() if n not in NAMING)
        shape = instruction.shape
        key = (instruction.opcode, shape, instruction.sharding, attributes, *has, *shapes)
        if key not in known:
            names = [run.name(one) for one in operands]
            known[key] = [(names.index(r.operand), r.has, r.wants) for r in reshards(run, number)]
        for at, was, wants in known[key]:
            operand = operands[at]
            size = bytes_on_device(run.shape(Place(operand)), was)
            if size >= least:
                says = f"{run.name(operand)} has {was}, {run.name(number)} wants it as {wants}"
                yield Found(
                    Hurt.RESHARD,
                    Place(number),
                    size,
                    f"{run.opcode(number)}: operand {run.entities[operand].shape} {was} -> {wants}",
                    ("why", run.name(number)),
                    lambda text=says: text,  # type: ignore[misc]
                    operand,
                )


def _losing(run: Run, least: int) -> Iterator[Found]:
    """Ops at which an axis ends although nothing sums over it."""
    for number, instruction in enumerate(run.entities):
        if instruction.opcode not in LOSING:
            continue
        leaves = run.leaves(number)
        tiled: list[Place] = []
        for operand in run.operands(number) if leaves else ():
            # of a tuple each element goes to one of the result
            parts = run.leaves(operand)
            parts = parts if len(parts) == len(leaves) else parts[:1]
            tiled += [part for part in parts if split_dims(run.final(part))]
        if tiled and _runs(run, number):
            for part in tiled:
                found = _loss(run, part, number, leaves, least)
                if found is not None:
                    yield found


def _loss(run: Run, part: Place, number: int, leaves: Sequence[Place], least: int) -> Found | None:
    goal = run.part(part, number)
    goals = leaves if goal.leaf is None else [goal]
    goal = goals[0]
    size = bytes_on_device(run.shape(goal), run.final(goal))
    if size < least:
        return None
    says = [lost(run, part, run.final(one), number, one) for one in goals]
    if says[0] is None or None in says:
        return None
    return Found(
        Hurt.LOST,
        goal,
        size,
        f"{run.opcode(number)} of {run.shape(part)} {run.final(part)}",
        ("frontier", run.named(part)),
        partial(_why_lost, run, goal, says[0]),
        part.entity,
    )


def _why_lost(run: Run, goal: Place, says: str) -> str:
    """What an op loses in words, or why it learns nothing at all."""
    kept = held(run, goal)
    if kept is not None:
        return f"{says}; {kept.says}"
    if not split_dims(run.final(goal)):
        return why_not(run, goal, Wanted()).cause.says
    return says


def _idle(run: Run, one: Idle) -> Found:
    """An annotation without which nothing else would be sharded otherwise."""
    place = Place(one.entity)
    given = run.outcome.saturated.facts.columns["annotation"][one.entity]
    name = run.name(one.entity)
    final = run.entities[one.entity].sharding
    says = "nothing else would be sharded otherwise without it"
    size = bytes_on_device(run.entities[one.entity].shape, given)
    if one.without is not None and final is not None and one.without.equals(final):
        # it costs nothing
        size = 0
        says += f", and {name} would have the same"
    else:
        without = "no sharding" if one.without is None else brief(one.without)
        says += f"; {name} itself would have {without}"
    what = f"annotation {brief(given)}"
    return Found(Hurt.IDLE, place, size, what, ("impact", name), lambda: says)


def _unevenly(run: Run, least: int) -> Iterator[Found]:
    """Values that their tiles do not divide evenly: the padding."""
    for place, sharding, size in _arrays(run, least):
        if sharding is None or sharding.is_tuple or not split_dims(sharding):
            continue
        says = uneven(run, place)
        if says is None:
            continue
        waste = size - run.shape(place).byte_size // sharding.num_tiles
        if waste > 0 and size >= least:
            yield Found(
                Hurt.UNEVEN,
                place,
                waste,
                f"{run.opcode(place.entity)} {run.shape(place)} {sharding}",
                ("why", run.named(place)),
                lambda text=says: text,  # type: ignore[misc]
            )
