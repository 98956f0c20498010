"""Whether operands, attributes and shape of an instruction go together.

No module that XLA prints fails here, so nothing asks before something has gone wrong.
"""

from __future__ import annotations

from math import prod

from shardlog.ir.errors import InputError
from shardlog.ir.instruction import Instruction
from shardlog.ir.module import HloModule
from shardlog.ir.shape import UNBOUNDED, Shape
from shardlog.ir.shape_inference import INFERABLE, infer_shape
from shardlog.ir.shapes_of_windows import braced

__all__ = ["first_inconsistency"]


def first_inconsistency(module: HloModule) -> InputError | None:
    """What is wrong with the first instruction that no well-formed module has; None if nothing is.

    Checks dimension numbers, tuple indices and numbers of operands, and that a stated shape has the
    rank that follows from them.
    """
    for computation in module.computations:
        for instruction in computation.instructions:
            try:
                _check(instruction)
            except InputError as error:
                return error
    return None


def _check(x: Instruction) -> None:
    rank = x.shape.rank
    if x.opcode == "broadcast":
        operands = [operand.shape.rank for operand in x.operands]
        if operands != [len(x.dimensions)] or any(not 0 <= dim < rank for dim in x.dimensions):
            raise _wrong(
                x, "dimensions", f"one of {x.shape} for each of the operand", braced(x.dimensions)
            )
    elif x.opcode == "iota":
        if x.iota_dimension is None or not 0 <= x.iota_dimension < rank:
            raise _wrong(x, "iota_dimension", f"a dimension of {x.shape}", x.iota_dimension)
    elif x.opcode == "reshape":
        shapes = [x.shape, *(operand.shape for operand in x.operands)]
        if len({_count(shape) for shape in shapes} - {None}) > 1:
            raise _wrong(x, "reshape", "as many elements as before", ", ".join(map(str, shapes)))
    elif x.opcode in INFERABLE:
        shape = infer_shape(x)
        if _ranks(shape) != _ranks(x.shape):
            raise _wrong(x, "shape", f"{shape} from operands and attributes", x.shape)


def _wrong(x: Instruction, what: str, expected: str, found: object) -> InputError:
    return x.located(InputError(what, expected=expected, found=str(found)))


def _count(shape: Shape) -> int | None:
    return None if UNBOUNDED in shape.dimensions else prod(shape.dimensions)


def _ranks(shape: Shape) -> list[int]:
    return [leaf.rank for leaf in shape.leaves]
