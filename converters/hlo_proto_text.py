"""HLO text of a module that was read from a proto."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from shardlog.converters.hlo_proto_literal import literal_text
from shardlog.converters.hlo_proto_module import ProtoInstruction, ProtoModule, shape_of
from shardlog.converters.hlo_proto_values import escaped, indexed, shape_text
from shardlog.converters.proto import ShapeProto
from shardlog.ir.errors import InputError
from shardlog.ir.module import Computation, Instruction

__all__ = ["module_text"]

_MOST_SHOWN = 10


def module_text(module: ProtoModule, elide: bool = False) -> str:
    """The module as XLA prints it, with the shardings and opcodes that its instructions now have.

    With `elide`, constants of more than ten elements become `{...}`; such text cannot be compiled.
    Raises InputError if the proto holds a value that has no text. Follows HloModule::Print.
    """
    header = "".join(f", {name}={text}" for name, text in module.attributes.items())
    tables = "".join(f"{title}\n{rows}\n" for title, rows in module.tables.items())
    bodies = "".join(
        "\n".join(_computation(module, computation, given.proto, elide)) + "\n\n"
        for computation, given in module.given.items()
    )
    gap = "\n" if tables else ""
    return f"HloModule {module.name}{header}\n\n{tables}{gap}{bodies}"


def _computation(
    module: ProtoModule, computation: Computation, proto: Any, elide: bool
) -> Iterator[str]:
    entry = "ENTRY " if computation.is_entry else ""
    parameters = ", ".join(
        f"{parameter.name}: {shape_text(shape_of(parameter), layout=False)}"
        for parameter in computation.parameters
    )
    result = shape_text(shape_of(computation.root), layout=False)
    yield f"{entry}%{computation.name} ({parameters}) -> {result} {{"
    for instruction in _in_order(module, computation, proto):
        root = "ROOT " if instruction.is_root else ""
        attributes = "".join(f", {name}={text}" for name, text in instruction.attributes.items())
        shape = _shape(shape_of(instruction).SerializeToString())
        inside = _inside(instruction, elide)
        yield (f"  {root}%{instruction.name} = {shape} {instruction.opcode}({inside}){attributes}")
    thread = proto.execution_thread
    yield f'}}, execution_thread="{escaped(thread)}"' if thread else "}"


@lru_cache(maxsize=1 << 12)
def _shape(data: bytes) -> str:
    """The text of a serialized ShapeProto; the same few come again and again."""
    return shape_text(ShapeProto.FromString(data))


def _in_order(module: ProtoModule, computation: Computation, proto: Any) -> Sequence[Instruction]:
    """The instructions as scheduled, if they are, else in post-order."""
    schedule = module.proto.schedule.sequences
    if proto.id in schedule:
        by_id = {
            instruction.proto.id: instruction
            for instruction in computation.instructions
            if isinstance(instruction, ProtoInstruction)
        }
        ids = schedule[proto.id].instruction_ids
        if by_id.keys() == set(ids) and len(by_id) == len(computation.instructions):
            return [by_id[key] for key in ids]
    return computation.post_order


def _inside(instruction: Instruction, elide: bool) -> str:
    """What stands in the parentheses."""
    if instruction.opcode == "parameter":
        return str(instruction.parameter_number)
    if instruction.opcode == "constant" and isinstance(instruction, ProtoInstruction):
        return _constant(instruction, elide)
    return indexed([f"%{operand.name}" for operand in instruction.operands])


def _constant(instruction: ProtoInstruction, elide: bool) -> str:
    shape = instruction.shape
    literal = instruction.proto.literal
    if not instruction.proto.HasField("literal"):
        return "{...}"
    count = 1
    for size in shape.dimensions:
        count *= size
    if elide and (shape.is_tuple or count > _MOST_SHOWN):
        return "{...}"
    try:
        return literal_text(literal)
    except InputError as error:
        raise instruction.located(error) from None
