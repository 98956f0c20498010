"""Cuts of MLIR text: where an attribute, a type or a list ends."""

from __future__ import annotations

import re

__all__ = ["balanced", "closing", "parts"]

_STEP = re.compile(r'"(?:[^"\\]|\\.)*"|->|[<>(){}\[\],]|[^"<>(){}\[\],-]+|-', re.DOTALL)
_OPENING = {"<": ">", "(": ")", "{": "}", "[": "]"}
_CLOSING = frozenset(_OPENING.values())


def balanced(text: str, start: int, stop: str) -> int:
    """Return the offset of the first of the characters `stop` outside strings and brackets.

    The length of the text if there is none.
    """
    depth, at = 0, start
    for found in _STEP.finditer(text, start):
        token, at = found[0], found.start()
        if depth == 0 and token in stop:
            return at
        if token in _OPENING:
            depth += 1
        elif token in _CLOSING:
            depth -= 1
    return len(text)


def closing(text: str, start: int) -> int:
    """Return the offset behind the bracket that closes the one at `start`."""
    depth = 0
    for found in _STEP.finditer(text, start):
        token = found[0]
        if token in _OPENING:
            depth += 1
        elif token in _CLOSING:
            depth -= 1
            if depth == 0:
                return found.end()
    return len(text)


def parts(text: str) -> list[str]:
    """Return what the commas outside strings and brackets separate, without blanks around."""
    found, at = [], 0
    while at < len(text):
        end = balanced(text, at, ",")
        piece = text[at:end].strip()
        if piece:
            found.append(piece)
        at = end + 1
    return found
