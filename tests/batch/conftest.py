"""Folders of modules, and batches of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.batch.running import SMALL, run


@pytest.fixture(scope="session")
def rules_kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for what has been made of the rules, since each batch starts processes."""
    return tmp_path_factory.mktemp("rules")


@pytest.fixture(autouse=True)
def _keep_rules(rules_kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHARDLOG_CACHE", str(rules_kept))


@pytest.fixture
def dumps(tmp_path: Path) -> Path:
    """Two modules, one in a deeper folder."""
    folder = tmp_path / "dumps"
    (folder / "deeper").mkdir(parents=True)
    for name, target in (("dot", "dot.txt"), ("while", "deeper/while.txt")):
        (folder / target).write_text((SMALL / f"{name}.before.txt").read_text())
    return folder


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of a batch that has findings, an op without a rule, and a file that is none."""
    folder = tmp_path_factory.mktemp("finished")
    inputs = folder / "in"
    inputs.mkdir()
    examples = SMALL.parents[2] / "examples"
    for name in ("flash_attention.txt", "gpt_forward_2x4.txt"):
        (inputs / name).symlink_to(examples / name)
    (inputs / "dot.txt").write_text((SMALL / "dot.before.txt").read_text())
    (inputs / "<script>alert(1)<script>.txt").write_text("no HLO & <b>bold</b>\n")
    out = folder / "out"
    run(inputs, "-o", out, "--jobs", 1, "--modules", "--provenance", code=1)
    return out
