"""Descriptions of dimensions in all their notations, and how they are fitted to shapes."""

from __future__ import annotations

import dataclasses

import pytest

from shardlog.ir.algebra import (
    exactness,
    matches,
    named_dims,
    to_leaves,
    to_operand,
    to_result,
    to_sibling,
)
from shardlog.ir.algebra.description import Description, Side, read_description
from shardlog.ir.algebra.named_dims import fit
from shardlog.ir.errors import InputError
from shardlog.ir.shape import Shape, parse_shape
from shardlog.ir.sharding import HloSharding
from shardlog.ir.sharding_text import parse_sharding

SHARDY = "([i, k],[k, j])->([i, j]) {i=8, j=16, k=8}"


def side(*dims: str, batch: str | None = None) -> Side:
    return Side(tuple(tuple(dim.split()) for dim in dims), batch)


def shapes(text: str) -> tuple[Shape, ...]:
    return tuple(map(parse_shape, text.split(" ")))


def tiled(text: str) -> HloSharding:
    return parse_sharding(text)


@pytest.mark.parametrize(
    ("text", "description"),
    [
        (" -> ", Description((side(),), (side(),))),
        ("i j, j k -> i k", Description((side("i", "j"), side("j", "k")), (side("i", "k"),))),
        (
            "i (j k), k -> i j, k",
            Description((side("i", "j k"), side("k")), (side("i", "j"), side("k"))),
        ),
        (
            "... a, ...1 b -> ... a, ...1 b",
            Description(*[(side("a", batch="0"), side("b", batch="1"))] * 2),
        ),
        (
            SHARDY,
            Description(
                (side("i", "k"), side("k", "j")),
                (side("i", "j"),),
                (("i", 8), ("j", 16), ("k", 8)),
            ),
        ),
        (
            f"#sdy.op_sharding_rule<{SHARDY} reduction={{k}} need_replication={{j}}, custom>",
            Description(
                (side("i", "k"), side("k", "j")),
                (side("i", "j"),),
                (("i", 8), ("j", 16), ("k", 8)),
                frozenset("j"),
                frozenset(),
                frozenset("k"),
            ),
        ),
        (
            "([ij, z_1])->([ij, z_1]) {i=2, j=4, z_1=8} need_replication={j, z_1}",
            Description(
                (side("i j", "z_1"),),
                (side("i j", "z_1"),),
                (("i", 2), ("j", 4), ("z_1", 8)),
                frozenset(("j", "z_1")),
            ),
        ),
        (
            "seq (h d) -> seq (h d), h=4, need_replication_factors=('d',)",
            Description(
                (side("seq", "h d"),), (side("seq", "h d"),), (("h", 4),), frozenset(("d",))
            ),
        ),
        (
            "a b -> a b, pass_through={a} permutation={b}",
            Description((side("a", "b"),), (side("a", "b"),), (), frozenset(), frozenset("ab")),
        ),
    ],
)
def test_notations(text: str, description: Description) -> None:
    found = read_description(text)
    assert dataclasses.replace(found, kinds=()) == description


def test_the_word_for_each_factor_is_kept() -> None:
    text = "a b c -> a b c, need_replication={a} blocked_propagation={b} permutation={c}"
    assert dict(read_description(text).kinds) == {
        "a": "need_replication",
        "b": "blocked_propagation",
        "c": "permutation",
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("b h", "one '->' between operands and results"),
        ("b -> h -> b", "one '->' between operands and results"),
        ("b* -> b", "names of dimensions, not 'b*'"),
        ("b h -> b 1", "names of dimensions, not '1'"),
        ("i ... -> i", "'...' at the beginning, before all other dimensions"),
        ("(i) -> i", "two names or more in parentheses, not '(i)'"),
        ("(i (j k)) -> i", "names of dimensions, not '('"),
        ("([i])->[i]", "operands and results in parentheses, each in brackets"),
        ("([i] x)->([i])", "operands and results in parentheses, each in brackets"),
        ("([I])->([I])", "factors such as i, jk or z_1, not 'I'"),
        ("seq -> seq, need_replication={e}", "names of dimensions in braces, not 'e'"),
        ("a -> a {b=2}", "names of dimensions in braces, not 'b'"),
        ("a -> a {a=2}, a=3", "one size above 0 for 'a'"),
        ("a -> a {a=0}", "one size above 0 for 'a'"),
        ("([i, i])->([i])", "each name once in 'i i'"),
        ("a b -> a b, reduction={b}", "no 'b' in a result, since it is reduced"),
    ],
)
def test_what_cannot_be_read(text: str, expected: str) -> None:
    with pytest.raises(InputError) as error:
        read_description(text)
    assert error.value.expected == expected


