"""What would be different with other annotations or rules, and what rests on an annotation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shardlog.explain.impact import Impact
from shardlog.explain.whatif import Group, WhatIf
from shardlog.ir.errors import InputError
from shardlog.ir.shardy.program import Program
from shardlog.shardy.account import How
from shardlog.shardy.copies import CONSTRAINT, annotate, copied, drop
from shardlog.shardy.propagation import load_shardy_rules, rule_texts
from shardlog.shardy.reshards import reshards
from shardlog.shardy.session import Asked
from shardlog.shardy.shown import spec
from shardlog.shardy.sizes import bytes_on_device

__all__ = ["Changes", "compare", "impact", "resting_on", "what_if"]


@dataclass(frozen=True)
class Changes:
    """What is to be different: annotations by name of value, rules that are added or left out."""

    annotate: Mapping[str, str] = field(default_factory=dict)
    drop: Sequence[str] = ()
    rules: Sequence[Path] = ()
    disable: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(self.annotate or self.drop or self.rules or self.disable)


def changed(asked: Asked, changes: Changes) -> Program:
    """Return the program with other annotations. Raises InputError."""
    program, mapping = copied(asked.original)
    named = asked.names
    for name in changes.drop:
        _drop(asked, program, mapping, named.find(name))
    for name, text in changes.annotate.items():
        entity = named.find(name)
        sharding = asked.sharding(text, entity)
        place = _result_place(asked, entity)
        if place is not None:
            program.main.result_shardings[place] = sharding
            continue
        value = asked.value_in_original(entity)
        if value is None:
            raise InputError(
                f"{named.of(entity)} is a copy that Shardy made",
                file=program.file,
                expected="a value of the program itself",
            )
        annotate(mapping[value], sharding)
    return program


def _result_place(asked: Asked, entity: int) -> int | None:
    op = asked.history.value(entity).op
    return op.line if op is not None and op in asked.found.graph.results else None


def _drop(asked: Asked, program: Program, mapping: Any, entity: int) -> None:
    name = asked.names.of(entity)
    place = _result_place(asked, entity)
    if place is not None:
        if program.main.result_shardings[place] is None:
            raise InputError(f"{name} has no annotation to drop", file=program.file)
        program.main.result_shardings[place] = None
        return
    value = asked.value_in_original(entity)
    if value is None or not drop(mapping[value]):
        readers = [
            asked.names.of_op(asked.account.place(use.op))
            for use in asked.names.value(entity).uses
            if use.op.name == CONSTRAINT
        ]
        hint = f"; {readers[0]} annotates it" if readers else ""
        raise InputError(f"{name} has no annotation to drop{hint}", file=program.file)


def what_if(asked: Asked, changes: Changes, rules: Sequence[Path] = ()) -> WhatIf:
    """Propagate a program again with changes, and return what differs.

    `rules` are the files that the first run had. Raises InputError if there is no value of a name,
    nothing to drop or a sharding that does not fit, and RuleError.
    """
    program = changed(asked, changes)
    made = asked.rules
    if changes.rules or changes.disable:
        made = load_shardy_rules(rule_texts([*rules, *changes.rules]), tuple(changes.disable))
    return compare(asked, Asked(program, made))


def compare(before: Asked, after: Asked) -> WhatIf:
    """Return what differs between two runs of a program, by the names of values."""
    theirs = {name: entity for _, name, entity in after.names.values()}
    groups: dict[tuple[str, str, str, str], list[Any]] = {}
    totals = [0, 0]
    meshes = before.history.meshes
    touched: set[int] = set()
    for value, name, entity in before.names.values():
        other = theirs.get(name)
        if other is None:
            continue
        old, new = before.final(entity), after.final(other)
        sizes = (
            bytes_on_device(value.type, old, meshes),
            bytes_on_device(value.type, new, after.history.meshes),
        )
        # what a loop or a region hands on is counted where it is made
        sized = value.op is not None or value.owner.name == "func.func"
        if sized:
            totals[0] += sizes[0]
            totals[1] += sizes[1]
        if spec(old) == spec(new):
            continue
        touched.add(entity)
        origin = before.names.origin(entity)
        key = (origin.opcode, value.type.text, spec(old), spec(new))
        group = groups.setdefault(key, [[], 0, 0])
        group[0].append(name)
        group[1] += sizes[0] * sized
        group[2] += sizes[1] * sized
    made = [Group(*key, tuple(names), *sizes) for key, (names, *sizes) in groups.items()]
    made.sort(key=lambda group: (-abs(group.delta), -len(group.names)))
    return WhatIf(tuple(made), (totals[0], totals[1]), _moved(before, after))


def _moved(before: Asked, after: Asked) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The reshards that are gone, and that are new."""
    found = []
    for one in (before, after):
        ops = range(len(one.found.graph.ops))
        found.append({str(each): None for each in reshards(one.cuts, ops)})
    gone = tuple(text for text in found[0] if text not in found[1])
    return gone, tuple(text for text in found[1] if text not in found[0])


def impact(asked: Asked, name: str) -> Impact:
    """Return what an annotation does. Raises InputError if nothing of that name is annotated."""
    entity = asked.names.find(name)
    owed = what_if(asked, Changes(drop=(name,)))
    differing = {one for group in owed.groups for one in group.names}
    resting = tuple(
        one
        for one in map(asked.names.of, resting_on(asked, entity))
        if one not in differing and one != asked.names.of(entity)
    )
    given = asked.history.start[entity]
    return Impact(asked.names.of(entity), spec(given), owed, tuple(dict.fromkeys(resting)))


def resting_on(asked: Asked, source: int) -> list[int]:
    """The values that have axes from an annotated one, by way of any number of steps."""
    history, account = asked.history, asked.account
    found: dict[int, None] = {source: None}
    first = range(len(asked.found.graph.ops), history.count)
    for entity in first:
        for gain in account.gains(entity):
            if gain.how is How.CONSTRAINED and gain.source == source:
                found[entity] = None
    for record in history.records:
        if record.entity in found or record.entity < first.start:
            continue
        if any(gain.source in found for gain in account.gains(record.entity)):
            found[record.entity] = None
    return list(found)
