"""The bars that a run is held against: what was measured, at worst, and whether it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["BARS", "Bar", "Verdict", "verdicts"]

Rows = Mapping[str, Mapping[str, float]]
Worst = tuple[float, str]
"""A figure and the graph that it is of."""


@dataclass(frozen=True)
class Bar:
    """A bar: what it is about, the limit, what is aimed at, and how to find the worst figure."""

    what: str
    limit: float
    aim: float
    form: str
    worst: Callable[[Rows], Worst | None]


@dataclass(frozen=True)
class Verdict:
    """What was measured against a bar; nothing if no graph of the run is about it."""

    bar: Bar
    worst: Worst | None

    @property
    def cells(self) -> list[str]:
        """The bar as a line of a table: what, measured, graph, bar, aim, and whether it holds."""
        limit, aim = self.bar.form.format(self.bar.limit), self.bar.form.format(self.bar.aim)
        if self.worst is None:
            return [self.bar.what, "", "", limit, aim, "not measured"]
        figure, graph = self.worst
        holds = "reaches the aim" if figure <= self.bar.aim else "holds"
        said = holds if figure <= self.bar.limit else "MISSED"
        return [self.bar.what, self.bar.form.format(figure), graph, limit, aim, said]


def verdicts(rows: Rows) -> list[Verdict]:
    """Every bar with the worst figure of a run, `rows` being the ratios of its graphs."""
    return [Verdict(bar, bar.worst(rows)) for bar in BARS]


def _largest(
    name: str, least: int, below: float = float("inf"), explicit: bool | None = None
) -> Callable[[Rows], Worst | None]:
    """The largest figure of a kind among graphs of `least` instructions and more.

    `explicit` takes only those that spell out devices, or only the others.
    """

    def worst(rows: Rows) -> Worst | None:
        return _worst(
            (row[name], graph)
            for graph, row in rows.items()
            if name in row
            and least <= row["instructions"] < below
            and explicit in (None, graph.startswith("explicit"))
        )

    return worst


def _within(graphs: Sequence[str]) -> Callable[[Rows], Worst | None]:
    """How much more time an instruction takes in one of these graphs than in the first."""

    def worst(rows: Rows) -> Worst | None:
        times = [(rows[graph]["microseconds"], graph) for graph in graphs if graph in rows]
        if len(times) < 2:
            return None
        (first, _), *rest = times
        return _worst((time / first - 1, graph) for time, graph in rest)

    return worst


def _worst(found: Iterable[Worst]) -> Worst | None:
    return max(found, default=None)


BARS = (
    Bar("saturation / pass, from 10,000", 0.5, 0.15, "{:.2f}", _largest("saturation", 10_000)),
    Bar("f+p+s / pass, from 10,000", 0.8, 0.35, "{:.2f}", _largest("work", 10_000)),
    Bar("f+p+s / pass, 1,000 to 10,000", 1.5, 0.7, "{:.2f}", _largest("work", 1_000, 10_000)),
    Bar("whole command / process, wall", 1.0, 0.5, "{:.2f}", _largest("whole", 10_000)),
    Bar("warm, about 100, ms", 5.0, 2.0, "{:.1f}", _largest("warm", 0, 200)),
    Bar(
        "growth per instruction, corpus",
        0.25,
        0.10,
        "{:+.0%}",
        _within(("f04_gpt_train_unroll_l24_fsdp_none", "f04_llama_train_unroll_l80_512")),
    ),
    Bar(
        "growth per instruction",
        0.25,
        0.10,
        "{:+.0%}",
        _within(("transformer_19k", "transformer_74k", "transformer_500k")),
    ),
    Bar(
        "8 to 1,048,576 devices",
        0.10,
        0.0,
        "{:+.0%}",
        _within(("devices_8", "devices_512", "devices_65536", "devices_1048576")),
    ),
    Bar("provenance, from 1,000", 0.15, 0.05, "{:+.0%}", _largest("provenance", 1_000)),
    Bar(
        "peak kB / instruction, from 10,000",
        3.0,
        1.5,
        "{:.2f}",
        _largest("kilobytes", 10_000, explicit=False),
    ),
    Bar(
        "the same, 4,096 devices spelled out",
        3.0,
        1.5,
        "{:.2f}",
        _largest("kilobytes", 10_000, explicit=True),
    ),
)
"""The project's bars; where a bar names a pass or process, XLA's."""
