"""Relations about shardings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from shardlog.converters.partition_spec import spec_of_sharding
from shardlog.explain.account import reshards
from shardlog.explain.run import Place
from shardlog.explain.sizes import bytes_on_device
from shardlog.ir.axes import split_dims
from shardlog.ir.errors import InputError
from shardlog.ir.shape import Shape
from shardlog.ir.sharding import HloSharding
from shardlog.query.ground import Ground, Shelf
from shardlog.query.relations import Source

__all__ = ["SHARDINGS"]

_T = TypeVar("_T")

SHARDINGS = Shelf("shardings")


@SHARDINGS("sharding[I] == S", "the sharding that I leaves with, as text")
def _sharding(on: Ground) -> Source:
    return on.column(_each(on, lambda sharding: str(sharding)))


@SHARDINGS("annotation[I] == S", "the sharding that I came with")
def _annotation(on: Ground) -> Source:
    known: dict[HloSharding, str] = {}
    return on.column(
        [
            None if s is None else known.get(s) or known.setdefault(s, str(s))
            for s in on.run.outcome.given
        ]
    )


@SHARDINGS("annotated(I)", "I came with a sharding")
def _annotated(on: Ground) -> Source:
    return on.members(lambda: [n for n, s in enumerate(on.run.outcome.given) if s is not None])


@SHARDINGS("changed(I)", "I leaves with another sharding than it came with, or with its first")
def _changed(on: Ground) -> Source:
    given = on.run.outcome.given
    return on.members(
        lambda: [n for n, x in enumerate(on.instructions) if x.sharding is not given[n]]
    )


@SHARDINGS("replicated(I)", "every device holds all of I; of a tuple all of each element")
def _replicated(on: Ground) -> Source:
    return _holding(on, lambda s: all(part.kind == "replicated" for part in _parts(s)))


@SHARDINGS("unsharded(I)", "I has no sharding")
def _unsharded(on: Ground) -> Source:
    return on.members(lambda: [n for n, x in enumerate(on.instructions) if x.sharding is None])


@SHARDINGS("tiled(I)", "a dimension of I, or of an element, is split")
def _tiled(on: Ground) -> Source:
    return _holding(on, lambda s: any(map(split_dims, _parts(s))))


@SHARDINGS("partial(I)", "I, or an element, is split, with each tile on several devices")
def _partial(on: Ground) -> Source:
    return _holding(on, lambda s: any(part.replicate_on_last_tile_dim for part in _parts(s)))


@SHARDINGS("manual(I)", "I, or an element, is manual, on all devices or in a subgroup")
def _manual(on: Ground) -> Source:
    return _holding(
        on,
        lambda s: any(p.kind == "manual" or "manual" in p.subgroup_types for p in _parts(s)),
    )


@SHARDINGS("on_device[I] == N", "the one device that holds I")
def _on_device(on: Ground) -> Source:
    return on.column(_each(on, lambda sharding: sharding.unique_device))


@SHARDINGS("tile_count[I] == N", "into how many tiles an array is split, 1 if it is not")
def _tile_count(on: Ground) -> Source:
    def count(sharding: HloSharding) -> int | None:
        if sharding.is_tuple:
            return None
        count = 1
        for dim in split_dims(sharding):
            count *= sharding.tile.dims[dim]
        return count

    return on.column(_each(on, count))


@SHARDINGS(
    "dim_shards[I, D] == N", "how many ways dimension D of an array is split, 1 if it is not"
)
def _dim_shards(on: Ground) -> Source:
    def row(number: int) -> Sequence[int]:
        instruction = on.instructions[number]
        ways = [1] * len(instruction.shape.dimensions)
        for dim in split_dims(instruction.sharding):
            if dim < len(ways):
                assert instruction.sharding is not None
                ways[dim] = instruction.sharding.tile.dims[dim]
        return ways

    return on.table(row)


@SHARDINGS("uneven(I, D)", "dimension D of an array is split more ways than divide it")
def _uneven(on: Ground) -> Source:
    def rows() -> Iterator[tuple[str, int]]:
        for number, x in enumerate(on.instructions):
            for dim in split_dims(x.sharding):
                assert x.sharding is not None
                sizes = x.shape.dimensions
                if dim < len(sizes) and sizes[dim] % x.sharding.tile.dims[dim]:
                    yield on.names.instructions[number], dim

    return on.rows(rows, 0.1)


@SHARDINGS("device_bytes[I] == N", "the bytes of I that a device holds, padding included")
def _device_bytes(on: Ground) -> Source:
    known: dict[tuple[Shape, HloSharding | None], int] = {}
    values = []
    for x in on.instructions:
        key = x.shape, x.sharding
        if key not in known:
            known[key] = bytes_on_device(*key)
        values.append(known[key])
    return on.column(values)


@SHARDINGS("leaf_sharding[I, N] == S", "the sharding of array number N of a tuple")
def _leaf_sharding(on: Ground) -> Source:
    def row(number: int) -> Sequence[str]:
        sharding = on.instructions[number].sharding
        return (
            [] if sharding is None or not sharding.is_tuple else list(map(str, sharding.elements))
        )

    return on.table(row)


@SHARDINGS("shard_group[I] == G", "the number of the shard_as or shard_like group that I is in")
def _shard_group(on: Ground) -> Source:
    return on.column(on.fact("shard_group"))


@SHARDINGS("reshard(O, I)", "I wants its operand O in other tiles than O has")
def _reshard(on: Ground) -> Source:
    return on.rows(lambda: ((o, i) for o, i, _ in _reshards(on)), 0.1)


@SHARDINGS(
    "wanted[O, I] == S", "the sharding in which I wants its operand O, where that is another"
)
def _wanted(on: Ground) -> Source:
    return on.rows(lambda: _reshards(on), 0.1)


@SHARDINGS(
    "spec[I] == T", "the PartitionSpec of an array on the mesh (--mesh), where there is one", True
)
def _spec(on: Ground) -> Source:
    def spec(sharding: HloSharding) -> str | None:
        try:
            return str(spec_of_sharding(sharding.without_shard_group(), on.mesh))
        except InputError:
            return None

    return on.column(_each(on, spec))


@SHARDINGS(
    "dim_axis(I, D, T)", "dimension D of an array is split over the mesh axis T (--mesh)", True
)
def _dim_axis(on: Ground) -> Source:
    known: dict[HloSharding, list[tuple[int, str]]] = {}

    def axes(sharding: HloSharding) -> list[tuple[int, str]]:
        if sharding not in known:
            try:
                entries = spec_of_sharding(sharding.without_shard_group(), on.mesh).entries
            except InputError:
                entries = ()
            known[sharding] = [
                (dim, axis)
                for dim, entry in enumerate(entries)
                if isinstance(entry, tuple)
                for axis in entry
            ]
        return known[sharding]

    def rows() -> Iterator[tuple[str, int, str]]:
        for number, x in enumerate(on.instructions):
            if x.sharding is not None and not x.sharding.is_tuple:
                for dim, axis in axes(x.sharding):
                    yield on.names.instructions[number], dim, axis

    return on.rows(rows)


# ---------------------------------------------------------------- helpers


def _parts(sharding: HloSharding) -> Sequence[HloSharding]:
    return sharding.elements if sharding.is_tuple else (sharding,)


def _each(on: Ground, of: Callable[[HloSharding], _T]) -> list[_T | None]:
    """A column of what each instruction's sharding is, worked out once for each sharding."""
    known: dict[HloSharding, _T] = {}
    values: list[_T | None] = []
    for x in on.instructions:
        sharding = x.sharding
        if sharding is not None and sharding not in known:
            known[sharding] = of(sharding)
        values.append(None if sharding is None else known[sharding])
    return values


