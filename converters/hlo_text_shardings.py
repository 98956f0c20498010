"""Shardings as instructions are given them in HLO text."""

from __future__ import annotations

import re

from shardlog.ir.errors import InputError
from shardlog.ir.shape import Shape
from shardlog.ir.sharding import HloSharding
from shardlog.ir.sharding_text import parse_sharding

__all__ = ["check_sharding", "read_sharding"]

_ELEMENT = re.compile(r"\{[^{}]*\}")


def check_sharding(sharding: HloSharding, shape: Shape) -> None:
    """Raise InputError unless a sharding has the form that a value of this shape needs."""
    if shape.is_tuple:
        # the pass itself leaves an empty tuple without elements, though XLA asks for one
        if len(sharding.elements) not in (shape.required_leaves, shape.leaf_count):
            raise InputError(
                "sharding of a tuple",
                expected=f"{shape.required_leaves} elements",
                found=str(len(sharding.elements)),
            )
        for element, leaf in zip(sharding.elements, shape.leaves, strict=False):
            check_sharding(element, leaf)
        return
    if sharding.is_tuple:
        if shape.element_type == "token":
            return  # an outfeed's sharding is that of its operands
        raise InputError("sharding", expected=f"one for {shape}", found="a tuple's")
    if sharding.is_tiled and shape.is_array and sharding.tiled_data_rank != shape.rank:
        raise InputError(
            "sharding",
            expected=f"{shape.rank} tiled dimensions for {shape}",
            found=str(sharding),
        )


def read_sharding(raw: str, shape: Shape, lenient: bool = False) -> HloSharding:
    """The sharding that a text gives to a value of this shape.

    XLA's parser spreads one sharding over a tuple (HloSharding::NormalizeTupleSharding). Raises
    InputError, without file and line, if it cannot be read; `lenient` as in parse_sharding.
    """
    sharding = _read_sharding(raw, lenient)
    if shape.is_tuple and not sharding.is_tuple:
        return HloSharding.tuple_of([sharding] * shape.required_leaves)
    return sharding


def _read_sharding(raw: str, lenient: bool) -> HloSharding:
    """The sharding of a text; elements of a long tuple, which repeat, are read once each."""
    if raw.startswith("{{"):
        elements = _ELEMENT.findall(raw)
        spelled = [
            f"/*index={i}*/{element}" if i and i % 5 == 0 else element
            for i, element in enumerate(elements)
        ]
        if f"{{{', '.join(spelled)}}}" == raw:
            return HloSharding.tuple_of(parse_sharding(element, lenient) for element in elements)
    return parse_sharding(raw, lenient)
