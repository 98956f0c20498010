"""Writing HLO text: only what was edited changes, and as XLA prints it."""

from pathlib import Path

import pytest

from shardlog.converters.hlo_text import TextModule, decode_text, parse_hlo_text
from shardlog.converters.pass_edits import apply_result
from shardlog.converters.pass_graph import PassGraph, PassOptions
from shardlog.ir.sharding import HloSharding
from shardlog.ir.sharding_text import parse_sharding

DATA = Path(__file__).parent.parent / "data"
PAIRS = sorted((*DATA.glob("real/*.before.txt*"), *DATA.glob("small/*.before.txt*")))
HAND_WRITTEN = "entry_computation_layout"
"""A header that XLA printed says so; what it leaves of another text is laid out anew."""


def text_of(path: Path) -> str:
    return decode_text(path.read_bytes(), path.name)


def with_result(before: str, after: str) -> TextModule:
    """A module with the pass's edits and the shardings that another text gives by name."""
    module = parse_hlo_text(before)
    graph = PassGraph(module, PassOptions())
    apply_result(graph, [None] * len(graph.entities))
    result = {x.name: x.sharding for x in parse_hlo_text(after).instructions}
    for instruction in module.instructions:
        instruction.sharding = result[instruction.name]
    return module


@pytest.mark.parametrize("path", PAIRS, ids=lambda path: path.name.partition(".")[0])
def test_text_survives(path: Path) -> None:
    text = text_of(path)
    module = parse_hlo_text(text)
    assert module.to_text() == text


@pytest.mark.parametrize("path", PAIRS, ids=lambda path: path.name.partition(".")[0])
def test_the_result_is_written_as_xla_prints_it(path: Path) -> None:
    before = text_of(path)
    after = text_of(path.with_name(path.name.replace(".before.", ".after.")))
    if HAND_WRITTEN in before:
        assert with_result(before, after).to_text() == after


HEADER = "HloModule m, num_partitions=4\n\n"
LATE = (
    'frontend_attributes={a="sharding={replicated}"}, control-predecessors={%p}, '
    'origin={{"p"}}, metadata={op_name="x"}, backend_config={"b":[1]}'
)
BODY = f"""\
ENTRY %e (p: f32[4]) -> f32[4] {{
  %p = f32[4]{{0}} parameter(0)
  %a = f32[4]{{0}} negate(%p), {LATE}
  %b = f32[4]{{0}} custom-call(%a), custom_call_target=", metadata={{", sharding={{replicated}}
  ROOT %c = (f32[4]{{0}}, f32[4]{{0}}) tuple(%a, %b), metadata={{op_name="t"}}
}}
"""


def edited(text: str, **shardings: str | None) -> str:
    """A text with other shardings for some instructions."""
    module = parse_hlo_text(text)
    for name, sharding in shardings.items():
        instruction = module.find(name)
        assert instruction is not None
        instruction.sharding = None if sharding is None else parse_sharding(sharding)
    return module.to_text()


def test_a_new_sharding_stands_behind_the_attributes_of_the_op() -> None:
    text = HEADER + BODY
    assert edited(text, p="{manual}") == text.replace(
        "parameter(0)", "parameter(0), sharding={manual}"
    )
    assert edited(text, a="{manual}") == text.replace(LATE, f"sharding={{manual}}, {LATE}")
    tiles = "{{devices=[4]<=[4]}, {replicated}}"
    assert edited(text, c=tiles) == text.replace(
        ', metadata={op_name="t"}', f', sharding={tiles}, metadata={{op_name="t"}}'
    )


def test_a_sharding_is_replaced_or_taken_away_in_its_place() -> None:
    text = HEADER + BODY
    old = ", sharding={replicated}\n"
    assert edited(text, b="{maximal device=1}") == text.replace(
        old, ", sharding={maximal device=1}\n"
    )
    assert edited(text, b=None) == text.replace(old, "\n")
    assert edited(text, b="{replicated}") == text


