"""Every rule case: XLA's answer, and the rules that must have given it."""

from __future__ import annotations

import importlib.util
import platform
import sys

import pytest

from tests.rules.cases import Case, all_cases, ask_xla, propagated

CASES = all_cases()
runs_xla = pytest.mark.skipif(
    importlib.util.find_spec("jaxlib") is None
    or sys.platform != "linux"
    or platform.machine() != "x86_64",
    reason="needs jaxlib on Linux x86-64",
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case) -> None:
    after, fired = propagated(case)
    assert after == case.after
    assert set(case.fires) <= fired


@runs_xla
def test_answers_are_xlas() -> None:
    for case, answer in zip(CASES, ask_xla(CASES), strict=True):
        assert answer == case.after, case.name
