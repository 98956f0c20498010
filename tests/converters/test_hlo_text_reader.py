"""Reading HLO text in every style that XLA prints."""

import gzip
import textwrap
from pathlib import Path

import pytest

from shardlog.converters.hlo_text import (
    TextModule,
    parse_hlo_text,
    read_hlo_text,
    unknown_attributes,
)
from shardlog.ir.shape import parse_shape

FULL = """\
HloModule jit_f, is_scheduled=true, entry_computation_layout={(f32[8,4]{1,0})->f32[]}, \
allow_spmd_sharding_propagation_to_output={true}, num_partitions=4

FileNames
1 "a b.py"

StackFrames
1 {file_location_id=1 parent_frame_id=1}


%region_0.1 (a.1: f32[], b.1: f32[]) -> f32[] {
  %a.1 = f32[] parameter(0)
  %b.1 = f32[] parameter(1)
  ROOT %add.1 = f32[] add(%a.1, %b.1), metadata={op_name="s, to_apply=%x" stack_frame_id=1}
}

ENTRY %main.2 (x.1: f32[8,4]) -> f32[] {
  %x.1 = f32[8,4]{1,0} parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}
  %zero.1 = f32[] constant(0)
  ROOT %reduce.1 = f32[] reduce(%x.1, %zero.1), dimensions={0,1}, to_apply=%region_0.1
}
"""
SHORT = """\
HloModule jit_f
region_0.1 {
  a.1 = f32[] parameter(0)
  b.1 = f32[] parameter(1)
  ROOT add.1 = f32[] add(a.1, b.1)
}
ENTRY main.2 {
  x.1 = f32[8,4] parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}
  zero.1 = f32[] constant(0)
  ROOT reduce.1 = f32[] reduce(x.1, zero.1), dimensions={0,1}, to_apply=region_0.1
}"""
WITH_SHAPES = FULL.replace("add(%a.1, %b.1)", "add(f32[] %a.1, f32[] %b.1)").replace(
    "reduce(%x.1, %zero.1)", "reduce(f32[8,4]{1,0:T(8,128)} %x.1, /*index=1*/f32[] %zero.1)"
)
ON_ONE_LINE = " ".join(SHORT.split())
CRLF = FULL.replace("\n", "\r\n")
COMMENTED = SHORT.replace("zero.1 = f32[]", "// a note\n  zero.1 = /* of */ f32[]")
CANONICAL = """\
HloModule jit_f

ENTRY main.2 {
  tmp_0 = f32[8,4] parameter(0), sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}
  tmp_1 = f32[] constant(0)
  ROOT tmp_2 = f32[] reduce(f32[8,4] tmp_0, f32[] tmp_1), dimensions={0,1}, to_apply=
  {
    tmp_0 = f32[] parameter(0)
    tmp_1 = f32[] parameter(1)
    ROOT tmp_2 = f32[] add(f32[] tmp_0, f32[] tmp_1)
  }
}
"""
STYLES = [FULL, SHORT, WITH_SHAPES, ON_ONE_LINE, CRLF, COMMENTED, CANONICAL]


def body(lines: str, header: str = "HloModule m") -> TextModule:
    """A module with an entry of these instructions."""
    return parse_hlo_text(f"{header}\n\nENTRY e {{\n{textwrap.indent(lines, '  ')}\n}}\n")


@pytest.mark.parametrize("text", STYLES)
def test_styles_give_the_same_module(text: str) -> None:
    module = parse_hlo_text(text)
    assert module.name == "jit_f"
    assert not module.warnings
    region, entry = module.computations
    assert entry is module.entry
    assert [x.opcode for x in region.instructions] == ["parameter", "parameter", "add"]
    x, zero, reduce = entry.instructions
    assert [str(i.shape) for i in entry.instructions] == ["f32[8,4]", "f32[]", "f32[]"]
    assert reduce.operands == (x, zero)
    assert reduce.called == (region,)
    assert reduce.is_root
    assert reduce.dimensions == (0, 1)
    assert (x.users, zero.users, reduce.users) == ([reduce], [reduce], [])
    assert entry.parameters == (x,)
    assert str(x.sharding) == "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"
    assert zero.literal is not None
    assert zero.literal.text == "0"


