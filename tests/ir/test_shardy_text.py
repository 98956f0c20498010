"""The MLIR text of Shardy's attributes: round trips, errors with their place, and the checks."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shardlog.ir.errors import InputError
from shardlog.ir.shardy import (
    AxisRef,
    DimensionSharding,
    ManualAxes,
    Mesh,
    MeshAxis,
    TensorSharding,
    TensorShardingPerValue,
    parse_axis_ref,
    parse_dimension_sharding,
    parse_manual_axes,
    parse_mesh,
    parse_mesh_op,
    parse_sharding_per_value,
    parse_tensor_sharding,
)
from shardlog.ir.shardy.mlir_text import mlir_string
from tests.ir.shardy_strategies import generators, random_mesh, random_sharding

XY = Mesh.of({"x": 2, "y": 12})


@given(generators)
def test_text_comes_back(rng):
    mesh = random_mesh(rng, devices=True)
    assert parse_mesh(str(mesh)) is mesh
    assert parse_mesh(f"mesh{mesh.stripped}") is parse_mesh(mesh.stripped) is mesh
    assert parse_mesh_op(f"sdy.mesh @m = {mesh.stripped}") == ("m", mesh)
    values = TensorShardingPerValue(
        tuple(random_sharding(rng, mesh) for _ in range(rng.randint(0, 3)))
    )
    for sharding in values:
        sharding.verify(mesh, sharding.rank)
        assert parse_tensor_sharding(str(sharding), mesh) is sharding
        assert parse_tensor_sharding(sharding.stripped, {"mesh": mesh, "a b": mesh}) is sharding
        for dim in sharding.dims:
            assert parse_dimension_sharding(str(dim)) is dim
        for axis in sharding.axis_refs():
            assert parse_axis_ref(f"#sdy<axis_ref{axis}>") is axis
    assert parse_sharding_per_value(str(values), mesh) is values
    assert parse_sharding_per_value(values.stripped, mesh) is values


@given(st.lists(st.text(), unique=True, max_size=3))
def test_any_name_comes_back(names):
    axes = ManualAxes(tuple(names))
    assert parse_manual_axes(str(axes)) is parse_manual_axes(axes.stripped) is axes
    mesh = Mesh.of(dict.fromkeys(names, 2))
    assert parse_mesh(str(mesh)) is mesh
    for name in filter(None, names):
        sharding = TensorSharding(name, (DimensionSharding((AxisRef(name),)),))
        assert parse_tensor_sharding(str(sharding), mesh) is sharding


def test_values_are_pickled_as_themselves():
    text = '#sdy.sharding<mesh<["x"=4]>, [{"x":(1)2, ?}p1], replicated={"x":(2)2}>'
    values = (parse_tensor_sharding(text), XY, XY.axes[0], ManualAxes(("x",)))
    assert pickle.loads(pickle.dumps(values)) == values


def test_strings_are_escaped_as_mlir_escapes_them():
    assert mlir_string('a"b\\c\né') == r'"a\22b\\c\0A\C3\A9"'
    assert parse_axis_ref(r'"a\"b\5C\n\t"').name == 'a"b\\\n\t'


def test_kinds_of_meshes():
    assert parse_mesh("<[]>").is_empty
    assert parse_mesh("<[], device_ids=[3]>").maximal_device == 3
    assert Mesh.maximal(3).is_maximal
    assert parse_mesh("x=2, y=12") is parse_mesh('<["x"=2, "y"=0xc]>') is XY
    assert parse_mesh('<["x"=2], device_ids=[0, 1]>') is Mesh.of({"x": 2})
    assert str(parse_mesh('<["x"=2], device_ids=[1,0]>')) == '#sdy.mesh<["x"=2], device_ids=[1, 0]>'
    assert parse_mesh('<["x"=1], device_ids=[0]>') is Mesh((MeshAxis("x", 1),))


def test_lists_of_axes_come_in_either_order():
    text = '<@mesh, [{} , {"y":(2)6 , ? }p0], unreduced={"x"}, replicated={"y":(1)2}> // end'
    assert parse_tensor_sharding(text, XY).stripped == (
        '<@mesh, [{}, {"y":(2)6, ?}p0], replicated={"y":(1)2}, unreduced={"x"}>'
    )


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("", "1:1", "'<'"),
        ("<@mesh>", "1:7", "','"),
        ("<@mesh, [{}]", "1:13", "the end of the text"),
        ("<@mesh, [{}]> x", "1:15", "more text"),
        ("<@mesh, [{}],>", "1:14", "replicated= or unreduced="),
        ("<@mesh, [{}], replicated={}>", "1:28", "at least one axis"),
        ('<@mesh, [], replicated={"x"}, replicated={"y"}>', "1:31", "each once"),
        ('<@mesh, [], unreduced=max{"x"}>', "1:23", "reductions"),
        ("<@mesh, [{x}]>", "1:11", "double quotes"),
        (r'<@mesh, [{"\q"}]>', "1:11", "double quotes"),
        ('<@mesh, [{"x" ?}]>', "1:15", "','"),
        ('<@mesh, [{?, "x"}]>', "1:12", "'}'"),
        ('<@mesh, [{"x"}p01]>', "1:15", "leading zeros"),
        ('<@mesh, [{"x"}q1]>', "1:15", "priority"),
        ('<@mesh, [{"x"}p9223372036854775808]>', "1:15", "64 bits"),
        ('<@mesh, [{"x":(1)18446744073709551616}]>', "1:18", "64 bits"),
        ('<@mesh, [{"x":(0)2}]>', "1:11", "pre-size"),
        ('<@mesh, [{"x":(1)1}]>', "1:11", "at least 2"),
        ("<@mesh::@b, []>", "1:7", "no nested symbol"),
        ("<@0mesh, []>", "1:2", "a symbol"),
        ("#sdy.mesh<[]>", "1:1", "#sdy.sharding"),
        # what the text says of the mesh
        ('<@mesh,\n  [{}, {"z"}]>', "2:9", 'unknown axis "z"'),
        ('<@mesh, [{"x"}, {"x"}]>', "1:18", "used twice"),
        ('<@mesh, [{"x"}], replicated={"y"}, unreduced={"x"}>', "1:47", "used twice"),
        ('<@mesh, [{"y":(1)2, "y":(2)3}]>', "1:21", "can be merged"),
        ('<@mesh, [{"y":(1)2}, {"y":(3)4}]>', "1:23", "no cut of the axis"),
        ('<@mesh, [{"y":(1)4}, {"y":(2)6}]>', "1:23", "overlap"),
        ('<@mesh, [{"y":(1)2}], replicated={"y"}>', "1:11", "beside the whole axis"),
        ('<@mesh, [{"y":(1)12}]>', "1:11", "whole axis"),
        ('<@mesh, [{"y":(2)5}]>', "1:11", "no part of an axis of size 12"),
        ('<@mesh, [{"y":(6)4}]>', "1:11", "no part of an axis of size 12"),
        ('<@mesh, [], replicated={"y", "x"}>', "1:30", "order of the mesh"),
        ('<@mesh, [], unreduced={"y":(2)2, "y":(1)2}>', "1:34", "order of the mesh"),
        ("<@mesh, [{}, {}p1]>", "1:14", "empty and closed but has a priority"),
        ('<mesh<[], device_ids=[1]>, [{}]>', "1:1", "maximal mesh"),
        ('<mesh<["z"=2]>, [{"x"}]>', "1:19", 'unknown axis "x"'),
    ],
)  # fmt: skip
def test_broken_shardings_are_refused_with_their_place(text, place, words):
    with pytest.raises(InputError) as caught:
        parse_tensor_sharding(text, XY)
    assert str(caught.value).startswith(f"{place}: ")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("", "1:1", "axes such as"),
        ("x", "1:2", "'='"),
        ("x=2,x=3", "1:1", "named 'x'"),
        ("x=0", "1:1", "at least 1"),
        ('<["x"=-2]>', "1:3", "at least 1"),
        ('<["x"=2, "x"=2]>', "1:1", "named 'x'"),
        ('<["x"=2], device_ids=[]>', "1:23", "an integer"),
        ('<["x"=2], device_ids=[0]>', "1:1", "2 ids"),
        ('<["x"=2], device_ids=[0, 2]>', "1:1", "permutation"),
        ("<[], device_ids=[0, 1]>", "1:1", "at most one device"),
        ('<["x"=4294967296, "y"=4294967296]>', "1:1", "64 bits"),
    ],
)
def test_broken_meshes_are_refused_with_their_place(text, place, words):
    with pytest.raises(InputError) as caught:
        parse_mesh(text)
    assert str(caught.value).startswith(f"{place}: ")
    assert words in str(caught.value)


def test_manual_axes_are_of_the_mesh_and_of_no_sharding_within():
    sharding = parse_tensor_sharding('<@mesh, [{"y":(1)2}]>', XY, manual_axes=["x"])
    with pytest.raises(InputError, match='1:11: axis "y":\\(1\\)2 is manual here'):
        parse_tensor_sharding(sharding.stripped, XY, manual_axes=["y"])
    for text in ('{"z"}', '{"x", "x"}'):
        with pytest.raises(InputError):
            parse_manual_axes(text, XY)


def test_a_mesh_must_be_known_to_be_verified_against():
    sharding = parse_tensor_sharding('<@other, [{"anything"}]>')
    with pytest.raises(InputError, match="mesh @other is not known"):
        sharding.verify()
    with pytest.raises(InputError, match="unknown mesh @other"):
        parse_tensor_sharding(sharding.stripped, {"mesh": XY})
    with pytest.raises(InputError, match="2 dimensions for a tensor of rank 1"):
        parse_tensor_sharding("<@mesh, [{}, {}]>", XY, rank=1)


@pytest.mark.parametrize(
    "text",
    [
        "<[" + ", ".join(f'"a{i}"=1' for i in range(10**6)) + "]>",
        ",".join(f"a{i}=2" for i in range(10**5)),
        '<["x"=1000000000000], device_ids=[1, 0]>',
        f'<["x"={"9" * 10**6}]>',
    ],
)
def test_hostile_meshes_are_refused(text):
    with pytest.raises(InputError):
        parse_mesh(text)


def test_hostile_shardings_are_refused():
    mesh = Mesh.of({"x": 1 << 62})
    million = range(10**6)
    for text in (
        "<@mesh, [" + ", ".join("{}" for _ in million) + "]>",
        "<@mesh, [{" + ", ".join('"x"' for _ in million) + "}]>",
        '<@mesh, [{"x":(1)' + "9" * 10**6 + "}]>",
        "<" * 10**6,
    ):
        with pytest.raises(InputError):
            parse_tensor_sharding(text, mesh)
