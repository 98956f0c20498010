"""The timing of Shardy's rules: its programs can be propagated, its figures are ratios."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import shardy
from benchmarks.measure import Settings
from benchmarks.shardy_models import OPERATIONS, feed_forward
from shardlog.shardy import propagate, read_shardy

ROOT = Path(__file__).resolve().parents[2]


def made(layers: int) -> bytes:
    out = io.StringIO()
    feed_forward(out, layers)
    return out.getvalue().encode()


def test_the_made_up_program_is_sharded() -> None:
    program = read_shardy(made(2))
    propagate(program)
    block = program.main.regions[0]
    assert len(block.ops) == 2 * OPERATIONS + 1
    found = {str(op.results[0].sharding) for op in block.ops[:-1]}
    # activations by tokens, inner ones by both axes; gradients as the weights that they are of
    assert found == {
        '#sdy.sharding<@mesh, [{"data"}, {}]>',
        '#sdy.sharding<@mesh, [{"data"}, {"model"}]>',
        '#sdy.sharding<@mesh, [{}, {"model"}]>',
        '#sdy.sharding<@mesh, [{"model"}, {}]>',
    }


def test_figures_are_ratios_to_the_passes() -> None:
    phases = {"read": 9.0, "prepare": 1.0, "edits": 1.0, "facts": 2.0, "saturation": 3.0}
    measured = {
        "values": 1_000_000,
        "ours": phases,
        "first": {**phases, "saturation": 9.0},
        "shardy": {"parse": 1.0, "prepare": 2.0, "propagate": 12.0},
    }
    row = shardy.ratios(measured)
    assert row["work"] == pytest.approx(0.5)
    assert row["prepared"] == pytest.approx(0.5)
    assert row["first"] == pytest.approx(1.0)
    assert (row["microseconds"], row["theirs"]) == pytest.approx((6.0, 12.0))
    shown = shardy.table({"a": row, "b": shardy.ratios({"values": 1, "ours": phases})})
    assert "together: 0.50; median 0.50" in shown


def test_a_program_is_timed(tmp_path: Path) -> None:
    program = shardy.ShardyProgram("one", 10, lambda out: feed_forward(out, 1))
    found = shardy.compare(program, tmp_path / "one.mlir", Settings(rounds=1))
    assert found["values"] == 16
    assert {"prepare", *shardy.WORK} <= found["ours"].keys()
    assert {"prepare", *shardy.WORK} <= found["first"].keys()


def test_programs_are_listed() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--shardy", "--list", "--only", "^feed_forward_10k$"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["6,000", "feed_forward_10k"]
