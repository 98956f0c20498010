"""Manual computations in the form that GSPMD has for them, found again for Shardy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from shardlog.converters.shardy import marks
from shardlog.converters.shardy.importing import import_sharding
from shardlog.converters.shardy.lines import Line, LineReader
from shardlog.ir.errors import InputError
from shardlog.ir.module import Computation, HloModule, Instruction
from shardlog.ir.named_sharding import NamedSharding
from shardlog.ir.op_metadata import quoted
from shardlog.ir.shardy import ManualAxes, Mesh, TensorSharding, TensorShardingPerValue

__all__ = ["BODIES", "ManualRegion", "manual_regions", "region_lines"]

BODIES = (marks.BODY, "shmap_body")
"""How JAX names the bodies, for Shardy and for GSPMD."""


@dataclass(frozen=True, slots=True)
class ManualRegion:
    """A call of a body, between conversions of all its operands and of all its results."""

    call: Instruction
    wholes: tuple[Instruction, ...]
    inputs: tuple[Instruction, ...]
    elements: tuple[Instruction, ...]
    copies: tuple[Instruction, ...]
    outputs: tuple[Instruction, ...]
    manual_axes: ManualAxes
    in_shardings: TensorShardingPerValue
    out_shardings: TensorShardingPerValue

    @property
    def replaced(self) -> Iterable[Instruction]:
        """The instructions that Shardy's form does not have."""
        elements = self.elements if self.call.shape.is_tuple else ()
        wholes = (x for x in self.wholes if _only_annotates(x))
        return (*wholes, *self.inputs, *elements, *self.copies, *self.outputs)


def manual_regions(module: HloModule, meshes: Mapping[str, Mesh]) -> list[ManualRegion]:
    """Return the manual computations whose bodies are called and have a mesh with their axes.

    Others, such as those that XLA has inlined, stay as they are.
    """
    callers: dict[Computation, list[Instruction]] = {}
    for instruction in module.instructions:
        for callee in instruction.called:
            callers.setdefault(callee, []).append(instruction)
    around: dict[Computation, tuple[str, ...]] = {module.entry: ()}
    found = []
    # callers stand behind what they call
    for computation in reversed(module.computations):
        outer = around.get(computation, ())
        for instruction in computation.instructions:
            for callee in instruction.called:
                around.setdefault(callee, outer)
            if instruction.opcode != "call" or len(callers[instruction.called[0]]) > 1:
                continue
            region = _region(instruction, meshes, outer)
            if region is not None:
                found.append(region)
                around[instruction.called[0]] = region.manual_axes.names + outer
    return found


def _region(
    call: Instruction, meshes: Mapping[str, Mesh], outer: tuple[str, ...]
) -> ManualRegion | None:
    if not call.called[0].name.startswith(BODIES) or not call.operands:
        return None
    inputs = call.operands
    if any(x.custom_call_target != marks.FULL_TO_SHARD or x.users != [call] for x in inputs):
        return None
    if len(set(inputs)) < len(inputs):
        return None
    elements = _elements(call)
    copies = tuple(x.users[0] for x in elements if len(x.users) == 1)
    outputs = tuple(x.users[0] for x in copies if len(x.users) == 1)
    if not elements or len(outputs) < len(elements):
        return None
    if any(x.custom_call_target != marks.SHARD_TO_FULL or x.is_root for x in outputs):
        return None
    for name, mesh in meshes.items():
        if mesh.is_maximal:
            continue
        try:
            manual = {_manual(x, mesh) for x in (*inputs, *copies)}
            ins = [_whole(x.operands[0], mesh, name) for x in inputs]
            outs = [_whole(x, mesh, name) for x in outputs]
        except InputError:
            continue
        if len(manual) != 1:
            continue
        axes = tuple(axis for axis in manual.pop() if axis not in outer)
        if not axes or not all(_leads(axes, sharding) for sharding in (*ins, *outs)):
            continue
        return ManualRegion(
            call,
            tuple(x.operands[0] for x in inputs),
            inputs,
            elements,
            copies,
            outputs,
            ManualAxes(axes),
            TensorShardingPerValue(tuple(ins)),
            TensorShardingPerValue(tuple(outs)),
        )
    return None


