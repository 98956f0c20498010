"""The algebra of axis references: laws, and examples of each answer."""

from __future__ import annotations

import math
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shardlog.ir.errors import InputError
from shardlog.ir.shardy import AxisRef, Mesh, parse_axis_ref
from tests.ir.shardy_strategies import generators, random_cut

SIXTEEN = Mesh.of({"a": 16, "b": 16})


def ref(text: str) -> AxisRef:
    return parse_axis_ref(text)


def random_pair(rng: Random) -> tuple[Mesh, list[tuple[AxisRef, range]]]:
    """Two references to one axis out of one cut of it, with the parts that each consists of."""
    parts = random_cut(rng, rng.choice((12, 16, 30, 64)))
    mesh = Mesh.of({"a": math.prod(parts)})
    found = []
    for _ in range(2):
        start = rng.randrange(len(parts))
        end = rng.randint(start + 1, len(parts))
        size = math.prod(parts[start:end])
        whole = size == mesh.total_size
        made = AxisRef("a") if whole else AxisRef.part("a", math.prod(parts[:start]), size)
        found.append((made, range(start, end)))
    return mesh, found


pairs = generators.map(random_pair)


@given(pairs)
def test_references_are_ranges_of_parts(case):
    mesh, [(one, its), (two, others)] = case
    shared = set(its) & set(others)
    assert one.can_coexist(two)
    assert one.contains(two) == (set(others) <= set(its))
    assert one.strictly_contains(two) == (set(others) < set(its))
    assert one.overlaps(two) == bool(shared)
    assert one.is_prefix_of(two) == (set(its) <= set(others) and its[0] == others[0])
    assert one.is_suffix_of(two, mesh) == (set(its) <= set(others) and its[-1] == others[-1])
    assert one.can_merge(two) == (its.stop == others.start)
    assert one.size(mesh) == one.end(mesh) // one.pre_size
    overlap = one.overlap(two)
    assert overlap is two.overlap(one)
    assert (overlap is None) == (not shared)
    if overlap is not None:
        assert one.contains(overlap)
        assert two.contains(overlap)


@given(pairs)
def test_what_is_left_without_the_overlap_and_the_overlap_are_all(case):
    mesh, [(one, its), (two, others)] = case
    before, after = one.prefix_without_overlap(two), one.suffix_without_overlap(two, mesh)
    if not one.overlaps(two):
        assert before is one
        assert after is one
        return
    assert (before is None) == (its[0] >= others[0])
    assert (after is None) == (its[-1] <= others[-1])
    left = [part for part in (before, one.overlap(two), after) if part is not None]
    assert math.prod(part.size(mesh) for part in left) == one.size(mesh)
    whole = left[0]
    for part in left[1:]:
        whole = whole.merge(part, mesh)
    assert whole is one


@given(pairs)
def test_common_prefix(case):
    _, [(one, its), (two, others)] = case
    prefix = one.common_prefix(two)
    assert (prefix is None) == (its.start != others.start)
    if prefix is not None:
        assert prefix.is_prefix_of(one)
        assert prefix.is_prefix_of(two)


@given(pairs, st.booleans())
def test_mesh_order_is_total(case, swap):
    mesh, [(one, _), (two, _)] = case
    both = [one.mesh_order(mesh), two.mesh_order(mesh)]
    assert (both[0] == both[1]) == (one is two)
    if not one.overlaps(two):
        assert (both[0] < both[1]) == (one.pre_size < two.pre_size)


@given(*(st.tuples(st.integers(1, 12), st.integers(2, 12)) for _ in range(2)))
def test_coexisting_is_having_a_common_cut(one, two):
    ends = sorted({one[0], one[0] * one[1], two[0], two[0] * two[1]})
    common = all(minor % major == 0 for major, minor in pairwise(ends))
    first, second = AxisRef.part("a", *one), AxisRef.part("a", *two)
    assert first.can_coexist(second) == common
    if not common:
        assert first.overlap(second) is None
        assert first.prefix_without_overlap(second) is None
        assert first.common_prefix(second) is None


def test_the_whole_axis_stands_behind_its_first_parts():
    refs = [ref(text) for text in ('"a":(1)2', '"a":(1)4', '"a"', '"a":(2)2', '"a":(4)4', '"b"')]
    mixed = refs[3:] + refs[:3]
    assert sorted(mixed, key=lambda axis: axis.mesh_order(SIXTEEN)) == refs


@pytest.mark.parametrize(
    ("one", "two", "overlap"),
    [
        ('"a"', '"a":(2)2', '"a":(2)2'),
        ('"a":(1)4', '"a":(2)4', '"a":(2)2'),
        ('"a":(2)8', '"a":(4)2', '"a":(4)2'),
        ('"a":(1)4', '"a":(4)2', None),
        ('"a":(1)2', '"b"', None),
        ('"a":(1)3', '"a":(2)3', None),
    ],
)
def test_overlaps_of_axes(one, two, overlap):
    assert ref(one).overlap(ref(two)) is (None if overlap is None else ref(overlap))


def test_merging_what_does_not_follow_is_refused():
    for other in ('"a":(4)2', '"a"', '"b":(2)2'):
        with pytest.raises(InputError):
            ref('"a":(1)2').merge(ref(other), SIXTEEN)


@pytest.mark.parametrize(("pre_size", "size"), [(0, 2), (-1, 2), (1, 1), (1, 0)])
def test_parts_that_are_none(pre_size, size):
    with pytest.raises(InputError):
        AxisRef.part("a", pre_size, size)
