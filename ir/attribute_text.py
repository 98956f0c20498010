"""The attribute list behind an HLO instruction or module name, as raw text: `, a=1, b={2,3}`.

Nothing is parsed until an attribute is asked for. What stands before `metadata=` repeats from
instruction to instruction, so it is split once per distinct text.
"""

from __future__ import annotations

import re

from shardlog.ir.errors import InputError

# innermost brackets are one token: most lists of numbers are
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|/\*.*?\*/|\[[\w,<=]*\]|\{[\w,]*\}|[{}\[\](),"]', re.S)
_NAME = re.compile(r"\s*([A-Za-z_][\w.\-]*)\s*=\s*")
_CLOSES = {"}": "{", "]": "[", ")": "("}
_METADATA = ", metadata={"
_SPLIT: dict[str, dict[str, str] | None] = {}
_SPLIT_LIMIT = 1 << 16


def split_attributes(text: str) -> dict[str, str]:
    """Raw values by name of an attribute list, e.g. `, dimensions={0,1}, to_apply=%add`.

    Raises InputError, without file and line, if brackets or quotes do not match or a piece has no
    name.
    """
    values: dict[str, str] = {}
    name = ""
    for start, end in _pieces(text):
        match = _NAME.match(text, start, end)
        if match:
            name = match[1]
            values[name] = text[match.end() : end].strip()
        elif name:
            # a list without braces, e.g. calls=%a, %b
            values[name] += text[start - 1 : end].rstrip()
        else:
            piece = text[start:end].strip()
            if piece:
                raise InputError(
                    "unreadable attribute", expected="name=value", found=repr(piece[:40])
                )
    return values


def _pieces(text: str) -> list[tuple[int, int]]:
    """Where the parts between commas outside of all brackets start and end."""
    pieces = []
    start = 0
    open_: list[str] = []
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark == ",":
            if not open_:
                pieces.append((start, token.start()))
                start = token.end()
        elif len(mark) > 1:
            continue
        elif mark in "{[(":
            open_.append(mark)
        elif mark in _CLOSES:
            if not open_ or open_.pop() != _CLOSES[mark]:
                raise InputError("unreadable attributes", found=f"an unmatched {mark!r}")
        elif mark == '"':
            raise InputError("unreadable attributes", found="a quote without its end")
    if open_:
        raise InputError("unreadable attributes", found=f"an unmatched {open_[-1]!r}")
    pieces.append((start, len(text)))
    return pieces


def attribute_of(text: str, name: str) -> str | None:
    """The raw value of one attribute in an attribute list, or None if it is not there."""
    first = _first_value(text, name)
    if first is not None:
        return first
    head, mark, rest = text.partition(_METADATA)
    try:
        known = _SPLIT[head]
    except KeyError:
        known = _split_head(head)
    if known is None:
        # the mark stands in a string
        return split_attributes(text).get(name)
    value = known.get(name)
    if value is None and mark and (name == "metadata" or f"{name}=" in rest):
        if name == "metadata" and rest.find("}") == len(rest) - 1:
            return f"{{{rest}"
        value = split_attributes(mark + rest).get(name)
    return value


def attributes_of(text: str) -> dict[str, str]:
    """All attributes of an attribute list in their order."""
    head, mark, rest = text.partition(_METADATA)
    known = _SPLIT[head] if head in _SPLIT else _split_head(head)
    if known is None:
        return split_attributes(text)
    if not mark:
        return dict(known)
    if rest.find("}") == len(rest) - 1:
        return {**known, "metadata": f"{{{rest}"}
    return {**known, **split_attributes(mark + rest)}


def _split_head(head: str) -> dict[str, str] | None:
    if len(_SPLIT) >= _SPLIT_LIMIT:
        _SPLIT.clear()
    known: dict[str, str] | None
    try:
        known = split_attributes(head)
    except InputError:
        known = None
    _SPLIT[head] = known
    return known


def _first_value(text: str, name: str) -> str | None:
    """The value if the attribute is the first and plain, which needs no splitting."""
    start = 3 + len(name)
    if not text.startswith(name, 2) or text[start - 1 : start] != "=" or text[:2] != ", ":
        return None
    if text.startswith("{", start):
        end = text.find("}", start) + 1
        value = text[start:end]
        return value if end and value.rfind("{") == 0 and '"' not in value else None
    end = text.find(", ", start)
    value = text[start:] if end < 0 else text[start:end]
    return value if value.isalnum() else None
