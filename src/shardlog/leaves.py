"""Elements of tuples: their names, and the ways on which one element goes through a graph."""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Collection
from functools import lru_cache

from shardlog.ir.errors import InputError
from shardlog.ir.module import Instruction
from shardlog.ir.shape import Shape
from shardlog.ir.sharding import HloSharding

__all__ = [
    "alike",
    "leaf_at",
    "leaf_name",
    "leaf_of_source",
    "number_at",
    "offsets",
    "sharding_of_leaf",
    "split_name",
]

_NAME = re.compile(r"(?P<name>.*?)\{(?P<path>\s*\d+(?:\s*,\s*\d+)*\s*)\}\s*", re.S)


def split_name(text: str) -> tuple[str, tuple[int, ...] | None]:
    """Read NAME or NAME{1,0}: the name, and the path to an element of its tuple or None."""
    found = _NAME.fullmatch(text)
    if found is None:
        return text.strip(), None
    return found["name"].strip(), tuple(int(part) for part in found["path"].split(","))


def alike(wanted: str, names: Collection[str]) -> str:
    """Return "; there is ..." with up to five names that look like one, "" if none does."""
    stem = wanted.rpartition(".")[0] or wanted
    found = [name for name in names if name.startswith(stem)]
    if not found:
        import difflib

        found = difflib.get_close_matches(wanted, names, 5)
    return f"; there is {', '.join(found[:5])}" if found else ""


def leaf_at(instruction: Instruction, path: tuple[int, ...]) -> int:
    """Return the number of the flattened leaf at a path of element numbers.

    Raises InputError if the path does not lead to one leaf.
    """
    shape, leaf = instruction.shape, 0
    for number in path:
        if number >= len(shape.elements):
            raise InputError(
                f"{instruction.name} has no element {{{', '.join(map(str, path))}}}",
                found=str(instruction.shape),
            )
        leaf += _offset(shape, number)
        shape = shape.elements[number]
    if shape.is_tuple:
        raise InputError(
            f"element {{{', '.join(map(str, path))}}} of {instruction.name} is a tuple itself",
            expected="the path to one array",
            found=str(shape),
        )
    return leaf


def leaf_name(instruction: Instruction, leaf: int | None) -> str:
    """Return "{1,0}" for a leaf of a tuple, "" for the whole."""
    if leaf is None:
        return ""
    return f"{{{','.join(map(str, _path(instruction.shape, leaf)))}}}"


def sharding_of_leaf(sharding: HloSharding | None, leaf: int | None) -> HloSharding | None:
    """Return the sharding of a leaf, or the whole one where no leaf is asked for."""
    if sharding is None or leaf is None or not sharding.is_tuple:
        return sharding
    return sharding.elements[leaf]


def leaf_of_source(
    instruction: Instruction, leaf: int | None, source: Instruction
) -> tuple[bool, int | None]:
    """Say where a leaf of an instruction comes from in one that its sharding rests on.

    Gives (False, None) if it has no part in it, else True and its leaf there, None for the whole.
    `source` is an operand, a user or, of the same tuple shape, anything.
    """
    if source.opcode == "get-tuple-element" and instruction in source.operands:
        return _into_element(source, leaf)
    if source.opcode == "tuple" and instruction in source.operands:
        if instruction.shape.is_tuple and leaf is None:
            return True, None
        return True, _offset(source.shape, source.operands.index(instruction)) + (leaf or 0)
    if instruction.opcode == "get-tuple-element" and source in instruction.operands:
        if instruction.shape.is_tuple and leaf is None:
            return True, None
        return True, _offset(source.shape, instruction.tuple_index or 0) + (leaf or 0)
    if instruction.opcode == "tuple" and source in instruction.operands:
        return _from_tuple(instruction, leaf, source)
    same = source.shape.leaf_count == instruction.shape.leaf_count and source.shape.is_tuple
    return True, leaf if same else None


def _into_element(element: Instruction, leaf: int | None) -> tuple[bool, int | None]:
    (whole,) = element.operands
    start = _offset(whole.shape, element.tuple_index or 0)
    if leaf is None:
        return True, None
    if not start <= leaf < start + max(element.shape.leaf_count, 1):
        return False, None
    return True, leaf - start if element.shape.is_tuple else None


def _from_tuple(whole: Instruction, leaf: int | None, part: Instruction) -> tuple[bool, int | None]:
    if leaf is None:
        return True, None
    number = number_at(whole.shape, leaf)
    if number >= len(whole.operands) or whole.operands[number] is not part:
        return False, None
    return True, leaf - offsets(whole.shape)[number] if part.shape.is_tuple else None


def _path(shape: Shape, leaf: int) -> tuple[int, ...]:
    """The element numbers that lead to a flattened leaf."""
    path: list[int] = []
    while shape.is_tuple:
        number = number_at(shape, leaf)
        leaf -= offsets(shape)[number]
        path.append(number)
        shape = shape.elements[number]
    return tuple(path)


def number_at(shape: Shape, leaf: int) -> int:
    """Return the number of the element of a tuple that a flattened leaf is in."""
    # elements without leaves begin where the next one does, which is the last to begin there
    return bisect.bisect_right(offsets(shape), leaf) - 1


def _offset(shape: Shape, number: int) -> int:
    """The first flattened leaf of an element of a tuple."""
    return offsets(shape)[number]


@lru_cache(maxsize=256)
def offsets(shape: Shape) -> tuple[int, ...]:
    """Return the first flattened leaf of each element of a tuple, and behind them their number."""
    return (0, *itertools.accumulate(element.leaf_count for element in shape.elements))
