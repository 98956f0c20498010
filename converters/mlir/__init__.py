"""MLIR in its generic form: text to a program and back, and the values of attributes."""

from shardlog.converters.mlir.attributes import Attribute, flattened, read_attribute
from shardlog.converters.mlir.reader import read_program
from shardlog.converters.mlir.writer import write_program

__all__ = ["Attribute", "flattened", "read_attribute", "read_program", "write_program"]
