"""Modules and instructions that keep the protos they were read from."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from shardlog.converters import wire
from shardlog.converters.hlo_proto_attributes import attribute_text, attribute_texts
from shardlog.converters.hlo_proto_literal import integer_values
from shardlog.converters.hlo_proto_render import braced, frontend_attributes_text
from shardlog.converters.hlo_proto_values import indexed, shape_proto, shape_text
from shardlog.converters.op_metadata import metadata_from_bytes
from shardlog.converters.proto import HloInstructionProto
from shardlog.ir.arrays import np
from shardlog.ir.errors import InputError
from shardlog.ir.literal import Literal
from shardlog.ir.module import Computation, HloModule, Instruction
from shardlog.ir.op_metadata import OpMetadata
from shardlog.ir.shape import Shape
from shardlog.ir.sharding import HloSharding

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Given", "ProtoInstruction", "ProtoModule", "shape_of"]


_ORIGINAL_VALUE = 88  # not in our .proto: it came in two forms
_KEPT_FIELDS = frozenset(
    (
        *(
            HloInstructionProto.DESCRIPTOR.fields_by_name[name].number
            for name in (
                "shape",
                "metadata",
                "id",
                "operand_ids",
                "sharding",
                "frontend_attributes",
                "statistics_viz",
            )
        ),
        _ORIGINAL_VALUE,
    )
)


class ProtoInstruction(Instruction):
    """An instruction whose attributes are rendered from its HloInstructionProto when asked for.

    `is_rewritten` says whether an edit changed `proto`, in which name, operands and sharding stay
    what they were; `is_new` whether it stands where another instruction was.
    """

    __slots__ = ("_given", "is_new", "is_rewritten", "proto")

    def __init__(
        self,
        name: str,
        opcode: str,
        shape: Shape,
        operands: tuple[Instruction, ...],
        computation: Computation,
        proto: Any,
        sharding: HloSharding | None = None,
    ) -> None:
        super().__init__(name, opcode, shape, operands, computation)
        self.proto = proto
        self.sharding = sharding
        self.is_rewritten = False
        self.is_new = False
        self._given = name, operands, sharding

    @property
    def is_edited(self) -> bool:
        """Whether the instruction is no longer as it was read."""
        name, operands, sharding = self._given
        return (
            self.sharding is not sharding
            or self.is_rewritten
            or self.name != name
            or self.operands != operands
        )

    @property
    def has_new_sharding(self) -> bool:
        """Whether the sharding is another than was read."""
        return self.sharding is not self._given[2]

    @property
    def has_moved(self) -> bool:
        """Whether it has another place in the graph."""
        return self.is_new or self.operands != self._given[1]

    def attribute(self, name: str) -> str | None:
        """The raw text of an attribute, as XLA's text has it, or None if it has none."""
        try:
            return attribute_text(self.proto, self, name)
        except InputError as error:
            raise self.located(error) from None

    @property
    def attributes(self) -> Mapping[str, str]:
        """The raw texts of all attributes in their order."""
        try:
            return dict(attribute_texts(self.proto, self))
        except InputError as error:
            raise self.located(error) from None

    def become_copy(self, name: str) -> None:
        """Turn this into a copy of its operand, of another name, where it is in the graph.

        Of the fields stays what XLA leaves (HloComputation::ReplaceInstruction).
        """
        data = self.proto.SerializeToString()
        kept = b"".join(
            data[record.start : record.end]
            for record in wire.records(data)
            if record.number in _KEPT_FIELDS
        )
        self.proto = HloInstructionProto.FromString(kept)
        if not self.proto.metadata.op_name:
            self.proto.ClearField("metadata")
        self.proto.opcode = self.opcode = "copy"
        self.name = name
        self.is_rewritten = self.is_new = True

    def inherit(self, replaced: Instruction) -> None:
        """Take what an instruction leaves that this one replaces.

        Follows HloComputation::ReplaceInstruction.
        """
        if not isinstance(replaced, ProtoInstruction):
            return
        own, other = self.proto, replaced.proto
        if not own.metadata.op_name and other.metadata.op_name:
            own.metadata.CopyFrom(other.metadata)
            self.is_rewritten = True
        if not own.frontend_attributes.map and other.frontend_attributes.map:
            own.frontend_attributes.CopyFrom(other.frontend_attributes)
            self.is_rewritten = True
        value = wire.payload(other.SerializeToString(), _ORIGINAL_VALUE)
        if value is not None:
            record = {_ORIGINAL_VALUE: wire.length_delimited(_ORIGINAL_VALUE, value)}
            data = wire.edited(own.SerializeToString(), record)
            self.proto = HloInstructionProto.FromString(data)
            self.is_rewritten = True
        if (
            self.opcode == replaced.opcode
            and self.custom_call_target == replaced.custom_call_target
        ):
            self.name = replaced.name

    @property
    def parameter_number(self) -> int | None:
        """The position of a parameter among its computation's."""
        return self.proto.parameter_number if self.opcode == "parameter" else None

    @property
    def metadata(self) -> OpMetadata:
        """Where the instruction comes from; without fields if it does not say."""
        return metadata_from_bytes(self.proto.metadata.SerializeToString())

    @property
    def literal(self) -> Literal | None:
        """The value of a constant."""
        if self.opcode != "constant":
            return None
        return _ProtoLiteral(self)