@pytest.mark.parametrize(
    ("spec", "given", "wrong"),
    [
        ("a, b -> a", "f32[2] f32[2]", "it has 1 operand, not 2"),
        ("a -> a, a", "f32[2] f32[2]", "it has 1 result, not 2"),
        ("a -> a", "f32[2] f32[2,3]", "the result is f32[2,3], not of 1 dimensions"),
        ("... a b -> ... b", "f32[2] f32[2]", "operand 0 is f32[2], not of at least 2 dimensions"),
        ("a -> a", "(f32[2]) f32[2]", "operand 0 is (f32[2]), which is no array"),
        (
            "... a -> ... a",
            "f32[2,3] f32[2]",
            "'...' is 0 dimensions of the result and 1 of operand 0",
        ),
        (
            "... a -> ... a",
            "f32[2,3] f32[4,3]",
            "'...' is 2 in operand 0 and 4 in the result",
        ),
        (
            "a b -> a b",
            "f32[2,8] f32[2,4]",
            "'b' is 8 in operand 0 and 4 in the result; if tiles pass all the same, add "
            "pass_through={b}, if they do not, need_replication={b}",
        ),
        ("a -> a {a=3}", "f32[2] f32[2]", "'a' is 3 in the description and 2 in operand 0"),
        ("(a b) -> a b {a=3}", "f32[8] f32[3,2]", "'(a b)' is 6 by its factors and 8 in operand 0"),
        (
            "(a b) -> (b a)",
            "f32[8] f32[8]",
            "'(a b)' needs the sizes of a and b: write {a=...}",
        ),
        ("(a b) -> (b a) {a=3}", "f32[8] f32[8]", "'(a b)' is 3 by its factors and 8 in operand 0"),
    ],
)
def test_what_does_not_fit(spec: str, given: str, wrong: str) -> None:
    assert fit(spec, shapes(given)) == wrong
    assert named_dims(spec, shapes(given)) is None


def test_names_without_a_partner_pass_no_tiles() -> None:
    named = named_dims(
        "b h d, _ h -> b d _, need_replication={d}", shapes("f32[8,4,2] f32[9,4] f32[8,2,6]")
    )
    assert named is not None
    assert str(to_result(tiled("{devices=[2,1,2]<=[4]}"), named, 0)) == (
        "{devices=[2,1,1,2]<=[4] last_tile_dim_replicate}"
    )
    assert str(to_operand(tiled("{devices=[2,1,2]<=[4]}"), named, 0)) == (
        "{devices=[2,1,1,2]<=[4] last_tile_dim_replicate}"
    )
    # h is in no result: it passes between the operands
    assert str(to_sibling(tiled("{devices=[2,2,1]<=[4]}"), named, 0, 1)) == (
        "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"
    )
    assert to_sibling(tiled("{devices=[2,2,1]<=[4]}"), named, 0, 0) is None


def test_factors_pass_major_to_minor() -> None:
    named = named_dims("(i j) k -> j (i k), {i=2}", shapes("f32[8,4] f32[4,8]"))
    assert named is not None
    both = tiled("{devices=[4,1]<=[4]}")
    assert str(to_result(both, named, 0)) == "{devices=[2,2]<=[2,2]T(1,0)}"
    assert to_operand(tiled("{devices=[2,2]<=[2,2]T(1,0)}"), named, 0) is both
    # k is the minor factor of its dimension: its tiles have no place there
    assert str(to_result(tiled("{devices=[1,4]<=[4]}"), named, 0)) == "{replicated}"


def test_every_leaf_of_a_tuple_has_its_own() -> None:
    named = named_dims("b n -> b, n b", shapes("f32[8,4] (f32[8],f32[4,8])"))
    assert named is not None
    source = tiled("{devices=[2,2]<=[4]}")
    leaves = to_leaves(source, named, 0)
    assert leaves is not None
    assert [(place, str(part)) for place, part in leaves] == [
        (0, "{devices=[2,2]<=[4] last_tile_dim_replicate}"),
        (1, "{devices=[2,2]<=[2,2]T(1,0)}"),
    ]
    assert to_operand(HloSharding.tuple_of([part for _, part in leaves]), named, 0) is source
    manual = HloSharding.tuple_of([HloSharding.manual(), leaves[1][1]])
    assert to_operand(manual, named, 0) is source


def test_other_kinds_pass_as_they_are() -> None:
    named = named_dims("a b -> b a", shapes("f32[8,4] f32[4,8]"))
    assert named is not None
    assert to_result(HloSharding.maximal(3), named, 0) == HloSharding.maximal(3)
    assert to_result(tiled("{devices=[2]<=[2]}"), named, 0) is None


def test_the_smaller_size_is_that_of_a_factor() -> None:
    given = shapes("f32[8] f32[4]")
    for spec in ("a -> a, pass_through={a}", "([i])->([i]) {i=4}", "a -> a, need_replication={a}"):
        named = named_dims(spec, given)
        assert named is not None
        assert set(named.sizes.values()) == {4}


@pytest.mark.parametrize(
    ("name", "pattern", "found"),
    [
        ("flash", "flash", True),
        ("flash", "fl*", True),
        ("flash", "*a?h", True),
        ("flash", "f*l*a*s*h*", True),
        ("flash", "", False),
        ("flash", "flas", False),
        ("flash", "?flash", False),
        ("a.b", "a?b", True),
        ("a" * 200, "*a" * 60 + "b", False),
    ],
)
def test_patterns(name: str, pattern: str, found: bool) -> None:
    assert matches(name, pattern) is found


def test_a_whole_name_is_more_exact_than_any_pattern() -> None:
    given = ["*", "?", "f*", "fl*", "flash_attention_*", "f"]
    assert sorted(given, key=exactness) == given
