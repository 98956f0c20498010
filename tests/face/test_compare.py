"""Comparing two modules."""

from __future__ import annotations

import shardlog
from shardlog.compare import Verdict, compare_shardings
from shardlog.ir.sharding_text import parse_sharding

MODULE = """\
HloModule m

ENTRY %main (a: f32[8,8]) -> f32[8,8] {{
  %a = f32[8,8]{{1,0}} parameter(0){a}
  %b = f32[8,8]{{1,0}} negate(%a){b}
  ROOT %{c} = f32[8,8]{{1,0}} {op}(%b)
}}
"""
ROWS = ", sharding={devices=[2,1]<=[2]}"
LISTED = ", sharding={devices=[2,1]0,1}"


def module(a: str = "", b: str = "", c: str = "c", op: str = "tanh") -> shardlog.HloModule:
    return shardlog.load(MODULE.format(a=a, b=b, c=c, op=op).encode())


def test_equal_modules_agree() -> None:
    found = shardlog.compare_modules(module(a=ROWS), module(a=ROWS))
    assert found.differences == ()
    assert (found.agreeing, found.total) == (3, 3)


def test_each_kind_of_difference_is_told_apart() -> None:
    found = shardlog.compare_modules(module(a=ROWS, b=ROWS), module(b=LISTED, c="d", op="abs"))
    verdicts = {d.instruction: d.verdict for d in found.differences}
    assert verdicts == {
        "a": Verdict.ONLY_LEFT,
        "b": Verdict.SAME_DEVICES,
        "c": Verdict.NO_RIGHT,
        "d": Verdict.NO_LEFT,
    }
    assert [d.instruction for d in found.disagreements] == ["a", "c", "d"]
    assert (found.agreeing, found.total) == (1, 4)
    assert list(found.by_opcode()) == ["abs", "parameter", "tanh", "negate"]


def test_copies_with_other_numbers_are_matched_by_what_they_copy() -> None:
    def copies(*names: str, sharding: str = ROWS) -> shardlog.HloModule:
        a, b, c = names
        text = f"""HloModule m\n
ENTRY %main (x: f32[8,8]) -> f32[8,8] {{
  %x = f32[8,8]{{1,0}} parameter(0)
  %{a} = f32[8,8]{{1,0}} copy(%x){ROWS}
  %{b} = f32[8,8]{{1,0}} copy(%{a}){sharding}
  %y = f32[8,8]{{1,0}} negate(%{b})
  ROOT %{c} = f32[8,8]{{1,0}} copy(%y){ROWS}
}}
"""
        return shardlog.load(text.encode())

    one, other = copies("copy.1", "copy.2", "copy.3"), copies("copy.5", "copy.6", "copy.7")
    assert shardlog.compare_modules(one, other).differences == ()
    wrong = copies("copy.5", "copy.6", "copy.7", sharding="")
    (difference,) = shardlog.compare_modules(one, wrong).differences
    assert (difference.instruction, difference.verdict) == ("copy.2", Verdict.ONLY_LEFT)


def test_shardings_are_compared_as_xla_does() -> None:
    rows = parse_sharding("{devices=[2,1]<=[2]}")
    with_metadata = parse_sharding('{devices=[2,1]<=[2] metadata={op_name="x"}}')
    assert compare_shardings(rows, with_metadata) is Verdict.EQUAL
    assert compare_shardings(rows, parse_sharding("{devices=[1,2]<=[2]}")) is Verdict.DIFFERENT
    assert compare_shardings(None, parse_sharding("{replicated}")) is Verdict.ONLY_RIGHT
    assert compare_shardings(None, None) is Verdict.EQUAL


def test_json_names_both_sides() -> None:
    (row,) = shardlog.compare_modules(module(a=ROWS), module()).to_dict()["differences"]
    assert (row["instruction"], row["left"], row["right"]) == ("a", "{devices=[2,1]<=[2]}", None)
