"""Tokens of HLO text, as far as shardings and similar attributes need them."""

from __future__ import annotations

import re

from shardlog.ir.arrays import np
from shardlog.ir.errors import InputError

__all__ = ["Scanner"]

_BLANK = re.compile(r"(?:[ \t\r\n]+|/\*.*?\*/|//[^\r\n]*)+", re.DOTALL)
_TOKEN = re.compile(
    r"""[A-Za-z_][\w.-]*=?               # a word, or the name of an attribute
    | -?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[\w]*
    | "(?:[^"\\]|\\.)*"
    | '(?:[^'\\]|\\.)*'
    | <= | .""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_INTEGER = re.compile(r"-?\d+", re.ASCII)
_LEAST, _GREATEST = -(1 << 63), (1 << 63) - 1
_INTEGERS = re.compile(r"-?\d{1,19}(?:[ \t\r\n]*,[ \t\r\n]*-?\d{1,19})+(?=[ \t\r\n\]})])", re.ASCII)


_LONG = 1 << 14
_NINETEEN_DIGITS = re.compile(r"\d{19}", re.ASCII)


def _numbers(text: str) -> list[int]:
    """The integers of a list with commas; of a long one without a string for each."""
    if len(text) < _LONG or _NINETEEN_DIGITS.search(text):
        return [int(entry) for entry in text.split(",")]
    values: list[int] = np.fromstring(text, dtype=np.int64, sep=",").tolist()
    return values


class Scanner:
    """A text cut into tokens; `token` is the present one ("" at the end), `start` its offset."""

    __slots__ = ("end", "start", "text", "token", "what")

    def __init__(self, text: str, what: str) -> None:
        self.text = text
        self.what = what
        self.end = 0
        self.next()

    def next(self) -> None:
        """Go to the next token; blanks and comments are skipped."""
        blank = _BLANK.match(self.text, self.end)
        self.start = self.end if blank is None else blank.end()
        match = _TOKEN.match(self.text, self.start)
        self.token = "" if match is None else match[0]
        self.end = self.start + len(self.token)

    def eat(self, token: str) -> bool:
        """Skip a token if it is the present one, and tell whether it was."""
        if self.token != token:
            return False
        self.next()
        return True

    def expect(self, token: str, expected: str) -> None:
        """Skip a token; raises InputError if it is not the present one."""
        if not self.eat(token):
            raise self.error(f"unreadable {self.what}", expected)

    @property
    def token_is_integer(self) -> bool:
        """Whether the present token is an integer literal."""
        return _INTEGER.fullmatch(self.token) is not None

    def integer_here(self) -> int:
        """Return the present token as a number; raises InputError unless it is one of 64 bits."""
        if not self.token_is_integer:
            raise self.error(f"unreadable {self.what}", "an integer")
        value = int(self.token) if len(self.token) < 21 else _GREATEST + 1
        if not _LEAST <= value <= _GREATEST:
            raise self.error("integer out of range", "64 bits")
        return value

    def integer(self) -> int:
        """Return and skip an integer; raises InputError unless there is one of 64 bits."""
        value = self.integer_here()
        self.next()
        return value

    def integers(self) -> list[int]:
        """Return and skip one or more integers with commas between them."""
        # Device lists have thousands of entries: read a plain one at once. Whatever is not plain
        # goes entry by entry, which also finds the place of an error.
        values: list[int] = []
        match = _INTEGERS.match(self.text, self.start)
        if match is not None:
            values = _numbers(match[0])
            if min(values) < _LEAST or max(values) > _GREATEST:
                values = []
            else:
                self.end = match.end()
                self.next()
        if not values:
            values.append(self.integer())
        while self.eat(","):
            values.append(self.integer())
        return values

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, both from 1."""
        line_start = self.text.rfind("\n", 0, offset) + 1
        return self.text.count("\n", 0, offset) + 1, offset - line_start + 1

    def error(self, message: str, expected: str, offset: int | None = None) -> InputError:
        """Return an error at an offset, by default the present token's."""
        line, column = self.place(self.start if offset is None else offset)
        found = None
        if offset is None:
            found = "the end of the text" if not self.token else repr(self.token[:40])
        return InputError(message, line=line, column=column, expected=expected, found=found)
