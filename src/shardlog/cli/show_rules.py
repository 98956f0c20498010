"""What `shardlog rules` prints for people."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from shardlog.engine.declarations import Channel
    from shardlog.rule_counts import RuleCounts, RuleRow
    from shardlog.rule_graph import RuleGraph
    from shardlog.rule_index import RuleEntry

__all__ = ["coverage", "graph", "listing", "profile", "rule"]

_SHOWN_OPCODES = 12
_SHOWN_SILENT = 20


def listing(entries: Sequence[RuleEntry]) -> None:
    """Print rules, two lines each, under the files that they come from."""
    file = ""
    for entry in entries:
        one = entry.rule
        if one.span.file != file:
            click.echo(f"{chr(10) * bool(file)}{_place(entry)}")
            file = one.span.file
        facts = [f"line {one.span.line}", one.relation]
        if entry.tiers:
            facts.append(f"tiers {_ranges(entry.tiers)}")
        if entry.spmd is not None:
            facts.append("SPMD only" if entry.spmd else "without SPMD")
        click.echo(f"  {one.name}  ({', '.join(facts)})")
        if one.says:
            click.echo(f"      {one.says}")
    click.echo(f"\n{len(entries)} rule{'s' * (len(entries) != 1)}")


def rule(
    entry: RuleEntry, source: str, channel: Channel | None, code: tuple[str, str] | None
) -> None:
    """Print all that is known of one rule."""
    one = entry.rule
    click.echo(f"{_place(entry)}:{one.span.line}\n")
    click.echo("\n".join(f"    {line}" for line in source.splitlines()))
    click.echo("")
    if channel is not None:
        guard = "no guard" if channel.guard == "anything" else f"guard {channel.guard}"
        click.echo(f"proposes in visit {channel.visit}, join {channel.join}, {guard}")
    elif entry.proposes:
        click.echo(f"asked by rules of {', '.join(entry.proposes)}")
    else:
        click.echo("proposes nothing: it defines a relation for other rules")
    if entry.opcodes:
        shown = ", ".join(entry.opcodes[:_SHOWN_OPCODES])
        more = len(entry.opcodes) - _SHOWN_OPCODES
        every = f"{len(entry.opcodes)} opcodes, nearly all" if entry.is_for_all else ""
        click.echo(f"opcodes: {every or shown + (f' and {more} more' if more > 0 else '')}")
    if entry.tiers:
        click.echo(f"tiers: {_ranges(entry.tiers)}")
    if entry.spmd is not None:
        click.echo("only with SPMD partitioning" if entry.spmd else "only without SPMD (--no-spmd)")
    if code is not None:
        opcode, text = code
        click.echo(f"\ncompiled for {opcode}:\n")
        click.echo(text.rstrip() or "    nothing: it cannot hold there")


def coverage(found: RuleCounts, silent: Sequence[RuleRow] | None) -> None:
    """Print a row for each rule, and how many fired; `silent` are those that did not."""
    head = ("rule", "line", "tried", "matched", "accepted", "refused", "held", "modules")
    rows: list[tuple[str, ...]] = []
    file = ""
    for row in found.rows:
        span, count = row.rule.span, row.count
        if span.file != file:
            rows.append((Path(span.file).name,))
            file = span.file
        numbers = (count.tried, count.matched, count.accepted, count.refused, count.held)
        cells = [str(number) if number else "" for number in (*numbers, row.modules)]
        rows.append((f"  {row.rule.name}", str(span.line), *cells))
    if rows:
        _table(head, rows)
    over = f"over {found.modules} module{'s' * (found.modules != 1)}"
    if silent is None:
        click.echo(f"{len(found.rows)} rules never fired {over}")
        return
    click.echo(f"{len(found.rows) - len(silent)} of {len(found.rows)} rules fired {over}")
    if len(silent) > _SHOWN_SILENT:
        click.echo("--never lists those that did not")
    elif silent:
        click.echo(f"never: {', '.join(f'{row.rule.name} ({_short(row)})' for row in silent)}")


def profile(found: RuleCounts, limit: int) -> None:
    """Print the rules that took most time."""
    rows = []
    for row in found.rows[:limit]:
        count = row.count
        if count.tried:
            numbers = map(str, (count.tried, count.matched, count.accepted))
            rows.append((row.rule.name, _short(row), f"{count.seconds:.3f}", *numbers))
    _table(("rule", "where", "seconds", "tried", "matched", "accepted"), rows)
    modules = f"{found.modules} module{'s' * (found.modules != 1)}"
    click.echo(
        f"seconds over {modules}: {found.seconds:.3f}, of which planning {found.planning:.3f}"
    )


def graph(drawn: RuleGraph) -> None:
    """Print the strata, lowest first, each relation with what it reads."""
    for number, stratum in enumerate(drawn.strata, 1):
        click.echo(f"stratum {number}: {', '.join(sorted(stratum))}")
    negative = [(one, other) for one, other, by in drawn.edges if by]
    click.echo(f"\n{len(negative)} edges through negation or an aggregate")
    for one, other in negative:
        click.echo(f"  {one} <- {other}")


def _short(row: RuleRow) -> str:
    return f"{Path(row.rule.span.file).name}:{row.rule.span.line}"


def _place(entry: RuleEntry) -> str:
    file = entry.rule.span.file
    return file if entry.origin == file else f"{entry.origin}/{Path(file).name}"


def _ranges(tiers: Sequence[int]) -> str:
    """Tiers as text: 0-3, or 1, 3."""
    if len(tiers) > 1 and tiers[-1] - tiers[0] == len(tiers) - 1:
        return f"{tiers[0]}-{tiers[-1]}"
    return ", ".join(map(str, tiers))


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print columns, numbers to the right; a row of one cell is a heading."""
    widths = [max(len(r[n]) for r in (head, *rows) if len(r) > max(n, 1)) for n in range(len(head))]
    for row in (head, *rows):
        if len(row) == 1:
            click.echo(row[0])
            continue
        cells = [c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True)]
        click.echo("  ".join([row[0].ljust(widths[0]), *cells]).rstrip())
