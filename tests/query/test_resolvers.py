"""Relations give by their indexes what a look at all of their rows, and at the module, gives."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shardlog
from shardlog.ir.axes import split_dims
from shardlog.query.relations import Kind
from shardlog.query.vocabulary import RELATIONS

DATA = Path(__file__).parents[1] / "data"
MODULES = ["small/conditional.before.txt", "real/f12_cond_constrained.before.txt",
           "real/f14_pipe_roll_8.before.txt", "real/f11_qr_batch8.before.txt"]  # fmt: skip
MESH = shardlog.Mesh.parse("x=8")


@pytest.fixture(scope="module", params=MODULES)
def result(request: pytest.FixtureRequest) -> shardlog.Result:
    """A module with tuples, calls or loops, propagated."""
    return shardlog.propagate(DATA / request.param)


@given(st.data())
def test_look_ups_agree_with_all_rows(result: shardlog.Result, data: st.DataObject) -> None:
    session = result.session(MESH)
    name = data.draw(st.sampled_from(sorted(RELATIONS)))
    source, arity = session.sources[name], RELATIONS[name].arity
    rows = list(source.lookup((), ()))
    assert len(set(rows)) == len(rows)
    if source.size() >= 0:
        assert source.size() == len(rows)
    places = data.draw(st.sets(st.integers(0, arity - 1), min_size=1).map(sorted).map(tuple))
    like = data.draw(st.sampled_from(rows)) if rows else ("no such name",) * arity
    other = data.draw(st.sampled_from(rows)) if rows else like
    key = tuple(data.draw(st.sampled_from((like[p], other[p], "none", -1))) for p in places)
    wanted = [row for row in rows if tuple(row[p] for p in places) == key]
    assert sorted(source.lookup(places, key), key=str) == sorted(wanted, key=str)
    assert source.estimate(places, key) >= 0
    assert source.estimate(places, None) >= 0


def test_values_are_of_the_kinds_that_are_told(result: shardlog.Result) -> None:
    session = result.session(MESH)
    for name, relation in RELATIONS.items():
        for row in itertools.islice(session.sources[name].lookup((), ()), 200):
            for value, (_, kind) in zip(row, relation.arguments, strict=True):
                assert isinstance(value, int) == (kind in (Kind.NUMBER, Kind.STEP)), (name, row)
                if kind is Kind.INSTRUCTION:
                    assert value in session.names.numbers, (name, row)


def test_rows_are_what_the_module_says(result: shardlog.Result) -> None:
    names = result.session().names.instructions
    run = result.run
    wanted: dict[str, set[Any]] = {
        name: set()
        for name in ("replicated", "unsharded", "tiled", "dim_shards", "operand", "user",
                     "byte_size", "sharding", "changed", "annotated", "reaches", "rule")
    }  # fmt: skip
    below: dict[Any, set[Any]] = {}
    for number, x in enumerate(run.entities):
        name, sharding = names[number], x.sharding
        parts = [] if sharding is None else sharding.elements if sharding.is_tuple else [sharding]
        if sharding is None:
            wanted["unsharded"].add((name,))
        else:
            wanted["sharding"].add((name, str(sharding)))
            if all(str(part.without_metadata()).startswith("{replicated") for part in parts):
                wanted["replicated"].add((name,))
        if any(split_dims(part) for part in parts):
            wanted["tiled"].add((name,))
        for dim in range(x.shape.rank):
            ways = 1
            if sharding is not None and dim in split_dims(sharding):
                ways = sharding.tile.dims[dim]
            wanted["dim_shards"].add((name, dim, ways))
        for place, operand in enumerate(result.run.outcome.saturated.facts.rows["operand"][number]):
            wanted["operand"].add((name, place, names[operand]))
        for place, user in enumerate(run.users(number)):
            wanted["user"].add((name, place, names[user]))
        leaves = x.shape.leaves if x.shape.is_tuple else (x.shape,)
        # a pred takes a byte
        size = sum(math.prod(s.dimensions) * max(s.bit_width // 8, 1) for s in leaves)
        wanted["byte_size"].add((name, size))
        given_ = run.outcome.given[number]
        if given_ is not None:
            wanted["annotated"].add((name,))
        if given_ != sharding:
            wanted["changed"].add((name,))
        below[number] = set(run.users(number))
    grown = True
    while grown:
        grown = False
        for reached in below.values():
            more = set().union(*(below[one] for one in reached)) - reached
            reached |= more
            grown |= bool(more)
    wanted["reaches"] = {(names[a], names[b]) for a, reached in below.items() for b in reached}
    for record in result.records:
        wanted["rule"] = {row for row in wanted["rule"] if row[0] != names[record.entity]}
        wanted["rule"].add((names[record.entity], record.rule.name))
    for name, rows in wanted.items():
        terms = ", ".join("XYZ"[: RELATIONS[name].arity])
        assert set(result.query(f"{name}({terms})").rows) == rows, name


def test_reshards_are_those_of_why(gpt: shardlog.Result) -> None:
    result = shardlog.propagate(DATA / "threads" / "constrained_sum.hlo")
    found = result.query("reshard(O, I) & (wanted[O, I] == S)")
    spread = "{devices=[1,8,1]<=[8]}"
    assert set(found.rows) == {("a.1", "add.2", spread), ("b.1", "add.2", spread)}
    assert gpt.query("reshard(O, I)").count == 0
