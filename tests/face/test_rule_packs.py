"""Rule packs of installed packages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import shardlog
from shardlog import rule_packs
from shardlog.cli import main

ROOT = Path(__file__).parents[2]
FLASH = ROOT / "examples" / "flash_attention.txt"


@pytest.fixture(autouse=True)
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package `kernels_of_mine` with the pack `flash`, and one whose pack is empty."""
    folder = tmp_path / "kernels_of_mine" / "sharding"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    text = (ROOT / "examples" / "flash_attention.dl").read_text()
    facts, mark, rules = text.partition("# The other kernel")
    (folder / "a_facts.dl").write_text(facts)
    (folder / "b_rules.dl").write_text(mark + rules)
    points = [
        EntryPoint("flash", "kernels_of_mine.sharding", rule_packs.GROUP),
        EntryPoint("nothing", "kernels_of_mine.nothing", rule_packs.GROUP),
    ]
    monkeypatch.setattr(rule_packs, "entry_points", lambda group: points)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    for name in [name for name in sys.modules if name.startswith("kernels_of_mine")]:
        del sys.modules[name]


def run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == code, result.output
    return result


def test_a_pack_gives_what_its_files_give() -> None:
    result = shardlog.propagate(FLASH, rules=["pack:flash"])
    assert str(result.sharding("ffi_call.3")) == "{devices=[2,4,1,1]<=[8]}"
    assert result.why("ffi_call.2").steps[0].rule == "rms_norm"


def test_the_list_names_the_pack() -> None:
    text = run("rules", "list", "--rules", "pack:flash", "--from", "pack:flash").stdout
    assert text.startswith("pack:flash/b_rules.dl\n")
    assert "rms_norm" in text
    assert "1 rule\n" in text


def test_a_pack_that_is_not_there() -> None:
    message = "no installed package has a rule pack 'flush'; did you mean 'flash'?"
    assert message in run("rules", "list", "--rules", "pack:flush", code=2).stderr
    with pytest.raises(shardlog.InputError, match=r"nothing' has no rule files: kernels_of_mine"):
        shardlog.propagate(FLASH, rules=["pack:nothing"])
