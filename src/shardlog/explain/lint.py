"""What in a propagated module is likely to hurt: findings, those with the most bytes first."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any

from shardlog.explain.account import reshards
from shardlog.explain.held import held
from shardlog.explain.idle import Idle, candidates, idle
from shardlog.explain.losses import lost, uneven
from shardlog.explain.rerun import Reruns
from shardlog.explain.run import Place, Run
from shardlog.explain.sizes import bytes_on_device, counted, readable
from shardlog.explain.wanted import Wanted
from shardlog.explain.whynot import why_not
from shardlog.ir.axes import split_dims
from shardlog.ir.sharding import HloSharding
from shardlog.markup import Displayed, paragraph, table
from shardlog.proof_text import brief

__all__ = ["Finding", "Hurt", "Lint", "lint"]

LARGE = 1 << 20
"""From how many bytes on a device on a value is worth a word."""

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

_NUMBER = re.compile(r"\d+")


class Hurt(StrEnum):
    """What can hurt."""

    REPLICATED = "replicated"
    RESHARD = "reshard"
    LOST = "axis_lost"
    IDLE = "annotation_without_effect"
    UNEVEN = "uneven"


@dataclass(frozen=True)
class Finding:
    """Something that costs `bytes` on each device, its cause, and the command that explains it.

    `names` are instructions alike in all but their numbers, the first one explained.
    """

    hurt: Hurt
    names: tuple[str, ...]
    what: str
    bytes: int
    cause: str
    command: str
    where: str = ""


@dataclass(frozen=True)
class Lint(Displayed):
    """The findings about a module; `more` counts those that are left out.

    `untried` are annotations that may be without effect and that no run was left for.
    """

    module: str
    findings: tuple[Finding, ...]
    more: int = 0
    counts: dict[Hurt, int] = field(default_factory=dict)
    untried: int = 0

    def to_text(self) -> str:
        """Return the findings as text."""
        rest = []
        if self.untried:
            those = counted(self.untried, "annotation")
            rest = [f"{those} may be without effect, too: `shardlog impact` tells of each"]
        if not self.findings:
            return "\n".join(["nothing found", *rest])
        lines = []
        for finding in self.findings:
            more = f" and {len(finding.names) - 1} alike" if len(finding.names) > 1 else ""
            lines.append(
                f"{finding.hurt}: {readable(finding.bytes)}  {finding.names[0]}{more}"
                f"  {finding.what}"
            )
            if finding.where:
                lines.append(f"    {finding.where}")
            lines.append(f"    {finding.cause}")
            lines.append(f"    $ {finding.command}")
        counts = ", ".join(f"{hurt} {count}" for hurt, count in self.counts.items())
        left = f"; {self.more} more (--limit)" if self.more else ""
        return "\n".join([*lines, f"{counts}{left}", *rest])

    def to_dict(self) -> dict[str, Any]:
        """Return the findings ready for JSON."""
        return {
            "module": self.module,
            "counts": {str(hurt): count for hurt, count in self.counts.items()},
            "more": self.more,
            "annotations_untried": self.untried,
            "findings": [
                {
                    "kind": str(one.hurt),
                    "instructions": list(one.names),
                    "what": one.what,
                    "where": one.where or None,
                    "bytes": one.bytes,
                    "cause": one.cause,
                    "command": one.command,
                }
                for one in self.findings
            ],
        }

    def _repr_html_(self) -> str:
        heads = ("kind", "bytes", "instruction", "what", "cause", "command")
        rows = [
            (
                one.hurt,
                readable(one.bytes),
                one.names[0] + (f" and {len(one.names) - 1} alike" if one.names[1:] else ""),
                one.what,
                one.cause,
                one.command,
            )
            for one in self.findings
        ]
        counts = ", ".join(f"{hurt} {count}" for hurt, count in self.counts.items())
        return paragraph(self.module, counts or "nothing found") + table(heads, rows)

    def __str__(self) -> str:
        return self.to_text()


@dataclass
class _Group:
    """Findings alike, before their cause is looked for."""

    hurt: Hurt
    what: str
    command: str
    names: list[str]
    places: list[Place]
    bytes: int
    cause: Callable[[], str]


def lint(
    run: Run,
    file: str,
    *,
    least: int = LARGE,
    limit: int | None = 20,
    kinds: frozenset[Hurt] = frozenset(Hurt),
    reruns: Reruns | None = None,
) -> Lint:
    """Return what is likely to hurt in a run's module, of at least `least` bytes on a device.

    `file` is what commands call the module. Instructions that differ by their numbers alone are one
    finding; at most `limit` findings are explained. Annotations without effect take `reruns` of the
    module as it came.
    """
    doubtful = candidates(run, least) if Hurt.IDLE in kinds else []
    idles, untried = ([], len(doubtful)) if reruns is None else idle(run, reruns, doubtful)
    finders: dict[Hurt, Callable[[Run, int], Iterable[_Found]]] = {
        Hurt.REPLICATED: _replicated,
        Hurt.RESHARD: _resharded,
        Hurt.LOST: _losing,
        Hurt.IDLE: lambda run, _: map(partial(_idle, run), idles),
        Hurt.UNEVEN: _unevenly,
    }
    groups: dict[tuple[Any, ...], _Group] = {}
    shown = shlex.quote(file)
    for hurt in Hurt:
        if hurt not in kinds:
            continue
        for place, size, what, command, cause in finders[hurt](run, least):
            key = (hurt, what, run.opcode(place.entity), _NUMBER.sub("#", _op_name(run, place)))
            group = groups.get(key)
            if group is None:
                words = f"shardlog {command[0]} {shown} {shlex.quote(command[1])}"
                groups[key] = _Group(hurt, what, words, [run.named(place)], [place], size, cause)
            else:
                group.names.append(run.named(place))
                group.places.append(place)
                group.bytes += size
    every = sorted(groups.values(), key=lambda group: -group.bytes)
    counts: dict[Hurt, int] = {}
    for group in every:
        counts[group.hurt] = counts.get(group.hurt, 0) + len(group.names)
    chosen = every if limit is None else every[:limit]
    findings = tuple(
        Finding(
            group.hurt,
            tuple(group.names),
            group.what,
            group.bytes,
            group.cause(),
            group.command,
            str(run.origin(group.places[0].entity)),
        )
        for group in chosen
    )
    left = len(every) - len(findings)
    return Lint(run.outcome.module.name, findings, left, counts, untried)


def _op_name(run: Run, place: Place) -> str:
    return run.origin(place.entity).op_name


_Found = tuple[Place, int, str, tuple[str, str], Callable[[], str]]


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


def _replicated(run: Run, least: int) -> Iterator[_Found]:
    """Large values of which every device holds all, where tiles stop or none came."""
    if run.outcome.module.num_partitions < 2:
        return
    for place, sharding, size in _arrays(run, least):
        if split_dims(sharding) or (
            sharding is not None and sharding.kind in ("manual", "maximal")
        ):
            continue
        number = place.entity
        # of a chain of values without tiles only the first is a finding
        before = [one for one in run.operands(number) if run.touches(place, one)]
        if before and not any(map(run.is_split, before)) and _any_large(run, before, least):
            continue
        name = run.named(place)
        has = "no sharding" if sharding is None else str(sharding)
        yield (
            place,
            size,
            f"{run.opcode(number)} {run.shape(place)}, {has}",
            ("whynot", name),
            lambda at=place: why_not(run, at, Wanted()).cause.says,  # type: ignore[misc]
        )


def _any_large(run: Run, numbers: list[int], least: int) -> bool:
    return any(
        bytes_on_device(run.shape(place), run.final(place)) >= least
        for number in numbers
        for place in run.leaves(number)
    )


def _resharded(run: Run, least: int) -> Iterator[_Found]:
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
                yield (
                    Place(number),
                    size,
                    f"{run.opcode(number)}: operand {run.entities[operand].shape} {was} -> {wants}",
                    ("why", run.name(number)),
                    lambda text=says: text,  # type: ignore[misc]
                )


def _losing(run: Run, least: int) -> Iterator[_Found]:
    """Ops at which an axis ends although nothing sums over it."""
    for number, instruction in enumerate(run.entities):
        if instruction.opcode not in LOSING or not _runs(run, number):
            continue
        leaves = run.leaves(number)
        for operand in run.operands(number) if leaves else ():
            # of a tuple each element goes to one of the result
            parts = run.leaves(operand)
            for part in parts if len(parts) == len(leaves) else parts[:1]:
                found = _loss(run, part, number, leaves, least)
                if found is not None:
                    yield found


def _loss(run: Run, part: Place, number: int, leaves: Sequence[Place], least: int) -> _Found | None:
    sharding = run.final(part)
    if sharding is None or not split_dims(sharding):
        return None
    goal = run.part(part, number)
    goals = leaves if goal.leaf is None else [goal]
    says = [lost(run, part, run.final(one), number, one) for one in goals]
    goal = goals[0]
    size = bytes_on_device(run.shape(goal), run.final(goal))
    if says[0] is None or None in says or size < least:
        return None
    return (
        goal,
        size,
        f"{run.opcode(number)} of {run.shape(part)} {sharding}",
        ("frontier", run.named(part)),
        partial(_why_lost, run, goal, says[0]),
    )


def _why_lost(run: Run, goal: Place, says: str) -> str:
    """What an op loses in words, or why it learns nothing at all."""
    kept = held(run, goal)
    if kept is not None:
        return f"{says}; {kept.says}"
    if not split_dims(run.final(goal)):
        return why_not(run, goal, Wanted()).cause.says
    return says


def _idle(run: Run, one: Idle) -> _Found:
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
    return place, size, f"annotation {brief(given)}", ("impact", name), lambda: says


def _unevenly(run: Run, least: int) -> Iterator[_Found]:
    """Values that their tiles do not divide evenly: the padding."""
    for place, sharding, size in _arrays(run, least):
        if sharding is None or sharding.is_tuple or not split_dims(sharding):
            continue
        says = uneven(run, place)
        if says is None:
            continue
        waste = size - run.shape(place).byte_size // sharding.num_tiles
        if waste > 0 and size >= least:
            yield (
                place,
                waste,
                f"{run.opcode(place.entity)} {run.shape(place)} {sharding}",
                ("why", run.named(place)),
                lambda text=says: text,  # type: ignore[misc]
            )
