"""Dimension sizes of what slides windows, contracts, gathers, pads or transforms."""

from __future__ import annotations

from collections.abc import Sequence

from shardlog.ir.attributes import DotDimensions, GatherDimensions, Padding, Window
from shardlog.ir.errors import InputError
from shardlog.ir.instruction import Instruction
from shardlog.ir.shape import UNBOUNDED, Shape

__all__ = [
    "braced",
    "check_dimensions",
    "convolved",
    "gathered",
    "padded",
    "result_of_dot",
    "result_of_ragged_dot",
    "transformed",
    "windowed",
]

Sizes = tuple[int, ...]


def windowed(sizes: Sizes, window: Window | None) -> Sizes:
    """How often a window fits in each dimension. Follows InferWindowOutputShape."""
    window = window or Window()
    if len(window.size) != len(sizes):
        raise InputError("window", expected=f"{len(sizes)} dimensions", found=str(len(window.size)))
    fields = zip(
        sizes,
        window.size,
        window.stride,
        window.pad_low,
        window.pad_high,
        window.lhs_dilate,
        window.rhs_dilate,
        strict=True,
    )
    return tuple(_fits(*dimension) for dimension in fields)


def _fits(base: int, size: int, stride: int, low: int, high: int, base_step: int, step: int) -> int:
    if min(size, stride, base_step, step) < 1:
        raise InputError("window", expected="sizes, strides and dilations of at least 1")
    if base == UNBOUNDED:
        return UNBOUNDED
    bound = low + _dilated(base, base_step) + high
    reach = _dilated(size, step)
    return 0 if bound == 0 or reach > bound else (bound - reach) // stride + 1


def _dilated(bound: int, step: int) -> int:
    return 0 if bound == 0 else (bound - 1) * step + 1


def convolved(convolution: Instruction, lhs: Shape, rhs: Shape) -> Sizes:
    """The sizes of a convolution's result. Follows InferConvolveShape."""
    dims = convolution.convolution
    if dims is None:
        raise InputError("attributes", expected="dim_labels")
    rank = len(dims.input_spatial) + 2
    if not len(dims.input_spatial) == len(dims.kernel_spatial) == len(dims.output_spatial):
        raise InputError(
            "dim_labels", expected="the same dimensions on all three sides", found=str(dims)
        )
    if lhs.rank != rank or rhs.rank != rank:
        raise InputError("operands", expected=f"{rank} dimensions", found=f"{lhs}, {rhs}")
    groups = convolution.batch_group_count
    if groups < 1:
        raise InputError("batch_group_count", expected="at least 1", found=str(groups))
    spatial = windowed(tuple(lhs.dimensions[dim] for dim in dims.input_spatial), convolution.window)
    sizes = [0] * rank
    sizes[dims.output_batch] = lhs.dimensions[dims.input_batch] // groups
    sizes[dims.output_feature] = rhs.dimensions[dims.kernel_output_feature]
    for dim, size in zip(dims.output_spatial, spatial, strict=True):
        sizes[dim] = size
    return tuple(sizes)


def braced(numbers: Sequence[int]) -> str:
    """Numbers as HLO text writes them."""
    return f"{{{','.join(map(str, numbers))}}}"


def check_dimensions(name: str, numbers: Sequence[int], rank: int) -> None:
    """Raise InputError unless the dimension numbers of an attribute are each there, once."""
    if len(set(numbers)) < len(numbers) or any(not 0 <= number < rank for number in numbers):
        raise InputError(name, expected=f"numbers below {rank}, each once", found=braced(numbers))


def result_of_dot(
    dims: DotDimensions,
    lhs: Shape,
    rhs: Shape,
    group_dims: Sizes = (),
    is_sparse: bool = False,
) -> Sizes:
    """Batch dimensions, then the free ones of both sides. Follows InferDotOpShape."""
    pairs = (
        ("lhs_contracting_dims", dims.lhs_contracting, lhs),
        ("rhs_contracting_dims", dims.rhs_contracting, rhs),
        ("lhs_batch_dims", dims.lhs_batch, lhs),
        ("rhs_batch_dims", dims.rhs_batch, rhs),
        ("rhs_group_dims", group_dims, rhs),
    )
    for name, numbers, shape in pairs:
        check_dimensions(name, numbers, shape.rank)
    for kind, left, right in (
        ("contracting", dims.lhs_contracting, dims.rhs_contracting),
        ("batch", dims.lhs_batch, dims.rhs_batch),
    ):
        sizes = [lhs.dimensions[dim] for dim in left], [rhs.dimensions[dim] for dim in right]
        if len(left) != len(right) or not (is_sparse or all(map(_compatible, *sizes))):
            raise InputError(
                f"{kind} dimensions",
                expected="equal sizes",
                found=f"{braced(sizes[0])} and {braced(sizes[1])}",
            )
    left_out = {*dims.lhs_contracting, *dims.lhs_batch}
    right_out = {*dims.rhs_contracting, *dims.rhs_batch, *group_dims}
    return (
        *(lhs.dimensions[dim] for dim in dims.lhs_batch),
        *(size for dim, size in enumerate(lhs.dimensions) if dim not in left_out),
        *(size for dim, size in enumerate(rhs.dimensions) if dim not in right_out),
    )


