"""Smallest proofs, one dimension of them, what is folded, and the forms they are printed in."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import shardlog
from shardlog.cli import main
from shardlog.ir.errors import InputError

ROOT = Path(__file__).parents[2]
GPT = ROOT / "examples" / "gpt_forward_2x4.txt"
FLASH = ROOT / "examples" / "flash_attention.txt"
THREADS = ROOT / "tests" / "data" / "threads"


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


def layers(count: int) -> bytes:
    """Layers that are alike, of which the first alone is annotated."""
    lines = [
        "HloModule layers, num_partitions=4\n\nENTRY %main (x: f32[8,16]) -> f32[8,16] {\n"
        "  %x = f32[8,16]{1,0} parameter(0), sharding={devices=[4,1]<=[4]}"
    ]
    last = "x"
    for n in range(count):
        lines += [
            f"  %t{n} = f32[16,8]{{1,0}} transpose(%{last}), dimensions={{1,0}}, "
            f'metadata={{op_name="layer_{n}/transpose"}}',
            f"  %c{n} = f32[16,8]{{1,0}} copy(%t{n})",
            f"  %b{n} = f32[8,16]{{1,0}} transpose(%c{n}), dimensions={{1,0}}, "
            f'metadata={{op_name="layer_{n}/back"}}',
            f"  %n{n} = f32[8,16]{{1,0}} negate(%b{n})",
        ]
        last = f"n{n}"
    return "\n".join([*lines, f"  ROOT %r = f32[8,16]{{1,0}} negate(%{last})\n}}\n"]).encode()


def test_layers_that_are_alike_are_one_line_with_a_count() -> None:
    result = shardlog.propagate(shardlog.load(layers(32)))
    text = result.why("n31").to_text()
    assert "... the same 3 rules 31 times more, down to" in text
    names = [line.split()[0] for line in text.splitlines() if not line.startswith(" ")]
    assert names == ["n31", "b31", "t31", "x"]
    assert "(through c31)" in text
    assert len(result.why("n31", whole=True).to_text().splitlines()) > len(text.splitlines())


def test_layers_that_are_alike_are_one_in_every_form(tmp_path: Path) -> None:
    module = tmp_path / "layers.txt"
    module.write_bytes(layers(32))
    text, dot, page = (
        run("why", module, "n31", "--format", form).stdout for form in ("text", "dot", "html")
    )
    for shown in (text, dot, page):
        assert "the same 3 rules 31 times more" in shown
    boxes = re.findall(r"^  n\d+ \[label=\"(\w+)", dot, re.M)
    assert boxes == ["the", "n31", "b31", "t31", "x"]
    assert "through c31" in dot
    checker = Balanced()
    checker.feed(page)
    assert checker.open == []
    assert checker.seen["details"] == 1
    # all of them are there for who opens it
    assert page.count('class="reason"') == 32 * 3 + 1
    fields = json.loads(run("why", module, "n31", "--json").stdout)
    assert len(fields["reasons"]) == 32 * 3 + 1


def test_branches_that_are_alike_are_one_in_every_form(tmp_path: Path) -> None:
    module = tmp_path / "tuple.txt"
    rows = "sharding={devices=[4,1]<=[4]}"
    lines = [f"  p{n} = f32[8,16] parameter({n}), {rows}" for n in range(6)]
    lines += [f"  n{n} = f32[8,16] negate(p{n})" for n in range(6)]
    members = ", ".join(f"n{n}" for n in range(6))
    shapes = ", ".join(["f32[8,16]"] * 6)
    lines += [f"  t = ({shapes}) tuple({members})", "  e = f32[8,16] get-tuple-element(t), index=0"]
    lines += ["  ROOT o = f32[8,16] negate(e)"]
    body = "\n".join(lines)
    module.write_text(f"HloModule m, num_partitions=4\n\nENTRY main {{\n{body}\n}}\n")
    text, dot, page = (
        run("why", module, "t", "--format", form).stdout for form in ("text", "dot", "html")
    )
    for shown in (text, dot, page):
        assert "... 5 alike: n1, n2, n3, n4 and 1 more" in shown
    assert "p1  {" not in text
    assert "p1\\n" not in dot
    assert "<code>p1</code>" in page
    checker = Balanced()
    checker.feed(page)
    assert checker.open == []


def test_a_proof_ends_where_it_is_told_to(tmp_path: Path) -> None:
    module = tmp_path / "layers.txt"
    module.write_bytes(layers(8))
    shown = run("why", module, "n7", "--depth", 3).stdout
    assert "deeper than asked for" in shown
    # copies are rules, too, though they are folded
    assert shown.count("  rule ") == 2
    assert (
        "deeper than asked for" in run("why", module, "n7", "--depth", 3, "--format", "dot").stdout
    )
    assert "deeper" not in run("why", module, "n7").stdout


def test_the_smallest_proof_leaves_out_what_does_not_decide() -> None:
    result = shardlog.propagate(THREADS / "concatenate_copies.hlo")
    smallest, whole = result.why("concatenate.1"), result.why("concatenate.1", whole=True)
    assert [step.rule for step in smallest.steps] == ["user"]
    assert [step.rule for step in whole.steps] == ["user", "concatenate"]
    assert "x.1" not in smallest.to_text()
    assert "gave {replicated}" in whole.to_text()


def test_every_step_of_a_smallest_proof_is_in_the_whole_one() -> None:
    result = shardlog.propagate(GPT)
    for name in ("dot_general.20", "div.22", "select_n.1", "dot_general.24"):
        smallest, whole = (result.why(name, whole=w).to_dict()["reasons"] for w in (False, True))
        assert len(smallest) <= len(whole)
        steps = [
            {(r["instruction"], s["rule"], s["iteration"]) for r in reasons for s in r["steps"]}
            for reasons in (smallest, whole)
        ]
        assert steps[0] <= steps[1]
        assert smallest[0]["sharding"] == whole[0]["sharding"]


def test_one_dimension_goes_back_to_what_splits_it() -> None:
    result = shardlog.propagate(FLASH, rules=[ROOT / "examples" / "flash_attention.dl"])
    assert str(result.sharding("ffi_call.3")) == "{devices=[2,4,1,1]<=[8]}"
    batch, heads = result.why("ffi_call.3", dim=0), result.why("ffi_call.3", dim=1)
    ends = [reasons.to_dict()["reasons"][-1]["instruction"] for reasons in (batch, heads)]
    assert ends == ["x.1", "wq.1"]
    with pytest.raises(InputError, match="not split along dimension 2"):
        result.why("ffi_call.3", dim=2)


def test_a_step_has_all_that_xla_logs_and_the_place_in_the_program() -> None:
    fields = json.loads(run("why", GPT, "dot_general.20", "--format", "json").stdout)
    first = fields["reasons"][0]
    assert first["source"] == "gpt.py:153"
    assert first["shape"] == "f32[64,12,1024,1024]"
    (step,) = first["steps"]
    assert (step["rule"], step["direction"], step["tier"], step["iteration"]) == (
        "dot",
        "forward",
        1,
        2,
    )
    assert (step["old"], step["new"]) == (None, "{devices=[2,4,1,1]<=[8]}")
    assert fields["cause"]["kind"] == "forward_from_operand"


def test_dot_is_a_graph_of_all_reasons() -> None:
    text = run("why", THREADS / "jacobian.hlo", "mul.11", "--format", "dot").stdout
    fields = json.loads(run("why", THREADS / "jacobian.hlo", "mul.11", "--json").stdout)
    assert text.startswith("digraph why {")
    assert text.rstrip().endswith("}")
    assert len(re.findall(r"^  n\d+ \[label=", text, re.M)) == len(fields["reasons"])
    assert "n1 -> n0" in text


def test_html_is_well_formed_and_escapes_what_the_module_brings(tmp_path: Path) -> None:
    module = tmp_path / "evil.txt"
    text = (THREADS / "jacobian.hlo").read_text()
    evil = "<script>alert(1)</script>"
    module.write_text(text.replace("jit(repro)/jvp()/mul", evil))
    page = run("why", module, "mul.11", "--format", "html").stdout
    assert evil not in page
    assert "&lt;script&gt;" in page
    assert "http" not in page
    checker = Balanced()
    checker.feed(page)
    assert checker.open == []
    # a chain goes down the page; only what branches is nested
    assert "details" not in checker.seen
    assert page.count('class="reason"') == 7


class Balanced(HTMLParser):
    """Counts tags, and keeps those that are open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: dict[str, int] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen[tag] = self.seen.get(tag, 0) + 1
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_frontier_tells_each_edge_at_which_tiles_stop() -> None:
    fields = json.loads(run("frontier", THREADS / "fft.hlo", "x.1", "--json").stdout)
    assert fields["reached"] == ["x.1", "pad.0", "convert_element_type.2"]
    (edge,) = fields["edges"]
    assert (edge["source"], edge["target"]) == ("convert_element_type.2", "fft.0")
    assert (edge["kind"], edge["direction"]) == ("no_rule", "forward")
    text = run("frontier", FLASH, "x.1").stdout
    assert "x.1 {devices=[2,1,4]<=[8]} -> ffi_call.2 (custom-call rms_norm) no sharding" in text
    wrong = run("frontier", THREADS / "fft.hlo", "fft.0", code=2).output
    assert "fft.0 is not split, so nothing can be followed" in wrong


