"""`shardlog batch query`."""

from __future__ import annotations

import csv
import itertools
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from shardlog.cli.app import NOT_AVAILABLE, fail

__all__ = ["command"]


@click.command(
    "query",
    epilog="""\b
Examples:
  shardlog batch query --list
  shardlog batch query out/ replicated --limit 10
  shardlog batch query out/ "select * from findings where severity = 'error'" --format json

\b
The tables are modules, instructions, findings, rules and, if the batch was asked for it,
provenance; docs/batch.md describes their columns. A query reads these tables and nothing else: no
files, no network.
""",
)
@click.argument(
    "folder", metavar="OUT", required=False, type=click.Path(exists=True, path_type=Path)
)
@click.argument("sql", metavar="SQL|NAME", required=False)
@click.option("--list", "listed", is_flag=True, help="List the queries that have names.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "jsonl", "csv", "markdown"]),
    default="text",
    show_default=True,
)
@click.option("--limit", type=click.IntRange(min=0), help="How many rows to print. Default: all.")
def command(
    folder: Path | None, sql: str | None, listed: bool, form: str, limit: int | None
) -> None:
    """Ask the tables of the batch in OUT, in SQL or by the name of a query."""
    from shardlog.batch import MissingExtra
    from shardlog.batch.queries import QUERIES
    from shardlog.batch.sql import ask

    if listed:
        width = max(map(len, QUERIES))
        for name, query in QUERIES.items():
            click.echo(f"{name:<{width}}  {query.says}")
        return
    if folder is None or sql is None:
        raise click.UsageError("name OUT and a query, or ask for the --list")
    named = QUERIES.get(sql)
    try:
        answer = ask(folder, sql if named is None else named.sql)
    except MissingExtra as error:
        fail(f"shardlog: {error}", NOT_AVAILABLE)
    rows = itertools.islice(answer.rows, limit)
    {"text": _text, "json": _json, "jsonl": _lines, "csv": _csv, "markdown": _markdown}[form](
        answer.columns, rows
    )


def _text(columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
    shown = [[_shown(value) for value in row] for row in rows]
    numbers = [
        all(_is_number(row[at]) for row in shown) and bool(shown) for at in range(len(columns))
    ]
    widths = [max([len(name), *(len(row[at]) for row in shown)]) for at, name in enumerate(columns)]
    for row in [list(columns), *shown]:
        cells = [
            text.rjust(width) if number else text.ljust(width)
            for text, width, number in zip(row, widths, numbers, strict=True)
        ]
        click.echo("  ".join(cells).rstrip())


def _json(columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
    objects = [dict(zip(columns, row, strict=True)) for row in rows]
    click.echo(json.dumps(objects, indent=1, default=str))


def _lines(columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
    for row in rows:
        click.echo(json.dumps(dict(zip(columns, row, strict=True)), default=str))


def _csv(columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_shown(value) for value in row])


def _markdown(columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
    from shardlog.batch.diff_text import markdown_row

    click.echo(markdown_row(columns))
    click.echo(markdown_row(["---"] * len(columns)))
    for row in rows:
        click.echo(markdown_row([_shown(value) for value in row]))


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


def _is_number(text: str) -> bool:
    return text.removeprefix("-").replace(".", "", 1).isdigit() or not text