@pytest.mark.parametrize("text", STYLES)
def test_lines_are_where_the_instructions_are(text: str) -> None:
    lines = text.split("\n")
    for instruction in parse_hlo_text(text).instructions:
        assert f"{instruction.name} = " in lines[instruction.line - 1]


def test_header_and_tables() -> None:
    module = parse_hlo_text(FULL)
    assert module.attributes["entry_computation_layout"] == "{(f32[8,4]{1,0})->f32[]}"
    assert module.num_partitions == 4
    assert module.output_mask == (True,)
    assert module.parameter_mask == (False,)
    assert module.tables["FileNames"] == '1 "a b.py"\n'
    add = module.find("%add.1")
    assert add is not None
    assert add.metadata.op_name == "s, to_apply=%x"
    assert parse_hlo_text(SHORT).num_partitions == 1


def test_a_header_may_take_several_lines() -> None:
    header = (
        "HloModule m,\n  num_partitions=2,\n  allow_spmd_sharding_propagation_to_parameters={\n"
    )
    module = body("ROOT p = f32[] parameter(0)", header + "  true,false}")
    assert module.parameter_mask == (True, False)
    assert module.num_partitions == 2


def test_the_last_computation_and_instruction_are_entry_and_root_unless_marked() -> None:
    module = parse_hlo_text("HloModule m\na { p = f32[] parameter(0) }\nb { q = f32[] iota() }")
    assert module.entry.name == "b"
    assert module.entry.root.name == "q"
    marked = body("ROOT p = f32[] parameter(0)\nq = f32[] negate(p)")
    assert marked.entry.root.name == "p"


def test_a_while_calls_its_condition_first() -> None:
    module = parse_hlo_text(
        "HloModule m\n"
        "b { ROOT p = s32[] parameter(0) }\n"
        "c { q = s32[] parameter(0) ROOT r = pred[] constant(true) }\n"
        "ENTRY e { x = s32[] parameter(0) ROOT w = s32[] while(x), body=b, condition=c }\n"
    )
    assert [c.name for c in module.entry.root.called] == ["c", "b"]


def test_computations_of_a_conditional() -> None:
    text = (
        "HloModule m\n"
        "a { ROOT p = f32[] parameter(0) }\n"
        "b { ROOT q = f32[] parameter(0) }\n"
        "ENTRY e {\n  i = s32[] parameter(0)\n  x = f32[] parameter(1)\n"
        "  ROOT c = f32[] conditional(i, x, x), branch_computations={b, a}, "
        'metadata={op_name="k"}\n}'
    )
    assert [c.name for c in parse_hlo_text(text).entry.root.called] == ["b", "a"]
    nested = text.replace(
        "{b, a}", "{\n{ tmp = f32[] parameter(0) },\n{\n  tmp = f32[] parameter(0)\n}\n}"
    )
    names = [c.name for c in parse_hlo_text(nested).entry.root.called]
    assert names == ["c.branch_computations"] * 2
    predicate = text.replace("s32[] p", "pred[] p").replace(
        "branch_computations={b, a}", "true_computation=a, false_computation=b"
    )
    assert [c.name for c in parse_hlo_text(predicate).entry.root.called] == ["a", "b"]


def test_a_computation_may_have_attributes() -> None:
    module = parse_hlo_text(
        'HloModule m\na {\n  p = f32[] parameter(0)\n}, execution_thread="t"\n\n'
        "ENTRY e {\n  q = f32[] parameter(0)\n}\n"
    )
    assert [c.name for c in module.computations] == ["a", "e"]


