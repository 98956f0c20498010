"""`shardlog report`."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import click

from shardlog.cli import show
from shardlog.cli.app import keep
from shardlog.cli.options import RunOptions, mesh_in_use, module_argument, read, run_options

__all__ = ["command"]


@click.command(
    "report",
    epilog="""\b
Examples:
  shardlog report module.txt -o report.html
  shardlog report module.hlo.pb -o report.html --mesh x=2,y=4
  shardlog report module.txt -o report.html --rules kernels.dl
  shardlog report module.txt -o - | gzip > report.html.gz
""",
)
@module_argument
@click.option(
    "-o",
    "--output",
    "target",
    metavar="FILE",
    required=True,
    help="Where the page goes; - is standard output.",
)
@run_options
def command(module: str, target: str, run: RunOptions) -> None:
    """Write a report about MODULE: one HTML file that any browser opens, without a network.

    What is likely to hurt stands on top, most bytes first, each finding with its cause and the
    command that explains it. Below is the graph, folded by op_name, with colours by sharding:
    choose an instruction to see what gave it its sharding, and why not another one; search, filter,
    or read all of it as a table. Every part works without a mouse.
    """
    from shardlog.files import write_whole
    from shardlog.report import report_html
    from shardlog.shown import shown_on

    begin = time.monotonic()
    tell = partial(_tell, begin)
    tell("propagating")
    result = run.asked(read(module))
    keep(result)
    mesh = mesh_in_use()
    page = report_html(
        result,
        "MODULE" if module == "-" else module,
        options=shlex.join(_options(run)),
        show=str if mesh is None else partial(shown_on, mesh),
        progress=tell,
    ).encode()
    if target == "-":
        sys.stdout.buffer.write(page)
        sys.stdout.buffer.flush()
    else:
        write_whole(Path(target), page)
    show.notes(module, result.module.warnings, result.notes)
    click.echo(f"{target}: {len(page) / 1e6:.1f} MB", err=True)


def _tell(begin: float, what: str) -> None:
    """Say on a terminal what is being done."""
    if sys.stderr.isatty():
        click.echo(f"{time.monotonic() - begin:5.1f} s  {what}", err=True)


def _options(run: RunOptions) -> Iterator[str]:
    """The options of a run as words: what asks the same of the same run must be given them."""
    for file in run.rules:
        yield from ("--rules", str(file))
    if not run.is_spmd:
        yield "--no-spmd"
    if run.propagate_metadata:
        yield "--propagate-metadata"
    if run.cse_prevention_only:
        yield "--cse-prevention-only"
    for option, mask in (("--to-parameters", run.params), ("--to-output", run.output)):
        if mask is not None:
            yield from (option, ",".join("true" if each else "false" for each in mask))
    for thread in run.execution_threads:
        yield from ("--execution-thread", thread)
    if run.lenient:
        yield "--lenient"
