"""Modules with their shardings written as Shardy's, too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from shardlog.converters.hlo_text import parse_hlo_text
from shardlog.converters.hlo_text_module import TextModule
from shardlog.converters.pass_graph import open_dimensions
from shardlog.converters.shardy import marks
from shardlog.converters.shardy.export import export_sharding
from shardlog.converters.shardy.importing import (
    grid_factors,
    import_sharding,
    maximal_mesh_name,
)
from shardlog.converters.shardy.lines import Line, LineReader
from shardlog.converters.shardy.manual_regions import (
    BODIES,
    ManualRegion,
    manual_regions,
    region_lines,
)
from shardlog.converters.shardy.meshes import find_meshes
from shardlog.converters.shardy.releases import read_back
from shardlog.ir.attribute_text import split_attributes
from shardlog.ir.errors import InputError
from shardlog.ir.module import Computation, HloModule, Instruction
from shardlog.ir.op_metadata import quoted
from shardlog.ir.sharding import HloSharding
from shardlog.ir.shardy import DimensionSharding, Mesh, TensorSharding, TensorShardingPerValue
from shardlog.ir.shardy.mlir_text import mlir_string

__all__ = ["ShardyForm", "shardy_form", "shardy_shardings"]


@dataclass(frozen=True, slots=True)
class ShardyForm:
    """A module with Shardy's attributes, its meshes, and why some shardings have none there."""

    module: HloModule
    meshes: Mapping[str, Mesh]
    left_out: tuple[str, ...]


def shardy_shardings(
    module: HloModule, meshes: Mapping[str, Mesh] | None = None, closed: bool = True
) -> tuple[dict[Instruction, TensorShardingPerValue], dict[str, Mesh], list[str]]:
    """Return Shardy's shardings of a module's instructions, their meshes, and what has none.

    The meshes are those given, else those in the module's header, else the ones that `find_meshes`
    finds for all shardings; maximal ones are added. A sharding that is not made of the axes of any
    of them is left out, with the reason. Raises InputError if the grids have no mesh in common.
    """
    known = dict(meshes or marks.shardy_meshes(module))
    sharded = [x for x in module.instructions if x.sharding is not None]
    if not known:
        known = find_meshes(
            leaf for x in sharded if x.sharding is not None for leaf in _with_axes(x.sharding)
        )
    found: dict[Instruction, TensorShardingPerValue] = {}
    left_out: list[str] = []
    known_values: dict[tuple[HloSharding, int], TensorSharding] = {}
    for instruction in sharded:
        try:
            found[instruction] = _on_meshes(instruction, known, closed, known_values)
        except InputError as error:
            left_out.append(f"{instruction.name}: {error.message}")
    return found, known, left_out


def _with_axes(sharding: HloSharding) -> Iterator[HloSharding]:
    """The parts of a sharding that some mesh has; a list that spells out an iota is that iota."""
    for leaf in sharding.elements if sharding.is_tuple else (sharding,):
        if leaf.kind == "tiled":
            try:
                grid_factors(leaf.essence)
            except InputError:
                continue
        if leaf.kind != "unreduced":
            yield leaf.essence


def _on_meshes(
    instruction: Instruction,
    meshes: dict[str, Mesh],
    closed: bool,
    known: dict[tuple[HloSharding, int], TensorSharding],
) -> TensorShardingPerValue:
    sharding = instruction.sharding
    assert sharding is not None
    ranks = [shape.rank for shape in instruction.shape.leaves] or [0]
    each = sharding.elements if sharding.is_tuple else (sharding,) * len(ranks)
    if len(each) != len(ranks):
        raise InputError(f"{len(each)} shardings for {len(ranks)} values")
    values = []
    for leaf, rank in zip(each, ranks, strict=True):
        if (leaf, rank) not in known:
            known[leaf, rank] = _on_one(leaf.essence, meshes, rank, closed)
        values.append(known[leaf, rank])
    if len(values) == 1 and instruction.custom_call_target == "Sharding":
        values = [_opened(values[0], open_dimensions(instruction))]
    return TensorShardingPerValue(tuple(values))


