"""`shardlog impact`."""

from __future__ import annotations

import json

import click

import shardlog
from shardlog.cli import show
from shardlog.cli.app import keep
from shardlog.cli.options import RunOptions, module_argument, read, run_options
from shardlog.cli.partitioner import Chosen, partitioner_option

__all__ = ["command"]


@click.command(
    "impact",
    epilog="""\b
Examples:
  shardlog impact module.txt sharding_constraint.3
  shardlog impact module.txt tokens.1 --limit 5
  shardlog impact module.txt tokens.1 --json
""",
)
@module_argument
@click.argument("annotation")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="How many groups to show at most; --json has all.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@partitioner_option
@run_options
def command(
    module: str,
    annotation: str,
    limit: int,
    as_json: bool,
    partitioner: Chosen,
    run: RunOptions,
) -> None:
    """Say what owes its sharding to ANNOTATION, an annotated instruction of MODULE.

    What would be different without it comes in groups, with the bytes that a device holds; then
    what rests on it but would be sharded alike without it.
    """
    if partitioner.is_shardy(module):
        from shardlog.cli import with_shardy

        with_shardy.impact(module, annotation, run, limit, as_json)
        return
    from shardlog.explain.impact import impact

    before = read(module)
    notes = shardlog.partitioner_notes(before)
    answer = impact(before, annotation.removeprefix("%"), run.arguments())
    keep(answer)
    show.notes(module, before.warnings, notes)
    click.echo(json.dumps(answer.to_dict(), indent=1) if as_json else answer.to_text(limit))
