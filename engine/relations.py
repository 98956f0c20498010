"""The facts that an engine reads: columns over dense entity numbers, and tables of any kind."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from typing import Any

from shardlog.engine.kinds import KindTable
from shardlog.light import dataclass, field

Row = tuple[Hashable, ...]


class LazyColumn(dict[int, Any]):
    """A functional column computed on first ask; `None` stands for "no row"."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[[int], Any]) -> None:
        super().__init__()
        self.function = function

    def __missing__(self, key: int) -> Any:
        value = self[key] = self.function(key)
        return value


@dataclass(slots=True)
class Table:
    """Rows of a relation in order of arrival, without repetitions, indexed on demand."""

    arity: int
    functional: bool = False
    rows: dict[Row, None] = field(default_factory=dict)
    indexes: dict[tuple[int, ...], dict[Row, list[Row]]] = field(default_factory=dict)

    def add(self, row: Row) -> bool:
        """Adds a row; says whether it is new."""
        if row in self.rows:
            return False
        self.rows[row] = None
        for positions, index in self.indexes.items():
            index.setdefault(tuple(row[p] for p in positions), []).append(row)
        return True

    def lookup(self, positions: tuple[int, ...], key: Row) -> Sequence[Row]:
        """The rows whose columns at `positions` equal `key`, in order of arrival."""
        if not positions:
            return list(self.rows)
        return self.index(positions).get(key, ())

    def index(self, positions: tuple[int, ...]) -> dict[Row, list[Row]]:
        """The rows by their columns at some positions."""
        index = self.indexes.get(positions)
        if index is None:
            index = self.indexes[positions] = {}
            for row in self.rows:
                index.setdefault(tuple(row[p] for p in positions), []).append(row)
        return index


class LazyTable:
    """A table that is made when first asked for."""

    __slots__ = ("_make", "_table", "arity", "functional")

    def __init__(self, make: Callable[[], Table], arity: int = 0, functional: bool = False) -> None:
        """`arity` and `functional` are those of the table that it makes."""
        self._make = make
        self.arity, self.functional = arity, functional
        self._table: Table | None = None

    @property
    def rows(self) -> dict[Row, None]:
        """The rows, as those of a table."""
        return self._now().rows

    def lookup(self, positions: tuple[int, ...], key: Row) -> Sequence[Row]:
        """The rows that agree with a key, as those of a table."""
        return self._now().lookup(positions, key)

    def index(self, positions: tuple[int, ...]) -> dict[Row, list[Row]]:
        """The rows by some of their columns, as that of a table."""
        return self._now().index(positions)

    def _now(self) -> Table:
        if self._table is None:
            self._table = self._make()
        return self._table


class Members:
    """A table of one column, by what stands in it; rows are made as somebody goes through them.

    Nothing stands in it twice.
    """

    __slots__ = ("_known", "entities")

    arity = 1
    functional = False

    def __init__(self, entities: Sequence[int]) -> None:
        self.entities = entities
        self._known: Collection[int] = entities if isinstance(entities, range) else ()

    @property
    def rows(self) -> Members:
        """The rows, which can be gone through and looked for."""
        return self

    def __len__(self) -> int:
        return len(self.entities)

    def __iter__(self) -> Iterator[Row]:
        return zip(self.entities, strict=True)

    def __contains__(self, row: Row) -> bool:
        if not self._known and self.entities:
            self._known = frozenset(self.entities)
        return row[0] in self._known

    def get(self, row: Row, default: Sequence[Row] = ()) -> Sequence[Row]:
        """A row by its only column, as an index has it."""
        return (row,) if row in self else default

    def lookup(self, positions: tuple[int, ...], key: Row) -> Sequence[Row]:
        """The rows that agree with a key, as those of a table."""
        return self.index(positions).get(key, ())

    def index(self, positions: tuple[int, ...]) -> Members | dict[Row, list[Row]]:
        """The rows by some of their columns, as that of a table."""
        return self if positions else {(): list(self)}


AnyTable = Table | Members | KindTable | LazyTable


class Inverted:
    """An index from a column's values to entities, or an indexed column's to (entity, position).

    It is made when first asked for.
    """

    __slots__ = ("_column", "_count", "_index", "_rows", "_within")

    def __init__(
        self, count: int, column: Any | None, rows: Sequence[Sequence[Any]] | None
    ) -> None:
        self._count, self._column, self._rows = count, column, rows
        self._index: dict[Any, list[Any]] | None = None
        self._within: dict[int, dict[Any, list[int]]] = {}

    def within(self, entity: int) -> dict[Any, list[int]]:
        """The positions of each value in the row of an entity, for an indexed column."""
        known = self._within.get(entity)
        if known is None:
            assert self._rows is not None
            known = self._within[entity] = {}
            for position, member in enumerate(self._rows[entity]):
                known.setdefault(member, []).append(position)
        return known

    def get(self, value: Any, default: Sequence[Any] = ()) -> Sequence[Any]:
        """The places where a value stands, in order."""
        return self._now().get(value, default)

    def __contains__(self, value: Any) -> bool:
        return value in self._now()

    def _now(self) -> dict[Any, list[Any]]:
        if self._index is None:
            index: dict[Any, list[Any]] = {}
            if self._rows is not None:
                for entity, row in enumerate(self._rows):
                    for position, member in enumerate(row):
                        index.setdefault(member, []).append((entity, position))
            elif self._column is not None:
                for entity in range(self._count):
                    value = self._column[entity]
                    if value is not None:
                        index.setdefault(value, []).append(entity)
            self._index = index
        return self._index


