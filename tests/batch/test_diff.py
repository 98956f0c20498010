"""What differs between two batches."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from shardlog.batch.diff import diff_batches
from tests.batch.running import ROOT, SMALL, run


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two batches: the second with a rule less, a module more, one less and one broken."""
    folder = tmp_path_factory.mktemp("pair")
    (folder / "in").mkdir()
    (folder / "rule.dl").write_text("+ disable('dot')\n")
    for name in ("dot", "while", "transpose"):
        text = (SMALL / f"{name}.before.txt").read_text()
        (folder / "in" / f"{name}.txt").write_text(text)
    example = ROOT / "examples" / "flash_attention"
    flash = folder / "in" / "flash<&>.txt"
    flash.write_text(example.with_suffix(".txt").read_text())
    (folder / "in" / "gone.txt").write_text((SMALL / "dot.before.txt").read_text())
    (folder / "in" / "bad.txt").write_text("no HLO\n")
    described = example.with_suffix(".dl")
    run(folder / "in", "-o", folder / "old", "--jobs", 1, "--rules", described, code=1)
    (folder / "in" / "gone.txt").rename(folder / "in" / "new.txt")
    (folder / "in" / "while.txt").write_text("HloModule broken\n")
    run(folder / "in", "-o", folder / "new", "--jobs", 1, "--rules", folder / "rule.dl", code=1)
    return folder / "old", folder / "new"


def test_what_changed(pair: tuple[Path, Path]) -> None:
    found = diff_batches(*pair)
    verdicts = {change.module: change.verdict for change in found.changes}
    assert verdicts == {
        "dot.txt": "changed",
        "gone.txt": "removed",
        "flash<&>.txt": "changed",
        "new.txt": "added",
        "while.txt": "failed",
    }
    assert set(found.same) == {"bad.txt", "transpose.txt"}
    assert set(found.about) == {"rules"}
    by_name = {change.module: change for change in found.changes}
    dot = by_name["dot.txt"]
    assert not dot.content
    assert [(one.name, one.verdict, one.new) for one in dot.instructions] == [
        ("dot.7", "changed", None)
    ]
    assert by_name["while.txt"].content
    assert by_name["while.txt"].is_worse
    grown = [one for one in by_name["flash<&>.txt"].findings if one.verdict in ("new", "grown")]
    assert grown
    assert "bytes_on_device" in by_name["flash<&>.txt"].facts


def test_equal_batches(pair: tuple[Path, Path]) -> None:
    assert "6 the same" in run("diff", pair[0], pair[0]).stdout
    assert not diff_batches(pair[1], pair[1]).changes


def test_the_command(pair: tuple[Path, Path]) -> None:
    text = run("diff", *pair, code=1).stdout
    assert "instruction changed: dot.7 (dot, in " in text
    assert "modules: 2 changed, 1 removed, 1 added, 1 failed, 2 the same" in text
    told: dict[str, Any] = json.loads(run("diff", *pair, "--format", "json", code=1).stdout)
    assert told["changed"] == 5
    assert told["worse"]
    run("diff", *pair, "--fail-on", "never")
    run("diff", *pair, "--fail-on", "worse", code=1)
    run("diff", pair[1], pair[1], "--fail-on", "worse")
    markdown = run("diff", *pair, "--format", "markdown", code=1).stdout
    assert "| flash\\<&\\>.txt | changed |" in markdown
    assert "<summary>flash&lt;&amp;&gt;.txt</summary>" in markdown


def test_the_junit_report(pair: tuple[Path, Path]) -> None:
    report = ET.fromstring(run("diff", *pair, "--format", "junit", code=1).stdout)
    assert report.attrib["tests"] == "7"
    cases = {case.attrib["name"]: case for case in report}
    assert len(cases) == 7
    assert len(report.findall("testcase/failure")) == int(report.attrib["failures"]) == 4
    assert len(report.findall("testcase/error")) == int(report.attrib["errors"]) == 1
    assert cases["while.txt"].find("error") is not None
    assert not list(cases["transpose.txt"])


def test_what_is_no_batch_is_wrong_usage(pair: tuple[Path, Path], tmp_path: Path) -> None:
    assert "not the output of a batch" in run("diff", tmp_path, pair[0], code=2).stderr
