"""Memo tables, steps and joins: what a compiled rule set consists of at run time."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, NamedTuple, Protocol, TypeAlias

from shardlog.engine.declarations import Channel
from shardlog.engine.errors import EvaluationError, RuleError
from shardlog.engine.syntax import Rule


class _Unit:
    """What a kernel that reads no lattice value is given in its place."""

    def __repr__(self) -> str:
        return "no values"


UNIT = _Unit()
Kernel = Callable[[Any, Any], Any]


def call(kernel: Kernel, arguments: Any, key: Any, rule: Rule) -> Any:
    """What a kernel makes of the lattice values that it reads. Raises EvaluationError."""
    try:
        return kernel(key, arguments)
    except Exception as error:
        reason = error if isinstance(error, EvaluationError) else f"{error!r}"
        message = f"{rule.span}: rule {rule.name!r} failed on {key}: {reason}"
        raise EvaluationError(message) from error


LONG = 64
"""Members of a row from which on a value is looked up among all that hold it."""


def where_is(row: Sequence[Any], value: Any, index: Any, entity: int) -> Sequence[int]:
    """The positions of a value in the row of an entity, in order.

    `index` gives the positions of each value in the row of an entity.
    """
    if len(row) >= LONG:
        found: Sequence[int] = index.within(entity).get(value, ())
        return found
    count = row.count(value)
    if count < 2:
        return (row.index(value),) if count else ()
    return [place for place, member in enumerate(row) if member == value]


class ProposalTable(dict[Any, Any]):
    """The proposals of one kernel for the lattice values that it reads, filled on first ask.

    The key is the one value read, or the tuple of all of them. A kernel is a pure function of these
    and of its static arguments, so every entity with equal arguments shares the table.
    """

    __slots__ = ("arguments", "kernel", "rule")

    def __init__(self, kernel: Kernel, arguments: Any, rule: Rule) -> None:
        super().__init__()
        self.kernel, self.arguments, self.rule = kernel, arguments, rule

    def __missing__(self, key: Any) -> Any:
        value = self[key] = call(self.kernel, self.arguments, key, self.rule)
        return value


def has_live(arguments: Any) -> bool:
    """Whether arguments have rows whose kernel reads what is known at the instant."""
    return _has_kernel(arguments, "live")


def asks(arguments: Any) -> bool:
    """Whether arguments have rows whose kernel looks at facts at the instant."""
    return _has_kernel(arguments, "asking")


def _has_kernel(arguments: Any, mark: str) -> bool:
    """Whether a kernel stands anywhere in nested arguments whose name has a mark."""
    if arguments.__class__ is tuple or arguments.__class__ is list:
        # written out, since it looks at all that plans have as arguments
        for one in arguments:
            kind = one.__class__
            if kind is tuple or kind is list:
                if _has_kernel(one, mark):
                    return True
            elif kind is FunctionType and mark in one.__name__:
                return True
        return False
    return arguments.__class__ is FunctionType and mark in arguments.__name__


class ProposalTables(dict[Any, ProposalTable]):
    """The tables of one kernel, by its static arguments."""

    __slots__ = ("asked", "has_rows", "kernel", "rule")

    def __init__(self, kernel: Kernel, rule: Rule, has_rows: bool) -> None:
        """`has_rows` says whether there are rows with kernels of their own among the arguments."""
        super().__init__()
        self.kernel, self.rule, self.has_rows = kernel, rule, has_rows
        self.asked: list[Any] = []

    def forget(self) -> None:
        """Forgets what was asked of facts that are no longer there."""
        for arguments in self.asked:
            self.pop(arguments, None)
        self.asked.clear()

    def __missing__(self, arguments: Any) -> ProposalTable:
        table = self[arguments] = ProposalTable(self.kernel, arguments, self.rule)
        if self.has_rows and asks(arguments):
            self.asked.append(arguments)
        return table


class JoinTable(dict[Any, Any]):
    """A join under one context: (old, proposal) -> new value, or None where it refuses."""

    __slots__ = ("context", "function")

    def __init__(self, function: Callable[..., Any], context: tuple[Any, ...]) -> None:
        super().__init__()
        self.function, self.context = function, context

    def __missing__(self, key: tuple[Any, Any]) -> Any:
        old, proposal = key
        try:
            value = self.function(old, proposal, *self.context)
        except Exception as error:
            name = getattr(self.function, "__name__", "?")
            message = f"the join {name} failed on {(old, proposal, *self.context)}: {error!r}"
            raise EvaluationError(message) from error
        if value is old or value == old:
            value = None
        self[key] = value
        return value


class JoinRow(tuple[JoinTable, ...]):
    """The tables of one join and context, one per phase value.

    `turns` has the bits of the phase values at which the table is another than just before.
    """

    turns: int

    @classmethod
    def of(cls, tables: Sequence[JoinTable]) -> JoinRow:
        """The row of these tables."""
        row = cls(tables)
        pairs = enumerate(itertools.pairwise(tables), 1)
        row.turns = sum(1 << bit for bit, (before, table) in pairs if table is not before)
        return row


class JoinTables(dict[Any, JoinRow]):
    """The tables of one join by its entity's context; in each entry one per phase value."""

    __slots__ = ("function", "layout", "phased", "shared")

    def __init__(
        self,
        function: Callable[..., Any],
        layout: tuple[str, ...],
        phased: tuple[tuple[Any, ...], ...],
    ) -> None:
        """`layout` says "entity" or "phase" per context item; `phased` the latter's values."""
        super().__init__()
        self.function, self.layout, self.phased = function, layout, phased
        self.shared: dict[tuple[Any, ...], JoinTable] = {}

    def __missing__(self, entity: tuple[Any, ...]) -> JoinRow:
        tables = []
        for values in self.phased:
            mine, theirs = iter(entity), iter(values)
            context = tuple(
                next(mine) if kind == "entity" else next(theirs) for kind in self.layout
            )
            if context not in self.shared:
                self.shared[context] = JoinTable(self.function, context)
            tables.append(self.shared[context])
        result = self[entity] = JoinRow.of(tables)
        return result


