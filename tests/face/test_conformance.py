"""shardlog's answers equal XLA's on the modules of tests/data, and the command tells if not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import shardlog
from tests.conformance import Pair, find_pairs, main, score

DATA = Path(__file__).parents[1] / "data"
PAIRS = [pair for folder in ("small", "real") for pair in find_pairs(DATA / folder)]


def test_there_are_modules_of_every_kind() -> None:
    assert len(PAIRS) >= 90


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_every_sharding_equals_xlas(pair: Pair) -> None:
    result = score(pair)
    assert not result.error, result.error
    assert result.agreeing == result.total, "\n".join(result.first)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus of two pairs, one of them with an answer that is not XLA's."""
    for name in ("dot", "mlp"):
        for side in ("before", "after"):
            text = (DATA / "small" / f"{name}.{side}.txt").read_text()
            if (name, side) == ("mlp", "after"):
                text = text.replace("sharding={devices=[", "sharding={devices=[1,", 1)
            (tmp_path / f"{name}.{side}.txt").write_text(text)
    index = {"programs": {"dot": {"family": "f01"}, "mlp": {"family": "f02"}}}
    (tmp_path / "index.json").write_text(json.dumps(index))
    return tmp_path


def test_what_differs_is_shown_and_the_bar_decides(
    corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(corpus), "--jobs", "1", "--bar", "50"]) == 0
    output = capsys.readouterr().out
    assert "WRONG  mlp" in output
    assert "1 of 2 modules (50.0%)" in output
    assert main([str(corpus), "--jobs", "1", "--bar", "51"]) == 1
    assert main([str(corpus), "--jobs", "2", "--bar", "100", "--family", "f01"]) == 0


def test_xla_may_be_asked_again_about_what_differs(
    corpus: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # a compilation with another answer
    (corpus / "mlp.after.txt").write_text((corpus / "mlp.before.txt").read_text())

    def as_we_do(module: shardlog.HloModule) -> shardlog.HloModule:
        return shardlog.propagate(module).module

    monkeypatch.setattr("tests.conformance.propagate_with_xla", as_we_do)
    assert main([str(corpus), "--jobs", "1", "--bar", "100", "--xla"]) == 0
    output = capsys.readouterr().out
    assert "1 modules differ from a compilation, not from XLA given the same text" in output
    monkeypatch.setattr("tests.conformance.propagate_with_xla", lambda module: module)
    assert main([str(corpus), "--jobs", "1", "--bar", "100", "--xla"]) == 1


def test_scores_are_written_as_json(corpus: Path, tmp_path: Path) -> None:
    target = tmp_path / "scores.json"
    main([str(corpus), "--jobs", "1", "--json", str(target)])
    rows = {row["name"]: row for row in json.loads(target.read_text())}
    assert rows["dot"]["agreeing"] == rows["dot"]["total"] > 0


def test_a_module_that_fails_is_wrong_not_fatal(corpus: Path) -> None:
    (corpus / "dot.before.txt").write_text("no HLO\n")
    assert main([str(corpus), "--jobs", "1", "--family", "dot", "--bar", "1"]) == 1


def test_an_empty_corpus_is_an_error(tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 2
