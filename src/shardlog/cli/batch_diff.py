"""`shardlog batch diff`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from shardlog.cli.app import FOUND_DIFFERENCES, NOT_AVAILABLE, fail

__all__ = ["command"]


@click.command(
    "diff",
    epilog="""\b
Examples:
  shardlog batch diff yesterday/ today/
  shardlog batch diff yesterday/ today/ --fail-on worse --format markdown >> summary.md
  shardlog batch diff yesterday/ today/ --format junit > shardings.xml

\b
Modules are matched by their names: the paths below the folders that were given.
Exit codes: 0 nothing that --fail-on asks for; 1 there is; 2 bad input.
""",
)
@click.argument("old", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("new", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown", "junit"]),
    default="text",
    show_default=True,
)
@click.option(
    "--fail-on",
    type=click.Choice(["change", "worse", "never"]),
    default="change",
    show_default=True,
    help="When to exit with 1: if anything differs; if a module fails that did not, or a finding "
    "is new or costs more; never.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    help="How many instructions and findings to show of a module; JSON has all.",
)
def command(old: Path, new: Path, form: str, fail_on: str, limit: int) -> None:
    """Say which modules, instructions and findings differ between two batches."""
    from shardlog.batch import MissingExtra
    from shardlog.batch.diff import diff_batches
    from shardlog.batch.diff_text import to_junit, to_markdown, to_text

    try:
        found = diff_batches(old, new)
    except MissingExtra as error:
        fail(f"shardlog: {error}", NOT_AVAILABLE)
    if form == "json":
        click.echo(json.dumps(found.to_dict(), indent=1))
    else:
        click.echo(
            {"text": to_text, "markdown": to_markdown, "junit": to_junit}[form](found, limit)
        )
    if {"change": bool(found.changes), "worse": found.is_worse, "never": False}[fail_on]:
        raise click.exceptions.Exit(FOUND_DIFFERENCES)
