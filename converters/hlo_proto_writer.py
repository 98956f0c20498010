"""Protos of modules that were read from protos: the bytes as they were, but for what was edited.

An instruction that is as it was read keeps its bytes, and so does all that lies around it, also
fields that our .proto files do not name.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import count

from shardlog.converters import wire
from shardlog.converters.hlo_proto_module import Given, ProtoInstruction, ProtoModule, shape_of
from shardlog.converters.op_metadata import metadata_to_bytes
from shardlog.converters.op_sharding import to_proto_bytes
from shardlog.converters.proto import HloInstructionProto
from shardlog.ir.module import Computation, Instruction
from shardlog.ir.sharding import HloSharding

__all__ = ["module_bytes"]

_COMPUTATIONS = 3
_INSTRUCTIONS = 2
_ROOT_ID = 6
_FIELDS: dict[str, int] = {
    field.name: field.number for field in HloInstructionProto.DESCRIPTOR.fields
}


def module_bytes(module: ProtoModule) -> bytes:
    """The module in the kind of message that it was read from, with the edits made since.

    Without edits the result is what was read, byte for byte.
    """
    levels = [module.data]
    for _ in range(module.depth):
        levels.append(wire.payload(levels[-1], 1) or b"")
    inner = _module(module, levels.pop())
    if inner is None:
        return module.data
    for around in reversed(levels):
        inner = wire.edited(around, {1: wire.length_delimited(1, inner)})
    return inner


def _module(module: ProtoModule, data: bytes) -> bytes | None:
    """The bytes of the HloModuleProto, or None if nothing was edited."""
    given = iter(module.given.items())
    free = _free_ids(module)
    parts = []
    changed = False
    for record in wire.records(data):
        part = data[record.start : record.end]
        if record.number == _COMPUTATIONS and record.wire_type == wire.LENGTH_DELIMITED:
            computation, before = next(given)
            inner = None
            if _has_moves(computation, before):
                rows = _Moves(computation, before, free)
                inner = rows.written(data[record.value : record.end])
            elif any(row.is_edited for row in before.instructions):
                inner = _in_place(before, data[record.value : record.end])
            if inner is not None:
                part = wire.length_delimited(_COMPUTATIONS, inner)
                changed = True
        parts.append(part)
    return b"".join(parts) if changed else None


def _has_moves(computation: Computation, before: Given) -> bool:
    """Whether the graph was edited, and not shardings or names alone."""
    now = computation.instructions
    return (
        len(now) != len(before.instructions)
        or computation.root is not before.root
        or any(not isinstance(x, ProtoInstruction) or x.has_moved for x in now)
    )


def _in_place(before: Given, data: bytes) -> bytes:
    """The bytes of an HloComputationProto whose graph is as it was."""
    rows = iter(before.instructions)
    parts = []
    for record in wire.records(data):
        part = data[record.start : record.end]
        if record.number == _INSTRUCTIONS and record.wire_type == wire.LENGTH_DELIMITED:
            row = next(rows)
            if row.is_edited:
                value = _edited(row, data[record.value : record.end])
                part = wire.length_delimited(_INSTRUCTIONS, value)
        parts.append(part)
    return b"".join(parts)


def _edited(row: ProtoInstruction, data: bytes, new: dict[int, bytes] | None = None) -> bytes:
    """The bytes of an HloInstructionProto with the edits of its instruction."""
    edits = dict(new or {})
    if row.is_rewritten:
        data = row.proto.SerializeToString(deterministic=True)
    if row.name != row.proto.name:
        edits[_FIELDS["name"]] = wire.length_delimited(_FIELDS["name"], row.name.encode())
    if row.has_new_sharding:
        number = _FIELDS["sharding"]
        record = _sharding_record(row.sharding)
        if not edits and not row.proto.HasField("sharding"):
            # the usual edit, and fields may stand in any order
            return data + record
        edits[number] = record
    return wire.edited(data, edits) if edits else data


@lru_cache
def _sharding_record(sharding: HloSharding | None) -> bytes:
    if sharding is None:
        return b""
    return wire.length_delimited(_FIELDS["sharding"], to_proto_bytes(sharding))


class _Moves:
    """Writes a computation whose graph was edited.

    As in XLA, the instructions come in post-order, and those that are new get new ids.
    """

    def __init__(
        self, computation: Computation, before: Given, free: dict[int, Iterator[int]]
    ) -> None:
        self.computation = computation
        self.before = before
        ids = free[before.proto.id]
        self.ids: dict[Instruction, int] = {
            x: x.proto.id if isinstance(x, ProtoInstruction) and not x.is_new else next(ids)
            for x in computation.instructions
        }
        self.new = {x for x in self.ids if not isinstance(x, ProtoInstruction) or x.is_new}

    def written(self, data: bytes) -> bytes:
        """The bytes of the HloComputationProto that was `data`."""
        values: list[bytes] = []
        parts: list[bytes] = []
        at = 0
        for record in wire.records(data):
            if record.number == _INSTRUCTIONS and record.wire_type == wire.LENGTH_DELIMITED:
                values.append(data[record.value : record.end])
                at = len(parts) if len(values) == 1 else at
            else:
                parts.append(data[record.start : record.end])
        by_row = dict(zip(self.before.instructions, values, strict=True))
        parts[at:at] = self._rows(by_row)
        whole = b"".join(parts)
        root = self.ids[self.computation.root]
        if root != self.before.proto.root_id:
            whole = wire.edited(whole, {_ROOT_ID: wire.varint(_ROOT_ID << 3) + wire.varint(root)})
        return whole

    def _rows(self, values: dict[ProtoInstruction, bytes]) -> Iterator[bytes]:
        for x in self.computation.post_order:
            value = self._row(x, values[x]) if isinstance(x, ProtoInstruction) else self._new(x)
            yield wire.length_delimited(_INSTRUCTIONS, value)

    def _row(self, row: ProtoInstruction, data: bytes) -> bytes:
        edits = {}
        number = self.ids[row]
        if row.is_new:
            edits[_FIELDS["id"]] = wire.varint(_FIELDS["id"] << 3) + wire.varint(number)
        elif not row.has_moved and self.new.isdisjoint(row.operands):
            return _edited(row, data) if row.is_edited else data
        for name, others in (
            ("operand_ids", row.operands),
            ("control_predecessor_ids", row.control_predecessors),
        ):
            ids = [self.ids[other] for other in others]
            if ids != list(getattr(row.proto, name)):
                edits[_FIELDS[name]] = _packed(_FIELDS[name], ids)
        return _edited(row, data, edits)

    def _new(self, instruction: Instruction) -> bytes:
        """The bytes of the HloInstructionProto of an instruction that no proto had."""
        proto = HloInstructionProto(
            name=instruction.name,
            opcode=instruction.opcode,
            shape=shape_of(instruction),
            id=self.ids[instruction],
            operand_ids=[self.ids[operand] for operand in instruction.operands],
        )
        proto.metadata.ParseFromString(metadata_to_bytes(instruction.metadata))
        if instruction.sharding is not None:
            proto.sharding.ParseFromString(to_proto_bytes(instruction.sharding))
        data: bytes = proto.SerializeToString()
        return data


def _free_ids(module: ProtoModule) -> dict[int, Iterator[int]]:
    """Ids that are not taken, by the id of the computation.

    Newer XLA puts the computation's id in the upper half of its instructions' ids; in older XLA all
    computations share one row of ids.
    """
    highest = {
        given.proto.id: max(row.proto.id for row in given.instructions)
        for given in module.given.values()
    }
    shared = count(max(highest.values()) + 1)
    return {
        computation: count(last + 1) if last >> 32 == computation and last >> 32 else shared
        for computation, last in highest.items()
    }


def _packed(number: int, values: list[int]) -> bytes:
    return wire.length_delimited(number, b"".join(map(wire.varint, values))) if values else b""
