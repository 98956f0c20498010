"""What README.md and the docs show is what the commands print and the code has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import shardlog
from shardlog.converters.facts import base_facts
from shardlog.converters.vocabulary import VALUES, VOCABULARY
from shardlog.engine import Facts
from tests.pages import (
    PAGES,
    QUESTIONS,
    ROOT,
    RULES,
    examples,
    masked,
    printed,
    tables_of,
    with_tables,
)

LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


@pytest.mark.parametrize(
    ("command", "output"), [example for page in PAGES for example in examples(page)]
)
def test_examples_print_what_is_shown(command: str, output: str) -> None:
    shown = printed(command)
    if shown.startswith("shardlog: StableHLO needs jaxlib"):
        pytest.skip(shown)
    assert masked(shown) == masked(output), "run python -m tests.pages"


def test_the_python_of_the_readme_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    (code,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
    exec(compile(code, "README.md", "exec"), {})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(page.read_text()):
        assert (page.parent / link).exists(), link


def test_readme_gives_the_two_commands() -> None:
    text = (ROOT / "README.md").read_text()
    assert "\n    python3 -m venv .venv && .venv/bin/pip install . && " in text
    assert "-e '.[dev]' && .venv/bin/python -m pytest\n" in text


@pytest.mark.parametrize("page", [RULES, QUESTIONS], ids=lambda page: page.name)
def test_tables_are_those_of_the_code(page: Path) -> None:
    text = page.read_text()
    assert with_tables(text, tables_of(page)) == text, "run python -m tests.pages"


def test_every_fact_of_a_module_is_in_the_vocabulary() -> None:
    _, facts = base_facts(shardlog.load(ROOT / "examples" / "mlp_train_2x4.txt"), Facts)
    ours = {"custom_call_dims", "opcode_dims"}
    assert facts.names() | ours == set(VOCABULARY)
    assert set(VALUES) <= set(VOCABULARY)


def test_the_tutorial_shows_its_files() -> None:
    page = RULES.read_text()
    for file in (ROOT / "examples" / "tutorial").iterdir():
        text = file.read_text()
        assert "".join(f"    {line}".rstrip() + "\n" for line in text.splitlines()) in page
