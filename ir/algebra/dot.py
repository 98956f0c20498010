"""Which dimensions of a dot or convolution are batch, free, contracting or windowed.

A convolution whose window does nothing in a spatial dimension treats that dimension as a dot does;
XLA lowers many dots that way, so both ops share one set of roles.
"""

from __future__ import annotations

from typing import Any

from shardlog.ir.attributes import ConvolutionDimensions, DotDimensions, Window
from shardlog.ir.dimension_map import DimensionMap
from shardlog.ir.interned import Interned
from shardlog.ir.shape import Shape
from shardlog.light import dataclass

__all__ = [
    "DotRoles",
    "batch_of",
    "conv_lhs_map",
    "feature_of",
    "kernel_is_small",
    "role_map",
    "role_side",
    "role_spatial",
    "roles_of_convolution",
    "roles_of_dot",
]

Shapes = tuple[Shape, ...]
Trio = tuple[int | None, int | None, int | None]


@dataclass(frozen=True, eq=False, slots=True)
class DotRoles(metaclass=Interned):
    """Roles of the dimensions of a dot-like op, each as (lhs, rhs, output) with None for absent.

    `spatial` are the dimensions under a real window; `ranks` those of lhs, rhs and output.
    Equal roles are one object. Follows DotConvolutionDimsInfo.
    """

    batch: tuple[Trio, ...]
    lhs_free: tuple[Trio, ...]
    rhs_free: tuple[Trio, ...]
    contracting: tuple[Trio, ...]
    spatial: tuple[Trio, ...]
    ranks: tuple[int, int, int]

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return DotRoles, tuple(getattr(self, name) for name in self.__slots__)


def roles_of_dot(dims: DotDimensions, shapes: Shapes) -> DotRoles:
    """The roles of a dot's dimensions; `shapes` are those of lhs, rhs and (unused) the result.

    Follows ParseDotGeneralFromDot.
    """
    lhs, rhs = shapes[0].rank, shapes[1].rank
    batch = tuple(
        (a, b, out) for out, (a, b) in enumerate(zip(dims.lhs_batch, dims.rhs_batch, strict=True))
    )
    lhs_free = [dim for dim in range(lhs) if dim not in dims.lhs_batch + dims.lhs_contracting]
    rhs_free = [dim for dim in range(rhs) if dim not in dims.rhs_batch + dims.rhs_contracting]
    first_rhs = len(batch) + len(lhs_free)
    contracting = zip(dims.lhs_contracting, dims.rhs_contracting, strict=True)
    return DotRoles(
        batch,
        tuple((dim, None, out) for out, dim in enumerate(lhs_free, len(batch))),
        tuple((None, dim, out) for out, dim in enumerate(rhs_free, first_rhs)),
        tuple((a, b, None) for a, b in contracting),
        (),
        (lhs, rhs, first_rhs + len(rhs_free)),
    )


def roles_of_convolution(dims: ConvolutionDimensions, window: Window, shapes: Shapes) -> DotRoles:
    """The roles of a convolution's dimensions; `shapes` are those of input, kernel and result.

    Follows ParseConvolutionDimsInfo.
    """
    roles: dict[str, list[Trio]] = {
        "batch": [],
        "lhs_free": [(dims.input_batch, None, dims.output_batch)],
        "rhs_free": [(None, dims.kernel_output_feature, dims.output_feature)],
        "contracting": [(dims.input_feature, dims.kernel_input_feature, None)],
        "spatial": [],
    }
    spatial = zip(dims.input_spatial, dims.kernel_spatial, dims.output_spatial, strict=True)
    for position, (lhs, rhs, out) in enumerate(spatial):
        sizes = shapes[0].dimensions[lhs], shapes[1].dimensions[rhs]
        roles[_spatial_role(window, position, *sizes)].append((lhs, rhs, out))
    return DotRoles(
        tuple(roles["batch"]),
        tuple(roles["lhs_free"]),
        tuple(roles["rhs_free"]),
        tuple(roles["contracting"]),
        tuple(roles["spatial"]),
        (shapes[0].rank, shapes[1].rank, shapes[2].rank),
    )


