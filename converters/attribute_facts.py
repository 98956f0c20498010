"""Facts about single instructions that take more than reading an attribute."""

from __future__ import annotations

import re
from math import prod

from shardlog.ir.arrays import np
from shardlog.ir.attributes import DotDimensions, GatherDimensions, ScatterDimensions
from shardlog.ir.errors import InputError
from shardlog.ir.module import Instruction
from shardlog.ir.shape import Shape
from shardlog.ir.shape_inference import infer_shape


def element_index(element: Instruction) -> int | None:
    """The element that a get-tuple-element takes; raises InputError if there is none."""
    index = element.tuple_index
    if index is None or not 0 <= index < len(element.operands[0].shape.elements):
        infer_shape(element)
    return index


def dot_dimensions(dot: Instruction) -> DotDimensions:
    """The dimension numbers of a dot; raises InputError if its operands do not have them."""
    dims = dot.dot_dimensions
    key: tuple[DotDimensions | Shape, ...] = (dims, *(x.shape for x in dot.operands))
    if key not in _CHECKED:
        infer_shape(dot)
        _CHECKED.add(key)
    return dims


_CHECKED: set[tuple[DotDimensions | Shape, ...]] = set()


def operand_offsets(concatenate: Instruction) -> list[int]:
    """Where each operand of a concatenate begins along its dimension."""
    dimension = concatenate.dimensions[0]
    offsets, at = [], 0
    for operand in concatenate.operands:
        offsets.append(at)
        at += operand.shape.dimensions[dimension]
    return offsets


def gather_or_scatter(instruction: Instruction) -> GatherDimensions | ScatterDimensions:
    """The dimension numbers of a gather or scatter."""
    return instruction.gather if instruction.opcode == "gather" else instruction.scatter


def leading_batch_dims(call: Instruction) -> int | None:
    """The number of leading batch dimensions that a custom-call's frontend attributes tell.

    Follows GetNumBatchDimensions of XLA's CustomCallBatchPartitioner.
    """
    text = call.frontend_attribute("num_batch_dims")
    return int(text) if text is not None and re.fullmatch(r"\s*[-+]?\d+\s*", text) else None


def has_channel(instruction: Instruction) -> bool:
    """Whether a send, receive, all-reduce or reduce-scatter talks over a channel to other devices.

    Follows CheckAndUpdateDeviceAssignmentsInWhileBody.
    """
    if instruction.opcode in ("send", "recv"):
        return instruction.attribute("is_host_transfer") != "true"
    return (
        instruction.opcode in ("all-reduce", "reduce-scatter")
        and instruction.channel_id is not None
    )


def literal_iota(constant: Instruction) -> int | None:
    """The first dimension of more than one element along which a constant of s32 counts up from 0.

    None if there is none, or the text leaves elements out. Raises InputError if there are more or
    fewer elements than the shape has. Follows GetDimensionForIota.
    """
    shape, literal = constant.shape, constant.literal
    if shape.element_type != "s32" or not any(size > 1 for size in shape.dimensions):
        return None
    values = literal.integers if literal is not None else None
    if values is None:
        return None
    if values.size != prod(shape.dimensions):
        raise constant.located(
            InputError(
                "constant", expected=f"{prod(shape.dimensions)} elements", found=str(values.size)
            )
        )
    grid = values.reshape(shape.dimensions)
    for dimension, size in enumerate(shape.dimensions):
        if size > 1:
            along = np.arange(size).reshape([-1 if d == dimension else 1 for d in range(grid.ndim)])
            if (grid == along).all():
                return dimension
    return None
