"""Provenance: one record per accepted join."""

from __future__ import annotations

from typing import Any, NamedTuple

from shardlog.engine.syntax import Rule


class Record(NamedTuple):
    """What one accepted join did, and on what grounds.

    `event` counts accepted joins from 0; `contributors` are the entities whose values the rule
    matched, `phase` is the name of the phase and `value` its parameter, or None outside the rounds.
    """

    event: int
    entity: int
    old: Any
    new: Any
    rule: Rule
    contributors: tuple[int, ...]
    phase: str
    value: int | None
    iteration: int
    visit: str
