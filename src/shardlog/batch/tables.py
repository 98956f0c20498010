"""The Parquet tables of a batch, written module by module."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from shardlog.batch.rows import MODULE, Columns
from shardlog.batch.schema import TABLES, arrow_schema
from shardlog.batch.settings import Settings

__all__ = ["TableWriters", "file_of"]

BATCH = 1 << 11
GROUP = 1 << 16
"""From so many rows on a group is written: it bounds memory, and depends on nothing but rows."""


def file_of(table: str) -> str:
    """Return the name of a table's file."""
    return f"{table}.parquet"


class TableWriters:
    """Writes tables into a folder; modules come in the order of their names."""

    def __init__(self, folder: Path, tables: Iterable[str]) -> None:
        self._writers = {table: _Writer(folder / file_of(table), table) for table in tables}

    def __enter__(self) -> TableWriters:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for writer in self._writers.values():
            writer.close(write=error is None)

    def add(self, table: str, module: str, columns: Columns) -> None:
        """Add rows of a module to a table. Tables that are not written are passed over."""
        writer = self._writers.get(table)
        if writer is not None:
            writer.add(module, columns)


def placed(findings: Columns, path: str, settings: Settings) -> Columns:
    """Return findings whose commands name the file of their module, and what changes the answer."""
    there = f" {shlex.quote(path)} "
    commands = []
    for one in findings["command"]:
        of_shardy = one.endswith(" --partitioner shardy")
        words = [one.replace(f" {MODULE} ", there, 1), settings.words(of_shardy)]
        commands.append(" ".join(filter(None, words)))
    return {**findings, "command": commands}


class _Writer:
    def __init__(self, file: Path, table: str) -> None:
        self._schema = arrow_schema(table)
        self._columns = TABLES[table]
        self._names = [column.name for column in self._columns[1:]]
        # The defaults of a version of pyarrow may change; equal rows shall give equal files.
        self._writer = pq.ParquetWriter(
            file, self._schema, version="2.6", compression="zstd", compression_level=3
        )
        self._rows: Columns = {column.name: [] for column in self._columns}
        self._batches: list[pa.RecordBatch] = []

    def add(self, module: str, columns: Columns) -> None:
        count = len(columns[self._columns[1].name])
        rows = self._rows
        rows["module"] += [module] * count
        for name in self._names:
            rows[name] += columns[name]
        if len(rows["module"]) >= BATCH:
            self._pack()
            if sum(batch.num_rows for batch in self._batches) >= GROUP:
                self._write()

    def close(self, *, write: bool) -> None:
        if write:
            self._pack()
            self._write()
        self._writer.close()

    def _pack(self) -> None:
        """Bring the rows into the form of the table, which takes less memory."""
        arrays = [
            _array(self._rows[column.name], field.type)
            for column, field in zip(self._columns, self._schema, strict=True)
        ]
        self._batches.append(pa.RecordBatch.from_arrays(arrays, schema=self._schema))
        for values in self._rows.values():
            values.clear()

    def _write(self) -> None:
        table = pa.Table.from_batches(self._batches, self._schema)
        self._batches.clear()
        if table.num_rows:
            self._writer.write_table(table, row_group_size=table.num_rows)


def _array(values: list[Any], kind: pa.DataType) -> pa.Array:
    try:
        return pa.array(values, kind)
    except UnicodeEncodeError:
        # Bytes of the module that are no UTF-8 were read as lone surrogates.
        return pa.array(list(map(_printable, values)), kind)


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    return list(map(_printable, value)) if isinstance(value, list) else value
