"""Batches whose modules Shardy's rules propagate."""

from __future__ import annotations

from pathlib import Path

from shardlog.batch.settings import Settings
from shardlog.batch.work import work_on

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
    failed = work_on(PROGRAM, Settings()).record
    assert failed["status"] == "error"