def test_operands_may_be_tuples_with_shapes() -> None:
    module = body(
        "p = (f32[2]{0:T(128)}, (s32[], s32[])) parameter(0)\n"
        "q = f32[2] parameter(1)\n"
        "ROOT t = ((f32[2], (s32[], s32[])), f32[2]) "
        'tuple((f32[2]{0:T(128)}, (s32[], s32[])) p, f32[2] %q), metadata={op_name="t"}'
    )
    p, q, t = module.entry.instructions
    assert t.operands == (p, q)
    assert t.shape is parse_shape("((f32[2], (s32[], s32[])), f32[2])")


def test_users_are_listed_once_in_order() -> None:
    module = body(
        "p = f32[] parameter(0)\n"
        "a = f32[] add(p, p)\n"
        "b = f32[] multiply(p, a)\n"
        "ROOT c = f32[] subtract(b, p)"
    )
    assert [x.name for x in module.entry.instructions[0].users] == ["a", "b", "c"]


def test_constants_keep_their_text() -> None:
    module = body(
        "a = s32[2,3] constant({ { 0, 1, 2 }, /*i0=1*/\n  { 0, 1, 2 } })\n"
        "b = s32[9] constant({...})\n"
        "c = c64[] constant((1, -2))\n"
        'd = (s32[], pred[]) constant((3, true)), metadata={op_name="d"}\n'
        "ROOT e = s32[4] constant({1,2,3,4})"
    )
    literals = [x.literal for x in module.entry.instructions]
    assert [None if x is None else x.text for x in literals][2:] == [
        "(1, -2)",
        "(3, true)",
        "{1,2,3,4}",
    ]
    first, elided, *_, last = literals
    assert first is not None
    assert first.integers is not None
    assert first.integers.tolist() == [0, 1, 2, 0, 1, 2]
    assert elided is not None
    assert elided.is_elided
    assert elided.integers is None
    assert last is not None
    assert last.integers is not None
    assert last.integers.tolist() == [1, 2, 3, 4]


def test_what_is_unknown_is_kept_and_named() -> None:
    module = body(
        "p = f32[] parameter(0), colour={red}\nROOT q = f32[] frobnicate(p, p), level=3, index=1"
    )
    assert module.warnings == [
        "unknown opcode frobnicate",
        "unknown attribute colour",
        "unknown attribute level",
    ]
    assert module.entry.root.opcode == "frobnicate"
    assert module.entry.root.attribute("level") == "3"
    assert unknown_attributes(module) == ["colour", "level"]


def test_control_predecessors() -> None:
    module = body(
        "p = f32[] parameter(0)\n"
        "a = f32[] negate(p)\n"
        "b = f32[] abs(p)\n"
        "ROOT c = f32[] exponential(p), control-predecessors={b, a}"
    )
    assert [x.name for x in module.entry.root.control_predecessors] == ["b", "a"]


def test_a_sharding_is_spread_over_a_tuple() -> None:
    module = body(
        "p = (f32[4], s32[]) parameter(0), sharding={replicated}\n"
        "ROOT q = () tuple(), sharding={replicated}"
    )
    p, q = module.entry.instructions
    assert str(p.sharding) == "{{replicated}, {replicated}}"
    assert q.sharding is not None
    assert len(q.sharding.elements) == 1


def test_files_may_be_zipped(tmp_path: Path) -> None:
    file = tmp_path / "dump"
    for data in (SHORT.encode(), gzip.compress(SHORT.encode())):
        file.write_bytes(data)
        module = read_hlo_text(file)
        assert module.file == str(file)
        assert len(module.instructions) == 6


def test_bytes_that_are_no_utf_8_survive(tmp_path: Path) -> None:
    data = FULL.encode().replace(b"a b.py", b"\xff\xfe.py")
    file = tmp_path / "dump"
    file.write_bytes(data)
    assert read_hlo_text(file).to_text().encode("utf-8", "surrogateescape") == data
