"""MLIR in generic form, read and written."""

from __future__ import annotations

from pathlib import Path

import pytest

from shardlog.converters.mlir import flattened, read_attribute, read_program, write_program
from shardlog.ir.errors import InputError

PROGRAMS = Path(__file__).parents[1] / "data" / "shardy_programs"

SMALL = """"builtin.module"() <{sym_name = "m"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}], function_type = \
(tensor<4xf32>) -> tensor<4xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<4xf32>):
    %0:2 = "stablehlo.custom_call"(%arg0) <{call_target_name = "a \\"b\\" -> {"}> : \
(tensor<4xf32>) -> (tensor<4xf32>, !stablehlo.token)
    "func.return"(%0#0) : (tensor<4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
"""


def test_shardings_are_on_values() -> None:
    program = read_program(SMALL)
    main = program.main
    assert str(main.regions[0].arguments[0].sharding) == '#sdy.sharding<@mesh, [{"a"}]>'
    call = main.regions[0].ops[0]
    assert [result.type.shape for result in call.results] == [(4,), None]
    assert call.line == 5
    assert program.meshes["mesh"].axis_size("a") == 2


def test_properties_that_are_no_dictionary() -> None:
    text = SMALL.replace('<{call_target_name = "a \\"b\\" -> {"}>', "<2 : i64>")
    assert text != SMALL
    assert " <2 : i64> : (tensor<4xf32>)" in write_program(read_program(text))


@pytest.mark.parametrize("path", sorted(PROGRAMS.glob("*.mlir")), ids=lambda path: path.stem)
def test_what_is_written_reads_the_same(path: Path) -> None:
    once = write_program(read_program(path.read_text()))
    assert write_program(read_program(once)) == once
    assert once.count("\n") == path.read_text().count("\n")


@pytest.mark.parametrize(
    ("change", "message", "line"),
    [
        (("%0#0", "%1"), "%1 is not defined", 6),
        ((": (tensor<4xf32>) -> ()\n  }) : () -> ()\n})", ""), "a region does not end", 7),
        (("%0:2 =", "%0 ="), "has 2 results and names 1", 5),
        (('[{"a"}]>}]', '[{"a"]>}]'), "unreadable", 3),
    ],
)
def test_bad_text_is_one_error_with_its_line(
    change: tuple[str, str], message: str, line: int
) -> None:
    assert change[0] in SMALL
    with pytest.raises(InputError, match=message) as caught:
        read_program(SMALL.replace(*change), "x.mlir")
    assert caught.value.file == "x.mlir"
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3 : i64", 3),
        ("false", False),
        ('"x"', "x"),
        ("array<i64: 1, 2>", (1, 2)),
        ("array<i64>", ()),
        ("dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>", (0, 1, 2, 3)),
        ("dense<7> : tensor<3xi64>", (7, 7, 7)),
        ("dense<1.5> : tensor<3xf32>", None),
        ("#stablehlo<transpose ADJOINT>", "ADJOINT"),
    ],
)
def test_attributes(text: str, value: object) -> None:
    assert read_attribute(text) == value


def test_attributes_with_fields() -> None:
    dot = "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>"
    assert dict(flattened("d", dot)) == {
        "lhs_contracting_dimensions": (1,),
        "rhs_contracting_dimensions": (0,),
    }
    conv = "#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[f, 1, 0, b]>"
    assert dict(flattened("c", conv)) == {
        "input": (0, 3, 1, 2),
        "kernel": (3, 2, 0, 1),
        "output": (3, 0, 2, 1),
    }
