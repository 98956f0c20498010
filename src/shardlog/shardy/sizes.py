"""Bytes that a device holds of a value."""

from __future__ import annotations

import math
import re

from shardlog.ir.shardy.mesh import Mesh
from shardlog.ir.shardy.program import TensorType
from shardlog.ir.shardy.tensor_sharding import TensorSharding

__all__ = ["bytes_on_device", "whole_bytes"]

_BITS = re.compile(r"\d+")


def _bits(element: str) -> int:
    """The bits of an element such as f32, ui8, i1, f8E4M3FN or complex<f32>."""
    found = _BITS.search(element)
    bits = 64 if found is None else int(found[0])
    if element.startswith("complex"):
        return 2 * bits
    # a byte is the least that a device stores of a predicate
    return 8 if element == "i1" else bits


def whole_bytes(kind: TensorType) -> int:
    """The bytes of all of a tensor; 0 for what is none."""
    if kind.shape is None:
        return 0
    return -(-math.prod(kind.shape) * _bits(kind.element) // 8)


def bytes_on_device(
    kind: TensorType, sharding: TensorSharding | None, meshes: dict[str, Mesh]
) -> int:
    """The bytes of the largest part of a tensor that any device holds, padding included."""
    if not kind.shape or sharding is None:
        return whole_bytes(kind)
    mesh = sharding.mesh if isinstance(sharding.mesh, Mesh) else meshes[sharding.mesh]
    sizes = [
        -(-size // dim.sharded_size(mesh))
        for size, dim in zip(kind.shape, sharding.dims, strict=True)
    ]
    return -(-math.prod(sizes) * _bits(kind.element) // 8)
