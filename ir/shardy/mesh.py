"""Shardy's meshes: named axes, major to minor, over which devices are laid out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from shardlog.ir.errors import InputError
from shardlog.ir.interned import Interned
from shardlog.ir.shardy.mlir_text import mlir_string

__all__ = ["MOST_AXES", "Mesh", "MeshAxis"]

MOST_AXES = 1 << 10
"""The most axes of a mesh, and dimensions of a sharding, that are taken; no program needs more."""

_END = 1 << 63


class MeshAxis(metaclass=Interned):
    """One named axis of a mesh with its size. Equal values are one object.

    Raises InputError unless the size is at least 1 and has 64 bits. Follows sdy::MeshAxisAttr.
    """

    __slots__ = ("name", "size")

    name: str
    size: int

    def __init__(self, name: str, size: int) -> None:
        if not 1 <= size < _END:
            raise InputError(
                f"bad size of mesh axis {name!r}", expected="at least 1", found=str(size)
            )
        self.name = name
        self.size = size

    def __str__(self) -> str:
        return f"{mlir_string(self.name)}={self.size}"

    def __repr__(self) -> str:
        return f"<MeshAxis {self}>"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return MeshAxis, (self.name, self.size)


class Mesh(metaclass=Interned):
    """Axes from major to minor, and the devices in that order if they are not 0..n-1.

    A mesh with neither is empty, one without axes and with one device maximal. Device ids that are
    0..n-1 are left out. Equal values are one object. Raises InputError if two axes have one name,
    the devices of all axes together do not fit 64 bits, or the device ids are no permutation of
    0..n-1. Follows sdy::MeshAttr.
    """

    __slots__ = ("axes", "device_ids", "places", "total_size")

    axes: tuple[MeshAxis, ...]
    device_ids: tuple[int, ...]
    places: Mapping[str, int]
    total_size: int

    def __init__(self, axes: tuple[MeshAxis, ...] = (), device_ids: tuple[int, ...] = ()) -> None:
        if len(axes) > MOST_AXES:
            raise InputError(
                "too many mesh axes", expected=f"at most {MOST_AXES}", found=str(len(axes))
            )
        self.axes = axes
        self.places = {}
        self.total_size = 1
        for place, axis in enumerate(axes):
            if axis.name in self.places:
                raise InputError(f"two mesh axes are named {axis.name!r}")
            self.places[axis.name] = place
            self.total_size *= axis.size
            if self.total_size >= _END:
                raise InputError("a mesh needs a number of devices that fits 64 bits")
        self.device_ids = self._checked(device_ids)

    def _checked(self, device_ids: tuple[int, ...]) -> tuple[int, ...]:
        if device_ids and not 0 <= min(device_ids) <= max(device_ids) < _END:
            raise InputError("a device id of a mesh is below 0 or has more than 64 bits")
        if not self.axes:
            if len(device_ids) > 1:
                raise InputError(
                    "a mesh without axes has at most one device", found=f"{len(device_ids)} ids"
                )
            return device_ids
        if not device_ids:
            return ()
        if len(device_ids) != self.total_size:
            raise InputError(
                "the device ids do not fill the mesh",
                expected=f"{self.total_size} ids",
                found=str(len(device_ids)),
            )
        in_order = tuple(range(self.total_size))
        if device_ids == in_order:
            return ()
        if tuple(sorted(device_ids)) != in_order:
            raise InputError(f"the device ids are no permutation of 0..{self.total_size - 1}")
        return device_ids

    @classmethod
    def of(cls, axes: Mapping[str, int], device_ids: Iterable[int] = ()) -> Mesh:
        """Return the mesh with these axes, major to minor, and device ids. Raises InputError."""
        return cls(tuple(MeshAxis(name, size) for name, size in axes.items()), tuple(device_ids))

    @classmethod
    def maximal(cls, device: int) -> Mesh:
        """Return the mesh that is one device. Follows MeshAttr::getMaximal."""
        return cls((), (device,))

    @classmethod
    def parse(cls, text: str) -> Mesh:
        """Return the mesh of a text such as `<["x"=2, "y"=4]>`, or in short `x=2,y=4`.

        The attribute may have its name in front (`mesh<...>`, `#sdy.mesh<...>`). Raises InputError
        with line and column.
        """
        from shardlog.ir.shardy.parser import parse_mesh

        return parse_mesh(text)

    @property
    def is_empty(self) -> bool:
        """Whether there are neither axes nor devices. Follows MeshAttr::empty."""
        return not self.axes and not self.device_ids

    @property
    def is_maximal(self) -> bool:
        """Whether the mesh is one device without axes. Follows MeshAttr::isMaximal."""
        return not self.axes and len(self.device_ids) == 1

    @property
    def maximal_device(self) -> int | None:
        """The device of a maximal mesh, else None. Follows MeshAttr::getMaximalDeviceId."""
        return self.device_ids[0] if self.is_maximal else None

    def __contains__(self, axis: str) -> bool:
        return axis in self.places

    def axis_size(self, name: str) -> int:
        """Return the size of an axis; raises InputError for an unknown one."""
        return self.axes[self.place(name)].size

    def place(self, name: str) -> int:
        """Return the position of an axis, 0 being the most major; raises InputError."""
        place = self.places.get(name)
        if place is None:
            raise InputError(f"the mesh has no axis {name!r}")
        return place

    @property
    def stripped(self) -> str:
        """The text without the attribute's name, as it stands behind `mesh` and `sdy.mesh`."""
        devices = ""
        if self.device_ids:
            devices = f", device_ids=[{', '.join(map(str, self.device_ids))}]"
        return f"<[{', '.join(map(str, self.axes))}]{devices}>"

    def __str__(self) -> str:
        return f"#sdy.mesh{self.stripped}"

    def __repr__(self) -> str:
        return f"<Mesh {self.stripped}>"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return Mesh, (self.axes, self.device_ids)
