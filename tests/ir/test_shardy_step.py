"""Laws of projection and of a step, on random shardings."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from shardlog.ir.shardy import AxisRef, DimensionSharding, Mesh, TensorSharding
from shardlog.ir.shardy.op_rule import OpRule, parse_op_rule
from shardlog.ir.shardy.projection import Axes, deal, projected, rebuilt
from shardlog.ir.shardy.step import (
    agreed,
    common_major,
    directions,
    grown,
    prefix_of,
    ranking,
    wishes,
)
from shardlog.ir.shardy.step import rebuilt as after

MESH = Mesh.of({"a": 2, "b": 4, "c": 6})
PIECES = [
    AxisRef("a"),
    AxisRef("b"),
    AxisRef.part("b", 1, 2),
    AxisRef.part("b", 2, 2),
    AxisRef("c"),
    AxisRef.part("c", 1, 2),
    AxisRef.part("c", 2, 3),
]
RULES = [
    parse_op_rule("([i, j], [j, k])->([i, k]) {i=8, j=12, k=6} reduction={j}"),
    parse_op_rule("([ij, k])->([i, jk]) {i=4, j=6, k=8}"),
    parse_op_rule("([i, j], [i, j])->([i, j]) {i=8, j=12}"),
    parse_op_rule("([i, j])->([j, k], [i]) {i=8, j=5, k=3} need_replication={k}"),
]


def disjoint(pieces: list[AxisRef]) -> list[AxisRef]:
    found: list[AxisRef] = []
    for piece in pieces:
        if not any(piece.overlaps(other) for other in found):
            found.append(piece)
    return found


@st.composite
def shardings(draw: st.DrawFn, rank: int) -> TensorSharding | None:
    if draw(st.integers(0, 4)) == 0:
        return None
    pieces = disjoint(draw(st.permutations(PIECES)))
    cuts = sorted(draw(st.lists(st.integers(0, len(pieces)), min_size=rank, max_size=rank)))
    dims = []
    for start, end in zip([0, *cuts], cuts, strict=False):
        axes: list[AxisRef] = []
        for piece in pieces[start:end]:
            if axes and axes[-1].can_merge(piece):
                axes[-1] = axes[-1].merge(piece, MESH)
            else:
                axes.append(piece)
        dims.append(DimensionSharding(tuple(axes), draw(st.booleans())))
    rest = pieces[cuts[-1] :] if cuts else pieces
    barred = tuple(sorted(rest[: draw(st.integers(0, 1))], key=lambda x: x.mesh_order(MESH)))
    return TensorSharding("mesh", tuple(dims), barred)


@st.composite
def situations(draw: st.DrawFn) -> tuple[OpRule, tuple[TensorSharding | None, ...]]:
    rule = draw(st.sampled_from(RULES))
    return rule, tuple(draw(shardings(len(dims))) for dims in rule.slots)


@given(situations())
def test_projection_keeps_the_axes(
    situation: tuple[OpRule, tuple[TensorSharding | None, ...]],
) -> None:
    rule, given_shardings = situation
    projection = projected(rule, given_shardings, "mesh", MESH)
    for slot, sharding in enumerate(given_shardings):
        if sharding is None:
            continue
        whole = rebuilt(rule, slot, projection.slots[slot].parts, sharding, "mesh", MESH)
        for old, new in zip(sharding.dims, whole.dims, strict=True):
            assert new.sharded_size(MESH) == old.sharded_size(MESH)
            assert prefix_of(new.axes, old.axes)


@given(st.permutations(PIECES), st.sampled_from([(4, 6), (8, 5, 2), (3, 7), (12,)]))
def test_dealing_splits_factors_evenly(pieces: list[AxisRef], sizes: tuple[int, ...]) -> None:
    axes = tuple(disjoint(pieces))
    dealt = deal(axes, sizes, MESH)
    assert len(dealt) == len(sizes)
    for (taken, overflow), size in zip(dealt[:-1], sizes, strict=False):
        assert size % math.prod(axis.size(MESH) for axis in taken) == 0
        if overflow:
            break
    total = math.prod(axis.size(MESH) for both in dealt for part in both for axis in part)
    assert total == math.prod(axis.size(MESH) for axis in axes)


@given(st.permutations(PIECES), st.permutations(PIECES), st.booleans())
def test_what_two_lists_have_in_common(
    first: list[AxisRef], second: list[AxisRef], can_expand: bool
) -> None:
    one, other = tuple(disjoint(first)[:3]), tuple(disjoint(second)[:3])
    found, _ = common_major(one, other, can_expand)
    assert prefix_of(found, one) or prefix_of(one, found)
    if prefix_of(one, other) and can_expand:
        assert found == other
    if prefix_of(other, one):
        assert found == one
    assert common_major(one, one, can_expand)[0] == one


@settings(max_examples=300)
@given(situations(), st.sampled_from(["both", "forward", "backward"]), st.booleans())
def test_a_step_only_adds_and_ends(
    situation: tuple[OpRule, tuple[TensorSharding | None, ...]], way: str, flat: bool
) -> None:
    rule, now = situation
    ways = directions(rule, way, "both")  # type: ignore[arg-type]
    for strategy in ("aggressive", "basic"):
        projection = projected(rule, now, "mesh", MESH)
        if strategy == "basic":
            growth = agreed(projection, ways)
        else:
            wish = wishes(projection, ways)
            if wish is None:
                continue
            growth = grown(projection, wish, ranking(projection, wish, flat), flat)
        assert growth is not None
        for slot, old in enumerate(now):
            new = after(growth, slot)
            if new is None:
                continue
            used: list[AxisRef] = [
                *new.replicated,
                *(axis for dim in new.dims for axis in dim.axes),
            ]
            assert disjoint(used) == used
            before: list[Axes] = [() for _ in new.dims]
            if old is not None:
                before = [dim.axes for dim in old.dims]
                assert new.replicated == old.replicated
                for dim, known in zip(new.dims, old.dims, strict=True):
                    assert dim.axes == known.axes or not known.is_closed
            for dim, axes in zip(new.dims, before, strict=True):
                assert prefix_of(axes, dim.axes)
