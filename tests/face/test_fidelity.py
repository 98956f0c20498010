"""docs/fidelity.md names a module for each difference; they are all there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "fidelity.md").read_text()
SECTION = PAGE.partition("## The engine description")[2].partition("\n## ")[0]
ROWS = [line.strip("| ").split(" | ") for line in SECTION.splitlines() if line.startswith("| ")]
PLAIN = [re.sub(r"\(.*?\)", "", row[-1]) for row in ROWS[1:]]
NAMES = sorted({name for cell in PLAIN for name in re.findall(r"`([\w/]+)`", cell)})


@pytest.mark.parametrize("name", NAMES)
def test_the_module_of_a_difference_is_there(name: str) -> None:
    if "/" in name:
        assert (ROOT / "tests" / "rules" / "cases" / f"{name}.hlo").exists()
    else:
        assert list((ROOT / "tests" / "data").glob(f"*/{name}.before.txt*"))


def test_every_difference_names_one() -> None:
    assert len(ROWS) > 15
    assert [row[0] for row in ROWS[1:] if "`" not in row[-1]] == []
