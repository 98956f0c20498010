"""The summary of a batch: counts over all modules, and what has failed."""

from __future__ import annotations

from collections import Counter
from typing import Any

import shardlog
from shardlog.batch.record import Record
from shardlog.batch.rows import SEVERITIES, severity
from shardlog.batch.schema import SCHEMA_VERSION
from shardlog.batch.settings import Settings

__all__ = ["Summary", "told_of_shardy"]

FAILURES = 1000
"""How many failures the summary names; the table of modules has all."""

SUMS = (
    "instructions", "computations", "sharded_before", "sharded_after", "replaced", "bytes",
    "bytes_on_device",
)  # fmt: skip


class Summary:
    """Counts over the modules that it has been given."""

    def __init__(self, settings: Settings, pending: int) -> None:
        self._settings = settings
        self._pending = pending
        self._status: Counter[str] = Counter()
        self._sums: Counter[str] = Counter(dict.fromkeys(SUMS, 0))
        self._changed = 0
        self._rules: Counter[str] = Counter()
        self._misread = 0
        self._severities: Counter[str] = Counter(dict.fromkeys(reversed(SEVERITIES), 0))
        self._kinds: Counter[str] = Counter()
        self._cost: Counter[str] = Counter()
        self._failures: list[dict[str, Any]] = []

    def add(self, row: dict[str, Any], record: Record) -> None:
        """Count a module: its row in `modules`, and its record."""
        self._status[row["status"]] += 1
        if row["status"] != "ok":
            if len(self._failures) < FAILURES:
                kept = ("module", "path", "status", "line", "error")
                self._failures.append({name: row[name] for name in kept})
            return
        self._sums.update({name: row[name] for name in SUMS})
        self._changed += bool(row["changed"])
        by = record["partitioner"]
        self._rules[by["rules"]] += 1
        self._misread += by["for_shardy"] and by["rules"] == "gspmd"
        found = record.get("findings", {"kind": [], "bytes": []})
        for kind, size in zip(found["kind"], found["bytes"], strict=True):
            self._severities[severity(size)] += 1
            self._kinds[kind] += 1
            self._cost[kind] += size

    def to_dict(self) -> dict[str, Any]:
        """Return the summary ready for JSON."""
        total = self._status.total()
        failed = total - self._status["ok"]
        return {
            "schema": SCHEMA_VERSION,
            "shardlog": shardlog.__version__,
            "settings": self._settings.about(),
            "complete": not self._pending,
            "pending": self._pending,
            "modules": {
                "total": total,
                "failed": failed,
                "changed": self._changed,
                **{
                    status: self._status[status]
                    for status in ("ok", "error", "timeout", "memory", "crash")
                },
            },
            "partitioner": {
                "gspmd": self._rules["gspmd"],
                "shardy": self._rules["shardy"],
                "gspmd_where_xla_runs_shardy": self._misread,
            },
            **self._sums,
            "findings": {
                "by_severity": dict(self._severities),
                "by_kind": {
                    kind: {"count": count, "bytes": self._cost[kind]}
                    for kind, count in sorted(self._kinds.items())
                },
            },
            "failures": self._failures,
            "failures_left_out": failed - len(self._failures),
        }


def told_of_shardy(summary: dict[str, Any]) -> str | None:
    """Return what is to be said of modules that XLA would give to Shardy, None if nothing is."""
    count = summary["partitioner"]["gspmd_where_xla_runs_shardy"]
    if not count:
        return None
    done = summary["modules"]["ok"]
    are, them, these = ("is", "it", "this is") if count == 1 else ("are", "them", "these are")
    answers = "answer" if count == 1 else "answers"
    return (
        f"{count} of {done} modules {are} made for Shardy: XLA runs Shardy on {them}, and {these} "
        f"GSPMD's {answers}; --partitioner auto gives Shardy's"
    )
