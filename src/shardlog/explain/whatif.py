"""What would be different with other annotations, masks or rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shardlog import converters
from shardlog.explain.account import reshards
from shardlog.explain.run import Place, Run
from shardlog.explain.sizes import bytes_on_device, counted, readable, signed
from shardlog.ir.errors import InputError
from shardlog.ir.module import HloModule, Instruction
from shardlog.ir.sharding import HloSharding
from shardlog.leaves import alike, leaf_at, split_name
from shardlog.markup import Displayed, listed, paragraph, table
from shardlog.proof_text import brief
from shardlog.propagation import propagate

__all__ = [
    "Changes",
    "Group",
    "WhatIf",
    "changed_copy",
    "compare_runs",
    "drop_annotation",
    "find_instruction",
    "what_if",
]


@dataclass(frozen=True)
class Changes:
    """What is to be different. Names are those of the module as it came; NAME{1} is an element."""

    annotate: Mapping[str, HloSharding] = field(default_factory=dict)
    drop: Sequence[str] = ()
    params: Sequence[bool] | None = None
    output: Sequence[bool] | None = None
    rules: Sequence[Path] = ()
    disable: Sequence[str] = ()

    def __bool__(self) -> bool:
        masks = self.params is not None or self.output is not None
        return bool(self.annotate or self.drop or self.rules or self.disable or masks)


@dataclass(frozen=True)
class Group:
    """Instructions alike that change in the same way."""

    opcode: str
    shape: str
    before: str
    after: str
    names: tuple[str, ...]
    bytes_before: int
    bytes_after: int

    @property
    def delta(self) -> int:
        """By how many bytes a device holds more of all of them together."""
        return self.bytes_after - self.bytes_before


@dataclass(frozen=True)
class WhatIf(Displayed):
    """The differences between two runs, in groups, those that move most bytes first.

    Bytes are those of a device; `total` of all values, whose lifetimes are not looked at.
    """

    groups: tuple[Group, ...]
    total: tuple[int, int]
    reshards: tuple[tuple[str, ...], tuple[str, ...]]

    @property
    def count(self) -> int:
        """How many instructions differ."""
        return sum(len(group.names) for group in self.groups)

    @property
    def _differ(self) -> str:
        verb = "differs" if self.count == 1 else "differ"
        return f"{counted(self.count, 'instruction')} {verb}"

    def to_text(self, limit: int | None = 20) -> str:
        """Return the differences as text, at most `limit` groups."""
        if not self.groups:
            return "nothing differs"
        before, after = self.total
        lines = [
            f"{self._differ}; bytes on a device, of all values: "
            f"{readable(before)} -> {readable(after)} ({signed(after - before)})"
        ]
        shown = self.groups if limit is None else self.groups[:limit]
        for group in shown:
            names = ", ".join(group.names[:4])
            more = f" and {len(group.names) - 4} more" if len(group.names) > 4 else ""
            lines.append(f"  {group.opcode} {group.shape}: {group.before} -> {group.after}")
            lines.append(f"      {signed(group.delta)}: {names}{more}")
        if len(self.groups) > len(shown):
            lines.append(f"  ... and {len(self.groups) - len(shown)} more groups (--limit)")
        for word, found in zip(("gone", "new"), self.reshards, strict=True):
            for reshard in found[:5]:
                lines.append(f"  reshard {word}: {reshard}")
            if len(found) > 5:
                lines.append(f"  ... and {len(found) - 5} more reshards {word}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the differences ready for JSON."""
        return {
            "instructions": self.count,
            "bytes_before": self.total[0],
            "bytes_after": self.total[1],
            "reshards_gone": list(self.reshards[0]),
            "reshards_new": list(self.reshards[1]),
            "groups": [
                {
                    "opcode": group.opcode,
                    "shape": group.shape,
                    "before": group.before,
                    "after": group.after,
                    "bytes_before": group.bytes_before,
                    "bytes_after": group.bytes_after,
                    "instructions": list(group.names),
                }
                for group in self.groups
            ],
        }

    def _repr_html_(self) -> str:
        before, after = self.total
        heads = ("opcode", "shape", "before", "after", "bytes on a device", "instructions")
        rows = [
            (one.opcode, one.shape, one.before, one.after, signed(one.delta), _some(one.names))
            for one in self.groups
        ]
        moved = [
            f"reshard {word}: {reshard}"
            for word, found in zip(("gone", "new"), self.reshards, strict=True)
            for reshard in found[:5]
        ]
        total = f"{readable(before)} -> {readable(after)} ({signed(after - before)})"
        return (
            paragraph(self._differ, "bytes on a device:", total)
            + table(heads, rows)
            + listed(moved)
        )

    def __str__(self) -> str:
        return self.to_text()


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return ", ".join(names[:4]) + more


def what_if(module: HloModule, changes: Changes, options: Mapping[str, Any]) -> WhatIf:
    """Propagate a module as it is and with changes, and return what differs.

    `options` are those of `propagate`. The module stays as it is. Raises InputError if there is no
    instruction, element or rule of a name, or for a sharding that does not fit.
    """
    changed = changed_copy(module, changes)
    before = Run(propagate(_copy(module), **options))
    after = Run(propagate(changed, **_changed_options(changes, options)))
    return compare_runs(before, after)


