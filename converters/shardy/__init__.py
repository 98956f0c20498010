"""The bridge between Shardy's shardings and HloSharding."""

from shardlog.converters.shardy.export import export_per_value, export_sharding
from shardlog.converters.shardy.gspmd_form import GspmdForm, gspmd_form
from shardlog.converters.shardy.importing import import_sharding, maximal_mesh_name
from shardlog.converters.shardy.losses import Loss, export_losses, import_losses
from shardlog.converters.shardy.meshes import find_meshes, import_on_meshes, is_open
from shardlog.converters.shardy.named import export_named
from shardlog.converters.shardy.releases import Release, read_back, release_bytes
from shardlog.converters.shardy.shardy_form import ShardyForm, shardy_form, shardy_shardings

__all__ = [
    "GspmdForm",
    "Loss",
    "Release",
    "ShardyForm",
    "export_losses",
    "export_named",
    "export_per_value",
    "export_sharding",
    "find_meshes",
    "gspmd_form",
    "import_losses",
    "import_on_meshes",
    "import_sharding",
    "is_open",
    "maximal_mesh_name",
    "read_back",
    "release_bytes",
    "shardy_form",
    "shardy_shardings",
]
