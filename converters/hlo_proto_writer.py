"""Protos of modules that were read from protos: the bytes as they were, but for what was edited.

An instruction that is as its proto says keeps its bytes, and so does all that lies around it, also
fields that our .proto files do not name.
"""

from collections.abc import Iterator, Mapping, Sequence

from shardlog.converters import wire
from shardlog.converters.hlo_proto_module import Given, ProtoInstruction, ProtoModule, shape_of
from shardlog.converters.op_metadata import metadata_to_bytes
from shardlog.converters.op_sharding import to_proto_bytes
from shardlog.converters.proto import HloInstructionProto
from shardlog.ir.module import Computation, Instruction

__all__ = ["module_bytes"]

_FIELDS: dict[str, int] = {
    field.name: field.number for field in HloInstructionProto.DESCRIPTOR.fields
}
# what XLA leaves to an instruction that takes the place of another
# (HloComputation::ReplaceInstruction); 88 is original_value, which came in two forms
_KEPT_BY_A_REPLACEMENT = frozenset(
    (
        *(
            _FIELDS[name]
            for name in (
                "name",
                "shape",
                "metadata",
                "id",
                "operand_ids",
                "control_predecessor_ids",
                "sharding",
                "frontend_attributes",
                "statistics_viz",
            )
        ),
        88,
    )
)
_COMPUTATIONS = 3
_INSTRUCTIONS = 2
_ROOT_ID = 6


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
        inner = edited(around, {1: wire.length_delimited(1, inner)})
    return inner


def edited(data: bytes, edits: Mapping[int, bytes]) -> bytes:
    """A message in which some fields have other records: in their old place or by field number.

    Empty bytes take a field away.
    """
    records = list(wire.records(data))
    old = {record.number for record in records}
    new = sorted((number for number in edits if number not in old), reverse=True)
    written: set[int] = set()
    parts = []
    for record in records:
        number = record.number
        while new and new[-1] < number:
            parts.append(edits[new.pop()])
        if number not in edits:
            parts.append(data[record.start : record.end])
        elif number not in written:
            parts.append(edits[number])
            written.add(number)
    parts.extend(edits[number] for number in reversed(new))
    return b"".join(parts)


def _module(module: ProtoModule, data: bytes) -> bytes | None:
    """The bytes of the HloModuleProto, or None if nothing was edited."""
    given = iter(module.given.items())
    parts = []
    changed = False
    for record in wire.records(data):
        part = data[record.start : record.end]
        if record.number == _COMPUTATIONS and record.wire_type == wire.LENGTH_DELIMITED:
            computation, before = next(given)
            if _is_edited(computation, before):
                inner = _Computation(module, computation, before).written(
                    data[record.value : record.end]
                )
                part = wire.length_delimited(_COMPUTATIONS, inner)
                changed = True
        parts.append(part)
    return b"".join(parts) if changed else None


def _is_edited(computation: Computation, before: Given) -> bool:
    now = computation.instructions
    return (
        len(now) != len(before.instructions)
        or _root_id(computation) != before.proto.root_id
        or any(not isinstance(x, ProtoInstruction) or x.is_edited for x in now)
    )


def _root_id(computation: Computation) -> int | None:
    root = computation.root
    return root.proto.id if isinstance(root, ProtoInstruction) else None


