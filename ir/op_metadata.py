"""OpMetadata: where in the user's program an instruction or a sharding comes from."""

from __future__ import annotations

import re
from typing import Any

from shardlog.ir.interned import Interned

__all__ = ["MetadataValue", "OpMetadata", "quoted", "unquoted"]

MetadataValue = str | int | tuple[int, ...]

TEXT_FIELDS: dict[str, type] = {
    "op_type": str,
    "op_name": str,
    "source_file": str,
    "source_line": int,
    "source_end_line": int,
    "source_column": int,
    "source_end_column": int,
    "profile_type": tuple,
    "deduplicated_name": str,
    "scheduling_name": str,
    "stack_frame_id": int,
    "metadata_payload": str,
}
"""The fields that have a text form, in the order in which XLA prints them."""


class OpMetadata(metaclass=Interned):
    """One OpMetadata message: its set fields as (name, value) pairs, in printed order.

    `rest` holds the wire bytes of set fields that have no text form. Equal values are one object.
    """

    __slots__ = ("fields", "rest")

    fields: tuple[tuple[str, MetadataValue], ...]
    rest: bytes

    def __init__(
        self, fields: tuple[tuple[str, MetadataValue], ...] = (), rest: bytes = b""
    ) -> None:
        self.fields = fields
        self.rest = rest

    @classmethod
    def of(cls, values: dict[str, MetadataValue], rest: bytes = b"") -> OpMetadata:
        """Return the message with these values; empty ones count as unset, as in proto3.

        Only a payload, which is a message of its own, can be set and empty.
        """
        names = (name for name in TEXT_FIELDS if name in values)
        kept = (name for name in names if values[name] or name == "metadata_payload")
        return cls(tuple((name, values[name]) for name in kept), rest)

    def _text(self, name: str) -> str:
        return next((str(value) for field, value in self.fields if field == name), "")

    @property
    def op_type(self) -> str:
        """The framework's name for the kind of op, or ""."""
        return self._text("op_type")

    @property
    def op_name(self) -> str:
        """The framework's name for the op, or ""."""
        return self._text("op_name")

    @property
    def source_file(self) -> str:
        """The file in the user's program, or ""."""
        return self._text("source_file")

    @property
    def source_line(self) -> int:
        """The line in `source_file`, or 0."""
        return int(self._text("source_line") or 0)

    @property
    def stack_frame(self) -> int:
        """The row of the module's stack frames that the op comes from, or 0."""
        return int(self._text("stack_frame_id") or 0)

    def __str__(self) -> str:
        # XLA escapes every string but the scheduling name. Follows OpMetadataToString.
        parts = []
        for name, value in self.fields:
            if isinstance(value, tuple):
                shown = f"{{{','.join(map(str, value))}}}"
            elif isinstance(value, int):
                shown = str(value)
            else:
                shown = f'"{value}"' if name == "scheduling_name" else quoted(value)
            parts.append(f"{name}={shown}")
        return " ".join(parts)

    def __repr__(self) -> str:
        return f"<OpMetadata {self}>"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return OpMetadata, (self.fields, self.rest)


_NAMED_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "'": "\\'", "\\": "\\\\"}
_CHARACTERS = {
    **dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True)),
    **{mark: mark for mark in "\\?'\""},
}
_ESCAPE = re.compile(
    rb"\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]+)|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL
)


def quoted(value: str) -> str:
    """Return a string in double quotes, escaped. Follows absl::CEscape."""
    parts = []
    for byte in value.encode("utf-8", "surrogateescape"):
        character = chr(byte)
        if character in _NAMED_ESCAPES:
            parts.append(_NAMED_ESCAPES[character])
        else:
            parts.append(character if 32 <= byte < 127 else f"\\{byte:03o}")
    return f'"{"".join(parts)}"'


def unquoted(text: str) -> str | None:
    """Return the string that a quoted text stands for, or None if an escape is wrong.

    Bytes that are no UTF-8 become lone surrogates. Follows absl::CUnescape.
    """

    def replace(match: re.Match[bytes]) -> bytes:
        octal, hexadecimal, short, long, mark = match.groups()
        if octal is not None:
            return bytes([int(octal, 8)])
        if hexadecimal is not None:
            return bytes([int(hexadecimal, 16)])
        if mark is not None:
            return _CHARACTERS[mark.decode("latin-1")].encode()
        return chr(int(short or long, 16)).encode()

    try:
        raw = _ESCAPE.sub(replace, text[1:-1].encode("utf-8", "surrogateescape"))
    except (KeyError, ValueError):
        return None
    return raw.decode("utf-8", "surrogateescape")
