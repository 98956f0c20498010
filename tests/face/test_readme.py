"""What README.md and the docs show is what the commands print."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.M | re.S)
SECONDS = re.compile(r"\b\d+\.\d{3}\b")
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


def examples() -> list[tuple[str, str]]:
    """The (command, output) pairs of all console blocks."""
    pairs = []
    for page in PAGES:
        for block in CONSOLE.findall((ROOT / page).read_text()):
            for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
                command, _, output = part.partition("\n")
                pairs.append((command, output))
    return pairs


@pytest.mark.parametrize(("command", "output"), examples())
def test_examples_print_what_is_shown(command: str, output: str, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    tools = Path(sys.executable).parent
    done = subprocess.run(
        command,
        shell=True,
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
    )
    shown = [SECONDS.sub("N", line.rstrip()) for line in output.splitlines()]
    printed = [SECONDS.sub("N", line.rstrip()) for line in (done.stdout + done.stderr).splitlines()]
    assert printed == shown


def test_the_python_of_the_readme_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (code,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
    exec(compile(code, "README.md", "exec"), {})


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for link in LINK.findall((ROOT / page).read_text()):
        assert ((ROOT / page).parent / link).exists(), link


def test_readme_gives_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text()
    assert "\n    python3 -m venv .venv && .venv/bin/pip install . && " in text
    assert "-e '.[dev]' && .venv/bin/python -m pytest\n" in text