def _opened(sharding: TensorSharding, open_dims: tuple[int, ...]) -> TensorSharding:
    """Open the dimensions that a constraint of GSPMD's leaves unspecified."""
    return sharding.with_dims(
        DimensionSharding(dim.axes, dim.is_closed and index not in open_dims, dim.priority)
        for index, dim in enumerate(sharding.dims)
    )


def _on_one(
    sharding: HloSharding, meshes: dict[str, Mesh], rank: int, closed: bool
) -> TensorSharding:
    """Import onto the first mesh that has the axes; a device of its own adds its mesh."""
    if sharding.kind == "maximal":
        device = sharding.tile.first_device
        meshes.setdefault(maximal_mesh_name(device), Mesh.maximal(device))
    if sharding.kind == "tiled" and sharding.num_devices == 1:
        sharding = HloSharding.replicated()
    problem: InputError | None = None
    for name, mesh in meshes.items():
        if mesh.is_maximal and sharding.kind != "maximal":
            continue
        try:
            return import_sharding(sharding, mesh, rank, closed, name=name)
        except InputError as error:
            problem = problem or error
    raise problem or InputError(f"no mesh for {sharding}")


def shardy_form(
    module: HloModule, meshes: Mapping[str, Mesh] | None = None, closed: bool = True
) -> ShardyForm:
    """Return a module with the shardings of its instructions also written as Shardy's.

    They stand in `xla.sdy.sharding` of the frontend attributes, with the meshes in the header and
    the results marked, as JAX lowers for Shardy; see `shardy_shardings` for the meshes and for what
    is left out. A manual computation whose body is called becomes Shardy's again; others stay as
    GSPMD has them. Raises InputError.
    """
    text = module if isinstance(module, TextModule) and not module.is_edited else None
    if text is None or text.to_text() != text.source:
        text = parse_hlo_text(module.to_text(), module.file)
    found, known, left_out = shardy_shardings(text, meshes, closed)
    if not known:
        return ShardyForm(text, {}, ())
    found = {x: each for x, each in found.items() if not _says_so(x, known)}
    writer = _Writer(LineReader(text), found, manual_regions(text, known))
    bodies = {computation: writer.lines(computation) for computation in text.computations}
    source = writer.reader.source_with(bodies, _header_attributes(text, known))
    source = _with_shardys_names(source, writer.bodies)
    return ShardyForm(parse_hlo_text(source, module.file), known, tuple(left_out))


def _says_so(instruction: Instruction, meshes: dict[str, Mesh]) -> bool:
    """Whether an instruction's attribute already says its sharding, and more than an import can."""
    sharding = instruction.sharding
    if instruction.is_root:
        near = [instruction, *instruction.operands]
        near += [x for operand in instruction.operands for x in operand.operands]
        if any(x.custom_call_target == marks.RESULT for x in near):
            return True
    own = marks.shardings(instruction, meshes)
    if own is None or sharding is None:
        return False
    leaves = sharding.elements if sharding.is_tuple else (sharding,)
    return len(own) == len(leaves) and all(
        read_back(export_sharding(each, meshes)).equals(leaf.bare)
        for each, leaf in zip(own, leaves, strict=True)
    )


