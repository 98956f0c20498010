"""The careful way to read HLO text: statement by statement, whatever the line breaks.

Used for computations that the line scanner cannot read, among them those with computations written
inside an attribute. It says where and why a text cannot be read.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property
from typing import NoReturn

from shardlog.ir.errors import InputError
from shardlog.ir.shape import parse_shape_at
from shardlog.light import dataclass, field

Row = tuple[str, str, str, str, str]
"""Of one instruction: `ROOT ` or empty, name, shape and opcode, text in parentheses, attributes.

The shape is empty if the text leaves it out.
"""

_GAP = re.compile(r"(?:\s+|/\*.*?\*/|//[^\n\r]*)*", re.S)
_NAME = re.compile(r"%?[A-Za-z0-9_][\w.\-]*")
_OPCODE = re.compile(r"[a-z][a-z0-9\-]*")
# an opcode where a shape may stand; b(...) is the shape of a buffer
_NO_SHAPE = re.compile(r"(?!b\s*\()[a-z][a-z0-9\-]*\s*\(")
_ATTRIBUTE = re.compile(r"([A-Za-z_][\w.\-]*)\s*=")
_BARE = re.compile(r"(?:[^\s,{}()\[\]\"/]|/(?![*/]))+")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|/\*.*?\*/|[{}\[\]()"]', re.S)
_STATEMENT = re.compile(r"(?:ROOT\s+)?%?[A-Za-z0-9_][\w.\-]*\s*=[^=]")
_ENTRY = re.compile(r"ENTRY\b")
_ROOT = re.compile(r"ROOT\s+")
_CLOSES = {"}": "{", "]": "[", ")": "("}
CALLING_ATTRIBUTES = (
    "condition",
    "body",
    "true_computation",
    "false_computation",
    "branch_computations",
    "select",
    "scatter",
    "to_apply",
    "calls",
    "called_computations",
)
"""Attributes that name computations, in the order that we list them in."""


@dataclass
class Statement:
    """One instruction as it stands in the text, from `start` to `end`.

    `nested` holds the bodies of computations that are written inside attributes, by attribute.
    """

    row: Row
    start: int
    end: int
    nested: dict[str, list[list[Statement]]] = field(default_factory=dict)


@dataclass
class Header:
    """What stands before a computation's body, which begins at `end`."""

    is_entry: bool
    name: str
    start: int
    end: int


