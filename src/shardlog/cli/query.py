"""`shardlog query`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shardlog.cli import show
from shardlog.cli.app import FOUND_DIFFERENCES, keep
from shardlog.cli.options import RunOptions, mesh_in_use, mesh_known, read, run_options
from shardlog.cli.partitioner import Chosen, partitioner_option

if TYPE_CHECKING:
    from shardlog.query import Answer, Session

__all__ = ["answer_text", "command", "define_option", "time_limit_option"]

TABLE_ROWS = 50
"""How many rows a table shows unless told."""

define_option = click.option(
    "--define",
    "files",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Relations of yours, as rules over these. May be given several times. (--rules changes "
    "the propagation.)",
)
time_limit_option = click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="Give a question up after this time.",
)


@click.command(
    "query",
    epilog="""\b
Examples:
  shardlog query --relations                                what there is to ask about
  shardlog query module.txt "replicated(I) & (byte_size[I] > 2**30) & because(I, R, O)"
  shardlog query module.txt "reshard(O, I) & (device_bytes[O] == N)" --format csv
  shardlog query module.txt "unsharded(I) & (opcode[I] == 'dot')" --count
  shardlog query module.txt "owes(I, 'tokens.1') & (source_line[I] == L)"
  shardlog query module.txt "(n[R] == len_(I)) <= (rule[I] == R); n[R] == N"
  shardlog query module.txt "my_relation(I)" --define mine.dl
  shardlog query module.txt "dim_axis(I, D, 'model')" --mesh data=4,model=8
""",
)
@click.argument("module", required=False, type=click.Path(dir_okay=True, allow_dash=True))
@click.argument("question", required=False)
@click.option("--relations", is_flag=True, help="List the relations; of MODULE, with their sizes.")
@define_option
@click.option(
    "--format",
    "form",
    type=click.Choice(("table", "json", "csv")),
    default="table",
    show_default=True,
    help="How to print the answer.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    help=f"How many rows to show. Default: {TABLE_ROWS} in a table, else all.",
)
@click.option("--count", is_flag=True, help="Print the number of rows only.")
@click.option("--plan", is_flag=True, help="Print in which order the question is taken up.")
@time_limit_option
@click.option("--strict", is_flag=True, help="Exit with 1 if there is any row.")
@partitioner_option
@run_options
def command(
    module: str | None,
    question: str | None,
    relations: bool,
    files: Sequence[Path],
    form: str,
    as_json: bool,
    limit: int | None,
    count: bool,
    plan: bool,
    time_limit: float,
    strict: bool,
    partitioner: Chosen,
    run: RunOptions,
) -> None:
    """Answer QUESTION about MODULE: a Datalog query over its graph, its shardings and why they are.

    A question is a number of literals joined by &, in the notation of rule files: variables begin
    with a capital letter, texts stand in quotes, ~ means not. Rules may stand before it, with ;
    between. It is read and checked, never run as code. docs/query.md has useful ones.
    """
    from shardlog.cli import show_relations
    from shardlog.shown import shown_on

    if module is None and relations:
        show_relations.listed(None, as_json or form == "json", partitioner.is_shardy(None))
        return
    if module is None or (question is None and not relations):
        raise click.UsageError("MODULE and QUESTION are wanted, or --relations")
    if partitioner.is_shardy(module):
        from shardlog.cli import with_shardy

        session: Session = with_shardy.questions(module, run)
    else:
        result = run.asked(read(module))
        session = result.session(mesh_known())
        keep(result, session)
        show.notes(module, result.module.warnings, result.notes)
    for file in files:
        session.load(file)
    form = "json" if as_json else form
    if relations:
        show_relations.listed(session, form == "json")
        return
    assert question is not None
    if plan:
        click.echo("\n".join(session.plan(question)))
        return
    if limit is None and form == "table":
        limit = TABLE_ROWS
    answer = session.ask(question, limit=limit, seconds=time_limit)
    mesh = mesh_in_use()
    if mesh is not None:
        # before columns are as wide as what stands in them
        answer = answer.shown(partial(shown_on, mesh))
    click.echo(answer_text(answer, "count" if count else form), nl=form != "csv" or count)
    if strict and answer:
        raise click.exceptions.Exit(FOUND_DIFFERENCES)


def answer_text(answer: Answer, form: str) -> str:
    """An answer in one of the forms, or just its count."""
    if form == "count":
        return str(answer.count)
    if form == "json":
        return answer.to_json()
    if form == "csv":
        return answer.to_csv()
    if not answer.rows or not answer.variables:
        return answer.to_text()
    head, *rows = answer.table_lines()
    return "\n".join([click.style(head, bold=True), *rows, answer.closing])
