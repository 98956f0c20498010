"""Bytes that a device holds of a value."""

from __future__ import annotations

import math
from functools import lru_cache

from shardlog.ir.axes import split_dims
from shardlog.ir.shape import Shape
from shardlog.ir.sharding import HloSharding

__all__ = ["bytes_on_device", "counted", "readable", "signed"]


@lru_cache(maxsize=1 << 14)
def bytes_on_device(shape: Shape, sharding: HloSharding | None) -> int:
    """The bytes of the largest part of a value that any device holds, padding included."""
    if shape.is_tuple:
        parts = sharding.elements if sharding is not None and sharding.is_tuple else None
        leaves = shape.leaves
        if parts is None or len(parts) != len(leaves):
            return sum(bytes_on_device(leaf, None) for leaf in leaves)
        return sum(bytes_on_device(s, p) for s, p in zip(leaves, parts, strict=True))
    whole = shape.byte_size
    dims = split_dims(sharding)
    if not dims or sharding is None or not shape.dimensions:
        return whole
    elements = math.prod(shape.dimensions)
    if not elements:
        return 0
    sizes = list(shape.dimensions)
    for dim in dims:
        if dim < len(sizes):
            sizes[dim] = -(-sizes[dim] // sharding.tile.dims[dim])
    return whole * math.prod(sizes) // elements


def readable(count: int) -> str:
    """A number of bytes as people read it."""
    size = float(abs(count))
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            break
        size /= 1024
    sign = "-" if count < 0 else ""
    return f"{sign}{size:.0f} {unit}" if unit == "B" else f"{sign}{size:.1f} {unit}"


def counted(count: int, what: str) -> str:
    """A number of things in words, in the plural unless it is one."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def signed(count: int) -> str:
    """A difference in bytes as people read it."""
    return readable(count) if count < 0 else f"+{readable(count)}"
