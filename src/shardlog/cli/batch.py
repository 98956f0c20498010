"""`shardlog batch`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import click

from shardlog.cli.app import FOUND_DIFFERENCES
from shardlog.cli.options import RunOptions, run_options

__all__ = ["command"]

NOTES = 3
"""How many notes on single modules are printed."""


@click.command(
    "batch",
    epilog="""\b
Examples:
  shardlog batch dumps/ -o propagated/
  shardlog batch dumps/*before_sharding-propagation.txt -o propagated/ --jobs 8 --timeout 60
  shardlog batch dumps/ -o answers/ --format json
  jq -r 'select(.status != "ok") | "\\(.file): \\(.message)"' propagated/results.jsonl

\b
Each line of results.jsonl is one module: file, status (ok, error, crash, timeout), message, output,
instructions, sharded_before, sharded_after, changed, iterations, warnings, notes, seconds by phase.
Lines come in the order in which modules are done.
""",
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    "folder",
    required=True,
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the propagated modules and results.jsonl go.",
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    default=os.cpu_count() or 1,
    help="How many processes work. Default: one for each core.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "pb", "stablehlo", "json"]),
    help="Form of the outputs. Default: that of each input.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Give a module up after this time.",
)
@run_options
def command(
    paths: tuple[Path, ...],
    folder: Path,
    jobs: int,
    form: str | None,
    timeout: float | None,
    run: RunOptions,
) -> None:
    """Propagate every module in PATHS, files and folders, in parallel.

    A module that cannot be read, fails, crashes or takes too long is reported and the others go on;
    the exit code is then 1.
    """
    from shardlog.batch import Settings, plan_jobs, run_batch
    from shardlog.propagation import load_rules

    settings = Settings(
        form=form,
        rules=tuple(str(path) for path in run.rules),
        is_spmd=run.is_spmd,
        propagate_metadata=run.propagate_metadata,
        cse_prevention_only=run.cse_prevention_only,
        lenient=run.lenient,
        params=run.params,
        output=run.output,
        execution_threads=run.execution_threads,
        timeout=timeout,
    )
    work = plan_jobs(paths, folder, form)
    if not work:
        raise click.UsageError(
            "no modules in the given folders (*.txt, *.hlo, *.pb, *.mlir, or gzipped)"
        )
    if run.rules:
        # what is wrong with the rules is told once, not for each module
        load_rules(run.rules)
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    remarks: list[str] = []
    with (folder / "results.jsonl").open("w") as lines, _progress(len(work)) as progress:

        def report(result: dict[str, Any]) -> None:
            nonlocal failed
            failed += result["status"] != "ok"
            remarks.extend(f"{result['file']}: {note}" for note in result.get("notes", ()))
            lines.write(json.dumps(result) + "\n")
            lines.flush()
            progress.advance(result)

        run_batch(work, settings, jobs, report)
    for remark in remarks[:NOTES]:
        click.echo(f"note: {remark}", err=True)
    if len(remarks) > NOTES:
        click.echo(f"note: and {len(remarks) - NOTES} more, see results.jsonl", err=True)
    click.echo(
        f"{len(work) - failed} of {len(work)} modules propagated, results in "
        f"{folder / 'results.jsonl'}"
    )
    if failed:
        raise click.exceptions.Exit(FOUND_DIFFERENCES)


class _progress:
    """A progress bar on a terminal; elsewhere just the failures, a line each on stderr."""

    def __init__(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

        console = Console(stderr=True, highlight=False)
        self._bar = Progress(
            "propagating",
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
            transient=True,
        )
        self._task = self._bar.add_task("propagating", total=total)

    def __enter__(self) -> _progress:
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.stop()

    def advance(self, result: dict[str, Any]) -> None:
        """Count one module, and tell if it failed."""
        if result["status"] != "ok":
            message = str(result["message"])
            place = "" if message.startswith(result["file"]) else f"{result['file']}: "
            self._bar.console.print(f"{place}{message}", markup=False, soft_wrap=True)
        self._bar.advance(self._task)
