"""`shardlog report`."""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path

import click

from shardlog.cli import show
from shardlog.cli.app import keep
from shardlog.cli.options import RunOptions, mesh_in_use, module_argument, read, run_options
from shardlog.cli.partitioner import Chosen, partitioner_option

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
@partitioner_option
@run_options
def command(module: str, target: str, partitioner: Chosen, run: RunOptions) -> None:
    """Write a report about MODULE: one HTML file that any browser opens, without a network.

    What is likely to hurt stands on top, most bytes first, each finding with its cause and the
    command that explains it. Below is the graph, folded by op_name, with colours by sharding:
    choose an instruction to see what gave it its sharding, and why not another one; search, filter,
    or read all of it as a table. Every part works without a mouse.
    """
    from shardlog.report import report_html

    begin = time.monotonic()
    tell = partial(_tell, begin)
    tell("propagating")
    name = "MODULE" if module == "-" else module
    if partitioner.is_shardy(module):
        from shardlog.cli import with_shardy
        from shardlog.report.shardy import shardy_report_html

        _write(shardy_report_html(with_shardy.asked(module, run), name, tell).encode(), target)
        return
    result = run.asked(read(module))
    keep(result)
    page = report_html(
        result,
        name,
        options=run.words(),
        mesh=mesh_in_use(),
        progress=tell,
    ).encode()
    show.notes(module, result.module.warnings, result.notes)
    _write(page, target)


def _write(page: bytes, target: str) -> None:
    """Write a page to a file or to standard output."""
    from shardlog.files import write_whole

    if target == "-":
        sys.stdout.buffer.write(page)
        sys.stdout.buffer.flush()
    else:
        write_whole(Path(target), page)
    click.echo(f"{target}: {len(page) / 1e6:.1f} MB", err=True)


def _tell(begin: float, what: str) -> None:
    """Say on a terminal what is being done."""
    if sys.stderr.isatty():
        click.echo(f"{time.monotonic() - begin:5.1f} s  {what}", err=True)
