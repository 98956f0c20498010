"""Shardy's shardings: which axes of a mesh split which dimensions of a tensor."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from shardlog.ir.interned import Interned
from shardlog.ir.shardy.axes import AxisRef
from shardlog.ir.shardy.mesh import Mesh
from shardlog.ir.shardy.mlir_text import mlir_string, mlir_symbol

__all__ = ["DimensionSharding", "ManualAxes", "TensorSharding", "TensorShardingPerValue"]


class DimensionSharding(metaclass=Interned):
    """The axes that split one dimension, major to minor.

    An open dimension (`is_closed` false) may get more axes in propagation; `priority`, 0 being the
    highest, says in which round it takes part. Equal values are one object.
    Follows sdy::DimensionShardingAttr.
    """

    __slots__ = ("axes", "is_closed", "priority")

    axes: tuple[AxisRef, ...]
    is_closed: bool
    priority: int | None

    def __init__(
        self, axes: tuple[AxisRef, ...] = (), is_closed: bool = True, priority: int | None = None
    ) -> None:
        self.axes = axes
        self.is_closed = is_closed
        self.priority = priority

    def sharded_size(self, mesh: Mesh) -> int:
        """Return into how many parts the dimension is split; raises InputError as `size` does."""
        return math.prod(axis.size(mesh) for axis in self.axes)

    def __str__(self) -> str:
        words = [str(axis) for axis in self.axes]
        if not self.is_closed:
            words.append("?")
        priority = "" if self.priority is None else f"p{self.priority}"
        return f"{{{', '.join(words)}}}{priority}"

    def __repr__(self) -> str:
        return f"<DimensionSharding {self}>"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return DimensionSharding, (self.axes, self.is_closed, self.priority)


class TensorSharding(metaclass=Interned):
    """How a tensor lies on a mesh, which is given by its symbol's name or as a value.

    Axes named nowhere replicate the tensor; `replicated` lists those that must stay so, and
    `unreduced` those along which every device holds a part of a sum. Equal values are one object.
    Whether axes exist and fit is told by `verify`. Follows sdy::TensorShardingAttr.
    """

    __slots__ = ("dims", "mesh", "replicated", "unreduced")

    mesh: str | Mesh
    dims: tuple[DimensionSharding, ...]
    replicated: tuple[AxisRef, ...]
    unreduced: tuple[AxisRef, ...]

    def __init__(
        self,
        mesh: str | Mesh,
        dims: tuple[DimensionSharding, ...] = (),
        replicated: tuple[AxisRef, ...] = (),
        unreduced: tuple[AxisRef, ...] = (),
    ) -> None:
        self.mesh = mesh
        self.dims = dims
        self.replicated = replicated
        self.unreduced = unreduced

    @classmethod
    def unsharded(cls, mesh: str | Mesh, rank: int, closed: bool = True) -> TensorSharding:
        """Return the sharding without any axis, closed or open in all dimensions.

        Follows getFullyClosed and getFullyOpen.
        """
        return cls(mesh, (DimensionSharding((), closed),) * rank)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.dims)

    @property
    def has_axes(self) -> bool:
        """Whether any axis is named. Follows emptyAxes."""
        return any(True for _ in self.axis_refs())

    def axis_refs(self) -> Iterator[AxisRef]:
        """Yield all references as printed: those of the dimensions, replicated and unreduced."""
        return chain(*(dim.axes for dim in self.dims), self.replicated, self.unreduced)

    def with_mesh(self, mesh: str | Mesh) -> TensorSharding:
        """Return the same sharding on another mesh, or another way to give the mesh."""
        return TensorSharding(mesh, self.dims, self.replicated, self.unreduced)

    def with_dims(self, dims: Iterable[DimensionSharding]) -> TensorSharding:
        """Return the same sharding with other dimensions."""
        return TensorSharding(self.mesh, tuple(dims), self.replicated, self.unreduced)

    def closed(self, closed: bool = True) -> TensorSharding:
        """Return the same sharding with all dimensions closed, or all open.

        Follows getClosedLike and getOpenLike.
        """
        return self.with_dims(
            DimensionSharding(dim.axes, closed, dim.priority) for dim in self.dims
        )

    def verify(
        self, mesh: Mesh | None = None, rank: int | None = None, manual_axes: Iterable[str] = ()
    ) -> None:
        """Raise InputError unless the sharding fits its mesh, the rank and the manual axes around.

        `mesh` may be left out if the sharding holds its mesh. Stricter than Shardy's
        verifyTensorShardingAttr: sub-axes of one axis must come from one cut of it.
        """
        from shardlog.ir.shardy.verify import verify_tensor_sharding

        verify_tensor_sharding(self, mesh, rank, manual_axes)

    @property
    def stripped(self) -> str:
        """The text without the attribute's name, as it stands in lists and ops."""
        mesh = (
            f"mesh{self.mesh.stripped}" if isinstance(self.mesh, Mesh) else mlir_symbol(self.mesh)
        )
        text = f"<{mesh}, [{', '.join(map(str, self.dims))}]"
        for word, axes in (("replicated", self.replicated), ("unreduced", self.unreduced)):
            if axes:
                text += f", {word}={{{', '.join(map(str, axes))}}}"
        return text + ">"

    def __str__(self) -> str:
        return f"#sdy.sharding{self.stripped}"

    def __repr__(self) -> str:
        return f"<TensorSharding {self.stripped}>"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return TensorSharding, (self.mesh, self.dims, self.replicated, self.unreduced)


class TensorShardingPerValue(metaclass=Interned):
    """The shardings of several values, such as the results of an op, in order.

    Equal values are one object. Follows sdy::TensorShardingPerValueAttr.
    """

    __slots__ = ("shardings",)

    shardings: tuple[TensorSharding, ...]

    def __init__(self, shardings: tuple[TensorSharding, ...] = ()) -> None:
        self.shardings = shardings

    def __len__(self) -> int:
        return len(self.shardings)

    def __iter__(self) -> Iterator[TensorSharding]:
        return iter(self.shardings)

    @property
    def stripped(self) -> str:
        """The text without the attribute's name, as it stands in ops."""
        return f"[{', '.join(sharding.stripped for sharding in self.shardings)}]"

    def __str__(self) -> str:
        return f"#sdy.sharding_per_value<{self.stripped}>"

    def __repr__(self) -> str:
        return f"<TensorShardingPerValue {self.stripped}>"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return TensorShardingPerValue, (self.shardings,)


class ManualAxes(metaclass=Interned):
    """The whole axes that a manual computation handles itself, in the order listed.

    Equal values are one object. Follows sdy::ManualAxesAttr.
    """

    __slots__ = ("names",)

    names: tuple[str, ...]

    def __init__(self, names: tuple[str, ...] = ()) -> None:
        self.names = names

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    @property
    def stripped(self) -> str:
        """The text without the attribute's name, as it stands in ops."""
        return f"{{{', '.join(map(mlir_string, self.names))}}}"

    def __str__(self) -> str:
        return f"#sdy<manual_axes{self.stripped}>"

    def __repr__(self) -> str:
        return f"<ManualAxes {self.stripped}>"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return ManualAxes, (self.names,)
