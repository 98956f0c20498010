"""The overview page of a batch: one HTML file that needs nothing else."""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from shardlog.batch.record import Record
from shardlog.batch.rows import SEVERITIES
from shardlog.batch.summary import told_of_shardy
from shardlog.explain.sizes import readable

__all__ = ["Overview"]

MODULES = 2000
FAILURES = 500
LARGEST = 50

Row = Sequence[Any]


class _Most:
    """The rows with the largest sizes, of any number; the first come first among equals."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._heap: list[tuple[int, int, Row]] = []
        self._order = itertools.count()
        self.count = 0

    def add(self, size: int, row: Row) -> None:
        """Count a row, and keep it if it is among the largest."""
        self.count += 1
        item = (size, -next(self._order), row)
        if len(self._heap) < self._limit:
            heapq.heappush(self._heap, item)
        elif item > self._heap[0]:
            heapq.heapreplace(self._heap, item)

    def rows(self) -> list[Row]:
        """The rows, the largest first."""
        return [row for _, _, row in sorted(self._heap, reverse=True)]


class Overview:
    """What the page shows of the modules that it has been given."""

    def __init__(self) -> None:
        self._modules = _Most(MODULES)
        self._failures: list[Row] = []
        self._failed = 0
        self._findings = _Most(LARGEST)
        self._replicated = _Most(LARGEST)
        self._unruled: dict[tuple[str, str], list[int]] = {}
        self._rules: Counter[str] = Counter()

    def add(self, row: dict[str, Any], record: Record) -> None:
        """Add a module: its row in `modules`, and its record."""
        name = row["module"]
        if row["status"] != "ok":
            self._failed += 1
            if len(self._failures) < FAILURES:
                line = "" if row["line"] is None else row["line"]
                self._failures.append((name, row["status"], line, row["error"]))
            return
        found = record.get("findings")
        cost = sum(found["bytes"]) if found else 0
        shares = f"{row['sharded_before']} → {row['sharded_after']}"
        sizes = (_bytes(row["bytes_on_device"]), row["findings"] or 0, _bytes(cost))
        worst = row["worst"] or ""
        rank = SEVERITIES.index(worst) + 1 if worst else 0
        self._modules.add(
            (rank << 80) + cost,
            (name, row["partitions"], row["instructions"], shares, *sizes, worst),
        )
        if found:
            columns = ("severity", "kind", "instruction", "what", "bytes", "cause", "command")
            for one in zip(*(found[column] for column in columns), strict=True):
                level, kind, instruction, what, size, cause, command = one
                told = (level, kind, _bytes(size), name, instruction, what, cause, command)
                self._findings.add(size, told)
        self._instructions(name, record["instructions"], row["partitions"] or 1)
        for rule, count in zip(record["rules"]["rule"], record["rules"]["accepted"], strict=True):
            self._rules[rule] += count

    def _instructions(self, name: str, rows: dict[str, list[Any]], partitions: int) -> None:
        columns = ("name", "opcode", "target", "shape", "bytes", "kind", "unruled")
        for one in zip(*(rows[column] for column in columns), strict=True):
            instruction, opcode, target, shape, size, kind, unruled = one
            if kind in ("none", "replicated") and partitions > 1 and opcode not in CHEAP:
                self._replicated.add(size, (_bytes(size), name, instruction, opcode, shape))
            if unruled:
                counts = self._unruled.setdefault((opcode, target or ""), [0, 0])
                counts[0] += 1
                counts[1] += size

    def to_html(self, summary: dict[str, Any]) -> str:
        """Return the page; `summary` is that of the same modules."""
        modules = summary["modules"]
        levels = summary["findings"]["by_severity"]
        by = summary["partitioner"]
        tiles = [
            ("modules", modules["total"]),
            ("failed", modules["failed"]),
            ("instructions", summary["instructions"]),
            ("sharded before", summary["sharded_before"]),
            ("sharded after", summary["sharded_after"]),
            *((f"findings: {level}", count) for level, count in levels.items()),
            *(("by Shardy's rules", count) for count in [by["shardy"]] if count),
        ]
        parts = [
            _HEAD,
            "<h1>shardlog batch</h1>",
            f"<p>shardlog {escape(summary['shardlog'])}</p>",
        ]
        if summary["pending"]:
            parts.append(
                f"<p class=error>{summary['pending']} modules are not done yet: "
                "run the same command again.</p>"
            )
        told = told_of_shardy(summary)
        if told is not None:
            parts.append(f"<p class=warning>{escape(told)}.</p>")
        parts.append("<dl>")
        parts += [f"<div><dt>{escape(k)}</dt><dd>{n:,}</dd></div>" for k, n in tiles]
        parts.append("</dl>")
        parts.append("<p><label>Show rows with <input id=filter type=search></label></p>")
        if self._failures:
            parts += _table(
                "Failed", ("module", "status", "line", "error"), self._failures, self._failed
            )
        parts += _table(
            "Findings, most bytes on a device first",
            ("severity", "kind", "bytes", "module", "instruction", "what", "cause", "command"),
            self._findings.rows(),
            self._findings.count,
        )
        parts += _table(
            "Largest values that every device holds whole",
            ("bytes", "module", "instruction", "opcode", "shape"),
            self._replicated.rows(),
            self._replicated.count,
        )
        unruled = sorted(self._unruled.items(), key=lambda item: (-item[1][1], item[0]))
        parts += _table(
            "Ops without a rule, beside tiled operands",
            ("opcode", "target", "instructions", "bytes"),
            [(*op, count, _bytes(size)) for op, (count, size) in unruled[:LARGEST]],
            len(unruled),
        )
        rules = sorted(self._rules.items(), key=lambda item: (-item[1], item[0]))
        parts += _table(
            "Rules by use", ("rule", "shardings set or refined"), rules[:LARGEST], len(rules)
        )
        parts += _table(
            "Modules, worst findings first",
            ("module", "devices", "instructions", "sharded", "bytes on a device", "findings",
             "bytes of findings", "worst"),
            self._modules.rows(),
            self._modules.count,
        )  # fmt: skip
        parts.append(_END)
        return "\n".join(parts)


CHEAP = frozenset(("constant", "iota", "tuple", "get-tuple-element", "after-all", "partition-id"))
"""Ops whose results cost nothing, or are those of others."""


class _bytes(int):
    """A number of bytes, shown as people read it and sorted as a number."""


def _table(title: str, heads: Iterable[str], rows: Iterable[Row], count: int) -> list[str]:
    shown = list(rows)
    if not shown:
        return []
    left = f" <small>{len(shown):,} of {count:,}</small>" if count > len(shown) else ""
    parts = [f"<h2>{escape(title)}{left}</h2>", "<div class=wide><table><thead><tr>"]
    parts += [f"<th scope=col>{escape(head)}</th>" for head in heads]
    parts.append("</tr></thead><tbody>")
    for row in shown:
        parts.append(f"<tr>{''.join(map(_cell, row))}</tr>")
    parts.append("</tbody></table></div>")
    return parts


def _cell(value: Any) -> str:
    if isinstance(value, _bytes):
        return f"<td class=n data-n={int(value)}>{escape(readable(value))}</td>"
    if isinstance(value, int):
        return f"<td class=n data-n={value}>{value:,}</td>"
    text = "" if value is None else str(value)
    if text in _MARKED:
        return f"<td class={text}>{escape(text)}</td>"
    short = " class=s" if len(text) <= SHORT else ""
    return f"<td{short}>{escape(text)}</td>"


SHORT = 26
"""A text of so many characters stays on one line."""

_MARKED = frozenset((*SEVERITIES, "crash", "timeout", "memory"))

_HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>shardlog batch</title>
<style>
:root { color-scheme: light dark; font: 15px/1.45 system-ui, sans-serif; }
body { margin: 1.5rem auto; padding: 0 1rem; max-width: 90rem; }
h1 { margin-bottom: 0; } h2 { margin: 2rem 0 .5rem; font-size: 1.15rem; }
small { font-weight: normal; opacity: .7; }
dl { display: flex; flex-wrap: wrap; gap: .6rem; }
dl div { border: 1px solid #8886; border-radius: .4rem; padding: .4rem .8rem; }
dt { font-size: .8rem; opacity: .75; } dd { margin: 0; font-size: 1.3rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .87rem; }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid #8884; }
td { vertical-align: top; overflow-wrap: anywhere; min-width: 12rem; }
.s, .error, .warning, .info, .crash, .timeout, .memory { white-space: nowrap; min-width: 0; }
th { cursor: pointer; position: sticky; top: 0; background: Canvas; white-space: nowrap; }
th[aria-sort=ascending]::after { content: " ▲"; }
th[aria-sort=descending]::after { content: " ▼"; }
.n { text-align: right; white-space: nowrap; min-width: 0; font-variant-numeric: tabular-nums; }
.error, .crash, .timeout, .memory { color: light-dark(#b3261e, #ff8a80); font-weight: 600; }
.warning { color: light-dark(#8a5a00, #ffc266); font-weight: 600; }
</style>
</head>
<body>"""

_END = """<script>
const rows = [...document.querySelectorAll("tbody tr")];
document.getElementById("filter").addEventListener("input", event => {
  const wanted = event.target.value.toLowerCase();
  for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
});
for (const head of document.querySelectorAll("th")) {
  head.tabIndex = 0;
  const sort = () => {
    const table = head.closest("table"), body = table.tBodies[0], at = head.cellIndex;
    const way = head.ariaSort === "descending" ? 1 : -1;
    for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
    head.ariaSort = way === 1 ? "ascending" : "descending";
    const key = row => row.cells[at].dataset.n ?? row.cells[at].textContent;
    const sorted = [...body.rows].sort((a, b) =>
      way * key(a).localeCompare(key(b), undefined, {numeric: true}));
    body.append(...sorted);
  };
  head.addEventListener("click", sort);
  head.addEventListener("keydown", event => { if (event.key === "Enter") sort(); });
}
</script>
</body>
</html>
"""
