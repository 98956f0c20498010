"""What a sharding becomes on its way through an OpSharding, in jaxlib 0.10.2 and in 0.6.2.

The bridge writes OpSharding messages and XLA reads them back before it uses them. The two releases
differ in shardings on one device; in unreduced ones `export_sharding` tells them apart.
"""

from __future__ import annotations

from typing import Literal

from shardlog.converters.message_fields import packed, scalar
from shardlog.converters.op_sharding import to_proto_bytes
from shardlog.converters.wire import length_delimited
from shardlog.ir.sharding import HloSharding

__all__ = ["Release", "read_back", "release_bytes"]

Release = Literal["0.6.2", "0.10.2"]
"""The jaxlib whose behaviour is wanted: 0.6.2 knows no unreduced shardings in HLO."""


def read_back(sharding: HloSharding, release: Release = "0.10.2") -> HloSharding:
    """Return what XLA reads from the OpSharding of a sharding.

    A grid of one device becomes replicated, or with 0.6.2 maximal; all else is as it was.
    Follows HloSharding::FromProto after ToProto.
    """
    if sharding.is_tuple:
        return HloSharding.tuple_of(read_back(leaf, release) for leaf in sharding.elements)
    if sharding.kind != "tiled" or sharding.num_devices != 1:
        return sharding
    if release == "0.10.2":
        value = HloSharding.replicated()
    else:
        value = HloSharding.maximal(sharding.tile.first_device)
    return value.with_metadata(sharding.metadata).with_shard_group(sharding.shard_group)


def release_bytes(sharding: HloSharding, release: Release = "0.10.2") -> bytes:
    """Return the serialized OpSharding as a release writes it.

    That of one device has a grid dimension in 0.6.2, and none since. Follows HloSharding::ToProto.
    """
    if release == "0.10.2" or not (sharding.is_tuple or sharding.kind == "maximal"):
        return to_proto_bytes(sharding)
    if sharding.is_tuple:
        elements = [release_bytes(leaf, release) for leaf in sharding.elements]
        return scalar(1, 2) + b"".join(length_delimited(5, element) for element in elements)
    # the type is the first field, the grid dimensions follow it
    kind = scalar(1, 1)
    return kind + packed(3, (1,)) + to_proto_bytes(sharding)[len(kind) :]