def _holding(on: Ground, test: Callable[[HloSharding], bool]) -> Source:
    def numbers() -> list[int]:
        return [n for n, holds in enumerate(_each(on, test)) if holds]

    return on.members(numbers)


_RESHARDS = "reshards"


def _reshards(on: Ground) -> Sequence[tuple[str, str, str]]:
    """Operand, user and the sharding wanted, of all that must be resharded."""
    # it takes long: rules are tried
    if _RESHARDS not in on.kept:
        on.kept[_RESHARDS] = list(_find_reshards(on))
    found: Sequence[tuple[str, str, str]] = on.kept[_RESHARDS]
    return found


def _find_reshards(on: Ground) -> Iterator[tuple[str, str, str]]:
    run, names = on.run, on.names
    known: dict[tuple[object, ...], list[tuple[int, str]]] = {}
    for number, x in enumerate(on.instructions):
        if x.sharding is None:
            continue
        operands = run.operands(number)
        has = [run.final(Place(one)) for one in operands]
        if not any(one is not None and split_dims(one) for one in has):
            continue
        key = (
            x.opcode, x.shape, x.sharding, _wants_by(x.attributes),
            *has, *(run.entities[one].shape for one in operands),
        )  # fmt: skip
        if key not in known:
            plain = [run.name(one) for one in operands]
            known[key] = [(plain.index(r.operand), str(r.wants)) for r in reshards(run, number)]
        for place, wants in known[key]:
            yield names.instructions[operands[place]], names.instructions[number], wants


_NAMING = frozenset(("metadata", "sharding", "origin", "backend_config", "to_apply", "calls"))
"""Attributes that do not decide what an instruction wants of its operands."""


def _wants_by(attributes: object) -> tuple[tuple[str, str], ...]:
    assert hasattr(attributes, "items")
    return tuple((name, value) for name, value in attributes.items() if name not in _NAMING)
