"""Shardy's propagation, as XLA runs it on programs that JAX lowers today."""

from shardlog.shardy.propagation import ShardyOutcome, load_shardy_rules, propagate
from shardlog.shardy.source import made_for_shardy, read_shardy, shown

__all__ = [
    "ShardyOutcome",
    "load_shardy_rules",
    "made_for_shardy",
    "propagate",
    "read_shardy",
    "shown",
]
