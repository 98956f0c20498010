"""HloSharding: how the value of an instruction lies on the devices.

Equal shardings are one object, metadata and shard group included, so `is` tells whether two
shardings agree in all that XLA prints. XLA's operator== sees less: it ignores metadata, and an
explicit device list equals the iota grid with the same devices. `equals` is that operator, and
`essence` the one object that stands for all shardings it calls equal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from shardlog.ir.errors import InputError
from shardlog.ir.interned import Interned
from shardlog.ir.op_metadata import OpMetadata
from shardlog.ir.subgroups import SUBGROUP_TYPES, merged_subgroups, sorted_replicas
from shardlog.ir.tile_assignment import TileAssignment

__all__ = ["HloSharding", "Kind", "ShardGroup"]

Kind = Literal["replicated", "maximal", "manual", "unknown", "unreduced", "tiled", "tuple"]

_NO_TILES = TileAssignment.explicit((0,), ())
"""The assignment of shardings that have none: one dimension, no device, as in XLA."""


_canonical: dict[tuple[TileAssignment, tuple[str, ...]], HloSharding] = {}


class ShardGroup(metaclass=Interned):
    """A group of instructions that are sharded exactly (`as`) or preferably (`like`) the same.

    Equal values are one object. Follows HloSharding::ShardGroup.
    """

    __slots__ = ("group_id", "kind")

    group_id: int
    kind: Literal["as", "like"]

    def __init__(self, group_id: int, kind: Literal["as", "like"]) -> None:
        self.group_id = group_id
        self.kind = kind

    def __str__(self) -> str:
        return f"shard_{self.kind} {self.group_id}"

    def __repr__(self) -> str:
        return f"<ShardGroup {self}>"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return ShardGroup, (self.group_id, self.kind)


class HloSharding(metaclass=Interned):
    """An immutable, interned sharding, made by its factories or by reading text or a proto.

    Of a tuple sharding a predicate holds if it holds for all elements, so of an empty one always;
    its `tile` is empty and its metadata and shard group are those of its elements. A sharding that
    is neither tiled nor on one device has an empty `tile` too. Follows xla::HloSharding.
    """

    __slots__ = (
        "_bare",
        "_essence",
        "_num_tiles",
        "_text",
        "elements",
        "has_partial_replication",
        "is_manual",
        "is_manual_subgroup",
        "is_replicated",
        "is_tile_maximal",
        "is_tiled",
        "is_tuple",
        "is_unknown",
        "is_unreduced",
        "kind",
        "metadata",
        "replicate_on_last_tile_dim",
        "shard_group",
        "subgroup_types",
        "tile",
    )

    kind: Kind
    tile: TileAssignment
    replicate_on_last_tile_dim: bool
    subgroup_types: tuple[str, ...]
    elements: tuple[HloSharding, ...]
    metadata: tuple[OpMetadata, ...]
    shard_group: ShardGroup | None
    is_tuple: bool
    is_replicated: bool
    is_tile_maximal: bool
    is_manual: bool
    is_unknown: bool
    is_unreduced: bool
    is_tiled: bool
    is_manual_subgroup: bool
    has_partial_replication: bool

    def __init__(
        self,
        kind: Kind,
        tile: TileAssignment = _NO_TILES,
        replicate_on_last_tile_dim: bool = False,
        subgroup_types: tuple[str, ...] = (),
        elements: tuple[HloSharding, ...] = (),
        metadata: tuple[OpMetadata, ...] = (),
        shard_group: ShardGroup | None = None,
    ) -> None:
        self.kind = kind
        self.tile = tile
        self.replicate_on_last_tile_dim = replicate_on_last_tile_dim
        self.subgroup_types = subgroup_types
        self.elements = elements
        self.metadata = metadata
        self.shard_group = shard_group
        self.is_tuple = kind == "tuple"
        leaves = elements if self.is_tuple else (self,)
        self.is_replicated = all(leaf.kind == "replicated" for leaf in leaves)
        self.is_tile_maximal = all(leaf.kind in ("replicated", "maximal") for leaf in leaves)
        self.is_manual = all(leaf.kind == "manual" for leaf in leaves)
        self.is_unknown = all(leaf.kind == "unknown" for leaf in leaves)
        self.is_unreduced = all(leaf.kind == "unreduced" for leaf in leaves)
        self.is_tiled = not (
            self.is_tile_maximal or self.is_manual or self.is_unknown or self.is_unreduced
        )
        self.is_manual_subgroup = all("manual" in leaf.subgroup_types for leaf in leaves)
        self.has_partial_replication = replicate_on_last_tile_dim or "replicated" in subgroup_types
        self._num_tiles: int | None = None
        if kind == "tiled":
            self._num_tiles = math.prod(tile.dims[: self.tiled_data_rank])
        elif self.is_tile_maximal:
            self._num_tiles = 1
        self._text: str | None = None
        self._bare: HloSharding | None = None
        self._essence: HloSharding | None = None

    # ---- factories

    @classmethod
    def replicated(cls) -> HloSharding:
        """Return the sharding that keeps the whole value on every device."""
        return cls("replicated")

    @classmethod
    def maximal(cls, device: int) -> HloSharding:
        """Return the sharding that keeps the whole value on one device (AssignDevice)."""
        return cls("maximal", TileAssignment.explicit((1,), (device,)))

    @classmethod
    def manual(cls) -> HloSharding:
        """Return the sharding of values that the user has partitioned by hand."""
        return cls("manual")

    @classmethod
    def unknown(cls) -> HloSharding:
        """Return the placeholder that any other sharding may replace."""
        return cls("unknown")

    @classmethod
    def unreduced(cls) -> HloSharding:
        """Return the sharding of a value that every device holds as a part of a sum."""
        return cls("unreduced")

    @classmethod
    def tiled(cls, tile: TileAssignment) -> HloSharding:
        """Return the sharding whose grid dimensions all split data dimensions (Tile)."""
        return cls("tiled", tile)

    @classmethod
    def partial_tile(cls, tile: TileAssignment) -> HloSharding:
        """Return the sharding whose last grid dimension replicates.

        It is canonical: replicas are in ascending order, a last dimension of size 1 goes, and one
        that has all devices gives replicated. Follows HloSharding::PartialTile.
        """
        key = (tile, ("replicated",))
        known = _canonical.get(key)
        if known is not None:
            return known
        last = tile.dims[-1]
        if len(tile.dims) == 1 or last == tile.num_elements:
            value = cls("replicated")
        elif last == 1:
            value = cls("tiled", tile.reshape(tile.dims[:-1]))
        else:
            value = cls("tiled", sorted_replicas(tile), True)
        return _canonical.setdefault(key, value)

    @classmethod
    def subgroup(cls, tile: TileAssignment, types: Sequence[str]) -> HloSharding:
        """Return the sharding whose last grid dimensions are subgroups of the given types.

        It is canonical: one subgroup per type, in the order manual, unreduced, replicated, none of
        size 1; a single subgroup that has all devices gives that sharding, a single replicated one
        `partial_tile`. Raises InputError for an unknown type or more types than dimensions.
        Follows HloSharding::Subgroup.
        """
        key = (tile, tuple(types))
        known = _canonical.get(key)
        if known is not None:
            return known
        if len(types) > len(tile.dims):
            raise InputError(f"{len(types)} subgroup types for a grid of {len(tile.dims)} dims")
        unknown = next((kind for kind in types if kind not in SUBGROUP_TYPES), None)
        if unknown is not None:
            raise InputError("unknown subgroup type", expected="a subgroup type", found=unknown)
        return _canonical.setdefault(key, cls._subgroup(*key))

    @classmethod
    def _subgroup(cls, tile: TileAssignment, types: tuple[str, ...]) -> HloSharding:
        if not types:
            return cls("tiled", tile)
        if len(set(types)) == 1 and math.prod(tile.dims[: -len(types)]) == 1:
            if types[0] == "manual":
                return cls("manual")
            if types[0] == "replicated":
                return cls("replicated")
            if types[0] == "unreduced":
                return cls("unreduced")
        tile, order = merged_subgroups(tile, types)
        if order == ("replicated",):
            return cls.partial_tile(tile)
        if order == ("manual",) and tile.num_elements == tile.dims[-1]:
            return cls("manual")
        if order and order[-1] == "replicated":
            tile = sorted_replicas(tile)
        return cls("tiled", tile, False, order)

    @classmethod
    def tuple_of(cls, elements: Iterable[HloSharding]) -> HloSharding:
        """Return the sharding of a tuple from those of its leaves in order (FlatTuple)."""
        return cls("tuple", _NO_TILES, False, (), tuple(elements))

    # ---- numbers

    @property
    def tiled_data_rank(self) -> int:
        """The number of grid dimensions that split data. Follows TiledDataRank.

        Raises InputError unless the sharding is tiled.
        """
        if self.kind != "tiled":
            raise InputError(f"{self} has no grid of tiles")
        return len(self.tile.dims) - self.replicate_on_last_tile_dim - len(self.subgroup_types)

    @property
    def num_tiles(self) -> int:
        """The number of different tiles; 1 if the value is whole. Follows NumTiles.

        Raises InputError for manual, unknown and unreduced shardings and for most tuples.
        """
        if self._num_tiles is None:
            raise InputError(f"{self} has no number of tiles")
        return self._num_tiles

    def num_tiles_on(self, dims: Iterable[int]) -> int:
        """Return the number of tiles along some dimensions of the grid. Follows NumTiles(dims)."""
        if self.is_tile_maximal:
            return 1
        return math.prod(self.tile.dims[dim] for dim in dims)

    @property
    def total_num_tiles(self) -> int:
        """The number of places in the grid, subgroups included. Follows TotalNumTiles.

        Raises InputError for manual, unknown and unreduced shardings and for tuples.
        """
        if self.is_tile_maximal:
            return 1
        if self.kind != "tiled":
            raise InputError(f"{self} has no number of tiles")
        return self.tile.num_elements

    @property
    def num_devices(self) -> int:
        """The number of devices in the grid; 0 if there is none."""
        return self.tile.num_elements

    @property
    def unique_device(self) -> int | None:
        """The one device that holds the whole value, or None. Follows UniqueDevice."""
        if self.is_tuple:
            devices = {element.unique_device for element in self.elements}
            return devices.pop() if len(devices) == 1 else None
        return self.tile.first_device if self.kind == "maximal" else None

    @property
    def has_unique_device(self) -> bool:
        """Whether one device holds the whole value."""
        return self.unique_device is not None

    # ---- shard groups and metadata

    @property
    def is_shard_as(self) -> bool:
        """Whether the sharding, or every element, is in a group sharded exactly alike."""
        return self._all_in_group(("as",))

    @property
    def is_shard_like(self) -> bool:
        """Whether the sharding, or every element, is in a group sharded preferably alike."""
        return self._all_in_group(("like",))

    @property
    def is_shard_group(self) -> bool:
        """Whether the sharding, or every element, is in a shard group."""
        return self._all_in_group(("as", "like"))

    def _all_in_group(self, kinds: tuple[str, ...]) -> bool:
        leaves = self.elements if self.is_tuple else (self,)
        groups = [leaf.shard_group for leaf in leaves]
        return bool(groups) and all(
            # -1 is XLA's number for no group.
            group is not None and group.kind in kinds and group.group_id != -1
            for group in groups
        )

    def with_shard_group(self, group: ShardGroup | None) -> HloSharding:
        """Return this sharding in the given shard group, or in none; a tuple's elements likewise.

        Follows SetShardGroup and ClearShardGroup.
        """
        if self.is_tuple:
            return HloSharding.tuple_of(leaf.with_shard_group(group) for leaf in self.elements)
        return self._with(self.metadata, group)

    def without_shard_group(self) -> HloSharding:
        """Return this sharding in no shard group."""
        return self.with_shard_group(None)

    def with_metadata(
        self, metadata: Iterable[OpMetadata], *, overwrite: bool = True
    ) -> HloSharding:
        """Return this sharding with the given metadata, in a tuple on every element.

        Without `overwrite` metadata that is there stays. Follows HloSharding::WithMetadata.
        """
        given = tuple(metadata)
        if self.is_tuple:
            return HloSharding.tuple_of(
                leaf.with_metadata(given, overwrite=overwrite) for leaf in self.elements
            )
        return self if self.metadata and not overwrite else self._with(given, self.shard_group)

    def without_metadata(self) -> HloSharding:
        """Return `bare`. Follows HloSharding::WithoutMetadata."""
        return self.bare

    @property
    def bare(self) -> HloSharding:
        """This sharding without metadata; the shard group stays."""
        bare = self._bare
        if bare is None:
            if self.is_tuple:
                bare = HloSharding.tuple_of(leaf.bare for leaf in self.elements)
            else:
                bare = self._with((), self.shard_group)
            self._bare = bare
        return bare

    def _with(
        self, metadata: tuple[OpMetadata, ...], shard_group: ShardGroup | None
    ) -> HloSharding:
        return HloSharding(
            self.kind,
            self.tile,
            self.replicate_on_last_tile_dim,
            self.subgroup_types,
            self.elements,
            metadata,
            shard_group,
        )

    # ---- equality and text

    @property
    def essence(self) -> HloSharding:
        """The sharding that stands for all that XLA's operator== calls equal to this one.

        It has no metadata, and its devices are an iota grid wherever one lists them.
        """
        essence = self._essence
        if essence is None:
            if self.is_tuple:
                essence = HloSharding.tuple_of(leaf.essence for leaf in self.elements)
            else:
                essence = HloSharding(
                    self.kind,
                    self.tile.device_form if self.kind == "tiled" else self.tile,
                    self.replicate_on_last_tile_dim,
                    self.subgroup_types,
                    (),
                    (),
                    self.shard_group,
                )
            self._essence = essence
        return essence

    def equals(self, other: HloSharding) -> bool:
        """Tell whether XLA's operator== calls the two equal."""
        return self is other or self.essence is other.essence

    def to_text(self, metadata: bool = True) -> str:
        """Return XLA's text with braces. Follows HloSharding::Print."""
        if self.is_tuple:
            parts = []
            for index, element in enumerate(self.elements):
                note = f"/*index={index}*/" if index and index % 5 == 0 else ""
                parts.append(note + element.to_text(metadata))
            return f"{{{', '.join(parts)}}}"
        words = [self.kind if self.kind != "tiled" else str(self.tile)]
        if self.kind == "maximal":
            words.append(f"device={self.tile.first_device}")
        if self.replicate_on_last_tile_dim:
            words.append("last_tile_dim_replicate")
        if self.subgroup_types:
            names = ", ".join(_TYPE_WORDS.get(kind, "error_type.") for kind in self.subgroup_types)
            words.append(f"last_tile_dims={{{names}}}")
        if self.shard_group is not None:
            words.append(str(self.shard_group))
        if metadata and len(self.metadata) == 1:
            words.append(f"metadata={{{self.metadata[0]}}}")
        elif metadata and self.metadata:
            words.append(f"metadata={{{', '.join(f'{{{each}}}' for each in self.metadata)}}}")
        return f"{{{' '.join(words)}}}"

    def __str__(self) -> str:
        text = self._text
        if text is None:
            text = self._text = self.to_text(metadata=False)
        return text

    def __repr__(self) -> str:
        return f"<HloSharding {self.to_text()}>"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return HloSharding, (
            self.kind,
            self.tile,
            self.replicate_on_last_tile_dim,
            self.subgroup_types,
            self.elements,
            self.metadata,
            self.shard_group,
        )


_TYPE_WORDS = {kind: kind for kind in ("manual", "maximal", "replicated", "unreduced")}
