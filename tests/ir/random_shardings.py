"""Random HloShardings, made quickly from a random generator."""

from __future__ import annotations

import math
from random import Random

from shardlog.ir.op_metadata import OpMetadata
from shardlog.ir.sharding import HloSharding, ShardGroup
from shardlog.ir.tile_assignment import TileAssignment

SUBGROUPS = ("manual", "unreduced", "replicated")
PLAIN = (
    HloSharding.replicated(),
    HloSharding.manual(),
    HloSharding.unknown(),
    HloSharding.unreduced(),
)


def random_tile(rng: Random) -> TileAssignment:
    """A grid of a few dimensions, half of them as a list of devices."""
    dims = [rng.choice((1, 2, 2, 3, 4)) for _ in range(rng.randint(1, 4))]
    count = math.prod(dims)
    if count > 1 and rng.random() < 0.5:
        return TileAssignment.explicit(dims, rng.sample(range(count), count))
    return TileAssignment.iota(
        dims, rng.sample(dims, len(dims)), rng.sample(range(len(dims)), len(dims))
    )


def random_leaf(rng: Random) -> HloSharding:
    """The sharding of one array, perhaps with a shard group and metadata."""
    kind = rng.random()
    if kind < 0.15:
        sharding = rng.choice(PLAIN)
    elif kind < 0.2:
        sharding = HloSharding.maximal(rng.randrange(10))
    else:
        tile = random_tile(rng)
        types = [rng.choice(SUBGROUPS) for _ in range(rng.randint(0, len(tile.dims)))]
        sharding = HloSharding.subgroup(tile, types)
    if rng.random() < 0.3:
        sharding = sharding.with_shard_group(
            ShardGroup(rng.choice((0, 7, 1 << 40)), rng.choice(("as", "like")))
        )
    notes = [
        OpMetadata.of(
            {
                "op_name": rng.choice(("", "a", 'b"\\', "ä\n")),
                "source_line": rng.choice((0, 7, -(1 << 31))),
                "profile_type": tuple(rng.choices(range(4), k=rng.randrange(3))),
            }
        )
        for _ in range(rng.choice((0, 0, 1, 2)))
    ]
    return sharding.with_metadata(notes)


def random_value(rng: Random) -> HloSharding:
    """The sharding of an array or of a tuple."""
    if rng.random() < 0.75:
        return random_leaf(rng)
    return HloSharding.tuple_of(random_leaf(rng) for _ in range(rng.randrange(8)))
