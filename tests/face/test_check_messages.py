"""Golden messages of `shardlog rules check`.

    python -m tests.face.test_check_messages      writes them as they are now

A file holds rules, a line of dashes, and all that the command says of them.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from shardlog.cli import main

FILES = sorted(Path(__file__).with_name("messages").glob("*.txt"))
DASHES = "-----\n"


def said(rules: str) -> str:
    """What the command says of a file `mine.dl` in the working folder."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            Path("mine.dl").write_text(rules)
            result = CliRunner().invoke(main, ["rules", "check", "--strict", "mine.dl"])
        finally:
            os.chdir(before)
    assert result.exit_code == 2, result.output
    return result.stderr


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_message(file: Path) -> None:
    rules, _, expected = file.read_text(encoding="utf-8").partition(DASHES)
    assert said(rules) == expected
    assert expected.startswith(("mine.dl:", "warning: mine.dl:"))


def test_there_are_messages() -> None:
    assert len(FILES) > 10


if __name__ == "__main__":
    for path in FILES:
        text = path.read_text(encoding="utf-8").partition(DASHES)[0]
        path.write_text(text + DASHES + said(text), encoding="utf-8")
