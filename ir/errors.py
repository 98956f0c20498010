"""The errors that shardlog raises."""

from __future__ import annotations

__all__ = ["InputError", "ShardlogError"]


class ShardlogError(Exception):
    """Base class of every error that shardlog raises on purpose."""


class InputError(ShardlogError):
    """A text, proto or file that cannot be read, with the place and the reason.

    `line` and `column` count from 1; `expected` and `found` are short phrases. Any of them, and
    `file`, may be unknown. `str()` gives "FILE:LINE:COLUMN: message (expected ..., found ...)".
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        expected: str | None = None,
        found: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.expected = expected
        self.found = found

    def located(
        self, *, file: str | None = None, line: int | None = None, column: int | None = None
    ) -> InputError:
        """Return the same error, with the given parts of the place replaced."""
        return InputError(
            self.message,
            file=self.file if file is None else file,
            line=self.line if line is None else line,
            column=self.column if column is None else column,
            expected=self.expected,
            found=self.found,
        )

    def __str__(self) -> str:
        place = ""
        if self.line is not None:
            position = f"{self.line}" if self.column is None else f"{self.line}:{self.column}"
            place = f"{self.file}:{position}: " if self.file is not None else f"{position}: "
        elif self.file is not None:
            place = f"{self.file}: "
        parts = []
        if self.expected is not None:
            parts.append(f"expected {self.expected}")
        if self.found is not None:
            parts.append(f"found {self.found}")
        return f"{place}{self.message}" + (f" ({', '.join(parts)})" if parts else "")

    def __reduce__(self) -> tuple[object, ...]:
        # An error crosses process borders in a batch run; keyword-only arguments need this.
        return (
            _rebuild,
            (self.message, self.file, self.line, self.column, self.expected, self.found),
        )


def _rebuild(
    message: str,
    file: str | None,
    line: int | None,
    column: int | None,
    expected: str | None,
    found: str | None,
) -> InputError:
    return InputError(message, file=file, line=line, column=column, expected=expected, found=found)
