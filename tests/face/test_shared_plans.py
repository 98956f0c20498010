"""Plans that instructions share say what plans say that are made for each alone."""

from __future__ import annotations

from pathlib import Path

from shardlog.engine import tables
from tests.shared_plans import difference, fresh_program, long_rows

DATA = Path(__file__).parents[1] / "data"
FILES = sorted([*DATA.glob("small/*.before.txt"), *DATA.glob("real/*.before.txt*")])


def test_shared_plans_say_what_plans_of_ones_own_say() -> None:
    """Also where next to all rows count as long ones, in which places are tokens."""
    program, joins = fresh_program(), 0
    for long in (tables.LONG, 2):
        with long_rows(long):
            for file in FILES[::12]:
                count, wrong = difference(program, file) or (0, "too large")
                assert (file.name, wrong) == (file.name, "")
                joins += count
    assert joins > 200
