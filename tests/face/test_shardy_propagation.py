"""Shardy's propagation of small programs, compared with the binary's."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from shardlog.cli import main
from shardlog.converters.mlir import read_program, write_program
from shardlog.converters.shardy.begin import begin
from shardlog.converters.shardy.prepare import prepare
from shardlog.converters.shardy.program_facts import program_facts
from shardlog.engine import Facts
from shardlog.engine.stacked import Stacked
from shardlog.engine.stacked_compiled import StackedSaturation
from shardlog.mlir_run import TOP_K
from shardlog.shardy import load_shardy_rules, made_for_shardy, propagate, read_shardy
from shardlog.shardy.values import count_values, value_rows
from tests import shardy_conformance
from tests.shardy_random import random_program

PROGRAMS = Path(__file__).parents[1] / "data" / "shardy_programs"
NAMES = sorted(path.name.split(".")[0] for path in PROGRAMS.glob("*.before.mlir"))
NOTE = re.compile(r" \{stablehlo\.mesh = .*?\}(?= : \(\))")


def text_of(path: Path) -> str:
    return NOTE.sub("", write_program(read_program(path.read_text())))


@pytest.mark.parametrize("name", NAMES)
def test_a_program_is_as_the_binary_leaves_it(name: str) -> None:
    program = read_shardy((PROGRAMS / f"{name}.before.mlir").read_bytes())
    propagate(program)
    assert NOTE.sub("", write_program(program)) == text_of(PROGRAMS / f"{name}.after.mlir")
    counts = count_values(program)
    assert 0 < counts.sharded <= counts.values


@pytest.mark.parametrize("name", NAMES)
def test_compiled_and_plain_do_the_same(name: str) -> None:
    program = read_shardy((PROGRAMS / f"{name}.before.mlir").read_bytes())
    prepare(program)
    begin(program)
    _, facts = program_facts(program, Facts)
    plain = Stacked(load_shardy_rules(), facts).run()
    compiled = StackedSaturation(load_shardy_rules(), facts).run()
    count = facts.entity_count
    assert compiled.state["sharding"][:count] == plain.state["sharding"]
    assert [r[:5] for r in compiled.records] == [r[:5] for r in plain.records]


def test_records_tell_what_was_shared() -> None:
    program = read_shardy((PROGRAMS / "uneven.before.mlir").read_bytes())
    outcome = propagate(program)
    record = outcome.records[0]
    assert record.rule.name == "propagate"
    assert record.value == 0
    op = outcome.graph.ops[record.contributors[0]]
    assert op.name == "stablehlo.add"
    assert propagate(read_shardy((PROGRAMS / "uneven.before.mlir").read_bytes()), provenance=False)


def test_the_command_lists_values() -> None:
    path = str(PROGRAMS / "uneven.before.mlir")
    result = CliRunner().invoke(
        main, ["propagate", path, "--partitioner", "shardy", "--format", "json"]
    )
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)["values"]
    assert rows[-1] == {
        "function": "main",
        "path": "",
        "op": "func.func",
        "what": "function result",
        "index": 0,
        "type": "tensor<32x35xf32>",
        "sharding": '#sdy.sharding<@mesh, [{"b"}, {}]>',
        "hlo": "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}",
    }
    assert "sharded: 3 of 8 values before, 7 of 8 after" in result.stderr
    assert "steps: level 0 3" in result.stderr


def test_auto_is_what_xla_would_run(tmp_path: Path) -> None:
    program = PROGRAMS / "uneven.before.mlir"
    packed = tmp_path / "packed.mlir.gz"
    packed.write_bytes(gzip.compress(program.read_bytes()))
    for path in (program, packed):
        result = CliRunner().invoke(main, ["propagate", str(path), "--partitioner", "auto"])
        assert result.exit_code == 0, result.output
        assert "by Shardy" in result.stdout
    plain = PROGRAMS.parent / "small" / "transpose.before.txt"
    result = CliRunner().invoke(main, ["propagate", str(plain), "--partitioner", "auto"])
    assert result.exit_code == 0, result.output
    assert "Shardy" not in result.stdout
    assert made_for_shardy((PROGRAMS.parent / "shardy" / "loop.shardy.txt").read_bytes())


def test_within_a_manual_computation_its_axes_are_manual() -> None:
    program = read_shardy((PROGRAMS / "manual.before.mlir").read_bytes())
    propagate(program)
    rows = {(row["path"], row["op"]): row for row in value_rows(program)}
    inside = next(row for (_, op), row in rows.items() if op == "stablehlo.tanh")
    assert inside["hlo"] == "{devices=[1,4,4]<=[2,4,2]T(1,0,2) last_tile_dims={manual}}"


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--no-spmd"], "takes none of the options of GSPMD's pass"),
        (["--format", "pb"], "writes StableHLO or JSON, not pb"),
    ],
)
def test_what_shardy_does_not_take(more: list[str], message: str) -> None:
    path = str(PROGRAMS / "uneven.before.mlir")
    result = CliRunner().invoke(main, ["propagate", path, "--partitioner", "shardy", *more])
    assert result.exit_code == 2
    assert message in result.stderr


def test_bad_input_is_one_error(tmp_path: Path) -> None:
    text = (PROGRAMS / "uneven.before.mlir").read_text()
    path = tmp_path / "bad.mlir"
    path.write_text(text.replace('@mesh, [{"a"}, {}]', '@mash, [{"a"}, {}]'))
    result = CliRunner().invoke(main, ["propagate", str(path), "--partitioner", "shardy"])
    assert result.exit_code == 2
    assert f"{path}: mesh @mash is not declared" in result.stderr


def test_the_conformance_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert shardy_conformance.main([str(PROGRAMS), "--only", "uneven|top_k", "--bar", "100"]) == 0
    assert "2 of 2 programs, 46 of 46 values" in capsys.readouterr().out
    assert shardy_conformance.main([str(PROGRAMS), "--only", "nothing"]) == 2


def test_a_difference_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for side in ("before", "after"):
        text = (PROGRAMS / f"uneven.{side}.mlir").read_text()
        if side == "after":
            text = text.replace('[{"b"}, {}]', '[{"b"}, {"a"}]')
        (tmp_path / f"x.{side}.mlir").write_text(text)
    assert shardy_conformance.main([str(tmp_path), "--wrong", "--bar", "100"]) == 1
    out = capsys.readouterr().out
    assert "x: values 9/10" in out
    assert 'in the binary #sdy.sharding<@mesh, [{"b"}, {"a"}]>' in out


def test_random_programs_are_programs() -> None:
    for seed in range(12):
        program = read_shardy(random_program(seed).encode())
        assert propagate(program).records is not None
        text = write_program(program)
        # what Shardy hands on is closed, and has no edges
        assert "?" not in text
        assert "data_flow_edge" not in text


def test_top_k_as_xla_dumps_it() -> None:
    line = "    %v, %i = mhlo.topk(%arg0, k = 2) {x} : tensor<8x4xf32> -> (tensor<8x2xf32>)"
    assert TOP_K.sub(r'\1"mhlo.topk"(\2) <{\3}>\4 : (\5) -> ', line) == (
        '    %v, %i = "mhlo.topk"(%arg0) <{k = 2}> {x} : (tensor<8x4xf32>) -> (tensor<8x2xf32>)'
    )