class Facts:
    """Base relations over the entities 0 .. entity_count - 1.

    A relation is one of: a functional column (a list, or a lazy function), an indexed column
    `f[I, K] == rows[I][K]`, or a table of rows. Constants are functional relations that hold for a
    whole run (`option['spmd'] == True`): rules are specialised to them.
    """

    def __init__(self, entity_count: int) -> None:
        self.entity_count = entity_count
        self.columns: dict[str, Sequence[Any] | LazyColumn] = {}
        self.rows: dict[str, Sequence[Sequence[Any]]] = {}
        self.tables: dict[str, AnyTable] = {}
        self.constants: dict[str, dict[Hashable, Hashable]] = {}
        self.refers: dict[str, frozenset[int]] = {}
        self.foreign: dict[str, frozenset[int]] = {}
        self.told: set[str] = set()

    def functional(self, name: str, values: Sequence[Any]) -> None:
        """`name[I] == values[I]`; None is no row. Raises ValueError unless one value per entity."""
        if len(values) != self.entity_count:
            raise ValueError(f"{name}: {len(values)} values for {self.entity_count} entities")
        self.columns[name] = values

    def lazy(self, name: str, function: Callable[[int], Any]) -> None:
        """`name[I] == function(I)`, asked at most once per entity; None is no row."""
        self.columns[name] = LazyColumn(function)

    def indexed(self, name: str, rows: Sequence[Sequence[Any]]) -> None:
        """`name[I, K] == rows[I][K]` for every position K of the row."""
        if len(rows) != self.entity_count:
            raise ValueError(f"{name}: {len(rows)} rows for {self.entity_count} entities")
        self.rows[name] = rows

    def table(self, name: str, rows: Iterable[Row], arity: int, functional: bool = False) -> None:
        """Any relation, given by its rows."""
        self.tables[name] = Table(arity, functional, dict.fromkeys(map(tuple, rows)))

    def lazy_table(
        self, name: str, rows: Callable[[], Iterable[Row]], arity: int, functional: bool = False
    ) -> None:
        """Any relation, given by a function that is asked for its rows at most once."""
        self.tables[name] = LazyTable(
            lambda: Table(arity, functional, dict.fromkeys(map(tuple, rows()))), arity, functional
        )

    def by_kind(
        self,
        name: str,
        kinds: Sequence[Any],
        rest: Callable[[Any], Sequence[Row]],
        arity: int,
        functional: bool = False,
    ) -> None:
        """A relation whose rows begin with an entity I; `rest(kinds[I])` is what stands behind it.

        The kinds must also be the values of a functional relation, which so tells everything.
        """
        self.tables[name] = KindTable(kinds, rest, arity, functional, told=True)
        self.told.add(name)

    def by_entity(
        self,
        name: str,
        count: int,
        rest: Callable[[int], Sequence[Row]],
        arity: int,
        functional: bool = False,
    ) -> None:
        """A relation whose rows begin with an entity I below `count`, asked when needed.

        `rest(I)` is what stands behind it.
        """
        self.tables[name] = KindTable(range(count), rest, arity, functional)

    def tell(self, *names: str) -> None:
        """Says that functional relations follow from another one of the entity.

        What is alike in that one then need not be compared in these.
        """
        self.told.update(names)

    def members(self, name: str, entities: Sequence[int]) -> None:
        """A relation of one term that holds of these numbers, none of which comes twice."""
        self.tables[name] = Members(entities)

    def constant(self, name: str, key: Hashable, value: Hashable) -> None:
        """`name[key] == value`, known before any rule is compiled."""
        self.constants.setdefault(name, {})[key] = value

    def refer(self, name: str, *places: int, foreign: Sequence[int] = ()) -> None:
        """Says at which terms of a relation there are only entities, or numbers of other things.

        What matters of these is which are the same, and their order, not the numbers themselves.
        It is no part of what the facts say: entities that are alike but for such numbers are
        planned once. At `foreign` places the numbers are those of other things than entities.
        """
        self.refers[name] = frozenset(places)
        self.foreign[name] = frozenset(foreign)

    def entity_places(self, name: str) -> tuple[int, ...]:
        """The places of a table at which there are only entities, if who is there matters."""
        if isinstance(self.tables.get(name), LazyTable | KindTable):
            return ()
        found = self.refers.get(name, frozenset()) - self.foreign.get(name, frozenset())
        return tuple(sorted(found))

    def signature(self, name: str) -> tuple[int, bool] | None:
        """(number of terms, functional) of a base relation, or None if there is none."""
        if name in self.columns or name in self.constants:
            return 2, True
        if name in self.rows:
            return 3, True
        if name in self.tables:
            table = self.tables[name]
            return table.arity, table.functional
        return None

    def names(self) -> set[str]:
        """All base relations."""
        return {*self.columns, *self.rows, *self.tables, *self.constants}
