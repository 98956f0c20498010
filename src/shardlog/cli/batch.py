"""`shardlog batch`, and its subcommands `query` and `diff`."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shardlog.cli import batch_diff, batch_query
from shardlog.cli.app import (
    BAD_INPUT,
    FOUND_DIFFERENCES,
    INTERRUPTED,
    NOT_AVAILABLE,
    RUN_FAILED,
    fail,
)
from shardlog.cli.batch_progress import Progress
from shardlog.cli.options import RunOptions, run_options
from shardlog.cli.partitioner import Chosen, partitioner_option

if TYPE_CHECKING:
    from shardlog.batch import Ended, Scheduler

__all__ = ["command"]

SUBCOMMANDS: dict[str, click.Command] = {
    "query": batch_query.command,
    "diff": batch_diff.command,
}
UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
NEVER, FAILURE = "never", "failure"


class Size(click.ParamType):  # type: ignore[type-arg]
    """A number of bytes such as 500M or 2G."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        text = str(value).strip().lower().removesuffix("ib").removesuffix("b")
        number, unit = (text[:-1], text[-1]) if text[-1:].isalpha() else (text, "")
        try:
            size = int(float(number) * UNITS[unit])
        except (ValueError, KeyError, OverflowError):
            self.fail(f"{value!r} is not a size such as 500M or 2G", param, ctx)
        if size <= 0:
            self.fail(f"{value!r} is no size", param, ctx)
        return size


class Batch(click.Command):
    """A command whose first argument may name a subcommand."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        named = SUBCOMMANDS.get(args[0]) if args else None
        if named is None:
            return super().make_context(info_name, args, parent, **extra)
        return named.make_context(f"{info_name} {args[0]}", args[1:], parent, **extra)


@click.command(
    "batch",
    cls=Batch,
    epilog="""\b
Examples:
  shardlog batch dumps/ -o out/
  shardlog batch 'dumps/**/*before_sharding-propagation*' -o out/ --jobs 8 --timeout 60
  shardlog batch @list.txt s3://bucket/night/ dumps.zip -o out/ --modules
  shardlog batch dumps/ -o out/ --fail-on warning --json
  shardlog batch query out/ replicated
  shardlog batch query out/ "select opcode, count(*) from instructions group by 1"
  shardlog batch diff old/ out/ --format markdown

\b
Subcommands (`shardlog batch query --help`, `shardlog batch diff --help`):
  query OUT SQL|NAME   ask the tables
  diff OLD NEW         what differs between two batches

\b
PATHS are files, folders, globs, URLs (s3://, gs://, memory://, zip://...), archives (.zip, .tar,
.tar.gz) and manifests (@FILE). OUT gets modules, instructions, findings and rules as .parquet,
results.jsonl, summary.json and index.html; docs/batch.md describes them.

