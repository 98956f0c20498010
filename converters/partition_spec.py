"""JAX's PartitionSpec for a given mesh, to HloSharding and back; JAX itself is not needed."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal

from shardlog.ir.errors import InputError
from shardlog.ir.named_sharding import NamedSharding
from shardlog.ir.sharding import HloSharding
from shardlog.ir.shardy.axes import AxisRef
from shardlog.ir.shardy.mesh import Mesh
from shardlog.ir.shardy.tensor_sharding import DimensionSharding

__all__ = [
    "UNCONSTRAINED",
    "PartitionSpec",
    "named_of_spec",
    "parse_partition_spec",
    "sharding_of_spec",
    "spec_of_sharding",
]

UNCONSTRAINED: Final = "UNCONSTRAINED"
"""The entry of a dimension that propagation may split; no axis of a mesh has this name in JAX."""

_LONGEST = 1 << 16

Entry = tuple[str, ...] | None | Literal["UNCONSTRAINED"]


class PartitionSpec:
    """For each dimension the axes that split it, None for none, or UNCONSTRAINED.

    A single axis may be given as its name. Dimensions behind the last entry are not split.
    `unreduced` are the axes along which every device holds a part of a sum. Equal and hashable like
    jax.sharding.PartitionSpec, from one of which it can be made.
    """

    __slots__ = ("entries", "unreduced")

    entries: tuple[Entry, ...]
    unreduced: frozenset[str]

    def __init__(self, *entries: object, unreduced: Iterable[str] = ()) -> None:
        self.entries = tuple(map(_entry, entries))
        self.unreduced = frozenset(unreduced)

    @classmethod
    def of(cls, spec: Iterable[Any]) -> PartitionSpec:
        """Return the spec of JAX's own, or of any iterable of entries. Raises InputError."""
        return cls(*spec, unreduced=getattr(spec, "unreduced", None) or ())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PartitionSpec):
            return NotImplemented
        return self.entries == other.entries and self.unreduced == other.unreduced

    def __hash__(self) -> int:
        return hash((self.entries, self.unreduced))

    def __str__(self) -> str:
        words = [_entry_text(entry) for entry in self.entries]
        if self.unreduced:
            names = ", ".join(map(repr, sorted(self.unreduced)))
            words.append(f"unreduced={{{names}}}")
        return f"P({', '.join(words)})"

    __repr__ = __str__


def _entry(entry: object) -> Entry:
    if entry is None or entry == ():
        return None
    if isinstance(entry, str):
        return UNCONSTRAINED if entry == UNCONSTRAINED else (entry,)
    if isinstance(entry, Sequence) and all(isinstance(name, str) for name in entry):
        return tuple(entry)
    if type(entry).__name__ == "UnconstrainedSingleton":
        return UNCONSTRAINED
    raise InputError(
        "bad entry of a PartitionSpec",
        expected="None, an axis, a tuple of axes or UNCONSTRAINED",
        found=repr(entry)[:40],
    )


def _entry_text(entry: Entry) -> str:
    if entry is None or isinstance(entry, str):
        return f"P.{entry}" if entry else "None"
    return repr(entry[0]) if len(entry) == 1 else repr(entry)


def parse_partition_spec(text: str) -> PartitionSpec:
    """Return the spec of a text such as `P('x', None, ('y', 'z'), unreduced={'w'})`.

    `P` may be spelled out. The text is read, never run. Raises InputError with line and column.
    """
    if len(text) > _LONGEST:
        raise InputError(f"a PartitionSpec of {len(text)} characters")
    try:
        call = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InputError(
            "unreadable PartitionSpec",
            line=getattr(error, "lineno", None) or 1,
            column=getattr(error, "offset", None) or 1,
            expected="text such as P('x', None)",
        ) from None
    if not isinstance(call, ast.Call) or _name(call.func) not in ("P", "PartitionSpec"):
        raise _unreadable(call, "P(...) or PartitionSpec(...)")
    unreduced: Iterable[str] = ()
    for keyword in call.keywords:
        if keyword.arg != "unreduced" or not isinstance(keyword.value, ast.Set):
            raise _unreadable(keyword.value, "axes, or unreduced={...}")
        unreduced = [_axis(element) for element in keyword.value.elts]
    return PartitionSpec(*map(_argument, call.args), unreduced=unreduced)