def test_any_style_keeps_its_bytes() -> None:
    text = (
        "HloModule m\n"
        'f { p = f32[] parameter(0), /*note*/ metadata={op_name="x"}  ROOT q = f32[] abs(p) }\n'
        "ENTRY e { x = f32[4]   parameter( 0 ) , sharding = {devices=[2]<=[2]}\n"
        "  ROOT y = f32[4] map(f32[4] x),\n    dimensions={0}, to_apply={\n"
        "    r = f32[] parameter(0), sharding={replicated}\n    ROOT s = f32[] abs(r)\n  } }\n"
    )
    assert edited(text) == text
    assert edited(text, x="{manual}") == text.replace(
        ", sharding = {devices=[2]<=[2]}", ", sharding={manual}"
    )
    assert edited(text, y="{manual}") == text.replace("  } }", "  }, sharding={manual} }")
    assert edited(text, q="{manual}") == text.replace("abs(p) ", "abs(p), sharding={manual} ")
    assert edited(text, s="{manual}") == text.replace("abs(r)", "abs(r), sharding={manual}")
    assert edited(text, r=None) == text.replace(
        "parameter(0), sharding={replicated}", "parameter(0)"
    )


WHILE = """\
HloModule m, num_partitions=4

%f (s: s32[]) -> s32[] {
  ROOT %s = s32[] parameter(0)
}

%g (t: s32[]) -> pred[] {
  %t = s32[] parameter(0)
  ROOT %u = pred[] constant(false)
}

ENTRY %e (p: s32[]) -> s32[] {
  %p = s32[] parameter(0)
  ROOT %copy.1 = s32[] while(%p), condition=%g, body=%f, metadata={op_name="w"}
}
"""


def result(text: str, **shardings: str) -> str:
    """A text after the pass, which gives some entities a sharding."""
    module = parse_hlo_text(text)
    graph = PassGraph(module, PassOptions())
    final: list[HloSharding | None] = [
        parse_sharding(shardings[x.name or "root"]) if (x.name or "root") in shardings else None
        for x in graph.entities
    ]
    apply_result(graph, final)
    return module.to_text()


def test_a_while_that_is_the_root_gets_a_copy() -> None:
    lines = '  ROOT %copy.1 = s32[] while(%p), condition=%g, body=%f, metadata={op_name="w"}\n'
    assert result(WHILE) == WHILE.replace(
        lines, lines.replace("ROOT ", "") + "  ROOT %copy = s32[] copy(%copy.1)\n"
    )
    assert "  ROOT %copy = s32[] copy(%copy.1), sharding={replicated}\n" in result(
        WHILE, root="{replicated}"
    )
    free = WHILE.replace("=4\n", "=4, allow_spmd_sharding_propagation_to_output={true}\n", 1)
    assert result(free) == free


BARRIERS = """\
HloModule m, num_partitions=4

ENTRY e {
  p = f32[8,4] parameter(0)
  add = f32[8,4] add(p, p)
  to = f32[8,4] custom-call(add), custom_call_target="ShardBarrierTo", metadata={op_name="t"}
  mul = f32[8,4] multiply(to, to), metadata={op_name="m"}
  from = f32[8,4] custom-call(mul), custom_call_target="ShardBarrierFrom", \
frontend_attributes={a="b"}, sharding={replicated}
  ROOT sub = f32[8,4] subtract(from, to)
}
"""


def test_barriers_vanish_and_leave_what_their_operands_lack() -> None:
    assert result(BARRIERS, **{"from": "{replicated}", "mul": "{replicated}"}) == (
        "HloModule m, num_partitions=4\n\nENTRY e {\n"
        "  p = f32[8,4] parameter(0)\n"
        '  add = f32[8,4] add(p, p), metadata={op_name="t"}\n'
        '  mul = f32[8,4] multiply(add, add), sharding={replicated}, frontend_attributes={a="b"}, '
        'metadata={op_name="m"}\n'
        "  ROOT sub = f32[8,4] subtract(mul, add)\n}\n"
    )


