"""Shardy's propagation as it is here, compared with another program's shardings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from shardlog.ir.errors import InputError
from shardlog.ir.shardy.program import Program
from shardlog.shardy.binary import run_binary
from shardlog.shardy.propagation import propagate
from shardlog.shardy.shown import spec
from shardlog.shardy.values import value_rows
from shardlog.xla import XlaFailed

__all__ = ["Compared", "compared", "with_binary"]


@dataclass(frozen=True)
class Difference:
    """A value whose sharding differs: where it stands, what it is and both shardings."""

    value: str
    here: str
    there: str


@dataclass(frozen=True)
class Compared:
    """How many values were compared, and those that differ."""

    total: int
    differences: tuple[Difference, ...]

    def to_text(self, whose: str, limit: int | None = None) -> str:
        """Return the comparison as text, with so many differences at most."""
        equal = self.total - len(self.differences)
        lines = [f"{equal} of {self.total} values are equal to {whose}"]
        shown = self.differences if limit is None else self.differences[:limit]
        for one in shown:
            lines.append(f"  {one.value}: shardlog {one.here}, {whose} {one.there}")
        if len(self.differences) > len(shown):
            lines.append(f"  ... and {len(self.differences) - len(shown)} more (--limit)")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison ready for JSON."""
        return {
            "partitioner": "shardy",
            "values": self.total,
            "equal": self.total - len(self.differences),
            "differences": [
                {"value": one.value, "here": one.here, "there": one.there}
                for one in self.differences
            ],
        }


def with_binary(data: bytes) -> Program:
    """Return what Shardy's own passes make of a program. Raises XlaUnavailable and XlaFailed."""
    (answer,) = run_binary([data])
    if answer.after is None:
        raise XlaFailed(f"Shardy's own passes fail: {answer.error}")
    return answer.after


def compared(program: Program, other: Program, as_is: bool = False) -> Compared:
    """Compare a program, propagated unless it is taken as it is, with another, value by value.

    Raises InputError if the two are not the same program.
    """
    if not as_is:
        propagate(program)
    mine, theirs = list(_rows(program)), list(_rows(other))
    if [one[0] for one in mine] != [one[0] for one in theirs]:
        raise InputError(
            "the two are not the same program",
            file=other.file,
            expected=f"{len(mine)} values as in {program.file}",
            found=f"{len(theirs)} values",
        )
    found = [
        Difference(key, here, there)
        for (key, here), (_, there) in zip(mine, theirs, strict=True)
        if here != there
    ]
    return Compared(len(mine), tuple(found))


def _rows(program: Program) -> Iterator[tuple[str, str]]:
    for row in value_rows(program):
        place = f"{row['path']} " if row["path"] else ""
        key = f"@{row['function']} {place}{row['op']} {row['what']} {row['index']} {row['type']}"
        yield key, str(row["sharding"] or spec(None))
