"""Reading the MLIR text of Shardy's attributes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from shardlog.ir.errors import InputError
from shardlog.ir.shardy.axes import AxisRef, SubAxis
from shardlog.ir.shardy.axis_text import read_dimension_axes, read_part
from shardlog.ir.shardy.mesh import MOST_AXES, Mesh, MeshAxis
from shardlog.ir.shardy.mlir_text import MlirScanner
from shardlog.ir.shardy.tensor_sharding import (
    DimensionSharding,
    ManualAxes,
    TensorSharding,
    TensorShardingPerValue,
)
from shardlog.ir.shardy.verify import problem_of, verify_manual_axes

__all__ = [
    "Meshes",
    "parse_axis_ref",
    "parse_dimension_sharding",
    "parse_manual_axes",
    "parse_mesh",
    "parse_mesh_op",
    "parse_meshes",
    "parse_sharding_per_value",
    "parse_tensor_sharding",
]

Meshes = Mesh | Mapping[str, Mesh]
"""What the symbols of shardings stand for: meshes by name, or one mesh for all names."""

_PRIORITY = re.compile(r"p([0-9]+)", re.ASCII)
_T = TypeVar("_T")


def parse_mesh(text: str) -> Mesh:
    """Return the mesh of a text; see Mesh.parse for its forms. Raises InputError."""
    reader = _Reader(text, "mesh")
    if reader.scanner.token[:1] not in ("#", "<") and reader.scanner.token != "mesh":
        return reader.whole(reader.short_mesh)
    return reader.whole(lambda: reader.attribute("mesh", reader.mesh))


def parse_mesh_op(text: str) -> tuple[str, Mesh]:
    """Return name and mesh of an op such as `sdy.mesh @mesh = <["x"=2]>`. Raises InputError."""
    reader = _Reader(text, "mesh")
    return reader.whole(reader.mesh_op)


def parse_meshes(text: str) -> dict[str, Mesh]:
    """Return the meshes by name of a dictionary such as `{mesh = #sdy.mesh<["x"=2]>}`.

    Raises InputError.
    """
    reader = _Reader(text, "dictionary of meshes")
    return reader.whole(reader.mesh_dictionary)


def parse_axis_ref(text: str) -> AxisRef:
    """Return the reference of a text such as `"x":(1)2`. Raises InputError."""
    reader = _Reader(text, "axis reference")
    return reader.whole(lambda: reader.attribute("axis_ref", reader.axis_ref))


def parse_dimension_sharding(text: str) -> DimensionSharding:
    """Return the dimension's sharding of a text such as `{"x", ?}p1`. Raises InputError."""
    reader = _Reader(text, "dimension sharding")
    return reader.whole(lambda: reader.attribute("dimension_sharding", reader.dimension))


def parse_tensor_sharding(
    text: str,
    meshes: Meshes | None = None,
    *,
    rank: int | None = None,
    manual_axes: Iterable[str] = (),
) -> TensorSharding:
    """Return the sharding of a text such as `#sdy.sharding<@mesh, [{"x"}, {?}]>`.

    The attribute's name may be left out. A sharding whose mesh is known, since it holds it or
    `meshes` has it, is verified against it, the tensor's rank and the manual axes around. Raises
    InputError with line and column in the text. Follows TensorShardingAttr::parse.
    """
    reader = _Reader(text, "sharding", meshes, rank, tuple(manual_axes))
    return reader.whole(lambda: reader.attribute("sharding", reader.sharding))


def parse_sharding_per_value(
    text: str, meshes: Meshes | None = None, *, manual_axes: Iterable[str] = ()
) -> TensorShardingPerValue:
    """Return the list of a text such as `#sdy.sharding_per_value<[<@mesh, [{"x"}]>]>`.

    The name and the outer `<>` may be left out together. Checks and raises as
    `parse_tensor_sharding` does.
    """
    reader = _Reader(text, "list of shardings", meshes, None, tuple(manual_axes))
    return reader.whole(reader.per_value_attribute)


def parse_manual_axes(text: str, mesh: Mesh | None = None) -> ManualAxes:
    """Return the axes of a text such as `#sdy<manual_axes{"x", "y"}>` or `{"x"}`.

    Raises InputError, with a mesh also for axes that it lacks and axes listed twice.
    """
    reader = _Reader(text, "list of manual axes")
    axes = reader.whole(lambda: reader.attribute("manual_axes", reader.manual_axes))
    if mesh is not None:
        reader.placed(0, lambda: verify_manual_axes(axes, mesh))
    return axes


@dataclass
class _Places:
    """The offsets of what a sharding consists of, to show what is wrong with it."""

    start: int
    axis_refs: list[int] = field(default_factory=list)
    dims: list[int] = field(default_factory=list)


