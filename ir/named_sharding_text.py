"""Reading the text of mesh-based ("V3") shardings."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from shardlog.ir.errors import InputError
from shardlog.ir.named_sharding import NamedSharding
from shardlog.ir.op_metadata import OpMetadata
from shardlog.ir.op_metadata_text import read_metadata, read_string
from shardlog.ir.scanner import Scanner
from shardlog.ir.shardy.axes import AxisRef
from shardlog.ir.shardy.axis_text import read_dimension_axes, read_part
from shardlog.ir.shardy.mesh import MOST_AXES, Mesh, MeshAxis
from shardlog.ir.shardy.tensor_sharding import DimensionSharding
from shardlog.ir.tile_assignment import TileAssignment

__all__ = ["MESH_WORDS", "parse_named_sharding", "read_named_sharding"]

MESH_WORDS = ("mesh", "maximal_mesh")
"""How a mesh-based sharding begins."""

_WHOLE = ("replicated", "unreduced", "manual")
_INDEX = re.compile(r"[0-9]{1,9}", re.ASCII)
_T = TypeVar("_T")


def parse_named_sharding(text: str, lenient: bool = False) -> NamedSharding:
    """Return the value of a text such as `{mesh['x'=2,'y'=4], [{'x'}, {}]}`.

    `lenient` takes a list of axes given twice, as XLA does. Raises InputError with line and
    column, also where XLA aborts. Follows HloParserImpl::ParseSharding.
    """
    scanner = Scanner(text, "mesh-based sharding")
    scanner.expect("{", "an opening brace")
    if scanner.token not in MESH_WORDS:
        raise scanner.error("no mesh-based sharding", "mesh[...] or maximal_mesh[...]")
    value = read_named_sharding(scanner, lenient)
    scanner.expect("}", "a closing brace")
    if scanner.token:
        raise scanner.error("more text after the sharding", "the end")
    return value


def read_named_sharding(scanner: Scanner, lenient: bool) -> NamedSharding:
    """Read from the word `mesh` up to the closing brace, which stays. Raises InputError."""
    reader = _Reader(scanner, lenient)
    return reader.one_device() if scanner.token != "mesh" else reader.on_mesh()


class _Reader:
    def __init__(self, scanner: Scanner, lenient: bool) -> None:
        self.scanner = scanner
        self.lenient = lenient
        self.start = scanner.start
        self.metadata: list[OpMetadata] = []

    def placed(self, start: int, make: Callable[[], _T]) -> _T:
        """Return what `make` makes; its errors get the place."""
        try:
            return make()
        except InputError as error:
            line, column = self.scanner.place(start)
            raise error.located(line=line, column=column) from None

    def one_device(self) -> NamedSharding:
        scanner = self.scanner
        scanner.next()
        scanner.expect("[", "'['")
        scanner.expect("device_id=", "device_id=")
        start = scanner.start
        device = scanner.integer()
        mesh = self.placed(start, lambda: Mesh.maximal(device))
        scanner.expect("]", "']'")
        self.attributes({})
        return NamedSharding(mesh, metadata=tuple(self.metadata))

    def on_mesh(self) -> NamedSharding:
        scanner = self.scanner
        scanner.next()
        mesh, order = self.mesh()
        groups: dict[str, list[AxisRef]] = {}
        dims: list[DimensionSharding] = []
        start = scanner.start
        if scanner.token in _WHOLE:
            word = scanner.token
            if word != "replicated":
                if not mesh.axes:
                    raise scanner.error(f"{word} needs a mesh with axes", "[...] or replicated")
                groups[word] = [AxisRef(axis.name) for axis in mesh.axes]
            scanner.next()
            self.attributes({})
        else:
            scanner.expect("[", "a list of dimensions, replicated, unreduced or manual")
            dims = self.listed("]", lambda: self.dimension(mesh))
            self.attributes(groups, lambda: self.axis(mesh))
        return self.placed(
            start,
            lambda: NamedSharding(
                mesh,
                tuple(dims),
                tuple(groups.get("replicated", ())),
                tuple(groups.get("unreduced", ())),
                tuple(groups.get("manual", ())),
                tuple(self.metadata),
                order,
            ),
        )

    def mesh(self) -> tuple[Mesh, TileAssignment | None]:
        """Read the axes, the device ids if there are any, and the comma behind them."""
        scanner = self.scanner
        scanner.expect("[", "'['")
        axes = tuple(self.listed("]", self.mesh_axis))
        scanner.eat(",")  # XLA prints it and does not ask for it
        mesh = self.placed(self.start, lambda: Mesh(axes))
        start = scanner.start
        if not axes or not scanner.eat("device_ids="):
            return mesh, None
        order = None
        scanner.expect("(", "'('")
        if scanner.eat("["):
            order = self.transposed(mesh)
        else:
            devices = tuple(scanner.integers())
            mesh = self.placed(start, lambda: Mesh(axes, devices))
            if not mesh.device_ids:
                line, column = scanner.place(start)
                raise InputError("device ids in their plain order", line=line, column=column)
        scanner.expect(")", "',' or ')'")
        scanner.expect(",", "','")
        return mesh, order

    def mesh_axis(self) -> MeshAxis:
        scanner = self.scanner
        start = scanner.start
        name = read_string(scanner, "'\"", "the name of an axis in quotes")
        scanner.expect("=", "'='")
        size = scanner.integer()
        return self.placed(start, lambda: MeshAxis(name, size))

    def transposed(self, mesh: Mesh) -> TileAssignment:
        """Read the reshape dimensions and, if there are several, their order."""
        scanner = self.scanner
        start = scanner.start
        reshape_dims, perm = scanner.integers(), [0]
        scanner.expect("]", "',' or ']'")
        if len(reshape_dims) > 1:
            scanner.expect("T", "T(...), the order of the reshape dimensions")
            scanner.expect("(", "T(...), the order of the reshape dimensions")
            perm = scanner.integers()
            scanner.expect(")", "',' or ')'")
        sizes = [axis.size for axis in mesh.axes]
        return self.placed(start, lambda: TileAssignment.iota(sizes, reshape_dims, perm))

    def dimension(self, mesh: Mesh) -> DimensionSharding:
        return DimensionSharding(*read_dimension_axes(self.scanner, lambda: self.axis(mesh)))

    def axis(self, mesh: Mesh) -> AxisRef:
        scanner = self.scanner
        start = scanner.start
        name = read_string(scanner, "'\"", "the name of an axis in quotes, or '?'")
        if name not in mesh and _INDEX.fullmatch(name) and int(name) < len(mesh.axes):
            name = mesh.axes[int(name)].name
        self.placed(start, lambda: mesh.place(name))
        part = read_part(scanner)
        if part is None:
            return AxisRef(name)
        return self.placed(start, lambda: AxisRef.part(name, *part))

    def attributes(
        self, groups: dict[str, list[AxisRef]], axis: Callable[[], AxisRef] | None = None
    ) -> None:
        """Read metadata and, if `axis` can read them, groups of axes, up to the closing brace."""
        scanner = self.scanner
        words = _WHOLE if axis is not None else ()
        while scanner.token != "}":
            scanner.expect(",", "',' or '}'")
            name = scanner.token[:-1]
            if scanner.eat("metadata="):
                self.metadata += read_metadata(scanner)
                continue
            if axis is None or name not in words or not scanner.token.endswith("="):
                expected = [f"{word}={{...}}" for word in (*words, "metadata")]
                raise scanner.error("unknown attribute", " or ".join(expected))
            if name in groups and not self.lenient:
                raise scanner.error(f"{name} given twice", "each attribute once")
            scanner.next()
            scanner.expect("{", "'{'")
            groups.setdefault(name, []).extend(self.listed("}", axis))

    def listed(self, end: str, read: Callable[[], _T]) -> list[_T]:
        """Read a list with commas, which may be empty, and its end."""
        scanner = self.scanner
        values: list[_T] = []
        if scanner.eat(end):
            return values
        values.append(read())
        while scanner.eat(","):
            if len(values) >= MOST_AXES:
                raise scanner.error("a list too long", f"at most {MOST_AXES} entries")
            values.append(read())
        scanner.expect(end, f"',' or {end!r}")
        return values
