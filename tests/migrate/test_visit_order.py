"""Which shardings depend on the order of visits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from shardlog import converters
from shardlog.cli import main
from shardlog.converters.mlir import read_program
from shardlog.ir.other_orders import another_order
from shardlog.visit_order import gspmd_orders, reordered, shardy_orders

DATA = Path(__file__).parents[1] / "data"
SCORES = """"builtin.module"() ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["h"=2]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{}, {sdy.sharding = #sdy.sharding<@mesh, [{"h"}, {}]>},
    {sdy.sharding = #sdy.sharding<@mesh, [{}, {"h"}]>}],
    function_type = (T, T, T) -> (T, T), sym_name = "main"}> ({
  ^bb0(%x: T, %rows: T, %columns: T):
    %one = "stablehlo.add"(%x, %rows) : (T, T) -> T
    %two = "stablehlo.multiply"(%x, %columns) : (T, T) -> T
    "func.return"(%one, %two) : (T, T) -> ()
  }) : () -> ()
}) : () -> ()
""".replace("T", "tensor<64x64xf32>")
"""Either dimension of x could have the one axis."""


def test_another_order_keeps_what_must_come_first() -> None:
    before = {"d": "ab", "e": "d", "c": "", "a": "", "b": "a"}
    items = list("abcde")
    for seed in range(20):
        order = another_order(items, lambda item: before[item], seed)
        assert sorted(order) == items
        assert all(order.index(one) < order.index(x) for x in items for one in before[x])
    assert another_order(items, lambda item: before[item], 0) == list("cabde")
    assert another_order(items, lambda item: before[item], 7) == another_order(
        items, lambda item: before[item], 7
    )


def test_what_waits_for_itself_in_a_circle_is_an_error() -> None:
    with pytest.raises(ValueError, match="wait for each other"):
        another_order("ab", lambda item: "ba"["ab".index(item)], 0)


def test_a_dimension_that_comes_first_keeps_the_axis() -> None:
    report = shardy_orders(read_program(SCORES))
    (found,) = [group.answers for group in report.groups if "%x" in group.names]
    assert {answer for answer, _ in found} == {'[{"h"}, {}]', '[{}, {"h"}]'}
    assert found[0][1][0] == "as it stands"
    again = shardy_orders(read_program(SCORES))
    assert report.to_dict() == again.to_dict()
    assert "drawn 1" in report.to_text()


def test_a_reordered_program_means_the_same() -> None:
    program = read_program((DATA / "shardy_programs" / "control_flow.before.mlir").read_text())
    names = sorted(op.name for op in program.module.walk())
    made = reordered(program, 3)
    assert sorted(op.name for op in made.module.walk()) == names


def test_most_of_gspmds_answers_do_not_depend_on_it() -> None:
    module = converters.load((DATA / "migrate" / "conflict.tagged.txt").read_bytes())
    report = gspmd_orders(converters.shardy.gspmd_form(module).module, {}, draws=2)
    assert report.orders == ("as it stands", "last first", "drawn 1", "drawn 2")
    assert report.groups == ()


def test_the_command(tmp_path: Path) -> None:
    program = tmp_path / "scores.mlir"
    program.write_text(SCORES)
    command = ["order", str(program), "--partitioner", "shardy", "--json"]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["depending"]
    assert CliRunner().invoke(main, [*command, "--strict"]).exit_code == 1
