"""`shardlog conflicts`."""

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
    "conflicts",
    epilog="""\b
Examples:
  shardlog conflicts module.txt add.2
  shardlog conflicts module.txt 'while.7{2}' --most 30
  shardlog conflicts module.txt add.2 --json
""",
)
@module_argument
@click.argument("instruction")
@click.option(
    "--most",
    type=click.IntRange(min=1),
    default=12,
    show_default=True,
    help="How many annotations to try, those nearest to INSTRUCTION first; each costs a run.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@partitioner_option
@run_options
def command(
    module: str,
    instruction: str,
    most: int,
    as_json: bool,
    partitioner: Chosen,
    run: RunOptions,
) -> None:
    """Say which annotations of MODULE cannot all be carried through to INSTRUCTION.

    Each of the annotations nearest to it is tried alone, then those that are lost in MODULE as it
    is, with one and with two of the others that reach it: a set is a conflict if a part of what its
    members give alone is lost together, and no part of the set is one already. That takes at most
    four runs for each annotation that is tried; a run that takes long is told on standard error.
    """
    if partitioner.is_shardy(module):
        from shardlog.cli import with_shardy

        with_shardy.conflicts(module, instruction, run, most, as_json)
        return
    from shardlog.explain.conflicts import conflicts

    before = read(module)
    notes = shardlog.partitioner_notes(before)
    answer = conflicts(before, instruction, run.arguments(), most, show.progress("conflicts"))
    keep(answer)
    show.notes(module, before.warnings, notes)
    click.echo(json.dumps(answer.to_dict(), indent=1) if as_json else answer.to_text())
