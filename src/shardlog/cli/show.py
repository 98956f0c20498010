"""What the commands print for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from shardlog.api import Summary
    from shardlog.compare import Comparison, Verdict

__all__ = ["comparison", "notes", "summary"]

_VISITS = ("forward", "backward", "group", "change")


def notes(module: str, warnings: Iterable[str], remarks: Iterable[str]) -> None:
    """Print what the reader warned of and what the module was made for, on stderr."""
    for warning in warnings:
        click.echo(f"warning: {module}: {warning}", err=True)
    for remark in remarks:
        click.echo(f"note: {module}: {remark}", err=True)


def summary(
    module: str, counts: Summary, seconds: Mapping[str, float], *, to_stderr: bool = False
) -> None:
    """Print how many instructions were sharded, by which visits, and the time of each phase."""
    console = _console(to_stderr)
    console.print(
        Text(
            f"{module}: {counts.instructions} instructions in {counts.computations} computations\n"
            f"sharded: {counts.sharded_before} before, {counts.sharded_after} after"
            + (f" ({counts.replaced} of the given ones replaced)" if counts.replaced else "")
            + f"\nchanged: {'yes' if counts.changed else 'no'}, in {counts.iterations} iterations"
        )
    )
    rounds = {key: count for key, count in counts.steps.items() if key[0] is not None}
    if rounds:
        console.print(_rounds(rounds))
    once = [f"{visit} {count}" for (tier, visit), count in counts.steps.items() if tier is None]
    if once:
        console.print(Text(f"outside the tiers: {', '.join(once)}"))
    total = sum(seconds.values())
    phases = ", ".join(f"{phase} {time:.3f}" for phase, time in seconds.items())
    console.print(Text(f"seconds: {phases}; in all {total:.3f}"))


def _rounds(steps: Mapping[tuple[int | None, str], int]) -> Table:
    """The accepted joins of the tiers, a row each, by visits."""
    visits = {visit for _, visit in steps}
    columns = [visit for visit in _VISITS if visit in visits] + sorted(visits.difference(_VISITS))
    table = _table("shardings set or refined", *columns)
    for tier in dict.fromkeys(tier for tier, _ in steps):
        table.add_row(f"tier {tier}", *(str(steps.get((tier, visit), "")) for visit in columns))
    return table


def comparison(found: Comparison, names: tuple[str, str], limit: int | None) -> None:
    """Print the first differences and the totals by opcode of a comparison."""
    console = _console(False)
    left, right = names
    disagreements = found.disagreements
    for difference in disagreements[:limit]:
        console.print(
            Text(f"{difference.computation}: {difference.instruction} = {difference.opcode}")
        )
        console.print(Text(f"  {left}: {_side(difference.verdict, difference.left, 'left')}"))
        console.print(Text(f"  {right}: {_side(difference.verdict, difference.right, 'right')}"))
    if limit is not None and len(disagreements) > limit:
        console.print(Text(f"... and {len(disagreements) - limit} more"))
    table = _table("opcode", "equal", "same devices", "different", "only left", "only right")
    for opcode, row in found.by_opcode().items():
        table.add_row(opcode, *_cells(row))
    console.print(table)
    console.print(Text(f"{found.agreeing} of {found.total} instructions agree"))
    console.print(Text(f"(left: {left}; right: {right})"))


def _side(verdict: Verdict, sharding: object, side: str) -> str:
    if verdict == f"not in {side}":
        return "no such instruction"
    return "no sharding" if sharding is None else str(sharding)


def _cells(row: Mapping[Verdict, int]) -> list[str]:
    from shardlog.compare import Verdict

    columns = [
        (Verdict.EQUAL,),
        (Verdict.SAME_DEVICES,),
        (Verdict.DIFFERENT,),
        (Verdict.ONLY_LEFT, Verdict.NO_RIGHT),
        (Verdict.ONLY_RIGHT, Verdict.NO_LEFT),
    ]
    counts = [sum(row.get(verdict, 0) for verdict in column) for column in columns]
    return [str(count) if count else "" for count in counts]


def _console(to_stderr: bool) -> Console:
    return Console(stderr=to_stderr, highlight=False, soft_wrap=True)


def _table(first: str, *columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(first)
    for column in columns:
        table.add_column(column, justify="right")
    return table