class Scanner:
    """Reads statements at offsets of one text."""

    def __init__(self, text: str, file: str | None) -> None:
        self.text = text
        self.file = file

    def fail(self, at: int, message: str, expected: str | None = None) -> NoReturn:
        """Raise an InputError for an offset."""
        rest = self.text[at : at + 60].split("\n", 1)[0].strip()
        if len(rest) > 40:
            rest = rest[:37] + "..."
        found = (
            repr(rest) if rest else "the end of the file" if self._ends(at) else "the line's end"
        )
        raise InputError(
            message, file=self.file, line=self.line(at), expected=expected, found=found
        )

    def line(self, at: int) -> int:
        """The line of an offset, from 1."""
        return bisect_left(self._breaks, at) + 1

    @cached_property
    def _breaks(self) -> list[int]:
        """The offsets of all line breaks."""
        return [match.start() for match in re.finditer("\n", self.text)]

    def _ends(self, at: int) -> bool:
        return self.gap(at) >= len(self.text)

    def gap(self, at: int) -> int:
        """The offset behind blanks and comments."""
        match = _GAP.match(self.text, at)
        return match.end() if match else at

    def expect(self, at: int, token: str, message: str) -> int:
        """The offset behind a token that must stand here, after blanks."""
        at = self.gap(at)
        if not self.text.startswith(token, at):
            self.fail(at, message, repr(token))
        return at + len(token)

    def header(self, at: int) -> Header:
        """A computation's header up to and with its `{`."""
        start = at = self.gap(at)
        text = self.text
        is_entry = _ENTRY.match(text, at) is not None
        if is_entry:
            at = self.gap(at + len("ENTRY"))
        name = _NAME.match(text, at)
        if name:
            at = self.gap(name.end())
        shown = name[0] if name else "a computation"
        if text.startswith("(", at):
            at = self.expect(self.balanced(at, shown), "->", f"header of {shown}")
            at = self._shape_end(self.gap(at), f"result of {shown}")
        at = self.gap(at)
        if not text.startswith("{", at):
            self.fail(
                at if name else start, "unreadable computation", "a computation: name { ... }"
            )
        return Header(is_entry, name[0] if name else "", start, at + 1)

    def body(self, at: int) -> tuple[list[Statement], int]:
        """The statements of a computation from behind its `{`, and the offset behind its `}`."""
        statements: list[Statement] = []
        while True:
            at = self.gap(at)
            if self.text.startswith("}", at):
                if not statements:
                    self.fail(at, "computation without instructions", "an instruction")
                return statements, at + 1
            statement = self.statement(at)
            statements.append(statement)
            at = statement.end

    def statement(self, start: int) -> Statement:
        """One instruction."""
        text = self.text
        at = start
        root = _ROOT.match(text, at)
        if root:
            at = root.end()
        name = _NAME.match(text, at)
        if not name:
            self.fail(at, "unreadable instruction", "an instruction: name = shape opcode(...)")
        shown = name[0]
        at = self.gap(self.expect(name.end(), "=", f"unreadable instruction {shown}"))
        shape = ""
        if not _NO_SHAPE.match(text, at):
            shape_start = at
            at = self._shape_end(at, shown)
            shape = text[shape_start:at].strip()
            at = self.gap(at)
        opcode = _OPCODE.match(text, at)
        if not opcode:
            self.fail(at, f"{shown}: unreadable opcode", "an opcode such as add")
        at = self.expect(opcode.end(), "(", f"{shown}: unreadable operands")
        end = self.balanced(at - 1, shown)
        inner = text[at : end - 1].strip()
        nested: dict[str, list[list[Statement]]] = {}
        tail, end = self.attributes(end, shown, nested)
        row = ("ROOT " if root else "", shown, f"{shape} {opcode[0]}", inner, tail)
        return Statement(row, start, end, nested)

    def attributes(
        self, at: int, shown: str, nested: dict[str, list[list[Statement]]] | None = None
    ) -> tuple[str, int]:
        """The attribute list that begins at an offset, and the offset behind it.

        Bodies of computations inside attributes go to `nested` instead of the list.
        """
        text = self.text
        pieces: list[str] = []
        end = at
        while True:
            comma = self.gap(end)
            if not text.startswith(",", comma):
                return "".join(pieces), end
            value = self.gap(comma + 1)
            name = _ATTRIBUTE.match(text, value)
            if name:
                value = self.gap(name.end())
            elif not (pieces and _NAME.match(text, value)):
                self.fail(value, f"{shown}: unreadable attribute", "name=value")
            inside = -1
            if nested is not None and name and name[1] in CALLING_ATTRIBUTES:
                inside = self._nested(name[1], value, shown, nested)
            if inside >= 0:
                end = inside
            else:
                end = self._value(value, shown)
                pieces.append(f", {name[1]}={text[value:end]}" if name else f", {text[value:end]}")

    def module_header(self, at: int) -> tuple[str, str, int]:
        """Name and attribute list of a module, and the offset behind them."""
        at = self.gap(at + len("HloModule"))
        name = _NAME.match(self.text, at)
        shown = name[0] if name else ""
        tail, end = self.attributes(name.end() if name else at, f"module {shown}".strip())
        return shown, tail, end

    def _nested(
        self, name: str, at: int, shown: str, nested: dict[str, list[list[Statement]]]
    ) -> int:
        """The offset behind computations written inside an attribute; -1 if it holds names."""
        text = self.text
        if not text.startswith("{", at):
            return -1
        inside = self.gap(at + 1)
        if _STATEMENT.match(text, inside):
            body, end = self.body(at + 1)
            nested[name] = [body]
            return end
        if not text.startswith("{", inside):
            return -1
        bodies = []
        at = at + 1
        while True:
            at = self.expect(at, "{", f"{shown}: unreadable {name}")
            body, at = self.body(at)
            bodies.append(body)
            at = self.gap(at)
            if text.startswith("}", at):
                nested[name] = bodies
                return at + 1
            at = self.expect(at, ",", f"{shown}: unreadable {name}")

    def _value(self, at: int, shown: str) -> int:
        """The offset behind an attribute's value."""
        text = self.text
        start = at
        while at < len(text):
            if text[at] in "{[(":
                at = self.balanced(at, shown)
            elif text[at] == '"':
                string = _TOKEN.match(text, at)
                if not string or len(string[0]) < 2:
                    self.fail(at, f"{shown}: a quote without its end")
                at = string.end()
            else:
                bare = _BARE.match(text, at)
                if not bare:
                    break
                at = bare.end()
        if at == start:
            self.fail(at, f"{shown}: attribute without value", "a value")
        return at

    def balanced(self, at: int, shown: str) -> int:
        """The offset behind the bracket that closes the one at an offset."""
        open_: list[str] = []
        for token in _TOKEN.finditer(self.text, at):
            mark = token[0]
            if mark in "{[(":
                open_.append(mark)
            elif mark in _CLOSES:
                if open_[-1] != _CLOSES[mark]:
                    self.fail(
                        token.start(), f"{shown}: brackets do not match", f"one for {open_[-1]}"
                    )
                open_.pop()
                if not open_:
                    return token.end()
            elif mark == '"':
                self.fail(token.start(), f"{shown}: a quote without its end")
        raise InputError(
            f"{shown}: unmatched {self.text[at]!r}",
            file=self.file,
            line=self.line(at),
            expected=f"its {'})]'['{(['.index(self.text[at])]!r}",
            found="the end of the file",
        )

    def _shape_end(self, at: int, shown: str) -> int:
        try:
            return parse_shape_at(self.text, at)[1]
        except InputError as error:
            error.message = f"{shown}: unreadable shape"
            raise error.located(file=self.file, line=self.line(at)) from None
