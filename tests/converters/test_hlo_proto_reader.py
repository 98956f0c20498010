"""Reading protos: wrappers, ids, orders, and what is refused."""

import gzip
from typing import Any

import pytest

from shardlog.converters import load
from shardlog.converters.hlo_proto import parse_hlo_proto
from shardlog.converters.proto import HloProto, HloSnapshot
from shardlog.ir.errors import InputError
from shardlog.ir.sharding_text import parse_sharding
from tests.converters.protos import F32, TILED, TUPLE, computation, module, proto, row

ADD = computation(1, 3, row(1, "parameter"), row(2, "negate", 1), row(3, "add", 1, 2))


def test_a_module_may_stand_in_other_messages() -> None:
    plain = proto(ADD)
    wrapped = HloProto(hlo_module=plain)
    snapshot = HloSnapshot(hlo=wrapped)
    for message in (plain, wrapped, snapshot):
        data = message.SerializeToString()
        for form in (data, gzip.compress(data)):
            read = load(form)
            assert read.name == "m"
            assert [x.name for x in read.instructions] == ["parameter.1", "negate.2", "add.3"]


def test_a_snapshot_with_arguments_and_result_is_no_module_itself() -> None:
    # its fields 2 and 3 are literals, where a module has a name and computations
    snapshot = HloSnapshot(hlo=HloProto(hlo_module=proto(ADD))).SerializeToString()
    assert load(snapshot + b"\x12\x02\x12\x00" + b"\x1a\x02\x12\x00").name == "m"


def test_computations_come_in_the_order_of_their_ids() -> None:
    calls = row(20, "call", 19, called_computation_ids=[7])
    first = computation(7, 3, row(3, "parameter"))
    entry = computation(2, 20, row(19, "parameter"), calls)
    read = module(first, entry)
    assert [x.name for x in read.computations] == ["c2", "c7"]
    assert [x.name for x in read.given] == ["c7", "c2"]
    assert read.entry.name == "c2"


def test_instructions_without_users_come_in_the_order_of_their_ids() -> None:
    rows = (row(1, "parameter"), row(9, "negate", 1), row(4, "sine", 1), row(5, "cosine", 1))
    read = module(computation(1, 5, *rows))
    assert [x.name for x in read.entry.post_order] == [
        "parameter.1",
        "sine.4",
        "cosine.5",
        "negate.9",
    ]


def test_a_while_calls_its_condition_first() -> None:
    condition = computation(1, 2, row(2, "parameter"))
    body = computation(3, 4, row(4, "parameter"))
    loop = row(6, "while", 5, called_computation_ids=[3, 1])
    read = module(condition, body, computation(7, 6, row(5, "parameter"), loop))
    (found,) = [x for x in read.instructions if x.opcode == "while"]
    assert [x.name for x in found.called] == ["c1", "c3"]
    assert found.attribute("condition") == "%c1"
    assert found.attribute("body") == "%c3"


def test_parameters_are_sorted_by_number() -> None:
    second, first = row(1, "parameter", parameter_number=1), row(2, "parameter")
    read = module(computation(1, 3, second, first, row(3, "add", 1, 2)))
    assert [x.name for x in read.entry.parameters] == ["parameter.2", "parameter.1"]


def test_control_predecessors_threads_and_frontend_attributes_are_kept() -> None:
    late = row(
        3,
        "sine",
        1,
        control_predecessor_ids=[2],
        frontend_attributes={"map": {"b": "x", "a": '{"k":"v"}'}},
    )
    rows = (row(1, "parameter"), row(2, "negate", 1), late)
    read = module(computation(1, 3, *rows, execution_thread="other"))
    root = read.entry.root
    assert [x.name for x in root.control_predecessors] == ["negate.2"]
    assert root.attribute("control-predecessors") == "{%negate.2}"
    assert root.attribute("frontend_attributes") == '{a={"k":"v"},b="x"}'
    assert '}, execution_thread="other"' in read.to_text()


def test_backend_configs_may_stand_in_the_modules_payloads() -> None:
    call = row(2, "custom-call", 1, custom_call_target="f", backend_config_payload={"id": 1})
    read = module(computation(1, 2, row(1, "parameter"), call), payloads=[b"a", b'q"'])
    assert read.entry.root.opaque == 'q"'
    assert read.entry.root.attribute("backend_config") == r'"q\""'


def test_one_sharding_is_spread_over_a_tuple() -> None:
    made = row(2, "tuple", 1, 1, shape=TUPLE, sharding=TILED)
    read = module(computation(1, 2, row(1, "parameter"), made))
    assert read.entry.root.sharding is parse_sharding(
        "{{devices=[2,1]<=[2]}, {devices=[2,1]<=[2]}}"
    )


def test_names_become_what_text_allows() -> None:
    read = module(computation(1, 1, row(1, "parameter", name="1 strange/name")))
    assert read.entry.root.name == "__strange_name"


def test_an_unknown_opcode_is_kept_with_a_warning() -> None:
    read = module(computation(1, 2, row(1, "parameter"), row(2, "frobnicate", 1)))
    assert read.entry.root.opcode == "frobnicate"
    assert read.warnings == ["unknown opcode frobnicate"]


