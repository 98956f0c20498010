"""PartitionSpecs on a mesh: to and from HloSharding, and as JAX itself has them."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings

from shardlog.converters.partition_spec import (
    UNCONSTRAINED,
    PartitionSpec,
    parse_partition_spec,
    sharding_of_spec,
    spec_of_sharding,
)
from shardlog.ir.errors import InputError
from shardlog.ir.sharding_text import parse_sharding
from shardlog.ir.shardy import Mesh
from tests.ir.shardy_strategies import generators, random_mesh

XY = Mesh.of({"x": 2, "y": 4})
ONES = Mesh.of({"x": 2, "one": 1, "y": 4})


def random_spec(rng: Random, mesh: Mesh) -> PartitionSpec:
    """A spec that takes each axis of a mesh at most once, those of size 1 never."""
    rank = rng.randint(0, 4)
    homes: list[list[str]] = [[] for _ in range(rank + 2)]
    names = [axis.name for axis in mesh.axes if axis.size > 1]
    for name in rng.sample(names, len(names)):
        rng.choice(homes).append(name)
    *dims, unreduced, _ = homes
    return PartitionSpec(*map(tuple, dims), unreduced=unreduced)


@pytest.mark.parametrize(
    ("spec", "grid"),
    [
        ("P('x', 'y')", "{devices=[2,4]<=[8]}"),
        ("P('y', 'x')", "{devices=[4,2]<=[2,4]T(1,0)}"),
        ("P('x', None)", "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"),
        ("P(None, ('y', 'x'))", "{devices=[1,8]<=[2,4]T(1,0)}"),
        ("P(('x', 'y'))", "{devices=[8]<=[8]}"),
        ("P()", "{replicated}"),
        ("P('x', unreduced={'y'})", "{devices=[2,4]<=[8] last_tile_dims={unreduced}}"),
    ],
)
def test_a_spec_and_its_sharding(spec, grid):
    value = parse_partition_spec(spec)
    assert str(value) == spec
    sharding = sharding_of_spec(value, XY)
    assert str(sharding) == grid
    assert spec_of_sharding(sharding, XY) == value
    assert spec_of_sharding(sharding, ONES) == value
    assert sharding_of_spec(value, ONES) is sharding


def test_the_rank_gives_the_entries_that_are_left_out():
    spec = parse_partition_spec("PartitionSpec('x')")
    assert str(sharding_of_spec(spec, XY, 3)) == "{devices=[2,1,1,4]<=[8] last_tile_dim_replicate}"
    assert str(spec_of_sharding(parse_sharding("{replicated}"), XY, 2)) == "P(None, None)"


def test_unconstrained_is_read_and_not_said_by_the_sharding():
    spec = parse_partition_spec("P('x', P.UNCONSTRAINED)")
    assert spec == PartitionSpec("x", UNCONSTRAINED)
    assert str(spec) == "P('x', P.UNCONSTRAINED)"
    assert sharding_of_spec(spec, XY) is sharding_of_spec(PartitionSpec("x", None), XY)


def test_anything_like_a_spec_will_do():
    sharding = sharding_of_spec(["x", None, ("y",)], XY)
    assert str(sharding) == "{devices=[2,1,4]<=[8]}"
    assert PartitionSpec.of(("x", ())) == PartitionSpec("x", None)


@pytest.mark.parametrize(
    "grid",
    [
        "{devices=[4,2]<=[8]}",
        "{devices=[8]7,6,5,4,3,2,1,0}",
        "{devices=[2,4]<=[8] last_tile_dims={manual}}",
        "{manual}",
        "{maximal device=1}",
        "{unknown}",
        "{devices=[3]<=[3]}",
    ],
)
def test_what_has_no_spec(grid):
    with pytest.raises(InputError):
        spec_of_sharding(parse_sharding(grid), XY)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("P('x'", "1:2: unreadable PartitionSpec (expected text such as P('x', None))"),
        ("P(x)", "1:3: unreadable PartitionSpec (expected an axis in quotes"),
        ("Q('x')", "1:1: unreadable PartitionSpec (expected P(...) or PartitionSpec(...))"),
        ("P(reduced={'x'})", "1:11: unreadable PartitionSpec (expected axes, or unreduced={...})"),
        ("P(__import__('os'))", "1:3: unreadable PartitionSpec"),
        ("P(" + "(" * 5000, "1:"),
    ],
)
def test_unreadable_specs(text, message):
    with pytest.raises(InputError) as caught:
        parse_partition_spec(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("P('z')", 'unknown axis "z"'),
        ("P('x', 'x')", 'axis "x" is used twice'),
        ("P('x', unreduced={'x'})", 'axis "x" is used twice'),
        ("P(None, None, 'x')", "3 entries for a tensor of rank 2"),
    ],
)
def test_specs_that_do_not_fit(spec, message):
    with pytest.raises(InputError, match=message):
        sharding_of_spec(parse_partition_spec(spec), XY, 2)


@settings(max_examples=2000)
@given(generators)
def test_a_spec_comes_back(rng):
    mesh = random_mesh(rng, devices=True)
    spec = random_spec(rng, mesh)
    sharding = sharding_of_spec(spec, mesh)
    if mesh.total_size == 1 or sharding.is_replicated or sharding.is_unreduced:
        return
    assert spec_of_sharding(sharding, mesh) == spec
    assert parse_partition_spec(str(spec)) == spec


@settings(max_examples=500, deadline=None)
@given(generators)
def test_jax_has_the_same_sharding(rng):
    jax = pytest.importorskip("jax")
    mesh = random_mesh(rng)
    spec = random_spec(rng, mesh)
    if spec.unreduced:
        return  # only on axes of another kind
    names = tuple(axis.name for axis in mesh.axes)
    theirs = jax.sharding.NamedSharding(
        jax.sharding.AbstractMesh(tuple(axis.size for axis in mesh.axes), names),
        jax.sharding.PartitionSpec(*spec.entries),
    )
    rank = len(spec.entries)
    sharding = sharding_of_spec(theirs.spec, mesh, rank)
    assert str(theirs._to_xla_hlo_sharding(rank)) == str(sharding)
    assert sharding is sharding_of_spec(spec, mesh)