def _argument(node: ast.expr) -> object:
    if isinstance(node, (ast.Tuple, ast.List)):
        return tuple(_axis(element) for element in node.elts)
    if isinstance(node, ast.Constant) and node.value is None:
        return None
    if _name(node) == UNCONSTRAINED:
        return UNCONSTRAINED
    return (_axis(node),)


def _axis(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    raise _unreadable(node, "an axis in quotes, a tuple of axes, None or P.UNCONSTRAINED")


def _name(node: ast.expr) -> str:
    """The last part of a dotted name, or ""."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _unreadable(node: ast.expr, expected: str) -> InputError:
    return InputError(
        "unreadable PartitionSpec", line=node.lineno, column=node.col_offset + 1, expected=expected
    )


def sharding_of_spec(
    spec: PartitionSpec | Iterable[Any], mesh: Mesh, rank: int | None = None
) -> HloSharding:
    """Return the HloSharding that NamedSharding(mesh, spec) of JAX has for a tensor of some rank.

    The rank is the number of entries unless given. UNCONSTRAINED counts as None: the sharding does
    not say it. Raises InputError for entries beyond the rank, unknown axes, and an axis used twice.
    Follows jax's named_sharding_to_xla_hlo_sharding.
    """
    return named_of_spec(spec, mesh, rank).tiles()


def named_of_spec(
    spec: PartitionSpec | Iterable[Any], mesh: Mesh, rank: int | None = None
) -> NamedSharding:
    """Return the mesh-based form of a spec; UNCONSTRAINED dimensions are open.

    Raises InputError as `sharding_of_spec` does.
    """
    if not isinstance(spec, PartitionSpec):
        spec = PartitionSpec.of(spec)
    missing = 0 if rank is None else rank - len(spec.entries)
    if missing < 0:
        raise InputError(f"{spec} has {len(spec.entries)} entries for a tensor of rank {rank}")
    dims = [_dimension(entry) for entry in spec.entries]
    dims += [DimensionSharding()] * missing
    for name in spec.unreduced:
        mesh.place(name)
    unreduced = sorted(map(AxisRef, spec.unreduced), key=lambda axis: axis.mesh_order(mesh))
    try:
        return NamedSharding(mesh, tuple(dims), unreduced=tuple(unreduced))
    except InputError as error:
        raise InputError(f"{spec} on mesh {mesh.stripped}: {error.message}") from None


def _dimension(entry: Entry) -> DimensionSharding:
    if entry is None or isinstance(entry, str):
        return DimensionSharding((), entry is None)
    return DimensionSharding(tuple(map(AxisRef, entry)))


def spec_of_sharding(
    sharding: HloSharding | NamedSharding, mesh: Mesh | None = None, rank: int | None = None
) -> PartitionSpec:
    """Return the spec that gives a sharding on a mesh.

    A mesh-based sharding may leave out the mesh. Axes of size 1 are in no spec. The spec has an
    entry for each dimension; one that is replicated and of unknown rank has none. Raises InputError
    if no spec on this mesh gives the sharding. Follows jax's parse_flatten_op_sharding.
    """
    named = sharding
    if isinstance(named, HloSharding):
        if mesh is None:
            raise InputError("a PartitionSpec needs a mesh")
        named = NamedSharding.of(named, mesh)
    if named.mesh.is_maximal or named.manual:
        raise InputError(f"{sharding} has no PartitionSpec")
    parts = [axis for dim in named.dims for axis in dim.axes if axis.sub_axis is not None]
    parts += [axis for axis in named.unreduced if axis.sub_axis is not None]
    if parts:
        raise InputError(f"{sharding} takes {parts[0]}, a part of an axis: no PartitionSpec")
    entries = [
        tuple(axis.name for axis in dim.axes) or (None if dim.is_closed else UNCONSTRAINED)
        for dim in named.dims
    ]
    if rank is not None and not entries:
        entries = [None] * rank
    return PartitionSpec(*entries, unreduced=[axis.name for axis in named.unreduced])
