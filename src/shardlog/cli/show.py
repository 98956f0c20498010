"""What the commands print for people."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from shardlog.api import Summary
    from shardlog.compare import Comparison, Verdict

__all__ = ["comparison", "notes", "progress", "summary"]

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
    # rich would take longer to load than a small graph to propagate
    click.echo(
        f"{module}: {counts.instructions} instructions in {counts.computations} computations\n"
        f"sharded: {counts.sharded_before} before, {counts.sharded_after} after"
        + (f" ({counts.replaced} of the given ones replaced)" if counts.replaced else "")
        + f"\nchanged: {'yes' if counts.changed else 'no'}, in {counts.iterations} iterations",
        err=to_stderr,
    )
    rounds = {key: count for key, count in counts.steps.items() if key[0] is not None}
    if rounds:
        _table("shardings set or refined", *_rounds(rounds), to_stderr=to_stderr)
    once = [f"{visit} {count}" for (tier, visit), count in counts.steps.items() if tier is None]
    if once:
        click.echo(f"outside the tiers: {', '.join(once)}", err=to_stderr)
    total = sum(seconds.values())
    phases = ", ".join(f"{phase} {time:.3f}" for phase, time in seconds.items())
    click.echo(f"seconds: {phases}; in all {total:.3f}", err=to_stderr)


def _rounds(
    steps: Mapping[tuple[int | None, str], int],
) -> tuple[Sequence[str], Sequence[tuple[str, Sequence[str]]]]:
    """Columns and rows for the accepted joins of the tiers, a row each, by visits."""
    visits = {visit for _, visit in steps}
    columns = [visit for visit in _VISITS if visit in visits] + sorted(visits.difference(_VISITS))
    rows = [
        (f"tier {tier}", [str(steps.get((tier, visit), "")) for visit in columns])
        for tier in dict.fromkeys(tier for tier, _ in steps)
    ]
    return columns, rows


def comparison(found: Comparison, names: tuple[str, str], limit: int | None) -> None:
    """Print the first differences and the totals by opcode of a comparison."""
    left, right = names
    disagreements = found.disagreements
    for difference in disagreements[:limit]:
        click.echo(f"{difference.computation}: {difference.instruction} = {difference.opcode}")
        click.echo(f"  {left}: {_side(difference.verdict, difference.left, 'left')}")
        click.echo(f"  {right}: {_side(difference.verdict, difference.right, 'right')}")
    if limit is not None and len(disagreements) > limit:
        click.echo(f"... and {len(disagreements) - limit} more")
    columns = ("equal", "same devices", "different", "only left", "only right")
    rows = [(opcode, _cells(row)) for opcode, row in found.by_opcode().items()]
    _table("opcode", columns, rows)
    click.echo(f"{found.agreeing} of {found.total} instructions agree")
    click.echo(f"(left: {left}; right: {right})")


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


def _table(
    first: str,
    columns: Sequence[str],
    rows: Sequence[tuple[str, Sequence[str]]],
    *,
    to_stderr: bool = False,
) -> None:
    """Print rows under bold heads, the first column to the left and the others to the right."""
    lines = [(first, columns), *rows]
    widths = [max(len(line[0]) for line in lines)]
    widths += [max(len(line[1][n]) for line in lines) for n in range(len(columns))]
    for number, (name, cells) in enumerate(lines):
        padded = [f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True)]
        text = "  ".join((f"{name:<{widths[0]}}", *padded)).rstrip()
        click.echo(click.style(text, bold=True) if number == 0 else text, err=to_stderr)


def progress(what: str, seconds: float = 5.0) -> Callable[[int, int], None]:
    """Return what tells on standard error, every few seconds, which of several runs begins."""
    last = time.monotonic()

    def tell(number: int, most: int) -> None:
        nonlocal last
        if time.monotonic() - last >= seconds:
            last = time.monotonic()
            click.echo(f"{what}: run {number} of at most {most}", err=True)

    return tell
