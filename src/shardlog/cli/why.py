"""`shardlog why`."""

from __future__ import annotations

import json

import click

from shardlog.cli import show
from shardlog.cli.app import keep
from shardlog.cli.options import RunOptions, module_argument, read, run_options
from shardlog.cli.partitioner import Chosen, axis_option, no_axis, partitioner_option

__all__ = ["command"]

FORMATS = ("text", "json", "dot", "html")


@click.command(
    "why",
    epilog="""\b
Examples:
  shardlog why module.txt dot.5
  shardlog why module.txt dot.5 --dim 1         why dimension 1 is split
  shardlog why module.txt %fusion.12 --depth 3
  shardlog why module.txt 'while.7{2}'          one element of a tuple
  shardlog why module.txt dot.5 --format json
  shardlog why module.txt dot.5 --format html > why.html
  shardlog why module.txt dot.5 --format dot | dot -Tsvg > why.svg
""",
)
@module_argument
@click.argument("instruction")
@click.option("--dim", type=click.IntRange(min=0), help="Ask for one dimension only.")
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    default=200,
    show_default=True,
    help="How many rules to go back from INSTRUCTION at most.",
)
@click.option(
    "--whole",
    is_flag=True,
    help="Show all that ever set or refined the shardings, and all that the rules read; fold no "
    "tuples and copies.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="How to print the proof.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@axis_option
@partitioner_option
@run_options
def command(
    module: str,
    instruction: str,
    dim: int | None,
    depth: int,
    whole: bool,
    form: str,
    as_json: bool,
    axis: str | None,
    partitioner: Chosen,
    run: RunOptions,
) -> None:
    """Say why INSTRUCTION of MODULE has its sharding.

    The proof goes from the instruction back to the annotations: the rule that gave each sharding,
    with the instructions that it rested on. It is the smallest one: what a rule read that did not
    decide is left out, and so is what another rule has replaced. Then comes the cause in one
    sentence, what the other operands have, and the operands that must be resharded. NAME{2} asks
    for one element of a tuple, and follows just that one.
    """
    if partitioner.is_shardy(module):
        from shardlog.cli import with_shardy

        with_shardy.why(
            module, instruction, run, dim, axis, depth, whole, "json" if as_json else form
        )
        return
    no_axis(axis)
    result = run.asked(read(module))
    keep(result)
    account = result.account(instruction, dim=dim, depth=depth, whole=whole)
    show.notes(module, result.module.warnings, result.notes)
    if as_json:
        form = "json"
    if form == "text":
        click.echo(account.to_text())
        return
    fields = account.to_dict()
    if form == "json":
        click.echo(json.dumps(fields, indent=1))
        return
    from shardlog.explain import drawn

    click.echo(drawn.to_dot(fields) if form == "dot" else drawn.to_html(fields))
