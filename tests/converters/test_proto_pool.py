"""The messages: XLA's field numbers, in a pool of their own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf import descriptor_pool

from shardlog.converters import proto

FOLDER = Path(proto.__file__).parent
OTHERS_FIRST = """
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
def others():
    file = descriptor_pb2.FileDescriptorProto(name="xla/service/hlo.proto", package="xla")
    file.message_type.add(name="HloModuleProto").field.add(name="other", number=1, type=5, label=1)
    descriptor_pool.Default().AddSerializedFile(file.SerializeToString())
    found = descriptor_pool.Default().FindMessageTypeByName("xla.HloModuleProto")
    return message_factory.GetMessageClass(found)(other=3)
def ours():
    from shardlog.converters.proto import HloModuleProto
    return HloModuleProto(name="m")
for make in ORDER:
    print(str(make()).strip())
"""


@pytest.mark.parametrize("implementation", ["upb", "python"])
@pytest.mark.parametrize("order", ["[others, ours]", "[ours, others]"])
def test_other_messages_of_the_same_names_can_be_loaded_before_and_after(
    order: str, implementation: str
) -> None:
    code = OTHERS_FIRST.replace("ORDER", order)
    environment = os.environ | {"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": implementation}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert sorted(done.stdout.split("\n")) == ["", 'name: "m"', "other: 3"]


def test_the_default_pool_does_not_know_our_messages() -> None:
    with pytest.raises(KeyError):
        descriptor_pool.Default().FindMessageTypeByName("xla.HloInstructionProto")


def _stated() -> dict[str, dict[str, int]]:
    """Fields and enum values by message as the .proto files state them."""
    found: dict[str, dict[str, int]] = {}
    for file in ("xla_data.proto", "hlo.proto"):
        scopes: list[str] = []
        for line in (FOLDER / file).read_text().splitlines():
            opening = re.match(r"\s*(message|enum|oneof) (\w+) \{", line)
            entry = re.match(r"\s*(?:(?:repeated|optional) )?[\w.<>, ]*?(\w+) = (\d+);", line)
            if opening:
                scopes.append(opening[2] if opening[1] != "oneof" else "")
                if scopes[-1]:
                    found[".".join(filter(None, scopes))] = {}
            elif line.strip() == "}":
                scopes.pop()
            elif entry:
                found[".".join(filter(None, scopes))][entry[1]] = int(entry[2])
    return found


def test_descriptors_are_those_of_the_proto_files() -> None:
    stated = _stated()
    assert len(stated) > 60
    for name, entries in stated.items():
        try:
            message = proto.POOL.FindMessageTypeByName(f"xla.{name}")
            made = {field.name: field.number for field in message.fields}
        except KeyError:
            enum = proto.POOL.FindEnumTypeByName(f"xla.{name}")
            made = {value.name: value.number for value in enum.values}
        assert made == entries, name


def test_descriptors_are_what_protoc_makes() -> None:
    pytest.importorskip("grpc_tools", reason="protoc comes with grpcio-tools")
    from shardlog.converters.proto.descriptors import DESCRIPTOR_SET
    from shardlog.converters.proto.generate import compile_protos

    assert compile_protos() == DESCRIPTOR_SET
