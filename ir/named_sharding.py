"""The mesh-based form of a sharding ("V3"): which axes of a mesh split which dimensions."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from shardlog.ir.errors import InputError
from shardlog.ir.interned import Interned
from shardlog.ir.mesh_tiles import axes_of_tile, devices_of_mesh, tile_on_mesh
from shardlog.ir.op_metadata import OpMetadata
from shardlog.ir.sharding import HloSharding
from shardlog.ir.shardy.axes import AxisRef
from shardlog.ir.shardy.mesh import Mesh
from shardlog.ir.shardy.tensor_sharding import DimensionSharding, TensorSharding
from shardlog.ir.shardy.verify import problem_of
from shardlog.ir.tile_assignment import TileAssignment

__all__ = ["NamedSharding"]


class NamedSharding(metaclass=Interned):
    """A sharding on a mesh that it holds: axes for each dimension, and for three groups.

    `replicated`, `unreduced` and `manual` are in the order of the mesh; axes named nowhere
    replicate. `order` is the grid of device ids, in the shape of the axes, if they are given as a
    transposed iota, and then `mesh` has none. A maximal mesh has no dimensions. Equal values are
    one object. Raises InputError where XLA would abort. Follows xla::NamedSharding.
    """

    __slots__ = ("dims", "manual", "mesh", "metadata", "order", "replicated", "unreduced")

    mesh: Mesh
    dims: tuple[DimensionSharding, ...]
    replicated: tuple[AxisRef, ...]
    unreduced: tuple[AxisRef, ...]
    manual: tuple[AxisRef, ...]
    metadata: tuple[OpMetadata, ...]
    order: TileAssignment | None

    def __init__(
        self,
        mesh: Mesh,
        dims: tuple[DimensionSharding, ...] = (),
        replicated: tuple[AxisRef, ...] = (),
        unreduced: tuple[AxisRef, ...] = (),
        manual: tuple[AxisRef, ...] = (),
        metadata: tuple[OpMetadata, ...] = (),
        order: TileAssignment | None = None,
    ) -> None:
        self.mesh = mesh
        self.dims = () if mesh.is_maximal else dims
        self.replicated = replicated
        self.unreduced = unreduced
        self.manual = manual
        self.metadata = metadata
        self.order = None if order is None or len(order.reshape_dims) == 1 else order
        self._verify()

    def _verify(self) -> None:
        """Raise InputError if axes are unknown, overlap, could be merged or are out of order."""
        order = self.order
        if order is not None and (
            self.mesh.device_ids or order.dims != tuple(axis.size for axis in self.mesh.axes)
        ):
            raise InputError("the order of devices does not fit the axes of the mesh")
        # The manual axes stand for one more dimension: what holds between dimensions holds for them
        dims = (*self.dims, DimensionSharding(self.manual)) if self.manual else self.dims
        problem = problem_of(
            TensorSharding(self.mesh, dims, self.replicated, self.unreduced), self.mesh
        )
        if problem is not None:
            raise InputError(problem.message)
        for axis, minor in pairwise(self.manual):
            if minor.mesh_order(self.mesh) < axis.mesh_order(self.mesh):
                raise InputError(f"manual axes {axis}, {minor} are not in the order of the mesh")

    @classmethod
    def of(cls, sharding: HloSharding, mesh: Mesh) -> NamedSharding:
        """Return the mesh-based form of a sharding that is no tuple, with closed dimensions.

        Raises InputError if axes and sub-axes of this mesh do not give the sharding, and for what
        has no such form: unknown shardings, shard groups, manual or unreduced axes against the
        order of the mesh.
        """
        if sharding.is_tuple or sharding.kind == "unknown" or sharding.shard_group is not None:
            raise InputError(f"{sharding} has no mesh-based form")
        if sharding.unique_device is not None:
            return cls(Mesh.maximal(sharding.unique_device), metadata=sharding.metadata)
        every = tuple(AxisRef(axis.name) for axis in mesh.axes)
        if sharding.kind == "manual" and every:
            return cls(mesh, manual=every, metadata=sharding.metadata)
        if sharding.kind == "unreduced" and every:
            return cls(mesh, unreduced=every, metadata=sharding.metadata)
        if sharding.kind != "tiled":
            if not sharding.is_replicated:
                raise InputError(f"{sharding} needs a mesh with axes")
            return cls(mesh, metadata=sharding.metadata)
        types = sharding.subgroup_types
        last = sharding.replicate_on_last_tile_dim or types[-1:] == ("replicated",)
        axes = axes_of_tile(sharding.tile, mesh, sets=last)
        rank = sharding.tiled_data_rank
        groups = dict(zip(types, axes[rank:], strict=False))
        for kind in types:
            if kind not in ("manual", "unreduced", "replicated"):
                raise InputError(f"{sharding} has no mesh-based form")
        return cls(
            mesh,
            tuple(DimensionSharding(refs) for refs in axes[:rank]),
            unreduced=groups.get("unreduced", ()),
            manual=groups.get("manual", ()),
            metadata=sharding.metadata,
        )

    @classmethod
    def of_sdy(cls, sharding: TensorSharding, manual: Iterable[AxisRef] = ()) -> NamedSharding:
        """Return the form of a Shardy sharding that holds its mesh; priorities are left out.

        Raises InputError if the sharding names its mesh only.
        """
        if isinstance(sharding.mesh, str):
            raise InputError(f"mesh @{sharding.mesh} is not known", expected="its axes")
        dims = (DimensionSharding(dim.axes, dim.is_closed) for dim in sharding.dims)
        return cls(
            sharding.mesh, tuple(dims), sharding.replicated, sharding.unreduced, tuple(manual)
        )

    def to_sdy(self) -> TensorSharding:
        """Return the Shardy sharding with its mesh inlined; metadata is left out.

        Raises InputError for manual axes, which Shardy keeps on the manual computation.
        Follows xla::sdy::convertToSdyShardingAttr.
        """
        if self.manual:
            raise InputError(f"{self} has manual axes, which a Shardy sharding cannot say")
        mesh = self.mesh
        if self.order is not None:
            mesh = Mesh(mesh.axes, tuple(self.order.array.reshape(-1).tolist()))
        unreduced = self.unreduced
        if unreduced and not self.dims and self._size(unreduced) == mesh.total_size:
            # Axes of size 1 make no difference to XLA here, which takes all for unreduced.
            unreduced = tuple(AxisRef(axis.name) for axis in mesh.axes)
        return TensorSharding(mesh, self.dims, self.replicated, unreduced)

    @property
    def devices(self) -> TileAssignment:
        """The device ids in the shape of the axes; raises InputError for a mesh without axes."""
        if not self.mesh.axes:
            raise InputError("a mesh without axes has no grid of devices")
        return devices_of_mesh(self.mesh) if self.order is None else self.order

    def tiles(self) -> HloSharding:
        """Return the sharding as a grid of devices. Follows HloSharding::V3ToV2Sharding."""
        device = self.mesh.maximal_device
        if device is not None:
            value = HloSharding.maximal(device)
        elif self.mesh.total_size == 1 and not self.manual and not self.unreduced:
            value = HloSharding.replicated()
        else:
            dims = [dim.axes for dim in self.dims]
            value = tile_on_mesh(
                self.mesh, dims, self.manual, self.unreduced, self.order, self.replicated
            )
        return value.with_metadata(self.metadata)

    def to_text(self, metadata: bool = True) -> str:
        """Return XLA's text with braces. Follows NamedSharding::ToString."""
        words = [self._mesh_text()]
        if not self.mesh.is_maximal:
            words += self._axes_text()
        if metadata and self.metadata:
            notes = ", ".join(f"{{{note}}}" for note in self.metadata)
            words.append(f"metadata={{{notes}}}")
        return f"{{{', '.join(words)}}}"

    def _mesh_text(self) -> str:
        if self.mesh.is_maximal:
            return f"maximal_mesh[device_id={self.mesh.maximal_device}]"
        axes = ",".join(f"{_quoted(axis.name)}={axis.size}" for axis in self.mesh.axes)
        text = f"mesh[{axes}]"
        if self.order is not None:
            reshape = ",".join(map(str, self.order.reshape_dims))
            perm = ",".join(map(str, self.order.transpose_perm))
            text += f", device_ids=([{reshape}]T({perm}))"
        elif self.mesh.device_ids:
            text += f", device_ids=({','.join(map(str, self.mesh.device_ids))})"
        return text

    def _axes_text(self) -> list[str]:
        if not self.dims:
            # XLA goes by sizes here, so that axes of size 1 may be missing in a group of all.
            if not (self.replicated or self.unreduced or self.manual):
                return ["replicated"]
            for word, axes in (("unreduced", self.unreduced), ("manual", self.manual)):
                if axes and self._size(axes) == self.mesh.total_size:
                    return [word]
        words = [f"[{', '.join(map(_dimension_text, self.dims))}]"]
        groups = (
            ("replicated", self.replicated),
            ("unreduced", self.unreduced),
            ("manual", self.manual),
        )
        return words + [
            f"{word}={{{', '.join(map(_axis_text, axes))}}}" for word, axes in groups if axes
        ]

    def _size(self, axes: Iterable[AxisRef]) -> int:
        size = 1
        for axis in axes:
            size *= axis.size(self.mesh)
        return size

    def __str__(self) -> str:
        return self.to_text(metadata=False)

    def __repr__(self) -> str:
        return f"<NamedSharding {self.to_text()}>"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return NamedSharding, (
            self.mesh,
            self.dims,
            self.replicated,
            self.unreduced,
            self.manual,
            self.metadata,
            self.order,
        )


def _quoted(name: str) -> str:
    # XLA leaves out the escapes, and then cannot read its own text.
    name = name.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{name}'"


def _axis_text(axis: AxisRef) -> str:
    name = _quoted(axis.name)
    return name if axis.sub_axis is None else f"{name}:{axis.sub_axis}"


def _dimension_text(dim: DimensionSharding) -> str:
    words = [_axis_text(axis) for axis in dim.axes]
    if not dim.is_closed:
        words.append("?")
    return f"{{{', '.join(words)}}}"
