"""Stand-ins for what generated code reads, which leave a trace where they are given tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from shardlog.engine.tables import LONG, asks, where_is
from shardlog.engine.tokens import LongRow, NotAlike, Token, Trace, has_token

FEW = 4
"""Rows that a trace compares one by one, where no token says which are wanted."""


class Tracer:
    """Holds the trace that stand-ins write to, while there is one."""

    def __init__(self) -> None:
        self.trace: Trace | None = None

    def now(self) -> Trace:
        """The trace that is being written. Raises NotAlike without one."""
        if self.trace is None:
            raise NotAlike
        return self.trace

    def global_read(self) -> None:
        """Notes that facts were read which do not hang on a token."""
        if self.trace is not None:
            self.trace.perishable = True

    def global_value(self, expression: str, value: Any) -> None:
        """The same where what was read is little: other facts with the same are as good."""
        if self.trace is None:
            return
        if value.__class__ is tuple and len(value) > FEW:
            self.trace.perishable = True
        else:
            self.trace.constant(expression, value)

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Has nothing noted down for a while."""
        trace, self.trace = self.trace, None
        try:
            yield
        finally:
            self.trace = trace


class Column:
    """A functional column: its value may be told by colours, be a reference, or neither."""

    def __init__(self, tracer: Tracer, name: str, column: Any, kind: str) -> None:
        """`kind` is colour, reference or value."""
        self.tracer, self.name, self.column, self.kind = tracer, name, column, kind

    def __getitem__(self, key: Any) -> Any:
        if key.__class__ is not Token:
            value = self.column[key]
            if key.__class__ is int:
                there = f"{self.name}[{key}] if {key} < entity_count else None"
                self.tracer.global_value(there, value)
            else:
                self.tracer.global_read()
            return value
        trace = self.tracer.now()
        value = self.column[int(key)]
        if self.kind == "reference":
            return trace.reference(self.name, key, value)
        if self.kind == "colour":
            trace.colour(key)
        else:
            trace.value(self.name, key, value)
        return value


class Rows:
    """An indexed column."""

    def __init__(self, tracer: Tracer, name: str, rows: Any, refers: bool) -> None:
        self.tracer, self.name, self.rows, self.refers = tracer, name, rows, refers

    def __getitem__(self, key: Any) -> Sequence[Any]:
        if key.__class__ is not Token:
            self.tracer.global_read()
            found: Sequence[Any] = self.rows[key]
            return found
        trace, row = self.tracer.now(), self.rows[int(key)]
        if trace.loose and self.refers and len(row) >= LONG:
            return LongRow(trace, self.name, key, row)
        return trace.row(self.name, key, row, self.refers)


class TableRows:
    """The rows of a table, for membership."""

    def __init__(self, table: TracedTable) -> None:
        self.table = table

    def __contains__(self, row: tuple[Any, ...]) -> bool:
        table = self.table
        if not has_token(row):
            with table.tracer.suspended():
                found = row in table.table.rows
            if not table.lasting:
                table.tracer.global_value(f"{_spelt(row)} in {table.name}.rows", found)
            return found
        trace = table.tracer.now()
        if table.mentions_none(trace, range(len(row)), row):
            return False
        found = _plain(row) in table.table.rows
        if len(row) == 1 and table.mentions:
            trace.colour(row[0])
            return found
        return trace.member(table.name, row, found)

    def __iter__(self) -> Iterator[Any]:
        self.table.tracer.global_read()
        return iter(self.table.table.rows)


class TracedTable:
    """A table; `refers` are places of references, `mentions` those of which colours tell who is."""

    def __init__(
        self,
        tracer: Tracer,
        name: str,
        table: Any,
        refers: frozenset[int],
        mentions: Sequence[int],
        lasting: bool,
    ) -> None:
        """`lasting` says whether it is the same for all facts that the rules are compiled for."""
        self.lasting = lasting
        self.tracer, self.name, self.table = tracer, name, table
        self.refers, self.mentions = refers, mentions
        self.rows = TableRows(self)

    def lookup(self, positions: tuple[int, ...], key: tuple[Any, ...]) -> Sequence[Any]:
        """As that of a table."""
        if not has_token(key):
            with self.tracer.suspended():
                found = tuple(self.table.lookup(positions, key))
            if not self.lasting:
                where = f"tuple({self.name}.lookup({positions!r}, {_spelt(key)}))"
                self.tracer.global_value(where, found)
            return found
        trace = self.tracer.now()
        with self.tracer.suspended():
            # a relation that is made when first asked for is no part of what is asked now
            self.table.lookup(positions, _plain(key))
        if self.mentions_none(trace, positions, key):
            return ()
        for place, term in zip(positions, key, strict=True):
            if term.__class__ is Token and place not in self.refers:
                # it is not said that this is where references stand
                raise NotAlike
        rows = self.table.lookup(positions, _plain(key))
        return trace.lookup(self.name, positions, key, rows, tuple(self.refers))

    def mentions_none(self, trace: Trace, positions: Iterable[int], key: tuple[Any, ...]) -> bool:
        """Whether the colour of a token tells that no row has it at its place."""
        for place, term in zip(positions, key, strict=True):
            told = term.__class__ is Token and place in self.mentions
            if told and not self.table.lookup((place,), (int(term),)):
                trace.colour(term)
                return True
        return False


