"""What is kept of a finished module: everything that the tables need, in a file that is checked.

A record says nothing of where its module was or what it is called, so that the same content is
worked on once.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from typing import Any

__all__ = ["DamagedRecord", "Record", "digest", "failed", "pack", "peek", "unpack"]

Record = dict[str, Any]

ABOUT = ("status", "limit", "output")
"""The fields that can be read without the rest."""

_HEAD = b"shardlog batch record 1\n"


class DamagedRecord(ValueError):
    """A file that is no whole record."""


def pack(record: Record) -> bytes:
    """Return a record as bytes, the same for equal records."""
    about = {name: record.get(name) for name in ABOUT}
    data = _json(about) + b"\n" + zlib.compress(_json(record), 1)
    return _HEAD + hashlib.sha256(data).digest() + data


def peek(packed: bytes) -> Record:
    """Return the fields in ABOUT of what `pack` has made. Raises DamagedRecord."""
    about: Record = json.loads(_checked(packed).partition(b"\n")[0])
    return about


def unpack(packed: bytes) -> Record:
    """Return the record in what `pack` has made. Raises DamagedRecord."""
    record: Record = json.loads(zlib.decompress(_checked(packed).partition(b"\n")[2]))
    return record


def digest(packed: bytes) -> str:
    """Return the digest of a record that `pack` has made."""
    return packed[len(_HEAD) : len(_HEAD) + 32].hex()


def _json(value: Record) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _checked(packed: bytes) -> bytes:
    start = len(_HEAD) + 32
    data = packed[start:]
    if not packed.startswith(_HEAD) or hashlib.sha256(data).digest() != packed[start - 32 : start]:
        raise DamagedRecord("not a whole record")
    return data


def failed(
    status: str, message: str, line: int | None = None, limit: float | None = None
) -> Record:
    """Return the record of a module that could not be propagated.

    `limit` is the one that it went beyond: another limit may let it pass.
    """
    return {"status": status, "error": message, "line": line, "limit": limit, "output": None}
