"""What an op refuses is told: by `why`, from Python and in the report."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import shardlog
from shardlog import api
from shardlog.cli import main

TEXT = """\
HloModule m, num_partitions=2

sum { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b) }

ge { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = pred[] compare(a, b), direction=GE }

ENTRY e {
  p = f32[8,8] parameter(0), sharding={devices=[2,1]<=[2]}
  zero = f32[] constant(0)
  free = f32[8,7] reduce-window(p, zero), window={size=1x2}, to_apply=sum
  dilated = f32[8,6] reduce-window(p, zero), window={size=1x2 rhs_dilate=1x2}, to_apply=sum
  spread = f32[8,14] reduce-window(p, zero), window={size=1x2 lhs_dilate=1x2}, to_apply=sum
  source = f32[8,14] parameter(1)
  scattered = f32[8,8] select-and-scatter(p, source, zero), window={size=1x2 lhs_dilate=1x2}, \
select=ge, scatter=sum
  q = f32[8,8] parameter(2)
  idle = f32[8,6] reduce-window(q, zero), window={size=1x2 rhs_dilate=1x2}, to_apply=sum
  behind = f32[8,6] negate(dilated)
  ROOT t = (f32[8,7], f32[8,6], f32[8,14], f32[8,8], f32[8,6]) \
tuple(free, behind, spread, scattered, idle)
}
"""
WINDOW = "dilates its window or what it slides over, and so takes nothing on"


@pytest.fixture(scope="module")
def result() -> shardlog.Result:
    return shardlog.propagate(TEXT.encode())


def test_each_refusal_is_told_with_what_it_refuses(result: shardlog.Result) -> None:
    found = result.refusals()
    assert [r.instruction for r in found] == ["dilated", "spread", "scattered"]
    assert all(r.operands == (("p", "{devices=[2,1]<=[2]}"),) for r in found)
    assert found[0].says == f"dilated, a reduce-window, {WINDOW}"
    assert str(found[0]).endswith("; p ({devices=[2,1]<=[2]}) stays outside")
    assert result.sharding("free") is not None
    for refusal in found:
        assert result.sharding(refusal.instruction) is None


@pytest.mark.parametrize("name", ["dilated", "behind"])
def test_why_names_the_refusal(result: shardlog.Result, name: str) -> None:
    cause = result.account(name).cause
    assert cause.kind == "op_refuses"
    assert cause.says.endswith(f"offers: dilated, a reduce-window, {WINDOW}")
    assert cause.contributors == (("p", "{devices=[2,1]<=[2]}"),)


def test_nothing_is_refused_where_nothing_is_tiled(result: shardlog.Result) -> None:
    assert result.account("idle").cause.kind != "op_refuses"


def test_the_report_has_the_refusals(result: shardlog.Result) -> None:
    rows = api.report(result)["refusals"]
    assert [row["instruction"] for row in rows] == ["dilated", "spread", "scattered"]
    assert rows[2]["opcode"] == "select-and-scatter"
    outcome = CliRunner().invoke(main, ["why", "-", "scattered", "--json"], input=TEXT.encode())
    assert json.loads(outcome.stdout)["cause"]["kind"] == "op_refuses"
