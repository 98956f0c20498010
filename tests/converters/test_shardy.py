"""The Shardy bridge: round trips, what they lose, and what has no other side."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shardlog.converters.op_sharding import from_proto_bytes, to_proto_bytes
from shardlog.converters.shardy import (
    export_losses,
    export_per_value,
    export_sharding,
    find_meshes,
    import_losses,
    import_on_meshes,
    import_sharding,
    is_open,
    read_back,
)
from shardlog.converters.shardy.factors import common_factors
from shardlog.ir.errors import InputError
from shardlog.ir.op_metadata import OpMetadata
from shardlog.ir.sharding import HloSharding, ShardGroup
from shardlog.ir.sharding_text import parse_sharding
from shardlog.ir.shardy import DimensionSharding, Mesh, TensorSharding, parse_tensor_sharding
from tests.ir.shardy_strategies import generators, merged, random_mesh, random_sharding
from tests.ir.strategies import tiled

XY = Mesh.of({"x": 2, "y": 4})
MANY = settings(max_examples=400)


def survivor(sharding: TensorSharding, mesh: Mesh, closed: bool) -> TensorSharding:
    """What is to come back: the axes that split something, and what was apart only for others."""
    dims = []
    for dim in sharding.dims:
        axes = [axis for axis in dim.axes if axis.size(mesh) > 1]
        dims.append(DimensionSharding(merged(axes, mesh), closed))
    return TensorSharding(sharding.mesh, tuple(dims))


@settings(max_examples=3000)
@given(generators)
def test_a_sharding_comes_back_on_the_same_mesh(rng):
    mesh = random_mesh(rng, devices=True)
    sharding = random_sharding(rng, mesh)
    closed = rng.random() < 0.5
    exported = export_sharding(sharding, mesh)
    assert from_proto_bytes(to_proto_bytes(exported)) is read_back(exported)
    if exported.kind == "unreduced":
        with pytest.raises(InputError, match="along which axes"):
            import_sharding(exported, mesh, sharding.rank)
        return
    name = sharding.mesh if isinstance(sharding.mesh, str) else None
    back = import_sharding(exported, mesh, sharding.rank, closed, name=name)
    assert back is survivor(sharding, mesh, closed)
    losses = export_losses(sharding, mesh, closed=closed)
    lost = {loss.what for loss in losses} - {"device order"}
    assert bool(lost) == (back is not sharding), losses


@MANY
@given(generators)
def test_manual_axes_become_a_subgroup_that_the_import_drops(rng):
    mesh = random_mesh(rng, devices=True)
    names = [axis.name for axis in mesh.axes]
    manual = rng.sample(names, rng.randint(0, len(names)))
    sharding = random_sharding(rng, mesh, manual, unreduced=False)
    exported = export_sharding(sharding, mesh, manual)
    size = math.prod(mesh.axis_size(name) for name in manual)
    if len(manual) == len(names):
        assert exported is HloSharding.manual()
    elif exported.kind == "tiled":
        types = dict(
            zip(reversed(exported.subgroup_types), reversed(exported.tile.dims), strict=False)
        )
        assert types.get("manual", 1) == size
    name = sharding.mesh if isinstance(sharding.mesh, str) else None
    assert import_sharding(exported, mesh, sharding.rank, name=name) is survivor(
        sharding, mesh, True
    )
    assert ("manual axes" in {x.what for x in export_losses(sharding, mesh, manual)}) == bool(
        manual
    )


@MANY
@given(generators)
def test_devices_are_where_the_axes_say(rng):
    mesh = random_mesh(rng, devices=True)
    sharding = random_sharding(rng, mesh, unreduced=False)
    exported = export_sharding(sharding, mesh)
    if exported.kind != "tiled":
        assert not any(dim.sharded_size(mesh) > 1 for dim in sharding.dims)
        return
    devices = mesh.device_ids or range(mesh.total_size)
    for place, device in enumerate(devices):
        index = []
        for dim in sharding.dims:
            at = 0
            for axis in dim.axes:
                below = math.prod(a.size for a in mesh.axes[mesh.place(axis.name) + 1 :])
                minor = mesh.axis_size(axis.name) // axis.end(mesh)
                at = at * axis.size(mesh) + place // (below * minor) % axis.size(mesh)
            index.append(at)
        tile = exported.tile.array[tuple(index)]
        assert device in tile.reshape(-1)


@MANY
@given(tiled(2, subgroups=((), ("replicated",), ("manual", "replicated"), ("unreduced",))))
def test_a_grid_comes_back_from_the_mesh_that_is_found_for_it(sharding):
    if sharding.kind == "unreduced":
        return
    try:
        found = find_meshes([sharding])
    except InputError:
        # a list of devices, or a grid that no axes make
        return
    back = import_on_meshes(sharding, found, 2)
    if back is None:
        assert sharding.kind in ("replicated", "manual")
        return
    back.verify(found["mesh"], 2)
    if not import_losses(sharding):
        assert export_sharding(back, found) is sharding
    else:
        assert export_sharding(back, found) is not sharding


@MANY
@given(generators)
def test_shardings_of_one_program_come_back_from_the_mesh_that_is_found_for_all(rng):
    mesh = random_mesh(rng)
    whole = [random_sharding(rng, mesh, unreduced=False) for _ in range(rng.randint(1, 5))]
    exported = [(export_sharding(each, mesh), each.rank) for each in whole]
    try:
        found = find_meshes(sharding for sharding, _ in exported)
    except InputError:
        # only axes that are cut in different ways have none
        assert any(axis.sub_axis is not None for each in whole for axis in each.axis_refs())
        return
    for sharding, rank in exported:
        back = import_on_meshes(sharding, found, rank)
        if back is None:
            assert not found
            assert read_back(sharding).is_replicated
            continue
        assert all(axis.sub_axis is None for axis in back.axis_refs())
        if sharding.num_devices != 1:
            assert export_sharding(back, found) is sharding


@given(st.lists(st.integers(1, 12), max_size=5), st.lists(st.integers(1, 12), max_size=5))
def test_common_factors_refine_both(sizes, others):
    common = common_factors(sizes, others)
    assert common == common_factors(others, sizes)
    if math.prod(sizes) != math.prod(others):
        assert common is None
    if common is not None:
        ends = {math.prod(common[:count]) for count in range(len(common) + 1)}
        for given_sizes in (sizes, others):
            assert {math.prod(given_sizes[:i]) for i in range(len(given_sizes) + 1)} <= ends
        assert 1 not in common


def test_what_has_no_hlo_sharding():
    sharding = parse_tensor_sharding('<@mesh, [{}], unreduced={"x"}>')
    with pytest.raises(InputError, match="beside manual axes"):
        export_sharding(sharding, XY, ["y"])
    assert str(export_sharding(sharding, XY)) == (
        "{devices=[1,2,4]<=[8] last_tile_dims={unreduced, replicated}}"
    )
    for mesh, words in ((None, "not known"), ({"other": XY}, "not known")):
        with pytest.raises(InputError, match=words):
            export_sharding(sharding, mesh)
    with pytest.raises(InputError, match="no cut of the axis"):
        export_sharding(
            parse_tensor_sharding('<@mesh, [{"x":(1)2}, {"x":(3)4}]>'), Mesh.of({"x": 12})
        )
    for manual in (["z"], ["x", "x"]):
        with pytest.raises(InputError):
            export_sharding(TensorSharding("mesh"), XY, manual)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{{replicated}, {replicated}}", "several values"),
        ("{unreduced}", "along which axes"),
        ("{devices=[2,4]<=[8]}", "splits 2 dimensions of a tensor of rank 1"),
        ("{devices=[4]<=[4]}", "expected 8 devices, found 4"),
        ("{devices=[8]1,0,2,3,4,5,6,7}", "not in the order of a mesh"),
        ("{devices=[8]<=[2,2,2]T(2,0,1)}", None),
    ],
)
def test_what_has_no_sharding_on_a_mesh(text, words):
    sharding = parse_sharding(text)
    if words is None:
        assert str(import_sharding(sharding, XY, 1)) == (
            '#sdy.sharding<@mesh, [{"y":(2)2, "x", "y":(1)2}]>'
        )
        return
    with pytest.raises(InputError, match=words):
        import_sharding(sharding, XY, 1)


def test_a_mesh_with_device_ids_is_read_against():
    mesh = Mesh.of({"x": 2, "y": 2}, [3, 2, 1, 0])
    exported = export_sharding(parse_tensor_sharding('<@mesh, [{"y"}, {}]>'), mesh)
    assert str(exported) == "{devices=[2,1,2]1,3,0,2 last_tile_dim_replicate}"
    assert str(import_sharding(exported, mesh, 2)) == '#sdy.sharding<@mesh, [{"y"}, {}]>'
    for text in ("{devices=[2,2]<=[4]}", "{devices=[2,2]0,1,2,9}", "{devices=[2,2]3,1,0,2}"):
        with pytest.raises(InputError, match=r"axes of|mesh lacks"):
            import_sharding(parse_sharding(text), mesh, 2)


def test_losses_are_told_with_their_values():
    mesh = Mesh.of({"x": 2, "y": 4, "z": 1}, [7, 6, 5, 4, 3, 2, 1, 0])
    sharding = parse_tensor_sharding(
        '<@mesh, [{"x", "z", ?}p1, {?}], replicated={"y":(1)2}, unreduced={"y":(2)2}>', mesh
    )
    told = [str(loss) for loss in export_losses(sharding, mesh)]
    assert [line.split(":")[0] for line in told] == [
        "open dimensions",
        "priorities",
        "replicated axes",
        "unreduced axes",
        "axes of size 1",
        "device order",
    ]
    assert "dimensions 0, 1 will be closed" in told[0]
    assert "dimension 0 (p1)" in told[1]
    one = Mesh.maximal(3)
    assert [x.what for x in export_losses(TensorSharding("one"), one)] == ["mesh name"]
    assert export_losses(TensorSharding("maximal_mesh_3"), one) == []
    assert export_losses(TensorSharding(one), one) == []


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("{devices=[2,4]<=[8]}", []),
        ("{replicated}", []),
        ("{manual}", ["manual"]),
        ("{unknown}", ["unknown"]),
        ("{devices=[2,1,4]<=[8] last_tile_dim_replicate}", []),
        ("{devices=[2,4]<=[8] last_tile_dims={manual}}", ["manual subgroup"]),
        (
            "{devices=[2,2,2]<=[8] last_tile_dims={manual,unreduced}}",
            ["manual subgroup", "unreduced subgroup"],
        ),
        ("{devices=[2]0,1}", ["device list"]),
        ("{devices=[1,1]<=[1]}", ["one device"]),
    ],
)
def test_losses_of_an_import(text, lost):
    assert [loss.what for loss in import_losses(parse_sharding(text))] == lost


def test_losses_of_metadata_and_groups():
    sharding = HloSharding.replicated().with_shard_group(ShardGroup(3, "as"))
    sharding = sharding.with_metadata([OpMetadata.of({"op_name": "f"})])
    assert [loss.what for loss in import_losses(sharding)] == ["metadata", "shard group"]


def test_open_arguments_follow_their_flags():
    assert [is_open(flags, 1) for flags in ([], [True], [True, False], [False, True])] == [
        False,
        True,
        False,
        True,
    ]
    with pytest.raises(InputError):
        is_open([True, False], 2)


@pytest.mark.parametrize(
    "make",
    [
        lambda: export_sharding(TensorSharding("mesh"), Mesh.of({f"a{i}": 1 for i in range(999)})),
        lambda: export_sharding(
            TensorSharding.unsharded("mesh", 999), Mesh.of({f"a{i}": 2 for i in range(62)})
        ),
        lambda: export_sharding(
            TensorSharding("mesh"),
            Mesh.of({"x": 2, **{f"a{i}": 1 for i in range(100)}}, [1, 0]),
        ),
        lambda: import_sharding(
            parse_sharding("{devices=[1000000000000]<=[1000000,1000000]T(1,0)}"),
            Mesh.of({"x": 10**6, "y": 10**6}),
            1,
        ),
        lambda: find_meshes(
            HloSharding.tiled(parse_sharding(f"{{devices=[{n},{2**62 // n}]<=[{2**62}]}}").tile)
            for n in [2**k for k in range(62)]
        ),
    ],
)
def test_large_meshes_stay_symbols(make):
    assert make() is not None


def test_several_values_make_a_tuple():
    one = parse_tensor_sharding('<@mesh, [{"x"}]>')
    assert str(export_per_value([one], XY)) == "{devices=[2,4]<=[8] last_tile_dim_replicate}"
    assert export_per_value([], XY) is HloSharding.tuple_of([])
