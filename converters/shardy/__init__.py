"""The bridge between Shardy's shardings and HloSharding."""

from shardlog.converters.shardy.export import (
    Release,
    export_per_value,
    export_sharding,
)
from shardlog.converters.shardy.importing import import_sharding, maximal_mesh_name
from shardlog.converters.shardy.meshes import find_meshes, import_on_meshes, is_open

__all__ = [
    "Release",
    "export_per_value",
    "export_sharding",
    "find_meshes",
    "import_on_meshes",
    "import_sharding",
    "is_open",
    "maximal_mesh_name",
]
