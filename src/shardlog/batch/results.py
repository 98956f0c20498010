"""From the records of finished modules to the files that users read."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shardlog.batch.overview import Overview
from shardlog.batch.record import Record, digest, unpack
from shardlog.batch.rows import SEVERITIES, severity
from shardlog.batch.schema import OPTIONAL, TABLES
from shardlog.batch.settings import Settings
from shardlog.batch.sources import Source
from shardlog.batch.store import Store
from shardlog.batch.summary import Summary

__all__ = ["Finished", "write_results"]


@dataclass(frozen=True)
class Finished:
    """A module that is done with: where its record is, or why it could not even be read.

    `inline` is a record that is not kept.
    """

    source: Source
    key: str | None = None
    sha256: str | None = None
    size: int | None = None
    inline: bytes | None = None
    fault: str | None = None

    def packed(self, store: Store) -> bytes | None:
        """Return the record as it is packed, None for what could not be read."""
        if self.key is None or self.inline is not None:
            return self.inline
        packed = store.record(self.key)
        if packed is None:
            raise OSError(f"the record of {self.source.path} has gone; run the same command again")
        return packed

    def message(self, packed: bytes) -> str:
        """Return what a record says is wrong."""
        return str(unpack(packed)["error"])


def write_results(
    store: Store,
    finished: Mapping[str, Finished],
    settings: Settings,
    outputs: Mapping[str, str],
    *,
    pending: int,
) -> dict[str, Any]:
    """Write the tables, the summary and the overview of what is done; return the summary.

    They replace those of an earlier run all at once. Raises OSError.
    """
    from shardlog.batch.tables import TableWriters, file_of, placed

    tables = [table for table in TABLES if table not in OPTIONAL or (settings.provenance)]
    left_out = [file_of(table) for table in TABLES if table not in tables]
    summary = Summary(settings, pending)
    overview = Overview()
    written: set[str] = set()
    with store.replacing(left_out) as folder:
        with (
            TableWriters(folder, tables) as writers,
            (folder / "results.jsonl").open("w", encoding="utf-8") as lines,
        ):
            for name in sorted(finished):
                one = finished[name]
                packed = one.packed(store)
                record = unpack(packed) if packed is not None else _unread(one)
                row = _row(one, record, packed, outputs)
                if row["output"] is not None:
                    written.add(outputs[name])
                if "findings" in record:
                    record["findings"] = placed(record["findings"], one.source.path, settings)
                writers.add("modules", name, {key: [row[key]] for key in row if key != "module"})
                for table in TABLES:
                    if table in record:
                        writers.add(table, name, record[table])
                lines.write(json.dumps(row) + "\n")
                summary.add(row, record)
                overview.add(row, record)
        about = summary.to_dict()
        (folder / "summary.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
        (folder / "index.html").write_bytes(overview.to_html(about).encode("utf-8", "replace"))
    if not pending and settings.form is not None:
        with contextlib.suppress(FileNotFoundError):
            store.keep_only(written)
    return about


def _unread(one: Finished) -> Record:
    return {"status": "error", "error": one.fault, "line": None}


def _row(
    one: Finished,
    record: Record,
    packed: bytes | None,
    outputs: Mapping[str, str],
) -> dict[str, Any]:
    """The row of a module in `modules`."""
    row: dict[str, Any] = dict.fromkeys(column.name for column in TABLES["modules"])
    output = record.get("output")
    levels = [severity(size) for size in record.get("findings", {}).get("bytes", ())]
    row.update(
        module=one.source.name,
        path=one.source.path,
        status=record["status"],
        error=record.get("error"),
        line=record.get("line"),
        size=one.size,
        sha256=one.sha256,
        worst=max(levels, key=SEVERITIES.index, default=None),
        result=None if packed is None else digest(packed),
    )
    row.update(record.get("facts", {}))
    if output is not None:
        row["output"] = f"modules/{outputs[one.source.name]}"
        row["output_sha256"] = output["sha256"]
    return row
