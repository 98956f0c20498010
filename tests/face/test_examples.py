"""The examples with rules: before is XLA's own answer, and the case needs the rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import shardlog
from shardlog.cli import main
from shardlog.compare import compare_modules
from shardlog.rule_cases import differences, read_case
from tests.rules.test_cases import runs_xla

ROOT = Path(__file__).parents[2] / "examples"
FOLDERS = sorted(path.parent for path in ROOT.glob("*/case.hlo"))


def test_there_are_examples() -> None:
    assert {folder.name for folder in FOLDERS} >= {"fft", "topk", "scan", "even_reshape"}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_rules_save_bytes_on_each_device(folder: Path) -> None:
    name = folder.name
    command = ["whatif", f"{folder / name}.txt", "--add-rules", f"{folder / name}.dl", "--json"]
    changed = json.loads(CliRunner().invoke(main, command).stdout)
    assert changed["bytes_after"] < changed["bytes_before"] / 2


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_case_needs_the_rules(folder: Path) -> None:
    case = read_case(folder / "case.hlo")
    assert differences(case, [folder / f"{folder.name}.dl"]) == []
    assert differences(case) != []


@runs_xla
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_without_them_it_is_xlas_answer(folder: Path) -> None:
    from shardlog.xla import propagate_with_xla

    module = shardlog.load(folder / f"{folder.name}.txt")
    with_xla = propagate_with_xla(module)
    compared = compare_modules(shardlog.propagate(module).module, with_xla)
    assert compared.disagreements == ()
