"""`shardlog frontier`."""

from __future__ import annotations

import json

import click

from shardlog.cli import show
from shardlog.cli.app import keep
from shardlog.cli.options import RunOptions, module_argument, read, run_options
from shardlog.cli.partitioner import Chosen, axis_option, no_axis, partitioner_option

__all__ = ["command"]


@click.command(
    "frontier",
    epilog="""\b
Examples:
  shardlog frontier module.txt tokens.1
  shardlog frontier module.txt tokens.1 --dim 0
  shardlog frontier module.txt 'while.7{2}' --limit 50
  shardlog frontier module.txt tokens.1 --json
""",
)
@module_argument
@click.argument("instruction")
@click.option("--dim", type=click.IntRange(min=0), help="Follow the tiles of one dimension.")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="How many edges to explain at most.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@axis_option
@partitioner_option
@run_options
def command(
    module: str,
    instruction: str,
    dim: int | None,
    limit: int,
    as_json: bool,
    axis: str | None,
    partitioner: Chosen,
    run: RunOptions,
) -> None:
    """Say where the tiles of INSTRUCTION of MODULE go, and at which edges they stop.

    They are followed to users, operands and through call sites, by the devices that they are
    split over. Each edge at which they stop comes with the reason.
    """
    if partitioner.is_shardy(module):
        from shardlog.cli import with_shardy

        with_shardy.frontier(module, instruction, run, dim, axis, limit, as_json)
        return
    no_axis(axis)
    result = run.asked(read(module))
    keep(result)
    answer = result.frontier(instruction, dim=dim, limit=limit)
    show.notes(module, result.module.warnings, result.notes)
    click.echo(json.dumps(answer.to_dict(), indent=1) if as_json else answer.to_text())
