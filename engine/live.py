"""Visits that read what is known at the instant: remembered by all that they read, by trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from shardlog.engine.classes import At, Classes, Found
from shardlog.engine.templates import Change, Keyed, changes_of, template_steps
from shardlog.engine.tokens import NotAlike, Token, has_token
from shardlog.engine.traced import Tracer

if TYPE_CHECKING:
    from shardlog.engine.compiler import Compiler

BY_STEPS: Found = (None, ())
"""Stands for a visit that has to be made step by step."""


class StateColumn:
    """The values of a lattice while a visit is traced: each that is read counts as a condition.

    What the visit itself has changed is `changed`.
    """

    def __init__(self, tracer: Tracer, name: str, values: Any) -> None:
        self.tracer, self.name, self.values = tracer, name, values
        self.changed: dict[str, tuple[Token, Any]] = {}

    def __getitem__(self, key: Any) -> Any:
        if key.__class__ is not Token:
            raise NotAlike
        if key.path in self.changed:
            return self.changed[key.path][1]
        for token, value in self.changed.values():
            # an entity may be found in several ways, as one that is twice an operand
            if token == key:
                return value
        value = self.values[int(key)]
        self.tracer.now().value(self.name, key, value)
        return value

    def __setitem__(self, key: Any, value: Any) -> None:
        if key.__class__ is not Token:
            raise NotAlike
        for path, (token, _) in self.changed.items():
            if token == key:
                self.changed[path] = token, value
        self.changed[key.path] = key, value


class LiveVisits(Classes):
    """The outcomes of live visits of one sweep at one value of the phase parameter."""

    loose = False

    def __init__(
        self, compiler: Compiler, planner: Callable[[int], Keyed], bit: int, state: str
    ) -> None:
        """`state` is the name of the lattice that visits change."""
        super().__init__(compiler, self._visit, _by_places)
        self.planner, self.bit, self.name = planner, bit, f"state_{state}"
        self.insistent = compiler.declared.insistent

    def _visit(self, entity: int) -> Any:
        state = self.compiler.namespace[self.name]
        state.changed.clear()
        keyed = self.planner(entity)
        return changes_of(
            template_steps(keyed, _itself, self.insistent, marked=False), self.bit, state
        )

    def _alone(self, entity: int) -> Found | None:
        return BY_STEPS


def _itself(entity: Any) -> Any:
    return entity


def _by_places(changes: tuple[Change, ...] | None, at: At) -> Any:
    if changes is None:
        return None
    if has_token(tuple([(c.olds, c.news) for c in changes])):
        raise NotAlike
    return tuple(
        [
            change._replace(
                targets=tuple([at(t) for t in change.targets]),
                contributors=tuple([at(c) for c in change.contributors]),
            )
            for change in changes
        ]
    )
