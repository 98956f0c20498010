"""`shardlog rules`: questions about the rules themselves."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shardlog.cli.app import BAD_INPUT, FOUND_DIFFERENCES
from shardlog.cli.options import RunOptions, run_options

if TYPE_CHECKING:
    from shardlog.rule_counts import RuleCounts

__all__ = ["command"]

_rules_option = click.option(
    "--rules",
    "files",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Rules and facts that join the shipped ones. May be given several times.",
)
_partitioner_option = click.option(
    "--partitioner",
    type=click.Choice(["gspmd", "shardy"]),
    default="gspmd",
    show_default=True,
    help="Whose rules.",
)
_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_jobs_option = click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    default=os.cpu_count() or 1,
    help="How many processes work. Default: one for each core.",
)
_modules_argument = click.argument(
    "modules", nargs=-1, required=True, type=click.Path(path_type=Path)
)


@click.group(
    "rules",
    epilog="""\b
Examples:
  shardlog rules list                             every rule: head, tiers, opcodes, what it says
  shardlog rules show 'broadcast forward' --python
  shardlog rules check mine.dl
  shardlog rules test cases/ --rules mine.dl
  shardlog rules coverage dumps/ --never
  shardlog rules graph --to pull --format dot | dot -Tsvg > pull.svg
""",
)
def command() -> None:
    """List, show, check, test and count rules.

    A rule file joins the shipped rules with --rules; docs/rules.md tells how to write one.
    """


@command.command(
    "list",
    epilog="""\b
Examples:
  shardlog rules list
  shardlog rules list --rules mine.dl --from mine.dl
  shardlog rules list --opcode reshape            what reshape learns, and what it passes on
  shardlog rules list --partitioner shardy --all
  shardlog rules list --json | jq '.[] | select(.tiers == [3]) | .name'
""",
)
@click.option("--opcode", help="Only rules that have a part in proposals about this opcode.")
@click.option("--from", "origin", metavar="TEXT", help="Only rules of origins that contain TEXT.")
@click.option("--all", "everything", is_flag=True, help="Also rules that only hold or not.")
@_json_option
@_partitioner_option
@_rules_option
def list_rules(
    opcode: str | None,
    origin: str | None,
    everything: bool,
    as_json: bool,
    partitioner: str,
    files: tuple[Path, ...],
) -> None:
    """List the rules that propose shardings, or are asked by one that does.

    Each with its file and line, the relation at its head, the tiers at which it can have a part,
    and what it says in proofs. Rules that define a relation for others are left out, but for --all.
    """
    from shardlog.cli import show_rules
    from shardlog.rule_index import RuleIndex

    if opcode is not None:
        _known_opcode(opcode, partitioner)
    entries = RuleIndex(files, partitioner).entries
    if not everything:
        entries = [entry for entry in entries if entry.rule.says and entry.proposes]
    if opcode is not None:
        entries = [entry for entry in entries if opcode in entry.opcodes]
    if origin is not None:
        entries = [e for e in entries if origin in e.origin or origin in e.rule.span.file]
    if as_json:
        click.echo(json.dumps([entry.to_dict() for entry in entries], indent=1))
    else:
        show_rules.listing(entries)


@command.command(
    "show",
    epilog="""\b
Examples:
  shardlog rules show reshape
  shardlog rules show 'transposed operand' --python
  shardlog rules show dot --python --opcode convolution
  shardlog rules show rms_norm --rules examples/flash_attention.dl
""",
)
@click.argument("name")
@click.option("--python", is_flag=True, help="Also the Python that it is compiled to.")
@click.option("--opcode", help="For which opcode --python is. Default: its first one.")
@_json_option
@_partitioner_option
@_rules_option
def show_rule(
    name: str,
    python: bool,
    opcode: str | None,
    as_json: bool,
    partitioner: str,
    files: tuple[Path, ...],
) -> None:
    """Show the rules called NAME: source, what they say, opcodes, tiers, channel, join and guard.

    A name may be that of several rules; a rule without one is called like the relation at its head.
    """
    from shardlog.cli import show_rules
    from shardlog.rule_index import RuleIndex

    if python or opcode:
        _known_opcode(opcode, partitioner)
    index = RuleIndex(files, partitioner)
    found = index.find(name)
    compiled = [index.compiled(entry, opcode) if python or opcode else None for entry in found]
    if as_json:
        rows = []
        for entry, code in zip(found, compiled, strict=True):
            row = {**entry.to_dict(), "source": index.source(entry.rule)}
            if code is not None:
                row["python"] = {"opcode": code[0], "text": code[1]}
            rows.append(row)
        click.echo(json.dumps(rows, indent=1))
        return
    for number, (entry, code) in enumerate(zip(found, compiled, strict=True)):
        if number:
            click.echo("")
        channel = index.program.declared.channels.get(entry.rule.relation)
        show_rules.rule(entry, index.source(entry.rule), channel, code)


@command.command(
    "check",
    epilog="""\b
