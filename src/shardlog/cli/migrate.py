"""`shardlog migrate`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from shardlog.cli.app import FOUND_DIFFERENCES, keep

__all__ = ["command", "told"]


@click.command(
    "migrate",
    epilog="""\b
Examples:
  shardlog migrate train_step.mlir
  shardlog migrate train_step.mlir --limit 3 --proofs
  shardlog migrate train_step.mlir --trials 0                 only what differs, and why
  shardlog migrate train_step.mlir --format markdown -o migration.md
  shardlog migrate before_optimizations.txt --format json

\b
MODULE is a program lowered for Shardy: StableHLO with sdy annotations (text, bytecode, a jax.export
artifact) or HLO with xla.sdy attributes. For GSPMD it is converted, its calls inlined.

\b
Exit codes: 0 both give the same; 1 something differs; 2 bad input; 3 no jaxlib.
""",
)
@click.argument("module", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "html", "markdown"]),
    default="text",
    show_default=True,
    help="What to print.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="How many groups to show, 0 for all; json and html have all.",
)
@click.option(
    "--trials",
    type=click.IntRange(min=0),
    default=8,
    show_default=True,
    help="How many annotations to try for each group, each by propagating again; 0 for none.",
)
@click.option("--proofs", is_flag=True, help="Show both proofs of each group in the text, too.")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write to a file.")
def command(
    module: str, form: str, limit: int, trials: int, proofs: bool, output: str | None
) -> None:
    """Say what GSPMD and Shardy give to MODULE differently, why, and what would mend it.

    Values that differ for one cause are a group, those of most bytes first: both answers in axes of
    the module's mesh, what each partitioner says where they part, and the smallest annotation found
    with which Shardy gives what GSPMD gave, tried by propagating with it. Exits with 1 if any value
    differs.
    """
    from shardlog.files import write_whole
    from shardlog.migrate import migrate, page

    data = sys.stdin.buffer.read() if module == "-" else Path(module).read_bytes()
    answer = migrate(data, "<stdin>" if module == "-" else module, trials=trials, told=told)
    told("")
    keep(answer)
    if form == "json":
        text = json.dumps(answer.to_dict(), indent=1)
    elif form == "html":
        text = page(answer)
    elif form == "markdown":
        text = answer.to_markdown(limit or None)
    else:
        text = answer.to_text(limit or None, proofs)
    if output is None or output == "-":
        click.echo(text)
    else:
        write_whole(Path(output), f"{text}\n".encode())
    if answer.groups:
        raise click.exceptions.Exit(FOUND_DIFFERENCES)


def told(what: str) -> None:
    """Say on a terminal what is being done, in one line that is written over."""
    if sys.stderr.isatty():
        click.echo(f"\r\033[K{what}", err=True, nl=False)