def test_header_and_schedule() -> None:
    made = proto(
        ADD,
        input_output_alias={
            "entries": [
                {"output_shape_index": [0, 1], "parameter_number": 2, "kind": 1},
                {"parameter_shape_index": [3], "kind": 2},
            ]
        },
        buffer_donor={"entries": [{"parameter_number": 4, "parameter_shape_index": [0]}]},
        host_program_shape={"parameters": [F32], "result": TUPLE},
        device_assignment={"replica_count": 1, "computation_count": 8},
    )
    made.schedule.sequences[1].instruction_ids.extend([1, 2, 3])
    read = parse_hlo_proto(made.SerializeToString())
    assert read.attributes == {
        "is_scheduled": "true",
        "input_output_alias": "{ {0,1}: (2, {}, may-alias), {}: (0, {3}, must-alias) }",
        "buffer_donor": "{ (4, {0}) }",
        "entry_computation_layout": "{(f32[8,4]{1,0})->(f32[8,4]{1,0}, f32[8,4]{1,0})}",
        "num_partitions": "8",
    }
    assert read.num_partitions == 8


BROKEN: dict[str, tuple[Any, str]] = {
    "no entry": (proto(ADD, entry_computation_id=5), "entry computation does not exist"),
    "no operand": (
        proto(computation(1, 2, row(1, "parameter"), row(2, "add", 1, 9))),
        r"add\.2: operand does not exist \(expected an id that stands before it, found 9\)",
    ),
    "operand behind": (
        proto(computation(1, 2, row(2, "negate", 1), row(1, "parameter"))),
        r"negate\.2: operand does not exist",
    ),
    "no called computation": (
        proto(computation(1, 1, row(1, "call", called_computation_ids=[4]))),
        r"call\.1: called computation does not exist",
    ),
    "itself called": (
        proto(computation(1, 1, row(1, "call", called_computation_ids=[1]))),
        r"call\.1: called computation does not exist",
    ),
    "no predecessor": (
        proto(computation(1, 1, row(1, "iota", control_predecessor_ids=[3]))),
        r"iota\.1: control predecessor does not exist",
    ),
    "no root": (proto(computation(1, 7, row(1, "parameter"))), "c1: root instruction does not"),
    "equal ids": (
        proto(computation(1, 1, row(1, "parameter"), row(1, "iota"))),
        r"iota\.1: a second instruction with id 1",
    ),
    "equal names": (
        proto(computation(1, 1, row(1, "iota", name="a"), row(2, "iota", name="a"))),
        "a second instruction named a",
    ),
    "equal computations": (proto(ADD, ADD), "c1: a second computation with id 1"),
    "no name": (
        proto(computation(1, 1, row(1, "iota", name=""))),
        "an instruction without a name",
    ),
    "half a while": (
        proto(ADD, computation(2, 9, row(9, "while", called_computation_ids=[1]))),
        r"while\.9: called computations \(expected 2, found 1\)",
    ),
    "element type": (
        proto(computation(1, 1, row(1, "iota", shape={"element_type": 99}))),
        r"iota\.1: unreadable shape",
    ),
    "negative size": (
        proto(computation(1, 1, row(1, "iota", shape={"element_type": 11, "dimensions": [-2]}))),
        r"iota\.1: unreadable shape \(expected a size, found -2\)",
    ),
    "parameter numbers": (
        proto(computation(1, 1, row(1, "parameter", parameter_number=3))),
        "c1: parameter numbers",
    ),
    "sharding": (
        proto(computation(1, 1, row(1, "iota", sharding={"type": 3}))),
        r"iota\.1: ",
    ),
    "sharding of other rank": (
        proto(computation(1, 1, row(1, "iota", shape={"element_type": 11}, sharding=TILED))),
        r"iota\.1: sharding",
    ),
    "payload": (
        proto(computation(1, 1, row(1, "iota", backend_config_payload={"id": 4})), payloads=[b"x"]),
        r"iota\.1: backend config does not exist",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_broken_modules_are_refused(what: str) -> None:
    made, message = BROKEN[what]
    with pytest.raises(InputError, match=rf"^m\.pb: {message}"):
        parse_hlo_proto(made.SerializeToString(), "m.pb")


@pytest.mark.parametrize(
    "data",
    [b"\x00", b"\x0a\x05ab", b"\x0a\x02\x08\x01", b"\xff" * 40, HloProto().SerializeToString()],
)
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^m\.pb: unreadable proto \(expected an HloModuleProto"):
        parse_hlo_proto(data, "m.pb")


def test_a_truncated_proto_is_refused() -> None:
    data = proto(ADD).SerializeToString()
    for size in range(1, len(data)):
        with pytest.raises(InputError):
            parse_hlo_proto(data[:size])


def test_text_that_is_no_utf8_is_refused() -> None:
    data = proto(ADD).SerializeToString().replace(b"negate.2", b"negate\xff2")
    with pytest.raises(InputError, match="unreadable proto"):
        parse_hlo_proto(data)


def test_a_late_error_names_file_and_instruction() -> None:
    literal = {"shape": F32, "f32s": [1.0]}
    read = module(computation(1, 1, row(1, "constant", literal=literal)))
    with pytest.raises(InputError, match=r"^m\.pb: constant\.1: .*expected 32 values, found 1"):
        read.to_text()
