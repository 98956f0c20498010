"""HLO text of literals in protos."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from shardlog.converters.hlo_proto_values import element_type_name, shape_text
from shardlog.ir.arrays import np
from shardlog.ir.errors import InputError

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["integer_values", "literal_text"]


_MOST_ROWS = 1 << 20


def literal_text(literal: Any, shapes: bool = False) -> str:
    """A LiteralProto as HLO text on one line, as between the brackets of `constant(...)`.

    With `shapes`, each array has its shape and layout before it, as in the attribute `literal`.
    Raises InputError, without file, if the literal holds fewer values than its shape has elements.
    """
    name = element_type_name(literal.shape.element_type)
    if name == "tuple":
        return f"( {', '.join(literal_text(part, shapes) for part in literal.tuple_literals)} )"
    if name == "token":
        return "token"
    dimensions = tuple(literal.shape.dimensions)
    texts = _elements(literal, name or "")
    if name == "pred" and dimensions:
        texts = ["1" if text == "true" else "0" for text in texts]
    if dimensions and math.prod(dimensions[:-1]) > max(len(texts), _MOST_ROWS):
        raise InputError("unreadable literal", found="too many rows without elements")
    values = _nested(iter(texts), dimensions, len(dimensions))
    return f"{shape_text(literal.shape)} {values}" if shapes else values


def _elements(literal: Any, name: str) -> list[str]:
    """The texts of an array's elements, in row-major order."""
    values = _VALUES.get(name)
    if values is None:
        raise InputError("unreadable literal", expected="an array or a tuple", found=name or "none")
    dimensions = tuple(literal.shape.dimensions)
    texts = values(literal)
    needed = math.prod(dimensions)
    if len(texts) < needed:
        raise InputError(
            "unreadable literal", expected=f"{needed} values", found=f"{len(texts)} values"
        )
    order = tuple(literal.shape.layout.minor_to_major)
    rows = range(len(dimensions))
    if order == tuple(reversed(rows)) or not order:
        return texts
    if sorted(order) != list(rows):
        raise InputError(
            "unreadable literal", expected="a layout of all dimensions", found=str(order)
        )
    return _row_major(texts, dimensions, order)


_INTEGERS = re.compile("[su](?:1|2|4|8|16|32|64)")


def integer_values(literal: Any) -> npt.NDArray[np.int64] | None:
    """The elements of an array of integers in row-major order, or None if they do not fit in int64.

    None also for any other type. Raises InputError if elements are missing.
    """
    name = element_type_name(literal.shape.element_type) or ""
    if not _INTEGERS.fullmatch(name):
        return None
    try:
        return np.array(list(map(int, _elements(literal, name))), dtype=np.int64)
    except OverflowError:
        return None


def _nested(texts: Iterator[str], dimensions: Sequence[int], rank: int, mark: str = "") -> str:
    """The braces of one dimension and all within; above rank 3 XLA marks outer ones by index."""
    if not dimensions:
        return next(texts)
    size, inner = dimensions[0], dimensions[1:]
    if not inner:
        row = ", ".join(next(texts) for _ in range(size))
        return f"{{ {row} }}" if rank > 1 and size > 1 else f"{{{row}}}"
    depth = rank - len(dimensions)
    rows = [
        _nested(texts, inner, rank, f"/*i{depth}={i}*/ " if rank > 3 else "") for i in range(size)
    ]
    return f"{{ {mark}{', '.join(rows)} }}"


def _row_major(texts: list[str], dimensions: Sequence[int], order: Sequence[int]) -> list[str]:
    strides = [0] * len(dimensions)
    stride = 1
    for dimension in order:
        strides[dimension] = stride
        stride *= dimensions[dimension]
    offsets = [0]
    for size, step in zip(dimensions, strides, strict=True):
        offsets = [offset + i * step for offset in offsets for i in range(size)]
    return [texts[offset] for offset in offsets]


def _float_text(value: float, digits: int, most: int, kind: str) -> str:
    if value != value:
        return "-nan" if math.copysign(1, value) < 0 else "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    short = f"{value:.{digits}g}"
    code = struct.pack(kind, value)
    return short if struct.pack(kind, float(short)) == code else f"{value:.{most}g}"


def _f32(value: float) -> str:
    return _float_text(value, 6, 9, "<f")


def _f64(value: float) -> str:
    return _float_text(value, 15, 17, "<d")


Values = Callable[[Any], list[str]]


def _repeated(field: str, text: Callable[[Any], str] = str) -> Values:
    return lambda literal: [text(value) for value in getattr(literal, field)]


