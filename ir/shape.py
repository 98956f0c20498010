"""Shapes of HLO values: element type and dimensions, or a tuple of shapes, without layouts."""

from __future__ import annotations

import re
from math import prod
from typing import Any

from shardlog.ir.errors import InputError
from shardlog.ir.interned import Interned

BIT_WIDTHS: dict[str, int] = {
    "pred": 1,
    **{f"{sign}{bits}": bits for sign in "su" for bits in (1, 2, 4, 8, 16, 32, 64)},
    "bf16": 16,
    "f16": 16,
    "f32": 32,
    "f64": 64,
    "c64": 64,
    "c128": 128,
    "token": 0,
    "opaque": 64,
}
"""Bits per element of each element type; the small floats are read off their names."""

UNBOUNDED = -1
"""Size of a dimension written `?`."""

_SMALL_FLOAT = re.compile(r"f(\d+)e(\d+)m(\d+)\w*")
_FLOATS = {"bf16": (8, 7), "f16": (5, 10), "f32": (8, 23), "f64": (11, 52)}


class Shape(metaclass=Interned):
    """An array, token or opaque shape, or a tuple of shapes; equal shapes are one object.

    `element_type` is XLA's text name (`f32`, `token`), or `tuple`, which alone has `elements`.
    """

    __slots__ = ("_leaves", "_text", "dimensions", "element_type", "elements")

    element_type: str
    dimensions: tuple[int, ...]
    elements: tuple[Shape, ...]

    def __init__(
        self,
        element_type: str,
        dimensions: tuple[int, ...] = (),
        elements: tuple[Shape, ...] = (),
    ) -> None:
        self.element_type = element_type
        self.dimensions = dimensions
        self.elements = elements
        self._leaves: tuple[Shape, ...] | None = None
        self._text: str | None = None

    @classmethod
    def tuple_of(cls, elements: tuple[Shape, ...]) -> Shape:
        """The tuple shape with these elements."""
        return cls("tuple", (), elements)

    @property
    def is_tuple(self) -> bool:
        """Whether this is a tuple, be it empty."""
        return self.element_type == "tuple"

    @property
    def is_array(self) -> bool:
        """Whether this is an array (scalars included): no tuple, token or opaque value."""
        return self.element_type not in ("tuple", "token", "opaque")

    @property
    def rank(self) -> int:
        """Number of dimensions; 0 for all but arrays."""
        return len(self.dimensions)

    @property
    def leaves(self) -> tuple[Shape, ...]:
        """The arrays and tokens of the flattened tuple in order; of an array, itself."""
        if self._leaves is None:
            if self.is_tuple:
                self._leaves = tuple(leaf for part in self.elements for leaf in part.leaves)
            else:
                self._leaves = (self,)
        return self._leaves

    @property
    def leaf_count(self) -> int:
        """Number of leaves; 0 for the empty tuple."""
        return len(self.leaves)

    @property
    def required_leaves(self) -> int:
        """Number of shardings that a tuple sharding of this shape holds, at least 1.

        Follows HloSharding::RequiredLeaves.
        """
        return max(self.leaf_count, 1)

    @property
    def bit_width(self) -> int:
        """Bits per element; 0 for tuples and tokens."""
        width = BIT_WIDTHS.get(self.element_type)
        if width is not None:
            return width
        small = _SMALL_FLOAT.fullmatch(self.element_type)
        return int(small[1]) if small else 0

    @property
    def byte_size(self) -> int:
        """Bytes that the array takes without layout; of a tuple, the sum of its leaves.

        Elements smaller than a byte take one. Follows ShapeUtil::ByteSizeOf.
        """
        if self.is_tuple:
            return sum(leaf.byte_size for leaf in self.leaves)
        return prod(self.dimensions) * -(-self.bit_width // 8)

    def __str__(self) -> str:
        if self._text is None:
            if self.is_tuple:
                self._text = f"({', '.join(map(str, self.elements))})"
            else:
                sizes = ("?" if size == UNBOUNDED else str(size) for size in self.dimensions)
                self._text = f"{self.element_type}[{','.join(sizes)}]"
        return self._text

    def __repr__(self) -> str:
        return f"Shape({str(self)!r})"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return Shape, (self.element_type, self.dimensions, self.elements)


def float_format(element_type: str) -> tuple[int, int] | None:
    """Bits of exponent and mantissa of an element type; None if it is no float."""
    small = _SMALL_FLOAT.fullmatch(element_type)
    return (int(small[2]), int(small[3])) if small else _FLOATS.get(element_type)


def parse_shape(text: str) -> Shape:
    """The shape that HLO text writes, e.g. `(f32[8,4]{1,0:T(8,128)}, s32[<=8])`.

    Layouts, bounds of dynamic dimensions and `/*index=5*/` are left out. Raises InputError, without
    file and line, if `text` is no shape.
    """
    shape = _PARSED.get(text)
    if shape is None:
        shape = _PARSED[text] = _parse(text)
    return shape


_PARSED: dict[str, Shape] = {}
_ARRAY = re.compile(r"\s*([a-z]\w*)\s*\[([^\[\]]*)\]\s*")
DEEPEST = 100
"""Tuples that may be nested: no program nests more, and reading them is recursive."""

_BUFFER = re.compile(r"\s*b\s*\(")
_GAP = re.compile(r"(?:\s|/\*.*?\*/)*", re.S)
_SIZES = re.compile(r"\s*(?:(?:<=)?\s*\d{1,19}|\?)(?:\s*,\s*(?:(?:<=)?\s*\d{1,19}|\?))*\s*")
_LAYOUT = re.compile(r"\{(?=\s*[\d:}])")


def _parse(text: str) -> Shape:
    shape, end = parse_shape_at(text, 0)
    end = _gap(text, end)
    if end != len(text):
        raise _unreadable(text, end, "its end")
    return shape


def parse_shape_at(text: str, start: int, depth: int = 0) -> tuple[Shape, int]:
    """The shape that starts at an offset of `text`, and the offset behind it and its layout.

    Raises InputError, without file and line, if no shape starts there.
    """
    at = _gap(text, start)
    if depth > DEEPEST:
        raise _unreadable(text, at, f"at most {DEEPEST} tuples one in the other")
    if text.startswith("(", at):
        return _parse_tuple(text, at + 1, depth + 1)
    buffer = _BUFFER.match(text, at)
    if buffer:
        shape, end = parse_shape_at(text, buffer.end(), depth + 1)
        end = _gap(text, end)
        if not text.startswith(")", end):
            raise _unreadable(text, end, "')'")
        return shape, end + 1
    array = _ARRAY.match(text, at)
    if not array or not _known(array[1]):
        raise _unreadable(text, at, "an element type such as f32 and dimensions in brackets")
    sizes = array[2]
    if sizes.strip() and not _SIZES.fullmatch(sizes):
        raise _unreadable(text, array.start(2), "dimension sizes")
    dimensions = tuple(
        UNBOUNDED if size.strip() == "?" else int(size.replace("<=", "").strip())
        for size in sizes.split(",")
        if size.strip()
    )
    return Shape(array[1], dimensions, ()), _skip_layout(text, array.end())


def _parse_tuple(text: str, at: int, depth: int) -> tuple[Shape, int]:
    elements: list[Shape] = []
    at = _gap(text, at)
    if text.startswith(")", at):
        return Shape.tuple_of(()), at + 1
    while True:
        element, at = parse_shape_at(text, at, depth)
        elements.append(element)
        at = _gap(text, at)
        if text.startswith(")", at):
            return Shape.tuple_of(tuple(elements)), at + 1
        if not text.startswith(",", at):
            raise _unreadable(text, at, "',' or ')'")
        at += 1


def _skip_layout(text: str, at: int) -> int:
    """The offset behind the layout that starts at an offset, or the offset itself."""
    if not _LAYOUT.match(text, at):
        return at
    depth = 0
    for end in range(at, len(text)):
        if text[end] == "{":
            depth += 1
        elif text[end] == "}":
            depth -= 1
            if depth == 0:
                return end + 1
    raise _unreadable(text, len(text), "'}' at the end of the layout")


def _gap(text: str, at: int) -> int:
    match = _GAP.match(text, at)
    return match.end() if match else at


def _known(element_type: str) -> bool:
    return element_type in BIT_WIDTHS or _SMALL_FLOAT.fullmatch(element_type) is not None


def _unreadable(text: str, at: int, expected: str) -> InputError:
    found = _shown(text[at:]) if at < len(text) else "the end"
    return InputError(f"unreadable shape {_shown(text)}", expected=expected, found=found)


def _shown(text: str) -> str:
    """A text as messages quote it, cut to fit in a line."""
    return repr(text if len(text) <= 40 else text[:37] + "...")