def test_whynot_on_the_command_line() -> None:
    fields = json.loads(run("whynot", THREADS / "dot_chain.hlo", "dot_general.3", "--json").stdout)
    assert fields["cause"]["kind"] == "dimension_lost"
    assert fields["candidates"][0]["rule"] == "dot"
    assert fields["candidates"][0]["opens_at_tier"] == 1
    every = run("whynot", THREADS / "dot_chain.hlo", "dot_general.3", "--all").stdout
    assert "rule 'transposed operand'" in every or "rule 'reduce'" in every
    assert "it is for others: opcode[dot_general.3] == reduce does not hold" in every
    module = THREADS / "two_device_orders.hlo"
    text = run("whynot", module, "add.3", "{devices=[2,2]<=[4]}").stdout
    assert "cause (annotation): add.3 does not take what sharding_constraint.2" in text
    both = run("whynot", module, "add.3", "{replicated}", "--dim", "0", code=2).output
    assert "not both" in both
    assert "no dimension 7" in run("whynot", module, "add.3", "--dim", "7", code=2).output
    unfit = run("whynot", module, "add.3", "{devices=[4]<=[4]}", code=2).output
    assert "does not fit f32[8,8]" in unfit


UNEVEN = b"""HloModule m, allow_spmd_sharding_propagation_to_output={true,true}, num_partitions=4

ENTRY %main (x: f32[10,8], y: f32[8,16], z: f32[8,16]) -> (f32[10,8], f32[8,16]) {
  %x = f32[10,8]{1,0} parameter(0), sharding={devices=[4,1]<=[4]}
  %n = f32[10,8]{1,0} negate(%x)
  %y = f32[8,16]{1,0} parameter(1), sharding={devices=[4,1]<=[4]}
  %z = f32[8,16]{1,0} parameter(2), sharding={devices=[1,4]<=[4]}
  %s = f32[8,16]{1,0} add(%y, %z)
  ROOT %t = (f32[10,8]{1,0}, f32[8,16]{1,0}) tuple(%n, %s)
}
"""


def test_what_is_taken_away_at_the_end_is_told() -> None:
    cause = shardlog.propagate(shardlog.load(UNEVEN)).whynot("t{0}").cause
    assert cause.kind == "uneven"
    assert "does not divide f32[10,8] evenly" in cause.says


def test_what_a_join_refuses_is_told_with_the_winner() -> None:
    result = shardlog.propagate(shardlog.load(UNEVEN))
    cause = result.whynot("s", "{devices=[1,4]<=[4]}").cause
    assert cause.kind == "join_refused"
    assert "s has {devices=[4,1]<=[4]} from y, z by rule 'best operand'" in cause.says
    assert "dimension 1 (would take the devices that dimension 0 is split over)" in cause.says