class _Writer:
    """Writes the lines of computations with Shardy's attributes in them."""

    def __init__(
        self,
        reader: LineReader,
        found: Mapping[Instruction, TensorShardingPerValue],
        regions: Sequence[ManualRegion],
    ) -> None:
        self.reader = reader
        self.found = found
        self.regions = {region.call: region for region in regions}
        self.replaced = {x for region in regions for x in region.replaced}
        self.bodies = [region.call.called[0] for region in regions]

    def lines(self, computation: Computation) -> list[str]:
        """The lines of a computation in its new form."""
        return [
            self.reader.text(line, {})
            for instruction in computation.instructions
            if instruction not in self.replaced
            for line in self._new(computation, instruction)
        ]

    def _new(self, computation: Computation, instruction: Instruction) -> Iterator[Line]:
        """The line of an instruction with its attribute, and the marks of the entry's results."""
        if instruction in self.regions:
            yield from region_lines(self.reader, self.regions[instruction])
            return
        line = self.reader.line(instruction)
        here = self.found.get(instruction)
        is_result = computation.is_entry and instruction.is_root
        if instruction.opcode == "parameter" and computation in self.bodies:
            # what is around the body says it
            line.set("sharding", None)
        elif here is not None and is_result and instruction.opcode == "tuple":
            yield from _marked_results(self.reader, instruction, line, here)
        elif here is not None and not _has_none(instruction):
            text = str(here)
            if instruction.opcode == "parameter" and len(here) == 1:
                text = str(here.shardings[0])
            others = marks.other_frontend_attributes(instruction)
            line.set("frontend_attributes", _with(others, text))
        if here is None or not is_result or instruction.shape.is_tuple:
            yield line
            return
        line.is_root = False
        line.raw = None
        yield line
        mark = _mark(self.reader, instruction, instruction, here.shardings[0], "result")
        mark.is_root = True
        if instruction.sharding is not None:
            mark.set("sharding", instruction.sharding.to_text())
        yield mark


def _with_shardys_names(source: str, bodies: Iterable[Computation]) -> str:
    """Name the bodies of manual computations as Shardy knows them."""
    for number, body in enumerate(bodies):
        if not body.name.startswith(BODIES[0]):
            name = f"{BODIES[0]}.shardlog{number}"
            pattern = rf"(^%?|to_apply=%?){re.escape(body.name)}(?=[ ,\n])"
            source = re.sub(pattern, rf"\g<1>{name}", source, flags=re.M)
    return source


def _has_none(instruction: Instruction) -> bool:
    """Whether an instruction is nothing to Shardy, whose programs have no tuples."""
    if instruction.opcode == "parameter":
        return instruction.shape.is_tuple
    return instruction.opcode in ("tuple", "get-tuple-element")


def _marked_results(
    reader: LineReader, root: Instruction, line: Line, here: TensorShardingPerValue
) -> Iterator[Line]:
    """Marks of the operands of the tuple of results, which takes them in."""
    if len(here) != len(root.operands):
        return
    for index, (operand, sharding) in enumerate(zip(root.operands, here, strict=True)):
        mark = _mark(reader, root, operand, sharding, f"result_{index}")
        line.operands[index] = mark.name
        line.raw = None
        yield mark


def _mark(
    reader: LineReader, root: Instruction, value: Instruction, sharding: TensorSharding, name: str
) -> Line:
    used = {instruction.name for instruction in root.computation.instructions}
    while name in used:
        name += "_"
    return Line(
        False,
        name,
        reader.shape(value),
        "custom-call",
        [value.name],
        {
            "custom_call_target": f'"{marks.RESULT}"',
            "custom_call_has_side_effect": "true",
            "frontend_attributes": _with(None, str(TensorShardingPerValue((sharding,)))),
        },
        percent=reader.line(root).percent,
    )


def _with(others: str | None, sharding: str) -> str:
    own = f"xla.sdy.sharding={quoted(sharding)}"
    return f"{{{own}}}" if others is None else f"{{{own},{others[1:]}"


def _header_attributes(module: HloModule, meshes: Mapping[str, Mesh]) -> dict[str, str]:
    raw = module.attributes.get("frontend_attributes")
    kept = [] if raw is None else list(split_attributes(raw.strip()[1:-1]).items())
    entries = ", ".join(f"{_key(name)} = {mesh}" for name, mesh in meshes.items())
    items = [("xla.sdy.meshes", f"{{{entries}}}")]
    items += [(name, value) for name, value in kept if name != "xla.sdy.meshes"]
    return {"frontend_attributes": f"{{{','.join(f'{name}={value}' for name, value in items)}}}"}


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_][\w$.]*", name, re.ASCII) else mlir_string(name)