GROUP = """\
HloModule m, num_partitions=4

ENTRY %e (p: f32[8,4], q: f32[8,4]) -> f32[8,4] {
  %p = f32[8,4]{1,0} parameter(0), sharding={devices=[4,1]<=[4]}
  %g0 = f32[8,4]{1,0} custom-call(%p), custom_call_target="Sharding", \
sharding={devices=[4,1]<=[4]}, metadata={op_name="g"}
  %q = f32[8,4]{1,0} parameter(1)
  %mul = f32[8,4]{1,0} multiply(%q, %q)
  %g1 = f32[8,4]{1,0} custom-call(%mul), custom_call_target="Sharding", \
sharding={unknown shard_as 3}, metadata={op_name="h"}
  %s = f32[8,4]{1,0} custom-call(%g1), custom_call_target="Sharding", \
sharding={devices=[2,2]<=[4]}, frontend_attributes={k="v"}, metadata={op_name="s"}, \
backend_config="unspecified_dims=[1]"
  ROOT %sub = f32[8,4]{1,0} subtract(%p, %s)
}
"""


def test_sharding_calls_become_copies_named_as_xla_names_them() -> None:
    # XLA lists copies last, so one without users is printed last, and what only it needed too
    assert result(GROUP, g0="{replicated}", s="{manual}") == (
        "HloModule m, num_partitions=4\n\n"
        "ENTRY %e (p: f32[8,4], q: f32[8,4]) -> f32[8,4] {\n"
        "  %p = f32[8,4]{1,0} parameter(0)\n"
        "  %q = f32[8,4]{1,0} parameter(1)\n"
        '  %mul = f32[8,4]{1,0} multiply(%q, %q), metadata={op_name="h"}\n'
        '  %copy = f32[8,4]{1,0} copy(%mul), sharding={manual}, frontend_attributes={k="v"}, '
        'metadata={op_name="s"}\n'
        "  ROOT %sub = f32[8,4]{1,0} subtract(%p, %copy)\n"
        '  %copy.1 = f32[8,4]{1,0} copy(%p), sharding={replicated}, metadata={op_name="g"}\n}\n'
    )


def test_text_in_another_order_stays_in_it() -> None:
    text = GROUP.replace("  %q = f32[8,4]{1,0} parameter(1)\n  %mul", "  %mul").replace(
        "  %p = f32", "  %q = f32[8,4]{1,0} parameter(1)\n  %p = f32"
    )
    lines = result(text).split("\n")
    assert [line.split()[0] for line in lines[3:8]] == ["%q", "%p", "%copy.1", "%mul", "%copy"]


@pytest.mark.parametrize(
    ("present", "new"),
    [
        ([], ["copy", "copy.1"]),
        (["copy"], ["copy.1", "copy.2"]),
        (["copy.1"], ["copy", "copy.2"]),
        (["copy.0", "copy.2"], ["copy.1", "copy.3"]),
        (["copy_1", "copying.0", "copy.x"], ["copy", "copy.1"]),
    ],
)
def test_names_of_copies_are_free(present: list[str], new: list[str]) -> None:
    # the call that comes later gets its name first
    calls = "".join(
        f'  c{i} = f32[] custom-call(p), custom_call_target="Sharding", sharding={{replicated}}\n'
        for i in (1, 0)
    )
    others = "".join(f"  {name} = f32[] negate(p)\n" for name in present)
    text = f"HloModule m\n\nENTRY e {{\n  p = f32[] parameter(0)\n{others}{calls}"
    written = result(f"{text}  ROOT t = f32[] add(c1, c0)\n}}\n")
    assert f"ROOT t = f32[] add({new[1]}, {new[0]})" in written
