"""The joins of the sharding lattice: their laws, and where they break them as XLA does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shardlog.ir.algebra import improved, improved_or_same, is_partitioned, judge, more_specific
from shardlog.ir.joins import JOINS, fill, improve, improve_leaf, improve_loose, pick, put, share
from shardlog.ir.shape import Shape, parse_shape
from shardlog.ir.sharding import HloSharding
from shardlog.ir.sharding_text import parse_sharding
from tests.ir.strategies import integers, rows, shardings

MATRIX = parse_shape("f32[8,8]")
PAIR = parse_shape("(f32[8,8], f32[8,8])")
REPLICATED = HloSharding.replicated()
ROWS = parse_sharding("{devices=[2,1,4]<=[8] last_tile_dim_replicate}")
COLUMNS = parse_sharding("{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}")
BOTH = parse_sharding("{devices=[2,4]<=[8]}")


@pytest.mark.parametrize("row", rows("xla_improve.txt"), ids=lambda row: row[0])
def test_three_users_give_what_they_give_in_xla(row: list[str]) -> None:
    shape = Shape("f32", integers(row[0]))
    users = [parse_sharding(text) for text in row[1:4]]
    value: HloSharding | None = None
    # Users speak in order, again and again: first they may only replace, then also merge.
    for combine in (False, True):
        before: HloSharding | None = REPLICATED
        while value is not before:
            before = value
            for user in users:
                value = improve(value, user, shape, combine) or value
    assert str(value) == row[4]


@given(shardings(2, 8), shardings(2, 8), st.booleans(), st.booleans())
def test_an_accepted_improvement_of_an_array_is_strictly_more_specific(
    old: HloSharding, new: HloSharding, combine: bool, loose: bool
) -> None:
    result = improve_loose(old, new, MATRIX, combine, loose)
    if result is not None:
        assert more_specific(result, old)


@given(shardings(2, 8), shardings(2, 8), st.booleans())
def test_improving_twice_changes_nothing_more(
    old: HloSharding, new: HloSharding, combine: bool
) -> None:
    result = improve(old, new, MATRIX, combine)
    if result is not None:
        assert improve(result, new, MATRIX, combine) is None
    assert improve(old, old, MATRIX, combine) is None


@given(shardings(2, 8), st.booleans())
def test_an_unset_value_takes_anything_but_one_device(new: HloSharding, combine: bool) -> None:
    assert improve(None, new, MATRIX, combine) is (new if is_partitioned(new) else None)


@given(shardings(2, 8), shardings(2, 8), st.booleans())
def test_loosening_only_adds_acceptances(old: HloSharding, new: HloSharding, combine: bool) -> None:
    strict = improve(old, new, MATRIX, combine)
    assert improve_loose(old, new, MATRIX, combine, False) is strict
    if strict is not None:
        assert improve_loose(old, new, MATRIX, combine, True) is strict


def test_improve_is_not_commutative() -> None:
    columns = parse_sharding("{devices=[1,8]<=[8]}")
    rows_ = parse_sharding("{devices=[8,1]<=[8]}")
    assert improved_or_same(rows_, columns, MATRIX, True) is rows_
    assert improved_or_same(columns, rows_, MATRIX, True) is columns


def test_improve_is_not_associative() -> None:
    finer = parse_sharding("{devices=[4,1,2]<=[8] last_tile_dim_replicate}")

    def join(a: HloSharding, b: HloSharding) -> HloSharding:
        return improved_or_same(a, b, MATRIX, True)

    left = join(join(COLUMNS, ROWS), finer)
    right = join(COLUMNS, join(ROWS, finer))
    assert left is BOTH
    assert right is not left


def test_a_replacement_must_split_the_old_tiles_further() -> None:
    across = parse_sharding("{devices=[1,8]<=[8]}")
    within = parse_sharding("{devices=[4,2]<=[8]}")
    assert judge(ROWS, across, MATRIX, True) == (None, "not_subtiling")
    assert judge(ROWS, across, MATRIX, True, loose=True) == (across, "replaced")
    assert judge(ROWS, within, MATRIX, True) == (within, "replaced")


@pytest.mark.parametrize(
    ("old", "new", "combine", "verdict"),
    [
        (None, ROWS, True, "first"),
        (REPLICATED, HloSharding.manual(), True, "manual_wins"),
        (ROWS, COLUMNS, True, "merged"),
        (ROWS, BOTH, True, "replaced"),
        (None, HloSharding.maximal(1), True, "one_device"),
        (ROWS, HloSharding.manual(), True, "manual"),
        (ROWS, HloSharding.tuple_of([ROWS]), True, "other_structure"),
        (
            ROWS,
            parse_sharding("{devices=[2,1,2]<=[4] last_tile_dim_replicate}"),
            True,
            "other_devices",
        ),
        (
            BOTH,
            parse_sharding("{devices=[4,1,2]<=[8] last_tile_dim_replicate}"),
            True,
            "incompatible_tiles",
        ),
        (BOTH, ROWS, True, "not_more_specific"),
        (ROWS, REPLICATED, True, "not_more_specific"),
        (ROWS, COLUMNS, False, "not_subtiling"),
    ],
)
def test_verdicts(old: HloSharding | None, new: HloSharding, combine: bool, verdict: str) -> None:
    result, reason = judge(old, new, MATRIX, combine)
    assert reason == verdict
    assert (result is not None) == (verdict in {"first", "manual_wins", "merged", "replaced"})


def test_a_tuple_proposal_that_betters_one_element_replaces_all() -> None:
    old = HloSharding.tuple_of([ROWS, REPLICATED])
    new = HloSharding.tuple_of([REPLICATED, COLUMNS])
    assert improve(old, new, PAIR, True) is new
    assert improve(new, old, PAIR, True) is old


def test_put_takes_anything_else_and_fill_only_where_nothing_is() -> None:
    assert put(BOTH, REPLICATED) is REPLICATED
    assert put(None, ROWS) is ROWS
    assert put(ROWS, ROWS) is None
    assert fill(None, ROWS) is ROWS
    assert fill(REPLICATED, ROWS) is None


def test_pick_replaces_what_is_more_specific() -> None:
    old = HloSharding.tuple_of([ROWS, COLUMNS])
    assert pick(old, ((0, BOTH), (1, REPLICATED)), PAIR) is HloSharding.tuple_of([BOTH, COLUMNS])
    assert pick(old, ((0, REPLICATED),), PAIR) is None
    # unlike improve it never merges, and takes one device for an unset leaf
    assert pick(old, ((0, COLUMNS),), PAIR) is HloSharding.tuple_of([COLUMNS, COLUMNS])
    one = HloSharding.maximal(1)
    assert pick(None, ((1, one),), PAIR) is HloSharding.tuple_of([REPLICATED, one])


def test_leaves_are_improved_one_by_one() -> None:
    first = improve_leaf(None, ((1, ROWS),), PAIR, True)
    assert first is HloSharding.tuple_of([REPLICATED, ROWS])
    assert improve_leaf(first, ((0, ROWS), (1, COLUMNS)), PAIR, True) is (
        HloSharding.tuple_of([ROWS, BOTH])
    )
    assert improve_leaf(first, ((1, REPLICATED),), PAIR, True) is None
    assert improve_leaf(None, ((0, ROWS),), MATRIX, True) is ROWS
    assert improve_leaf(ROWS, ((0, COLUMNS),), MATRIX, True) is BOTH


def test_what_is_shared_must_differ() -> None:
    assert share(None, BOTH) is BOTH
    assert share(COLUMNS, BOTH) is BOTH
    assert share(parse_sharding("{devices=[2,4]0,1,2,3,4,5,6,7}"), BOTH) is None
    noted = parse_sharding('{devices=[2,4]<=[8] metadata={op_name="here"}}')
    assert share(noted, BOTH) is None


def test_joins_are_registered_by_name() -> None:
    names = {"fill", "improve", "improve_leaf", "improve_loose", "pick", "put", "share"}
    assert set(JOINS) == names
    assert JOINS["improve"](ROWS, COLUMNS, MATRIX, True) is improved(ROWS, COLUMNS, MATRIX, True)