Path: TypeAlias = tuple[tuple[tuple[int, ...], int], ...]
"""Which rules stand for the literals of a body: places of literals, with numbers of rules."""
Origin: TypeAlias = tuple[int, Path]
"""The number of a rule among those of its visit, and the path by which its body was unfolded."""


class Info(NamedTuple):
    """What a step is besides its numbers: for acceptance, records and the slow path."""

    rule: Rule
    channel: Channel
    target: int
    partner: int | None
    contributors: tuple[int, ...]
    sources: tuple[int, ...]
    filtered: bool
    several: bool
    live: tuple[Kernel, Any] | None
    origin: Origin = (-1, ())


# mask, source (an entity, a tuple of entities, or None for the slow path), table (in a trace
# perhaps a token for one), joins, info
Step = tuple[int, Any, Any, JoinRow, Info]


class Asked(Protocol):
    """What a step asks: which values, and how."""

    @property
    def rule(self) -> Rule:
        """The rule that it is of."""

    @property
    def sources(self) -> tuple[int, ...]:
        """Where the values stand."""

    @property
    def several(self) -> bool:
        """Whether the key is the tuple of all values."""

    @property
    def live(self) -> tuple[Kernel, Any] | None:
        """The kernel and its arguments, if it reads what is known at the instant."""


def proposal_of(asked: Asked, table: ProposalTable | None, values: Any) -> Any:
    """What a step proposes by the values at its sources, or None. Raises EvaluationError."""
    if asked.several:
        seen: Any = tuple([values[source] for source in asked.sources])
    else:
        seen = values[asked.sources[0]] if asked.sources else UNIT
    if asked.live is not None:
        return call(*asked.live, seen, asked.rule)
    assert table is not None
    return table[seen]


class UnaryMemo(dict[Any, Any]):
    """A function of one hashable argument, remembered by the argument itself."""

    __slots__ = ("function", "name")

    def __init__(self, function: Callable[[Any], Any], name: str) -> None:
        """`name` is that of the relation which the function answers."""
        super().__init__()
        self.function, self.name = function, name

    def __missing__(self, key: Any) -> Any:
        try:
            value = self.function(key)
        except EvaluationError:
            raise
        except Exception as error:
            raise EvaluationError(f"{self.name}({key}) failed: {error!r}") from error
        self[key] = value
        return value


class Memo(dict[Any, Any]):
    """A function of hashable arguments, remembered by the tuple of them."""

    __slots__ = ("function", "name")

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        """`name` is what messages call it."""
        super().__init__()
        self.function, self.name = function, name

    def __missing__(self, key: tuple[Any, ...]) -> Any:
        try:
            value = self.function(*key)
        except (EvaluationError, RuleError):
            raise
        except Exception as error:
            given = ", ".join(map(str, key))
            raise EvaluationError(f"{self.name}({given}) failed: {error!r}") from error
        self[key] = value
        return value
