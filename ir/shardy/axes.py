"""References to mesh axes, whole or in part, and their algebra.

An axis of size n can be cut into sub-axes, major to minor, whose sizes multiply to n. The sub-axis
`(m)k` has size k, and m is the product of the sizes to its left: its pre-size.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from shardlog.ir.errors import InputError
from shardlog.ir.interned import Interned
from shardlog.ir.shardy.mesh import Mesh
from shardlog.ir.shardy.mlir_text import mlir_string

__all__ = ["AxisRef", "SubAxis"]


class SubAxis(metaclass=Interned):
    """A part of an axis: `size` places, after parts that together have `pre_size`.

    Equal values are one object. Raises InputError unless the pre-size is at least 1 and the size
    greater than 1. Follows sdy::SubAxisInfoAttr.
    """

    __slots__ = ("end", "pre_size", "size")

    pre_size: int
    size: int
    end: int
    """The pre-size of the next part: pre-size times size."""

    def __init__(self, pre_size: int, size: int) -> None:
        if pre_size < 1:
            raise InputError(
                "bad pre-size of a sub-axis", expected="at least 1", found=f"{pre_size}"
            )
        if size < 2:
            raise InputError("bad size of a sub-axis", expected="at least 2", found=f"{size}")
        self.pre_size = pre_size
        self.size = size
        self.end = pre_size * size

    def __str__(self) -> str:
        return f"({self.pre_size}){self.size}"

    def __repr__(self) -> str:
        return f"<SubAxis {self}>"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return SubAxis, (self.pre_size, self.size)


class AxisRef(metaclass=Interned):
    """A whole axis, or one of its sub-axes. Equal values are one object.

    Two sub-axes that no cut of the axis gives may share places, but no sub-axis.
    Follows sdy::AxisRefAttr.
    """

    __slots__ = ("name", "sub_axis")

    name: str
    sub_axis: SubAxis | None

    def __init__(self, name: str, sub_axis: SubAxis | None = None) -> None:
        self.name = name
        self.sub_axis = sub_axis

    @classmethod
    def part(cls, name: str, pre_size: int, size: int) -> AxisRef:
        """Return the reference to a sub-axis. Raises InputError as SubAxis does."""
        return cls(name, SubAxis(pre_size, size))

    @property
    def pre_size(self) -> int:
        """The pre-size of the sub-axis, 1 for a whole axis. Follows getSubAxisPreSize."""
        return 1 if self.sub_axis is None else self.sub_axis.pre_size

    def size(self, mesh: Mesh) -> int:
        """Return the size of the axis or sub-axis; raises InputError for an unknown axis."""
        return mesh.axis_size(self.name) if self.sub_axis is None else self.sub_axis.size

    def end(self, mesh: Mesh) -> int:
        """Return where the reference ends: the next pre-size, or the size of the whole axis.

        Follows getNextPreSizeOrFullSize.
        """
        return mesh.axis_size(self.name) if self.sub_axis is None else self.sub_axis.end

    def mesh_order(self, mesh: Mesh) -> tuple[int, int, int, int]:
        """Return a key that sorts references by axis of the mesh, then by pre-size and size.

        A whole axis stands behind its sub-axes of pre-size 1. Follows getMeshComparator.
        """
        place = mesh.place(self.name)
        if self.sub_axis is None:
            return place, 1, 1, 0
        return place, self.sub_axis.pre_size, 0, self.sub_axis.size

    def contains(self, other: AxisRef) -> bool:
        """Tell whether the other is this reference or a part of it."""
        if self.name != other.name:
            return False
        if self.sub_axis is None or other.sub_axis is None:
            return self.sub_axis is None
        mine, its = self.sub_axis, other.sub_axis
        return mine.pre_size <= its.pre_size and its.end <= mine.end

    def strictly_contains(self, other: AxisRef) -> bool:
        """Tell whether the other is a part of this reference and not all of it."""
        return self is not other and self.contains(other)

    def is_prefix_of(self, other: AxisRef) -> bool:
        """Tell whether this is the other, or its major part. Follows prefixOf."""
        return other.contains(self) and self.pre_size == other.pre_size

    def is_suffix_of(self, other: AxisRef, mesh: Mesh) -> bool:
        """Tell whether this is the other, or its minor part. Follows suffixOf."""
        return other.contains(self) and self.end(mesh) == other.end(mesh)

    def overlaps(self, other: AxisRef) -> bool:
        """Tell whether some places of the axis belong to both."""
        if self.name != other.name:
            return False
        mine, its = self.sub_axis, other.sub_axis
        if mine is None or its is None:
            return True
        return mine.pre_size < its.end and its.pre_size < mine.end

    def can_coexist(self, other: AxisRef) -> bool:
        """Tell whether one cut of the axis into sub-axes serves both. Follows canCoexist."""
        mine, its = self.sub_axis, other.sub_axis
        if self.name != other.name or mine is None or its is None:
            return True
        cuts = sorted((mine.pre_size, mine.end, its.pre_size, its.end))
        return all(minor % major == 0 for major, minor in pairwise(cuts))

    def overlap(self, other: AxisRef) -> AxisRef | None:
        """Return the part that belongs to both; None without one or if they cannot coexist.

        Follows getOverlap.
        """
        if not self.overlaps(other) or not self.can_coexist(other):
            return None
        if self.sub_axis is None or other.sub_axis is None:
            return other if self.sub_axis is None else self
        start = max(self.pre_size, other.pre_size)
        return AxisRef.part(self.name, start, min(self.sub_axis.end, other.sub_axis.end) // start)

    def prefix_without_overlap(self, other: AxisRef) -> AxisRef | None:
        """Return the major part of this reference up to where the other begins.

        All of it without an overlap; None if nothing is left or they cannot coexist.
        Follows getPrefixWithoutOverlap.
        """
        if not self.can_coexist(other):
            return None
        if not self.overlaps(other):
            return self
        if self.pre_size >= other.pre_size:
            return None
        return AxisRef.part(self.name, self.pre_size, other.pre_size // self.pre_size)

    def suffix_without_overlap(self, other: AxisRef, mesh: Mesh) -> AxisRef | None:
        """Return the minor part of this reference from where the other ends.

        All of it without an overlap; None if nothing is left or they cannot coexist.
        Follows getSuffixWithoutOverlap.
        """
        if not self.can_coexist(other):
            return None
        if not self.overlaps(other):
            return self
        start = other.end(mesh)
        if self.end(mesh) <= start:
            return None
        return AxisRef.part(self.name, start, self.end(mesh) // start)

    def common_prefix(self, other: AxisRef) -> AxisRef | None:
        """Return the reference of the two that is a prefix of the other, or None.

        Follows getGreatestCommonPrefix.
        """
        if not self.can_coexist(other):
            return None
        if self.is_prefix_of(other):
            return self
        return other if other.is_prefix_of(self) else None

    def can_merge(self, other: AxisRef) -> bool:
        """Tell whether the other is the sub-axis of the same axis that follows this one."""
        mine, its = self.sub_axis, other.sub_axis
        if self.name != other.name or mine is None or its is None:
            return False
        return mine.end == its.pre_size

    def merge(self, other: AxisRef, mesh: Mesh) -> AxisRef:
        """Return this sub-axis and the following one as one; raises InputError if they do not."""
        if self.sub_axis is None or other.sub_axis is None or not self.can_merge(other):
            raise InputError(f"{self} and {other} do not follow each other")
        size = self.sub_axis.size * other.sub_axis.size
        if size == mesh.axis_size(self.name):
            return AxisRef(self.name)
        return AxisRef.part(self.name, self.pre_size, size)

    def __str__(self) -> str:
        name = mlir_string(self.name)
        return name if self.sub_axis is None else f"{name}:{self.sub_axis}"

    def __repr__(self) -> str:
        return f"<AxisRef {self}>"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return AxisRef, (self.name, self.sub_axis)
