"""Batches: a bad module costs only itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import shardlog
from shardlog.batch import Job, Settings, plan_jobs, run_batch
from shardlog.cli import main
from shardlog.ir.errors import InputError

ROOT = Path(__file__).parents[2]
SMALL = ROOT / "tests" / "data" / "small"


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(main, ["batch", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


def results(folder: Path) -> dict[str, dict[str, Any]]:
    lines = (folder / "results.jsonl").read_text().splitlines()
    return {Path(row["file"]).name: row for row in map(json.loads, lines)}


@pytest.fixture
def dumps(tmp_path: Path) -> Path:
    folder = tmp_path / "dumps"
    (folder / "deeper").mkdir(parents=True)
    for name, target in (("dot", "dot.txt"), ("while", "deeper/while.txt")):
        (folder / target).write_text((SMALL / f"{name}.before.txt").read_text())
    (folder / "bad.hlo").write_text("no HLO\n")
    (folder / "readme.md").write_text("not a module\n")
    return folder


def test_one_bad_file_does_not_stop_the_rest(dumps: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = run(dumps, "-o", out, "--jobs", 2, code=1)
    assert "2 of 3 modules propagated" in result.stdout
    assert f"{dumps / 'bad.hlo'}:1:" in result.stderr
    rows = results(out)
    assert {name: row["status"] for name, row in rows.items()} == {
        "dot.txt": "ok",
        "while.txt": "ok",
        "bad.hlo": "error",
    }
    assert sorted(p.name for p in out.rglob("*.*")) == ["dot.txt", "results.jsonl", "while.txt"]
    expected = shardlog.load(SMALL / "while.after.txt")
    written = shardlog.load(out / "deeper" / "while.txt")
    assert shardlog.compare_modules(written, expected).disagreements == ()
    assert rows["while.txt"]["sharded_after"] == sum(
        instruction.sharding is not None for instruction in expected.instructions
    )
    assert {"reading", "saturation", "writing", "all"} <= set(rows["dot.txt"]["seconds"])


def test_an_output_folder_inside_the_input_is_left_out(dumps: Path) -> None:
    (dumps / "bad.hlo").unlink()
    for _ in range(2):
        assert "2 of 2" in run(dumps, "-o", dumps / "out").stdout


def test_json_output_and_notes_on_shardy(tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = run(ROOT / "examples" / "shardy_dump.txt", "-o", out, "--format", "json")
    assert "jax_use_shardy_partitioner=False" in result.stderr
    assert json.loads((out / "shardy_dump.json").read_text())["notes"]


def test_two_modules_are_never_written_to_one_file(dumps: Path, tmp_path: Path) -> None:
    (dumps / "deeper" / "dot.txt").write_text("x")
    with pytest.raises(InputError, match=r"would be written to .*dot\.txt"):
        plan_jobs([dumps / "dot.txt", dumps / "deeper"], tmp_path, None)
    with pytest.raises(InputError, match="over itself"):
        plan_jobs([dumps / "dot.txt"], dumps, None)
    with pytest.raises(InputError, match="no such file"):
        plan_jobs([dumps / "none.txt"], tmp_path, None)


def test_nothing_to_do_is_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "no modules" in run(tmp_path / "empty", "-o", tmp_path / "out", code=2).stderr
    assert not (tmp_path / "out").exists()


def test_wrong_rules_are_told_once_and_before_anything_else(dumps: Path, tmp_path: Path) -> None:
    rules = tmp_path / "mine.dl"
    rules.write_text("+ disable('dots')\n")
    result = run(dumps, "-o", tmp_path / "out", "--rules", rules, code=2)
    assert result.stderr.count("no rule 'dots'") == 1
    assert not (tmp_path / "out").exists()
    rules.write_text("+ disable('dot')\n")
    (dumps / "bad.hlo").unlink()
    run(dumps, "-o", tmp_path / "out", "--rules", rules)
    written = shardlog.load(tmp_path / "out" / "dot.txt")
    dot = written.find("dot.7")
    assert dot is not None
    assert dot.sharding is None


def test_a_crash_and_a_hang_cost_only_their_modules(
    dumps: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Workers are processes of their own, so what breaks them must reach them through their start.
    (tmp_path / "sitecustomize.py").write_text(
        "import os, time\n"
        "import shardlog.api\n"
        "load = shardlog.api.load\n"
        "def trap(path, **options):\n"
        "    if path.name == 'crash':\n"
        "        os.abort()\n"
        "    if path.name == 'hang':\n"
        "        time.sleep(600)\n"
        "    return load(path, **options)\n"
        "shardlog.api.load = trap\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    jobs = [
        Job(dumps / name, tmp_path / "out" / name)
        for name in ("crash", "hang", "dot.txt", "bad.hlo")
    ]
    rows: list[dict[str, Any]] = []
    run_batch(jobs, Settings(timeout=10), 1, rows.append)
    assert [row["status"] for row in rows] == ["crash", "timeout", "ok", "error"]
    assert "SIGABRT" in rows[0]["message"]
    assert "10 s" in rows[1]["message"]
