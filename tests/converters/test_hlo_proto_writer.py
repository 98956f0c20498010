"""Writing protos: what was not edited stays byte for byte, what was is as XLA would write it."""

from pathlib import Path
from typing import Any

import pytest

from shardlog.converters import load
from shardlog.converters.hlo_proto import parse_hlo_proto
from shardlog.converters.hlo_proto_module import ProtoModule
from shardlog.converters.op_sharding import to_proto_bytes
from shardlog.converters.proto import HloModuleProto, HloProto, HloSnapshot
from shardlog.ir.module import Instruction
from shardlog.ir.sharding import HloSharding
from shardlog.ir.sharding_text import parse_sharding
from tests.converters.protos import TILED, computation, module, proto, row

PROTOS = sorted((Path(__file__).parents[1] / "data" / "protos").glob("*.pb"))
ROWS = parse_sharding("{devices=[4,2]<=[8]}")
# field 2000, a string, which no version of XLA has
UNKNOWN = b"\x82\x7d\x03new"
CALL = row(
    2,
    "custom-call",
    1,
    custom_call_target="Sharding",
    sharding=TILED,
    backend_config=b"unspecified_dims=[0]",
    metadata={"op_name": "here"},
    frontend_attributes={"map": {"k": "v"}},
    custom_call_api_version=1,
)


def _with_sharding_call() -> ProtoModule:
    return module(computation(1, 3, row(1, "parameter"), CALL, row(3, "negate", 2)))


def _rows(written: bytes) -> dict[str, Any]:
    """The HloInstructionProtos of the first computation by name."""
    return {x.name: x for x in HloModuleProto.FromString(written).computations[0].instructions}


@pytest.mark.parametrize("file", PROTOS, ids=lambda file: file.name.split(".")[0])
def test_an_unedited_module_is_written_as_it_was(file: Path) -> None:
    read = load(file)
    assert isinstance(read, ProtoModule)
    assert read.to_proto_bytes() == file.read_bytes()


@pytest.mark.parametrize("file", PROTOS, ids=lambda file: file.name.split(".")[0])
def test_a_sharding_changes_its_instruction_only(file: Path) -> None:
    read = load(file)
    assert isinstance(read, ProtoModule)
    replicated = HloSharding.replicated()
    changed = [x for x in read.instructions if x.shape.is_array][::3]
    for instruction in changed:
        instruction.sharding = replicated
    again = parse_hlo_proto(read.to_proto_bytes())
    before = load(file)
    assert isinstance(before, ProtoModule)
    for ours, theirs in zip(again.instructions, before.instructions, strict=True):
        sharding = ours.sharding
        assert sharding is (replicated if read.find(ours.name) in changed else theirs.sharding)
        theirs.sharding = sharding
        assert ours.attributes == theirs.attributes
    for instruction in again.instructions:
        original = before.find(instruction.name)
        assert original is not None
        instruction.sharding = original.sharding = None
    assert again.to_text() == before.to_text()


def test_unknown_fields_survive_edits_around_them() -> None:
    inner = proto(computation(1, 2, row(1, "parameter"), row(2, "negate", 1)))
    first = inner.computations[0].instructions[0]
    first.MergeFromString(UNKNOWN)
    inner.computations[0].MergeFromString(UNKNOWN)
    inner.MergeFromString(UNKNOWN)
    whole = HloProto(hlo_module=inner)
    whole.MergeFromString(UNKNOWN)
    data = HloSnapshot(hlo=whole).SerializeToString() + UNKNOWN
    assert data.count(UNKNOWN) == 5
    read = parse_hlo_proto(data)
    for instruction in read.instructions:
        instruction.sharding = ROWS
    written = read.to_proto_bytes()
    assert written.count(UNKNOWN) == 5
    again = parse_hlo_proto(written)
    assert again.depth == 2
    assert [x.sharding for x in again.instructions] == [ROWS, ROWS]


def test_a_sharding_can_be_replaced_and_taken_away() -> None:
    read = module(computation(1, 1, row(1, "parameter", sharding=TILED, parameter_number=0)))
    read.entry.root.sharding = ROWS
    after = _rows(read.to_proto_bytes())["parameter.1"]
    assert after.sharding.SerializeToString() == to_proto_bytes(ROWS)
    read.entry.root.sharding = None
    assert not _rows(read.to_proto_bytes())["parameter.1"].HasField("sharding")


