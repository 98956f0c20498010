"""What a question may cost, and the error that says that it would cost more."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from shardlog.ir.errors import ShardlogError

__all__ = [
    "DEEPEST",
    "LARGEST_NUMBER",
    "LONGEST_FILE",
    "LONGEST_QUESTION",
    "LONGEST_TEXT",
    "MOST_LITERALS",
    "MOST_ROWS",
    "MOST_STATEMENTS",
    "Meter",
    "TooCostly",
]

LONGEST_QUESTION = 20_000
"""Characters of a question."""

LONGEST_FILE = 1_000_000
"""Characters of a file of relations."""

LONGEST_TEXT = 10_000
"""Characters of a text in quotes."""

DEEPEST = 40
"""How many parentheses, brackets and operators stand inside each other."""

MOST_LITERALS = 200
MOST_STATEMENTS = 2_000

LARGEST_NUMBER = 2**63 - 1
"""Numbers, and what is computed of them, go from minus this to this."""

MOST_ROWS = 1_000_000
"""Rows that a question may come upon on the way to its answer: about a gigabyte."""

_EVERY = 1024


class TooCostly(ShardlogError):
    """A question that took longer, or came upon more rows, than it may."""


@dataclass
class Meter:
    """Counts the rows of a question, and raises TooCostly beyond its time or its rows.

    `seconds` is None for no limit. `order` tells how the question was taken up, for the message.
    """

    seconds: float | None = None
    rows: int = MOST_ROWS
    order: str = ""
    used: int = 0
    begun: float = field(default_factory=time.monotonic)
    _steps: int = 0

    def step(self) -> None:
        """Count a step that makes no row. Raises TooCostly."""
        self._steps += 1
        if not self._steps % _EVERY:
            self.look()

    def row(self) -> None:
        """Count a row. Raises TooCostly."""
        self.used += 1
        if self.used > self.rows:
            raise TooCostly(
                f"the question came upon more than {self.rows:,} rows on its way{self._advice()}"
            )
        if not self.used % _EVERY:
            self.look()

    def look(self) -> None:
        """Look at the clock. Raises TooCostly."""
        if self.seconds is not None and time.monotonic() - self.begun > self.seconds:
            raise TooCostly(f"no answer within {self.seconds:g} s (--time-limit){self._advice()}")

    def _advice(self) -> str:
        taken = f"; it was taken in this order: {self.order}" if self.order else ""
        return f"{taken}. Bind more of its variables, or say more about them."
