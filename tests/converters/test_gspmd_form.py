"""Modules made for Shardy, beside the same programs lowered for GSPMD."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from shardlog.converters.hlo_text import parse_hlo_text
from shardlog.converters.shardy import gspmd_form
from shardlog.ir.errors import InputError
from shardlog.ir.module import HloModule

DATA = Path(__file__).parents[1] / "data" / "shardy"
NAMES = sorted(path.name.removesuffix(".shardy.txt") for path in DATA.glob("*.shardy.txt"))
MESHES = '{xla.sdy.meshes={mesh = #sdy.mesh<["x"=2, "y"=4]>}}'


def essence(module: HloModule) -> list[Any]:
    """All that counts in a module but names."""
    places = {computation: i for i, computation in enumerate(module.computations)}
    rows: list[Any] = [module.parameter_mask, module.output_mask]
    for computation in module.computations:
        number = {x: i for i, x in enumerate(computation.post_order)}
        for x in computation.post_order:
            shown = "" if x.sharding is None else x.sharding.to_text()
            rows.append(
                (
                    f"{x.shape} {x.opcode}",
                    [number[operand] for operand in x.operands],
                    [places[callee] for callee in x.called],
                    x.custom_call_target,
                    shown.replace("shard_as 1", "shard_as 0"),
                    x.opaque,
                    x.frontend_attribute("inlineable"),
                    x.is_root,
                )
            )
    return rows


@pytest.mark.parametrize("name", NAMES)
def test_the_form_is_what_jax_lowers_to_for_gspmd(name):
    shardy = parse_hlo_text((DATA / f"{name}.shardy.txt").read_text(), f"{name}.txt")
    gspmd = parse_hlo_text((DATA / f"{name}.gspmd.txt").read_text())
    form = gspmd_form(shardy)
    assert essence(form.module) == essence(gspmd)
    assert form.notes == ()
    assert form.module.attributes["frontend_attributes"] == MESHES
    again = gspmd_form(form.module)
    assert essence(again.module) == essence(gspmd)


@pytest.mark.parametrize("name", [name for name in NAMES if "manual" in name])
def test_marks_of_manual_computations_may_be_on_their_calls(name):
    text = (DATA / f"{name}.shardy.txt").read_text()
    lines = text.splitlines()
    conversions = re.compile(r'custom_call_target="xla\.sdy\.(GlobalTo|LocalTo)\w+".*')
    moved: list[str] = []
    for at, line in enumerate(lines):
        match = conversions.search(line)
        if match:
            moved += re.findall(r'(xla\.sdy\.\w+="(?:[^"\\]|\\.)*")', line.split("frontend_")[1])
            lines[at] = line.split(", frontend_attributes")[0]
        if match and match[1] == "LocalTo":
            call = next(
                i for i in range(at, 0, -1) if "inlineable" in lines[i] and " call(" in lines[i]
            )
            marks = ",".join(dict.fromkeys(moved))
            lines[call] = lines[call].replace('inlineable="false"', f'{marks},inlineable="false"')
            moved = []
    older = gspmd_form(parse_hlo_text("\n".join(lines)))
    gspmd = parse_hlo_text((DATA / f"{name}.gspmd.txt").read_text())
    assert essence(older.module) == essence(gspmd)


def module(*lines: str, before: str = "") -> HloModule:
    body = "".join(f"  {line}\n" for line in lines)
    header = f"HloModule m, frontend_attributes={MESHES}"
    return parse_hlo_text(f"{header}\n\n{before}ENTRY main {{\n{body}}}\n", "m.txt")


def sdy(text: str, kind: str = "sharding_per_value") -> str:
    quoted = text.replace('"', '\\"')
    return f'frontend_attributes={{xla.sdy.sharding="#sdy.{kind}<{quoted}>",other="1"}}'


def parameter(text: str, number: int = 0) -> str:
    return f"p{number} = f32[8,8]{{1,0}} parameter({number}), {sdy(text, 'sharding')}"


def test_open_parameters_and_results_get_flags():
    form = gspmd_form(
        module(
            parameter('@mesh, [{"x", ?}, {?}]'),
            parameter('@mesh, [{"x"}, {}]', 1),
            "s = f32[8,8]{1,0} add(p0, p1)",
            'r0 = f32[8,8]{1,0} custom-call(s), custom_call_target="xla.sdy.FuncResultSharding", '
            + sdy('[<@mesh, [{?}, {}]>]'),
            'r1 = f32[8,8]{1,0} custom-call(s), custom_call_target="xla.sdy.FuncResultSharding", '
            + sdy('[<@mesh, [{"x"}, {}]>]'),
            "ROOT t = (f32[8,8]{1,0}, f32[8,8]{1,0}) tuple(r1, r0), "
            "sharding={{devices=[2,1,4]<=[8] last_tile_dim_replicate}, {replicated}}",
        )
    )  # fmt: skip
    assert form.module.parameter_mask == (True, False)
    assert form.module.output_mask == (False, True)
    assert [x.name for x in form.module.instructions] == ["p0", "p1", "s", "t"]
    assert str(form.module.find("p0").sharding) == (
        "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"
    )
    assert form.module.find("p0").frontend_attribute("other") == "1"
    assert form.module.find("p0").frontend_attribute("xla.sdy.sharding") is None
    assert form.notes == (
        "closed dimensions of open parameters and results are open, too (1 values)",
    )


def test_a_result_that_only_its_mark_says_becomes_a_constraint():
    mark = 'f32[8,8]{1,0} custom-call(p), custom_call_target="xla.sdy.FuncResultSharding", '
    mark += sdy('[<@mesh, [{"x"}, {?}]>]')
    plain = "p = f32[8,8]{1,0} parameter(0)"
    tuple_of = "ROOT t = (f32[8,8]{1,0}) tuple(r)"
    for lines in ((plain, f"r = {mark}", tuple_of), (plain, f"ROOT r = {mark}")):
        form = gspmd_form(module(*lines))
        result = form.module.find("r")
        assert result.custom_call_target == "Sharding"
        assert result.opaque == "unspecified_dims=[1]"
        assert form.module.output_mask == (True,)
    plain += ", sharding={devices=[2,1,4]<=[8] last_tile_dim_replicate}"
    assert gspmd_form(module(plain, f"ROOT r = {mark}")).module.entry.root.name == "p"


def test_what_gets_lost_is_told():
    form = gspmd_form(
        module(
            parameter('@mesh, [{"x"}p1, {}]'),
            "c = f32[8,8]{1,0} cosine(p0), " + sdy('[<@mesh, [{"x"}, {?}]>]'),
            'k = f32[8,8]{1,0} custom-call(c), custom_call_target="Sharding", '
            + sdy('[<@mesh, [{"x"}, {?}], replicated={"y"}>]'),
            'ROOT f = f32[8,8]{1,0} custom-call(k), custom_call_target="f", '
            'frontend_attributes={xla.sdy.sharding_rule="#sdy.op_sharding_rule<([i])->([i])>"}',
        )
    )
    assert [note.split(" (")[0] for note in form.notes] == [
        "a sharding rule of a custom-call is not read",
        "explicitly replicated axes may be used by open dimensions",
        "open dimensions of instructions that are no constraints are closed",
        "priorities are not known to GSPMD",
    ]
    assert form.module.find("k").opaque == "unspecified_dims=[1]"


def test_a_group_takes_the_place_of_its_member():
    form = gspmd_form(
        module(
            "p = f32[8,8]{1,0} parameter(0)",
            "ROOT c = f32[8,8]{1,0} cosine(p)",
            'g = () custom-call(c), custom_call_target="xla.sdy.ShardingGroup", '
            'frontend_attributes={xla.sdy.sharding_group_id="7 : i64"}',
            'h = () custom-call(c), custom_call_target="xla.sdy.ShardingGroup", '
            'frontend_attributes={xla.sdy.sharding_group_id="8 : i64"}',
        )
    )
    root = form.module.entry.root
    assert root.sharding.to_text() == "{unknown shard_as 8}"
    assert root.operands[0].sharding.to_text() == "{unknown shard_as 7}"
    assert root.operands[0].operands[0].name == "c"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            'b = f32[8,8]{1,0} custom-call(p), custom_call_target="xla.sdy.PropagationBarrier"',
            "m.txt:5: b: a propagation barrier: GSPMD has nothing like it",
        ),
        (
            'b = f32[8,8]{1,0} custom-call(p), custom_call_target="xla.sdy.Other"',
            "m.txt:5: b: custom-call xla.sdy.Other: GSPMD has nothing like it",
        ),
        (
            "b = f32[8,8]{1,0} cosine(p), " + sdy('[<@mesh, [{"z"}, {}]>]'),
            'm.txt:5: b: xla.sdy.sharding, character 36: unknown axis "z"',
        ),
        (
            "b = f32[8,8]{1,0} cosine(p), " + sdy("[<@other, [{}, {}]>]"),
            "m.txt:5: b: xla.sdy.sharding, character 26: unknown mesh @other (expected @mesh)",
        ),
        (
            'b = () custom-call(p), custom_call_target="xla.sdy.ShardingGroup"',
            "m.txt:5: b: unreadable sharding group (expected a number, found none)",
        ),
        (
            'b = () custom-call(p, p), custom_call_target="xla.sdy.ShardingGroup"',
            "m.txt:5: b: a mark of one value (expected 1, found 2)",
        ),
        (
            'b = f32[8,8]{1,0} custom-call(p), custom_call_target="xla.sdy.GlobalToLocalShape"',
            "m.txt:5: b: no xla.sdy.manual_axes",
        ),
        (
            'b = f32[8,8]{1,0} custom-call(p), custom_call_target="xla.sdy.GlobalToLocalShape", '
            'frontend_attributes={xla.sdy.manual_axes="#sdy<manual_axes{\\"x\\"}>"}',
            "m.txt:5: b: 0 shardings in xla.sdy.in_shardings for 1 to 1 values",
        ),
    ],
)
def test_what_has_no_form_is_refused_by_name(line, words):
    given = module("p = f32[8,8]{1,0} parameter(0)", line, "ROOT r = f32[8,8]{1,0} cosine(p)")
    with pytest.raises(InputError) as caught:
        gspmd_form(given)
    assert str(caught.value) == words


def test_a_body_under_different_manual_axes_is_refused():
    lines = ["p = f32[8,8]{1,0} parameter(0)"]
    for axis in "xy":
        manual = f'xla.sdy.manual_axes="#sdy<manual_axes{{\\"{axis}\\"}}>",other='
        marks = sdy(f'[<@mesh, [{{"{axis}"}}, {{}}]>]').replace("other=", manual)
        target = 'custom_call_target="xla.sdy.GlobalToLocalShape"'
        lines += [
            f"{axis} = f32[4,8]{{1,0}} custom-call(p), {target}, "
            + marks.replace("xla.sdy.sharding", "xla.sdy.in_shardings"),
            f"c{axis} = f32[4,8]{{1,0}} call({axis}), to_apply=xla.sdy.manual_computation_body",
        ]
    body = "xla.sdy.manual_computation_body {\n  ROOT q = f32[4,8]{1,0} parameter(0)\n}\n\n"
    result = "ROOT t = (f32[4,8]{1,0}, f32[4,8]{1,0}) tuple(cx, cy)"
    with pytest.raises(InputError, match="called under different manual axes"):
        gspmd_form(module(*lines, result, before=body))


def test_a_module_without_marks_stays_as_it_is():
    text = "HloModule m\n\nENTRY e {\n  ROOT p = f32[8] parameter(0), sharding={replicated}\n}\n"
    form = gspmd_form(parse_hlo_text(text))
    assert form.module.source == text
    assert form.notes == ()
