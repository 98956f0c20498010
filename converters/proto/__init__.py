"""XLA's HLO messages, in a descriptor pool that nothing else shares.

TensorFlow, xprof and libneuronxla register their own `xla.*` messages in the default pool, where
a second definition of a name is an error; here the same names never meet them.
"""

from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from shardlog.converters.proto.descriptors import DESCRIPTOR_SET

__all__ = [
    "POOL",
    "DecodeError",
    "HloInstructionProto",
    "HloModuleProto",
    "HloProto",
    "HloSnapshot",
    "LiteralProto",
    "Message",
    "OpSharding",
    "ShapeProto",
    "enum_name",
]

POOL = DescriptorPool()
for _file in FileDescriptorSet.FromString(DESCRIPTOR_SET).file:
    POOL.AddSerializedFile(_file.SerializeToString())


# Typed Any: protobuf makes these classes at run time, so their fields have no static types.
def _message(name: str) -> Any:
    return GetMessageClass(POOL.FindMessageTypeByName(f"xla.{name}"))


HloInstructionProto = _message("HloInstructionProto")
HloModuleProto = _message("HloModuleProto")
HloProto = _message("HloProto")
HloSnapshot = _message("HloSnapshot")
LiteralProto = _message("LiteralProto")
OpSharding = _message("OpSharding")
ShapeProto = _message("ShapeProto")


def enum_name(enum: str, number: int) -> str | None:
    """The name of a value of the enum `xla.ENUM`, or None for a number that it does not have."""
    value = POOL.FindEnumTypeByName(f"xla.{enum}").values_by_number.get(number)
    return None if value is None else value.name
