"""The command's edges: what is missing, what a terminal shows, what help says."""

from __future__ import annotations

import importlib.util
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.batch.running import ROOT, command, run


@pytest.mark.parametrize(
    ("package", "arguments", "extra"),
    [
        ("pyarrow", ("{dumps}", "-o", "{out}"), "batch"),
        ("fsspec", ("memory://x", "-o", "{out}"), "batch"),
        ("duckdb", ("query", "{dumps}", "select 1"), "batch"),
        ("distributed", ("{dumps}", "-o", "{out}", "--scheduler", "dask://h:1"), "cluster"),
    ],
)
def test_a_missing_package_is_told_with_what_to_install(
    package: str,
    arguments: tuple[str, ...],
    extra: str,
    dumps: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    find_spec = importlib.util.find_spec

    def without(name: str, *rest: Any) -> Any:
        return None if name == package else find_spec(name, *rest)

    monkeypatch.setattr(importlib.util, "find_spec", without)
    out = tmp_path / "out"
    given = [word.format(dumps=dumps, out=out) for word in arguments]
    result = run(*given, code=3)
    assert f"need {package}: pip install 'shardlog[{extra}]'" in result.stderr
    assert not out.exists()


def test_a_terminal_shows_rate_and_remaining_time(dumps: Path, tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "TERM": "xterm", "COLUMNS": "120"}
    process = subprocess.Popen(
        command(dumps, "-o", tmp_path / "out", "--jobs", 1),
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=env,
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    stdout, _ = process.communicate()
    assert process.returncode == 0
    assert b"2/2" in shown
    assert b"/s" in shown
    assert b"0:00:00" in shown
    assert b"propagating" not in stdout


def test_without_a_terminal_it_is_quiet(dumps: Path, tmp_path: Path) -> None:
    assert run(dumps, "-o", tmp_path / "out", "--jobs", 1).stderr == ""


def test_help_names_the_subcommands_and_sizes_are_read() -> None:
    text = run("--help").stdout
    assert "query OUT SQL|NAME" in text
    assert "diff OLD NEW" in text
    assert "Usage: main batch query" in run("query", "--help").stdout
    assert "is not a size" in run("x", "-o", "y", "--memory", "much", code=2).stderr
    assert "is no size" in run("x", "-o", "y", "--memory", "0G", code=2).stderr
