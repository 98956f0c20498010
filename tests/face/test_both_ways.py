"""The shipped rules mean the same to the compiler and to the plain interpreter; a sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.both_ways import compare

SMALL = Path(__file__).parents[1] / "data" / "small"


@pytest.mark.parametrize("name", ["dot", "tuple_regresses", "transpose"])
def test_values_and_provenance_are_the_same(name: str) -> None:
    outcome = compare(SMALL / f"{name}.before.txt")
    assert outcome is not None
    assert outcome.joins
    assert outcome.wrong == ""


def test_large_modules_are_left_out() -> None:
    assert compare(SMALL / "dot.before.txt", largest=3) is None
