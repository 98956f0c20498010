"""`shardlog propagate`."""

from __future__ import annotations

import sys
import time

import click

from shardlog.cli import show
from shardlog.cli.app import keep
from shardlog.cli.options import RunOptions, module_argument, read, run_options
from shardlog.cli.partitioner import Chosen, partitioner_option
from shardlog.files import write_whole

__all__ = ["command"]


@click.command(
    "propagate",
    epilog="""\b
Examples:
  shardlog propagate module.txt                        the summary alone
  shardlog propagate module.txt -o after.txt           the module with its shardings, too
  shardlog propagate module.hlo.pb -o after.hlo.pb     a proto stays a proto
  shardlog propagate module.hlo.pb --to-output true -o after.hlo.pb
  shardlog propagate module.txt --format json -o - | jq '.instructions[] | select(.changed)'
  shardlog propagate module.txt --rules flash_attention.dl -o after.txt
  shardlog propagate program.mlir --partitioner shardy -o after.mlir
""",
)
@module_argument
@click.option(
    "-o",
    "--output",
    "target",
    metavar="FILE",
    help="Where the propagated module goes; - is standard output, a name ending in .gz is gzipped.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "pb", "stablehlo", "json"]),
    help="Form of the output. Default: that of the input. StableHLO, and a proto from text, need a "
    "jaxlib (pip install 'shardlog[jax]').",
)
@partitioner_option
@run_options
def command(
    module: str, target: str | None, form: str | None, partitioner: Chosen, run: RunOptions
) -> None:
    """Propagate the shardings of MODULE and print a summary.

    With -o the module is written with every sharding filled in, and nothing else changed but what
    the pass itself edits. If anything fails, no file is written.
    """
    if partitioner.is_shardy(module):
        from shardlog.cli.propagate_shardy import propagate_shardy

        propagate_shardy(module, target, form, run)
        return
    started = time.perf_counter()
    from shardlog import api

    if target is None and form is not None:
        target = "-"
    begin = time.perf_counter()
    source = read(module)
    seconds = {"starting": begin - started, "reading": time.perf_counter() - begin}
    if form is None:
        form = api.format_of(source)
    if form == "pb" and target == "-" and sys.stdout.isatty():
        raise click.UsageError("a proto does not go to a terminal; give -o FILE")
    result = run.propagate(source)
    keep(source, result)
    seconds.update(result.seconds)

    if target is not None:
        begin = time.perf_counter()
        if target == "-" and form == "json":
            sys.stdout.write(api.output(result, form).decode())
        elif target == "-":
            sys.stdout.buffer.write(api.output(result, form))
            sys.stdout.buffer.flush()
        else:
            write_whole(target, api.output_pieces(result, form))
        seconds["writing"] = time.perf_counter() - begin
    show.notes(module, result.module.warnings, result.notes)
    show.summary(module, result.summary(), seconds, to_stderr=target == "-")