def _changed_options(changes: Changes, options: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(options)
    made["rules"] = [*options.get("rules", ()), *changes.rules]
    made["disabled"] = [*options.get("disabled", ()), *changes.disable]
    if changes.params is not None:
        made["params"] = changes.params
    if changes.output is not None:
        made["output"] = changes.output
    return made


def _copy(module: HloModule) -> HloModule:
    return converters.load(module.to_text().encode("utf-8", "surrogateescape"))


def changed_copy(module: HloModule, changes: Changes) -> HloModule:
    """Return a copy of a module with other annotations. Raises InputError."""
    copy = _copy(module)
    copy.file = module.file
    for name in changes.drop:
        instruction, leaf = find_instruction(copy, name)
        drop_annotation(instruction, leaf)
    for name, sharding in changes.annotate.items():
        instruction, leaf = find_instruction(copy, name)
        _put(instruction, leaf, sharding)
    return copy


def drop_annotation(instruction: Instruction, leaf: int | None = None) -> None:
    """Take an annotation, or that of an element, off an instruction; a `Sharding` call is a copy.

    Raises InputError if there is none.
    """
    if instruction.sharding is None:
        raise instruction.located(InputError("there is no annotation to drop"))
    if leaf is not None:
        _put(instruction, leaf, HloSharding.replicated())
        return
    if instruction.custom_call_target == "Sharding":
        instruction.become_copy(instruction.name)
    instruction.sharding = None


def find_instruction(module: HloModule, name: str) -> tuple[Instruction, int | None]:
    """Return the instruction of NAME or NAME{1}, and the leaf. Raises InputError."""
    wanted, path = split_name(name)
    instruction = module.find(wanted.removeprefix("%"))
    if instruction is None:
        names = [x.name for x in module.instructions]
        said = f"no instruction is called {wanted!r}{alike(wanted, names)}"
        raise InputError(said, file=module.file)
    return instruction, None if path is None else leaf_at(instruction, path)


def _put(instruction: Instruction, leaf: int | None, sharding: HloSharding) -> None:
    shape = instruction.shape
    if leaf is None:
        if sharding.is_tuple != shape.is_tuple:
            raise instruction.located(
                InputError(
                    f"{sharding} does not fit",
                    expected="a sharding for " + ("each element" if shape.is_tuple else "an array"),
                    found=str(shape),
                )
            )
        instruction.sharding = sharding
    else:
        old = instruction.sharding
        count = shape.leaf_count
        parts = [HloSharding.replicated()] * count if old is None else list(old.elements)
        parts[leaf] = sharding
        instruction.sharding = HloSharding.tuple_of(parts)
    shapes = shape.leaves if shape.is_tuple else (shape,)
    parts = list(sharding.elements) if sharding.is_tuple else [sharding]
    of = shapes if leaf is None else (shapes[leaf],)
    for part, one in zip(parts, of, strict=False):
        if part.kind == "tiled" and part.tiled_data_rank != one.rank:
            raise instruction.located(
                InputError(
                    f"{part} does not fit {one}",
                    expected=f"{one.rank} dimensions",
                    found=str(part.tiled_data_rank),
                )
            )


# ---------------------------------------------------------------- differences


def compare_runs(before: Run, after: Run) -> WhatIf:
    """Return what differs between two runs of the same module."""
    groups: dict[tuple[str, str, str, str], list[Any]] = {}
    totals = [0, 0]
    later = {after.key(n): n for n in range(len(after.entities))}
    touched: set[int] = set()
    for number, instruction in enumerate(before.entities):
        other = later.get(before.key(number))
        if other is None:
            continue
        sized = instruction.opcode not in ("tuple", "get-tuple-element")
        for place in before.leaves(number):
            mine, theirs = before.final(place), after.final(Place(other, place.leaf))
            shape = before.shape(place)
            sizes = bytes_on_device(shape, mine), bytes_on_device(shape, theirs)
            if sized:
                totals[0] += sizes[0]
                totals[1] += sizes[1]
            if mine is theirs or (mine is not None and theirs is not None and mine.equals(theirs)):
                continue
            touched.add(number)
            key = (instruction.opcode, str(shape), _text(mine), _text(theirs))
            group = groups.setdefault(key, [[], 0, 0])
            group[0].append(before.named(place))
            group[1] += sizes[0] * sized
            group[2] += sizes[1] * sized
    made = [
        Group(*key, tuple(names), size, new_size) for key, (names, size, new_size) in groups.items()
    ]
    made.sort(key=lambda group: (-abs(group.delta), -len(group.names)))
    return WhatIf(tuple(made), (totals[0], totals[1]), _reshards(before, after, later, touched))


def _reshards(
    before: Run, after: Run, later: Mapping[tuple[str, str], int], touched: set[int]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Reshards that are gone and that are new, at what differs and its users."""
    asked = {*touched, *(user for one in touched for user in before.users(one))}
    numbers = sorted(asked)
    old = {(r.user, r.operand): str(r) for n in numbers for r in reshards(before, n)}
    new = {
        (r.user, r.operand): str(r)
        for n in numbers
        for r in reshards(after, later.get(before.key(n), n))
    }
    gone = tuple(text for key, text in old.items() if key not in new)
    return gone, tuple(text for key, text in new.items() if key not in old)


def _text(sharding: HloSharding | None) -> str:
    return "no sharding" if sharding is None else brief(sharding)
