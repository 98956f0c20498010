"""Literals of protos as XLA's text shows them."""

import struct

import pytest

from shardlog.converters.hlo_proto_literal import integer_values, literal_text
from shardlog.converters.proto import POOL, LiteralProto
from shardlog.ir.errors import InputError

TYPES = POOL.FindEnumTypeByName("xla.PrimitiveType").values_by_name


def _literal(kind: str, dimensions: list[int], **values: object) -> LiteralProto:
    order = list(reversed(range(len(dimensions))))
    shape = {"element_type": TYPES[kind].number, "dimensions": dimensions}
    return LiteralProto(shape=shape | {"layout": {"minor_to_major": order}}, **values)


SCALARS = [
    ("S32", {"s32s": [-7]}, "-7"),
    ("U64", {"u64s": [2**64 - 1]}, "18446744073709551615"),
    ("PRED", {"preds": [True]}, "true"),
    ("F32", {"f32s": [0.1]}, "0.1"),
    ("F32", {"f32s": [1 / 3]}, "0.333333343"),
    ("F32", {"f32s": [3.4028234663852886e38]}, "3.40282347e+38"),
    ("F32", {"f32s": [float("-inf")]}, "-inf"),
    ("F32", {"f32s": [float("nan")]}, "nan"),
    ("F32", {"f32s": [-0.0]}, "-0"),
    ("F64", {"f64s": [0.1]}, "0.1"),
    ("F64", {"f64s": [1 / 3]}, "0.33333333333333331"),
    ("C64", {"c64s": [1.5, -2.0]}, "(1.5, -2)"),
    ("S8", {"s8s": b"\xff"}, "-1"),
    ("S4", {"s4s": b"\x0f"}, "-1"),
    ("U4", {"u4s": b"\x0f"}, "15"),
    ("S16", {"s16s": struct.pack("<h", -300)}, "-300"),
    ("F16", {"f16s": struct.pack("<e", 0.1999)}, "0.19995"),
    ("BF16", {"bf16s": b"\x25\x41"}, "10.31"),
    ("BF16", {"bf16s": b"\x80\xff"}, "-inf"),
    ("F8E4M3FN", {"f8e4m3fns": b"\x4e"}, "7"),
    ("F8E4M3FN", {"f8e4m3fns": b"\x7f"}, "nan"),
    ("F8E5M2", {"f8e5m2s": b"\xfc"}, "-inf"),
    ("F8E4M3B11FNUZ", {"f8e4m3b11fnuzs": b"\x80"}, "-nan"),
]


@pytest.mark.parametrize(("kind", "values", "text"), SCALARS)
def test_scalars(kind: str, values: dict[str, object], text: str) -> None:
    assert literal_text(_literal(kind, [], **values)) == text


ARRAYS = [
    ([3], [1, 2, 3], "{1, 2, 3}"),
    ([0], [], "{}"),
    ([2, 2], [1, 2, 3, 4], "{ { 1, 2 }, { 3, 4 } }"),
    ([2, 1], [1, 2], "{ {1}, {2} }"),
    ([1, 1, 2], [1, 2], "{ { { 1, 2 } } }"),
    (
        [1, 2, 1, 1],
        [1, 2],
        "{ { /*i0=0*/ { /*i1=0*/ {1} }, { /*i1=1*/ {2} } } }",
    ),
]


@pytest.mark.parametrize(("dimensions", "values", "text"), ARRAYS)
def test_arrays(dimensions: list[int], values: list[int], text: str) -> None:
    assert literal_text(_literal("S32", dimensions, s32s=values)) == text


def test_an_array_of_preds_has_digits() -> None:
    assert literal_text(_literal("PRED", [2], preds=[True, False])) == "{1, 0}"


def test_a_tuple_and_its_shapes() -> None:
    parts = [_literal("S32", [2], s32s=[1, 2]), _literal("F32", [], f32s=[0.5])]
    literal = LiteralProto(shape={"element_type": 13}, tuple_literals=parts)
    assert literal_text(literal) == "( {1, 2}, 0.5 )"
    assert literal_text(literal, shapes=True) == "( s32[2]{0} {1, 2}, f32[] 0.5 )"


def test_elements_come_in_row_major_order_whatever_the_layout() -> None:
    literal = _literal("S32", [2, 3], s32s=[1, 4, 2, 5, 3, 6])
    literal.shape.layout.minor_to_major[:] = [0, 1]
    assert literal_text(literal) == "{ { 1, 2, 3 }, { 4, 5, 6 } }"
    values = integer_values(literal)
    assert values is not None
    assert values.tolist() == [1, 2, 3, 4, 5, 6]


def test_only_integers_that_fit_are_integers() -> None:
    assert integer_values(_literal("F32", [], f32s=[1.0])) is None
    assert integer_values(_literal("U64", [], u64s=[2**63])) is None


def test_a_literal_without_its_values_is_refused() -> None:
    with pytest.raises(InputError, match="expected 4 values, found 1 values"):
        literal_text(_literal("S32", [2, 2], s32s=[1]))
    with pytest.raises(InputError, match="expected an array or a tuple"):
        literal_text(_literal("OPAQUE_TYPE", []))


def test_rows_without_elements_are_not_written_by_the_million() -> None:
    with pytest.raises(InputError, match="too many"):
        literal_text(_literal("S32", [10**12, 0]))