Examples:
  shardlog rules check mine.dl
  shardlog rules check mine.dl --rules base.dl    mine.dl builds on base.dl
  shardlog rules check mine.dl --partitioner shardy
""",
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILES")
@click.option(
    "--rules",
    "base",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Rule files that come before those that are checked.",
)
@click.option("--strict", is_flag=True, help="Take warnings for errors.")
@_partitioner_option
def check(files: tuple[Path, ...], base: tuple[Path, ...], strict: bool, partitioner: str) -> None:
    """Check rule FILES as they would run behind the shipped rules, without running anything.

    Tells every error with its place and a hint, and leaves with 2 if there is any. Warnings: a rule
    that can never apply, one that repeats another, one that proposes without saying why.
    """
    from shardlog.rule_checks import facts_in, warnings_of

    index, problems = warnings_of(files, base, partitioner)
    for problem in problems:
        click.echo(f"warning: {problem}", err=True)
    own = [entry for entry in index.entries if entry.rule.span.file in {str(f) for f in files}]
    counts = (
        (len(own), "rule"),
        (facts_in(files, index.program), "fact"),
        (len(problems), "warning"),
    )
    click.echo(", ".join(f"{count} {what}{'s' * (count != 1)}" for count, what in counts))
    if strict and problems:
        raise click.exceptions.Exit(BAD_INPUT)


@command.command(
    "test",
    epilog="""\b
Examples:
  shardlog rules test cases/
  shardlog rules test cases/ --rules mine.dl
  shardlog rules test case.hlo --rules mine.dl --write     write down what comes out now

\b
A case is an HLO module in a file *.hlo, with comments before and behind it:
  // What the case shows.
  // options: is_spmd=false
  // fires: carried, user
  // rules: + custom_call_dims('swap', 'a b -> b a')
  HloModule ...
  // after
  // main/dot.1 {devices=[2,1]<=[2]}
  // main/add.2 none

\b
options are those of the pass, fires names rules that must have set or refined a sharding, rules are
statements of the case's own, one a line. Behind the line "// after" stand instructions after the
pass with their shardings; those that are not named may have any.
""",
)
@click.argument("cases", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="CASES")
@click.option("--write", is_flag=True, help="Write the shardings that come out into the cases.")
@_rules_option
def test_cases(cases: tuple[Path, ...], write: bool, files: tuple[Path, ...]) -> None:
    """Run rule CASES, files and folders: modules with the shardings and rules that they must show.

    Prints what differs in each case, and leaves with 1 if anything does.
    """
    from shardlog.rule_cases import differences, find_cases, write_answer

    found = find_cases(cases)
    if not found:
        raise click.UsageError("no cases in the given folders (*.hlo)")
    wrong = 0
    for case in found:
        if write:
            write_answer(case, files)
            continue
        lines = differences(case, files)
        wrong += bool(lines)
        for line in lines:
            click.echo(f"{case.path}: {line}")
    if write:
        click.echo(f"{len(found)} cases written")
    else:
        click.echo(f"{len(found) - wrong} of {len(found)} cases as they should be")
    if wrong:
        raise click.exceptions.Exit(FOUND_DIFFERENCES)


@command.command(
    "coverage",
    epilog="""\b
Examples:
  shardlog rules coverage module.txt
  shardlog rules coverage dumps/ tests/cases/ --never      only rules that never fired
  shardlog rules coverage dumps/ --rules mine.dl --from mine.dl
  shardlog rules coverage dumps/ --json | jq '.rules[] | select(.accepted > 0) | .name'

\b
tried: how often a visit asked the rule. matched: how often it then had a proposal. accepted: how
often that changed a sharding. refused: how often the join did not take it, though it was another
sharding than the present one. held: in how many different ways the body of a rule was found to
hold that does not propose itself. modules: in how many it fired, that is, was accepted or held.
""",
)
@_modules_argument
@click.option("--never", is_flag=True, help="Only rules that never fired; exit code 1 if any.")
@click.option("--from", "origin", metavar="TEXT", help="Only rules of files that contain TEXT.")
@_json_option
@_jobs_option
@run_options
def coverage(
    modules: tuple[Path, ...],
    never: bool,
    origin: str | None,
    as_json: bool,
    jobs: int,
    run: RunOptions,
) -> None:
    """Count what each rule does over MODULES, files and folders (*.txt, *.hlo, *.pb, or gzipped).

    A counted run gives the same shardings as any other, and takes several times as long. A rule
    case (*.hlo, see `shardlog rules test`) brings its own options.
    """
    from shardlog.cli import show_rules

    found = _counted(modules, jobs, run)
    rows = [row for row in found.rows if origin is None or origin in row.rule.span.file]
    silent = [row for row in rows if not row.count.fired]
    if never:
        rows = silent
    found.rows = rows
    if as_json:
        click.echo(json.dumps(found.to_dict(), indent=1))
    else:
        show_rules.coverage(found, None if never else silent)
    _leave(found.failures, never and bool(silent))


@command.command(
    "profile",
    epilog="""\b
