"""Visits that wait on a stack, read everything at once and write slot by slot; repeated phases."""

from __future__ import annotations

from typing import Any

import pytest

from shardlog.engine import Facts, Library, RuleError
from shardlog.engine.interpreter import Interpreted
from shardlog.engine.stacked import Stacked
from shardlog.engine.stacked_compiled import StackedSaturation
from tests.engine.running import load, told, values

NODES = 4

SCHEDULE = """
+ lattice('value')
+ view('own', 'value')
+ join('longer', 'longer')
+ channel('step', 'value', 'slot', 'longer', 'visit', 'op')
+ visit('visit', 'I', 'ascending')
+ frozen('visit')
+ order('visit', 'T')
+ agenda('visit', 'stack')
+ sweeps('visit')
+ parameter('level')
+ phases('level 0', 'level 1')
op(I) <= (slot[I, 0] == V)
wakes(V, 'visit', I) <= (slot[I, T] == V)
(value[V] == X) <= (given[V] == X)
"""


def longer(old: str | None, new: str) -> str | None:
    return new if old is None or (len(new) > len(old) and new.startswith(old)) else None


LIBRARY = Library({"joined": lambda a, b: (a or "") + (b or "")}, {}, {"longer": longer})


def facts(slots: dict[int, list[int]], given: dict[int, str], count: int) -> Facts:
    found = Facts(count)
    rows = [(op, place, one) for op, row in slots.items() for place, one in enumerate(row)]
    found.table("slot", rows, 3, True)
    found.table("given", list(given.items()), 2, True)
    found.table("priority", [(2,), (1,)], 1)
    return found


def run(rules: str, known: Facts) -> tuple[Interpreted, Stacked]:
    program = load(SCHEDULE + rules, LIBRARY, known)
    driver = Stacked(program, known)
    result = driver.run()
    compiled = StackedSaturation(program, known).run()
    assert values(compiled, "value") == values(result, "value")
    assert list(map(told, compiled.records)) == list(map(told, result.records))
    return result, driver


def test_a_frozen_visit_reads_before_it_writes() -> None:
    # op 0 swaps: each slot gets what the other had, and a letter
    rules = """
# rule: swap
step(I, 0, X) <= level(0) & both(I, Y, Z) & (X == joined(Y, Z))
step(I, 1, X) <= level(0) & both(I, Y, Z) & (X == joined(Z, Y))
both(I, Y, Z) <= (slot[I, 0] == V) & (slot[I, 1] == W) & (own[V] == Y) & (own[W] == Z)
"""
    known = facts({0: [1, 2]}, {1: "a", 2: "b"}, 3)
    result, _ = run(rules, known)
    # both read "a" and "b": had the second read what the first wrote, it would be "bab"
    assert values(result, "value")[1:] == ["ab", "ba"]
    assert [record.entity for record in result.records] == [1, 2]
    assert result.records[0].contributors == (0, 2)


PASS_ON = """
# rule: pass on
step(I, 1, X) <= op(I) & (slot[I, 0] == V) & (value[V] == X)
# rule: pass back
step(I, 0, X) <= op(I) & (slot[I, 1] == V) & (value[V] == X)
"""


def test_changes_are_followed_up_at_once() -> None:
    # a chain of ops 0, 1, 2 between values 3..6, given in the middle: what op 1 changes wakes op 0
    # and op 2, and the one that was told last comes first
    known = facts({0: [3, 4], 1: [4, 5], 2: [5, 6]}, {5: "x"}, 7)
    result, driver = run(PASS_ON, known)
    assert values(result, "value")[3:] == ["x"] * 4
    assert [record.entity for record in result.records] == [4, 3, 6]
    # level 0 goes through 0, 1, 0 again and 2; level 1 finds nothing new
    assert driver.visited == 4 + 3


def test_a_visit_does_not_wake_itself() -> None:
    known = facts({0: [1, 2]}, {1: "x"}, 3)
    _, driver = run(PASS_ON, known)
    assert driver.visited == 2


def test_phases_are_repeated_for_each_value_of_a_relation() -> None:
    rules = """
+ channel('reveal', 'value', 'whole', 'longer', 'show', 'anything')
+ visit('show', 'V', 'ascending')
+ phases_from('show', 'priority', 'now')
# rule: show
reveal(V, X) <= now(P) & (hidden[V, P] == X)
"""
    known = facts({0: [1, 2]}, {}, 3)
    known.table("hidden", [(1, 1, "x"), (2, 2, "xy")], 3, True)
    result, _ = run(PASS_ON + rules, known)
    # in ascending order: first what is hidden until 1, which then goes through the op
    assert [(r.entity, r.new, r.visit) for r in result.records] == [
        (1, "x", "show"),
        (2, "x", "visit"),
        (2, "xy", "show"),
        (1, "xy", "visit"),
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("+ agenda('visit', 'queue')", "unknown agenda 'queue'"),
        ("+ frozen('visits')", "names an unknown visit 'visits'"),
        ("+ phases_from('visit', 'nothing', 'now')", "names an unknown relation 'nothing'"),
        ("step(I, X) <= op(I) & (slot[I, 0] == V) & (value[V] == X)", "has 3 terms, found 2"),
    ],
)
def test_what_is_wrong_is_said(line: str, message: str) -> None:
    known: Any = facts({0: [1, 2]}, {1: "x"}, 3)
    with pytest.raises(RuleError, match=message):
        load(SCHEDULE + line, LIBRARY, known)
