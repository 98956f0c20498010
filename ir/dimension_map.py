"""Dimension maps: which dimension of one array is which dimension of another.

Most ops move a sharding from an operand to a result, or back, by nothing but such a map: a
dimension that is paired keeps its tiles, one that is not loses them. `carry` in
`shardlog.ir.algebra` applies a map to a sharding.
"""

from __future__ import annotations

from typing import Any, Final

from shardlog.ir.errors import InputError
from shardlog.ir.interned import Interned

__all__ = ["DimensionMap"]


class DimensionMap(metaclass=Interned):
    """Pairs of (source dimension, target dimension) between two arrays; equal maps are one object.

    `pairs` are kept in the order of the targets. `in_order` says that devices stay in the order of
    the source's dimensions even where the targets are in another order (XLA's forward broadcast
    does that). Raises InputError if a dimension is out of range or paired twice: maps come from the
    attributes of a module.

    `dropped` are the source dimensions without a partner, `order` the paired source dimensions in
    the order of their targets, and `reorders` tells whether that order differs from the source's.
    """

    __slots__ = (
        "dropped",
        "in_order",
        "order",
        "pairs",
        "reorders",
        "source_rank",
        "target_rank",
    )

    pairs: Final[tuple[tuple[int, int], ...]]
    source_rank: Final[int]
    target_rank: Final[int]
    in_order: Final[bool]
    dropped: Final[tuple[int, ...]]
    order: Final[tuple[int, ...]]
    reorders: Final[bool]

    def __init__(
        self,
        pairs: tuple[tuple[int, int], ...],
        source_rank: int,
        target_rank: int,
        in_order: bool = False,
    ) -> None:
        self.pairs = tuple(sorted(pairs, key=lambda pair: pair[1]))
        self.source_rank = source_rank
        self.target_rank = target_rank
        self.in_order = in_order
        sources = tuple(source for source, _ in self.pairs)
        targets = {target for _, target in self.pairs}
        if len(set(sources)) != len(sources) or len(targets) != len(sources):
            raise InputError(f"a dimension is paired twice: {self}")
        if not set(sources) <= set(range(source_rank)) or not targets <= set(range(target_rank)):
            raise InputError(f"a dimension is out of range: {self}")
        self.dropped = tuple(dim for dim in range(source_rank) if dim not in sources)
        self.order = sources
        self.reorders = not in_order and list(sources) != sorted(sources)

    def target_of(self, source: int) -> int | None:
        """Return the target dimension that a source dimension is paired with, or None."""
        return next((target for paired, target in self.pairs if paired == source), None)

    def inverse(self) -> DimensionMap:
        """Return the map from the target's dimensions to the source's."""
        swapped = tuple((target, source) for source, target in self.pairs)
        return DimensionMap(swapped, self.target_rank, self.source_rank, self.in_order)

    def __str__(self) -> str:
        pairs = ", ".join(f"{source}->{target}" for source, target in self.pairs)
        kept = " in order" if self.in_order else ""
        return f"{{{pairs}}} of {self.source_rank} to {self.target_rank} dimensions{kept}"

    def __repr__(self) -> str:
        return f"<DimensionMap {self}>"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return DimensionMap, (self.pairs, self.source_rank, self.target_rank, self.in_order)
