"""OpMetadata: where in the user's program an instruction or a sharding comes from."""

from __future__ import annotations

from typing import Any

from shardlog.ir.interned import Interned

__all__ = ["MetadataValue", "OpMetadata"]

MetadataValue = str | int | bool | tuple[int, ...]


class OpMetadata(metaclass=Interned):
    """The set fields of one OpMetadata message, as (name, value) pairs in field order.

    `rest` holds the wire bytes of fields that have no text form. Equal values are one object.
    """

    __slots__ = ("fields", "rest")

    fields: tuple[tuple[str, MetadataValue], ...]
    rest: bytes

    def __init__(
        self, fields: tuple[tuple[str, MetadataValue], ...] = (), rest: bytes = b""
    ) -> None:
        self.fields = fields
        self.rest = rest

    def get(self, name: str) -> MetadataValue | None:
        """Return the value of a field, or None if it is not set."""
        return next((value for field, value in self.fields if field == name), None)

    @property
    def op_type(self) -> str:
        """The framework's name for the kind of op, or ""."""
        return str(self.get("op_type") or "")

    @property
    def op_name(self) -> str:
        """The framework's name for the op, or ""."""
        return str(self.get("op_name") or "")

    @property
    def source_file(self) -> str:
        """The file in the user's program, or ""."""
        return str(self.get("source_file") or "")

    @property
    def source_line(self) -> int:
        """The line in `source_file`, or 0."""
        return int(self.get("source_line") or 0)  # type: ignore[arg-type]

    def __str__(self) -> str:
        return " ".join(f"{name}={_shown(value)}" for name, value in self.fields)

    def __repr__(self) -> str:
        return f"<OpMetadata {self}>"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return OpMetadata, (self.fields, self.rest)


def _shown(value: MetadataValue) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
