"""`shardlog repl`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shardlog.cli import show
from shardlog.cli.app import BAD_INPUT, keep
from shardlog.cli.options import (
    RunOptions,
    mesh_in_use,
    mesh_known,
    module_argument,
    read,
    run_options,
)
from shardlog.cli.partitioner import Chosen, partitioner_option
from shardlog.cli.query import define_option, time_limit_option

if TYPE_CHECKING:
    from shardlog.query import Session

__all__ = ["command"]


@click.command(
    "repl",
    epilog="""\b
Examples:
  shardlog repl module.txt
  shardlog repl module.txt --define mine.dl
  echo "replicated(I) & (opcode[I] == 'dot')" | shardlog repl module.txt

\b
What may be typed:
  replicated(I) & (opcode[I] == 'dot')      a question, as in shardlog query
  big(I) <= (byte_size[I] > 2**30)          a rule, which holds from then on
  why dot.5          whynot dot.5           as the commands of these names
  ?relations         ?because               what there is to ask about
  help               quit
""",
)
@module_argument
@define_option
@time_limit_option
@partitioner_option
@run_options
def command(
    module: str,
    files: Sequence[Path],
    time_limit: float,
    partitioner: Chosen,
    run: RunOptions,
) -> None:
    """Ask about MODULE, question after question, without propagating it anew.

    Questions and rules are those of shardlog query. At a terminal there is a history, and the
    tabulator completes names of relations and of instructions; Ctrl-C gives a question up. Without
    one, questions are read from standard input, and the exit code is 2 if any was wrong.
    """
    from shardlog.cli.asking import Asking

    if module == "-":
        raise click.UsageError("MODULE cannot be standard input, which the questions come from")
    if partitioner.is_shardy(module):
        from shardlog.cli import with_shardy

        questions = with_shardy.questions(module, run)
        session: Session = questions
        asking = Asking(with_shardy.Answering(questions.asked), session, None, time_limit)
    else:
        result = run.asked(read(module))
        session = result.session(mesh_known())
        keep(result, session)
        show.notes(module, result.module.warnings, result.notes)
        asking = Asking(result, session, mesh_in_use(), time_limit)
    for file in files:
        session.load(file)
    if not asking.all():
        raise click.exceptions.Exit(BAD_INPUT)
