"""`shardlog why`."""

from __future__ import annotations

import json

import click

from shardlog.cli import show
from shardlog.cli.app import keep
from shardlog.cli.options import RunOptions, module_argument, read, run_options

__all__ = ["command"]


@click.command(
    "why",
    epilog="""\b
Examples:
  shardlog why module.txt dot.5
  shardlog why module.txt %fusion.12 --depth 3
  shardlog why module.txt 'while.7{2}'          one element of a tuple
  shardlog why module.txt dot.5 --json
""",
)
@module_argument
@click.argument("instruction")
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    default=30,
    show_default=True,
    help="How many rules to go back from INSTRUCTION at most.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the proof as JSON.")
@run_options
def command(module: str, instruction: str, depth: int, as_json: bool, run: RunOptions) -> None:
    """Say why INSTRUCTION of MODULE has its sharding.

    The proof goes from the instruction back to the annotations: each rule that set or refined a
    sharding, latest first, with the instructions that it rested on. NAME{2} asks for one element of
    a tuple, and follows just that one.
    """
    result = run.propagate(read(module))
    keep(result)
    reason = result.why(instruction, depth=depth)
    show.notes(module, result.module.warnings, result.notes)
    if as_json:
        click.echo(json.dumps(reason.to_dict(), indent=1))
    else:
        click.echo(reason.to_text())