Examples:
  shardlog rules profile module.txt
  shardlog rules profile dumps/ --limit 50 --rules mine.dl

\b
The seconds of a rule are those of asking it and of joining what it proposed, in a counted run; what
a rule asks others is part of its time and of theirs. Planning, which settles all rules at once, is
told as a whole.
""",
)
@_modules_argument
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True)
@_json_option
@_jobs_option
@run_options
def profile(
    modules: tuple[Path, ...], limit: int, as_json: bool, jobs: int, run: RunOptions
) -> None:
    """Tell which rules the time of MODULES goes to.

    Per rule how often it was tried, matched and accepted, and the seconds; the dearest first.
    """
    from shardlog.cli import show_rules

    found = _counted(modules, jobs, run)
    found.rows.sort(key=lambda row: -row.count.seconds)
    if as_json:
        click.echo(json.dumps(found.to_dict(), indent=1))
    else:
        show_rules.profile(found, limit)
    _leave(found.failures, False)


@command.command(
    "graph",
    epilog="""\b
Examples:
  shardlog rules graph                                     strata, and edges through negation
  shardlog rules graph --to pull --format svg > pull.svg
  shardlog rules graph --of elementwise --format json
""",
)
@click.option("--to", multiple=True, metavar="RELATION", help="Only this and what it reads.")
@click.option("--of", multiple=True, metavar="RELATION", help="Only this and what reads it.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "dot", "svg", "json"]),
    default="text",
    show_default=True,
    help="svg is drawn by Graphviz's dot, which must be installed.",
)
@_partitioner_option
@_rules_option
def graph(
    to: tuple[str, ...],
    of: tuple[str, ...],
    form: str,
    partitioner: str,
    files: tuple[Path, ...],
) -> None:
    """Show which relation reads which: the strata, lowest first, and edges through negation.

    In DOT an arrow goes from what is read to what reads it; channels are blue, lattices yellow,
    what the module gives grey, and a dashed red arrow is a negation or an aggregate.
    """
    from shardlog.cli import show_rules
    from shardlog.rule_graph import rule_graph

    drawn = rule_graph(files, to=to, of=of, partitioner=partitioner)
    if form == "dot":
        click.echo(drawn.to_dot())
    elif form == "svg":
        click.echo(_picture(drawn.to_dot()))
    elif form == "json":
        click.echo(json.dumps(drawn.to_dict(), indent=1))
    else:
        show_rules.graph(drawn)


def _known_opcode(opcode: str | None, partitioner: str) -> None:
    """Refuse what is no opcode, and opcodes of Shardy's rules. Raises click.UsageError."""
    from difflib import get_close_matches

    from shardlog.ir.opcodes import OPCODES

    if partitioner == "shardy":
        raise click.UsageError(
            "--opcode and --python are about GSPMD's rules: those of Shardy are for ops by way of "
            "their op sharding rules"
        )
    if opcode is not None and opcode not in OPCODES:
        alike = get_close_matches(opcode, sorted(OPCODES), 3)
        hint = f"; there is {', '.join(alike)}" if alike else ""
        raise click.UsageError(f"{opcode!r} is no opcode of HLO{hint}")


def _picture(dot: str) -> str:
    """An SVG of a graph in DOT. Raises click.ClickException without Graphviz."""
    import shutil
    import subprocess

    program = shutil.which("dot")
    if program is None:
        raise click.ClickException("Graphviz's dot is not installed: --format dot gives its input")
    done = subprocess.run(
        [program, "-Tsvg"], input=dot, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise click.ClickException(f"dot failed: {done.stderr.strip()}")
    return done.stdout


def _counted(modules: Sequence[Path], jobs: int, run: RunOptions) -> RuleCounts:
    from shardlog.batch import find_modules
    from shardlog.converters.facts import PassOptions
    from shardlog.rule_counts import count_rules

    files = [file for file, _ in find_modules(modules)]
    if not files:
        raise click.UsageError("no modules in the given folders (*.txt, *.hlo, *.pb, or gzipped)")
    options = PassOptions(
        is_spmd=run.is_spmd,
        propagate_metadata=run.propagate_metadata,
        cse_prevention_only=run.cse_prevention_only,
        parameter_mask=run.params,
        output_mask=run.output,
        execution_threads=run.execution_threads,
    )
    return count_rules(files, rules=run.rules, options=options, jobs=jobs)


def _leave(failures: Sequence[tuple[Path, str]], found: bool) -> None:
    """Tell of modules that failed, and leave with 1 if there is anything to report."""
    for path, message in failures:
        place = "" if message.startswith(str(path)) else f"{path}: "
        click.echo(f"{place}{message}", err=True)
    if failures or found:
        raise click.exceptions.Exit(FOUND_DIFFERENCES)
