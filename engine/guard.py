"""The guard against rules that undo each other for ever."""

from __future__ import annotations

from typing import Any

from shardlog.engine.errors import OscillationError
from shardlog.engine.syntax import Rule

RETURNS_ALLOWED = 8
CHANGES_ALLOWED = 10_000


class Watch:
    """Counts, within one phase, how often entities return to a value and how often they change."""

    def __init__(self) -> None:
        self.phase = ""
        self.returns: dict[tuple[int, Any], int] = {}
        self.changes: dict[int, int] = {}
        self.givers: dict[tuple[int, Any], Rule] = {}

    def begin(self, phase: str, value: int | None) -> None:
        """Starts a phase; `value` is the phase parameter's."""
        self.phase = phase if value is None else f"{phase} {value}"
        self.returns.clear()
        self.changes.clear()
        self.givers.clear()

    def changed(self, entity: int, new: Any, rule: Rule) -> None:
        """Notes that a rule replaced an entity's value. Raises OscillationError."""
        total = self.changes[entity] = self.changes.get(entity, 0) + 1
        if total <= RETURNS_ALLOWED:
            # most change once or twice: it is not looked at what they return to
            return
        key = entity, new
        self.givers[key] = rule
        count = self.returns[key] = self.returns.get(key, 0) + 1
        if count > RETURNS_ALLOWED:
            self._oscillates(entity)
        if total > CHANGES_ALLOWED:
            raise OscillationError(
                f"entity {entity} never settles in phase {self.phase!r}: it changed more than "
                f"{CHANGES_ALLOWED} times, last to {new} by {_named(rule)}",
                entity,
                (new,),
                (rule,),
            )

    def _oscillates(self, entity: int) -> None:
        # the first rounds of a fight may pass through other values: only those that recur count
        again = [
            (value, rule)
            for (one, value), rule in self.givers.items()
            if one == entity and self.returns[one, value] >= RETURNS_ALLOWED
        ]
        gives = "; ".join(f"{_named(rule)} gives it {value}" for value, rule in again)
        raise OscillationError(
            f"entity {entity} returns to the same values for ever in phase {self.phase!r}: {gives}",
            entity,
            tuple(value for value, _ in again),
            tuple(dict.fromkeys(rule for _, rule in again)),
        )


def _named(rule: Rule) -> str:
    return f"rule {rule.name!r} ({rule.span})"
