"""Probes: what a trace has read is asked of other entities, of one or, by columns, of many."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from itertools import compress, repeat
from types import FunctionType
from typing import Any, NamedTuple, Protocol, TypeAlias

Rows: TypeAlias = list[tuple[Any, ...]]

SHORT = object()
"""Begins the key of an entity which has a row of another length, or nothing where others do."""
COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


class Read(NamedTuple):
    """One thing that a trace has read.

    It is kept under the name `target`: t and a number for a token, k for what is compared, r for
    rows. `terms` are names, or the text of values that are the same for all entities; the kinds say
    what is asked of them. `length` is what rows must have, `optional` says that a token may be
    missing; an entity for which it is otherwise is not looked at any further.
    """

    target: str
    kind: str
    name: str
    terms: tuple[Any, ...]
    length: int | None = None
    optional: bool = False

    def text(self) -> str:
        """The expression for one entity."""
        return _TEXTS[self.kind](self.name, self.terms)


def _spelt(term: Any) -> str:
    """The expression for nested terms."""
    if term.__class__ is tuple:
        return f"({''.join(f'{_spelt(one)}, ' for one in term)})"
    return str(term)


_TEXTS: dict[str, Callable[[str, tuple[Any, ...]], str]] = {
    # the value of a column, and whether there is none
    "item": lambda name, terms: f"{name}[{terms[0]}]",
    "none": lambda name, terms: f"{name}[{terms[0]}] is None",
    # a member of a row, a cell of one of several rows
    "member": lambda name, terms: f"{name}[{terms[0]}]",
    "cell": lambda name, terms: f"{name}[{terms[0]}][{terms[1]}]",
    # the rows of a table for a key, and whether a row is in it
    "rows": lambda name, terms: f"{name}({_spelt(terms)}, ())",
    "has": lambda name, terms: f"{name}({_spelt(terms)})",
    "compare": lambda name, terms: f"{terms[0]} {name} {terms[1]}",
    "constant": lambda name, terms: f"constants[{name!r}]",
    # one of many tables, by nested terms
    "table": lambda name, terms: f"{name}[{_spelt(terms)}]",
    # where a value stands in the row of an entity
    "places": lambda name, terms: (
        f"where_is({name}[{terms[0]}], {terms[1]}, {terms[2]}, {terms[0]})"
    ),
}


def probe_text(reads: Sequence[Read]) -> str:
    """The source of a function from an entity to its key and its tokens.

    The key has what a trace compares; where an entity is not looked at any further it begins with
    SHORT, and the tokens are None.
    """
    lines, keys, tokens = [], "", "t0, "
    for read in reads:
        lines.append(f"{read.target} = {read.text()}")
        if read.length is not None:
            length = f"len({read.target})"
            short = f"SHORT, {length}, {read.length}, {keys}"
            lines.append(f"if {length} != {read.length}: return ({short}), None")
        elif read.optional:
            lines.append(f"if {read.target} is None: return (SHORT, None, {keys}), None")
        if read.target[0] == "k":
            keys += f"{read.target}, "
        elif read.target[0] == "t":
            tokens += f"{read.target}, "
    lines.append(f"return ({keys}), ({tokens})")
    return "\n    ".join(["def probe(t0):", *lines]) + "\n"


class Space(Protocol):
    """Where the names that probes read are found."""

    def thing(self, name: str) -> Any:
        """What has a name."""

    def value(self, expression: str) -> Any:
        """What an expression gives that does not hang on the entity."""


class Asked(NamedTuple):
    """What a probe has found out about some entities.

    All have the key `key`, or each its own of `keys`. `rows` are their tokens, None where they are
    not looked at any further.
    """

    entities: Sequence[int]
    key: tuple[Any, ...]
    keys: Sequence[tuple[Any, ...]] | None
    rows: Rows | None


class Columns:
    """Asks what a probe asks of many entities at once, column by column.

    What turns out to be the same for all of them is asked once.
    """

    def __init__(self, reads: Sequence[Read], space: Space, entities: Sequence[int]) -> None:
        self.reads, self.space = reads, space
        self.count = len(entities)
        self.same: dict[str, Any] = {}
        self.columns: dict[str, Sequence[Any]] = {"t0": entities}
        self.keys: list[str] = []

    def ask(self) -> Iterator[Asked]:
        """What is found out, in as many parts as there are reasons to look no further.

        Raises IndexError and EvaluationError as what is read does.
        """
        tokens = ["t0"]
        for read in self.reads:
            target = read.target
            self._note(target, self._column(read))
            if read.length is not None:
                yield from self._of_length(target, read.length)
            elif read.optional:
                yield from self._there(target)
            if not self.count:
                return
            if target[0] == "k":
                self.keys.append(target)
            elif target[0] == "t":
                tokens.append(target)
        rows = list(zip(*map(self._all, tokens), strict=False))
        yield self._asked(self.columns["t0"], (), rows)

    def _all(self, term: Any) -> Any:
        """What a term is for each entity, without an end where it is the same."""
        if term.__class__ is tuple:
            return zip(*map(self._all, term), strict=False) if term else repeat(())
        if term in self.columns:
            return self.columns[term]
        return repeat(self.same[term] if term in self.same else self.space.value(term))

    def _hang(self, term: Any) -> bool:
        """Whether a term is not the same for all."""
        if term.__class__ is tuple:
            return any(map(self._hang, term))
        return term in self.columns

    def _note(self, target: str, column: Sequence[Any]) -> None:
        first = column[0]
        if len(column) < self.count or (column[-1] is first and column.count(first) == len(column)):
            self.same[target] = first
        else:
            self.columns[target] = column

    def _column(self, read: Read) -> Sequence[Any]:
        """What is read of each entity, or once of all."""
        kind, name, terms = read.kind, read.name, read.terms
        if kind == "constant":
            return (self.space.value(name),)
        if kind == "member":
            if name in self.same:
                return (self.same[name][terms[0]],)
            known = f"{name} by place"
            if known not in self.columns:
                self.columns[known] = list(zip(*self.columns[name], strict=True))
            found: Sequence[Any] = self.columns[known][terms[0]]
            return found
        if kind == "cell":
            number, place = terms
            if name in self.same:
                return (self.same[name][number][place],)
            return [rows[number][place] for rows in self.columns[name]]
        once = not self._hang(terms)
        if kind == "item" and not once:
            thing, where = self.space.thing(name), self.columns[terms[0]]
            picked: Sequence[Any]
            picked = (thing[where[0]],) if self.count == 1 else operator.itemgetter(*where)(thing)
            return picked
        answers = self._asking(kind, name, terms)
        return [next(answers)] if once else list(answers)

    def _asking(self, kind: str, name: str, terms: tuple[Any, ...]) -> Iterator[Any]:
        if kind == "compare":
            return map(COMPARED[name], self._all(terms[0]), self._all(terms[1]))
        if kind == "rows":
            return map(self._getter(name, terms, ((),)), self._all(terms), repeat(()))
        if kind == "has":
            return map(self._getter(name, terms, ()), self._all(terms))
        thing = self.space.thing(name)
        if kind == "table":
            return map(thing.__getitem__, self._all(terms))
        if kind == "places":
            where_is, index = self.space.thing("where_is"), self.space.thing(terms[2])
            rows = map(thing.__getitem__, self._all(terms[0]))
            return map(where_is, rows, self._all(terms[1]), repeat(index), self._all(terms[0]))
        values = map(thing.__getitem__, self._all(terms[0]))
        return map(operator.is_, values, repeat(None)) if kind == "none" else values

    def _getter(self, name: str, terms: tuple[Any, ...], default: tuple[Any, ...]) -> Any:
        getter = self.space.thing(name)
        if getter.__class__ is FunctionType:
            # the first call makes the table, and puts what the table asks in its own place
            getter(next(iter(self._all(terms))), *default)
            getter = self.space.thing(name)
        return getter

    # ------------------------------------------------------------ no further

    def _of_length(self, target: str, length: int) -> Iterator[Asked]:
        if target in self.same:
            found = len(self.same[target])
            if found != length:
                yield self._asked(self.columns["t0"], (SHORT, found, length), None)
                self.count = 0
            return
        lengths = list(map(len, self.columns[target]))
        if lengths.count(length) == self.count:
            return
        good = [one == length for one in lengths]
        self.columns["length"] = lengths
        yield from self._leaving(good, (SHORT, "length", length))

    def _there(self, target: str) -> Iterator[Asked]:
        if target in self.same:
            if self.same[target] is None:
                yield self._asked(self.columns["t0"], (SHORT, None), None)
                self.count = 0
            return
        column = self.columns[target]
        if None in column:
            good = [one is not None for one in column]
            yield from self._leaving(good, (SHORT, None))

    def _leaving(self, good: Sequence[bool], before: tuple[Any, ...]) -> Iterator[Asked]:
        """Goes on with some entities only."""
        gone = [not one for one in good]
        every = self.columns
        self.columns = {name: list(compress(column, gone)) for name, column in _plain(every)}
        yield self._asked(self.columns["t0"], before, None)
        self.columns = {name: list(compress(column, good)) for name, column in _plain(every)}
        self.columns.pop("length", None)
        self.count = len(self.columns["t0"])

    def _asked(self, entities: Sequence[int], before: tuple[Any, ...], rows: Rows | None) -> Asked:
        """What was found out; "length" in front of a key stands for each one's own."""
        if "length" not in before and not any(key in self.columns for key in self.keys):
            return Asked(entities, (*before, *[self.same[key] for key in self.keys]), None, rows)
        parts = [self.columns["length"] if one == "length" else repeat(one) for one in before] + [
            self._all(key) for key in self.keys
        ]
        return Asked(entities, (), list(zip(*parts, strict=False)), rows)


def _plain(columns: dict[str, Sequence[Any]]) -> list[tuple[str, Sequence[Any]]]:
    """The columns that have one member for each entity."""
    return [(name, column) for name, column in columns.items() if not name.endswith(" by place")]
