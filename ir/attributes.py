"""Typed attributes of HLO instructions and the reading of their text forms.

Readers of text are memoised by raw text, so an attribute is parsed once per distinct spelling; not
so `parse_metadata`, whose texts rarely repeat. A reader raises InputError, without file and line,
if its text has another form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from shardlog.ir import op_metadata
from shardlog.ir.attribute_text import split_attributes
from shardlog.ir.errors import InputError
from shardlog.ir.interned import Interned
from shardlog.ir.op_metadata import TEXT_FIELDS, MetadataValue, OpMetadata
from shardlog.light import astuple, dataclass

Dims = tuple[int, ...]


class _Attribute(metaclass=Interned):
    __slots__: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return type(self), tuple(getattr(self, name) for name in self.__slots__)


@dataclass(frozen=True, eq=False, slots=True)
class DotDimensions(_Attribute):
    """Batch and contracting dimensions of a dot's two operands; those of each kind pair up."""

    lhs_batch: Dims = ()
    rhs_batch: Dims = ()
    lhs_contracting: Dims = ()
    rhs_contracting: Dims = ()


@dataclass(frozen=True, eq=False, slots=True)
class ConvolutionDimensions(_Attribute):
    """What each dimension of a convolution's input, kernel and output stands for."""

    input_batch: int
    input_feature: int
    input_spatial: Dims
    kernel_input_feature: int
    kernel_output_feature: int
    kernel_spatial: Dims
    output_batch: int
    output_feature: int
    output_spatial: Dims


@dataclass(frozen=True, eq=False, slots=True)
class Window(_Attribute):
    """A sliding window: one entry per window dimension in each field, defaults filled in."""

    size: Dims = ()
    stride: Dims = ()
    pad_low: Dims = ()
    pad_high: Dims = ()
    lhs_dilate: Dims = ()
    rhs_dilate: Dims = ()
    rhs_reversal: tuple[bool, ...] = ()

    @property
    def is_dilated(self) -> bool:
        """Whether the base or the window is dilated in some dimension."""
        return self.is_base_dilated or any(step != 1 for step in self.rhs_dilate)

    @property
    def is_base_dilated(self) -> bool:
        """Whether the base is dilated in some dimension."""
        return any(step != 1 for step in self.lhs_dilate)


@dataclass(frozen=True, eq=False, slots=True)
class GatherDimensions(_Attribute):
    """Dimension numbers of a gather, its slice sizes included."""

    offset_dims: Dims = ()
    collapsed_slice_dims: Dims = ()
    start_index_map: Dims = ()
    index_vector_dim: int = 0
    operand_batching_dims: Dims = ()
    start_indices_batching_dims: Dims = ()
    slice_sizes: Dims = ()


@dataclass(frozen=True, eq=False, slots=True)
class ScatterDimensions(_Attribute):
    """Dimension numbers of a scatter."""

    update_window_dims: Dims = ()
    inserted_window_dims: Dims = ()
    scatter_dims_to_operand_dims: Dims = ()
    index_vector_dim: int = 0
    input_batching_dims: Dims = ()
    scatter_indices_batching_dims: Dims = ()


@dataclass(frozen=True, eq=False, slots=True)
class Padding(_Attribute):
    """Padding of each dimension: before, after and between elements."""

    low: Dims = ()
    high: Dims = ()
    interior: Dims = ()


@dataclass(frozen=True, eq=False, slots=True)
class SliceBounds(_Attribute):
    """Start, limit and stride of a slice in each dimension."""

    starts: Dims = ()
    limits: Dims = ()
    strides: Dims = ()


_T = TypeVar("_T")
_memoised: Callable[[Callable[..., _T]], Callable[..., _T]] = lru_cache(maxsize=None)
_INTEGERS = re.compile(r"\{?\s*(-?\d{1,19}(?:\s*,\s*-?\d{1,19})*)?\s*,?\s*\}?")
_COMMENT = re.compile(r"/\*.*?\*/", re.S)


@_memoised
def parse_integers(text: str) -> Dims:
    """The integers of `{0,1}`, `{}` or `7`."""
    match = _INTEGERS.fullmatch(_COMMENT.sub("", text).strip())
    if not match:
        raise _unreadable("list of integers", text, "such as {0,1}")
    return tuple(map(int, match[1].split(","))) if match[1] else ()


@_memoised
def parse_integer(text: str) -> int:
    """One integer."""
    try:
        return int(text)
    except ValueError:
        raise _unreadable("integer", text, "digits") from None


