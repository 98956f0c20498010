"""`shardlog compare`."""

from __future__ import annotations

import json

import click

import shardlog
from shardlog.cli import show
from shardlog.cli.app import FOUND_DIFFERENCES, keep
from shardlog.cli.options import RunOptions, module_argument, read, run_options
from shardlog.cli.partitioner import Chosen, partitioner_option

__all__ = ["command"]


@click.command(
    "compare",
    epilog="""\b
Examples:
  shardlog compare module.txt --with xla
  shardlog compare before_sharding-propagation.txt --with after_sharding-propagation.txt
  shardlog compare one.txt --with other.txt --as-is     no propagation: two files as they are
""",
)
@module_argument
@click.option(
    "--with",
    "other",
    metavar="FILE|xla",
    help="A module to compare with, or xla for XLA's own pass, run from an installed jaxlib "
    "(pip install 'shardlog[xla]'; Linux x86-64).",
)
@click.option(
    "--partitioners",
    is_flag=True,
    help="Compare what GSPMD and Shardy give to MODULE, as `shardlog migrate` does.",
)
@click.option("--as-is", is_flag=True, help="Compare MODULE as it stands, without propagating.")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="How many differing instructions to show; 0 for all.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
@partitioner_option
@run_options
def command(
    module: str,
    other: str | None,
    partitioners: bool,
    as_is: bool,
    limit: int,
    as_json: bool,
    partitioner: Chosen,
    run: RunOptions,
) -> None:
    """Compare the propagated shardings of MODULE with those of another module.

    Instructions are matched by name, shardings compared as XLA compares them: metadata is left out,
    and a device list equals the iota that it spells out. Exits with 1 if any differ.
    """
    if partitioners:
        from shardlog.cli import migrate

        form = "json" if as_json else "text"
        click.get_current_context().invoke(migrate.command, module=module, form=form, limit=limit)
        return
    if other is None:
        raise click.UsageError("give --with FILE, --with xla or --partitioners")
    if partitioner.is_shardy(module):
        from shardlog.cli import with_shardy

        if with_shardy.compare(module, other, as_is, limit, as_json, run):
            raise click.exceptions.Exit(FOUND_DIFFERENCES)
        return
    source = read(module)
    right = run.propagate_with_xla(source) if other == "xla" else read(other)
    if as_is:
        left, notes = source, tuple(shardlog.partitioner_notes(source))
    else:
        result = run.propagate(source, provenance=False)
        left, notes = result.module, result.notes
    keep(left, right)
    comparison = shardlog.compare_modules(left, right)
    show.notes(module, left.warnings, notes)
    if as_json:
        click.echo(json.dumps(comparison.to_dict(), indent=1))
    else:
        names = ("as it stands" if as_is else "shardlog", "XLA" if other == "xla" else other)
        show.comparison(comparison, names, limit or None)
    if comparison.disagreements:
        raise click.exceptions.Exit(FOUND_DIFFERENCES)
