"""Relations about how shardings came about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

from shardlog.ir.axes import digits_of
from shardlog.query.ground import Ground, Shelf
from shardlog.query.relations import Column, Source

__all__ = ["PROVENANCE"]

PROVENANCE = Shelf("how it came about")


@PROVENANCE("because(I, R, O)", "rule R gave I its sharding, resting on that of O")
def _because(on: Ground) -> Source:
    names = on.names.instructions

    def rows() -> Iterator[tuple[str, str, str]]:
        for number, positions in on.run.history.items():
            record = on.run.records[positions[-1]]
            for other in record.contributors:
                if other != number:
                    yield names[number], record.rule.name, names[other]

    return on.rows(rows)


@PROVENANCE("rule[I] == R", "the rule that gave I its sharding, the last one if several did")
def _rule(on: Ground) -> Source:
    return _last(on, lambda record: record.rule.name)


@PROVENANCE(
    "direction[I] == T", "the visit in which it did: 'forward', 'backward', 'annotate', ..."
)
def _direction(on: Ground) -> Source:
    return _last(on, lambda record: record.visit)


@PROVENANCE("tier[I] == N", "the tier at which it did, 0 to 3; none outside of them")
def _tier(on: Ground) -> Source:
    return _last(on, lambda record: record.value)


@PROVENANCE("iteration[I] == N", "the iteration in which it did, as XLA counts them")
def _iteration(on: Ground) -> Source:
    return _last(on, lambda record: record.iteration)


def _last(on: Ground, of: Callable[[Any], Any]) -> Source:
    """A column about the last record of each instruction."""
    values: list[Any] = [None] * len(on.instructions)
    for record in on.run.records:
        values[record.entity] = of(record)
    return on.column(values)


@PROVENANCE("rests_on(I, O)", "the sharding of I rests on that of O, at once or through others")
def _rests_on(on: Ground) -> Source:
    history = _History(on)
    return on.closure(history.causes, history.effects)


@PROVENANCE("owes(I, A)", "the sharding of I rests on the annotation of A")
def _owes(on: Ground) -> Source:
    history, given = _History(on), on.run.outcome.given
    numbers = on.names.numbers

    def annotated(name: str) -> bool:
        return name in numbers and given[numbers[name]] is not None

    def forward(name: str) -> Iterator[str]:
        return (cause for cause in history.causes(name) if annotated(cause))

    def backward(name: str) -> Iterable[str]:
        return history.effects(name) if annotated(name) else ()

    return on.closure(forward, backward)


@PROVENANCE("step(E, I)", "step number E of the run changed I; all steps are numbered from 0")
def _step(on: Ground) -> Source:
    names = on.names.instructions
    return on.rows(lambda: ((n, names[r.entity]) for n, r in enumerate(on.run.records)))


@PROVENANCE("step_rule[E] == R", "the rule of a step")
def _step_rule(on: Ground) -> Source:
    return _steps(on, lambda record: record.rule.name)


@PROVENANCE("step_direction[E] == T", "the visit that it was made in")
def _step_direction(on: Ground) -> Source:
    return _steps(on, lambda record: record.visit)


@PROVENANCE("step_tier[E] == N", "the tier that it was made at")
def _step_tier(on: Ground) -> Source:
    return _steps(on, lambda record: record.value)


@PROVENANCE("step_iteration[E] == N", "the iteration that it was made in")
def _step_iteration(on: Ground) -> Source:
    return _steps(on, lambda record: record.iteration)


@PROVENANCE("step_old[E] == S", "the sharding before a step; none if there was none")
def _step_old(on: Ground) -> Source:
    return _steps(on, lambda record: None if record.old is None else str(record.old))


@PROVENANCE("step_new[E] == S", "the sharding after a step")
def _step_new(on: Ground) -> Source:
    return _steps(on, lambda record: str(record.new))


@PROVENANCE("step_because(E, O)", "a step rested on what O had")
def _step_because(on: Ground) -> Source:
    names = on.names.instructions
    return on.rows(
        lambda: ((n, names[o]) for n, r in enumerate(on.run.records) for o in r.contributors)
    )


def _steps(on: Ground, of: Callable[[Any], Any]) -> Source:
    """A column about steps."""
    count = len(on.run.records)
    steps: Any = range(count)
    records = on.run.records
    # a step is its own number
    return Column(steps, _Itself(count), read=lambda n: of(records[n]))


class _Itself(dict[Any, int]):
    """Numbers below a count, by themselves."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._count = count

    def get(self, key: Any, default: Any = None) -> Any:
        """The number itself, if it is one."""
        return key if isinstance(key, int) and 0 <= key < self._count else default


class _History:
    """Which steps rest on which: each on the last steps before it of what it read."""

    def __init__(self, on: Ground) -> None:
        self._on = on

    @cached_property
    def _causes(self) -> list[list[int]]:
        """For each step the nodes that it rests on; -1 - I is I as it came."""
        last: dict[int, int] = {}
        causes: list[list[int]] = []
        for position, record in enumerate(self._on.run.records):
            causes.append(
                [
                    last.get(other, -1 - other)
                    for other in record.contributors
                    if other != record.entity
                ]
            )
            old = digits_of(record.old)
            if record.entity in last and old and old <= digits_of(record.new):
                # what it had before is a part of what it has
                causes[-1].append(last[record.entity])
            last[record.entity] = position
        return causes

    @cached_property
    def _effects(self) -> dict[int, list[int]]:
        effects: dict[int, list[int]] = {}
        for position, nodes in enumerate(self._causes):
            for node in nodes:
                effects.setdefault(node, []).append(position)
        return effects

    def causes(self, name: str) -> Iterator[str]:
        """The instructions that the sharding of one rests on."""
        number = self._on.names.numbers.get(name)
        positions = self._on.run.history.get(-1 if number is None else number)
        if not positions:
            return
        causes = self._causes
        yield from self._found(positions[-1:], lambda n: causes[n] if n >= 0 else (), number)

    def effects(self, name: str) -> Iterator[str]:
        """The instructions whose sharding, in the end, rests on that of one."""
        number = self._on.names.numbers.get(name)
        if number is None:
            return
        history, effects = self._on.run.history, self._effects
        starts = [*history.get(number, ()), -1 - number]
        last = {positions[-1] for positions in history.values()}
        yield from self._found(starts, lambda n: effects.get(n, ()), number, last)

    def _found(
        self,
        starts: Iterable[int],
        beside: Callable[[int], Iterable[int]],
        but: int | None,
        only: set[int] | None = None,
    ) -> Iterator[str]:
        names, records = self._on.names.instructions, self._on.run.records
        seen = set(starts)
        told = {but}
        todo = list(seen)
        while todo:
            node = todo.pop()
            entity = records[node].entity if node >= 0 else -1 - node
            if entity not in told and (only is None or node in only):
                told.add(entity)
                yield names[entity]
            for other in beside(node):
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
