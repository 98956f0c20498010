"""The command `shardlog`."""

from __future__ import annotations

from shardlog.cli.app import main, run

__all__ = ["main", "run"]
