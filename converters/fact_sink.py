"""What facts are handed to."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Protocol

__all__ = ["FactSink", "Row"]

Row = tuple[Hashable, ...]


class FactSink(Protocol):
    """What takes facts: relations over the entities 0, 1, 2, ..."""

    def functional(self, name: str, values: Sequence[Any]) -> None:
        """`name[I] == values[I]`; None is no row."""

    def lazy(self, name: str, function: Callable[[int], Any]) -> None:
        """`name[I] == function(I)`, asked when needed; None is no row."""

    def indexed(self, name: str, rows: Sequence[Sequence[Any]]) -> None:
        """`name[I, K] == rows[I][K]`."""

    def table(self, name: str, rows: Iterable[Row], arity: int, functional: bool = False) -> None:
        """Any relation, by its rows."""

    def lazy_table(
        self, name: str, rows: Callable[[], Iterable[Row]], arity: int, functional: bool = False
    ) -> None:
        """Any relation, by a function that gives its rows when needed."""

    def by_kind(
        self,
        name: str,
        kinds: Sequence[Any],
        rest: Callable[[Any], Sequence[Row]],
        arity: int,
        functional: bool = False,
    ) -> None:
        """A relation of entities I whose rows go on with `rest(kinds[I])`."""

    def by_entity(
        self,
        name: str,
        count: int,
        rest: Callable[[int], Sequence[Row]],
        arity: int,
        functional: bool = False,
    ) -> None:
        """A relation of entities I below a count whose rows go on with `rest(I)`."""

    def tell(self, *names: str) -> None:
        """These functional relations follow from another one of the entity."""

    def members(self, name: str, entities: Sequence[int]) -> None:
        """A relation of one term that holds of these numbers, none of which comes twice."""

    def constant(self, name: str, key: Hashable, value: Hashable) -> None:
        """`name[key] == value`."""

    def refer(self, name: str, *places: int, foreign: Sequence[int] = ()) -> None:
        """At these terms there are only numbers of instructions, or of computations (foreign)."""
