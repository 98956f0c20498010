"""The values of one program under both partitioners, side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from shardlog import stablehlo
from shardlog.converters.shardy.chlo import lower_chlo
from shardlog.converters.shardy.export import export_sharding
from shardlog.converters.shardy.importing import import_sharding
from shardlog.explain.run import Place, Run
from shardlog.explain.sizes import bytes_on_device
from shardlog.ir.axes import split_dims
from shardlog.ir.errors import InputError
from shardlog.ir.module import HloModule
from shardlog.ir.sharding import HloSharding
from shardlog.ir.sharding_text import parse_sharding
from shardlog.ir.shardy.edges import holder_of, manual_axes_of
from shardlog.ir.shardy.mesh import Mesh
from shardlog.ir.shardy.program import Operation, Program, Value
from shardlog.ir.shardy.tensor_sharding import TensorSharding
from shardlog.propagation import propagate as propagate_gspmd
from shardlog.shardy.copies import copied
from shardlog.shardy.session import Asked
from shardlog.shardy.shown import spec
from shardlog.shardy.source import read_shardy, unzipped
from shardlog.shown import replaced

__all__ = [
    "ARGUMENT",
    "RESULT",
    "Axes",
    "Key",
    "Pair",
    "Pairs",
    "ShardyRun",
    "axes_of",
    "changed_run",
    "gspmd_run",
    "shardy_run",
]

ARGUMENT, RESULT = "argument", "result"
NAMED = "sdy.named_computation"
TAG = "shardlog.op"
MADE = frozenset({"sdy.data_flow_edge", "shardlog.function_result"})
"""Operations that the program does not have itself."""


@dataclass(frozen=True, order=True)
class Key:
    """What tells a value: an operation's tag and a result, or an argument or a result of main.

    A tag has the number of the operation, counted through the program's text, behind those of the
    calls around it: "12.3.40".
    """

    tag: str
    index: int


Axes = tuple[tuple[str, ...], ...]
"""The axes of each dimension as they are printed, major first."""


@dataclass(frozen=True)
class Pair:
    """One value with both answers.

    `gspmd_axes` is None where GSPMD's tiles are none of the mesh. `sizes` are bytes on a device by
    Shardy's and by GSPMD's answer.
    """

    key: Key
    name: str
    value: Value
    place: Place
    shardy: TensorSharding | None
    gspmd: HloSharding | None
    shardy_axes: Axes
    gspmd_axes: Axes | None
    sizes: tuple[int, int]

    @property
    def differs(self) -> bool:
        """Whether the two answers split the value differently."""
        return self.shardy_axes != self.gspmd_axes

    @property
    def op(self) -> str:
        """The operation that makes it."""
        if self.key.tag in (ARGUMENT, RESULT):
            return self.key.tag
        return self.value.owner.name


class ShardyRun:
    """A program that Shardy has propagated, with its values by key.

    `was` tells what lowered operations were, `unknown` those of CHLO that stay. A `change` is made
    in the program first; it also gets the operations by number.
    """

    def __init__(
        self,
        program: Program,
        was: Mapping[Operation, str] | None = None,
        unknown: Sequence[str] = (),
        change: Callable[[Program, Sequence[Operation]], None] | None = None,
    ) -> None:
        self.was, self.unknown = was or {}, unknown
        ops = list(program.module.walk())
        numbers = {op.line: number for number, op in enumerate(ops)}
        if change is not None:
            change(program, ops)
        self.asked = Asked(program)
        self.program = program
        self.history = self.asked.history
        self.graph = self.history.graph
        self.values: dict[Key, Value] = {}
        self.numbers: dict[Operation, int] = {}
        main = program.main
        state = self.asked.found.run.state["sharding"]
        for value in main.regions[0].arguments:
            self.values[Key(ARGUMENT, value.index)] = value
        for op in self.graph.results:
            self.values[Key(RESULT, op.line)] = op.results[0]
        for place, op in enumerate(self.graph.ops):
            self.numbers[op] = place
            number = numbers.get(op.line)
            # an operation without use is not there any more in the end, and has a mark
            if number is None or state[place] is not None or op.name in MADE:
                continue
            around = [one for one in op.ancestors() if one.name == NAMED]
            path = [str(numbers[one.line]) for one in reversed(around)]
            for value in op.results:
                if value.type.shape is not None:
                    key = Key(".".join([*path, str(number)]), value.index)
                    self.values.setdefault(key, value)

    def entity(self, value: Value) -> int | None:
        """The number of what holds the sharding of a value, None for what has none."""
        found = self.graph.numbers
        if value in found:
            return found[value]
        holder = holder_of(value)
        return None if holder is None else found.get(holder)

    def sharding(self, key: Key) -> TensorSharding | None:
        """The sharding that a value ends with: of inputs and outputs what Shardy hands on."""
        entity = self.entity(self.values[key])
        return None if entity is None else self.asked.final(entity)

    def name(self, key: Key) -> str:
        """What a value is called; of an argument also by the user's program."""
        value = self.values[key]
        entity = self.entity(value)
        if entity is None:
            return value.name or f"{value.owner.name} at line {value.owner.line}"
        name = self.asked.names.of(entity)
        if key.tag == ARGUMENT and value.label:
            name += f" ({value.label})"
        return name

    def before_end(self, key: Key) -> TensorSharding | None:
        """The sharding right after propagation."""
        entity = self.entity(self.values[key])
        return None if entity is None else self.history.end[entity]

    @cached_property
    def keys(self) -> dict[int, Key]:
        """The key of each entity that holds a sharding; results of main last."""
        found: dict[int, Key] = {}
        for key, value in self.values.items():
            entity = self.entity(value)
            if entity is not None:
                found.setdefault(entity, key)
        return found

    @cached_property
    def axes(self) -> dict[Key, Axes]:
        """The axes of every value."""
        return {key: axes_of(self.sharding(key), value) for key, value in self.values.items()}


