"""What the figures say: ratios to XLA's pass, growth, and changes since an earlier run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks.bars import verdicts

__all__ = ["aligned", "bars", "changes", "figures", "ratios", "table"]

Measured = Mapping[str, Any]

WORK = ("facts", "planning", "saturation")
"""The phases between a parsed module and its shardings."""

LEAST = 5_000
"""Instructions from which on memory is told: with fewer, the code of the rules outweighs them."""

COLUMNS = {
    "instructions": ("instr.", "{:,.0f}"),
    "xla_pass": ("XLA ms", "{:,.1f}"),
    "read": ("read", "{:.2f}"),
    "facts": ("facts", "{:.2f}"),
    "planning": ("plan", "{:.2f}"),
    "saturation": ("satur.", "{:.2f}"),
    "work": ("f+p+s", "{:.2f}"),
    "whole": ("whole", "{:.2f}"),
    "whole_cpu": ("CPU", "{:.2f}"),
    "provenance": ("why", "{:+.0%}"),
    "warm": ("warm ms", "{:,.1f}"),
    "write": ("write ms", "{:,.1f}"),
    "first": ("1st ms", "{:,.1f}"),
    "microseconds": ("us/i.", "{:.1f}"),
    "kilobytes": ("kB/i.", "{:.2f}"),
}
LEGEND = f"""\
read, facts, plan, satur., f+p+s: shardlog's phases in a warm process without provenance, divided
by XLA's C++ pass (XLA ms); f+p+s is all between a parsed module and its shardings. whole, CPU: wall
and CPU time of the command `propagate`, divided by those of a fresh process that imports jaxlib's
HLO bindings, parses, runs the pass and prints. why: what provenance adds to saturation. warm:
reading to shardings in a warm process, 1st: in a fresh one, code generation included. us/i.: f+p+s
per instruction. kB/i.: peak memory per instruction above start-up, from {LEAST:,} instructions
on."""


def ratios(measured: Measured, start: Measured) -> dict[str, float]:
    """The figures of one graph that the table shows; those about XLA only if it was timed."""
    count = measured["instructions"]
    ours, whole = measured["ours"], measured["whole"]
    off, on = ours["off"], ours["on"]
    work = sum(off[name] for name in WORK)
    found = {
        "instructions": count,
        "provenance": on["saturation"] / off["saturation"] - 1,
        "warm": 1e3 * (off["read"] + work + off["result"]),
        "write": 1e3 * off["write"],
        "first": 1e3 * sum(ours["first"][name] for name in ("read", "rules", *WORK, "result")),
        "microseconds": 1e6 * work / count,
    }
    if count >= LEAST:
        above = whole["ours"]["memory"] - start["command"]["memory"]
        found["kilobytes"] = above / count / 1e3
    xla = measured.get("xla")
    if xla is not None:
        found["xla_pass"] = 1e3 * xla["pass"]
        found |= {name: off[name] / xla["pass"] for name in ("read", *WORK)}
        found["work"] = work / xla["pass"]
        found["whole"] = whole["ours"]["wall"] / whole["xla"]["wall"]
        found["whole_cpu"] = whole["ours"]["cpu"] / whole["xla"]["cpu"]
    return found


def table(rows: Mapping[str, Mapping[str, float]]) -> str:
    """The ratios of all graphs as a table."""
    columns = [name for name in COLUMNS if any(name in row for row in rows.values())]
    lines = [["graph", *(COLUMNS[name][0] for name in columns)]]
    for graph, row in rows.items():
        lines.append(
            [
                graph,
                *(COLUMNS[name][1].format(row[name]) if name in row else "" for name in columns),
            ]
        )
    return f"{aligned(lines)}\n\n{LEGEND}"


def bars(rows: Mapping[str, Mapping[str, float]]) -> str:
    """Which bars hold, by the worst graph of each, as a table."""
    head = ["bar", "measured", "worst in", "at least", "aim", "verdict"]
    return aligned([head, *(verdict.cells for verdict in verdicts(rows))])


def figures(rows: Mapping[str, Mapping[str, float]], start: Measured) -> list[str]:
    """Sentences about growth, devices and start-up."""
    found = [
        f"start-up: `shardlog --help` {start['help']['wall']:.3f} s wall, "
        f"{start['help']['cpu']:.3f} s CPU; `propagate` on the smallest module "
        f"{start['command']['wall']:.3f} s wall, {start['command']['cpu']:.3f} s CPU, "
        f"{start['command']['memory'] / 1e6:.0f} MB"
    ]
    for what, names in (
        ("growth, time per instruction", [n for n in rows if n.startswith("transformer_")]),
        ("devices, time", [n for n in rows if n.startswith("devices_")]),
    ):
        times = {name: rows[name]["microseconds"] for name in names}
        if what.startswith("growth"):
            times = {n: t for n, t in times.items() if rows[n]["instructions"] >= 15_000}
        if len(times) > 1:
            first = next(iter(times.values()))
            shown = ", ".join(
                f"{name.partition('_')[2]} {t / first:.2f}" for name, t in times.items()
            )
            found.append(f"{what}: {shown}")
    return found


def changes(now: Mapping[str, Measured], then: Mapping[str, Measured], same_machine: bool) -> str:
    """How each graph's figures relate to those of an earlier run, 1.00 being no change."""
    names = ("read", "facts", "planning", "saturation", "result", "write")
    lines = [["graph", *names, "whole CPU", "memory"]]
    for graph, measured in now.items():
        if graph not in then:
            continue
        earlier = then[graph]
        scale = 1.0
        if not same_machine and "xla" in measured and "xla" in earlier:
            # another machine: as if XLA's pass had taken as long there as here
            scale = measured["xla"]["pass"] / earlier["xla"]["pass"]
        old, new = earlier["ours"]["off"], measured["ours"]["off"]
        cells = [_change(new[name], old[name] * scale) for name in names]
        before, after = earlier["whole"]["ours"], measured["whole"]["ours"]
        cells.append(_change(after["cpu"], before["cpu"] * scale))
        cells.append(_change(after["memory"], before["memory"]))
        lines.append([graph, *cells])
    return aligned(lines)


def _change(new: float, old: float) -> str:
    return f"{new / old:.2f}" if old else ""


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Lines of cells as a table."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(_padded(line, widths) for line in lines)


def _padded(line: Sequence[str], widths: Iterable[int]) -> str:
    cells = [f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True)]
    cells[0] = f"{line[0]:<{len(cells[0])}}"
    return "  ".join(cells).rstrip()
