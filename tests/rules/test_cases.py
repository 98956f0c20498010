"""Every rule case: XLA's answer, and the rules that must have given it."""

from __future__ import annotations

import functools
import importlib.util
import platform
import sys

import pytest

from tests.rules.cases import Case, all_cases, ask_xla, propagated, rule_set

CASES = all_cases()
runs_xla = pytest.mark.skipif(
    importlib.util.find_spec("jaxlib") is None
    or sys.platform != "linux"
    or platform.machine() != "x86_64",
    reason="needs jaxlib on Linux x86-64",
)


@functools.cache
def outcome(name: str) -> tuple[dict[str, str], set[str]]:
    return propagated(next(case for case in CASES if case.name == name))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case) -> None:
    after, fired = outcome(case.name)
    assert after == case.after
    assert set(case.fires) <= fired


def test_every_proposing_rule_has_a_case() -> None:
    program = rule_set()
    rules = {rule.name for rule in program.rules if rule.relation in program.declared.channels}
    assert rules - {name for case in CASES for name in case.fires} == set()


@runs_xla
def test_answers_are_xlas() -> None:
    for case, answer in zip(CASES, ask_xla(CASES), strict=True):
        assert answer == case.after, case.name
