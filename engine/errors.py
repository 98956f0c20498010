"""What the engine says when a rule set or a run is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from shardlog.light import dataclass

if TYPE_CHECKING:
    from shardlog.engine.syntax import Rule


WIDEST = 160
"""Characters of a line that are shown."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """A suggestion for a misspelt name, or None."""
    import difflib  # not for those who spell well

    found = difflib.get_close_matches(name, list(known), 1, 0.6)
    return f"did you mean {found[0]!r}?" if found else None


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a rule file: file, line and column, both counted from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding of the checker: where it is, what is wrong and what would help."""

    span: Span
    message: str
    rule: str | None = None
    hint: str | None = None
    source: str | None = None

    def __str__(self) -> str:
        text = f"{self.span}: {self.message}"
        if self.rule:
            text += f" (rule {self.rule!r})"
        if self.source is not None:
            source, column = _window(self.source, self.span.column)
            text += f"\n    {source}\n    {' ' * (column - 1)}^"
        if self.hint:
            text += f"\n    hint: {self.hint}"
        return text


def _window(line: str, column: int) -> tuple[str, int]:
    """A line, or of a very long one what is around a column, and where that column then is."""
    if len(line) <= WIDEST:
        return line, column
    begin = max(0, min(column - WIDEST // 2, len(line) - WIDEST))
    return line[begin : begin + WIDEST], column - begin


class RuleError(Exception):
    """A rule set that cannot be used; `problems` holds every finding."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class OscillationError(Exception):
    """A saturation in which rules undo each other for ever: at which entity, with which values."""

    def __init__(
        self, message: str, entity: int, values: tuple[Any, ...], rules: tuple[Rule, ...]
    ) -> None:
        super().__init__(message)
        self.entity, self.values, self.rules = entity, values, rules


class EvaluationError(Exception):
    """A function called by a rule failed; the message names the rule and the arguments."""
