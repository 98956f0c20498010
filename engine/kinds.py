"""Relations of which all entities of one kind have the same rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from shardlog.engine.tokens import NotAlike, Token, has_token

if TYPE_CHECKING:
    from shardlog.engine.traced import Tracer

Row = tuple[Hashable, ...]
Key = tuple[Any, ...]


class KindTable:
    """A table whose first term is an entity, while its other terms hang on the entity's kind.

    `rest` gives them, row by row, for a kind; an entity whose kind is None has no rows. What it
    gives is kept for the kind, so it is asked once of all entities that are alike. If they are
    `told`, the kinds are also the values of a functional relation: who knows it knows the rows.
    """

    __slots__ = ("_indexes", "_rest", "arity", "functional", "kinds", "told")

    def __init__(
        self,
        kinds: Sequence[Any],
        rest: Callable[[Any], Sequence[Row]],
        arity: int,
        functional: bool = False,
        told: bool = False,
    ) -> None:
        self.told = told
        self.kinds, self._rest = kinds, rest
        self.arity, self.functional = arity, functional
        self._indexes: dict[tuple[Any, tuple[int, ...]], dict[Key, list[Row]]] = {}

    @property
    def rows(self) -> KindTable:
        """The rows, which can be gone through and looked for."""
        return self

    def rest(self, entity: int, positions: tuple[int, ...], key: Key) -> Sequence[Row]:
        """The rows of an entity, without it, that agree with a key at some positions of the row."""
        kind = self.kinds[entity]
        if kind is None:
            return ()
        index = self._indexes.get((kind, positions))
        if index is None:
            index = self._indexes[kind, positions] = {}
            for row in self._rest(kind):
                index.setdefault(tuple([row[p - 1] for p in positions]), []).append(row)
        return index.get(key, ())

    def lookup(self, positions: tuple[int, ...], key: Key) -> Sequence[Row]:
        """The rows whose columns at `positions` equal `key`, entity by entity."""
        if not positions or positions[0] != 0:
            return [
                (entity, *row)
                for entity in range(len(self.kinds))
                for row in self.rest(entity, positions, key)
            ]
        entity = key[0]
        if not 0 <= entity < len(self.kinds):
            return ()
        return [(entity, *row) for row in self.rest(entity, positions[1:], key[1:])]

    def index(self, positions: tuple[int, ...]) -> KindIndex:
        """The rows by their columns at some positions."""
        return KindIndex(self, positions)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.lookup((), ()))

    def __len__(self) -> int:
        return sum(len(self.rest(entity, (), ())) for entity in range(len(self.kinds)))

    def __contains__(self, row: Key) -> bool:
        return bool(self.lookup(tuple(range(self.arity)), row))


class KindIndex:
    """The rows of such a table by some of their columns."""

    __slots__ = ("positions", "table")

    def __init__(self, table: KindTable, positions: tuple[int, ...]) -> None:
        self.table, self.positions = table, positions

    def get(self, key: Key, default: Sequence[Row] = ()) -> Sequence[Row]:
        """The rows that agree with a key."""
        return self.table.lookup(self.positions, key) or default


class TracedKinds:
    """Such a table where tokens are asked of: what it says of one, the colour tells."""

    def __init__(self, tracer: Tracer, table: KindTable) -> None:
        self.tracer, self.table = tracer, table

    @property
    def rows(self) -> TracedKinds:
        """The rows, which can be looked for."""
        return self

    def lookup(self, positions: tuple[int, ...], key: Key) -> Sequence[Row]:
        """As that of a table. Raises NotAlike unless the entity is given, and by it alone."""
        if not positions or positions[0] != 0 or key[0].__class__ is not Token:
            if has_token(key):
                raise NotAlike
            self.tracer.global_read()
            return self.table.lookup(positions, key)
        if has_token(key[1:]):
            raise NotAlike
        self.tracer.now().colour(key[0])
        return [(key[0], *row) for row in self.table.rest(int(key[0]), positions[1:], key[1:])]

    def __contains__(self, row: Key) -> bool:
        return bool(self.lookup(tuple(range(self.table.arity)), row))

    def __iter__(self) -> Iterator[Row]:
        self.tracer.global_read()
        return iter(self.table)
