"""The command group: its subcommands, loaded when used, and how errors leave it."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import sys
from typing import Any, NoReturn

import click

import shardlog

__all__ = [
    "BAD_INPUT",
    "FOUND_DIFFERENCES",
    "INTERNAL",
    "NOT_AVAILABLE",
    "RUN_FAILED",
    "fail",
    "keep",
    "main",
    "run",
]

# The exit codes; docs/cli.md tells them to users.
FOUND_DIFFERENCES = 1
BAD_INPUT = 2
NOT_AVAILABLE = 3
RUN_FAILED = 4
INTERNAL = 70
INTERRUPTED = 130

COMMANDS = {
    "propagate": ("shardlog.cli.propagate", "Propagate a module's shardings as XLA's GSPMD does."),
    "why": (
        "shardlog.cli.why",
        "Say which rules and annotations gave an instruction its sharding.",
    ),
    "whynot": ("shardlog.cli.whynot", "Say why an instruction is not sharded as expected."),
    "frontier": ("shardlog.cli.frontier", "Say where tiles go, and at which edges they stop."),
    "whatif": ("shardlog.cli.whatif", "Say what other annotations, masks or rules would change."),
    "impact": ("shardlog.cli.impact", "Say what owes its sharding to an annotation."),
    "lint": ("shardlog.cli.lint", "Report what in a module is likely to hurt."),
    "conflicts": ("shardlog.cli.conflicts", "Say which annotations cannot all reach a place."),
    "query": ("shardlog.cli.query", "Answer Datalog questions about a module."),
    "repl": ("shardlog.cli.repl", "Ask about a module, question after question."),
    "report": ("shardlog.cli.report", "Write all of it as one HTML page: graph, proofs, findings."),
    "compare": ("shardlog.cli.compare", "Compare the answer with another file or with XLA's own."),
    "migrate": ("shardlog.cli.migrate", "Say what Shardy gives differently from GSPMD, and why."),
    "order": ("shardlog.cli.order", "Say which shardings depend on the order of visits."),
    "convert": ("shardlog.cli.convert", "Convert shardings between their forms, and modules."),
    "show": ("shardlog.cli.show_slices", "Show which device holds which slice of a tensor."),
    "batch": ("shardlog.cli.batch", "Propagate many modules into tables; ask and compare them."),
    "rules": ("shardlog.cli.rules", "List, show, check, test and count rules."),
}


class Commands(click.Group):
    """Subcommands that are imported when they run, so that help and completion are quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(COMMANDS[cmd_name][0]).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except KeyboardInterrupt:
            fail("shardlog: interrupted", INTERRUPTED)
        except Exception as error:
            _explain(error)


def fail(message: str, code: int) -> NoReturn:
    """Print one line on stderr and leave with an exit code."""
    click.echo(message, err=True)
    raise click.exceptions.Exit(code)


def keep(*things: object) -> None:
    """Keep things for as long as the whole command runs."""
    click.get_current_context().find_root().obj = things


def run() -> NoReturn:
    """Run the command as a process.

    Taking a large graph apart in the end would take as long as reading it: the process just ends.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        main()
    except SystemExit as error:  # it holds the frames, and they what was kept
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
        # a reader that has gone away is no error
        with contextlib.suppress(BrokenPipeError):
            sys.stdout.flush()
        with contextlib.suppress(BrokenPipeError):
            sys.stderr.flush()
        os._exit(code)
    raise AssertionError("click ends with SystemExit")


def _explain(error: Exception) -> NoReturn:
    from shardlog.engine.errors import EvaluationError, OscillationError, RuleError

    if isinstance(error, shardlog.XlaUnavailable):
        fail(f"shardlog: {error}", NOT_AVAILABLE)
    if isinstance(error, (shardlog.InputError, RuleError)):
        fail(str(error), BAD_INPUT)
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        fail(f"{place}{error.strerror or error}", BAD_INPUT)
    if isinstance(error, (OscillationError, EvaluationError, shardlog.ShardlogError)):
        fail(f"shardlog: {error}", RUN_FAILED)
    if isinstance(error, MemoryError):
        fail("shardlog: out of memory", RUN_FAILED)
    if os.environ.get("SHARDLOG_TRACEBACK"):
        import traceback

        traceback.print_exception(error)
    fail(
        f"shardlog: internal error: {type(error).__name__}: {error} "
        "(set SHARDLOG_TRACEBACK=1 to see where)",
        INTERNAL,
    )


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Examples:
  shardlog propagate examples/mlp_train_2x4.txt -o after.txt
  shardlog why examples/mlp_train_2x4.txt dot_general.11
  shardlog compare examples/mlp_train_2x4.txt --with xla
  shardlog batch dumps/ -o out/ --jobs 4

\b
A module is HLO text or a proto (HloModuleProto, HloProto, HloSnapshot), plain or gzipped; - reads
standard input. docs/dumps.md tells how to get one out of JAX, PyTorch/XLA and Neuron.

\b
The answer is that of GSPMD, unless --partitioner says otherwise. JAX lowers for Shardy by default:
on such a module every command says so, since XLA would not run GSPMD on it. With --partitioner auto
the answer is Shardy's there; or lower with jax_use_shardy_partitioner=False.

\b
Exit codes: 0 done; 1 differences found, or modules failed in a batch; 2 bad input, rules or usage;
3 XLA's own pass cannot run here; 4 the run failed; 70 an error in shardlog itself; 130 interrupted.

\b
Completion for bash (zsh, fish alike):
  eval "$(_SHARDLOG_COMPLETE=bash_source shardlog)"
""",
)
@click.version_option(shardlog.__version__, prog_name="shardlog")
def main() -> None:
    """XLA's sharding propagation (GSPMD), decided by rules, with reasons."""