def _spatial_role(window: Window, position: int, lhs_size: int, rhs_size: int) -> str:
    """What a spatial dimension amounts to, by its window alone."""
    size, stride = window.size[position], window.stride[position]
    low, high = window.pad_low[position], window.pad_high[position]
    base, dilation = window.lhs_dilate[position], window.rhs_dilate[position]
    reversal = window.rhs_reversal[position]
    plain = low == high == 0 and not reversal
    step = max(1, lhs_size - 1)
    if lhs_size == size:
        # One window per element of the base: a batch dimension, in one of two spellings.
        if plain and base == lhs_size and (stride, dilation) in ((step, 1), (1, step)):
            return "batch"
        if (
            low == high == lhs_size - 1
            and reversal
            and (stride, dilation, base) == (lhs_size, 1, lhs_size - 1)
        ):
            return "batch"
        if plain and base == dilation == 1:
            return "contracting"
    if stride == dilation == base == 1:
        if rhs_size == size == 1 and plain:
            return "lhs_free"
        if lhs_size == 1 and size == rhs_size and low == high == rhs_size - 1 and reversal:
            return "rhs_free"
    return "spatial"


def role_map(roles: DotRoles, operand: int) -> DimensionMap:
    """The map from operand 0 or 1 to the result: its batch and free dimensions.

    Follows InferDotShardingFromOperands, and inverted InferDotOperandSharding.
    """
    own = roles.rhs_free if operand else roles.lhs_free
    return _paired(roles.batch + own, operand, 2, roles.ranks)


def role_side(roles: DotRoles, operand: int) -> DimensionMap:
    """The map from the other operand to operand 0 or 1: batch and contracting dimensions.

    Follows the second half of InferDotOperandSharding.
    """
    return _paired(roles.batch + roles.contracting, 1 - operand, operand, roles.ranks)


def role_spatial(roles: DotRoles, operand: int) -> tuple[int, ...]:
    """The dimensions of operand 0 or 1 that lie under a real window."""
    return tuple(dim for trio in roles.spatial if (dim := trio[operand]) is not None)


def _paired(
    trios: tuple[Trio, ...], source: int, target: int, ranks: tuple[int, int, int]
) -> DimensionMap:
    pairs = ((trio[source], trio[target]) for trio in trios)
    known = tuple((a, b) for a, b in pairs if a is not None and b is not None)
    return DimensionMap(known, ranks[source], ranks[target])


def batch_of(dims: ConvolutionDimensions) -> tuple[int, ...]:
    """The batch dimension of a convolution's input, alone in a tuple."""
    return (dims.input_batch,)


def feature_of(dims: ConvolutionDimensions) -> int:
    """The feature dimension of a convolution's input."""
    return dims.input_feature


def conv_lhs_map(dims: ConvolutionDimensions) -> DimensionMap:
    """The map from a convolution's input to its result, label by label.

    Follows InferConvolutionShardingFromOperands, which uses it where the kernel is small.
    """
    sources = (dims.input_batch, dims.input_feature, *dims.input_spatial)
    targets = (dims.output_batch, dims.output_feature, *dims.output_spatial)
    return DimensionMap(tuple(zip(sources, targets, strict=True)), len(sources), len(targets))


def kernel_is_small(dims: ConvolutionDimensions, shapes: Shapes) -> bool:
    """Whether a convolution's kernel is smaller than its result in the spatial dimensions.

    `shapes` are those of input, kernel and result. Follows IsConvolutionKernelSmall.
    """
    kernel_size = output_size = 1
    pairs = zip(dims.kernel_spatial, dims.output_spatial, strict=True)
    for position, (kernel_dim, output_dim) in enumerate(pairs):
        kernel = shapes[1].dimensions[kernel_dim]
        output = shapes[2].dimensions[output_dim]
        kernel_size *= kernel
        output_size *= output
        if kernel >= output and (position < 2 or kernel > 3 or kernel_size >= output_size):
            return False
    return True
