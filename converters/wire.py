"""The protobuf wire format, as far as bytes are to be found and replaced without decoding them."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

__all__ = [
    "LENGTH_DELIMITED",
    "Record",
    "WireError",
    "length_delimited",
    "payload",
    "records",
    "varint",
]


class WireError(ValueError):
    """Bytes that are no protobuf message."""


class Record(NamedTuple):
    """One field of a message: its bytes are `[start:end]`, its value's are `[value:end]`."""

    number: int
    wire_type: int
    start: int
    value: int
    end: int


_SIZES = {1: 8, 5: 4}
LENGTH_DELIMITED = 2


def records(data: bytes, start: int = 0, end: int | None = None) -> Iterator[Record]:
    """The fields of the message at `[start:end]`, in their order there.

    Raises WireError if the bytes are no message; groups, which XLA has never used, count as such.
    """
    stop = len(data) if end is None else end
    at = start
    while at < stop:
        first = at
        tag, at = _read(data, at, stop)
        wire_type = tag & 7
        value = at
        if wire_type == LENGTH_DELIMITED:
            size, value = _read(data, at, stop)
            at = value + size
        elif wire_type == 0:
            _, at = _read(data, at, stop)
        elif wire_type in _SIZES:
            at += _SIZES[wire_type]
        else:
            raise WireError(f"wire type {wire_type} at byte {first}")
        if at > stop or not tag >> 3:
            raise WireError(f"field {tag >> 3} at byte {first} ends behind its message")
        yield Record(tag >> 3, wire_type, first, value, at)


def _read(data: bytes, at: int, stop: int) -> tuple[int, int]:
    """The varint at a position, and the position behind it."""
    value = shift = 0
    while at < stop and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
    raise WireError(f"unfinished number at byte {at}")


def varint(value: int) -> bytes:
    """The wire form of an int64; a negative one takes ten bytes."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def length_delimited(number: int, value: bytes) -> bytes:
    """The record of a string, bytes or message field."""
    return varint(number << 3 | LENGTH_DELIMITED) + varint(len(value)) + value


def payload(data: bytes, number: int, start: int = 0, end: int | None = None) -> bytes | None:
    """The value of a message field, or None if it is absent.

    A field that comes more than once is put together, which is how protobuf merges messages.
    """
    parts = [
        data[record.value : record.end]
        for record in records(data, start, end)
        if record.number == number and record.wire_type == LENGTH_DELIMITED
    ]
    return b"".join(parts) if parts else None


def edited(data: bytes, edits: Mapping[int, bytes]) -> bytes:
    """A message in which some fields have other records: in their old place or by field number.

    Empty bytes take a field away.
    """
    old = list(records(data))
    present = {record.number for record in old}
    new = sorted((number for number in edits if number not in present), reverse=True)
    written: set[int] = set()
    parts = []
    for record in old:
        number = record.number
        while new and new[-1] < number:
            parts.append(edits[new.pop()])
        if number not in edits:
            parts.append(data[record.start : record.end])
        elif number not in written:
            parts.append(edits[number])
            written.add(number)
    parts.extend(edits[number] for number in reversed(new))
    return b"".join(parts)
