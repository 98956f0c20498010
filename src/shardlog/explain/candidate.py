"""A rule that could have given a sharding, and the words for it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from shardlog.engine.attempts import Variant, named_variables
from shardlog.explain.meanings import Kind
from shardlog.explain.run import Place, Run
from shardlog.ir.axes import split_dims
from shardlog.ir.sharding import HloSharding

__all__ = ["Candidate", "briefly", "came_from", "near", "sentence"]

MANY = 48
"""From how many neighbours on only those that are tiled, and one of each kind, are asked."""

_PLACE = re.compile(r"\{([A-Z_]\w*)\}")


@dataclass(frozen=True)
class Candidate:
    """A rule that could have given what was wanted, and why it did not.

    `sources` are instructions with the shardings that the rule read, or would have read.
    `failed` is the literal that failed first, with the values found. `opens` is the tier from
    which on the rule may speak, None if never. `short` is the reason in fewer words,
    `besides` what else would have kept it away.
    """

    rule: str
    direction: str
    kind: Kind
    says: str
    because: str
    sources: tuple[tuple[str, str | None], ...] = ()
    proposes: str | None = None
    failed: str | None = None
    opens: int | None = 0
    short: str = ""
    besides: str = ""
    score: float = field(default=0.0, compare=False)
    numbers: tuple[int, ...] = field(default=(), compare=False, repr=False)
    value: HloSharding | None = field(default=None, compare=False, repr=False)


def sentence(variant: Variant, known: dict[str, Any], name: Callable[[int], str]) -> str:
    """What a variant says, with names and shardings in place of the variables that are known."""
    values = named_variables(variant, known)

    def put(place: re.Match[str]) -> str:
        value = values.get(place[1])
        if value is None:
            return place[1]
        return name(value) if isinstance(value, int) else str(value)

    return _PLACE.sub(put, variant.says)


def briefly(sharding: HloSharding | None) -> str:
    """The text of a sharding; of a long tuple just the elements that are tiled."""
    if sharding is None:
        return "no sharding"
    text = str(sharding)
    if not sharding.is_tuple or len(text) <= 200:
        return text
    split = [n for n, element in enumerate(sharding.elements) if split_dims(element)]
    shown = ", ".join(f"{{{n}}} {sharding.elements[n]}" for n in split[:3])
    return f"a tuple of {len(sharding.elements)}, {len(split)} of them tiled: {shown}"


def came_from(run: Run, place: Place) -> str:
    """From whom and by which rule a leaf has its sharding, in words; "" if it came with it."""
    record = run.last_record(place)
    if record is None:
        return ""
    names = ", ".join(run.name(c) for c in record.contributors if c != record.entity)
    tier = "" if record.value is None else f", tier {record.value}"
    from_ = f" from {names}" if names else ""
    return f"{from_} by rule '{record.rule.name}' ({record.visit}{tier})"


def near(run: Run, place: Place) -> frozenset[int]:
    """The neighbours that are asked: those that have to do with the leaf, of very many not all."""
    every = dict.fromkeys((*run.operands(place.entity), *run.users(place.entity)))
    if place.leaf is not None:
        every = dict.fromkeys(n for n in every if run.touches(place, n))
    if len(every) <= MANY:
        return frozenset(every)
    kinds: dict[Any, int] = {}
    for number in every:
        instruction = run.entities[number]
        sharding = run.saturated(Place(number))
        key = (
            instruction.opcode,
            instruction.shape,
            sharding,
            number in run.operands(place.entity),
        )
        kinds.setdefault(key, number)
    chosen = sorted(kinds.values(), key=lambda number: not run.is_split(number))
    return frozenset(chosen[:MANY])
