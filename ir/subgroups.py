"""The canonical form of tile assignments whose last dimensions are subgroups.

A subgroup dimension does not split data: its devices replicate, run manually or hold unreduced
parts of the same tile.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from shardlog.ir.arrays import np
from shardlog.ir.tile_assignment import TileAssignment

__all__ = ["SUBGROUP_TYPES", "merged_subgroups", "sorted_replicas"]

SUBGROUP_TYPES = ("maximal", "tuple", "other", "manual", "unreduced", "replicated", "unknown")
"""Every subgroup type in the order in which XLA lays the subgroups out; in use are manual,
unreduced and replicated, the others come from protos that misuse the field."""


def sorted_replicas(tile: TileAssignment) -> TileAssignment:
    """Return the grid with the devices along its last dimension in ascending order.

    An iota grid stays one if the last dimension covers whole reshape dimensions, the most major of
    them perhaps in part. Follows HloSharding::PartialTile.
    """
    group_size = tile.dims[-1]
    if tile.is_iota:
        try:
            if tile.reshape_dims[tile.transpose_perm[-1]] == group_size:
                return tile
            grouped = _grouped_minor(tile.reshape_dims, tile.transpose_perm, group_size)
        except (IndexError, ZeroDivisionError):
            tile.require_sound()  # a broken grid is taken as far as it goes
            raise
        if grouped is not None:
            return TileAssignment.iota(tile.dims, *grouped, check=False)
    return TileAssignment.explicit(tile.dims, np.sort(tile.array, axis=-1))


def merged_subgroups(
    tile: TileAssignment, types: Sequence[str]
) -> tuple[TileAssignment, tuple[str, ...]]:
    """Return the grid and its types with one subgroup per type, in the order of SUBGROUP_TYPES.

    Subgroups of size 1 go. Follows the normalisation in HloSharding::Subgroup.
    """
    rank = len(tile.dims)
    data_rank = rank - len(types)
    members: dict[str, list[int]] = {}
    removed = []
    for dim, kind in enumerate(types, start=data_rank):
        if tile.dims[dim] == 1:
            removed.append(dim)
        else:
            members.setdefault(kind, []).append(dim)
    if not removed and len(types) <= 1:
        return tile, tuple(types)
    order = tuple(kind for kind in SUBGROUP_TYPES if kind in members)
    perm = [*range(data_rank), *(dim for kind in order for dim in members[kind])]
    sizes = tuple(math.prod(tile.dims[dim] for dim in members[kind]) for kind in order)
    dims = tile.dims[:data_rank] + sizes
    return tile.transpose([*perm, *removed]).reshape(dims), order


def _grouped_minor(
    reshape_dims: tuple[int, ...], perm: tuple[int, ...], group_size: int
) -> tuple[list[int], list[int]] | None:
    """Sort the minor dimensions that together have `group_size` places, splitting one if needed.

    Returns None if the group is no union of such dimensions. Follows GroupMinorIotaDimsSorted.
    """
    dims, order = list(reshape_dims), list(perm)
    start = len(order)
    while group_size > 1:
        start -= 1
        dim = order[start]
        size = dims[dim]
        if size > group_size:
            if size % group_size:
                return None
            dims[dim : dim + 1] = [size // group_size, group_size]
            order = [other + (other > dim) for other in order]
            start += 1
            order.insert(start, dim + 1)
            break
        if group_size % size:
            return None
        group_size //= size
    return dims, order[:start] + sorted(order[start:])
