"""The rule files as files: pyDatalog reads them unchanged, and every proposing rule is named."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pyDatalog import pyDatalog, pyParser

from shardlog import rules as rule_sets
from shardlog.engine import Program, Rule
from shardlog.engine.syntax import Variable, variables
from shardlog.ir.functions import FUNCTIONS
from shardlog.propagation import load_rules

PATHS = rule_sets.gspmd()
PULL = "pull"  # what the backward rule asks; its rules say why as proposing ones do


def explaining(program: Program) -> list[Rule]:
    heads = {*program.declared.channels, PULL}
    return [rule for rule in program.rules if rule.relation in heads]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_pydatalog_loads_it_unchanged(path: Path) -> None:
    """pyDatalog is told the functions first: it looks them up when it reads a rule."""
    names: dict[str, Any] = {**FUNCTIONS, "pyDatalog": pyDatalog}
    exec(f"pyDatalog.create_terms({', '.join(FUNCTIONS)!r})", names)
    try:
        pyParser.load(path.read_text(encoding="utf-8"), names)
    finally:
        pyDatalog.clear()


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_lines_are_short(path: Path) -> None:
    assert [line for line in path.read_text().splitlines() if len(line) > 100] == []


def test_every_file_is_loaded() -> None:
    assert sorted(PATHS) == sorted(PATHS[0].parent.glob("*.dl"))


def test_proposing_rules_have_names_of_their_own() -> None:
    names = [rule.name for rule in explaining(load_rules())]
    assert len(set(names)) == len(names)


def test_what_rules_say_is_filled_from_their_variables() -> None:
    for rule in explaining(load_rules()):
        assert rule.says, rule.name
        own = {term.name for term in rule.terms if isinstance(term, Variable)}
        own |= {name for literal in rule.body for name in variables(literal)}
        assert set(re.findall(r"{(\w+)}", rule.says)) <= own, rule.name
