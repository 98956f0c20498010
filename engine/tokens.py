"""Tokens: numbers of entities that remember how they were found, and the trace of what was read.

A plan function that runs on tokens in place of numbers leaves a trace: which rows it followed and
which values it looked at. Another entity about which all of that holds is planned alike.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn, Protocol

LIMIT = 160
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


_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "==": int.__eq__,
    "<": int.__lt__,
    ">": int.__gt__,
    "<=": int.__le__,
    ">=": int.__ge__,
}
SHORT = object()
"""Begins the key of an entity which has a row of another length."""


class Scope(Protocol):
    """Where probes run: names for what they look at, and the colours of entities."""

    colours: list[int]

    def hold_for_probe(self, value: Any) -> str:
        """A name for a value."""

    def rows_by(self, table: str, positions: tuple[int, ...]) -> str:
        """A name for a function from a key and a default to the rows of a table."""

    def has(self, table: str) -> str:
        """A name for a function that says whether a row is in a table."""


class Read(NamedTuple):
    """A line of a probe, and what must not be true afterwards; `short` is the key if it is."""

    line: str
    unless: str = ""
    short: str = ""


class Trace:
    """What one run on tokens has read, in order.

    `reads` are lines of a probe, by what identifies them in any trace; `values` is what this run
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

    def token(self, value: int, path: str, expression: str, maybe_none: bool = False) -> Token:
        """The token at a path, which a probe finds by an expression."""
        token = self._token(value, path)
        name = f"t{token.number}"
        line = f"{name} = {expression}"
        unless = self._short(f"{name} is None", "None") if maybe_none else ()
        self._read(path, Read(line, *unless))
        return token

    def _read(self, key: str, read: Read | None) -> None:
        if key not in self.reads:
            if len(self.reads) >= LIMIT:
                raise NotAlike
            self.reads[key] = read

    def _short(self, unless: str, why: str) -> tuple[str, str]:
        before = "".join(f", k{number}" for number in range(len(self.values)))
        return unless, f"(SHORT, {why}{before})"

    def _guard(self, key: str, expression: str, value: Any) -> None:
        if key not in self.reads:
            self._read(key, Read(f"k{len(self.values)} = {expression}"))
            self.values.append(value)

    def compare(self, operator: str, one: Token, other: Token) -> bool:
        """How two tokens compare, noted down."""
        if one.trace is not self or other.trace is not self:
            raise NotAlike
        key = f"{one.path} {operator} {other.path}"
        found = _COMPARED[operator](one, other)
        self._guard(key, f"t{one.number} {operator} t{other.number}", found)
        return found

    def colour(self, token: Token) -> None:
        """Notes that a value was read which the colour of an entity tells."""
        if token.number:
            value = self.scope.colours[int(token)]
            self._guard(f"colour {token.path}", f"colours[t{token.number}]", value)

    def constant(self, expression: str, value: Hashable) -> None:
        """Notes that facts were read which do not hang on the entity."""
        hash(value)
        self._guard(expression, expression, value)

    def value(self, name: str, token: Token, value: Hashable) -> None:
        """Notes that a column was read whose values the colour does not tell."""
        hash(value)
        self._guard(f"{name} {token.path}", f"{name}[t{token.number}]", value)

    def reference(self, name: str, token: Token, value: int | None) -> Token | None:
        """The token for the value of a column that refers to something."""
        path = f"{name} {token.path}"
        if path not in self.known:
            expression = f"{name}[t{token.number}]"
            if value is None:
                self._guard(f"{path} is None", f"{expression} is None", True)
                self.known[path] = None
            else:
                self.known[path] = self.token(value, path, expression, maybe_none=True)
        found: Token | None = self.known[path]
        return found

    def row(self, name: str, token: Token, row: Sequence[Any], refers: bool) -> tuple[Any, ...]:
        """The tokens, or values, of a row of an indexed column."""
        path = f"{name} {token.path}"
        if path not in self.known:
            expression = f"{name}[t{token.number}]"
            if refers:
                self.known[path] = self._tokens(path, expression, row)
            else:
                self._guard(path, expression, row)
                self.known[path] = tuple(row)
        found: tuple[Any, ...] = self.known[path]
        return found

    def _tokens(self, path: str, expression: str, row: Sequence[Any]) -> tuple[Any, ...]:
        name = f"r{len(self.reads)}"
        self._length(path, name, expression, len(row))
        return tuple(
            self.token(value, f"{path}.{place}", f"{name}[{place}]")
            for place, value in enumerate(row)
        )

    def _length(self, path: str, name: str, expression: str, length: int) -> None:
        unless = self._short(f"len({name}) != {length}", f"len({name}), {length}")
        self._read(f"{path} length", Read(f"{name} = {expression}", *unless))

    def places(
        self, row: LongRow, value: Token, index: str, found: Sequence[int]
    ) -> tuple[Token, ...]:
        """Tokens for the places at which a value stands in a row, as `where_is` has them."""
        path = f"places {row.name} {row.token.path} {value.path}"
        if path not in self.known:
            entity = f"t{row.token.number}"
            asked = f"where_is({row.name}[{entity}], t{value.number}, {index}, {entity})"
            self.known[path] = self._tokens(path, asked, found)
        tokens: tuple[Token, ...] = self.known[path]
        return tokens

    def table(self, name: str, key: tuple[Any, ...], table: Any) -> OwnTable:
        """The table for a key with tokens in it, among the tables of a name."""
        spelt = self._nested(key, lambda token: f"t{token.number}")
        path = f"{name}[{self._nested(key, lambda token: f'<{token.path}>')}]"
        if path not in self.known:
            own = self.known[path] = OwnTable(table, path, len(self.tokens))
            self.tokens.append(own)
            self._read(path, Read(f"t{own.number} = {name}[{spelt}]"))
        found: OwnTable = self.known[path]
        return found

    def _nested(self, term: Any, spelt: Callable[[Token], str]) -> str:
        if term.__class__ is tuple:
            return f"({''.join(f'{self._nested(one, spelt)}, ' for one in term)})"
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
            wanted = f"({', '.join(terms)},)"
            held = f"r{len(self.reads)}"
            self._length(
                path, held, f"{self.scope.rows_by(name, positions)}({wanted}, ())", len(rows)
            )
            self.known[path] = [
                tuple(
                    self._cell(f"{path}.{n}.{p}", f"{held}[{n}][{p}]", value, p in refers)
                    for p, value in enumerate(row)
                )
                for n, row in enumerate(rows)
            ]
        found: Sequence[tuple[Any, ...]] = self.known[path]
        return found

    def _cell(self, path: str, expression: str, value: Any, refers: bool) -> Any:
        if refers and value is not None:
            return self.token(value, path, expression)
        hash(value)
        self._guard(path, expression, value)
        return value

    def member(self, name: str, key: Sequence[Any], found: bool) -> bool:
        """Whether a row with tokens in it is in a table."""
        terms = [self._term(term) for term in key]
        paths = [term.path if term.__class__ is Token else repr(term) for term in key]
        self._guard(
            f"{name}({', '.join(paths)})", f"{self.scope.has(name)}(({', '.join(terms)},))", found
        )
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

    def probe(self) -> str:
        """The source of a function from an entity to its key and its tokens.

        The key has what a trace compares; the tokens are None if a row has another length.
        """
        lines = self._lines("return {}, None")
        result = f"return ({self._key()}), ({self._tokens_listed()})"
        return "\n    ".join(["def probe(t0):", *lines, result]) + "\n"

    def probe_of_many(self) -> str:
        """The source of a function that asks the same of entities, given what is known for keys.

        Outcomes that speak of tokens alone go to `found`; the other entities go to `rest`, by what
        is known.
        """
        other = "rest.setdefault({}, []).append(t0)"
        lines = [
            "def probe(entities, get, found, rest):\n    for t0 in entities:",
            *self._lines("\n            ".join(["", other.format("get({})"), "continue"])),
            f"leaf = get(({self._key()}))",
            "if leaf.__class__ is Leaf and leaf.plain:",
            f"    found[t0] = leaf.outcome, ({self._tokens_listed()})",
            "else:",
            f"    {other.format('leaf')}",
        ]
        return "\n        ".join(lines) + "\n"

    def _lines(self, short: str) -> list[str]:
        """The lines that read; `short` is what is done with the key where one stops short."""
        lines = []
        for read in self.reads.values():
            if read is not None:
                lines.append(read.line)
                if read.unless:
                    lines.append(f"if {read.unless}: {short.format(read.short)}")
        return lines

    def _key(self) -> str:
        return "".join(f"k{number}, " for number in range(len(self.values)))

    def _tokens_listed(self) -> str:
        return "".join(f"t{number}, " for number in range(len(self.tokens)))
