"""Relations that questions are asked of: what each is called, and how its rows are looked up.

Nothing is asserted anywhere: a relation answers by its columns, with an index by the columns that
are known at the moment, which is made when it is first wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import Any, Protocol

__all__ = [
    "Closure",
    "Column",
    "Kind",
    "Members",
    "Places",
    "Relation",
    "Rows",
    "Source",
    "Table",
]

Row = tuple[Any, ...]
Places = tuple[int, ...]
"""The places of a relation's arguments that are known."""


class Kind(StrEnum):
    """What an argument is."""

    INSTRUCTION = "instruction"
    COMPUTATION = "computation"
    NUMBER = "number"
    TEXT = "text"
    RULE = "rule"
    OPCODE = "opcode"
    STEP = "step"


@dataclass(frozen=True)
class Relation:
    """The name of a relation, its arguments with their kinds, and what it means.

    A functional one has its value last: `opcode[I] == T`. `of` is the heading that it stands under.
    """

    name: str
    arguments: tuple[tuple[str, Kind], ...]
    functional: bool
    says: str
    of: str

    @property
    def arity(self) -> int:
        """The number of arguments, a function's value included."""
        return len(self.arguments)

    @property
    def signature(self) -> str:
        """How it is written."""
        names = [name for name, _ in self.arguments]
        if self.functional:
            return f"{self.name}[{', '.join(names[:-1])}] == {names[-1]}"
        return f"{self.name}({', '.join(names)})"


class Source(Protocol):
    """What gives the rows of a relation."""

    def lookup(self, places: Places, key: Row) -> Iterable[Row]:
        """The rows whose arguments at `places` are `key`."""
        ...

    def estimate(self, places: Places, key: Row | None) -> float:
        """About how many rows a look-up gives; `key` is None where the values come later."""
        ...

    def size(self) -> int:
        """The number of rows."""
        ...


class Rows:
    """Rows that are made when first asked for, indexed by what is known."""

    def __init__(self, make: Callable[[], Iterable[Row]], about: float = 0.0) -> None:
        """`about` is how many rows there may be, as long as none are made."""
        self._make = make
        self._about = about
        self._rows: list[Row] | None = None
        self._indexes: dict[Places, dict[Row, list[Row]]] = {}

    @property
    def rows(self) -> list[Row]:
        """All rows."""
        if self._rows is None:
            self._rows = list(dict.fromkeys(self._make()))
        return self._rows

    def lookup(self, places: Places, key: Row) -> Iterable[Row]:
        """The rows whose arguments at `places` are `key`."""
        return self._index(places).get(key, ()) if places else self.rows

    def estimate(self, places: Places, key: Row | None) -> float:
        """About how many rows a look-up gives."""
        if self._rows is None:
            return self._about / (64.0 ** len(places)) if places else self._about
        if not places:
            return float(len(self._rows))
        index = self._index(places)
        if key is not None:
            return float(len(index.get(key, ())))
        return len(self._rows) / max(len(index), 1)

    def size(self) -> int:
        """The number of rows."""
        return len(self.rows)

    def _index(self, places: Places) -> dict[Row, list[Row]]:
        index = self._indexes.get(places)
        if index is None:
            index = {}
            for row in self.rows:
                index.setdefault(tuple([row[place] for place in places]), []).append(row)
            self._indexes[places] = index
        return index


class Column:
    """One value for each of some names, or none (None): `f[I] == V`.

    With `read` the values are read one by one, when they are asked for.
    """

    def __init__(
        self,
        names: Sequence[str],
        numbers: Mapping[str, int],
        values: Sequence[Any] | None = None,
        read: Callable[[int], Any] | None = None,
    ) -> None:
        self.names, self.numbers = names, numbers
        self._values = values
        self._read = read
        self._known: dict[int, Any] = {}
        self._by_value: dict[Any, list[Row]] | None = None

    def of(self, name: Any) -> Any:
        """The value of a name, None if it has none."""
        number = self.numbers.get(name)
        return None if number is None else self._value(number)

    def lookup(self, places: Places, key: Row) -> Iterable[Row]:
        """The rows whose arguments at `places` are `key`."""
        if not places:
            return self._rows()
        if places == (1,):
            return self._index().get(key[0], ())
        value = self.of(key[0])
        if value is None or (len(key) == 2 and value != key[1]):
            return ()
        return ((key[0], value),)

    def estimate(self, places: Places, key: Row | None) -> float:
        """About how many rows a look-up gives."""
        if 0 in places:
            return 0.9 if len(places) == 1 else 0.3
        count = float(len(self.names))
        if not places:
            # what is read one by one had better be read of few
            return count if self._read is None else 4 * count
        if key is not None and (self._read is None or self._by_value is not None):
            return float(len(self._index().get(key[0], ())))
        if self._by_value is not None:
            return count / max(len(self._by_value), 1)
        return count / 16

    def size(self) -> int:
        """The number of rows."""
        return sum(1 for _ in self._rows())

    def _value(self, number: int) -> Any:
        if self._values is not None:
            return self._values[number]
        if number not in self._known and self._read is not None:
            self._known[number] = self._read(number)
        return self._known[number]

    def _rows(self) -> Iterator[Row]:
        for number, name in enumerate(self.names):
            value = self._value(number)
            if value is not None:
                yield name, value

    def _index(self) -> dict[Any, list[Row]]:
        if self._by_value is None:
            self._by_value = {}
            for row in self._rows():
                self._by_value.setdefault(row[1], []).append(row)
        return self._by_value


