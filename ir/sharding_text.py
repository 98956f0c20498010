"""Reading the text form of a sharding: what stands behind `sharding=` in HLO text."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

from shardlog.ir.errors import InputError
from shardlog.ir.op_metadata import OpMetadata
from shardlog.ir.op_metadata_text import read_metadata
from shardlog.ir.scanner import Scanner
from shardlog.ir.sharding import HloSharding, Kind, ShardGroup
from shardlog.ir.tile_assignment import TileAssignment
from shardlog.light import dataclass, field

__all__ = ["parse_sharding"]

_MEMO_LIMIT = 1 << 16
_MOST_FILLED = 1 << 16
_KEYWORDS: tuple[Kind, ...] = ("replicated", "maximal", "manual", "unknown", "unreduced")
_SUBGROUP_WORDS = ("manual", "replicated", "unreduced", "maximal")

_memo: dict[tuple[str, bool], HloSharding] = {}
_T = TypeVar("_T")


def parse_sharding(text: str, lenient: bool = False) -> HloSharding:
    """Return the sharding that a text with braces describes.

    By default every contradiction is an error: a grid that does not hold the listed devices, a
    device listed twice or below 0, a keyword beside another or beside a grid, an attribute given
    twice. `lenient` resolves these as XLA does and still refuses what makes XLA abort. A mesh-based
    ("V3") text gives the same sharding as a grid. Raises InputError with line and column in the
    text. Follows HloParserImpl::ParseSharding.
    """
    key = (text, lenient)
    known = _memo.get(key)
    if known is not None:
        return known
    value = _Reader(text, lenient).read()
    if len(text) <= _MEMO_LIMIT:
        _memo[key] = value
    return value


@dataclass
class _Parts:
    """What one pair of braces said, before it is put together."""

    start: int
    keywords: list[str] = field(default_factory=list)
    dims: list[int] = field(default_factory=list)
    reshape_dims: list[int] = field(default_factory=list)
    perm: list[int] = field(default_factory=list)
    devices: list[int] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    replicate_last: bool = False
    group: list[str] = field(default_factory=list)
    group_id: int = 0
    metadata: list[OpMetadata] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)


class _Reader:
    def __init__(self, text: str, lenient: bool) -> None:
        self.scanner = Scanner(text, "sharding")
        self.lenient = lenient

    def read(self) -> HloSharding:
        scanner = self.scanner
        scanner.expect("{", "an opening brace")
        if scanner.token in ("{", "}"):
            elements = []
            if scanner.token == "{":
                elements.append(self.single())
                while scanner.eat(","):
                    elements.append(self.single())
            scanner.expect("}", "',' or a closing brace")
            value = HloSharding.tuple_of(elements)
        else:
            value = self.braces()
        if scanner.token:
            raise scanner.error("more text after the sharding", "the end")
        return value

    def single(self) -> HloSharding:
        self.scanner.expect("{", "an opening brace")
        return self.braces()

    def braces(self) -> HloSharding:
        """Read up to the closing brace; the opening one is read."""
        scanner = self.scanner
        parts = _Parts(scanner.start)
        if scanner.token in ("mesh", "maximal_mesh"):
            # few texts need all that belongs to meshes
            from shardlog.ir.named_sharding_text import read_named_sharding

            named = read_named_sharding(scanner, self.lenient)
            value = self.built(parts, named.tiles)
            scanner.next()
            return value
        while scanner.token != "}":
            word = scanner.token
            if word in _KEYWORDS:
                parts.keywords.append(word)
                scanner.next()
            elif word == "last_tile_dim_replicate":
                parts.replicate_last = True
                scanner.next()
            elif word in ("shard_as", "shard_like"):
                parts.group.append(word)
                scanner.next()
                parts.group_id = scanner.integer()
            elif word.endswith("="):
                self.attribute(word[:-1], parts)
            else:
                raise scanner.error("unreadable sharding", "a keyword, an attribute or '}'")
        value = self.assembled(parts)
        scanner.next()
        return value

    def attribute(self, name: str, parts: _Parts) -> None:
        scanner = self.scanner
        if name not in ("device", "devices", "last_tile_dims", "metadata"):
            raise scanner.error(
                "unknown attribute", "device=, devices=, last_tile_dims= or metadata="
            )
        once = "devices" if name == "device" else name
        if once in parts.seen and not self.lenient and name != "metadata":
            raise scanner.error(f"{once} given twice", "each attribute once")
        parts.seen.add(once)
        scanner.next()
        if name == "device":
            parts.devices[:] = [scanner.integer()]
        elif name == "devices":
            self.grid(parts)
        elif name == "last_tile_dims":
            scanner.expect("{", "'{'")
            if scanner.token != "}":
                parts.types.append(self.subgroup_type())
                while scanner.eat(","):
                    parts.types.append(self.subgroup_type())
            scanner.expect("}", "',' or '}'")
        else:
            parts.metadata += read_metadata(scanner)

    def subgroup_type(self) -> str:
        word = self.scanner.token
        if word not in _SUBGROUP_WORDS:
            raise self.scanner.error("unknown subgroup type", "manual, replicated or unreduced")
        self.scanner.next()
        return word

    def grid(self, parts: _Parts) -> None:
        """Read dims, then a device list or reshape dims with their permutation."""
        scanner = self.scanner
        scanner.expect("[", "'['")
        parts.dims += scanner.integers()
        scanner.expect("]", "',' or ']'")
        if not scanner.eat("<="):
            parts.devices += scanner.integers()
            return
        scanner.expect("[", "'['")
        parts.reshape_dims += scanner.integers()
        scanner.expect("]", "',' or ']'")
        count = len(parts.reshape_dims)
        if count == 1:
            parts.perm.append(0)
            return
        scanner.expect("T", "T(...), the order of the reshape dimensions")
        scanner.expect("(", "T(...), the order of the reshape dimensions")
        while True:
            if not 0 <= scanner.integer_here() < count:
                raise scanner.error("no such reshape dimension", f"0 to {count - 1}")
            parts.perm.append(scanner.integer())
            if not scanner.eat(","):
                break
        scanner.expect(")", "',' or ')'")

    # ---- putting the parts together

    def assembled(self, parts: _Parts) -> HloSharding:
        value = self.kind(parts).with_metadata(parts.metadata)
        if not parts.group:
            return value
        # Where both words are given XLA keeps the last number and shard_as.
        group = ShardGroup(parts.group_id, "as" if "shard_as" in parts.group else "like")
        return value.with_shard_group(group)

    def kind(self, parts: _Parts) -> HloSharding:
        keyword = next((word for word in _KEYWORDS if word in parts.keywords), None)
        if keyword is None:
            return self.tiled(parts)
        if keyword == "maximal":
            if len(parts.devices) != 1:
                raise self.refusal(parts, "maximal needs exactly one device")
            if not self.lenient and parts.devices[0] < 0:
                raise self.refusal(parts, f"device {parts.devices[0]} is below 0")
        elif parts.devices:
            raise self.refusal(parts, f"{keyword} goes without devices")
        if not self.lenient:
            if len(set(parts.keywords)) > 1:
                raise self.refusal(parts, f"{' and '.join(parts.keywords)} contradict each other")
            if parts.dims or parts.types or parts.replicate_last:
                raise self.refusal(parts, f"{keyword} goes without a grid")
        if keyword == "maximal":
            return HloSharding.maximal(parts.devices[0])
        return HloSharding(keyword)

    def tiled(self, parts: _Parts) -> HloSharding:
        if not parts.dims:
            raise self.refusal(parts, "neither a keyword nor a grid devices=[...]")
        if len(parts.perm) != len(parts.reshape_dims):
            raise self.refusal(
                parts,
                f"{len(parts.perm)} entries in T(...) for {len(parts.reshape_dims)} "
                "reshape dimensions",
            )
        if parts.replicate_last and parts.types:
            raise self.refusal(parts, "last_tile_dim_replicate goes without last_tile_dims")
        types = ["replicated"] if parts.replicate_last else parts.types
        if len(types) > len(parts.dims):
            raise self.refusal(
                parts, f"{len(types)} subgroup types for {len(parts.dims)} grid dimensions"
            )
        if parts.reshape_dims:
            if parts.devices:
                raise self.refusal(parts, "both an iota grid and a device")
            return self.built(
                parts,
                lambda: HloSharding.subgroup(
                    TileAssignment.iota(
                        parts.dims, parts.reshape_dims, parts.perm, check=not self.lenient
                    ),
                    types,
                ),
            )
        if len(parts.devices) < 2:
            raise self.refusal(parts, "a device list needs at least two devices")
        if not self.lenient:
            repeated = len(set(parts.devices)) < len(parts.devices)
            if repeated or min(parts.devices) < 0:
                raise self.refusal(
                    parts, "a device is listed twice" if repeated else "a device is below 0"
                )
        elif min(parts.dims) >= 0:
            places = math.prod(parts.dims)
            if places > max(_MOST_FILLED, len(parts.devices)):
                raise self.refusal(
                    parts, f"{len(parts.devices)} devices for a grid of more than {_MOST_FILLED}"
                )
            parts.devices += [0] * (places - len(parts.devices))
            del parts.devices[places:]
        return self.built(
            parts,
            lambda: HloSharding.subgroup(TileAssignment.explicit(parts.dims, parts.devices), types),
        )

    def built(self, parts: _Parts, make: Callable[[], _T]) -> _T:
        try:
            return make()
        except InputError as error:
            raise self.refusal(parts, error.message) from None

    def refusal(self, parts: _Parts, message: str) -> InputError:
        line, column = self.scanner.place(parts.start)
        return InputError(message, line=line, column=column)