def _only_annotates(instruction: Instruction) -> bool:
    """Whether an instruction says how a value is converted, and is nothing else."""
    is_annotation = instruction.opcode == "copy" or instruction.custom_call_target == "Sharding"
    return is_annotation and len(instruction.users) == 1 and not instruction.is_root


def _elements(call: Instruction) -> tuple[Instruction, ...]:
    """The results of a call, one by one; empty unless all are used, each once."""
    if not call.shape.is_tuple:
        return (call,)
    by_index = {x.tuple_index: x for x in call.users if x.opcode == "get-tuple-element"}
    count = len(call.shape.elements)
    if len(call.users) != count or set(by_index) != set(range(count)):
        return ()
    return tuple(by_index[index] for index in range(count))


def _manual(instruction: Instruction, mesh: Mesh) -> tuple[str, ...]:
    """The axes that an instruction's sharding has as manual ones."""
    if instruction.sharding is None:
        raise InputError("no sharding")
    axes = NamedSharding.of(instruction.sharding.bare, mesh).manual
    if any(axis.sub_axis is not None for axis in axes):
        raise InputError("a part of an axis is manual")
    return tuple(axis.name for axis in axes)


def _whole(instruction: Instruction, mesh: Mesh, name: str) -> TensorSharding:
    if instruction.sharding is None:
        raise InputError("no sharding")
    return import_sharding(instruction.sharding, mesh, instruction.shape.rank, name=name)


def _leads(manual: tuple[str, ...], sharding: TensorSharding) -> bool:
    """Whether the manual axes come before the others in each dimension, whole."""
    for dim in sharding.dims:
        kinds = [axis.name in manual for axis in dim.axes]
        if kinds != sorted(kinds, reverse=True):
            return False
        if any(axis.sub_axis is not None and axis.name in manual for axis in dim.axes):
            return False
    return True


def region_lines(reader: LineReader, region: ManualRegion) -> Iterator[Line]:
    """Yield the lines of a manual computation in the place of its call."""
    call = region.call
    used = " ".join(x.name for x in call.computation.instructions)
    base = call.name
    while f"{base}.local" in used or f"{base}.whole" in used:
        base += "_"
    axes = _attribute("manual_axes", str(region.manual_axes))
    line = reader.line(call)
    local = [(f"{base}.local.{index}", reader.shape(x)) for index, x in enumerate(region.inputs)]
    wholes = [(x.operands[0] if _only_annotates(x) else x).name for x in region.wholes]
    attributes = f"{{{_attribute('in_shardings', str(region.in_shardings))},{axes}}}"
    yield from _conversion(line, f"{base}.local", marks.FULL_TO_LOCAL, wholes, local, attributes)
    line.set("sharding", None)
    line.set("frontend_attributes", '{inlineable="false"}')
    line.operands = [name for name, _ in local] if len(local) > 1 else [f"{base}.local"]
    line.raw = None
    yield line
    if call.shape.is_tuple:
        for element in region.elements:
            taken = reader.line(element)
            taken.set("sharding", None)
            yield taken
    whole = [(x.name, reader.shape(x)) for x in region.outputs]
    parts = [x.name for x in region.elements]
    attributes = f"{{{axes},{_attribute('out_shardings', str(region.out_shardings))}}}"
    name = f"{base}.whole" if len(whole) > 1 else whole[0][0]
    yield from _conversion(line, name, marks.LOCAL_TO_FULL, parts, whole, attributes)


def _conversion(
    like: Line,
    name: str,
    target: str,
    operands: list[str],
    results: list[tuple[str, str]],
    attributes: str,
) -> Iterator[Line]:
    """Yield a conversion of all values together, and what takes its results apart."""
    several = len(results) > 1
    shape = f"({', '.join(shape for _, shape in results)})" if several else results[0][1]
    yield Line(
        False,
        name,
        shape,
        "custom-call",
        operands,
        {
            "custom_call_target": f'"{target}"',
            "custom_call_has_side_effect": "true",
            "frontend_attributes": attributes,
        },
        percent=like.percent,
    )
    if several:
        for index, (element, of) in enumerate(results):
            yield Line(
                False,
                element,
                of,
                "get-tuple-element",
                [name],
                {"index": str(index)},
                percent=like.percent,
            )


def _attribute(name: str, text: str) -> str:
    return f"xla.sdy.{name}={quoted(text)}"
