"""What rules about op sharding rules compute: places of factors, and the factors of a few ops."""

from __future__ import annotations

import math

from shardlog.ir.shardy.op_rule import NOWHERE, Factor

Dims = tuple[int, ...]

__all__ = [
    "batch_position",
    "batched_input",
    "count_of",
    "each_side",
    "everywhere",
    "in_updated",
    "index_dimension",
    "item",
    "joined",
    "kept_position",
    "part_places",
    "part_size",
    "places",
    "repeated",
    "reshape_parts",
    "scattered",
    "spatial_order",
    "spatial_size",
    "window_dimension",
]


def places(*dims: int) -> Dims:
    """The dimension at which a factor stands in each operand and result, -1 for nowhere."""
    return dims


def everywhere(ranks: Dims, dim: int) -> Dims:
    """The same dimension in all operands and results that are no scalars."""
    return tuple(dim if rank else NOWHERE for rank in ranks)


def each_side(ranks: Dims, operand_count: int, in_operands: int, in_results: int) -> Dims:
    """One dimension in all operands that are no scalars, another in all such results."""
    return tuple(
        (in_operands if n < operand_count else in_results) if rank else NOWHERE
        for n, rank in enumerate(ranks)
    )


def repeated(count: int, *dims: int) -> Dims:
    """Each dimension for as many operands or results in a row as there are inputs."""
    return tuple(dim for dim in dims for _ in range(count))


def scattered(count: int, in_input: int, in_indices: int, in_update: int) -> Dims:
    """The places of a factor of a scatter: inputs, indices, updates, results."""
    return (in_input,) * count + (in_indices,) + (in_update,) * count + (in_input,) * count


def in_updated(ranks: Dims, operand: int, update: int, result: int) -> Dims:
    """The places of a factor of an update: the operand, the update, and the result."""
    return (operand, update) + (NOWHERE,) * (len(ranks) - 3) + (result,)


def joined(first: Dims, second: Dims) -> Dims:
    """Both lists of dimensions as one."""
    return first + second


def count_of(values: tuple[object, ...]) -> int:
    """How many values a tuple has."""
    return len(values)


def item(values: tuple[object, ...], place: int) -> object | None:
    """The value at a place of a tuple; no row if it is shorter."""
    return values[place] if 0 <= place < len(values) else None


def kept_position(dim: int, dropped: Dims, offset: int) -> int | None:
    """Where a dimension stands once some are dropped, counted from `offset`; no row if it is."""
    if dim in dropped:
        return None
    return offset + dim - sum(1 for one in dropped if one < dim)


# ---------------------------------------------------------------- reshape


def reshape_parts(source: Dims, target: Dims) -> tuple[Factor, ...] | None:
    """The factors of a reshape, major first; no row for an empty tensor.

    Sizes are cut into their greatest common divisors as long as both sides have taken the same
    product; once they differ, factors of one side follow until they meet again. Follows the case
    of ReshapeOp in createOpShardingRule.
    """
    if 0 in source:
        return None
    return tuple(_Reshape(source, target).factors())


class _Reshape:
    def __init__(self, source: Dims, target: Dims) -> None:
        self.sizes = (source, target)
        self.dims = [0, 0]
        self.begun = [1, 1]
        self.taken = [1, 1]
        self.found: list[Factor] = []

    def factors(self) -> list[Factor]:
        while any(self.more(side) for side in (0, 1)):
            if not self.one_sized():
                self.step()
        return self.found

    def more(self, side: int) -> bool:
        return self.dims[side] < len(self.sizes[side])

    def one_sized(self) -> bool:
        """Take a dimension of size 1, the source's first."""
        for side in (0, 1):
            if self.more(side) and self.sizes[side][self.dims[side]] == 1:
                self.add(1, side)
                self.dims[side] += 1
                return True
        return False

    def add(self, size: int, *sides: int) -> None:
        where = tuple(self.dims[side] if side in sides else NOWHERE for side in (0, 1))
        self.found.append(Factor(where, size, "pass", False))

    def take(self, size: int, *sides: int) -> None:
        self.add(size, *sides)
        for side in sides:
            self.taken[side] *= size

    def step(self) -> None:
        for side in (0, 1):
            if self.more(side) and self.begun[side] == self.taken[side]:
                self.begun[side] *= self.sizes[side][self.dims[side]]
        left = [self.begun[side] // self.taken[side] for side in (0, 1)]
        common = math.gcd(*left)
        if self.taken[0] == self.taken[1]:
            if common > 1:
                self.take(common, 0, 1)
            else:
                self.take(left[0], 0)
                self.take(left[1], 1)
        else:
            behind = 0 if self.taken[0] < self.taken[1] else 1
            ratio, rest = divmod(self.taken[1 - behind], self.taken[behind])
            if rest == 0 and left[behind] % ratio == 0:
                self.take(ratio, behind)
            elif left[behind] > common:
                self.take(left[behind] // common, behind)
            else:
                self.take(left[behind], behind)
        for side in (0, 1):
            if self.more(side) and self.begun[side] == self.taken[side]:
                self.dims[side] += 1


def part_places(part: Factor) -> Dims:
    """The places of a factor of a reshape."""
    return part.places


def part_size(part: Factor) -> int:
    """The size of a factor of a reshape."""
    return part.size


# ---------------------------------------------------------------- convolution


def spatial_size(size: int, windows: int, window: int, contracting: bool) -> int | None:
    """The size of one of the two factors of a spatial dimension; no row if it would be 1.

    `size` is that of the input's dimension, which is cut into the number of windows and the size of
    a window, the larger first. Follows the case of ConvolutionOp in createOpShardingRule.
    """
    first, second = min(size, max(windows, window)), min(windows, window)
    leads = contracting == (window > windows)
    if leads:
        return first if first > 1 else None
    left = size // first if first > 1 else size
    found = min(left, second)
    return found if found > 1 else None


def spatial_order(place: int, windows: int, window: int, contracting: bool) -> int:
    """The place of such a factor among all of a convolution: the larger goes first."""
    return 2 * place + (contracting != (window > windows))


# ---------------------------------------------------------------- gather and scatter


def window_dimension(dim: int, offsets: Dims, dropped: Dims, batching: Dims) -> int | None:
    """The dimension of the input behind a window dimension of the slices; no row for a batch one.

    `dropped` are the dimensions that the slices do not have. Follows addGatherScatterFactors.
    """
    if dim not in offsets:
        return None
    position = sum(1 for one in set(offsets) if one < dim)
    found = 0
    while True:
        if found not in dropped and found not in batching:
            if position == 0:
                return found
            position -= 1
        found += 1


def batch_position(dim: int, offsets: Dims) -> int | None:
    """Which batch dimension a dimension of the slices is; no row for a window dimension."""
    if dim in offsets:
        return None
    return dim - sum(1 for one in set(offsets) if one < dim)


def index_dimension(position: int, index_vector: int) -> int:
    """The dimension of the indices that is a batch dimension of the slices."""
    return position if position < index_vector else position + 1


def batched_input(dim: int, indices_batching: Dims, input_batching: Dims) -> int:
    """The dimension of the input that goes with one of the indices, -1 without an explicit one."""
    if dim not in indices_batching:
        return NOWHERE
    return input_batching[indices_batching.index(dim)]
