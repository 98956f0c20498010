"""Annotations without which every other instruction would be sharded as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from shardlog.explain.rerun import Reruns
from shardlog.explain.run import Place, Run
from shardlog.explain.sizes import bytes_on_device
from shardlog.ir.axes import digits, split_dims
from shardlog.ir.sharding import HloSharding

__all__ = ["Idle", "candidates", "idle"]


@dataclass(frozen=True)
class Idle:
    """An annotated instruction that nothing else hangs on, and what it would be without."""

    entity: int
    without: HloSharding | None


def candidates(run: Run, least: int) -> list[int]:
    """Return annotated instructions inside the program that may be idle, the largest first.

    That is where nothing took anything from them, and where a neighbour has the same by itself.
    Whether they are is for `idle` to find out. Conversions to and from manual shards do not count.
    """
    annotation = run.outcome.saturated.facts.columns["annotation"]
    took: set[int] = set()
    for record in run.records:
        took.update(c for c in record.contributors if c != record.entity)
    found: list[tuple[int, int]] = []
    for number, instruction in enumerate(run.entities):
        given = annotation[number]
        if given is None or not run.outcome.names[number] or not run.users(number):
            continue
        if instruction.opcode == "parameter" or run.opcode(number).startswith("custom-call SPMD"):
            continue
        size = bytes_on_device(instruction.shape, given)
        if size >= least and (not _took(run, number, took) or _is_given_anyway(run, number)):
            found.append((-size, number))
    return [number for _, number in sorted(found)]


def _named(run: Run, number: int) -> Iterator[int]:
    """The operand that a `Sharding` call annotates, too."""
    for operand in run.operands(number):
        if run.inquiry.value("named_by", operand) == number:
            yield operand


def _took(run: Run, number: int, took: set[int]) -> bool:
    """Whether anything else read an annotation, or that of the operand that it names."""
    named = [*_named(run, number)]
    return number in took if not named else any(operand in took for operand in named)


def _is_given_anyway(run: Run, number: int) -> bool:
    """Whether a neighbour is split alike that has it from elsewhere."""
    mine = run.saturated(Place(number))
    if mine is None or mine.is_tuple or not split_dims(mine):
        return False
    named = [*_named(run, number)]
    around = [n for one in (number, *named) for n in (*run.operands(one), *run.users(one))]
    for other in around:
        theirs = run.saturated(Place(other))
        if other == number or other in named or theirs is None or theirs.is_tuple:
            continue
        record = run.last_record(Place(other))
        read = () if record is None else record.contributors
        if digits(theirs) == digits(mine) and not {number, *named} & set(read):
            return True
    return False


def idle(run: Run, reruns: Reruns, numbers: Sequence[int]) -> tuple[list[Idle], int]:
    """Return which annotations are idle, and how many could not be tried within the runs.

    They are dropped together, and halved as long as anything else differs; so those that are found
    are idle together, too.
    """
    found: list[Idle] = []
    todo = [list(numbers)] if numbers else []
    untried = 0
    while todo:
        group = todo.pop(0)
        if not reruns.left:
            untried += len(group)
            continue
        dropped = {run.name(number) for number in group}
        after = reruns.without(dropped)
        later = {after.key(n): n for n in range(len(after.entities))}
        if _differs(run, after, later, group):
            half = len(group) // 2
            todo += [part for part in (group[:half], group[half:]) if part and half]
            continue
        found += [Idle(number, after.entities[later[run.key(number)]].sharding) for number in group]
    return found, untried


def _differs(
    run: Run, after: Run, later: Mapping[tuple[str, str], int], group: Sequence[int]
) -> bool:
    """Whether anything but the annotated instructions is sharded otherwise."""
    own = set(group)
    for number, instruction in enumerate(run.entities):
        if number in own:
            continue
        other = later.get(run.key(number))
        mine = instruction.sharding
        theirs = None if other is None else after.entities[other].sharding
        if mine is theirs or (mine is not None and theirs is not None and mine.equals(theirs)):
            continue
        return True
    return False
