"""Mesh-based shardings: text and bytes there and back, and the grids that they stand for."""

from __future__ import annotations

import pickle
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shardlog.converters.named_sharding_proto import named_from_bytes, named_to_bytes
from shardlog.converters.op_sharding import from_proto_bytes
from shardlog.converters.wire import length_delimited
from shardlog.ir.errors import InputError
from shardlog.ir.named_sharding import NamedSharding
from shardlog.ir.named_sharding_text import parse_named_sharding
from shardlog.ir.op_metadata import OpMetadata
from shardlog.ir.sharding import HloSharding
from shardlog.ir.sharding_text import parse_sharding
from shardlog.ir.shardy import AxisRef, Mesh, TensorSharding
from shardlog.ir.tile_assignment import TileAssignment
from tests.ir.shardy_strategies import generators, random_mesh, random_sharding

MANY = settings(max_examples=2000)
XY = Mesh.of({"x": 2, "y": 4})


def random_named(rng: Random) -> NamedSharding:
    """A valid mesh-based sharding, now and then on one device, with manual axes or metadata."""
    if rng.random() < 0.05:
        return NamedSharding(Mesh.maximal(rng.randrange(9)))
    mesh = random_mesh(rng, devices=True)
    names = [axis.name for axis in mesh.axes]
    manual = [name for name in names if rng.random() < 0.2]
    sharding = random_sharding(rng, mesh, manual)
    named = NamedSharding.of_sdy(sharding.with_mesh(mesh), map(AxisRef, manual))
    notes = [
        OpMetadata.of({"op_name": f"a'{n}", "source_line": n}) for n in range(rng.choice(range(3)))
    ]
    order = None
    if not mesh.device_ids and rng.random() < 0.3:
        sizes = [axis.size for axis in mesh.axes]
        perm = rng.sample(range(len(sizes)), len(sizes))
        order = TileAssignment.iota(sizes, [sizes[i] for i in perm], sorted(perm, key=perm.index))
    return NamedSharding(
        named.mesh,
        named.dims,
        named.replicated,
        named.unreduced,
        named.manual,
        tuple(notes),
        order,
    )


def told(named: NamedSharding) -> NamedSharding:
    """What the text tells: "manual" and "unreduced" are said of all axes, whatever their sizes."""
    text = str(named)
    every = tuple(AxisRef(axis.name) for axis in named.mesh.axes)
    groups = {"manual": text.endswith(", manual}"), "unreduced": text.endswith(", unreduced}")}
    if not any(groups.values()):
        return named
    return NamedSharding(
        named.mesh,
        unreduced=every if groups["unreduced"] else (),
        manual=every if groups["manual"] else (),
        metadata=named.metadata,
        order=named.order,
    )


@MANY
@given(generators)
def test_text_and_bytes_are_read_back(rng):
    named = random_named(rng)
    assert named_from_bytes(named_to_bytes(named)) is named
    assert parse_named_sharding(named.to_text()) is told(named)
    assert parse_sharding(named.to_text()) is told(named).tiles()
    assert from_proto_bytes(length_delimited(14, named_to_bytes(named))) is named.tiles()
    assert pickle.loads(pickle.dumps(named)) is named


@MANY
@given(generators)
def test_a_grid_goes_to_its_mesh_and_back(rng):
    named = random_named(rng)
    tiles = named.tiles()
    if named.order is not None:
        named = NamedSharding(
            named.mesh, named.dims, named.replicated, named.unreduced, named.manual
        )
        tiles = named.tiles()
    if tiles.kind == "tiled" and tiles.num_devices == 1:
        return  # one device in several subgroups, which XLA reads as replicated or not at all
    again = NamedSharding.of(tiles, named.mesh)
    # XLA leaves an unreduced group of all devices as it is if an axis of size 1 is manual, too
    assert again.tiles().equals(tiles) or tiles.subgroup_types == ("unreduced",)
    assert again.mesh is named.mesh
    # the dimensions come back with the same axes, but for those of size 1
    if again.dims:
        sizes = [dim.sharded_size(named.mesh) for dim in named.dims]
        assert [dim.sharded_size(named.mesh) for dim in again.dims] == sizes
    assert again.metadata == named.metadata


@MANY
@given(generators)
def test_shardys_form_is_the_same_but_for_priorities(rng):
    mesh = random_mesh(rng, devices=True)
    sharding = random_sharding(rng, mesh).with_mesh(mesh)
    back = NamedSharding.of_sdy(sharding).to_sdy()
    if str(NamedSharding.of_sdy(sharding)).endswith(", unreduced}"):
        assert [axis.name for axis in back.unreduced] == [axis.name for axis in mesh.axes]
        return
    without = TensorSharding(
        mesh,
        tuple(type(dim)(dim.axes, dim.is_closed) for dim in sharding.dims),
        sharding.replicated,
        sharding.unreduced,
    )
    assert back is without


