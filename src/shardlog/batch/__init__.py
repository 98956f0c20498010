"""Propagating many modules: found, worked on in parallel, kept in tables that can be asked."""

from shardlog.batch.extras import MissingExtra
from shardlog.batch.local import LocalScheduler
from shardlog.batch.run import Ended, Scheduler, run_batch
from shardlog.batch.settings import Limits, Settings, rule_texts
from shardlog.batch.sources import Source, find_modules, find_sources
from shardlog.batch.store import Busy

__all__ = [
    "Busy",
    "Ended",
    "Limits",
    "LocalScheduler",
    "MissingExtra",
    "Scheduler",
    "Settings",
    "Source",
    "find_modules",
    "find_sources",
    "rule_texts",
    "run_batch",
]