def shardy_run(data: bytes, file: str | None) -> ShardyRun:
    """Propagate a program as Shardy does. Raises as `read_shardy` and `saturate` do."""
    program = read_shardy(data, file)
    return ShardyRun(program, *lower_chlo(program))


def changed_run(
    run: ShardyRun, change: Callable[[Program, Sequence[Operation]], None]
) -> ShardyRun:
    """Propagate the program of a run once more, with a change."""
    return ShardyRun(copied(run.asked.original)[0], change=change)


def gspmd_run(data: bytes, file: str | None) -> tuple[Run, HloModule]:
    """Propagate the same program as GSPMD does, calls inlined. Raises as `load_tagged` does."""
    module = stablehlo.load_tagged(unzipped(data), file)
    return Run(propagate_gspmd(module)), module


def axes_of(sharding: TensorSharding | None, value: Value) -> Axes:
    """The axes of each dimension, none for a value without a sharding."""
    if sharding is None:
        return ((),) * value.type.rank
    return tuple(tuple(str(axis) for axis in dim.axes) for dim in sharding.dims)


@dataclass
class Pairs:
    """All values that both have, by key, and how many Shardy has alone."""

    shardy: ShardyRun
    gspmd: Run
    module: HloModule
    pairs: dict[Key, Pair] = field(default_factory=dict)
    alone: int = 0

    @classmethod
    def of(cls, shardy: ShardyRun, gspmd: Run, module: HloModule) -> Pairs:
        """Lay the values of both runs side by side."""
        made = cls(shardy, gspmd, module)
        places = dict(made._places())
        for key, value in shardy.values.items():
            place = places.get(key)
            if place is None or gspmd.shape(place).dimensions != value.type.shape:
                made.alone += 1
                continue
            made.pairs[key] = made._pair(key, value, place)
        return made

    @property
    def differing(self) -> list[Pair]:
        """The values whose answers differ, in the order of the program."""
        return [pair for pair in self.pairs.values() if pair.differs]

    @cached_property
    def by_place(self) -> dict[Place, Key]:
        """The keys of what GSPMD's run knows by place."""
        return {pair.place: key for key, pair in self.pairs.items()}

    def _places(self) -> Iterator[tuple[Key, Place]]:
        """Where GSPMD's run has the values."""
        run = self.gspmd
        tagged: dict[str, list[int]] = {}
        entry = self.module.entry
        for number, instruction in enumerate(run.entities):
            tag = instruction.frontend_attribute(TAG)
            if tag is not None:
                tagged.setdefault(tag, []).append(number)
            if instruction.computation is entry:
                if instruction.opcode == "parameter" and instruction.parameter_number is not None:
                    yield Key(ARGUMENT, instruction.parameter_number), Place(number)
                if instruction is entry.root:
                    for index, place in enumerate(run.leaves(number)):
                        yield Key(RESULT, index), place
        for tag, numbers in tagged.items():
            yield from self._of_tag(tag, numbers)

    def _of_tag(self, tag: str, numbers: list[int]) -> Iterator[tuple[Key, Place]]:
        """The results of an operation, which may have become several instructions."""
        members = {self.gspmd.entities[number] for number in numbers}
        count = len({key.index for key in self.shardy.values if key.tag == tag})
        for number in reversed(numbers):
            instruction = self.gspmd.entities[number]
            shape = instruction.shape
            if count > 1 and shape.is_tuple and shape.leaf_count >= count:
                for leaf in range(shape.leaf_count):
                    yield Key(tag, leaf), Place(number, leaf)
                return
            op = self.shardy.values.get(Key(tag, 0))
            if op is not None and not _may_become(op.owner.name, instruction.opcode):
                continue
            if count <= 1 and not shape.is_tuple and not members & {*instruction.users}:
                yield Key(tag, 0), Place(number)
                return

    def _pair(self, key: Key, value: Value, place: Place) -> Pair:
        shardy, hlo = self.shardy.sharding(key), self.gspmd.final(place)
        mine = self.shardy.axes[key]
        theirs = self._gspmd_axes(hlo, value, shardy)
        exported = self._exported(shardy, value)
        if exported is not None and hlo is not None and exported.equals(hlo):
            theirs = mine
        shape = self.gspmd.shape(place)
        sizes = bytes_on_device(shape, exported), bytes_on_device(shape, hlo)
        name = self.shardy.name(key)
        return Pair(key, name, value, place, shardy, hlo, mine, theirs, sizes)

    def _exported(self, sharding: TensorSharding | None, value: Value) -> HloSharding | None:
        if sharding is None:
            return None
        around = [axis for one in value.owner.ancestors() for axis in manual_axes_of(one).names]
        try:
            return export_sharding(sharding, self.shardy.program.meshes, around)
        except InputError:
            # what has no HloSharding is compared by its axes alone
            return None

    def _gspmd_axes(
        self, sharding: HloSharding | None, value: Value, other: TensorSharding | None
    ) -> Axes | None:
        if not split_dims(sharding) or sharding is None:
            return ((),) * value.type.rank
        mesh = self.mesh_for(other)
        if mesh is None:
            return None
        try:
            return axes_of(import_sharding(sharding, mesh, value.type.rank), value)
        except InputError:
            return None

    def in_axes(self, text: str) -> str:
        """A text of GSPMD's, its shardings in axes as Shardy's are, where they are of the mesh."""
        mesh = self.mesh_for(None)
        return text if mesh is None else replaced(text, lambda found: _in_axes(found, mesh))

    def mesh_for(self, sharding: TensorSharding | None) -> Mesh | None:
        """The mesh of a sharding, else the largest of the program."""
        if sharding is not None:
            return self.shardy.program.mesh_of(sharding)
        meshes = [mesh for mesh in self.shardy.program.meshes.values() if mesh.axes]
        return max(meshes, key=_devices, default=None)


OWN = frozenset(
    {"concatenate", "convolution", "dot", "gather", "pad", "reduce", "scatter", "select", "slice"}
)
"""Opcodes of HLO that only their own operations become; simplifications may leave them others'."""


def _may_become(op: str, opcode: str) -> bool:
    """Whether an operation may be an instruction of this opcode in HLO."""
    name = op.partition(".")[2].replace("_", "-")
    return opcode not in OWN or name.removesuffix("-general") == opcode


def _in_axes(text: str, mesh: Mesh) -> str:
    """An HloSharding in axes; as it is where axes would not say all of it."""
    try:
        sharding = parse_sharding(text, lenient=True)
        if sharding.kind != "tiled" or set(sharding.subgroup_types) - {"replicated"}:
            return text
        shown = spec(import_sharding(sharding, mesh, sharding.tiled_data_rank))
    except InputError:
        return text
    group = sharding.shard_group
    return shown if group is None else f"{shown} {group}"


def _devices(mesh: Mesh) -> int:
    return math.prod(axis.size for axis in mesh.axes)
