"""Times one graph: shardlog and XLA's pass by turns in fresh processes, medians of several."""

from __future__ import annotations

import importlib.util
import json
import os
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.graphs import Graph
from benchmarks.ours import PHASES
from benchmarks.processes import Failed, Spent, run

__all__ = ["XLA_VARIABLE", "Settings", "measure", "start_up", "xla_python"]

XLA_VARIABLE = "SHARDLOG_XLA_PYTHON"
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "2"}
HERE = Path(__file__).resolve().parent

Measured = dict[str, Any]


@dataclass(frozen=True)
class Settings:
    """How to measure: processes of each kind, the clock for phases, and who runs XLA's pass."""

    rounds: int = 3
    clock: str = "cpu"
    xla: str | None = None

    def runs(self, instructions: int) -> int:
        """How often a graph is gone through inside one process, after the first time."""
        return 20 if instructions < 1_000 else 5 if instructions < 30_000 else 1


def xla_python() -> str | None:
    """The interpreter whose jaxlib is timed, None if there is none that can run the pass."""
    python = os.environ.get(XLA_VARIABLE) or sys.executable
    try:
        run([python, "-c", "import jaxlib"])
    except (Failed, OSError):
        return None
    return python


def measure(graph: Graph, file: Path, settings: Settings) -> Measured:
    """All figures of one graph, which stands in `file`; seconds and bytes. Raises Failed."""
    ours: list[Measured] = []
    theirs: list[Measured] = []
    whole: dict[str, list[Spent]] = {"ours": [], "xla": []}
    runs = settings.runs(graph.instructions)
    command(file)  # what is kept of the rules from run to run shall be there
    for _ in range(settings.rounds):
        ours.append(_ours(file, runs, settings))
        if settings.xla is not None:
            theirs.append(_theirs(file, runs + 1, settings))
        whole["ours"].append(command(file))
        if settings.xla is not None:
            whole["xla"].append(_fresh_xla(file, settings))
    found: Measured = {
        "instructions": ours[0]["instructions"],
        "ours": _phases(ours),
        "whole": {side: _whole(spent) for side, spent in whole.items() if spent},
    }
    if theirs:
        every = [times for process in theirs for times in process["runs"]]
        found["xla"] = _medians(every)
        found["jaxlib"] = theirs[0]["jaxlib"]
    return found


def start_up(file: Path, settings: Settings) -> Measured:
    """What the whole command takes on a module of a few instructions, and what `--help` takes."""
    help_ = [run([sys.executable, "-m", "shardlog", "--help"]) for _ in range(settings.rounds + 2)]
    command(file)
    least = [command(file) for _ in range(settings.rounds)]
    return {"help": _whole(help_), "command": _whole(least)}


def command(file: Path) -> Spent:
    """The whole command `shardlog propagate`, as a user runs it."""
    target = file.with_suffix(".after")
    return run([sys.executable, "-m", "shardlog", "propagate", str(file), "-o", str(target)])


def _ours(file: Path, runs: int, settings: Settings) -> Measured:
    words = ["-m", "benchmarks.ours", str(file), "--runs", str(runs), "--clock", settings.clock]
    path = os.pathsep.join(filter(None, (str(HERE.parent), os.environ.get("PYTHONPATH"))))
    found: Measured = json.loads(run([sys.executable, *words], {"PYTHONPATH": path}).output)
    return found


def _theirs(file: Path, runs: int, settings: Settings, out: str | None = None) -> Measured:
    found: Measured = json.loads(_run_theirs(file, runs, settings, out).output)
    return found


def _run_theirs(file: Path, runs: int, settings: Settings, out: str | None) -> Spent:
    spec = importlib.util.find_spec("shardlog")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    script = str(Path(spec.submodule_search_locations[0]) / "xla_pass.py")
    words = [str(HERE / "theirs.py"), str(file), script, "--runs", str(runs)]
    words += ["--clock", settings.clock, *(["--out", out] if out else [])]
    assert settings.xla is not None
    return run([settings.xla, *words], QUIET)


def _fresh_xla(file: Path, settings: Settings) -> Spent:
    """A process that imports the bindings, parses, runs the pass and prints.

    Without what finding the pass in the library takes, which a user of jaxlib would not pay.
    """
    spent = _run_theirs(file, 1, settings, str(file.with_suffix(".xla")))
    wall, cpu = json.loads(spent.output)["lookup"]
    return Spent(spent.wall - wall, spent.cpu - cpu, spent.memory, "")


def _phases(processes: list[Measured]) -> Measured:
    """Medians of the first runs, and of the later ones with and without provenance."""
    return {
        "import": statistics.median(process["import"] for process in processes),
        "first": _medians([process["first"] for process in processes]),
        "on": _medians([times for process in processes for times in process["on"]]),
        "off": _medians([times for process in processes for times in process["off"]]),
    }


def _medians(rows: list[Measured]) -> Measured:
    names = [name for name in (*PHASES, "rules", "parse", "pass", "print") if name in rows[0]]
    return {name: statistics.median(row[name] for row in rows) for name in names}


def _whole(spent: list[Spent]) -> Measured:
    return {
        "wall": statistics.median(one.wall for one in spent),
        "cpu": statistics.median(one.cpu for one in spent),
        "memory": statistics.median(one.memory for one in spent),
    }