\b
Exit codes: 0 done; 1 modules failed, or --fail-on; 2 bad input, rules or usage; 3 a package is
missing; 4 the run failed, such as on a full disk; 130 interrupted. The same command continues.
""",
)
@click.argument("paths", nargs=-1, metavar="PATHS...")
@click.option(
    "-o",
    "--output",
    "folder",
    required=True,
    metavar="OUT",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the results. What it holds already is not done again.",
)
@click.option(
    "--manifest",
    "manifests",
    multiple=True,
    metavar="FILE",
    help="A text file with a path a line, as @FILE; - is standard input. May be repeated.",
)
@click.option(
    "--include",
    multiple=True,
    metavar="GLOB",
    help="Of folders take files whose names fit. May be repeated. Default: all.",
)
@click.option(
    "--exclude", multiple=True, metavar="GLOB", help="Of folders leave out files whose names fit."
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    default=None,
    help="How many processes work. Default: one for each core.",
)
@click.option("--modules", is_flag=True, help="Write the annotated modules, too, to OUT/modules.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "pb", "stablehlo", "json"]),
    help="Form of the annotated modules; implies --modules. Default: that of each input.",
)
@click.option("--provenance", is_flag=True, help="Write a table of every step of every run, too.")
@click.option(
    "--findings",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="How many findings to explain of a module; 0 looks for none.",
)
@click.option(
    "--min-bytes",
    type=click.IntRange(min=0),
    default=1 << 20,
    show_default=True,
    help="From how many bytes on a device on a value is worth a finding.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=600,
    show_default=True,
    metavar="SECONDS",
    help="Give a module up after this time.",
)
@click.option(
    "--memory",
    type=Size(),
    metavar="SIZE",
    help="Give a module up that needs more memory (Linux, macOS). Default: the machine's, shared "
    "by the processes, but no less than 2G.",
)
@click.option(
    "--max-size",
    type=Size(),
    default="2G",
    show_default=True,
    metavar="SIZE",
    help="Do not read larger files.",
)
@click.option(
    "--retry", is_flag=True, help="Try again what crashed, took too long or too much memory."
)
@click.option(
    "--fail-on",
    type=click.Choice([NEVER, FAILURE, "error", "warning", "info"]),
    default=FAILURE,
    show_default=True,
    help="When to exit with 1: if a module fails, or also if there is a finding this severe.",
)
@click.option(
    "--scheduler",
    metavar="dask://HOST:PORT",
    help="Work on this Dask cluster instead of this machine.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
@partitioner_option
@run_options
def command(
    paths: Sequence[str],
    folder: Path,
    manifests: Sequence[str],
    include: Sequence[str],
    exclude: Sequence[str],
    jobs: int | None,
    modules: bool,
    form: str | None,
    provenance: bool,
    findings: int,
    min_bytes: int,
    timeout: float,
    memory: int | None,
    max_size: int,
    retry: bool,
    fail_on: str,
    scheduler: str | None,
    as_json: bool,
    partitioner: Chosen,
    run: RunOptions,
) -> None:
    """Propagate every module in PATHS in parallel, and put facts and findings into tables.

    A module that cannot be read, fails, crashes or takes too much is a row with the reason, and
    the others go on. The same command continues where it was stopped.
    """
    with _told(folder):
        from shardlog import batch
        from shardlog.batch.extras import need

        need("pyarrow", "batches")
        if not paths and not manifests:
            raise click.UsageError("nothing to do: name PATHS or a --manifest")
        settings = batch.Settings(
            rules=batch.rule_texts(run.rules),
            is_spmd=run.is_spmd,
            propagate_metadata=run.propagate_metadata,
            cse_prevention_only=run.cse_prevention_only,
            params=run.params,
            output=run.output,
            execution_threads=run.execution_threads,
            lenient=run.lenient,
            form=form or ("same" if modules else None),
            findings=findings,
            least=min_bytes,
            provenance=provenance,
            partitioner=partitioner.name,
        )
        sources = batch.find_sources(
            paths, manifests, skip=folder, include=include, exclude=exclude
        )
        if not sources:
            raise click.UsageError("there are no files in what is given")
        jobs = jobs or _cores()
        works = _scheduler(scheduler, jobs)
        limits = batch.Limits(timeout, memory or _share_of_memory(jobs))
        with _terminated(), Progress(len(sources)) as progress:
            ended = batch.run_batch(
                sources,
                folder,
                settings,
                works,
                progress.advance,
                limits=limits,
                retry=retry,
                most=max_size,
            )
    _close(ended, folder, fail_on, as_json)


def _close(ended: Ended, folder: Path, fail_on: str, as_json: bool) -> None:
    """Say what has become of it, and leave with the exit code."""
    counts, summary = ended.counts, ended.summary
    if as_json:
        click.echo(json.dumps(summary, indent=1))
    else:
        kept = f", {counts.kept} of them before" if counts.kept else ""
        levels = summary["findings"]["by_severity"]
        found = ", ".join(f"{count} {level}" for level, count in levels.items() if count)
        by = summary["partitioner"]
        whose = f", {by['shardy']} by Shardy's rules, {by['gspmd']} by GSPMD's"
        click.echo(
            f"{counts.done - counts.failed} of {counts.total} modules propagated{kept}"
            f"{whose if by['shardy'] else ''}; "
            f"findings: {found or 'none'}; see {folder / 'index.html'}"
        )
    from shardlog.batch.summary import told_of_shardy

    told = told_of_shardy(summary)
    if told is not None:
        click.echo(f"shardlog: {told}", err=True)
    if not ended.complete:
        left = counts.total - counts.done
        again = shlex.join(["shardlog", *sys.argv[1:]])
        rest = "1 module is left" if left == 1 else f"{left} modules are left"
        fail(f"shardlog: interrupted, {rest}; to go on: {again}", INTERRUPTED)
    if fail_on == NEVER:
        return
    levels = summary["findings"]["by_severity"]
    severe = list(levels)[: list(levels).index(fail_on) + 1] if fail_on != FAILURE else []
    if counts.failed or any(levels[level] for level in severe):
        raise click.exceptions.Exit(FOUND_DIFFERENCES)


def _scheduler(address: str | None, jobs: int) -> Scheduler:
    from shardlog.batch import LocalScheduler

    if address is None:
        return LocalScheduler(jobs)
    if not address.startswith("dask://"):
        raise click.UsageError(f"--scheduler {address}: expected dask://HOST:PORT")
    from shardlog.batch.cluster import DaskScheduler

    return DaskScheduler(address.removeprefix("dask://"))


def _cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _share_of_memory(jobs: int) -> int:
    """What each of so many processes may have of this machine's memory."""
    try:
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        whole = 0
    return max(2 << 30, whole // jobs)


@contextmanager
def _terminated() -> Iterator[None]:
    """Treat a request to end, such as of a pipeline that has run out of time, as an interrupt."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, interrupt)
    except ValueError:  # not in the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    """Turn what only batches raise into messages and exit codes."""
    from shardlog.batch import Busy, MissingExtra

    try:
        yield
    except MissingExtra as error:
        fail(f"shardlog: {error}", NOT_AVAILABLE)
    except Busy as error:
        fail(f"shardlog: {error}", BAD_INPUT)
    except OSError as error:
        place = error.filename or folder
        fail(
            f"shardlog: {place}: {error.strerror or error}; what is done is kept, "
            "and the same command continues",
            RUN_FAILED,
        )
