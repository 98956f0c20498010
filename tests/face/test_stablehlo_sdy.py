"""StableHLO programs with Shardy's annotations, read by an installed jaxlib."""

from __future__ import annotations

import pytest

import shardlog
from shardlog.ir.errors import InputError
from shardlog.notes import partitioner_notes

pytest.importorskip("jaxlib", reason="jaxlib is not installed")

PROGRAM = """
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func public @main(
    %a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>},
    %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}) {
  %0 = sdy.sharding_constraint %a <@mesh, [{?}, {"y", ?}]> : tensor<8x8xf32>
  %1 = sdy.manual_computation(%0, %b)
      in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{}, {"y"}]>]
      out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x"}
      (%c: tensor<4x8xf32>, %d: tensor<8x8xf32>) {
    %2 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0]
        {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>}
        : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    sdy.return %2 : tensor<4x8xf32>
  } : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  sdy.sharding_group %1 group_id=3 : tensor<8x8xf32>
  %3 = stablehlo.sine %1 : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}
"""


@pytest.fixture(autouse=True)
def _this_interpreter(monkeypatch):
    monkeypatch.delenv("SHARDLOG_XLA_PYTHON", raising=False)


def test_annotations_come_in_through_the_bridge():
    module = shardlog.load(PROGRAM.encode())
    calls = {x.custom_call_target: x for x in module.instructions if x.opcode == "custom-call"}
    assert set(calls) == {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape"}
    constraints = [x for x in module.instructions if x.custom_call_target == "Sharding"]
    said = {(str(x.sharding), x.opaque) for x in constraints}
    assert said >= {
        ("{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}", "unspecified_dims=[0,1]"),
        ("{devices=[2,4]<=[8]}", ""),
        ("{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dims={manual}}", ""),
        ("{unknown shard_as 3}", ""),
    }
    (dot,) = [x for x in module.instructions if x.opcode == "dot"]
    assert str(dot.sharding) == "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dims={manual}}"
    assert module.parameter_mask == (True, False)
    assert module.output_mask == (True,)
    assert module.warnings == [
        "closed dimensions of open parameters and results are open, too (2 values)"
    ]
    (first, *_) = partitioner_notes(module)
    assert "XLA runs Shardy on this module" in first


def test_such_a_program_is_propagated():
    result = shardlog.propagate(shardlog.load(PROGRAM.encode()))
    (sine,) = [x for x in result.module.instructions if x.opcode == "sine"]
    assert str(sine.sharding) == "{devices=[2,4]<=[8]}"


def test_a_barrier_is_refused_by_name():
    barrier = "%4 = sdy.propagation_barrier %3 allowed_direction=BACKWARD : tensor<8x8xf32>"
    program = PROGRAM.replace("  return %3", f"  {barrier}\n  return %4")
    with pytest.raises(InputError, match=r"a propagation barrier: GSPMD has nothing like it"):
        shardlog.load(program.encode())
