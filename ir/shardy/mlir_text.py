"""Tokens of MLIR text, as far as Shardy's attributes need them."""

from __future__ import annotations

import re

from shardlog.ir.scanner import Scanner

__all__ = ["MlirScanner", "mlir_string", "mlir_symbol"]

_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*)+")
_STRING = r'"(?:[^"\\\n\v\f]|\\["\\nt]|\\[0-9a-fA-F]{2})*+"'
_WORD = r"[A-Za-z_][A-Za-z0-9_$.]*"
_TOKEN = re.compile(
    rf"{_STRING}|@{_STRING}|@{_WORD}|\#{_WORD}|{_WORD}|0x[0-9a-fA-F]+|[0-9]+|.", re.DOTALL
)
_BARE = re.compile(_WORD)
_ESCAPE = re.compile(rb"\\(?:([0-9a-fA-F]{2})|(.))")
_PLAIN = re.compile(r"[ !#-\[\]-~]*")
_LETTERS = {b"n": b"\n", b"t": b"\t", b'"': b'"', b"\\": b"\\"}


class MlirScanner(Scanner):
    """A text cut into the tokens of MLIR. Follows mlir::Lexer."""

    __slots__ = ()

    def next(self) -> None:
        """Go to the next token; blanks and comments are skipped."""
        blank = _BLANK.match(self.text, self.end)
        self.start = self.end if blank is None else blank.end()
        match = _TOKEN.match(self.text, self.start)
        self.token = "" if match is None else match[0]
        self.end = self.start + len(self.token)

    def integer_here(self) -> int:
        """Return the present token as a number; raises InputError unless it is one of 64 bits."""
        if not self.token[:1].isdigit():
            raise self.error(f"unreadable {self.what}", "an integer")
        number = self.token
        # a number with thousands of digits is not worth converting
        value = int(number, 0 if number[:2] == "0x" else 10) if len(number) < 32 else 1 << 63
        if value >= 1 << 63:
            raise self.error("integer out of range", "64 bits")
        return value

    def string(self) -> str:
        """Return and skip a string in double quotes; raises InputError unless there is one."""
        if len(self.token) < 2 or self.token[0] != '"':
            raise self.error(f"unreadable {self.what}", "a name in double quotes")
        value = _unescaped(self.token[1:-1])
        self.next()
        return value

    @property
    def token_is_symbol(self) -> bool:
        """Whether the present token is a symbol such as `@mesh`."""
        return self.token[:1] == "@" and len(self.token) > 1

    def symbol(self) -> str:
        """Return and skip a symbol, without its `@`; raises InputError unless there is one."""
        if not self.token_is_symbol:
            raise self.error(f"unreadable {self.what}", "a symbol such as @mesh")
        name = self.token[1:]
        value = _unescaped(name[1:-1]) if name[0] == '"' else name
        if not value:
            raise self.error("empty symbol", "a name")
        self.next()
        if self.token == ":":
            raise self.error("a symbol of the module is needed", "no nested symbol")
        return value


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    data = _ESCAPE.sub(
        lambda match: bytes([int(match[1], 16)]) if match[1] else _LETTERS[match[2]],
        text.encode("utf-8", "surrogateescape"),
    )
    return data.decode("utf-8", "surrogateescape")


def _escaped(text: str) -> str:
    if _PLAIN.fullmatch(text):
        return text
    out = []
    for byte in text.encode("utf-8", "surrogateescape"):
        if byte == 0x5C:
            out.append("\\\\")
        elif 0x20 <= byte < 0x7F and byte != 0x22:
            out.append(chr(byte))
        else:
            out.append(f"\\{byte:02X}")
    return "".join(out)


def mlir_string(text: str) -> str:
    """Return a string literal with double quotes. Follows llvm::printEscapedString."""
    return f'"{_escaped(text)}"'


def mlir_symbol(name: str) -> str:
    """Return a reference to a symbol, quoted if it is no plain word."""
    return f"@{name}" if _BARE.fullmatch(name) else f'@"{_escaped(name)}"'
