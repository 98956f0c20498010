"""The shapes of instructions that do not state theirs: from operands, attributes and calls.

XLA reads such text for the opcodes in `INFERABLE` and no others. Its attributes tell nothing of the
rest (a reshape, a convert, a slice, a collective), or it wants their shapes all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from shardlog.ir.errors import InputError
from shardlog.ir.instruction import Instruction
from shardlog.ir.opcodes import ELEMENTWISE_BINARY, ELEMENTWISE_UNARY
from shardlog.ir.shape import Shape, float_format
from shardlog.ir.shapes_of_windows import (
    braced,
    check_dimensions,
    convolved,
    gathered,
    padded,
    result_of_dot,
    result_of_ragged_dot,
    transformed,
    windowed,
)

__all__ = ["INFERABLE", "infer_shape"]


def infer_shape(instruction: Instruction) -> Shape:
    """The shape of an instruction that does not state it; its own is not looked at.

    Operands and called computations must be there, with their shapes. Raises InputError, with the
    instruction's place, for an opcode whose shape must be written, and where operands, attributes
    and opcode do not go together. Follows CanInferShape and ShapeInference.
    """
    try:
        return INFERABLE.get(instruction.opcode, _not_inferred)(instruction)
    except InputError as error:
        if error.message.startswith(f"{instruction.name}: "):
            raise  # of an attribute that cannot be read, with its place
        raise instruction.located(error) from None


def _not_inferred(x: Instruction) -> Shape:
    raise InputError(
        f"the shape of a {x.opcode} cannot be inferred",
        expected="a shape such as f32[8,4] before the opcode",
    )


def _shapes(x: Instruction, least: int = 1, most: int | None = None) -> Sequence[Shape]:
    """The shapes of the operands, of which there are as many as the opcode takes."""
    shapes = [operand.shape for operand in x.operands]
    if len(shapes) < least or (most is not None and len(shapes) > most):
        wanted = f"{least}" if least == most else f"at least {least}"
        raise InputError("operands", expected=wanted, found=str(len(shapes)))
    return shapes


def _arrays(x: Instruction, least: int = 1, most: int | None = None) -> Sequence[Shape]:
    shapes = _shapes(x, least, most)
    for shape in shapes:
        if not shape.is_array:
            raise InputError("operands", expected="arrays", found=str(shape))
    return shapes


def _common_type(shapes: Sequence[Shape]) -> str:
    """The element type that all have; of floats, the most precise."""
    kinds = {shape.element_type for shape in shapes}
    if len(kinds) > 1 and any(float_format(kind) is None for kind in kinds):
        raise InputError("operands", expected="one element type", found=_listed(shapes))
    return _widest_type(shapes)


def _widest_type(shapes: Sequence[Shape]) -> str:
    """The element type that holds most. Follows ShapeUtil::HigherPrecisionElementType."""

    def holds(shape: Shape) -> tuple[bool, tuple[int, int], int, bool]:
        kind = shape.element_type
        return kind in _COMPONENT, float_format(kind) or (0, 0), shape.bit_width, kind[0] == "s"

    return max(shapes, key=holds).element_type


def _same_dimensions(shapes: Sequence[Shape]) -> tuple[int, ...]:
    if any(shape.dimensions != shapes[0].dimensions for shape in shapes):
        raise InputError("operands", expected="equal dimensions", found=_listed(shapes))
    return shapes[0].dimensions


def _listed(shapes: Sequence[Shape]) -> str:
    return ", ".join(map(str, shapes))


def _dimensions(x: Instruction, rank: int) -> tuple[int, ...]:
    check_dimensions("dimensions", x.dimensions, rank)
    return x.dimensions


def _result(x: Instruction, number: int = 0) -> Shape:
    """The result of a computation that is called."""
    if len(x.called) <= number:
        raise InputError("called computations", expected=str(number + 1), found=str(len(x.called)))
    return x.called[number].root.shape


# ---- the rules


def _operand(x: Instruction) -> Shape:
    return _shapes(x, 1, 1)[0]


def _first(x: Instruction) -> Shape:
    return _shapes(x)[0]


def _second(x: Instruction) -> Shape:
    return _arrays(x, 2, 2)[1]


def _array(x: Instruction) -> Shape:
    return _arrays(x, 1, 1)[0]


def _component(x: Instruction) -> Shape:
    """Complex numbers become real ones."""
    shape = _array(x)
    return Shape(_COMPONENT.get(shape.element_type, shape.element_type), shape.dimensions)


def _truth(x: Instruction) -> Shape:
    return Shape("pred", _array(x).dimensions)


def _binary(x: Instruction) -> Shape:
    shapes = _arrays(x, 2, 2)
    return Shape(_common_type(shapes), _same_dimensions(shapes))


def _compare(x: Instruction) -> Shape:
    return Shape("pred", _binary(x).dimensions)


def _complex(x: Instruction) -> Shape:
    shape = _binary(x)
    kind = _COMPLEX.get(shape.element_type)
    if kind is None:
        raise InputError("operands", expected="f32 or f64", found=str(shape))
    return Shape(kind, shape.dimensions)


def _clamp(x: Instruction) -> Shape:
    return _arrays(x, 3, 3)[1]


def _select(x: Instruction) -> Shape:
    shapes = _arrays(x, 3, 3)[1:]
    return Shape(_common_type(shapes), _same_dimensions(shapes))


def _tuple(x: Instruction) -> Shape:
    return Shape.tuple_of(tuple(_shapes(x, 0)))


def _element(x: Instruction) -> Shape:
    shape, index = _shapes(x, 1, 1)[0], x.tuple_index
    if index is None or not shape.is_tuple or not 0 <= index < len(shape.elements):
        raise InputError("index", expected=f"that of an element of {shape}", found=str(index))
    return shape.elements[index]


def _sort(x: Instruction) -> Shape:
    shapes = _arrays(x)
    _same_dimensions(shapes)
    return shapes[0] if len(shapes) == 1 else Shape.tuple_of(tuple(shapes))


def _broadcast(x: Instruction) -> Shape:
    shape = _array(x)
    # XLA takes the dimensions for sizes that go in front, which is of use to scalars only
    if x.dimensions:
        return _not_inferred(x)
    return shape


def _transpose(x: Instruction) -> Shape:
    shape = _array(x)
    dims = _dimensions(x, shape.rank)
    if len(dims) != shape.rank:
        raise InputError("dimensions", expected=f"all of {shape}", found=braced(dims))
    return Shape(shape.element_type, tuple(shape.dimensions[dim] for dim in dims))


def _reverse(x: Instruction) -> Shape:
    shape = _array(x)
    _dimensions(x, shape.rank)
    return shape


def _concatenate(x: Instruction) -> Shape:
    shapes = _arrays(x)
    if any(shape.rank != shapes[0].rank for shape in shapes):
        raise InputError("operands", expected="equal ranks", found=_listed(shapes))
    dims = _dimensions(x, shapes[0].rank)
    if len(dims) != 1:
        raise InputError("dimensions", expected="one", found=braced(dims))
    sizes = list(shapes[0].dimensions)
    sizes[dims[0]] = sum(shape.dimensions[dims[0]] for shape in shapes)
    return Shape(_common_type(shapes), tuple(sizes))


def _reduce(x: Instruction) -> Shape:
    inputs = _arrays(x, 2)[: len(x.operands) // 2]
    dims = _dimensions(x, inputs[0].rank)
    kept = tuple(size for dim, size in enumerate(_same_dimensions(inputs)) if dim not in dims)
    result = _result(x)
    if not result.is_tuple:
        return Shape(result.element_type, kept)
    return Shape.tuple_of(tuple(Shape(part.element_type, kept) for part in result.elements))


def _map(x: Instruction) -> Shape:
    return Shape(_result(x).element_type, _same_dimensions(_arrays(x)))


def _scatter(x: Instruction) -> Shape:
    shapes = _arrays(x, 3)
    count = len(shapes) // 2
    return shapes[0] if count == 1 else Shape.tuple_of(tuple(shapes[:count]))


def _top_k(x: Instruction) -> Shape:
    shape, count = _array(x), x.integer("k")
    if count is None or not shape.rank:
        raise InputError("k", expected="a number, and an array with dimensions")
    sizes = (*shape.dimensions[:-1], count)
    return Shape.tuple_of((Shape(shape.element_type, sizes), Shape("s32", sizes)))


def _batch_norm(x: Instruction) -> Shape:
    """The normalised array, and two values for each feature."""
    shape, feature = _arrays(x, 3)[0], x.integer("feature_index")
    if feature is None or not 0 <= feature < shape.rank:
        raise InputError("feature_index", expected=f"below {shape.rank}", found=str(feature))
    each = Shape(shape.element_type, (shape.dimensions[feature],))
    return Shape.tuple_of((shape, each, each))


def _window(x: Instruction) -> Shape:
    shapes = _arrays(x, 2)
    count = len(shapes) // 2
    if 2 * count != len(shapes):
        raise InputError("operands", expected="an even number", found=str(len(shapes)))
    parts = tuple(
        Shape(start.element_type, windowed(shape.dimensions, x.window))
        for shape, start in zip(shapes[:count], shapes[count:], strict=True)
    )
    return parts[0] if count == 1 else Shape.tuple_of(parts)


def _convolution(x: Instruction) -> Shape:
    shapes = _arrays(x, 2, 2)
    return Shape(_widest_type(shapes), convolved(x, shapes[0], shapes[1]))


def _dot(x: Instruction) -> Shape:
    lhs, rhs, *metadata = _arrays(x, 2)
    sizes = result_of_dot(x.dot_dimensions, lhs, rhs, is_sparse=bool(metadata))
    return Shape(_widest_type((lhs, rhs)), sizes)


def _ragged_dot(x: Instruction) -> Shape:
    shapes = _arrays(x, 3, 3)
    return Shape(_widest_type(shapes[:2]), result_of_ragged_dot(x, *shapes))


def _gather(x: Instruction) -> Shape:
    shapes = _arrays(x, 2, 2)
    return Shape(shapes[0].element_type, gathered(x.gather, *shapes))


def _pad(x: Instruction) -> Shape:
    shapes = _arrays(x, 2, 2)
    return Shape(_common_type(shapes), padded(shapes[0], x.padding))


def _fft(x: Instruction) -> Shape:
    shape = _array(x)
    kind, sizes = transformed(x, shape)
    table = {"RFFT": _COMPLEX, "IRFFT": _COMPONENT}.get(kind, {})
    return Shape(table.get(shape.element_type, shape.element_type), sizes)


_COMPLEX = {"f32": "c64", "f64": "c128"}
_COMPONENT = {kind: part for part, kind in _COMPLEX.items()}
_NOT_INFERRED = frozenset(("bitcast-convert", "convert", "reduce-precision", "stochastic-convert"))

INFERABLE: dict[str, Callable[[Instruction], Shape]] = {
    **dict.fromkeys(sorted(ELEMENTWISE_UNARY - _NOT_INFERRED), _array),
    **dict.fromkeys(sorted(ELEMENTWISE_BINARY - _NOT_INFERRED), _binary),
    "abs": _component,
    "real": _component,
    "imag": _component,
    "is-finite": _truth,
    "compare": _compare,
    "complex": _complex,
    "clamp": _clamp,
    "select": _select,
    "add-dependency": _first,
    "after-all": lambda _: Shape("token"),
    "batch-norm-grad": _batch_norm,
    "batch-norm-inference": _first,
    "batch-norm-training": _batch_norm,
    "broadcast": _broadcast,
    "call": _result,
    "cholesky": _array,
    "concatenate": _concatenate,
    "conditional": _result,
    "convolution": _convolution,
    "copy": _operand,
    "domain": _operand,
    "dot": _dot,
    "fft": _fft,
    "gather": _gather,
    "get-dimension-size": lambda _: Shape("s32"),
    "get-tuple-element": _element,
    "map": _map,
    "pad": _pad,
    "partition-id": lambda _: Shape("u32"),
    "ragged-dot": _ragged_dot,
    "reduce": _reduce,
    "reduce-window": _window,
    "replica-id": lambda _: Shape("u32"),
    "reverse": _reverse,
    "scatter": _scatter,
    "select-and-scatter": _first,
    "set-dimension-size": _first,
    "sort": _sort,
    "topk": _top_k,
    "transpose": _transpose,
    "triangular-solve": _second,
    "tuple": _tuple,
    "while": _operand,
}
"""How the shape of each opcode is found whose shape XLA's text need not state."""
