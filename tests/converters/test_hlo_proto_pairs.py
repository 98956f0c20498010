"""The same module as text and as proto: equal facts, and equal text."""

import re
from pathlib import Path

import pytest

from shardlog.converters import load
from shardlog.converters.hlo_proto_module import ProtoModule
from shardlog.converters.hlo_proto_text import module_text
from shardlog.ir.module import HloModule, Instruction

DATA = Path(__file__).parents[1] / "data"
PROTOS = sorted((DATA / "protos").glob("*.pb"))
MASKS = re.compile(r", allow_spmd_sharding_propagation_to_\w+=\{[a-z,]*\}")

pairs = pytest.mark.parametrize("file", PROTOS, ids=lambda file: file.name.split(".")[0])


def _text_file(file: Path) -> Path:
    return DATA / "real" / file.with_suffix(".txt").name


def _facts(instruction: Instruction) -> dict[str, object]:
    literal = instruction.literal if instruction.shape.element_type in ("s32", "u32") else None
    integers = None if literal is None or literal.is_elided else literal.integers
    return {
        "name": instruction.name,
        "opcode": instruction.opcode,
        "shape": instruction.shape,
        "operands": [operand.name for operand in instruction.operands],
        "users": [user.name for user in instruction.users],
        "called": [called.name for called in instruction.called],
        "sharding": instruction.sharding,
        "attributes": list(instruction.attributes.items()),
        "parameter": instruction.parameter_number,
        "dimensions": instruction.dimensions,
        "dot": instruction.dot_dimensions,
        "window": instruction.window,
        "convolution": instruction.convolution,
        "gather": instruction.gather,
        "scatter": instruction.scatter,
        "padding": instruction.padding,
        "slice": instruction.slice_bounds,
        "index": instruction.tuple_index,
        "iota": instruction.iota_dimension,
        "target": instruction.custom_call_target,
        "opaque": instruction.opaque,
        "metadata": instruction.metadata,
        "values": None if integers is None else integers.tolist(),
    }


def _by_computation(module: HloModule) -> dict[str, list[dict[str, object]]]:
    return {
        computation.name: [_facts(x) for x in computation.post_order]
        for computation in module.computations
    }


@pairs
def test_proto_and_text_give_the_same_facts(file: Path) -> None:
    from_proto, from_text = load(file), load(_text_file(file))
    assert isinstance(from_proto, ProtoModule)
    assert from_proto.entry.name == from_text.entry.name
    assert from_proto.tables == from_text.tables
    header = {k: v for k, v in from_text.attributes.items() if not k.startswith("allow_spmd")}
    assert from_proto.attributes == header
    ours, theirs = _by_computation(from_proto), _by_computation(from_text)
    assert ours.keys() == theirs.keys()
    for name, instructions in theirs.items():
        for ours_now, theirs_now in zip(ours[name], instructions, strict=True):
            if theirs_now["values"] is None:
                ours_now["values"] = None
            assert ours_now == theirs_now


@pairs
def test_the_text_of_a_proto_is_xlas(file: Path) -> None:
    module = load(file)
    assert isinstance(module, ProtoModule)
    expected = MASKS.sub("", _text_file(file).read_text())
    # XLA wrote computations of text and proto in different orders
    assert sorted(module_text(module, elide=True).split("\n")) == sorted(expected.split("\n"))
