"""Shapes and values of generated modules."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Array:
    """An array shape: element type and dimension sizes."""

    element: str
    dims: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.element}[{','.join(map(str, self.dims))}]"

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.dims)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.dims)

    def of(self, element: str) -> Array:
        """The same dimensions with another element type."""
        return Array(element, self.dims)


@dataclass(frozen=True)
class Tuple:
    """A tuple shape; tuples may be nested."""

    elements: tuple[Shape, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.elements))})"


Shape = Array | Tuple


@dataclass(frozen=True)
class Value:
    """An instruction that others may take as an operand; `name` has no percent sign."""

    name: str
    shape: Shape

    def __str__(self) -> str:
        return f"%{self.name}"

    @property
    def array(self) -> Array:
        """The shape of a value that is an array."""
        assert isinstance(self.shape, Array)
        return self.shape

    @property
    def dims(self) -> tuple[int, ...]:
        """The dimension sizes of an array."""
        return self.array.dims

    @property
    def rank(self) -> int:
        """The number of dimensions of an array."""
        return len(self.dims)


def leaves(shape: Shape) -> list[Array]:
    """The arrays of a shape in order: itself, or those of a tuple."""
    if isinstance(shape, Array):
        return [shape]
    return [leaf for element in shape.elements for leaf in leaves(element)]


def listed(numbers: object) -> str:
    """Numbers as HLO text lists them, in braces."""
    assert isinstance(numbers, (list, tuple, range, set))
    return "{" + ",".join(map(str, numbers)) + "}"
