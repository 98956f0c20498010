"""HloModuleProto, HloProto and HloSnapshot to HloModule."""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from shardlog.converters import wire
from shardlog.converters.hlo_proto_module import Given, ProtoInstruction, ProtoModule
from shardlog.converters.hlo_proto_values import element_type_name
from shardlog.converters.hlo_text_shardings import check_sharding
from shardlog.converters.op_sharding import from_proto_bytes
from shardlog.converters.proto import DecodeError, HloModuleProto
from shardlog.ir.collector import collector_at_rest
from shardlog.ir.errors import InputError
from shardlog.ir.module import MAIN_THREAD, Computation, Instruction
from shardlog.ir.opcodes import OPCODES
from shardlog.ir.shape import UNBOUNDED, Shape
from shardlog.ir.sharding import HloSharding

__all__ = ["parse_hlo_proto"]

_NAME = re.compile(r"[A-Za-z_][\w.\-]*", re.A)
_NOT_IN_NAMES = re.compile(r"[^\w.\-]", re.A)
_SIZE_LIMIT = 1 << 62


def parse_hlo_proto(data: bytes, file: str | None = None, lenient: bool = False) -> ProtoModule:
    """The module in a serialized HloModuleProto, HloProto or HloSnapshot.

    `file` is only named in messages. Fields that our .proto files do not name stay in `data`, which
    the module keeps for writing. Raises InputError if the bytes are none of the three, or describe
    no well-formed module; `lenient` reads broken shardings as XLA does.
    """
    try:
        depth, inner = _locate(data)
        proto = HloModuleProto.FromString(inner)
    except (wire.WireError, DecodeError, UnicodeDecodeError, RecursionError) as error:
        # the last two come from protobuf's implementation in Python
        raise InputError(
            "unreadable proto",
            file=file,
            expected="an HloModuleProto, HloProto or HloSnapshot",
            found=str(error),
        ) from None
    with collector_at_rest():
        try:
            return _Reader(proto, ProtoModule(proto, data, depth, file), lenient).module()
        except InputError as error:
            raise error.located(file=file) from None


def _locate(data: bytes) -> tuple[int, bytes]:
    """How many messages lie around the HloModuleProto in `data`, and its bytes.

    Raises WireError if there is none.
    """
    levels = [data]
    try:
        while len(levels) < 3 and (inner := wire.payload(levels[-1], 1)) is not None:
            levels.append(inner)
    except wire.WireError:
        # the string in field 1 of an HloModuleProto, its name, is no message
        if len(levels) == 1:
            raise
    for depth in reversed(range(len(levels))):
        if _is_module(levels[depth]):
            return depth, levels[depth]
    raise wire.WireError("a message of another kind")


def _is_module(data: bytes) -> bool:
    """Whether the bytes hold computations and name the entry."""
    try:
        kinds = {(record.number, record.wire_type) for record in wire.records(data)}
    except wire.WireError:
        return False
    return (3, 2) in kinds and ((2, 2) in kinds or (6, 0) in kinds)


class _Reader:
    def __init__(self, proto: Any, module: ProtoModule, lenient: bool) -> None:
        self.proto = proto
        self.lenient = lenient
        self.result = module
        self.computations: dict[int, Computation] = {}
        self.shapes: dict[bytes, Shape] = {}
        self.shardings: dict[tuple[bytes, Shape], HloSharding] = {}
        self.names: set[str] = set()

    def module(self) -> ProtoModule:
        module, proto = self.result, self.proto
        for computation in proto.computations:
            self._computation(computation)
        entry = self.computations.get(proto.entry_computation_id)
        if entry is None:
            raise InputError(
                "entry computation does not exist",
                expected="entry_computation_id of one of the computations",
                found=str(proto.entry_computation_id),
            )
        module.entry = entry
        # XLA sorts computations by id when it loads a proto (HloModule::CreateFromProto)
        module.computations = [self.computations[key] for key in sorted(self.computations)]
        opcodes = {x.opcode for c in module.computations for x in c.instructions}
        module.warnings += [f"unknown opcode {opcode}" for opcode in sorted(opcodes - OPCODES)]
        return module

    def _computation(self, proto: Any) -> None:
        name = proto.name
        computation = Computation(name, self.result)
        computation.thread = proto.execution_thread or MAIN_THREAD
        if proto.id in self.computations:
            raise InputError(f"{name}: a second computation with id {proto.id}")
        by_id: dict[int, ProtoInstruction] = {}
        payloads = self.proto.payloads
        for row in proto.instructions:
            instruction = self._instruction(row, computation, by_id)
            if row.id in by_id:
                raise InputError(f"{instruction.name}: a second instruction with id {row.id}")
            by_id[row.id] = instruction
            if payloads and row.HasField("backend_config_payload"):
                _fill_backend_config(row, payloads)
        root = by_id.get(proto.root_id)
        if root is None:
            raise InputError(
                f"{name}: root instruction does not exist",
                expected="root_id of one of its instructions",
                found=str(proto.root_id),
            )
        computation.root = root
        computation.parameters = _numbered(name, by_id.values())
        rows = tuple(by_id.values())
        computation.instructions = _in_order(rows)
        self.computations[proto.id] = computation
        self.result.given[computation] = Given(proto, rows, root)

    def _instruction(
        self, row: Any, computation: Computation, by_id: Mapping[int, ProtoInstruction]
    ) -> ProtoInstruction:
        name = row.name
        if not _NAME.fullmatch(name):
            name = _sanitized(name)
        if name in self.names:
            raise InputError(f"a second instruction named {name}")
        self.names.add(name)
        key = row.shape.SerializeToString()
        shape = self.shapes.get(key)
        if shape is None:
            shape = self.shapes[key] = _located(name, _shape, row.shape)
        try:
            operands = tuple([by_id[operand] for operand in row.operand_ids])
        except KeyError as error:
            raise _missing(name, "operand", error) from None
        sharding = None
        if row.HasField("sharding"):
            sharding = _located(name, self._sharding, row.sharding, shape)
        instruction = ProtoInstruction(
            name, sys.intern(row.opcode), shape, operands, computation, row, sharding
        )
        if row.control_predecessor_ids:
            try:
                instruction.control_predecessors = tuple(
                    [by_id[other] for other in row.control_predecessor_ids]
                )
            except KeyError as error:
                raise _missing(name, "control predecessor", error) from None
        if row.called_computation_ids:
            instruction.called = self._called(row, name)
        elif row.opcode == "while":
            raise InputError(f"{name}: called computations", expected="2", found="0")
        return instruction

    def _called(self, row: Any, name: str) -> tuple[Computation, ...]:
        try:
            called = tuple([self.computations[other] for other in row.called_computation_ids])
        except KeyError as error:
            raise _missing(name, "called computation", error) from None
        if row.opcode == "while":
            if len(called) != 2:
                raise InputError(
                    f"{name}: called computations", expected="2", found=str(len(called))
                )
            # a proto has the body first
            return called[1], called[0]
        return called

    def _sharding(self, proto: Any, shape: Shape) -> HloSharding:
        key = proto.SerializeToString(), shape
        sharding = self.shardings.get(key)
        if sharding is None:
            sharding = from_proto_bytes(key[0], self.lenient)
            # XLA spreads one sharding over a tuple (HloSharding::NormalizeTupleSharding)
            if shape.is_tuple and not sharding.is_tuple:
                sharding = HloSharding.tuple_of([sharding] * shape.required_leaves)
            check_sharding(sharding, shape)
            self.shardings[key] = sharding
        return sharding


