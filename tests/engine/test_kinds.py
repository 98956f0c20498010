"""Relations that all entities of a kind have alike, and relations shared by what is alike."""

from __future__ import annotations

from typing import Any

import pytest

from shardlog.engine import Facts, Library
from shardlog.engine.stacked import Stacked
from shardlog.engine.stacked_compiled import StackedSaturation
from tests.engine.running import load, told, values

RULES = """
+ lattice('value')
+ join('first', 'first')
+ channel('step', 'value', 'slot', 'first', 'visit', 'op')
+ visit('visit', 'I', 'ascending')
+ frozen('visit')
+ order('visit', 'T')
+ agenda('visit', 'stack')
+ sweeps('visit')
+ parameter('level')
+ phases('level 0')
+ shared('labels')
op(I) <= label(I, T, X)
(labels[I] == tuple_(X, order_by=T)) <= label(I, T, X)
plain(I) <= op(I) & ~label(I, 1, 'b')
# rule: plain
step(I, T, S) <= plain(I) & (slot[I, T] == V) & (S == shown(labels[I]))
# rule: other
step(I, T, S) <= op(I) & ~plain(I) & (slot[I, T] == V) & (S == 'other')
"""
ROWS = {"one": [(0, "a"), (1, "b")], "two": [(0, "a"), (1, "c")]}


class Counted(dict[str, Any]):
    """Rows by kind that count how often each is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def __call__(self, kind: str) -> list[tuple[int, str]]:
        self.asked.append(kind)
        return ROWS[kind]


def facts(kinds: list[str | None]) -> tuple[Facts, Counted]:
    found, rows = Facts(2 * len(kinds)), Counted()
    count = len(kinds)
    column = kinds + [None] * count
    found.functional("kind", column)
    found.by_kind("label", column, rows, 3)
    found.refer("label", 0)
    found.indexed("slot", [[count + n] for n in range(count)] + [[]] * count)
    found.refer("slot", 0, 2)
    return found, rows


LIBRARY = Library({"shown": "".join}, {}, {"first": lambda old, new: old or new})


@pytest.mark.parametrize("driver", [Stacked, StackedSaturation])
def test_entities_of_a_kind_have_the_same_rows(driver: Any) -> None:
    known, rows = facts(["one", "two", None, "two", "one"])
    program = load(RULES, LIBRARY, known)
    result = driver(program, known).run()
    assert values(result, "value")[5:] == ["other", "ac", None, "ac", "other"]
    # both kinds were asked for once for each way of looking, however many are of them
    assert rows.asked.count("one") == rows.asked.count("two") <= 3


def test_kinds_that_other_facts_bring_are_not_mistaken_for_known_ones() -> None:
    known, _ = facts(["one", "one"])
    program = load(RULES, LIBRARY, known)
    StackedSaturation(program, known).run()
    others, _ = facts(["two", "one"])
    compiled, plain = StackedSaturation(program, others).run(), Stacked(program, others).run()
    assert values(compiled, "value") == values(plain, "value") == [None, None, "ac", "other"]
    assert list(map(told, compiled.records)) == list(map(told, plain.records))


def test_rows_are_found_from_any_side() -> None:
    known, _ = facts(["one", None, "two"])
    table = known.tables["label"]
    assert table.lookup((2,), ("c",)) == [(2, 1, "c")]
    assert table.lookup((0, 2), (0, "b")) == [(0, 1, "b")]
    assert not table.lookup((0,), (1,))
    assert list(table.rows) == [(0, 0, "a"), (0, 1, "b"), (2, 0, "a"), (2, 1, "c")]
    assert (2, 1, "c") in table.rows
    assert (2, 1, "b") not in table.rows
