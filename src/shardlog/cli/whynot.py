"""`shardlog whynot`."""

from __future__ import annotations

import json

import click

from shardlog.cli import show
from shardlog.cli.app import keep
from shardlog.cli.options import RunOptions, mesh_known, module_argument, read, run_options
from shardlog.cli.partitioner import Chosen, axis_option, no_axis, partitioner_option

__all__ = ["command"]


@click.command(
    "whynot",
    epilog="""\b
Examples:
  shardlog whynot module.txt dot.5                        why it is replicated, or unsharded
  shardlog whynot module.txt dot.5 --dim 1                why dimension 1 is not split
  shardlog whynot module.txt dot.5 '{devices=[4,1]<=[4]}' why it is not sharded so
  shardlog whynot module.txt dot.5 "P('x', None)" --mesh x=4,y=2
  shardlog whynot module.txt 'while.7{2}'                 one element of a tuple
  shardlog whynot module.txt dot.5 --json
""",
)
@module_argument
@click.argument("instruction")
@click.argument("sharding", required=False)
@click.option("--dim", type=click.IntRange(min=0), help="Ask for tiles along one dimension.")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=8,
    show_default=True,
    help="How many rules to show at most; --json has all.",
)
@click.option(
    "--all", "every", is_flag=True, help="Show rules for other instructions and shardings, too."
)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@axis_option
@partitioner_option
@run_options
def command(
    module: str,
    instruction: str,
    sharding: str | None,
    dim: int | None,
    limit: int,
    every: bool,
    as_json: bool,
    axis: str | None,
    partitioner: Chosen,
    run: RunOptions,
) -> None:
    """Say why INSTRUCTION of MODULE is not sharded as SHARDING, along --dim, or at all.

    First the cause in one sentence, with its kind and where it lies: it may be upstream, where
    tiles stop. Then every rule that could have given what was wanted, nearest first, each with
    what it gives and why that is not it: the first literal of the rule that fails, the tier or
    annotation that closes it, or the sharding that it would have had to replace.
    """
    if sharding is not None and dim is not None:
        raise click.UsageError("give a SHARDING or --dim, not both")
    if partitioner.is_shardy(module):
        from shardlog.cli import with_shardy

        most = None if every else limit
        with_shardy.whynot(module, instruction, sharding, run, dim, axis, most, as_json)
        return
    no_axis(axis)
    result = run.asked(read(module))
    keep(result)
    answer = result.whynot(instruction, sharding, dim=dim, every=every, mesh=mesh_known())
    show.notes(module, result.module.warnings, result.notes)
    if as_json:
        click.echo(json.dumps(answer.to_dict(), indent=1))
    else:
        click.echo(answer.to_text(None if every else limit))
