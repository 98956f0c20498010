"""Questions in SQL to the tables of a batch, which can read these tables and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shardlog.batch.extras import need
from shardlog.batch.schema import TABLES
from shardlog.batch.store import result_file
from shardlog.ir.errors import InputError

if TYPE_CHECKING:
    import duckdb

__all__ = ["Answer", "ask"]

LOCKED = (
    "SET python_enable_replacements = false",
    "SET enable_external_access = false",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET lock_configuration = true",
)
"""What keeps SQL away from files, the network, extensions and variables of this program."""


@dataclass(frozen=True)
class Answer:
    """The columns of an answer and its rows, which come as they are asked for."""

    columns: Sequence[str]
    rows: Iterator[tuple[Any, ...]]


def ask(folder: Path, sql: str) -> Answer:
    """Return the answer of one SELECT over the tables of a batch.

    Raises InputError for SQL that is wrong or is no SELECT and for a folder that holds no finished
    batch, MissingExtra without duckdb and pyarrow.
    """
    need("duckdb", "questions to a batch")
    need("pyarrow", "questions to a batch")
    import duckdb

    connection = _connection(folder)
    try:
        statements = connection.extract_statements(sql)
        kinds = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)
        if len(statements) != 1 or statements[0].type not in kinds:
            raise InputError("one SELECT is expected; tables can be read only")
        cursor = connection.execute(statements[0])
    except duckdb.Error as error:
        raise InputError(str(error).strip()) from None
    return Answer([column[0] for column in cursor.description or ()], _rows(cursor))


def _connection(folder: Path) -> duckdb.DuckDBPyConnection:
    import duckdb
    import pyarrow.dataset

    connection = duckdb.connect(":memory:")
    for table in TABLES:
        file = result_file(folder, f"{table}.parquet")
        if file is not None:
            connection.register(table, pyarrow.dataset.dataset(str(file), format="parquet"))
    for statement in LOCKED:
        connection.execute(statement)
    return connection


def _rows(cursor: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    import duckdb

    while True:
        try:
            rows = cursor.fetchmany(1024)
        except duckdb.Error as error:
            raise InputError(str(error).strip()) from None
        if not rows:
            return
        yield from rows
