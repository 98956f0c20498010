"""What Shardy gives differently from GSPMD, why, and what mends it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from shardlog import converters
from shardlog.cli import main
from shardlog.converters.mlir import read_program
from shardlog.converters.shardy.chlo import lower_chlo
from shardlog.explain.run import Run
from shardlog.migrate import Kind, Migration, compare, migrate
from shardlog.migrate.pairs import Pairs, shardy_run
from shardlog.propagation import propagate
from tests.face.test_stablehlo import with_jaxlib
from tests.shardy_random import random_program

DATA = Path(__file__).parents[1] / "data" / "migrate"


def migration(name: str, trials: int = 8) -> Migration:
    module = converters.load((DATA / f"{name}.tagged.txt").read_bytes())
    converted = converters.shardy.gspmd_form(module).module
    gspmd = Run(propagate(converted))
    shardy = shardy_run((DATA / f"{name}.mlir").read_bytes(), name)
    return compare(Pairs.of(shardy, gspmd, converted), name, trials=trials)


def test_an_op_that_gspmd_does_not_pass() -> None:
    (group,) = migration("fft").groups
    assert group.kind is Kind.GSPMD_HAS_NO_RULE
    assert group.cause.op == "fft %0"
    assert group.count == 3
    assert [row.names for row in group.rows] == [("result 0",), ("%0",), ("%1",)]
    assert "fft is not among the ops that may be tiled" in group.cause.gspmd
    assert '"x" on dimension 0 from %arg0' in group.cause.shardy
    assert group.remedy is not None
    assert [str(one) for one in group.remedy.annotations] == ["constrain %0 to [{}, {}]"]
    assert (group.remedy.mended, group.remedy.spoilt) == (3, 0)


def test_a_conflict_that_gspmd_decides_and_shardy_does_not() -> None:
    (group,) = migration("conflict").groups
    assert group.kind is Kind.CONFLICT
    assert '%arg0 has {"a"} and %arg1 has {"b"}; nobody wins' in group.cause.shardy
    assert group.remedy is not None
    (annotation,) = group.remedy.annotations
    assert annotation.jax == "jax.lax.with_sharding_constraint(x, P('b', P.UNCONSTRAINED))"
    assert group.remedy.mended == group.count == 3


def test_inputs_and_outputs_that_do_not_divide_evenly() -> None:
    (group,) = migration("uneven").groups
    assert group.kind is Kind.UNEVEN
    shown = {row.names[0]: (row.shardy, row.gspmd) for row in group.rows}
    assert shown["%arg0"] == ('[{"a"}, {"b":(1)2}]', '[{"a"}, {"b"}]')
    assert shown["result 0"] == ('[{"a"}, {}]', "[{}, {}]")
    assert group.sizes == (176, 416)


def test_values_of_a_function_are_found_where_it_is_called() -> None:
    answer = migration("call")
    assert (answer.compared, answer.groups) == (5, ())
    assert "both give the same to all 5 values" in answer.to_text()


def test_without_trials_nothing_is_tried() -> None:
    (group,) = migration("fft", trials=0).groups
    assert group.remedy is None
    assert group.remedy_says() == "none was looked for"


def test_both_proofs_are_there() -> None:
    answer = migration("conflict")
    gspmd, shardy = answer.groups[0].proofs
    assert 'Arg_1.1 is annotated [{"b"}, {}]' in gspmd
    assert "cause (conflict)" in shardy
    text = answer.to_text(proofs=True)
    assert "  proof of GSPMD:" in text
    assert "  proof of Shardy:" in text


def test_the_forms_say_the_same() -> None:
    answer = migration("fft")
    fields = json.loads(json.dumps(answer.to_dict()))
    (group,) = fields["groups"]
    assert (fields["differing"], group["kind"]) == (3, "gspmd_has_no_rule")
    assert group["remedy"]["annotations"][0]["sharding"] == "#sdy.sharding<@mesh, [{}, {}]>"
    assert "## ops that GSPMD does not pass and Shardy does: `fft %0`" in answer.to_markdown()
    assert "<summary>proof of Shardy</summary>" in answer._repr_html_()


def test_chlo_is_lowered_as_xla_does() -> None:
    text = (DATA / "fft.mlir").read_text()
    text = text.replace('"stablehlo.negate"', '"chlo.square"')
    text = text.replace("tensor<16x64xcomplex<f32>>", "tensor<16x64xf32>")
    program = read_program(text)
    was, left = lower_chlo(program)
    assert [*was.values()] == ["chlo.square"]
    assert left == []
    (square,) = was
    assert (square.name, len(square.operands)) == ("stablehlo.multiply", 2)


@with_jaxlib
def test_annotations_that_a_later_one_makes_needless_are_left_out() -> None:
    # a constraint on what is returned helps at first; the annotation of the result does it alone
    found = {group.cause.op: group for group in migrate(random_program(43).encode()).groups}
    remedy = found["the return of result 2"].remedy
    assert remedy is not None
    assert [str(one) for one in remedy.annotations] == ["annotate result 2 with [{}, {}]"]
    assert (remedy.mended, remedy.spoilt) == (2, 0)


@with_jaxlib
def test_the_command(tmp_path: Path) -> None:
    program = DATA / "fft.mlir"
    done = CliRunner().invoke(main, ["migrate", str(program)])
    assert done.exit_code == 1, done.output
    assert "remedy: constrain %0 to [{}, {}]: tried, 3 of 3 become GSPMD's" in done.output
    page = tmp_path / "page.html"
    command = ["compare", str(program), "--partitioners"]
    assert CliRunner().invoke(main, command).output == done.output
    done = CliRunner().invoke(main, ["migrate", str(program), "--format", "html", "-o", str(page)])
    assert page.read_text().startswith("<!doctype html>")
    assert CliRunner().invoke(main, ["migrate", str(DATA / "call.mlir")]).exit_code == 0


@pytest.mark.skipif(
    not os.environ.get("SHARDLOG_XLA_PYTHON"), reason="SHARDLOG_XLA_PYTHON names no interpreter"
)
@pytest.mark.parametrize("name", ["fft", "conflict"])
def test_the_binary_gives_with_the_remedy_what_gspmd_gave(name: str) -> None:
    from shardlog.converters.mlir import write_program
    from shardlog.shardy.binary import run_binary
    from shardlog.shardy.copies import copied

    shardy = shardy_run((DATA / f"{name}.mlir").read_bytes(), name)
    (group,) = migration(name).groups
    assert group.remedy is not None
    program, _ = copied(shardy.asked.original)
    for one in group.remedy.annotations:
        one.apply(program, list(program.module.walk()))
    (answer,) = run_binary([write_program(program).encode()])
    if answer.after is None:
        pytest.skip(f"the binary cannot run here: {answer.error}")
    (result,) = answer.after.main.result_shardings
    axes = [[str(axis) for axis in dim.axes] for dim in result.dims] if result else [[], []]
    assert axes == {"fft": [[], []], "conflict": [['"b"'], []]}[name]
