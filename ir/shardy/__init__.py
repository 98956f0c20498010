"""Shardy's attributes: meshes, axes and their parts, shardings; their MLIR text and its checks."""

from shardlog.ir.shardy.axes import AxisRef, SubAxis
from shardlog.ir.shardy.mesh import Mesh, MeshAxis
from shardlog.ir.shardy.parser import (
    Meshes,
    parse_axis_ref,
    parse_dimension_sharding,
    parse_manual_axes,
    parse_mesh,
    parse_mesh_op,
    parse_meshes,
    parse_sharding_per_value,
    parse_tensor_sharding,
)
from shardlog.ir.shardy.tensor_sharding import (
    DimensionSharding,
    ManualAxes,
    TensorSharding,
    TensorShardingPerValue,
)
from shardlog.ir.shardy.verify import verify_manual_axes, verify_tensor_sharding

__all__ = [
    "AxisRef",
    "DimensionSharding",
    "ManualAxes",
    "Mesh",
    "MeshAxis",
    "Meshes",
    "SubAxis",
    "TensorSharding",
    "TensorShardingPerValue",
    "parse_axis_ref",
    "parse_dimension_sharding",
    "parse_manual_axes",
    "parse_mesh",
    "parse_mesh_op",
    "parse_meshes",
    "parse_sharding_per_value",
    "parse_tensor_sharding",
    "verify_manual_axes",
    "verify_tensor_sharding",
]
