"""`shardlog lint`."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from shardlog.cli import show
from shardlog.cli.app import FOUND_DIFFERENCES, keep
from shardlog.cli.options import RunOptions, module_argument, read, run_options
from shardlog.cli.partitioner import Chosen, partitioner_option

__all__ = ["command"]

KINDS = ("replicated", "reshard", "axis_lost", "annotation_without_effect", "uneven")


@click.command(
    "lint",
    epilog="""\b
Examples:
  shardlog lint module.txt
  shardlog lint module.txt --min-bytes 100000000
  shardlog lint module.txt --kind replicated --kind axis_lost --limit 50
  shardlog lint module.txt --strict --json
""",
)
@module_argument
@click.option(
    "--min-bytes",
    type=click.IntRange(min=0),
    default=1 << 20,
    show_default=True,
    help="From how many bytes on a device on a value is worth a word.",
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(KINDS),
    help="Look for this only. May be repeated.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="How many findings to explain at most.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 if anything is found.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@partitioner_option
@run_options
def command(
    module: str,
    min_bytes: int,
    kinds: Sequence[str],
    limit: int,
    strict: bool,
    as_json: bool,
    partitioner: Chosen,
    run: RunOptions,
) -> None:
    """Go through MODULE and report what is likely to hurt, most bytes on a device first.

    Large values that are replicated or not sharded, where tiles stop; operands that must be
    resharded; axes lost at a reshape, gather, concatenate, loop, custom call, FFT and the like;
    annotations inside the program that nothing took anything from; tiles that do not divide
    evenly. Each comes with its cause and the command that explains it. Instructions that differ by
    their numbers alone are one finding.
    """
    from shardlog.explain.lint import Hurt

    wanted = frozenset(map(Hurt, kinds)) if kinds else frozenset(Hurt)
    if partitioner.is_shardy(module):
        from shardlog.cli import with_shardy

        if with_shardy.lint(module, run, min_bytes, wanted, limit, as_json) and strict:
            raise click.exceptions.Exit(FOUND_DIFFERENCES)
        return
    result = run.asked(read(module))
    keep(result)
    found = result.lint(module, least=min_bytes, limit=limit, kinds=wanted, options=run.words())
    show.notes(module, result.module.warnings, result.notes)
    click.echo(json.dumps(found.to_dict(), indent=1) if as_json else found.to_text())
    if strict and found.findings:
        raise click.exceptions.Exit(FOUND_DIFFERENCES)
