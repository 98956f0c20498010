"""Refining annotations that leave dimensions open (`unspecified_dims`).

An annotation may be followed by a conversion between automatic and manual partitioning with the
same open dimensions; then both are refined together, or neither.
"""

from __future__ import annotations

from shardlog.ir.algebra.carry import dropped
from shardlog.ir.algebra.merge import merged
from shardlog.ir.sharding import HloSharding

__all__ = ["opened", "paired"]

AUTOMATIC = "automatic"
"""The side of a conversion without manual groups; the other is `manual`."""


def opened(
    own: HloSharding, sharding: HloSharding, open_dims: tuple[int, ...]
) -> HloSharding | None:
    """The annotation refined by the tiles that a sharding has in open dimensions, or no row.

    Follows InferUnspecifiedDimsFromOperand and its siblings for annotations without conversion.
    """
    return _refined(own, _only(sharding, open_dims))


def paired(
    own: HloSharding,
    other: HloSharding,
    sharding: HloSharding,
    open_dims: tuple[int, ...],
    own_side: str,
    source: str,
    part: str,
) -> HloSharding | None:
    """An annotation or its conversion refined by a sharding, or no row.

    `own` is the annotation's sharding, `other` the conversion's. `own_side` is the annotation's
    side of the conversion ('automatic' or 'manual'), `source` the side that the sharding comes
    from, `part` the side of what is asked for. Either part has a row exactly if the other has.
    Follows InferUnspecifiedDimsFromOperand and -OneUser.
    """
    automatic, manual = (own, other) if own_side == AUTOMATIC else (other, own)
    refine = _from_automatic if source == AUTOMATIC else _from_manual
    result = refine(sharding, open_dims, automatic, manual)
    if result is None:
        return None
    return result[0] if part == AUTOMATIC else result[1]


def _from_automatic(
    sharding: HloSharding, open_dims: tuple[int, ...], automatic: HloSharding, manual: HloSharding
) -> tuple[HloSharding, HloSharding] | None:
    """Both refined by a sharding without manual groups.

    Follows RefineManualAutoShardingFromAuto.
    """
    if not _is_pair(automatic, manual):
        return None
    partial = _only(sharding, open_dims)
    new_automatic = _refined(automatic, partial)
    if new_automatic is None or partial.kind != "tiled":
        return None
    # To merge, the manual groups pass for a data dimension that the new sharding does not split.
    rank, dims = partial.tiled_data_rank, partial.tile.dims
    wide = HloSharding.partial_tile(partial.tile.reshape((*dims[:rank], 1, *dims[rank:])))
    wide = wide.with_metadata(partial.metadata)
    shown = HloSharding.partial_tile(manual.tile).with_metadata(manual.metadata)
    merged_manual = _refined(shown, wide)
    if merged_manual is None:
        return None
    types = ("manual", "replicated") if merged_manual.has_partial_replication else ("manual",)
    new_manual = HloSharding.subgroup(merged_manual.tile, types)
    return new_automatic, new_manual.with_metadata(merged_manual.metadata)


def _from_manual(
    sharding: HloSharding, open_dims: tuple[int, ...], automatic: HloSharding, manual: HloSharding
) -> tuple[HloSharding, HloSharding] | None:
    """Both refined by a sharding with manual groups.

    Follows RefineManualAutoShardingFromManual.
    """
    if not sharding.is_manual_subgroup or not _is_pair(automatic, manual):
        return None
    partial = _only(sharding, open_dims)
    new_manual = _refined(manual, partial)
    if new_manual is None:
        return None
    types = ("replicated",) * len(partial.subgroup_types)
    shown = HloSharding.subgroup(partial.tile, types).with_metadata(partial.metadata)
    new_automatic = _refined(automatic, shown)
    return None if new_automatic is None else (new_automatic, new_manual)


def _is_pair(automatic: HloSharding, manual: HloSharding) -> bool:
    """Whether one has no manual groups and the other has, and replicas besides."""
    return manual.subgroup_types == ("manual", "replicated") and not automatic.is_manual_subgroup


def _only(sharding: HloSharding, dims: tuple[int, ...]) -> HloSharding:
    """The sharding with all dimensions but some replicated.

    Follows PartiallyReplicateTiledShardingOnAllDimsExcept.
    """
    if sharding.kind != "tiled":
        return sharding
    rank = sharding.tiled_data_rank
    return dropped(sharding, [dim for dim in range(rank) if dim not in dims])


def _refined(sharding: HloSharding, other: HloSharding) -> HloSharding | None:
    result = merged(sharding, other)
    return None if result is sharding else result
