"""The values of MLIR's attributes, as far as shardings hang on them."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TypeAlias

from shardlog.converters.mlir.scan import parts

__all__ = ["Attribute", "flattened", "read_attribute"]

Attribute: TypeAlias = int | bool | str | tuple[int, ...]

_INTEGER = re.compile(r"(-?\d+)(?: : \w+)?")
_ARRAY = re.compile(r"array<i\d+(?:: (.*))?>", re.DOTALL)
_LIST = re.compile(r"\[(.*)\]", re.DOTALL)
_DENSE = re.compile(r"dense<(.*)> : tensor<((?:\d+x)*)[a-z]+\d+>", re.DOTALL)
_ENUM = re.compile(r"#(?:stablehlo|mhlo)<\w+ (\w+)>")
_STRUCT = re.compile(r"#(?:stablehlo|mhlo)\.(?:dot|gather|scatter)<(.*)>", re.DOTALL)
_CONV = re.compile(r"#(?:stablehlo|mhlo)\.conv<\[(.*)\]x\[(.*)\]->\[(.*)\]>")
_NUMBER = re.compile(r"-?\d+")


@lru_cache(maxsize=4096)
def read_attribute(text: str) -> Attribute | None:
    """Return the number, flag, name or integers that an attribute stands for; None for any other.

    A tensor of integers gives them row by row.
    """
    if text in ("true", "false"):
        return text == "true"
    found = _INTEGER.fullmatch(text)
    if found:
        return int(found[1])
    if text.startswith('"') and text.endswith('"'):
        return text[1:-1]
    found = _ENUM.fullmatch(text)
    if found:
        return found[1]
    found = _ARRAY.fullmatch(text) or _LIST.fullmatch(text)
    if found:
        inner = [piece.strip() for piece in (found[1] or "").split(",") if piece.strip()]
        if all(_NUMBER.fullmatch(piece) for piece in inner):
            return tuple(map(int, inner))
        return None
    found = _DENSE.fullmatch(text)
    if found:
        return _elements(found[1], found[2])
    return None


def _elements(inner: str, shape: str) -> tuple[int, ...] | None:
    """The integers of a dense tensor: all of them, or one that stands for all."""
    count = 1
    for size in shape.split("x")[:-1]:
        count *= int(size)
    numbers = _NUMBER.findall(inner)
    if "." in inner or '"' in inner:
        return None
    if len(numbers) == 1:
        return (int(numbers[0]),) * count
    return tuple(map(int, numbers)) if len(numbers) == count else None


@lru_cache(maxsize=4096)
def flattened(name: str, text: str) -> tuple[tuple[str, Attribute], ...]:
    """Return an attribute as named values: itself, or the fields of one that has fields.

    The dimension numbers of a convolution become `input`, `kernel` and `output`: the dimensions of
    batch (or output feature of the kernel), feature, and space, in this order.
    """
    found = _STRUCT.fullmatch(text)
    if found:
        fields = []
        for part in parts(found[1]):
            key, _, value = part.partition(" = ")
            read = read_attribute(value)
            if read is not None:
                fields.append((key, read))
        return tuple(fields)
    found = _CONV.fullmatch(text)
    if found:
        names = (("input", found[1], "bf"), ("kernel", found[2], "oi"), ("output", found[3], "bf"))
        return tuple((key, _places(labels, special)) for key, labels, special in names)
    read = read_attribute(text)
    return () if read is None else ((name, read),)


def _places(labels: str, special: str) -> tuple[int, ...]:
    """The dimensions of two special labels, then those of the numbered ones."""
    names = [label.strip() for label in labels.split(",")]
    spatial = sorted(int(label) for label in names if label.isdigit())
    return (*(names.index(label) for label in special), *(names.index(str(n)) for n in spatial))