@pytest.mark.parametrize(
    ("grid", "text"),
    [
        ("{devices=[2,4]<=[8]}", "{mesh['x'=2,'y'=4], [{'x'}, {'y'}]}"),
        ("{devices=[4,2]<=[2,4]T(1,0)}", "{mesh['x'=2,'y'=4], [{'y'}, {'x'}]}"),
        ("{devices=[2,4]0,1,2,3,4,5,6,7}", "{mesh['x'=2,'y'=4], [{'x'}, {'y'}]}"),
        ("{devices=[4,2]<=[8]}", "{mesh['x'=2,'y'=4], [{'x', 'y':(1)2}, {'y':(2)2}]}"),
        ("{devices=[2,4]<=[8] last_tile_dim_replicate}", "{mesh['x'=2,'y'=4], [{'x'}]}"),
        ("{devices=[2,4]4,5,7,6,3,2,1,0 last_tile_dim_replicate}", None),
        (
            "{devices=[4,2]<=[2,4]T(1,0) last_tile_dims={manual}}",
            "{mesh['x'=2,'y'=4], [{'y'}], manual={'x'}}",
        ),
        ("{manual}", "{mesh['x'=2,'y'=4], manual}"),
        ("{unreduced}", "{mesh['x'=2,'y'=4], unreduced}"),
        ("{replicated}", "{mesh['x'=2,'y'=4], replicated}"),
        ("{maximal device=3}", "{maximal_mesh[device_id=3]}"),
        ("{devices=[3]<=[3]}", None),
        ("{devices=[8]7,6,5,4,3,2,1,0}", None),
        ("{unknown}", None),
        ("{replicated shard_as 1}", None),
    ],
)
def test_a_grid_on_a_mesh(grid, text):
    sharding = parse_sharding(grid)
    if text is None:
        with pytest.raises(InputError):
            NamedSharding.of(sharding, XY)
    else:
        assert str(NamedSharding.of(sharding, XY)) == text


def test_a_mesh_in_another_order_gives_a_list():
    mesh = Mesh.of({"x": 2, "y": 2}, [3, 2, 1, 0])
    grid = "{devices=[2,1,2]2,3,0,1 last_tile_dim_replicate}"
    named = NamedSharding.of(parse_sharding(grid), mesh)
    assert str(named) == "{mesh['x'=2,'y'=2], device_ids=(3,2,1,0), [{'x'}, {}]}"
    assert str(named.tiles()) == grid


def test_names_with_quotes_are_read_back():
    # XLA prints them without escapes, and then cannot read them
    named = NamedSharding(Mesh.of({"a'b\\": 2}), (), (AxisRef("a'b\\"),))
    assert parse_named_sharding(str(named)) is named


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{mesh['x'=2], [{'q'}]}", "1:17: the mesh has no axis 'q'"),
        ("{mesh['x'=0], [{}]}", "1:7: bad size of mesh axis 'x' (expected at least 1, found 0)"),
        (
            "{mesh['x'=2], [{'x'}], manual={'x'}}",
            '1:15: axis "x" is used twice',
        ),
        (
            "{mesh['x'=2,'y'=4], [], manual={'y', 'x'}}",
            '1:21: manual axes "y", "x" are not in the order of the mesh',
        ),
        (
            "{mesh['x'=2], [], manual={}, manual={'x'}}",
            "1:30: manual given twice (expected each attribute once, found 'manual=')",
        ),
        (
            "{mesh['x'=4], device_ids=([2,3]T(1,0)), [{'x'}]}",
            "1:28: a grid of [4] has 4 places, but reshape dimensions [2, 3] give 6 devices",
        ),
        ("{mesh[], manual}", "1:10: manual needs a mesh with axes"),
        ("{mesh['x'=2], replicated, manual={'x'}}", "1:27: unknown attribute"),
        ("{replicated}", "1:2: no mesh-based sharding"),
    ],
)
def test_messages(text, message):
    with pytest.raises(InputError) as caught:
        parse_named_sharding(text)
    assert str(caught.value).startswith(message)


def test_a_group_given_twice_is_read_only_leniently():
    text = "{mesh['x'=2,'y'=4], [], replicated={'x'}, replicated={'y'}}"
    with pytest.raises(InputError):
        parse_sharding(text)
    named = parse_named_sharding(text, lenient=True)
    assert str(named) == "{mesh['x'=2,'y'=4], [], replicated={'x', 'y'}}"


def test_a_million_million_devices_stay_symbolic():
    text = "{mesh['x'=1000000,'y'=1000000], device_ids=([1000000,1000000]T(1,0)), [{'x'}, {'y'}]}"
    named = parse_named_sharding(text)
    assert str(named) == text
    assert str(named.tiles()) == "{devices=[1000000,1000000]<=[1000000,1000000]T(1,0)}"
    with pytest.raises(InputError, match="a list of 1000000000000 devices is too long"):
        named.to_sdy()
    huge = HloSharding.tiled(TileAssignment.iota((10**6, 10**6)))
    mesh = Mesh.of({"a": 1000, "b": 10**9})
    assert str(NamedSharding.of(huge, mesh)) == (
        "{mesh['a'=1000,'b'=1000000000], [{'a', 'b':(1)1000}, {'b':(1000)1000000}]}"
    )


@pytest.mark.parametrize("count", [20_000, 1_000_000])
def test_too_many_axes_are_refused(count):
    axes = ",".join(f"'a{n}'=1" for n in range(count))
    with pytest.raises(InputError, match=r"too long|too many"):
        parse_sharding(f"{{mesh[{axes}], replicated}}")


def live_hlo():
    return pytest.importorskip("jaxlib._hlo", reason="needs a jaxlib with mesh-based shardings")


@given(st.data())
@settings(max_examples=2000)
def test_jaxlib_reads_and_writes_the_same(data):
    hlo = live_hlo()
    named = random_named(data.draw(generators))
    if any(not name.isascii() or "'" in name or "\\" in name for name in named.mesh.places):
        return  # XLA prints such names without escapes
    theirs = hlo.HloSharding.from_string(named.to_text())
    ours = parse_named_sharding(named.to_text())
    assert str(theirs) == str(ours)
    assert theirs.to_proto().SerializeToString() == length_delimited(14, named_to_bytes(ours))
    if named.tiles().tile.dims or not named.dims:
        assert str(theirs.v3_to_v2_sharding()) == str(ours.tiles())
    message = hlo.OpSharding()
    message.ParseFromString(length_delimited(14, named_to_bytes(named)))
    assert str(hlo.HloSharding.from_proto(message)) == str(named)
