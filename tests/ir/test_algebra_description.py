"""Descriptions of custom calls in all their notations."""

from __future__ import annotations

import pytest

from shardlog.ir.algebra import permuted, spec_map
from shardlog.ir.algebra.description import Description, read_description
from shardlog.ir.dimension_map import DimensionMap
from shardlog.ir.errors import InputError

SHARDY = "([i, k],[k, j])->([i, j]) {i=8, j=16, k=8}"


@pytest.mark.parametrize(
    ("text", "description"),
    [
        (" -> ", Description(((),), ())),
        ("i j, j k -> i k", Description((("i", "j"), ("j", "k")), ("i", "k"))),
        ("i (j k), k -> i j", Description((("i", "(j k)"), ("k",)), ("i", "j"))),
        (SHARDY, Description((("i", "k"), ("k", "j")), ("i", "j"))),
        (
            f"#sdy.op_sharding_rule<{SHARDY} reduction={{k}} need_replication={{j}}, custom>",
            Description((("i", "k"), ("k", "j")), ("i", "j"), frozenset("j")),
        ),
        (
            "([ij, z_1])->([ij, z_1]) {i=2, j=4, z_1=8} need_replication={j, z_1}",
            Description((("ij", "z_1"),), ("ij", "z_1"), frozenset(("ij", "z_1"))),
        ),
        (
            "seq (h d) -> seq (h d), need_replication={d}",
            Description((("seq", "(h d)"),), ("seq", "(h d)"), frozenset(("(h d)",))),
        ),
    ],
)
def test_notations(text: str, description: Description) -> None:
    assert read_description(text) == description


def test_what_must_be_replicated_has_no_partner() -> None:
    spec = "b s d, d -> b s d, need_replication={d}"
    assert spec_map(spec, 0) is DimensionMap(((0, 0), (1, 1)), 3, 3)
    assert spec_map(spec, 1) is DimensionMap((), 1, 3)
    assert spec_map("([j, i])->([i, j]) {i=2, j=4}", 0) is permuted((1, 0))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("... i -> i", "names of dimensions, not '...'"),
        ("([i])->[i]", "operands and results in parentheses, each in brackets"),
        ("([i] x)->([i])", "operands and results in parentheses, each in brackets"),
        ("seq -> seq, need_replication={e}", "names of dimensions to be replicated, not 'e'"),
        ("([i, i])->([i])", "each name once in 'i i'"),
    ],
)
def test_what_cannot_be_read(text: str, expected: str) -> None:
    with pytest.raises(InputError) as error:
        read_description(text)
    assert error.value.expected == expected