class _Computation:
    """Writes one computation in which something was edited."""

    def __init__(self, module: ProtoModule, computation: Computation, before: Given) -> None:
        self.computation = computation
        self.before = before
        self.present = set(computation.instructions)
        self.added = [x for x in computation.instructions if not isinstance(x, ProtoInstruction)]
        self.ids = {x: x.proto.id for x in before.instructions}
        fresh = _first_free_id(module, before)
        self.new_ids = {x: fresh + i for i, x in enumerate(self.added)}
        self.waiting = dict.fromkeys(self.added)

    def id_of(self, instruction: Instruction) -> int:
        known = self.new_ids.get(instruction)
        return instruction.proto.id if known is None else known  # type: ignore[attr-defined]

    def written(self, data: bytes) -> bytes:
        """The bytes of the HloComputationProto that was `data`."""
        rows = iter(self.before.instructions)
        parts: list[bytes] = []
        last = 0
        for record in wire.records(data):
            if record.number == _INSTRUCTIONS and record.wire_type == wire.LENGTH_DELIMITED:
                row = next(rows)
                if row in self.present:
                    parts.extend(self._before(row))
                    part = data[record.start : record.end]
                    if row.is_edited:
                        part = self._record(self._edited(row, data[record.value : record.end]))
                    parts.append(part)
                last = len(parts)
            else:
                parts.append(data[record.start : record.end])
        rest = [part for instruction in self.added for part in self._before(instruction, True)]
        parts[last:last] = rest
        whole = b"".join(parts)
        root = self.id_of(self.computation.root)
        if root != self.before.proto.root_id:
            whole = edited(whole, {_ROOT_ID: wire.varint(_ROOT_ID << 3) + wire.varint(root)})
        return whole

    def _record(self, value: bytes) -> bytes:
        return wire.length_delimited(_INSTRUCTIONS, value)

    def _before(self, instruction: Instruction, itself: bool = False) -> Iterator[bytes]:
        """Records of added instructions that must come first, since they are operands."""
        stack = [instruction]
        order: list[Instruction] = []
        while stack and self.waiting:
            top = stack[-1]
            wanted = [x for x in (*top.operands, *top.control_predecessors) if x in self.waiting]
            wanted = [x for x in wanted if x not in order]
            if wanted:
                stack.extend(wanted)
                continue
            stack.pop()
            if top in self.waiting and top not in order and (itself or top is not instruction):
                order.append(top)
        for added in order:
            del self.waiting[added]
            yield self._record(self._encoded(added))

    def _encoded(self, instruction: Instruction) -> bytes:
        """The bytes of the HloInstructionProto of an instruction that no proto had."""
        proto = HloInstructionProto(
            name=instruction.name,
            opcode=instruction.opcode,
            shape=shape_of(instruction),
            id=self.id_of(instruction),
            operand_ids=map(self.id_of, instruction.operands),
            control_predecessor_ids=map(self.id_of, instruction.control_predecessors),
        )
        proto.metadata.ParseFromString(metadata_to_bytes(instruction.metadata))
        if instruction.sharding is not None:
            proto.sharding.ParseFromString(to_proto_bytes(instruction.sharding))
        data: bytes = proto.SerializeToString()
        return data

    def _edited(self, row: ProtoInstruction, data: bytes) -> bytes:
        """The bytes of an HloInstructionProto with what was edited."""
        edits: dict[int, bytes] = {}
        what = row.edited
        if "opcode" in what:
            edits.update(
                (record.number, b"")
                for record in wire.records(data)
                if record.number not in _KEPT_BY_A_REPLACEMENT
            )
            edits[_FIELDS["opcode"]] = _text(_FIELDS["opcode"], row.opcode)
        if "name" in what:
            edits[_FIELDS["name"]] = _text(_FIELDS["name"], row.name)
        if "operands" in what:
            edits[_FIELDS["operand_ids"]] = _packed(
                _FIELDS["operand_ids"], [self.id_of(operand) for operand in row.operands]
            )
        if "sharding" in what:
            number = _FIELDS["sharding"]
            new = b""
            if row.sharding is not None:
                new = wire.length_delimited(number, to_proto_bytes(row.sharding))
            if len(what) == 1 and not row.proto.HasField("sharding"):
                # the usual edit, and fields may stand in any order
                return data + new
            edits[number] = new
        return edited(data, edits)


def _first_free_id(module: ProtoModule, before: Given) -> int:
    """An id from which on none is taken; newer XLA puts the computation's id in the upper half."""
    own = [x.proto.id for x in before.instructions]
    highest = max(own)
    if highest >> 32 == before.proto.id and highest >> 32:
        return int(highest) + 1
    ids = (x.proto.id for given in module.given.values() for x in given.instructions)
    return int(max(ids)) + 1


def _text(number: int, value: str) -> bytes:
    return wire.length_delimited(number, value.encode())


def _packed(number: int, values: Sequence[int]) -> bytes:
    return wire.length_delimited(number, b"".join(map(wire.varint, values))) if values else b""