class _Reader:
    def __init__(
        self,
        text: str,
        what: str,
        meshes: Meshes | None = None,
        rank: int | None = None,
        around: tuple[str, ...] = (),
    ) -> None:
        self.scanner = MlirScanner(text, what)
        self.meshes = meshes
        self.rank = rank
        self.around = around
        self.places = _Places(0)

    def whole(self, read: Callable[[], _T]) -> _T:
        value = read()
        if self.scanner.token:
            raise self.scanner.error(f"more text after the {self.scanner.what}", "the end")
        return value

    def placed(self, offset: int, make: Callable[[], _T]) -> _T:
        """Give an error of a value's own checks the place where the value stands."""
        try:
            return make()
        except InputError as error:
            line, column = self.scanner.place(offset)
            raise error.located(line=line, column=column) from None

    def attribute(self, mnemonic: str, read: Callable[[], _T]) -> _T:
        """Read an attribute with its name (`#sdy.NAME...` or `#sdy<NAME...>`) or without."""
        scanner = self.scanner
        if scanner.token == "#sdy":
            scanner.next()
            scanner.expect("<", "'<'")
            scanner.expect(mnemonic, f"'{mnemonic}'")
            value = read()
            scanner.expect(">", "'>'")
            return value
        if not scanner.eat(f"#sdy.{mnemonic}"):
            if scanner.token[:1] == "#":
                raise scanner.error(f"unreadable {scanner.what}", f"#sdy.{mnemonic}")
            if mnemonic == "mesh":
                scanner.eat("mesh")
        return read()

    def listed(self, close: str, read: Callable[[], _T], most: int, many: str) -> list[_T]:
        """Read entries with commas between them, up to and with the closing token."""
        scanner = self.scanner
        values: list[_T] = []
        if scanner.eat(close):
            return values
        while True:
            if len(values) == most:
                raise scanner.error(f"too many {many}", f"at most {most}")
            values.append(read())
            if not scanner.eat(","):
                scanner.expect(close, f"',' or '{close}'")
                return values

    # ---- meshes

    def mesh(self) -> Mesh:
        scanner = self.scanner
        start = scanner.start
        scanner.expect("<", "'<'")
        scanner.expect("[", "'['")
        axes = self.listed("]", self.mesh_axis, MOST_AXES, "mesh axes")
        device_ids: tuple[int, ...] = ()
        if scanner.eat(","):
            scanner.expect("device_ids", "'device_ids'")
            scanner.expect("=", "'='")
            scanner.expect("[", "'['")
            device_ids = tuple(scanner.integers())
            scanner.expect("]", "',' or ']'")
        scanner.expect(">", "',' or '>'")
        return self.placed(start, lambda: Mesh(tuple(axes), device_ids))

    def mesh_axis(self) -> MeshAxis:
        scanner = self.scanner
        start = scanner.start
        name = scanner.string()
        scanner.expect("=", "'=' and the size of the axis")
        negative = scanner.eat("-")
        size = scanner.integer()
        return self.placed(start, lambda: MeshAxis(name, -size if negative else size))

    def short_mesh(self) -> Mesh:
        """Read `x=2,y=4`, with or without quotes around the names."""
        scanner = self.scanner
        axes = self.listed("", self.short_axis, MOST_AXES, "mesh axes")
        if not axes:
            raise scanner.error("empty mesh", 'axes such as x=2,y=4, or <["x"=2, "y"=4]>')
        return self.placed(0, lambda: Mesh(tuple(axes)))

    def short_axis(self) -> MeshAxis:
        scanner = self.scanner
        if scanner.token[:1] == '"':
            return self.mesh_axis()
        start, name = scanner.start, scanner.token
        if not re.fullmatch(r"[A-Za-z_][\w.$]*", name, re.ASCII):
            raise scanner.error("unreadable mesh", "axes such as x=2,y=4")
        scanner.next()
        scanner.expect("=", "'=' and the size of the axis")
        size = scanner.integer()
        return self.placed(start, lambda: MeshAxis(name, size))

    def mesh_op(self) -> tuple[str, Mesh]:
        scanner = self.scanner
        scanner.expect("sdy.mesh", "'sdy.mesh'")
        name = scanner.symbol()
        scanner.expect("=", "'='")
        return name, self.attribute("mesh", self.mesh)

    def mesh_dictionary(self) -> dict[str, Mesh]:
        scanner = self.scanner
        scanner.expect("{", "'{'")
        meshes: dict[str, Mesh] = {}
        for name, mesh in self.listed("}", self.mesh_entry, 1 << 62, "meshes"):
            if name in meshes:
                raise scanner.error(f"two meshes are named {name!r}", "each name once")
            meshes[name] = mesh
        return meshes

    def mesh_entry(self) -> tuple[str, Mesh]:
        scanner = self.scanner
        if scanner.token[:1] == '"':
            name = scanner.string()
        else:
            name = scanner.token
            if not name or not (name[0].isalpha() or name[0] == "_"):
                raise scanner.error(f"unreadable {scanner.what}", "the name of a mesh")
            scanner.next()
        scanner.expect("=", "'='")
        return name, self.attribute("mesh", self.mesh)

    # ---- axes

    def axis_ref(self) -> AxisRef:
        scanner = self.scanner
        start = scanner.start
        self.places.axis_refs.append(start)
        name = scanner.string()
        part = read_part(scanner)
        if part is None:
            return AxisRef(name)
        return AxisRef(name, self.placed(start, lambda: SubAxis(*part)))

    def axis_list(self) -> tuple[AxisRef, ...]:
        scanner = self.scanner
        scanner.expect("=", "'='")
        if scanner.token in ("max", "min", "sum"):
            raise scanner.error("reductions other than a plain sum are not known", "'{'")
        scanner.expect("{", "'{'")
        axes = self.listed("}", self.axis_ref, MOST_AXES, "axes")
        if not axes:
            raise scanner.error("empty list of axes", "at least one axis")
        return tuple(axes)

    def manual_axes(self) -> ManualAxes:
        self.scanner.expect("{", "'{'")
        return ManualAxes(tuple(self.listed("}", self.scanner.string, MOST_AXES, "axes")))

    # ---- shardings

    def dimension(self) -> DimensionSharding:
        scanner = self.scanner
        self.places.dims.append(scanner.start)
        axes, closed = read_dimension_axes(scanner, self.axis_ref)
        return DimensionSharding(axes, closed, self.priority())

    def priority(self) -> int | None:
        scanner = self.scanner
        if not scanner.token[:1].isalpha():
            return None
        match = _PRIORITY.fullmatch(scanner.token)
        digits = "" if match is None else match[1]
        if not digits or len(digits) > 19 or int(digits) >= 1 << 63:
            raise scanner.error("unreadable priority", "'p' and an integer of 64 bits")
        if digits[0] == "0" and digits != "0":
            raise scanner.error("a priority has no leading zeros", f"p{int(digits)}")
        scanner.next()
        return int(digits)

    def sharding(self) -> TensorSharding:
        scanner = self.scanner
        places = self.places = _Places(scanner.start)
        scanner.expect("<", "'<'")
        mesh: str | Mesh = self.mesh() if scanner.eat("mesh") else scanner.symbol()
        scanner.expect(",", "',' and the dimensions")
        scanner.expect("[", "'['")
        dims = self.listed("]", self.dimension, MOST_AXES, "dimensions")
        lists: dict[str, tuple[AxisRef, ...]] = {}
        offsets: dict[str, list[int]] = {}
        in_dims, places.axis_refs = places.axis_refs, []
        while scanner.eat(","):
            word = scanner.token
            if word not in ("replicated", "unreduced") or word in lists:
                raise scanner.error("unreadable sharding", "replicated= or unreduced=, each once")
            scanner.next()
            lists[word] = self.axis_list()
            offsets[word], places.axis_refs = places.axis_refs, []
        scanner.expect(">", "',' or '>'")
        places.axis_refs = [*in_dims, *offsets.get("replicated", ()), *offsets.get("unreduced", ())]
        value = TensorSharding(
            mesh, tuple(dims), lists.get("replicated", ()), lists.get("unreduced", ())
        )
        self.verify(value)
        return value

    def verify(self, sharding: TensorSharding) -> None:
        mesh: Mesh | None
        if isinstance(sharding.mesh, Mesh):
            mesh = sharding.mesh
        elif isinstance(self.meshes, Mesh) or self.meshes is None:
            mesh = self.meshes
        else:
            mesh = self.meshes.get(sharding.mesh)
            if mesh is None:
                known = ", ".join(f"@{name}" for name in self.meshes)
                raise self.scanner.error(
                    f"unknown mesh @{sharding.mesh}", known or "no mesh", self.places.start
                )
        if mesh is None:
            return
        problem = problem_of(sharding, mesh, self.rank, self.around)
        if problem is not None:
            offset = self.places.start
            if problem.axis_ref is not None:
                offset = self.places.axis_refs[problem.axis_ref]
            elif problem.dim is not None:
                offset = self.places.dims[problem.dim]
            line, column = self.scanner.place(offset)
            raise InputError(problem.message, line=line, column=column)

    def per_value_attribute(self) -> TensorShardingPerValue:
        scanner = self.scanner
        if scanner.token == "[":
            return self.per_value()
        return self.attribute("sharding_per_value", self.per_value_in_angles)

    def per_value_in_angles(self) -> TensorShardingPerValue:
        self.scanner.expect("<", "'<'")
        value = self.per_value()
        self.scanner.expect(">", "'>'")
        return value

    def per_value(self) -> TensorShardingPerValue:
        self.scanner.expect("[", "'['")
        return TensorShardingPerValue(tuple(self.listed("]", self.sharding, 1 << 62, "shardings")))
