"""Reading the metadata that stands in the text of a sharding."""

from __future__ import annotations

from shardlog.ir.op_metadata import TEXT_FIELDS, MetadataValue, OpMetadata, unquoted
from shardlog.ir.scanner import Scanner

__all__ = ["read_metadata", "read_string"]

_PROFILE_TYPES = range(4)


def read_metadata(scanner: Scanner) -> list[OpMetadata]:
    """Read one metadata in braces, or a list of them in another pair. Raises InputError."""
    scanner.expect("{", "'{'")
    if scanner.token != "{":
        return [_fields(scanner)]
    found = []
    while True:
        scanner.expect("{", "'{'")
        found.append(_fields(scanner))
        if not scanner.eat(","):
            break
    scanner.expect("}", "',' or '}'")
    return found


def read_string(scanner: Scanner, quotes: str, expected: str) -> str:
    """Read a string in one of the given kinds of quotes. Raises InputError."""
    token = scanner.token
    value = unquoted(token) if token[:1] and token[0] in quotes and len(token) > 1 else None
    if value is None:
        raise scanner.error("unreadable string", expected)
    scanner.next()
    return value


def _fields(scanner: Scanner) -> OpMetadata:
    values: dict[str, MetadataValue] = {}
    while scanner.token != "}":
        scanner.eat(",")
        name = scanner.token[:-1]
        if not scanner.token.endswith("=") or name not in TEXT_FIELDS:
            raise scanner.error("unknown metadata", f"one of {', '.join(TEXT_FIELDS)}")
        if name in values:
            raise scanner.error(f"{name} given twice", "each field once")
        scanner.next()
        if TEXT_FIELDS[name] is str:
            values[name] = read_string(scanner, '"', "text in double quotes")
        elif TEXT_FIELDS[name] is int:
            if not -(1 << 31) <= scanner.integer_here() < 1 << 31:
                raise scanner.error("integer out of range", "32 bits")
            values[name] = scanner.integer()
        else:
            values[name] = _profile_types(scanner)
    scanner.next()
    return OpMetadata.of(values)


def _profile_types(scanner: Scanner) -> tuple[int, ...]:
    scanner.expect("{", "'{'")
    start = scanner.start
    values = tuple(scanner.integers()) if scanner.token != "}" else ()
    if any(value not in _PROFILE_TYPES for value in values):
        raise scanner.error("unknown profile type", "0 to 3", start)
    scanner.expect("}", "',' or '}'")
    return values