@_memoised
def parse_window(text: str) -> Window:
    """The window of `{size=3x3 stride=2x2 pad=1_1x0_0 lhs_dilate=1x2 rhs_reversal=1x1}`."""
    fields: dict[str, list[str]] = {}
    for word in text.strip().strip("{}").split():
        name, equals, value = word.partition("=")
        if not equals or name not in _WINDOW_FIELDS:
            raise _unreadable("window", text, "fields such as size=3x3 pad=1_1x1_1")
        fields[name] = value.split("x")
    count = len(fields.get("size", ()))
    try:
        pads = [pad.split("_") for pad in fields.get("pad", ["0_0"] * count)]
        window = Window(
            tuple(map(int, fields.get("size", ()))),
            tuple(map(int, fields.get("stride", ["1"] * count))),
            tuple(int(low) for low, _ in pads),
            tuple(int(high) for _, high in pads),
            tuple(map(int, fields.get("lhs_dilate", ["1"] * count))),
            tuple(map(int, fields.get("rhs_dilate", ["1"] * count))),
            tuple(value != "0" for value in fields.get("rhs_reversal", ["0"] * count)),
        )
    except ValueError:
        raise _unreadable("window", text, "integers joined by x, pads as low_high") from None
    if any(len(column) != count for column in astuple(window)):
        raise _unreadable("window", text, f"{count} entries in each field, as in size")
    return window


_WINDOW_FIELDS = frozenset(("size", "stride", "pad", "lhs_dilate", "rhs_dilate", "rhs_reversal"))


@_memoised
def parse_convolution(text: str) -> ConvolutionDimensions:
    """The dimension labels `b01f_01io->b01f`; `?` marks an unused dimension."""
    match = re.fullmatch(r"\s*([\w?]+?)_([\w?]+?)->([\w?]+)\s*", text)
    if not match:
        raise _unreadable("dim_labels", text, "such as b01f_01io->b01f")
    input_, kernel, output = match.groups()
    spatial = sorted((c for c in input_ if c.isdigit()), key=int)
    try:
        return ConvolutionDimensions(
            input_.index("b"),
            input_.index("f"),
            tuple(input_.index(c) for c in spatial),
            kernel.index("i"),
            kernel.index("o"),
            tuple(kernel.index(c) for c in spatial),
            output.index("b"),
            output.index("f"),
            tuple(output.index(c) for c in spatial),
        )
    except ValueError:
        raise _unreadable("dim_labels", text, "the same labels on all three sides") from None


@_memoised
def parse_padding(text: str) -> Padding:
    """The padding `1_2x0_0_3`: low_high or low_high_interior per dimension."""
    parts = [part.split("_") for part in text.strip().split("x")] if text.strip() else []
    try:
        if any(len(part) not in (2, 3) for part in parts):
            raise ValueError
        low, high, interior = (
            tuple(int(part[i]) if i < len(part) else 0 for part in parts) for i in range(3)
        )
    except ValueError:
        raise _unreadable("padding", text, "such as 1_2x0_0_3") from None
    return Padding(low, high, interior)


@_memoised
def parse_slice(text: str) -> SliceBounds:
    """The bounds `{[0:4], [1:9:2]}`."""
    rows = re.findall(r"\[\s*(\d{1,19})\s*:\s*(\d{1,19})\s*(?::\s*(\d{1,19})\s*)?\]", text)
    if not re.fullmatch(r"\{\s*(?:\[[^\]]*\]\s*,?\s*)*\}", text.strip()) or len(rows) != text.count(
        "["
    ):
        raise _unreadable("slice", text, "such as {[0:4], [1:9:2]}")
    return SliceBounds(
        tuple(int(start) for start, _, _ in rows),
        tuple(int(limit) for _, limit, _ in rows),
        tuple(int(stride or 1) for _, _, stride in rows),
    )


@_memoised
def parse_frontend(text: str) -> Mapping[str, str]:
    """The values of `{num_batch_dims="1",note={"json":2}}`, without quotes."""
    inner = text.strip()
    if not inner.startswith("{") or not inner.endswith("}"):
        raise _unreadable("frontend attributes", text, 'such as {name="value"}')
    return {name: unquoted(raw) for name, raw in split_attributes(inner[1:-1]).items()}


def parse_metadata(text: str) -> OpMetadata:
    """The known fields of `{op_type="dot" op_name="..." source_file="..." source_line=3}`."""
    values: dict[str, MetadataValue] = {}
    for name, quoted, braced, plain in _METADATA.findall(text):
        kind = TEXT_FIELDS.get(name)
        if kind is str and quoted:
            values[name] = unquoted(quoted)
        elif kind is int and plain:
            values[name] = parse_integer(plain)
        elif kind is tuple and braced:
            values[name] = parse_integers(braced)
    return OpMetadata.of(values)


_METADATA = re.compile(r'(\w+)\s*=\s*(?:("(?:[^"\\]|\\.)*")|(\{[\d,\s]*\})|([^\s,{}"]+))')


@_memoised
def unquoted(text: str) -> str:
    """The value of a quoted string; text without quotes as it is.

    Raises InputError if an escape in it is wrong.
    """
    text = text.strip()
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return text
    if "\\" not in text:
        return text[1:-1]
    value = op_metadata.unquoted(text)
    if value is None:
        raise _unreadable("string", text, "escapes such as \\n")
    return value


def _unreadable(what: str, text: str, expected: str) -> InputError:
    shown = text if len(text) <= 60 else text[:57] + "..."
    return InputError(f"unreadable {what}", expected=expected, found=repr(shown))
