"""`shardlog whatif`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

import shardlog
from shardlog.cli import show
from shardlog.cli.app import keep
from shardlog.cli.options import RunOptions, mask, mesh_known, module_argument, read, run_options
from shardlog.cli.partitioner import Chosen, partitioner_option

__all__ = ["command"]


@click.command(
    "whatif",
    epilog="""\b
Examples:
  shardlog whatif module.txt --annotate 'dot.5={devices=[4,1]<=[4]}'
  shardlog whatif module.txt --annotate "dot.5=P('x', None)" --mesh x=4,y=2
  shardlog whatif module.txt --drop sharding_constraint.3
  shardlog whatif module.txt --drop a.1 --annotate 'b.1={replicated}'
  shardlog whatif module.txt --mask-output true
  shardlog whatif module.txt --add-rules kernels.dl
  shardlog whatif module.txt --disable 'best operand' --json
""",
)
@module_argument
@click.option(
    "--annotate",
    multiple=True,
    metavar="NAME=SHARDING",
    help="Annotate an instruction, or 'NAME{2}', an element of a tuple. May be repeated.",
)
@click.option(
    "--drop", multiple=True, metavar="NAME", help="Drop an annotation, or a `Sharding` call."
)
@click.option(
    "--mask-parameters",
    type=mask,
    metavar="true,false,...",
    help="Another mask for parameters: whether each may take a sharding.",
)
@click.option(
    "--mask-output",
    type=mask,
    metavar="true,false,...",
    help="Another mask for the leaves of the result.",
)
@click.option(
    "--add-rules",
    multiple=True,
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Rules and facts that are added.",
)
@click.option("--disable", multiple=True, metavar="RULE", help="A rule that is left out.")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="How many groups to show at most; --json has all.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the differences as JSON.")
@partitioner_option
@run_options
def command(
    module: str,
    annotate: Sequence[str],
    drop: Sequence[str],
    mask_parameters: tuple[bool, ...] | None,
    mask_output: tuple[bool, ...] | None,
    add_rules: Sequence[Path],
    disable: Sequence[str],
    limit: int,
    as_json: bool,
    partitioner: Chosen,
    run: RunOptions,
) -> None:
    """Say what would be different in MODULE with other annotations, masks or rules.

    Both are propagated. Instructions that change alike are one group, those that move most bytes
    come first; bytes are those that a device holds of the value. Reshards that are gone or new
    are listed below.
    """
    if partitioner.is_shardy(module):
        from shardlog.cli import with_shardy

        if mask_parameters is not None or mask_output is not None:
            raise click.UsageError("masks are GSPMD's; Shardy's annotations say what is open")
        with_shardy.whatif(module, run, annotate, drop, add_rules, disable, limit, as_json)
        return
    from shardlog.explain.whatif import Changes, what_if
    from shardlog.shown import read_on

    texts = {}
    for text in annotate:
        name, equal, sharding = text.partition("=")
        if not equal:
            raise click.BadParameter(f"{text!r} is not NAME=SHARDING", param_hint="--annotate")
        texts[name.strip()] = sharding.strip()
    others = (tuple(drop), mask_parameters, mask_output, tuple(add_rules), tuple(disable))
    if not texts and not Changes({}, *others):
        raise click.UsageError("nothing is to be different: give --annotate, --drop or another")
    before = read(module)
    # a spec may leave out dimensions at the end
    ranks = {x.name: x.shape.rank for x in before.instructions if x.name in texts}
    pairs = {name: read_on(mesh_known(), text, ranks.get(name)) for name, text in texts.items()}
    changes = Changes(pairs, *others)
    notes = shardlog.partitioner_notes(before)
    answer = what_if(before, changes, run.arguments())
    keep(answer)
    show.notes(module, before.warnings, notes)
    click.echo(json.dumps(answer.to_dict(), indent=1) if as_json else answer.to_text(limit))