class Members:
    """Names of which something holds: `p(I)`."""

    def __init__(self, make: Callable[[], Iterable[str]], about: float = 0.0) -> None:
        self._make = make
        self._about = about
        self._members: dict[str, None] | None = None

    @property
    def members(self) -> dict[str, None]:
        """The names, in order."""
        if self._members is None:
            self._members = dict.fromkeys(self._make())
        return self._members

    def lookup(self, places: Places, key: Row) -> Iterable[Row]:
        """The rows whose arguments at `places` are `key`."""
        if places:
            return ((key[0],),) if key[0] in self.members else ()
        return ((name,) for name in self.members)

    def estimate(self, places: Places, key: Row | None) -> float:
        """About how many rows a look-up gives."""
        if places:
            return 0.2
        return self._about if self._members is None and self._about else float(self.size())

    def size(self) -> int:
        """The number of rows."""
        return len(self.members)


class Table:
    """A value at each position of a row of each name: `f[I, K] == V`."""

    def __init__(
        self,
        names: Sequence[str],
        numbers: Mapping[str, int],
        row: Callable[[int], Sequence[Any]],
        holders: Callable[[Any], Iterable[int]] | None = None,
        width: float = 2.0,
    ) -> None:
        """`row` gives the values of a name by its number; `holders` which rows have a value.

        Without `holders` an index is made for it. `width` is how long rows are, about.
        """
        self._names, self._numbers, self._row = names, numbers, row
        self._holders, self._width = holders, width
        self._by_value: dict[Any, list[Row]] | None = None

    def lookup(self, places: Places, key: Row) -> Iterable[Row]:
        """The rows whose arguments at `places` are `key`."""
        wanted = dict(zip(places, key, strict=True))
        if 0 in wanted:
            number = self._numbers.get(wanted[0])
            rows: Iterable[Row] = () if number is None else self._of(number)
        elif 2 in wanted and self._holders is not None:
            rows = chain.from_iterable(map(self._of, dict.fromkeys(self._holders(wanted[2]))))
        elif 2 in wanted:
            rows = self._index().get(wanted[2], ())
        else:
            rows = self._all()
        if wanted.keys() == {0} or not wanted:
            return rows
        return [row for row in rows if all(row[place] == value for place, value in wanted.items())]

    def estimate(self, places: Places, key: Row | None) -> float:
        """About how many rows a look-up gives."""
        if 0 in places:
            return self._width if len(places) == 1 else 0.8
        if 2 in places:
            return self._width if self._holders is not None else len(self._names) / 32
        return self._width * len(self._names) / (4 if places else 1)

    def size(self) -> int:
        """The number of rows."""
        return sum(len(self._row(number)) for number in range(len(self._names)))

    def _of(self, number: int) -> Iterator[Row]:
        name = self._names[number]
        return ((name, place, value) for place, value in enumerate(self._row(number)))

    def _all(self) -> Iterator[Row]:
        return chain.from_iterable(map(self._of, range(len(self._names))))

    def _index(self) -> dict[Any, list[Row]]:
        if self._by_value is None:
            self._by_value = {}
            for row in self._all():
                self._by_value.setdefault(row[2], []).append(row)
        return self._by_value


class Closure:
    """Pairs of names of which the second is reached from the first: `reaches(I, J)`."""

    def __init__(
        self,
        names: Sequence[str],
        forward: Callable[[str], Iterable[str]],
        backward: Callable[[str], Iterable[str]],
        about: float,
    ) -> None:
        """`forward` gives all that is reached from a name, `backward` all that reach it."""
        self._names, self._forward, self._backward = names, forward, backward
        self._about = about
        self._found: dict[tuple[bool, str], dict[str, None]] = {}
        self._last = ""

    def lookup(self, places: Places, key: Row) -> Iterable[Row]:
        """The rows whose arguments at `places` are `key`."""
        if places == (0,):
            return ((key[0], other) for other in self._from(True, key[0]))
        if places == (1,):
            return ((other, key[0]) for other in self._from(False, key[0]))
        if places:
            return (key,) if self._holds(*key) else ()
        return ((name, other) for name in self._names for other in self._forward(name))

    def estimate(self, places: Places, key: Row | None) -> float:
        """About how many rows a look-up gives."""
        if len(places) == 2:
            return 2.0
        return self._about if places else self._about * len(self._names)

    def size(self) -> int:
        """The number of rows is not counted: -1."""
        return -1

    def _holds(self, name: str, other: str) -> bool:
        # of two names the one that is asked of again is worth to be followed
        known = [pair for pair in ((True, name), (False, other)) if pair in self._found]
        again = (False, other) if other == self._last else (True, name)
        forward, start = known[0] if known else again
        self._last = other
        return (other if forward else name) in self._from(forward, start)

    def _from(self, forward: bool, name: str) -> dict[str, None]:
        key = forward, name
        if key not in self._found:
            if len(self._found) > 64:
                self._found.clear()
            walk = self._forward if forward else self._backward
            self._found[key] = dict.fromkeys(walk(name))
        return self._found[key]
