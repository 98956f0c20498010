"""The timing command runs and writes what it says; what the times are is no matter here."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

import shardlog
from benchmarks import history, report
from benchmarks.models import Mesh, transformer, wide_loop

ROOT = Path(__file__).resolve().parents[2]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_run_prints_a_table_and_keeps_a_history(tmp_path: Path) -> None:
    kept, written = tmp_path / "history.jsonl", tmp_path / "out.json"
    options = ["--only", "^transformer_100$", "--rounds", "1", "--no-xla"]
    done = run(*options, "--history", str(kept), "--json", str(written))
    assert done.returncode == 0, done.stderr
    assert "transformer_100" in done.stdout
    entry = json.loads(written.read_text())
    assert entry == history.find(kept, "last") == history.find(kept, entry["commit"])
    (measured,) = entry["graphs"].values()
    assert measured["instructions"] == 169
    for runs in ("first", "on", "off"):
        assert {"read", "facts", "planning", "saturation", "write"} <= measured["ours"][runs].keys()
    assert measured["whole"]["ours"]["memory"] > 1e6
    line = report.changes(entry["graphs"], entry["graphs"], same_machine=True).splitlines()[1]
    assert line.split() == ["transformer_100", *["1.00"] * 8]
    with pytest.raises(LookupError, match="no earlier run 'nothing'"):
        history.find(kept, "nothing")


def test_figures_beside_xla_are_ratios() -> None:
    off = {"read": 1.0, "facts": 1.0, "planning": 2.0, "saturation": 3.0, "result": 1, "write": 1}
    spent = {"wall": 3.0, "cpu": 2.0, "memory": 5e7}
    measured = {
        "instructions": 10_000,
        "ours": {"first": {**off, "rules": 1.0}, "on": {**off, "saturation": 3.3}, "off": off},
        "whole": {"ours": spent, "xla": {**spent, "wall": 6.0}},
        "xla": {"parse": 1.0, "pass": 12.0, "print": 1.0},
    }
    start = {"command": {"wall": 1.0, "cpu": 1.0, "memory": 3e7}}
    row = report.ratios(measured, start)
    assert row["work"] == pytest.approx(0.5)
    assert row["whole"] == pytest.approx(0.5)
    assert row["provenance"] == pytest.approx(0.1)
    assert row["kilobytes"] == pytest.approx(2.0)


@pytest.mark.parametrize("mesh", [Mesh(512), Mesh(32, explicit=True)])
def test_made_up_modules_propagate(mesh: Mesh) -> None:
    step, loop = io.StringIO(), io.StringIO()
    assert transformer(step, 2, mesh) == 332
    wide_loop(loop, 20, mesh)
    for out in (step, loop):
        result = shardlog.propagate(out.getvalue().encode())
        counts = result.summary()
        assert counts.sharded_after > counts.instructions * 0.9
        assert not result.module.warnings


def test_unknown_names_are_refused() -> None:
    assert "no graph matches" in run("--only", "nothing_like_it").stderr
    assert run("--corpus", "no/such/folder").returncode == 2


def test_bars_are_held_against_the_worst_graph() -> None:
    row = {"instructions": 20_000, "saturation": 0.1, "work": 0.4, "whole": 1.5, "microseconds": 10}
    other = {**row, "saturation": 0.12, "whole": 0.9, "microseconds": 11.5}
    shown = report.bars({"transformer_19k": row, "transformer_74k": other})
    lines = {line[: line.index("  ")]: line.split() for line in shown.splitlines()[1:]}
    said = {what: cells[-1] for what, cells in lines.items()}
    assert said["saturation / pass, from 10,000"] == "aim"
    assert said["f+p+s / pass, from 10,000"] == "holds"
    assert said["whole command / process, wall"] == "MISSED"
    assert said["f+p+s / pass, 1,000 to 10,000"] == "measured"  # not measured
    assert "transformer_19k" in lines["whole command / process, wall"]
    assert lines["growth per instruction"][3:] == [
        "+15%",
        "transformer_74k",
        "+25%",
        "+10%",
        "holds",
    ]