class TracedIndex:
    """An index from values to entities: whatever hangs on a token in it is beyond a trace."""

    def __init__(self, tracer: Tracer, name: str, index: Any) -> None:
        self.tracer, self.name, self.index = tracer, name, index

    def within(self, entity: Any) -> Any:
        """As that of an index; what is asked of tokens is asked by `traced_where`."""
        if has_token(entity):
            raise NotAlike
        self.tracer.global_read()
        return self.index.within(entity)

    def get(self, value: Any, default: Sequence[Any] = ()) -> Sequence[Any]:
        """As that of an index."""
        if has_token(value):
            raise NotAlike
        self.tracer.global_read()
        found: Sequence[Any] = self.index.get(value, default)
        return found

    def __contains__(self, value: Any) -> bool:
        if has_token(value):
            raise NotAlike
        self.tracer.global_read()
        return value in self.index


class TracedHelper:
    """A memo of a derived relation: asked of a token, it is worked out anew, as part of a trace."""

    def __init__(self, tracer: Tracer, name: str, memo: Any, unary: bool) -> None:
        self.tracer, self.name, self.memo, self.unary = tracer, name, memo, unary

    def __getitem__(self, key: Any) -> Any:
        if has_token(key):
            return self.memo.function(key) if self.unary else self.memo.function(*key)
        with self.tracer.suspended():
            value = self.memo[key]
        spelt = _spelt((key,) if self.unary else key)
        self.tracer.global_value(f"{self.name}[{spelt[1:-2] if self.unary else spelt}]", value)
        return value


class TracedMemo:
    """A memo of a pure function, or tables of a kernel: they are given no numbers of entities."""

    def __init__(self, memo: Any, tracer: Tracer | None = None) -> None:
        """A tracer is given where what the memo says holds for one set of facts only."""
        self.memo, self.tracer = memo, tracer

    def __getitem__(self, key: Any) -> Any:
        if has_token(key):
            raise NotAlike
        if self.tracer is not None:
            self.tracer.global_read()
        return self.memo[key]


class TracedTables(TracedMemo):
    """The tables of a kernel by its arguments: where tokens are among these, one of its own."""

    def __init__(self, name: str, tables: Any, tracer: Tracer) -> None:
        super().__init__(tables)
        self.name, self.traces = name, tracer

    def __getitem__(self, key: Any) -> Any:
        if self.memo.has_rows and asks(key):
            self.traces.global_read()
        if not has_token(key):
            return self.memo[key]
        trace = self.traces.now()
        if not trace.loose:
            raise NotAlike
        return trace.table(self.name, key, self.memo[_plain(key)])


def traced_where(row: Any, value: Any, index: TracedIndex, entity: Any) -> Sequence[int]:
    """As `where_is`: in a long row the places of a token are tokens."""
    if row.__class__ is not LongRow:
        return where_is(row, value, index, entity)
    if value.__class__ is not Token:
        return where_is(row.members(), value, index, entity)
    found = where_is(row.row, int(value), index.index, int(entity))
    return row.trace.places(row, value, index.name, found)


def traced_test(test: Callable[..., bool]) -> Callable[..., bool]:
    """A test that takes no tokens."""

    def traced(*arguments: Any) -> bool:
        if has_token(arguments):
            raise NotAlike
        return test(*arguments)

    return traced


def _spelt(key: tuple[Any, ...]) -> str:
    """The expression for a key of simple values. Raises NotAlike for others."""
    for term in key:
        if not (term is None or isinstance(term, bool | int | str)):
            raise NotAlike
    return repr(key)


def _plain(key: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([_bare(term) for term in key])


def _bare(term: Any) -> Any:
    if term.__class__ is tuple:
        return _plain(term)
    return int(term) if term.__class__ is Token else term