def test_a_sharding_call_becomes_a_copy() -> None:
    read = _with_sharding_call()
    call = read.find("custom-call.2")
    assert call is not None
    call.become_copy("copy.7")
    written = read.to_proto_bytes()
    before, after = _rows(read.data)["custom-call.2"], _rows(written)["copy.7"]
    before.name, before.opcode, before.id = "copy.7", "copy", 4
    for field in ("custom_call_target", "custom_call_api_version", "backend_config"):
        before.ClearField(field)
    assert after == before
    assert list(_rows(written)["negate.3"].operand_ids) == [4]
    again = parse_hlo_proto(written)
    assert again.to_text() == read.to_text()
    assert "copy(%parameter.1), sharding={devices=[2,1]<=[2]}, frontend_" in again.to_text()
    assert "unspecified" not in again.to_text()


def test_metadata_without_an_op_name_does_not_go_to_a_copy() -> None:
    call = CALL | {"metadata": {"source_file": "a.py"}}
    read = module(computation(1, 2, row(1, "parameter"), call))
    read.entry.root.become_copy("copy")
    assert not _rows(read.to_proto_bytes())["copy"].HasField("metadata")
    assert read.entry.root.attribute("metadata") is None


def test_an_operand_inherits_from_a_removed_call() -> None:
    # field 88 is original_value, which our messages do not name
    original = b"\xc2\x05\x03xyz"
    made = proto(computation(1, 3, row(1, "parameter"), CALL, row(3, "negate", 2)))
    made.computations[0].instructions[1].MergeFromString(original)
    read = parse_hlo_proto(made.SerializeToString())
    parameter, call, root = read.entry.instructions
    parameter.inherit(call)
    root.operands = (parameter,)
    read.entry.instructions.remove(call)
    written = read.to_proto_bytes()
    after = _rows(written)["parameter.1"]
    assert after.metadata.op_name == "here"
    assert dict(after.frontend_attributes.map) == {"k": "v"}
    assert after.SerializeToString().count(original) == 1
    assert parse_hlo_proto(written).to_text() == read.to_text()


def test_a_copy_without_users_moves_to_the_end() -> None:
    read = module(computation(1, 3, row(1, "parameter"), CALL, row(3, "negate", 1)))
    parameter, call, root = read.entry.instructions
    call.become_copy("copy")
    read.entry.instructions = [parameter, root, call]
    read.forget_order()
    again = parse_hlo_proto(read.to_proto_bytes())
    assert [x.name for x in again.instructions] == ["parameter.1", "negate.3", "copy"]
    assert again.to_text() == read.to_text()


def test_an_instruction_can_be_removed() -> None:
    read = _with_sharding_call()
    parameter, call, root = read.entry.instructions
    root.operands = (parameter,)
    read.entry.instructions.remove(call)
    again = parse_hlo_proto(read.to_proto_bytes())
    assert [x.name for x in again.instructions] == ["parameter.1", "negate.3"]
    assert [x.name for x in again.entry.root.operands] == ["parameter.1"]


def test_an_instruction_can_be_added_in_the_middle_and_at_the_root() -> None:
    read = _with_sharding_call()
    parameter, call, root = read.entry.instructions
    middle = Instruction("copy.1", "copy", parameter.shape, (parameter,), read.entry)
    middle.sharding = ROWS
    last = Instruction("copy.2", "copy", root.shape, (root,), read.entry)
    read.entry.instructions += [last, middle]
    call.operands = (middle,)
    read.entry.root = last
    written = read.to_proto_bytes()
    again = parse_hlo_proto(written)
    assert [x.name for x in again.instructions] == [
        "parameter.1",
        "copy.1",
        "custom-call.2",
        "negate.3",
        "copy.2",
    ]
    assert again.entry.root.name == "copy.2"
    added = again.find("copy.1")
    assert added is not None
    assert added.sharding is ROWS
    assert _rows(written)["copy.1"].shape == _rows(written)["parameter.1"].shape


def test_new_ids_are_free_in_the_whole_module() -> None:
    first = computation(1, 30, row(30, "parameter"))
    entry = computation(2, 5, row(5, "parameter", name="p"))
    read = module(first, entry)
    added = Instruction("copy", "copy", read.entry.root.shape, (read.entry.root,), read.entry)
    read.entry.instructions.append(added)
    written = HloModuleProto.FromString(read.to_proto_bytes())
    assert [x.id for x in written.computations[1].instructions] == [5, 31]
