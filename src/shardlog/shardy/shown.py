"""Shardings, axes and steps in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from shardlog.ir.shardy.axes import AxisRef
from shardlog.ir.shardy.tensor_sharding import TensorSharding

__all__ = ["axes_text", "in_words", "joined", "spec"]


def spec(sharding: TensorSharding | None) -> str:
    """The dimensions of a sharding, and what else it says, without its mesh."""
    if not isinstance(sharding, TensorSharding):
        return "no sharding"
    text = f"[{', '.join(map(str, sharding.dims))}]"
    for word, axes in (("replicated", sharding.replicated), ("unreduced", sharding.unreduced)):
        if axes:
            text += f" {word}={{{', '.join(map(str, axes))}}}"
    return text


def axes_text(axes: Iterable[AxisRef]) -> str:
    """Axes as a list in braces."""
    return f"{{{', '.join(map(str, axes))}}}"


def joined(parts: Sequence[str]) -> str:
    """Parts with commas between, and "and" before the last."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def in_words(pairs: Iterable[tuple[int, AxisRef]]) -> str:
    """(dimension, axis) pairs: `"a" on dim 0 and "b" on dim 1`."""
    return joined([f"{axis} on dim {dim}" for dim, axis in pairs])
