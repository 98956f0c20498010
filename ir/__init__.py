"""What facts are about: HLO modules, shapes, tile assignments, shardings and their algebra."""

from shardlog.ir.dimension_map import DimensionMap
from shardlog.ir.errors import InputError, ShardlogError
from shardlog.ir.module import Computation, HloModule, Instruction
from shardlog.ir.shape import Shape, parse_shape
from shardlog.ir.sharding import HloSharding, ShardGroup
from shardlog.ir.sharding_text import parse_sharding
from shardlog.ir.tile_assignment import TileAssignment

__all__ = [
    "Computation",
    "DimensionMap",
    "HloModule",
    "HloSharding",
    "InputError",
    "Instruction",
    "Shape",
    "ShardGroup",
    "ShardlogError",
    "TileAssignment",
    "parse_shape",
    "parse_sharding",
]
