"""`shardlog order`."""

from __future__ import annotations

import json

import click

from shardlog.cli import show
from shardlog.cli.app import FOUND_DIFFERENCES, keep
from shardlog.cli.migrate import told
from shardlog.cli.options import RunOptions, module_argument, read, read_bytes, run_options
from shardlog.cli.partitioner import Chosen, only_gspmd, partitioner_option

__all__ = ["command"]


@click.command(
    "order",
    epilog="""\b
Examples:
  shardlog order module.txt
  shardlog order train_step.mlir --partitioner shardy
  shardlog order train_step.mlir --partitioner shardy --draws 20 --json
  shardlog order module.txt --strict                   for a check: exits with 1 if any depends
""",
)
@module_argument
@click.option(
    "--draws",
    type=click.IntRange(min=0),
    default=4,
    show_default=True,
    help="How many orders to draw, beside the one that takes the last first; each costs a run.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="How many groups to show at most; 0 for all, --json has all.",
)
@click.option("--strict", is_flag=True, help="Exit with 1 if any value depends on the order.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@partitioner_option
@run_options
def command(
    module: str,
    draws: int,
    limit: int,
    strict: bool,
    as_json: bool,
    partitioner: Chosen,
    run: RunOptions,
) -> None:
    """Say which values of MODULE are sharded otherwise if operations are visited in another order.

    Every operation still comes after those that it reads. A partitioner has one order, that of the
    program; but a small edit of the program, or another release of the compiler, gives another one,
    and such values may then change though nothing near them was touched. An annotation settles
    them. The same MODULE and --draws give the same report.
    """
    from shardlog.notes import partitioner_notes
    from shardlog.visit_order import gspmd_orders, shardy_orders

    if partitioner.is_shardy(module):
        from shardlog.shardy import load_shardy_rules, read_shardy
        from shardlog.shardy.propagation import rule_texts

        only_gspmd(run)
        rules = load_shardy_rules(rule_texts(run.rules)) if run.rules else None
        name = "<stdin>" if module == "-" else module
        answer = shardy_orders(read_shardy(read_bytes(module), name), draws, rules, told)
    else:
        source = read(module)
        show.notes(module, source.warnings, partitioner_notes(source))
        answer = gspmd_orders(source, run.arguments(), draws, told)
    told("")
    keep(answer)
    click.echo(json.dumps(answer.to_dict(), indent=1) if as_json else answer.to_text(limit or None))
    if strict and answer.groups:
        raise click.exceptions.Exit(FOUND_DIFFERENCES)
