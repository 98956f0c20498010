"""Attributes of instructions: lists of them, and their typed forms."""

import pickle

import pytest

from shardlog.ir.attribute_text import attribute_of, split_attributes
from shardlog.ir.attributes import (
    ConvolutionDimensions,
    DotDimensions,
    Padding,
    SliceBounds,
    Window,
    parse_convolution,
    parse_integers,
    parse_metadata,
    parse_padding,
    parse_slice,
    parse_window,
    unquoted,
)
from shardlog.ir.errors import InputError

LIST = (
    ", dimensions={0,1}, to_apply=%add, sharding={{devices=[2]<=[2]}, {replicated}}, "
    'frontend_attributes={a="x, y=}"}, calls=%a, %b, metadata={op_name="f(x=1, b={2})"}, '
    'backend_config={"k":{"sharding={replicated}":[1, 2]}}'
)


def test_a_list_is_split_outside_of_brackets_and_quotes() -> None:
    assert split_attributes(LIST) == {
        "dimensions": "{0,1}",
        "to_apply": "%add",
        "sharding": "{{devices=[2]<=[2]}, {replicated}}",
        "frontend_attributes": '{a="x, y=}"}',
        "calls": "%a, %b",
        "metadata": '{op_name="f(x=1, b={2})"}',
        "backend_config": '{"k":{"sharding={replicated}":[1, 2]}}',
    }


@pytest.mark.parametrize("name", [*split_attributes(LIST), "absent", "dim", "op_name", "k"])
def test_one_attribute_is_found_as_in_the_whole_list(name: str) -> None:
    assert attribute_of(LIST, name) == split_attributes(LIST).get(name)


def test_a_mark_of_metadata_inside_a_string_does_not_mislead() -> None:
    text = ', custom_call_target="x, metadata={", index=3, metadata={op_name="n"}'
    assert attribute_of(text, "index") == "3"
    assert attribute_of(text, "custom_call_target") == '"x, metadata={"'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (", a={1,2", "unreadable attributes (found an unmatched '{')"),
        (", a=[1}", "unreadable attributes (found an unmatched '}')"),
        (', a="x', "unreadable attributes (found a quote without its end)"),
        (", 3", "unreadable attribute (expected name=value, found '3')"),
    ],
)
def test_a_broken_list(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        split_attributes(text)
    assert str(caught.value) == message


def test_typed_forms() -> None:
    assert parse_integers("{2, -1,/*index=2*/0}") == (2, -1, 0)
    assert parse_integers("{}") == ()
    assert parse_window("{size=3x2 stride=2x1 pad=1_-1x0_0 rhs_reversal=0x1}") is Window(
        (3, 2), (2, 1), (1, 0), (-1, 0), (1, 1), (1, 1), (False, True)
    )
    assert parse_window("{}") is Window()
    assert parse_convolution("b01f_01io->bf10") is ConvolutionDimensions(
        0, 3, (1, 2), 2, 3, (0, 1), 0, 1, (3, 2)
    )
    assert parse_padding("1_2x0_0_3") is Padding((1, 0), (2, 0), (0, 3))
    assert parse_slice("{[0:4], [1:9:2]}") is SliceBounds((0, 1), (4, 9), (1, 2))
    assert parse_window("{size=2 lhs_dilate=2}").is_base_dilated
    assert not parse_window("{size=2 rhs_dilate=2}").is_base_dilated
    assert parse_window("{size=2 rhs_dilate=2}").is_dilated


def test_metadata() -> None:
    metadata = parse_metadata(
        '{op_type="add" op_name="a\\"b" source_file="f.py" source_line=3 stack_frame_id=7 new={1}}'
    )
    assert metadata.op_name == 'a"b'
    assert (metadata.op_type, metadata.source_file, metadata.source_line) == ("add", "f.py", 3)
    assert metadata.stack_frame == 7


def test_quotes() -> None:
    assert unquoted('"a\\nb\\"\\101"') == 'a\nb"A'
    assert unquoted("{json}") == "{json}"


def test_equal_attributes_are_one_object() -> None:
    dims = DotDimensions(lhs_contracting=(1,), rhs_contracting=(0,))
    assert dims is DotDimensions((), (), (1,), (0,))
    assert pickle.loads(pickle.dumps(dims)) is dims


@pytest.mark.parametrize(
    ("parse", "text", "message"),
    [
        (
            parse_integers,
            "{0,a}",
            "unreadable list of integers (expected such as {0,1}, found '{0,a}')",
        ),
        (
            parse_window,
            "{size=3 hop=2}",
            "unreadable window (expected fields such as size=3x3 pad=1_1x1_1, found "
            "'{size=3 hop=2}')",
        ),
        (
            parse_window,
            "{size=3x3 stride=2}",
            "unreadable window (expected 2 entries in each field, as in size, found "
            "'{size=3x3 stride=2}')",
        ),
        (
            parse_convolution,
            "b0f_0io",
            "unreadable dim_labels (expected such as b01f_01io->b01f, found 'b0f_0io')",
        ),
        (
            parse_convolution,
            "b0f_1io->b0f",
            "unreadable dim_labels (expected the same labels on all three sides, found "
            "'b0f_1io->b0f')",
        ),
        (parse_padding, "1x2", "unreadable padding (expected such as 1_2x0_0_3, found '1x2')"),
        (
            parse_slice,
            "{[0:4], 3}",
            "unreadable slice (expected such as {[0:4], [1:9:2]}, found '{[0:4], 3}')",
        ),
    ],
)
def test_unreadable(parse: object, text: str, message: str) -> None:
    assert callable(parse)
    with pytest.raises(InputError) as caught:
        parse(text)
    assert str(caught.value) == message
