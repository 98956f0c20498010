"""Small protos for the tests of the proto reader and writer."""

from typing import Any

from shardlog.converters.hlo_proto import parse_hlo_proto
from shardlog.converters.hlo_proto_module import ProtoModule
from shardlog.converters.proto import HloModuleProto

F32 = {"element_type": 11, "dimensions": [8, 4], "layout": {"minor_to_major": [1, 0]}}
TUPLE = {"element_type": 13, "tuple_shapes": [F32, F32]}
TILED = {"type": 3, "tile_assignment_dimensions": [2, 1], "iota_reshape_dims": [2]}
TILED["iota_transpose_perm"] = [0]


def row(number: int, opcode: str, *operands: int, **fields: Any) -> dict[str, Any]:
    """An HloInstructionProto of shape f32[8,4], called OPCODE.NUMBER unless told otherwise."""
    made = {"id": number, "opcode": opcode, "name": f"{opcode}.{number}", "shape": F32}
    return made | {"operand_ids": list(operands)} | fields


def computation(number: int, root: int, *rows: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """An HloComputationProto called cNUMBER."""
    made = {"id": number, "name": f"c{number}", "root_id": root, "instructions": list(rows)}
    return made | fields


def proto(*computations: dict[str, Any], **fields: Any) -> Any:
    """An HloModuleProto whose entry is the last of the computations."""
    last = computations[-1]
    made = {"name": "m", "entry_computation_id": last["id"], "computations": list(computations)}
    return HloModuleProto(**(made | {"entry_computation_name": last["name"]} | fields))


def module(*computations: dict[str, Any], **fields: Any) -> ProtoModule:
    """The module that is read from such a proto."""
    return parse_hlo_proto(proto(*computations, **fields).SerializeToString(), "m.pb")
