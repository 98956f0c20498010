"""`python -m shardlog`."""

from __future__ import annotations

from shardlog.cli import run

run()
