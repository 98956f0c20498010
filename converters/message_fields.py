"""Fields of small protobuf messages as values, on top of the wire format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from shardlog.converters.wire import WireError, length_delimited, records, varint
from shardlog.ir.errors import InputError

__all__ = ["Field", "fields", "numbers", "packed", "scalar", "signed"]

Field = tuple[int, int | bytes, bytes]
"""Number; value (an unsigned integer for a varint, else bytes); the whole record's bytes."""


def fields(data: bytes, what: str) -> Iterator[Field]:
    """Yield the fields of a message in order; raises InputError if the bytes are no message.

    Fields of fixed width come with an empty value: no message here has one that counts.
    """
    try:
        for number, kind, start, at, end in records(data):
            value: int | bytes = b""
            if kind == 0:
                value = _varint(data, at)[0]
            elif kind == 2:
                value = data[at:end]
            yield number, value, data[start:end]
    except WireError as error:
        raise InputError(f"broken {what} message: {error}") from None


def numbers(value: int | bytes, what: str) -> list[int]:
    """Return the unsigned integers of one record of a repeated field, packed or not.

    Raises InputError if one is too long or the last one is cut off.
    """
    if isinstance(value, int):
        return [value]
    if not value.isascii():
        if value[-1] > 127:
            raise InputError(f"broken {what} message: a packed field ends within a number")
        entries, at = [], 0
        while at < len(value):
            start = at
            entry, at = _varint(value, at)
            if at - start > _LONGEST:
                raise InputError(f"broken {what} message: a number of {at - start} bytes")
            entries.append(entry)
        return entries
    return list(value)


def signed(value: int, bits: int = 64) -> int:
    """Return the two's complement reading of the low bits of an unsigned number."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def scalar(number: int, value: int) -> bytes:
    """Return a varint field, or nothing for 0, which proto3 leaves out."""
    return varint(number << 3) + varint(value) if value else b""


def packed(number: int, values: Iterable[int]) -> bytes:
    """Return a packed field, or nothing for an empty list, which proto3 leaves out."""
    body = b"".join(_SMALL[value] if 0 <= value < 128 else varint(value) for value in values)
    return length_delimited(number, body) if body else b""


_LONGEST = 10
_SMALL = [bytes([value]) for value in range(128)]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value & (1 << 64) - 1, at
        shift += 7
