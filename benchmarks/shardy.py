"""Times propagation by Shardy's rules beside Shardy's own passes, by turns in fresh processes."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from benchmarks.measure import QUIET, Settings
from benchmarks.processes import Failed, run
from benchmarks.report import aligned
from benchmarks.shardy_models import OPERATIONS, feed_forward

__all__ = ["ShardyProgram", "compare", "programs", "ratios", "table"]

HERE = Path(__file__).resolve().parent
ENDING = ".sdy.mlir"
FOLDERS = ("pairs", "shardy_dumps")
LAYERS = {"1k": 60, "10k": 600, "30k": 1800}
WORK = ("edits", "facts", "saturation")
"""The phases between the dumps `before_propagation` and `after_propagation`."""

COLUMNS = {
    "values": ("values", "{:,.0f}"),
    "shardy": ("Shardy ms", "{:,.1f}"),
    "edits": ("edits", "{:.2f}"),
    "facts": ("facts", "{:.2f}"),
    "saturation": ("satur.", "{:.2f}"),
    "work": ("e+f+s", "{:.2f}"),
    "prepared": ("with prep.", "{:.2f}"),
    "first": ("1st", "{:.2f}"),
    "microseconds": ("us/value", "{:.1f}"),
    "theirs": ("Shardy's", "{:.1f}"),
}
LEGEND = """\
edits, facts, satur., e+f+s: shardlog's phases in a warm process, divided by what Shardy's passes in
C++ take from the dump before_propagation to after_propagation (Shardy ms); edits are those before
and behind propagation, satur. has planning in it. with prep.: the same with what comes before that
dump, on both sides. 1st: e+f+s of the first run of a process. us/value: e+f+s per value, and what
the passes take."""


@dataclass(frozen=True)
class ShardyProgram:
    """A program to time: its name, about how many values it has, and how to write it."""

    name: str
    values: int
    write: Callable[[TextIO], None]


def programs(corpus: Path | None) -> list[ShardyProgram]:
    """All programs: those of a corpus, if there is one, and made-up ones."""
    found = []
    for folder in FOLDERS:
        for path in sorted((corpus / folder).glob(f"*{ENDING}")) if corpus else ():
            text = path.read_text()
            count = len(re.findall(r"^ *%", text, re.MULTILINE))
            name = path.name.removesuffix(ENDING)
            found.append(ShardyProgram(name, count, _generic(path)))
    for size, layers in LAYERS.items():
        count = OPERATIONS * layers
        found.append(ShardyProgram(f"feed_forward_{size}", count, _made_up(layers)))
    return found


def _made_up(layers: int) -> Callable[[TextIO], None]:
    return lambda out: feed_forward(out, layers)


def _generic(path: Path) -> Callable[[TextIO], None]:
    def write(out: TextIO) -> None:
        from shardlog.converters.mlir import write_program
        from shardlog.shardy import read_shardy

        out.write(write_program(read_shardy(path.read_bytes(), str(path))))

    return write


def compare(program: ShardyProgram, file: Path, settings: Settings) -> dict[str, Any]:
    """All figures of one program, which goes to `file`; seconds. Raises Failed."""
    with file.open("w") as out:
        program.write(out)
    runs = 3 * settings.runs(program.values)
    ours, theirs = [], []
    for _ in range(settings.rounds):
        ours.append(_ours(file, runs, settings))
        if settings.xla is not None:
            theirs.append(_theirs(file, runs + 1, settings))
    found: dict[str, Any] = {
        "values": ours[0]["values"],
        "ours": _medians([one for process in ours for one in process["runs"]]),
        "first": _medians([process["first"] for process in ours]),
    }
    if theirs:
        found["shardy"] = _medians([one for process in theirs for one in process["runs"]])
        found["jaxlib"] = theirs[0]["jaxlib"]
    return found


def _medians(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    return {name: statistics.median(row[name] for row in rows) for name in rows[0]}


def _ours(file: Path, runs: int, settings: Settings) -> dict[str, Any]:
    words = ["-m", "benchmarks.shardy_ours", str(file), "--runs", str(runs)]
    path = os.pathsep.join(filter(None, (str(HERE.parent), os.environ.get("PYTHONPATH"))))
    command = [sys.executable, *words, "--clock", settings.clock]
    found: dict[str, Any] = json.loads(run(command, {"PYTHONPATH": path}).output)
    return found


def _theirs(file: Path, runs: int, settings: Settings) -> dict[str, Any]:
    spec = importlib.util.find_spec("shardlog")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    assert settings.xla is not None
    script = str(Path(spec.submodule_search_locations[0]) / "shardy_run.py")
    words = [str(HERE / "shardy_theirs.py"), str(file), script, "--runs", str(runs)]
    spent = run([settings.xla, *words, "--clock", settings.clock], QUIET)
    found: dict[str, Any] = json.loads(spent.output)
    return found


def ratios(measured: Mapping[str, Any]) -> dict[str, float]:
    """The figures of one program that the table shows; ratios only if Shardy was timed."""
    count, ours = measured["values"], measured["ours"]
    work = sum(ours[name] for name in WORK)
    found = {"values": count, "microseconds": 1e6 * work / count}
    its = measured.get("shardy")
    if its is not None:
        found["shardy"] = 1e3 * its["propagate"]
        found["theirs"] = 1e6 * its["propagate"] / count
        found |= {name: ours[name] / its["propagate"] for name in WORK}
        found["work"] = work / its["propagate"]
        whole = its["propagate"] + its["prepare"]
        found["prepared"] = (work + ours["prepare"]) / whole
        found["first"] = sum(measured["first"][name] for name in WORK) / its["propagate"]
    return found


def table(rows: Mapping[str, Mapping[str, float]]) -> str:
    """The figures of all programs as a table, and of all together."""
    columns = [name for name in COLUMNS if any(name in row for row in rows.values())]
    lines = [["program", *(COLUMNS[name][0] for name in columns)]]
    for program, row in rows.items():
        cells = [COLUMNS[name][1].format(row[name]) if name in row else "" for name in columns]
        lines.append([program, *cells])
    found = aligned(lines)
    timed = [row for row in rows.values() if "work" in row]
    if timed:
        its = sum(row["shardy"] for row in timed)
        mine = sum(row["work"] * row["shardy"] for row in timed)
        middle = statistics.median(row["work"] for row in timed)
        found += f"\n\ne+f+s of all programs together: {mine / its:.2f}; median {middle:.2f}"
    return f"{found}\n\n{LEGEND}"


def main(chosen: Sequence[ShardyProgram], folder: Path, settings: Settings) -> dict[str, Any]:
    """Time programs and return their figures by name; what fails is said and left out."""
    found = {}
    for number, program in enumerate(chosen, 1):
        print(f"[{number}/{len(chosen)}] {program.name}", file=sys.stderr, flush=True)
        try:
            found[program.name] = compare(program, folder / f"{program.name}.mlir", settings)
        except Failed as error:
            print(f"benchmarks: {program.name}: {error}", file=sys.stderr)
    return found
