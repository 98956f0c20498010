"""Ways to damage a file: bytes, lines and tokens of text, and the fields of protos."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from shardlog.converters.wire import LENGTH_DELIMITED, Record, WireError, records, varint

__all__ = ["mutated"]

Mutation = Callable[[bytes, random.Random], bytes]

_TOKEN = re.compile(rb"[A-Za-z_][\w.\-]*|\d+|[^\s\w]")
_NUMBER = re.compile(rb"\d+")
_NUMBERS = (
    b"-1",
    b"0",
    b"4294967296",
    b"9223372036854775807",
    b"9223372036854775808",
    b"1" + b"0" * 40,
    b"9" * 5000,
    b"1e9",
    b"0x10",
    b"",
)
_OPENINGS = (b"(", b"{", b"[", b"(f32[2],", b"f32[2]{", b'"', b"/*", b"{{", b"devices=[")


def mutated(data: bytes, is_text: bool, rng: random.Random) -> bytes:
    """A damaged copy: one to three mutations, most of them of the kind that suits the format."""
    own = _TEXT if is_text else _PROTO
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        data = rng.choice(own if rng.random() < 0.7 else _BYTES)(data, rng)
    return data


def _span(data: bytes, rng: random.Random) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + int(rng.expovariate(1 / 40)))


def _flip(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _replace_byte(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + bytes((rng.randrange(256),)) + data[at + 1 :]


def _truncate(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def _cut_front(data: bytes, rng: random.Random) -> bytes:
    return data[rng.randrange(len(data) + 1) :]


def _delete_span(data: bytes, rng: random.Random) -> bytes:
    start, end = _span(data, rng)
    return data[:start] + data[end:]


def _duplicate_span(data: bytes, rng: random.Random) -> bytes:
    start, end = _span(data, rng)
    return data[:end] + data[start:end] * rng.choice((1, 1, 50)) + data[end:]


def _move_span(data: bytes, rng: random.Random) -> bytes:
    start, end = _span(data, rng)
    rest = data[:start] + data[end:]
    at = rng.randrange(len(rest) + 1)
    return rest[:at] + data[start:end] + rest[at:]


def _zero_span(data: bytes, rng: random.Random) -> bytes:
    start, end = _span(data, rng)
    return data[:start] + bytes(end - start) + data[end:]


_BYTES: tuple[Mutation, ...] = (
    _flip,
    _replace_byte,
    _truncate,
    _cut_front,
    _delete_span,
    _duplicate_span,
    _move_span,
    _zero_span,
)


def _delete_line(data: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    del lines[rng.randrange(len(lines))]
    return b"\n".join(lines)


def _duplicate_line(data: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    lines.insert(rng.randrange(len(lines)), rng.choice(lines))
    return b"\n".join(lines)


def _swap_lines(data: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[i], lines[j] = lines[j], lines[i]
    return b"\n".join(lines)


def _join_lines(data: bytes, rng: random.Random) -> bytes:
    lines = data.split(b"\n")
    i = rng.randrange(len(lines))
    return b"\n".join(lines[:i]) + rng.choice((b"", b" ")) + b"\n".join(lines[i:])


def _some_tokens(data: bytes, rng: random.Random) -> list[re.Match[bytes]]:
    """Some tokens that follow each other, from a random place on."""
    start = rng.randrange(len(data) + 1)
    return list(_TOKEN.finditer(data, start, start + 400))


def _replace_token(data: bytes, rng: random.Random) -> bytes:
    old, new = _some_tokens(data, rng), _some_tokens(data, rng)
    if not old or not new:
        return data
    gone = rng.choice(old)
    return data[: gone.start()] + rng.choice(new)[0] + data[gone.end() :]


def _swap_tokens(data: bytes, rng: random.Random) -> bytes:
    tokens = _some_tokens(data, rng)
    if len(tokens) < 2:
        return data
    first, second = sorted(rng.sample(tokens, 2), key=lambda match: match.start())
    return b"".join(
        (
            data[: first.start()],
            second[0],
            data[first.end() : second.start()],
            first[0],
            data[second.end() :],
        )
    )


def _delete_token(data: bytes, rng: random.Random) -> bytes:
    tokens = _some_tokens(data, rng)
    if not tokens:
        return data
    gone = rng.choice(tokens)
    return data[: gone.start()] + data[gone.end() :]


def _huge_number(data: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(len(data) + 1)
    match = _NUMBER.search(data, start)
    if not match:
        return data
    return data[: match.start()] + rng.choice(_NUMBERS) + data[match.end() :]


def _nest(data: bytes, rng: random.Random) -> bytes:
    tokens = _some_tokens(data, rng)
    at = rng.choice(tokens).start() if tokens else 0
    return data[:at] + rng.choice(_OPENINGS) * rng.choice((2, 200, 20000)) + data[at:]


_TEXT: tuple[Mutation, ...] = (
    _delete_line,
    _duplicate_line,
    _swap_lines,
    _join_lines,
    _replace_token,
    _replace_token,
    _swap_tokens,
    _delete_token,
    _huge_number,
    _huge_number,
    _nest,
)


def _change_field(data: bytes, rng: random.Random) -> bytes:
    """Change one field, however deep, and the lengths of all messages around it."""
    try:
        fields = list(records(data))
    except WireError:
        return _flip(data, rng)
    if not fields:
        return data
    chosen = rng.choice(fields)
    value = data[chosen.value : chosen.end]
    if (
        chosen.wire_type == LENGTH_DELIMITED
        and value
        and rng.random() < 0.85
        and _is_message(value)
    ):
        inner = _change_field(value, rng)
        new = _record(chosen.number, inner)
    else:
        new = _changed_record(data, fields, chosen, rng)
    return data[: chosen.start] + new + data[chosen.end :]


def _changed_record(data: bytes, fields: list[Record], chosen: Record, rng: random.Random) -> bytes:
    old = data[chosen.start : chosen.end]
    value = data[chosen.value : chosen.end]
    kind = rng.randrange(6)
    if kind == 0:
        return b""
    if kind == 1:
        return old * rng.choice((2, 3, 100))
    if kind == 2:
        other = rng.choice(fields)
        return old + data[other.start : other.end]
    if kind == 3:
        # the same value under another number
        return varint(rng.randrange(1, 100) << 3 | chosen.wire_type) + old[_tag_size(old) :]
    if chosen.wire_type == 0:
        number = rng.choice((0, 1, 2, 7, 255, -1, 1 << 31, 1 << 62, (1 << 64) - 1, -(1 << 63)))
        return varint(chosen.number << 3) + varint(number)
    if kind == 4:
        nested = value
        for _ in range(rng.choice((3, 90, 300))):
            nested = _record(chosen.number, nested)
        return nested
    return _record(chosen.number, rng.choice(_BYTES)(value, rng))


def _is_message(value: bytes) -> bool:
    try:
        return any(True for _ in records(value))
    except WireError:
        return False


def _record(number: int, value: bytes) -> bytes:
    return varint(number << 3 | LENGTH_DELIMITED) + varint(len(value)) + value


def _tag_size(record: bytes) -> int:
    return next(i for i, byte in enumerate(record, 1) if byte < 128)


_PROTO: tuple[Mutation, ...] = (_change_field, _change_field, _change_field, _flip)
