"""Tokens: numbers of entities that remember how they were found, and the trace of what was read.

A plan function that runs on tokens in place of numbers leaves a trace: which rows it followed and
which values it looked at. Another entity about which all of that holds is planned alike.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NoReturn, Protocol

from shardlog.engine.probes import COMPARED, Read

LIMIT = 700
"""Reads after which a trace is given up: to check so many costs more than to plan."""


class NotAlike(BaseException):
    """A plan function did with a token what another entity cannot be checked for.

    It passes through handlers that turn errors into messages, as it is none.
    """


def _refused(self: Token, *_: Any) -> NoReturn:
    raise NotAlike


class Token(int):
    """The number of an entity (or of a computation) in a trace.

    Two tokens may be compared, which is noted down; whatever else would depend on the number itself
    raises NotAlike.
    """

    number: int
    path: str
    trace: Trace

    def __hash__(self) -> int:
        # all alike, so that dictionaries and sets compare them, and the trace knows of it
        return 0

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if other.__class__ is Token:
            return self.trace.compare("==", self, other)
        if isinstance(other, int):
            raise NotAlike
        return False

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __lt__(self, other: int) -> bool:
        return self._ordered("<", other)

    def __gt__(self, other: int) -> bool:
        return self._ordered(">", other)

    def __le__(self, other: int) -> bool:
        return self._ordered("<=", other)

    def __ge__(self, other: int) -> bool:
        return self._ordered(">=", other)

    def _ordered(self, operator: str, other: int) -> bool:
        if other.__class__ is not Token:
            raise NotAlike
        return self.trace.compare(operator, self, other)

    __bool__ = _refused
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refused
    __floordiv__ = __mod__ = __rfloordiv__ = __rmod__ = _refused


class OwnTable:
    """The table of a kernel that an entity has to itself, since its arguments hang on tokens.

    It stands among the tokens, and where the plan names a table.
    """

    __slots__ = ("number", "path", "table")

    def __init__(self, table: Any, path: str, number: int) -> None:
        self.table, self.path, self.number = table, path, number


class LongRow(Sequence[Any]):
    """A row of references that is not gone through unless somebody asks for its members."""

    __slots__ = ("name", "row", "token", "trace")

    def __init__(self, trace: Trace, name: str, token: Token, row: Sequence[int]) -> None:
        self.trace, self.name, self.token, self.row = trace, name, token, row

    def members(self) -> tuple[Any, ...]:
        """The tokens of the members."""
        return self.trace.row(self.name, self.token, self.row, True)

    def __len__(self) -> int:
        return len(self.members())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.members())

    def __getitem__(self, place: Any) -> Any:
        return self.members()[place]

    def __contains__(self, value: Any) -> bool:
        return value in self.members()


def bare(token: Token | OwnTable) -> Any:
    """What a token stands for."""
    return token.table if token.__class__ is OwnTable else int(token)  # type: ignore[arg-type]


def has_token(value: Any) -> bool:
    """Whether a token stands anywhere in nested tuples."""
    if value.__class__ is tuple:
        return any(map(has_token, value))
    return value.__class__ is Token


class Scope(Protocol):
    """Where probes run: names for what they look at, and the colours of entities."""

    colours: list[int]

    def hold_for_probe(self, value: Any) -> str:
        """A name for a value."""

    def rows_by(self, table: str, positions: tuple[int, ...]) -> str:
        """A name for a function from a key and a default to the rows of a table."""

    def has(self, table: str) -> str:
        """A name for a function that says whether a row is in a table."""


class Trace:
    """What one run on tokens has read, in order.

    `reads` are those of a probe, by what identifies them in any trace; `values` is what this run
    found for those that are compared. `perishable` says whether facts were read which do not hang
    on the entity, so that the outcome is good for these facts only. `loose` says whether the place
    of a value in a long row may be a token, too, and a table may hang on tokens.
    """

    def __init__(self, entity: int, scope: Scope, loose: bool = False) -> None:
        self.scope, self.loose = scope, loose
        self.tokens: list[Token | OwnTable] = []
        self.reads: dict[str, Read | None] = {}
        self.known: dict[str, Any] = {}
        self.values: list[Any] = []
        self.perishable = False
        self.start = self._token(entity, "I")
        self._read("I", None)

    def _token(self, value: int, path: str) -> Token:
        token = Token(value)
        token.number, token.path, token.trace = len(self.tokens), path, self
        self.tokens.append(token)
        return token

    def token(self, value: int, path: str, kind: str, name: str, *terms: Any) -> Token:
        """The token at a path, and what a probe asks to find it."""
        token = self._token(value, path)
        optional = kind == "item"
        self._read(path, Read(f"t{token.number}", kind, name, terms, optional=optional))
        return token

    def _read(self, key: str, read: Read | None) -> None:
        if key not in self.reads:
            if len(self.reads) >= LIMIT:
                raise NotAlike
            self.reads[key] = read

    def _guard(self, key: str, value: Any, kind: str, name: str, *terms: Any) -> None:
        if key not in self.reads:
            self._read(key, Read(f"k{len(self.values)}", kind, name, terms))
            self.values.append(value)

    def compare(self, operator: str, one: Token, other: Token) -> bool:
        """How two tokens compare, noted down."""
        if one.trace is not self or other.trace is not self:
            raise NotAlike
        key = f"{one.path} {operator} {other.path}"
        found = COMPARED[operator](int(one), int(other))
        self._guard(key, found, "compare", operator, f"t{one.number}", f"t{other.number}")
        return found

    def colour(self, token: Token) -> None:
        """Notes that a value was read which the colour of an entity tells."""
        if token.number:
            value = self.scope.colours[int(token)]
            self._guard(f"colour {token.path}", value, "item", "colours", f"t{token.number}")

    def constant(self, expression: str, value: Hashable) -> None:
        """Notes that facts were read which do not hang on the entity."""
        hash(value)
        self._guard(expression, value, "constant", expression)

    def value(self, name: str, token: Token, value: Hashable) -> None:
        """Notes that a column was read whose values the colour does not tell."""
        hash(value)
        self._guard(f"{name} {token.path}", value, "item", name, f"t{token.number}")

    def reference(self, name: str, token: Token, value: int | None) -> Token | None:
        """The token for the value of a column that refers to something."""
        path = f"{name} {token.path}"
        if path not in self.known:
            term = f"t{token.number}"
            if value is None:
                self._guard(f"{path} is None", True, "none", name, term)
                self.known[path] = None
            else:
                self.known[path] = self.token(value, path, "item", name, term)
        found: Token | None = self.known[path]
        return found

    def row(self, name: str, token: Token, row: Sequence[Any], refers: bool) -> tuple[Any, ...]:
        """The tokens, or values, of a row of an indexed column."""
        path = f"{name} {token.path}"
        if path not in self.known:
            term = f"t{token.number}"
            if refers:
                self.known[path] = self._tokens(path, row, "item", name, term)
            else:
                self._guard(path, row, "item", name, term)
                self.known[path] = tuple(row)
        found: tuple[Any, ...] = self.known[path]
        return found

    def _tokens(
        self, path: str, row: Sequence[Any], kind: str, name: str, *terms: Any
    ) -> tuple[Token, ...]:
        held = self._rows(path, len(row), kind, name, *terms)
        return tuple(
            [
                self.token(value, f"{path}.{place}", "member", held, place)
                for place, value in enumerate(row)
            ]
        )

    def _rows(self, path: str, length: int, kind: str, name: str, *terms: Any) -> str:
        held = f"r{len(self.reads)}"
        self._read(f"{path} length", Read(held, kind, name, terms, length))
        return held

    def places(
        self, row: LongRow, value: Token, index: str, found: Sequence[int]
    ) -> tuple[Token, ...]:
        """Tokens for the places at which a value stands in a row, as `where_is` has them."""
        path = f"places {row.name} {row.token.path} {value.path}"
        if path not in self.known:
            terms = f"t{row.token.number}", f"t{value.number}", index
            self.known[path] = self._tokens(path, found, "places", row.name, *terms)
        tokens: tuple[Token, ...] = self.known[path]
        return tokens

    def table(self, name: str, key: tuple[Any, ...], table: Any) -> OwnTable:
        """The table for a key with tokens in it, among the tables of a name."""
        terms = self._nested(key, lambda token: f"t{token.number}")
        path = f"{name}[{self._nested(key, lambda token: f'<{token.path}>')}]"
        if path not in self.known:
            own = self.known[path] = OwnTable(table, path, len(self.tokens))
            self.tokens.append(own)
            self._read(path, Read(f"t{own.number}", "table", name, terms))
        found: OwnTable = self.known[path]
        return found

    def _nested(self, term: Any, spelt: Callable[[Token], str]) -> Any:
        if term.__class__ is tuple:
            return tuple([self._nested(one, spelt) for one in term])
        return spelt(term) if term.__class__ is Token else self._term(term)

    def lookup(
        self,
        name: str,
        positions: tuple[int, ...],
        key: Sequence[Any],
        rows: Sequence[tuple[Any, ...]],
        refers: Sequence[int],
    ) -> Sequence[tuple[Any, ...]]:
        """The rows of a table for a key with tokens in it, with tokens for what rows refer to."""
        terms = [self._term(term) for term in key]
        paths = [term.path if term.__class__ is Token else repr(term) for term in key]
        path = f"{name}.{positions}({', '.join(paths)})"
        if path not in self.known:
            by = self.scope.rows_by(name, positions)
            held = self._rows(path, len(rows), "rows", by, *terms)
            self.known[path] = [
                tuple(
                    self._cell(f"{path}.{n}.{p}", value, p in refers, held, n, p)
                    for p, value in enumerate(row)
                )
                for n, row in enumerate(rows)
            ]
        found: Sequence[tuple[Any, ...]] = self.known[path]
        return found

    def _cell(self, path: str, value: Any, refers: bool, held: str, *where: int) -> Any:
        if refers and value is not None:
            return self.token(value, path, "cell", held, *where)
        hash(value)
        self._guard(path, value, "cell", held, *where)
        return value

    def member(self, name: str, key: Sequence[Any], found: bool) -> bool:
        """Whether a row with tokens in it is in a table."""
        terms = [self._term(term) for term in key]
        paths = [term.path if term.__class__ is Token else repr(term) for term in key]
        path = f"{name}({', '.join(paths)})"
        self._guard(path, found, "has", self.scope.has(name), *terms)
        return found

    def _term(self, term: Any) -> str:
        if term.__class__ is Token:
            return f"t{term.number}"
        if term is None or isinstance(term, bool | int | str):
            return repr(term)
        return self.scope.hold_for_probe(term)

    def key(self) -> tuple[Any, ...]:
        """What the probe gives for the entity of the trace."""
        return tuple(self.values)

    def asked(self) -> list[Read]:
        """What a probe has to ask."""
        return [read for read in self.reads.values() if read is not None]
