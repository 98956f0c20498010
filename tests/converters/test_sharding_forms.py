"""One sharding through all the forms in which people meet it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from shardlog.converters.sharding_forms import (
    FORMS,
    Setting,
    form_of,
    losses_of,
    read_form,
    write_form,
)
from shardlog.ir.errors import InputError
from shardlog.ir.sharding_text import parse_sharding
from shardlog.ir.shardy import Mesh
from tests.ir.shardy_strategies import generators, random_mesh, random_sharding

XY = Setting(Mesh.of({"x": 2, "y": 4}))
GRID = {
    "hlo": "{devices=[2,1,4]<=[8] last_tile_dim_replicate}",
    "v1": "{devices=[2,1,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}",
    "v2": "{devices=[2,1,4]<=[8] last_tile_dim_replicate}",
    "v3": "{mesh['x'=2,'y'=4], [{'x'}, {}]}",
    "sdy": '#sdy.sharding<@mesh, [{"x"}, {}]>',
    "partition-spec": "P('x', None)",
    "proto-text": (
        "type: OTHER\ntile_assignment_dimensions: [2, 1, 4]\nreplicate_on_last_tile_dim: true\n"
        "iota_reshape_dims: [8]\niota_transpose_perm: [0]"
    ),
    "proto-bytes-hex": "08031a0302010430014a0108520100",
    "json": (
        '{"type": "OTHER", "tile_assignment_dimensions": [2, 1, 4], '
        '"replicate_on_last_tile_dim": true, "iota_reshape_dims": [8], "iota_transpose_perm": [0]}'
    ),
}
"""One sharding in every form."""


@pytest.mark.parametrize("given_form", FORMS)
@pytest.mark.parametrize("wanted", FORMS)
def test_from_every_form_to_every_other(given_form, wanted):
    text = GRID[given_form]
    assert form_of(text) == (given_form if given_form not in ("v1", "v2", "v3") else "hlo")
    written = write_form(read_form(text, XY), wanted, XY)
    # as XLA prints it, a list stays a list, and so do its bytes
    if given_form == "v1" and wanted in ("hlo", "proto-text", "proto-bytes-hex", "json"):
        assert read_form(written, XY).tiles is parse_sharding(text)
    else:
        assert written == GRID[wanted]


@pytest.mark.parametrize(
    ("text", "form", "written"),
    [
        ("{{devices=[2,4]<=[8]}, {maximal device=1}}", "v3", None),
        ("{{devices=[2,4]<=[8]}, {replicated}}", "partition-spec", "(P('x', 'y'), P())"),
        ('[<@mesh, [{"x"}]>, <@mesh, []>]', "hlo", None),
        ('[{"y"}, {}]', "partition-spec", "P('y', None)"),
        ('#sdy.sharding<mesh<["a"=2]>, [{"a", ?}]>', "hlo", "{devices=[2]<=[2]}"),
        ("{maximal device=3}", "v3", "{maximal_mesh[device_id=3]}"),
        ("{maximal device=3}", "sdy", "#sdy.sharding<@maximal_mesh_3, []>"),
        ("jax.P(('x', 'y'))", "hlo", "{devices=[8]<=[8]}"),
        ("{mesh['a'=3], [{'a'}, {?}]}", "partition-spec", None),
        ('{replicated metadata={op_name="a"}}', "json", '{"metadata": [{"op_name": "a"}]}'),
        ("{devices=[2]<=[2] shard_like 3}", "v1", "{devices=[2]0,1 shard_like 3}"),
    ],
)
def test_other_shardings(text, form, written):
    if text.startswith("{{") and form == "v3":
        written = "{{mesh['x'=2,'y'=4], [{'x'}, {'y'}]}, {maximal_mesh[device_id=1]}}"
    if text.startswith("[<"):
        written = "{{devices=[2,4]<=[8] last_tile_dim_replicate}, {replicated}}"
    if "'a'=3" in text:
        setting, written = Setting(), "P('a', P.UNCONSTRAINED)"
    else:
        setting = XY
    assert write_form(read_form(text, setting), form, setting) == written


def test_protos_in_the_mesh_based_form():
    setting = Setting(XY.mesh, mesh_based=True)
    data = write_form(read_form("{devices=[2,4]<=[8]}", setting), "proto-bytes-hex", setting)
    assert data == "721e120e0a050a017810020a050a017910041a040a0010011a060a0208011001"
    back = read_form(data, Setting())
    assert write_form(back, "v3", Setting()) == "{mesh['x'=2,'y'=4], [{'x'}, {'y'}]}"
    pair = read_form("{{replicated}, {devices=[8]<=[8]}}", setting)
    text = write_form(pair, "proto-bytes-hex", setting)
    assert write_form(read_form(text, setting), "hlo", setting) == str(pair.tiles)


@pytest.mark.parametrize(
    ("text", "form", "message"),
    [
        ("{devices=[2,4]<=[8]}", "v3", "the mesh-based form needs a mesh"),
        ("{devices=[2,4]<=[8]}", "sdy", "Shardy's form needs a mesh"),
        ("{replicated}", "sdy", "does not say the rank"),
        ("{devices=[2,2]0,1,3,2}", "v2", "are no transposed iota"),
        ("hello", "hlo", "no form of a sharding"),
        ("{devices=[2,4]<=[8]", "hlo", "1:20: unreadable sharding"),
        ("type: SOMETHING", "hlo", "unreadable OpSharding"),
        ('{"kind": 17}', "hlo", "unreadable OpSharding"),
        ("0803", "hlo", "needs devices or iota_reshape_dims"),
        ("P('x')", "hlo", "a PartitionSpec needs a mesh"),
        ("#sdy.sharding<@mesh, [{}]>", "hlo", "mesh @mesh is not known"),
    ],
)
def test_what_cannot_be_converted(text, form, message):
    with pytest.raises(InputError) as caught:
        write_form(read_form(text, Setting()), form, Setting())
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "form", "lost"),
    [
        ('#sdy.sharding<@mesh, [{"x", ?}p1], replicated={"y"}>', "hlo", {
            "open dimensions", "priorities", "replicated axes"}),
        ('#sdy.sharding<@mesh, [{"x"}]>', "hlo", set()),
        ("{mesh['x'=2,'y'=4], [{'x', ?}]}", "hlo", {"open dimensions"}),
        ("{mesh['x'=2,'y'=4], [{'x', ?}]}", "v3", set()),
        ("{devices=[2,4]<=[8] last_tile_dims={manual}}", "sdy", {"manual subgroup"}),
        ('{devices=[2,4]0,1,2,3,4,5,6,7 metadata={op_name="a"}}', "partition-spec", {
            "metadata", "device list"}),
        ("{devices=[2,4]<=[8]}", "partition-spec", set()),
    ],
)  # fmt: skip
def test_what_a_conversion_loses(text, form, lost):
    assert {loss.what for loss in losses_of(read_form(text, XY), form, XY)} == lost


def test_a_tuple_nested_deep_in_json_or_text_is_refused():
    for text in (
        '{"tuple_shardings": [' * 10_000 + "]}" * 10_000,
        "tuple_shardings {" * 10_000 + "}" * 10_000,
    ):
        with pytest.raises(InputError):
            read_form(text, Setting())


@settings(max_examples=1000)
@given(generators)
def test_every_form_comes_back(rng):
    mesh = random_mesh(rng)
    setting = Setting(mesh)
    sharding = random_sharding(rng, mesh, unreduced=False).with_mesh("mesh")
    forms = read_form(str(sharding), setting)
    assert write_form(forms, "sdy", setting) == str(sharding)
    if mesh.total_size == 1:
        return  # XLA cannot read its own grids of one device
    for form in ("hlo", "v1", "v2", "v3", "proto-text", "proto-bytes-hex", "json"):
        again = read_form(write_form(forms, form, setting), setting, form)
        assert again.tiles.equals(forms.tiles)