def _packed(field: str, code: str, text: Callable[[Any], str] = str) -> Values:
    size = struct.calcsize(code)

    def values(literal: Any) -> list[str]:
        data: bytes = getattr(literal, field)
        whole = data[: len(data) // size * size]
        return [text(value) for (value,) in struct.iter_unpack(f"<{code}", whole)]

    return values


def _small_integers(field: str, bits: int, signed: bool) -> Values:
    """Integers narrower than a byte, one in each byte."""
    limit = 1 << bits
    half = limit >> 1 if signed else limit

    def values(literal: Any) -> list[str]:
        parts = (byte & limit - 1 for byte in getattr(literal, field))
        return [str(part - limit if part >= half else part) for part in parts]

    return values


def _small_floats(
    field: str, exponent_bits: int, fraction_bits: int, bias: int, kind: str
) -> Values:
    """Floats of one byte; `kind` is ieee, fn (no infinities), fnuz (-0 is NaN) or finite."""
    bits = 1 + exponent_bits + fraction_bits
    texts: list[str] = []
    for code in range(1 << bits):
        magnitude = code & (1 << bits - 1) - 1
        sign = -1.0 if code >> bits - 1 else 1.0
        exponent = magnitude >> fraction_bits
        fraction = (magnitude & (1 << fraction_bits) - 1) / (1 << fraction_bits)
        value = (
            math.ldexp(1 + fraction, exponent - bias)
            if exponent
            else math.ldexp(fraction, 1 - bias)
        )
        top = exponent == (1 << exponent_bits) - 1
        if kind == "fnuz" and code == 1 << bits - 1:
            sign, value = -1.0, math.nan
        elif kind == "ieee" and top:
            value = math.nan if fraction else math.inf
        elif kind == "fn" and magnitude == (1 << bits - 1) - 1:
            value = math.nan
        texts.append(_small_float_text(math.copysign(value, sign), fraction_bits))
    return lambda literal: [texts[byte & (1 << bits) - 1] for byte in getattr(literal, field)]


def _small_float_text(value: float, fraction_bits: int) -> str:
    if value != value:
        return "-nan" if math.copysign(1, value) < 0 else "nan"
    return f"{value:.{math.ceil(1 + (fraction_bits + 1) * math.log10(2))}g}"


def _complex(field: str, text: Callable[[float], str]) -> Values:
    def values(literal: Any) -> list[str]:
        numbers = iter(getattr(literal, field))
        return [f"({text(re)}, {text(im)})" for re, im in zip(numbers, numbers, strict=False)]

    return values


def _bf16(code: int) -> str:
    (value,) = struct.unpack("<f", struct.pack("<I", code << 16))
    return _small_float_text(value, 7)


def _f16(value: float) -> str:
    return _small_float_text(value, 10)


_VALUES: dict[str, Values] = {
    "pred": _repeated("preds", lambda value: "true" if value else "false"),
    "s1": _small_integers("s1s", 1, True),
    "s2": _small_integers("s2s", 2, True),
    "s4": _small_integers("s4s", 4, True),
    "s8": _packed("s8s", "b"),
    "s16": _packed("s16s", "h"),
    "s32": _repeated("s32s"),
    "s64": _repeated("s64s"),
    "u1": _small_integers("u1s", 1, False),
    "u2": _small_integers("u2s", 2, False),
    "u4": _small_integers("u4s", 4, False),
    "u8": _packed("u8s", "B"),
    "u16": _packed("u16s", "H"),
    "u32": _repeated("u32s"),
    "u64": _repeated("u64s"),
    "f16": _packed("f16s", "e", _f16),
    "bf16": _packed("bf16s", "H", _bf16),
    "f32": _repeated("f32s", _f32),
    "f64": _repeated("f64s", _f64),
    "c64": _complex("c64s", _f32),
    "c128": _complex("c128s", _f64),
    "f8e5m2": _small_floats("f8e5m2s", 5, 2, 15, "ieee"),
    "f8e4m3": _small_floats("f8e4m3s", 4, 3, 7, "ieee"),
    "f8e4m3fn": _small_floats("f8e4m3fns", 4, 3, 7, "fn"),
    "f8e4m3b11fnuz": _small_floats("f8e4m3b11fnuzs", 4, 3, 11, "fnuz"),
    "f8e3m4": _small_floats("f8e3m4s", 3, 4, 3, "ieee"),
    "f8e5m2fnuz": _small_floats("f8e5m2fnuzs", 5, 2, 16, "fnuz"),
    "f8e4m3fnuz": _small_floats("f8e4m3fnuzs", 4, 3, 8, "fnuz"),
}
