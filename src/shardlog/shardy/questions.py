"""Datalog questions to a program that Shardy has propagated."""

from __future__ import annotations

from collections.abc import Sequence

from shardlog.query.session import Session
from shardlog.shardy.relations import HEADINGS, RELATIONS, Ground, QuestionNames, Sources
from shardlog.shardy.session import Asked

__all__ = ["Questions"]


class Questions(Session):
    """A propagated program that is asked questions, as `shardlog.query.Session` is."""

    relations = RELATIONS
    headings: Sequence[str] = HEADINGS

    def __init__(self, asked: Asked) -> None:
        ground = Ground(asked)
        self.asked = asked
        self.names = QuestionNames(ground)  # type: ignore[assignment]
        self.sources = Sources(ground)  # type: ignore[assignment]
        self.rules = []

    def copy(self) -> Questions:
        """A session of the same program with the same rules, to which others may be added."""
        copied = object.__new__(Questions)
        copied.asked, copied.names, copied.sources = self.asked, self.names, self.sources
        copied.rules = list(self.rules)
        return copied
