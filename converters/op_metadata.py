"""OpMetadata messages: bytes to values and back."""

from __future__ import annotations

from shardlog.converters.message_fields import fields, numbers, packed, scalar, signed
from shardlog.converters.wire import length_delimited
from shardlog.ir.op_metadata import TEXT_FIELDS, MetadataValue, OpMetadata

__all__ = ["metadata_from_bytes", "metadata_to_bytes"]

_NUMBERS = {
    "op_type": 1,
    "op_name": 2,
    "source_file": 3,
    "source_line": 4,
    "profile_type": 5,
    "deduplicated_name": 12,
    "stack_frame_id": 15,
    "scheduling_name": 16,
    "source_end_line": 17,
    "source_column": 18,
    "source_end_column": 19,
    "metadata_payload": 20,
}
_NAMES = {number: name for name, number in _NUMBERS.items()}
_SIZES = (8, 9)
"""The two plain numbers without text: the sizes of the generated code and of the working set."""
_PAYLOAD_VALUE = 1


def metadata_from_bytes(data: bytes) -> OpMetadata:
    """Return the value of a serialized OpMetadata.

    Raises InputError if the bytes are no message.
    """
    values: dict[str, MetadataValue] = {}
    profile_types: list[int] = []
    sizes: dict[int, int] = {}
    rest = b""
    for number, value, record in fields(data, "OpMetadata"):
        name = _NAMES.get(number, "")
        if name == "profile_type":
            profile_types += numbers(value, "OpMetadata")
        elif name == "metadata_payload" and isinstance(value, bytes):
            payload = _payload(value)
            if payload is None:
                rest += record
            else:
                values[name] = payload
        elif number in _SIZES and isinstance(value, int):
            sizes[number] = value
        elif TEXT_FIELDS.get(name) is int and isinstance(value, int):
            values[name] = signed(value, 32)
        elif TEXT_FIELDS.get(name) is str and isinstance(value, bytes):
            values[name] = _text(value)
        else:
            rest += record
    values["profile_type"] = tuple(signed(entry, 32) for entry in profile_types)
    rest = b"".join(scalar(number, sizes[number]) for number in sorted(sizes)) + rest
    return OpMetadata.of(values, rest)


def metadata_to_bytes(metadata: OpMetadata) -> bytes:
    """Return the serialized OpMetadata, fields in the order of their numbers."""
    records = [(number, record) for number, _, record in fields(metadata.rest, "OpMetadata")]
    for name, value in metadata.fields:
        number = _NUMBERS[name]
        if isinstance(value, tuple):
            record = packed(number, value)
        elif isinstance(value, int):
            record = scalar(number, value)
        else:
            raw = value.encode("utf-8", "surrogateescape")
            if name == "metadata_payload":
                raw = length_delimited(_PAYLOAD_VALUE, raw)
            record = length_delimited(number, raw)
        records.append((number, record))
    return b"".join(record for _, record in sorted(records, key=lambda entry: entry[0]))


def _payload(data: bytes) -> str | None:
    """Return the text of a payload message, or None if it holds a number instead."""
    content = [part for part in fields(data, "Payload") if part[0] == _PAYLOAD_VALUE]
    return _text(content[-1][1]) if content and isinstance(content[-1][1], bytes) else None


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")
