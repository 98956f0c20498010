"""Shapes: reading, writing, what they say."""

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shardlog.ir.errors import InputError
from shardlog.ir.shape import BIT_WIDTHS, UNBOUNDED, Shape, parse_shape

ARRAYS = st.builds(
    Shape,
    st.sampled_from([*BIT_WIDTHS, "f8e4m3fn", "f4e2m1fn"]).filter(lambda x: x != "opaque"),
    st.lists(st.integers(0, 9), max_size=4).map(tuple),
)
SHAPES = st.recursive(ARRAYS, lambda x: st.lists(x, max_size=4).map(tuple).map(Shape.tuple_of))


@given(SHAPES)
def test_text_is_read_back(shape: Shape) -> None:
    assert parse_shape(str(shape)) is shape


@given(SHAPES)
def test_equal_shapes_are_one_object(shape: Shape) -> None:
    assert Shape(shape.element_type, shape.dimensions, shape.elements) is shape
    assert pickle.loads(pickle.dumps(shape)) is shape
    assert copy.deepcopy(shape) is shape


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("f32[8,4]{1,0}", "f32[8,4]"),
        ("bf16[8,128]{1,0:T(8,128)(2,1)S(1)}", "bf16[8,128]"),
        ("f32[2]{0:D(C)P(f32[2]{0})}", "f32[2]"),
        ("s32[<=8, 3]{1,0}", "s32[8,3]"),
        ("s32[<=8\x1c, 3]", "s32[8,3]"),
        ("f32[?,4]", "f32[?,4]"),
        ("s4[16]{0:E(4)}", "s4[16]"),
        ("b(f32[8]{0})", "f32[8]"),
        ("()", "()"),
        ("(f32[], /*index=1*/(s32[2]{0}, token[]), pred[])", "(f32[], (s32[2], token[]), pred[])"),
        ("( f32 [ 8 ] ,\n s32[] )", "(f32[8], s32[])"),
    ],
)
def test_layouts_bounds_and_comments_are_left_out(text: str, plain: str) -> None:
    assert str(parse_shape(text)) == plain
    assert parse_shape(text) is parse_shape(plain)


def test_leaves() -> None:
    shape = parse_shape("(f32[2], (), (s32[], (pred[3], token[])))")
    assert [str(leaf) for leaf in shape.leaves] == ["f32[2]", "s32[]", "pred[3]", "token[]"]
    assert shape.leaf_count == shape.required_leaves == 4
    empty = parse_shape("((), ())")
    assert (empty.leaf_count, empty.required_leaves) == (0, 1)
    array = parse_shape("f32[2]")
    assert array.leaves == (array,)


def test_sizes() -> None:
    assert parse_shape("f32[8,4]").byte_size == 128
    assert parse_shape("s4[3]").byte_size == 3
    assert parse_shape("(c64[2], token[])").byte_size == 16
    assert parse_shape("f8e5m2[5]").byte_size == 5
    assert [parse_shape(f"{kind}[]").bit_width for kind in ("pred", "bf16", "u2", "c128")] == [
        1,
        16,
        2,
        128,
    ]
    assert parse_shape("f32[?]").dimensions == (UNBOUNDED,)


def test_kinds() -> None:
    assert parse_shape("f32[]").is_array
    assert not parse_shape("token[]").is_array
    assert parse_shape("()").is_tuple
    assert parse_shape("f32[2,3]").rank == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "",
            "unreadable shape '' (expected an element type such as f32 and dimensions in brackets, "
            "found the end)",
        ),
        (
            "q32[8]",
            "unreadable shape 'q32[8]' (expected an element type such as f32 and dimensions in "
            "brackets, found 'q32[8]')",
        ),
        ("f32[a]", "unreadable shape 'f32[a]' (expected dimension sizes, found 'a]')"),
        ("f32[8]]", "unreadable shape 'f32[8]]' (expected its end, found ']')"),
        ("(f32[8]", "unreadable shape '(f32[8]' (expected ',' or ')', found the end)"),
        (
            "f32[8]{0:T(8",
            "unreadable shape 'f32[8]{0:T(8' (expected '}' at the end of the layout, found the "
            "end)",
        ),
    ],
)
def test_unreadable(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_shape(text)
    assert str(caught.value) == message