class _ProtoLiteral(Literal):
    """The literal of a constant in a proto; what it holds is read when asked for."""

    def __init__(self, constant: ProtoInstruction) -> None:
        super().__init__()
        self._constant = constant

    @cached_property
    def integers(self) -> npt.NDArray[np.int64] | None:
        """The elements in row-major order, or None unless they are integers of up to 64 bits."""
        try:
            return integer_values(self._constant.proto.literal)
        except InputError as error:
            raise self._constant.located(error) from None


def shape_of(instruction: Instruction) -> Any:
    """The ShapeProto of an instruction; one that no proto had takes that of an equal operand."""
    source: Instruction | None = instruction
    while source is not None:
        if isinstance(source, ProtoInstruction):
            return source.proto.shape
        source = next((x for x in source.operands if x.shape is instruction.shape), None)
    return shape_proto(instruction.shape)


class Given(NamedTuple):
    """A computation as it was read: its HloComputationProto, all instructions in it, its root."""

    proto: Any
    instructions: tuple[ProtoInstruction, ...]
    root: ProtoInstruction


class ProtoModule(HloModule):
    """A module that was read from a proto.

    `data` are the bytes it was read from, in which `depth` messages lie around the HloModuleProto;
    `proto` is the latter. `given` says what stood in it for each computation, in its order.
    """

    def __init__(self, proto: Any, data: bytes, depth: int, file: str | None) -> None:
        super().__init__(proto.name, header_attributes(proto), file)
        self.proto = proto
        self.data = data
        self.depth = depth
        self.given: dict[Computation, Given] = {}
        self.tables = _tables(proto.stack_frame_index)

    def to_text(self) -> str:
        """The module as HLO text. Raises InputError if the proto holds a value that has no text."""
        from shardlog.converters.hlo_proto_text import module_text

        return module_text(self)

    def to_proto_bytes(self) -> bytes:
        """The module in the kind of message that it was read from, with its edits."""
        from shardlog.converters.hlo_proto_writer import module_bytes

        return module_bytes(self)


def header_attributes(proto: Any) -> dict[str, str]:
    """What HLO text says behind the name of a module. Follows HloModule::Print.

    The propagation masks are in no proto; the numbers of replicas and partitions are there only as
    those of the device assignment.
    """
    attributes: dict[str, str | None] = {}
    if proto.HasField("schedule"):
        attributes["is_scheduled"] = "true"
    aliases = ", ".join(
        f"{braced(entry.output_shape_index)}: ({entry.parameter_number}, "
        f"{braced(entry.parameter_shape_index)}, "
        f"{'must' if entry.kind == 2 else 'may'}-alias)"
        for entry in proto.input_output_alias.entries
    )
    attributes["input_output_alias"] = f"{{ {aliases} }}" if aliases else None
    donors = ", ".join(
        f"({entry.parameter_number}, {braced(entry.parameter_shape_index)})"
        for entry in proto.buffer_donor.entries
    )
    attributes["buffer_donor"] = f"{{ {donors} }}" if donors else None
    if proto.HasField("host_program_shape"):
        shape = proto.host_program_shape
        parameters = indexed([shape_text(parameter) for parameter in shape.parameters])
        attributes["entry_computation_layout"] = f"{{({parameters})->{shape_text(shape.result)}}}"
    devices = proto.device_assignment
    for name, number in (
        ("replica_count", devices.replica_count),
        ("num_partitions", devices.computation_count),
    ):
        if number > 1:
            attributes[name] = str(number)
    attributes["frontend_attributes"] = frontend_attributes_text(proto.frontend_attributes)
    return {name: text for name, text in attributes.items() if text is not None}


def _tables(index: Any) -> dict[str, str]:
    """The rows of FileNames, FunctionNames, FileLocations and StackFrames, without their titles."""
    locations = [_fields(row, _LOCATION) for row in index.file_locations]
    frames = [
        f"{{file_location_id={row.file_location_id} parent_frame_id={row.parent_frame_id + 1}}}"
        for row in index.stack_frames
    ]
    columns = {
        "FileNames": [f'"{name}"' for name in index.file_names],
        "FunctionNames": [f'"{name}"' for name in index.function_names],
        "FileLocations": locations,
        "StackFrames": frames,
    }
    return {
        title: "".join(f"{i} {row}\n" for i, row in enumerate(rows, 1))
        for title, rows in columns.items()
        if rows
    }


_LOCATION = ("file_name_id", "function_name_id", "line", "end_line", "column", "end_column")


def _fields(row: Any, names: tuple[str, ...]) -> str:
    return "{" + " ".join(f"{name}={getattr(row, name)}" for name in names) + "}"
