"""Batches whose modules Shardy's rules propagate."""

from __future__ import annotations

import html
import json
from pathlib import Path

from shardlog.batch.settings import Settings
from shardlog.batch.work import work_on
from tests.batch.running import run

ROOT = Path(__file__).parents[2]
PROGRAM = (ROOT / "examples" / "shardy_conflicts.mlir").read_bytes()


def test_a_program_for_shardy_goes_into_the_same_tables() -> None:
    done = work_on(PROGRAM, Settings(partitioner="auto", provenance=True, least=0))
    assert done.record["status"] == "ok"
    facts = done.record["facts"]
    assert facts["notes"] == ["propagated as by Shardy, since the program has sdy.mesh"]
    assert (facts["instructions"], facts["partitions"]) == (18, 8)
    rows = done.record["instructions"]
    place = rows["name"].index("%3")
    assert rows["after"][place] == '[{"a"}, {"b"}]'
    assert rows["tiles"][place] == 8
    assert rows["rule"][place] == "propagate"
    assert done.record["rules"]["accepted"]
    last = done.record["provenance"]["instruction"].index("%3")
    assert done.record["provenance"]["because"][last] == ["%2"]
    assert "%arg0" in str(done.record["findings"]["alike"])


def test_others_stay_with_gspmd() -> None:
    module = (ROOT / "examples" / "mlp_train_2x4.txt").read_bytes()
    assert work_on(module, Settings(partitioner="auto")).record["facts"]["format"] == "text"


def test_a_program_for_shardy_that_gspmd_answers_is_said_to_be_one(tmp_path: Path) -> None:
    for name in ("shardy_dump.txt", "mlp_train_2x4.txt"):
        (tmp_path / name).write_bytes((ROOT / "examples" / name).read_bytes())
    out = tmp_path / "out"
    words = "1 of 2 modules is made for Shardy: XLA runs Shardy on it, and this is GSPMD's answer"
    told = run(tmp_path, "-o", out).stderr
    assert f"shardlog: {words}; --partitioner auto gives Shardy's\n" in told
    summary = json.loads((out / "summary.json").read_text())
    assert summary["partitioner"] == {
        "gspmd": 2,
        "shardy": 0,
        "gspmd_where_xla_runs_shardy": 1,
    }
    assert words in html.unescape((out / "index.html").read_text())


def test_with_auto_it_is_told_how_many_have_whose_answer(tmp_path: Path) -> None:
    for name in ("shardy_conflicts.mlir", "mlp_train_2x4.txt"):
        (tmp_path / name).write_bytes((ROOT / "examples" / name).read_bytes())
    told = run(tmp_path, "-o", tmp_path / "out", "--partitioner", "auto")
    assert "2 of 2 modules propagated, 1 by Shardy's rules, 1 by GSPMD's; " in told.stdout
    assert "made for Shardy" not in told.stderr
