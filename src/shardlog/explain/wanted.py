"""What a user expected of a sharding, and how far one comes up to it."""

from __future__ import annotations

from dataclasses import dataclass

from shardlog.ir.axes import Digit, digits, digits_of, split_dims
from shardlog.ir.errors import InputError
from shardlog.ir.shape import Shape
from shardlog.ir.sharding import HloSharding

__all__ = ["Wanted"]


@dataclass(frozen=True)
class Wanted:
    """A sharding, tiles along a dimension, or any tiles at all (if all are None).

    `missing` are digits of devices that others split and this should split too, along whatever.
    """

    sharding: HloSharding | None = None
    dim: int | None = None
    missing: frozenset[Digit] | None = None

    @classmethod
    def of(cls, sharding: HloSharding | None, dim: int | None, shape: Shape) -> Wanted:
        """What is wanted of an array of a shape. Raises InputError if it cannot be had."""
        if dim is not None and not 0 <= dim < shape.rank:
            raise InputError(
                f"there is no dimension {dim}",
                expected=f"0 to {shape.rank - 1}" if shape.rank else "an array with dimensions",
                found=str(shape),
            )
        if sharding is not None:
            if sharding.is_tuple:
                raise InputError(
                    "a tuple of shardings is too much to ask for",
                    expected="the sharding of one array, and NAME{2} for an element of a tuple",
                )
            if sharding.kind == "tiled" and sharding.tiled_data_rank != shape.rank:
                raise InputError(
                    f"{sharding} does not fit {shape}",
                    expected=f"{shape.rank} dimensions",
                    found=f"{sharding.tiled_data_rank}",
                )
        return cls(sharding, dim)

    @property
    def asks_for_tiles(self) -> bool:
        """Whether only tiles would do."""
        return self.sharding is None or bool(split_dims(self.sharding))

    def met(self, found: HloSharding | None) -> bool:
        """Whether a sharding is, or splits at least, what was wanted."""
        if found is None or found.is_tuple:
            return False
        if self.missing is not None:
            return self.missing <= digits_of(found)
        if self.sharding is None:
            dims = split_dims(found)
            return bool(dims) if self.dim is None else self.dim in dims
        if found is self.sharding or found.equals(self.sharding):
            return True
        if self.sharding.kind != "tiled" or found.kind != "tiled":
            return False
        pairs = zip(digits(self.sharding), digits(found), strict=False)
        return all(mine <= theirs for mine, theirs in pairs)

    def partly(self, found: HloSharding | None) -> int:
        """How much of what was wanted a sharding has, counted in digits that are split."""
        if found is None or found.is_tuple:
            return 0
        if self.missing is not None:
            return len(self.missing & digits_of(found))
        rows = digits(found)
        if self.sharding is not None:
            pairs = zip(digits(self.sharding), rows, strict=False)
            return sum(len(mine & theirs) for mine, theirs in pairs)
        if self.dim is not None:
            return len(rows[self.dim]) if self.dim < len(rows) else 0
        return sum(map(len, rows))

    def __str__(self) -> str:
        if self.sharding is not None:
            return str(self.sharding)
        if self.missing is not None:
            return "the tiles that are missing"
        return "any tiles" if self.dim is None else f"tiles along dimension {self.dim}"
