"""The packages that only batches need, and what to install if one is missing."""

from __future__ import annotations

import importlib.util

from shardlog.ir.errors import ShardlogError

__all__ = ["MissingExtra", "need"]

EXTRAS = {"distributed": "cluster"}


class MissingExtra(ShardlogError):
    """A package of an extra that is not installed; the message says what to install."""


def need(package: str, what: str) -> None:
    """Raise MissingExtra unless a package is installed; `what` is what it is needed for."""
    if importlib.util.find_spec(package) is None:
        extra = EXTRAS.get(package, "batch")
        raise MissingExtra(f"{what} need {package}: pip install 'shardlog[{extra}]'")