def _located(name: str, function: Any, *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except InputError as error:
        error.message = f"{name}: {error.message}"
        raise


def _missing(name: str, what: str, error: KeyError) -> InputError:
    return InputError(
        f"{name}: {what} does not exist", expected="an id that stands before it", found=str(error)
    )


def _sanitized(name: str) -> str:
    """A name as XLA makes it legal in text. Follows NameUniquer::GetSanitizedName."""
    if not name:
        raise InputError("an instruction without a name")
    legal = _NOT_IN_NAMES.sub("_", name)
    return legal if legal[0].isalpha() or legal[0] == "_" else f"_{legal[1:]}"


def _shape(proto: Any) -> Shape:
    name = element_type_name(proto.element_type)
    if name is None:
        raise InputError(
            "unreadable shape",
            expected="a known element type",
            found=f"PrimitiveType {proto.element_type}",
        )
    if name == "tuple":
        return Shape.tuple_of(tuple([_shape(part) for part in proto.tuple_shapes]))
    if name == "buffer":
        # text writes b(f32[4]), and what it holds is what matters here
        if len(proto.tuple_shapes) != 1:
            raise InputError("unreadable shape", expected="one shape in a buffer")
        return _shape(proto.tuple_shapes[0])
    dimensions = tuple(proto.dimensions)
    if dimensions and (min(dimensions) < 0 or max(dimensions) > _SIZE_LIMIT):
        dynamic = list(proto.is_dynamic_dimension) or [False] * len(dimensions)
        sizes = []
        for size, bounded in zip(dimensions, dynamic, strict=False):
            if size > _SIZE_LIMIT or (size < 0 and not bounded):
                raise InputError("unreadable shape", expected="a size", found=str(size))
            sizes.append(UNBOUNDED if size < 0 else size)
        dimensions = tuple(sizes)
    return Shape(name, dimensions, ())


def _numbered(name: str, rows: Iterable[ProtoInstruction]) -> tuple[Instruction, ...]:
    """Parameters by number; each number from 0 on must be there once."""
    parameters = [row for row in rows if row.opcode == "parameter"]
    slots = {x.parameter_number: x for x in parameters}
    if slots.keys() != set(range(len(parameters))):
        raise InputError(
            f"{name}: parameter numbers",
            expected=f"each of 0 to {len(parameters) - 1} once",
            found=", ".join(str(x.parameter_number) for x in parameters),
        )
    return tuple([slots[number] for number in range(len(parameters))])


def _in_order(rows: Sequence[ProtoInstruction]) -> list[Instruction]:
    """The instructions of a computation, in an order that has the same post-order as XLA's.

    XLA sorts them by id (HloComputation::CreateFromProto). That changes the post-order only if the
    instructions without users do not stand in the order of their ids; else the order of the proto,
    a post-order already, is as good.
    """
    used = {operand for row in rows for operand in row.operands}
    ids = [row.proto.id for row in rows if row not in used]
    if ids == sorted(ids):
        return list(rows)
    return [*sorted(rows, key=_id)]


def _id(row: ProtoInstruction) -> int:
    return int(row.proto.id)


def _fill_backend_config(row: Any, payloads: Any) -> None:
    """Copy a backend config that stands in the module's list into its instruction."""
    payload = row.backend_config_payload
    if payload.WhichOneof("content") == "value":
        row.backend_config = payload.value
    elif 0 <= payload.id < len(payloads):
        row.backend_config = payloads[payload.id]
    else:
        raise InputError(
            f"{row.name}: backend config does not exist",
            expected=f"a payload from 0 to {len(payloads) - 1}",
            found=str(payload.id),
        )
