"""Shapes, layouts and strings of protos as XLA's text shows them."""

from typing import Any

import pytest

from shardlog.converters.hlo_proto_values import (
    escaped,
    is_json_object,
    shape_proto,
    shape_text,
)
from shardlog.converters.proto import ShapeProto
from shardlog.ir.shape import parse_shape

SHAPES: list[tuple[dict[str, Any], str]] = [
    ({"element_type": 11}, "f32[]"),
    ({"element_type": 11, "layout": {}}, "f32[]"),
    ({"element_type": 4, "dimensions": [2], "layout": {"minor_to_major": [0]}}, "s32[2]{0}"),
    ({"element_type": 17}, "token[]"),
    ({"element_type": 14}, "opaque[]"),
    ({"element_type": 13}, "()"),
    (
        {"element_type": 11, "dimensions": [8, 4], "is_dynamic_dimension": [True, False]},
        "f32[<=8,4]",
    ),
    (
        {"element_type": 11, "dimensions": [-(1 << 63)], "is_dynamic_dimension": [True]},
        "f32[?]",
    ),
    ({"element_type": 34, "tuple_shapes": [{"element_type": 1}]}, "b(pred[])"),
    ({"element_type": 11, "layout": {"memory_space": 5}}, "f32[]{:S(5)}"),
]
LAYOUTS: list[tuple[dict[str, Any], str]] = [
    ({}, "1,0"),
    ({"tiles": [{"dimensions": [8, 128]}, {"dimensions": [-(1 << 63), 1]}]}, "1,0:T(8,128)(*,1)"),
    ({"element_size_in_bits": 4, "memory_space": 1}, "1,0:E(4)S(1)"),
    ({"dim_level_types": [0, 1], "dim_unique": [True, False]}, "1,0:D(D,C+)"),
    ({"dim_level_types": [3, 9], "dim_ordered": [False, True]}, "1,0:D(H~,?)"),
    ({"tail_padding_alignment_in_elements": 16}, "1,0:L(16)"),
    ({"index_primitive_type": 8, "pointer_primitive_type": 9}, "1,0:#(u32)*(u64)"),
    ({"split_configs": [{"dimension": 1, "split_indices": [4, 8]}]}, "1,0:SC(1:4,8)"),
    ({"dynamic_shape_metadata_prefix_bytes": 16}, "1,0:M(16)"),
    ({"physical_shape": {"element_type": 11, "dimensions": [2]}}, "1,0:P(f32[2])"),
]


@pytest.mark.parametrize(("fields", "text"), SHAPES)
def test_shapes(fields: dict[str, Any], text: str) -> None:
    assert shape_text(ShapeProto(**fields)) == text


@pytest.mark.parametrize(("fields", "text"), LAYOUTS)
def test_layouts(fields: dict[str, Any], text: str) -> None:
    layout = {"minor_to_major": [1, 0]} | fields
    shape = ShapeProto(element_type=11, dimensions=[8, 4], layout=layout)
    assert shape_text(shape) == f"f32[8,4]{{{text}}}"
    assert shape_text(shape, layout=False) == "f32[8,4]"


def test_every_fifth_element_of_a_tuple_is_numbered() -> None:
    shape = ShapeProto(element_type=13, tuple_shapes=[{"element_type": 11}] * 6)
    assert shape_text(shape) == "(f32[], f32[], f32[], f32[], f32[], /*index=5*/f32[])"


@pytest.mark.parametrize(
    ("text", "with_layout"),
    [
        ("f32[8,4]", "f32[8,4]{1,0}"),
        ("bf16[]", "bf16[]"),
        ("(s32[2], token[], ())", "(s32[2]{0}, token[], ())"),
        ("f32[?,3]", "f32[?,3]{1,0}"),
    ],
)
def test_a_shape_becomes_a_proto_with_the_usual_layout(text: str, with_layout: str) -> None:
    assert shape_text(shape_proto(parse_shape(text))) == with_layout


def test_strings_are_escaped_as_xla_does() -> None:
    assert escaped('a"b\\c\nd\te') == r"a\"b\\c\nd\te"
    assert escaped("é\x01") == r"\303\251\001"
    assert escaped(b"\xff'") == r"\377\'"


@pytest.mark.parametrize(
    ("text", "is_object"),
    [
        ('{"a":{"b":"}"}}', True),
        ("{}", True),
        ('{"a":"\\"}"}', True),
        ("{} ", False),
        ("{", False),
        ('{"a}', False),
        ("[]", False),
        ("", False),
    ],
)
def test_json_objects_stay_unquoted(text: str, is_object: bool) -> None:
    assert is_json_object(text) is is_object
