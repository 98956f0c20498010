"""Propagated modules with Shardy's attributes."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

import shardlog
from shardlog.converters.hlo_text import parse_hlo_text
from shardlog.converters.shardy import export_sharding, gspmd_form, read_back, shardy_form
from shardlog.converters.shardy.marks import shardings, shardy_meshes
from shardlog.ir.errors import InputError
from shardlog.ir.module import HloModule
from shardlog.ir.shardy import Mesh

DATA = Path(__file__).parents[1] / "data" / "shardy"
NAMES = sorted(path.name.removesuffix(".gspmd.txt") for path in DATA.glob("*.gspmd.txt"))
MESH = Mesh.of({"x": 2, "y": 4})


@cache
def propagated(name: str) -> HloModule:
    module = parse_hlo_text((DATA / f"{name}.gspmd.txt").read_text())
    return shardlog.propagate(module).module


@pytest.mark.parametrize("name", NAMES)
def test_the_attributes_say_what_the_shardings_say(name):
    module = propagated(name)
    form = shardy_form(module, {"mesh": MESH})
    assert form.left_out == ()
    assert shardy_meshes(form.module) == {"mesh": MESH}
    checked = 0
    for instruction in form.module.instructions:
        own = instruction.sharding
        found = shardings(instruction, {"mesh": MESH})
        if own is None or found is None:
            continue
        for leaf, sharding in zip(own.elements if own.is_tuple else (own,), found, strict=True):
            # subgroups that are manual belong to the computation around
            if "manual" not in leaf.subgroup_types and leaf.kind != "manual":
                assert read_back(export_sharding(sharding, MESH)) is leaf.bare
                checked += 1
    assert checked


@pytest.mark.parametrize("name", NAMES)
def test_the_form_for_gspmd_is_the_module_again(name):
    module = propagated(name)
    again = gspmd_form(shardy_form(module, {"mesh": MESH}).module).module

    def rows(of: HloModule) -> list[tuple[str, str, str]]:
        kept = [x for x in of.instructions if x.sharding is not None]
        shown = [(x.opcode, str(x.sharding), x.name) for x in kept]
        if "SPMDFullToShardShape" not in of.source:
            return shown
        # what is around a manual computation, its call among it, has other names and forms
        around = ("call", "copy", "custom-call", "parameter", "get-tuple-element")
        return [row for row in shown if row[0] not in around and "{manual" not in row[1]]

    assert rows(again) == rows(parse_hlo_text(module.to_text()))


@pytest.mark.parametrize("name", [name for name in NAMES if "manual" in name])
def test_manual_computations_become_shardys_again(name):
    module = parse_hlo_text((DATA / f"{name}.gspmd.txt").read_text())
    form = shardy_form(module, {"mesh": MESH})
    targets = {x.custom_call_target for x in form.module.instructions}
    assert "xla.sdy.GlobalToLocalShape" in targets
    assert not targets & {"SPMDFullToShardShape", "SPMDShardToFullShape"}
    own = parse_hlo_text((DATA / f"{name}.shardy.txt").read_text())
    for mark in ("manual_axes", "in_shardings", "out_shardings"):
        values = [
            [x.frontend_attribute(f"xla.sdy.{mark}") for x in of.instructions]
            for of in (form.module, own)
        ]
        # what JAX leaves open is closed here
        shut = [value.replace(", ?", "").replace("?", "") for value in values[1] if value]
        assert sorted(filter(None, values[0])) == sorted(shut)


def test_results_are_marked_as_jax_marks_them():
    form = shardy_form(propagated("result"), {"mesh": MESH})
    root = form.module.entry.root
    assert root.custom_call_target == "xla.sdy.FuncResultSharding"
    assert str(shardings(root, {"mesh": MESH})[0]) == '#sdy.sharding<@mesh, [{"y"}, {}]>'
    several = shardy_form(propagated("open_constraint"), {"mesh": MESH}).module.entry.root
    assert {x.custom_call_target for x in several.operands} == {"xla.sdy.FuncResultSharding"}


def text(*lines: str) -> str:
    return "HloModule m\n\nENTRY e {\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def test_unspecified_dimensions_are_open():
    module = parse_hlo_text((DATA / "open_constraint.gspmd.txt").read_text())
    form = shardy_form(module, {"mesh": MESH})
    own = parse_hlo_text((DATA / "open_constraint.shardy.txt").read_text())
    for of in (form.module, own):
        (constraint,) = [x for x in of.instructions if x.custom_call_target == "Sharding"]
        assert str(shardings(constraint, {"mesh": MESH})[0]) == '#sdy.sharding<@mesh, [{?}, {"y"}]>'


def test_meshes_are_found_and_others_are_left_out():
    module = parse_hlo_text(
        text(
            "p = f32[8,8] parameter(0), sharding={devices=[2,4]<=[8]}",
            "q = f32[8,8] parameter(1), sharding={maximal device=3}",
            "ROOT t = (f32[8,8], f32[8,8]) tuple(p, q), "
            "sharding={{devices=[4,2]<=[8]}, {maximal device=3}}",
        )
    )
    form = shardy_form(module)
    assert {name: mesh.stripped for name, mesh in form.meshes.items()} == {
        "mesh": '<["_axis_0"=2, "_axis_1"=2, "_axis_2"=2]>',
        "maximal_mesh_3": "<[], device_ids=[3]>",
    }
    assert form.module.find("q").frontend_attribute("xla.sdy.sharding") == (
        "#sdy.sharding<@maximal_mesh_3, []>"
    )
    given = shardy_form(module, {"a b": Mesh.of({"z": 4, "y": 2})})
    assert given.left_out == ()
    assert shardy_meshes(given.module) == given.meshes
    other = shardy_form(module, {"mesh": Mesh.of({"z": 6})})
    assert [reason.split(":")[0] for reason in other.left_out] == ["p", "t"]
    with pytest.raises(InputError, match="no mesh in common"):
        shardy_form(parse_hlo_text(module.source.replace("[4,2]<=[8]", "[3,2]<=[6]")))


@pytest.mark.parametrize("name", NAMES)
def test_attributes_that_say_the_sharding_stay(name):
    module = parse_hlo_text((DATA / f"{name}.shardy.txt").read_text())
    form = shardy_form(module)
    assert [x.name for x in form.module.instructions] == [x.name for x in module.instructions]
    for old, new in zip(module.instructions, form.module.instructions, strict=True):
        own = old.frontend_attribute("xla.sdy.sharding")
        if own is not None:
            assert new.frontend_attribute("xla.sdy.sharding") == own


def test_attributes_that_say_something_else_go():
    text = (DATA / "gradient.shardy.txt").read_text()
    old = "sharding={devices=[2,1,4]<=[8] last_tile_dim_replicate}, frontend"
    assert old in text
    module = parse_hlo_text(text.replace(old, old.replace("[2,1,4]", "[1,2,4]"), 1))
    form = shardy_form(module)
    (parameter,) = [x for x in form.module.entry.parameters if "[1,2,4]" in str(x.sharding)]
    assert str(shardings(parameter, {"mesh": MESH})[0]) == '#sdy.sharding<@mesh, [{}, {"x"}]>'


def test_a_module_without_shardings_has_no_attributes():
    module = parse_hlo_text(text("ROOT p = f32[8] parameter(0)"))
    assert shardy_form(module).module.source == module.source
