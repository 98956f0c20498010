"""The comparison with several versions of XLA's pass, on answers that are made up."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from shardlog.xla import XlaInput, XlaResult
from shardlog.xla_pass import without_stack_frames
from tests import versions

DATA = Path(__file__).parents[1] / "data" / "small"


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two modules, and an XLA that leaves one sharding out in its old version and fails on one."""
    for name in ("dot", "mlp"):
        text = (DATA / f"{name}.before.txt").read_text()
        (tmp_path / f"{name}.before.txt").write_text(text)

    def answer(modules: Sequence[XlaInput], *, python: str, **_: Any) -> list[XlaResult]:
        results = []
        for module in modules:
            name = next(n for n in ("dot", "mlp") if module.module == _before(n))
            after = (DATA / f"{name}.after.txt").read_text()
            if python == "old" and name == "dot":
                results.append(XlaResult("crash", "SIGABRT", jaxlib=python))
                continue
            if python == "old":
                line = next(x for x in after.splitlines() if " = " in x and "sharding={" in x)
                bare, _, rest = line.partition(", sharding={")
                after = after.replace(line, bare + rest.partition("}")[2])
            results.append(XlaResult("ok", after=after, jaxlib=python))
        return results

    monkeypatch.setattr(versions, "run_pass", answer)
    return tmp_path


def _before(name: str) -> str:
    return (DATA / f"{name}.before.txt").read_text()


def test_each_version_is_compared(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = tmp_path / "scores.json"
    arguments = [str(corpus), "--python", "old", "--python", "new", "--json", str(scores)]
    assert versions.main(arguments) == 0
    assert json.loads(scores.read_text())[0]["opcodes"].popitem()[1] == 1
    text = capsys.readouterr().out
    assert "| old | 0 of 1 | 17 of 18 (94.444%) |" in text
    assert "| new | 2 of 2 |" in text
    assert "failed: dot: SIGABRT" in text
    assert ": ours {" in text.partition("jaxlib old")[2].partition("jaxlib new")[0]
    assert ": ours {" not in text.partition("jaxlib new")[2]


def test_nothing_to_compare_is_told(tmp_path: Path) -> None:
    assert versions.main([str(tmp_path), "--python", "old"]) == 2


def test_the_tables_of_stack_frames_can_be_left_out() -> None:
    tables = (
        'FileNames\n1 "a.py"\n2 "b.py"\n\nFunctionNames\n1 "f"\n\n'
        "FileLocations\n1 {file_name_id=1 line=3}\n\nStackFrames\n1 {file_location_id=1}\n\n\n"
    )
    entry = 'ENTRY e {{\n  ROOT c = f32[] constant(0), metadata={{op_name="c"{0}}}\n}}\n'
    head = "HloModule m\n\n"
    text = head + tables + entry.format(" source_end_line=3 source_column=5 stack_frame_id=7")
    assert without_stack_frames(text) == head + entry.format("")
    assert without_stack_frames(head + entry.format("")) == head + entry.format("")