def result_of_ragged_dot(dot: Instruction, lhs: Shape, rhs: Shape, groups: Shape) -> Sizes:
    """A dot's sizes, after the groups if the contracted dimension is ragged.

    Follows InferRaggedDotOpShape.
    """
    ragged = dot.integers("lhs_ragged_dims")
    if len(ragged) != 1 or groups.rank != 1:
        raise InputError("lhs_ragged_dims", expected="one, and one dimension of groups")
    dims = dot.dot_dimensions
    sizes = result_of_dot(dims, lhs, rhs, dot.integers("rhs_group_dims"))
    return (*groups.dimensions, *sizes) if ragged[0] in dims.lhs_contracting else sizes


def _compatible(one: int, other: int) -> bool:
    return one == other or UNBOUNDED in (one, other)


def gathered(dims: GatherDimensions, operand: Shape, indices: Shape) -> Sizes:
    """Sizes of the slices at `offset_dims`, those of the indices elsewhere.

    Follows InferGatherShape.
    """
    if len(dims.slice_sizes) != operand.rank:
        raise InputError(
            "slice_sizes", expected=f"{operand.rank} sizes", found=braced(dims.slice_sizes)
        )
    vector = dims.index_vector_dim
    if not 0 <= vector <= indices.rank:
        raise InputError("index_vector_dim", expected=f"at most {indices.rank}", found=str(vector))
    gone = {*dims.collapsed_slice_dims, *dims.operand_batching_dims}
    window = [size for dim, size in enumerate(dims.slice_sizes) if dim not in gone]
    batch = [size for dim, size in enumerate(indices.dimensions) if dim != vector]
    rank = len(window) + len(batch)
    for name, numbers, limit in (
        ("collapsed_slice_dims", dims.collapsed_slice_dims, operand.rank),
        ("operand_batching_dims", dims.operand_batching_dims, operand.rank),
        ("start_index_map", dims.start_index_map, operand.rank),
        ("start_indices_batching_dims", dims.start_indices_batching_dims, indices.rank),
        ("offset_dims", dims.offset_dims, rank),
    ):
        check_dimensions(name, numbers, limit)
    if len(dims.offset_dims) != len(window):
        raise InputError(
            "offset_dims",
            expected=f"{len(window)} for the dimensions of a slice that stay",
            found=braced(dims.offset_dims),
        )
    slices, places = iter(window), iter(batch)
    return tuple(next(slices if dim in dims.offset_dims else places) for dim in range(rank))


def padded(shape: Shape, padding: Padding | None) -> Sizes:
    """The sizes of a padded array. Follows InferPadShape."""
    padding = padding or Padding()
    if len(padding.low) != shape.rank:
        raise InputError(
            "padding", expected=f"{shape.rank} dimensions", found=str(len(padding.low))
        )
    fields = zip(shape.dimensions, padding.low, padding.high, padding.interior, strict=True)
    return tuple(
        UNBOUNDED if size == UNBOUNDED else size + low + high + max(size - 1, 0) * interior
        for size, low, high, interior in fields
    )


def transformed(fft: Instruction, shape: Shape) -> tuple[str, Sizes]:
    """Kind of a Fourier transform, and sizes, of which a real one has half the last.

    Follows InferFftShape.
    """
    kind, length = fft.attribute("fft_type") or "FFT", fft.integers("fft_length")
    if not 0 < len(length) <= shape.rank:
        raise InputError("fft_length", expected=f"1 to {shape.rank} sizes", found=braced(length))
    last = {"RFFT": length[-1] // 2 + 1, "IRFFT": length[-1]}.get(kind)
    if last is None or (kind == "RFFT" and not length[-1]):
        return kind, shape.dimensions
    return kind, (*shape.dimensions[:-1], last)
