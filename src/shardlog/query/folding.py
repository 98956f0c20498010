"""Aggregates: the values of a head that is made of many rows, folded by pyDatalog's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pyDatalog import Aggregate, pyEngine, pyParser

from shardlog.query.reading import Aggregated

__all__ = ["folded"]


def folded(how: Aggregated, keys: int, rows: Iterable[Sequence[Any]]) -> Iterator[list[Any]]:
    """The keys and the value of each group of rows: keys, what is folded, and what orders it.

    Raises TypeError for values that cannot be ordered or added.
    """
    groups: dict[tuple[Any, ...], list[Sequence[Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[:keys]), []).append(row[keys:])
    for key, group in groups.items():
        if how.function != "len_":
            group.sort(key=lambda row: tuple(row[1:]), reverse=how.descending)
        made = _aggregate(how)
        made.reset()
        for row in group:
            made.add([pyEngine.Const(row[0])])
        yield [*key, made.value]


def _aggregate(how: Aggregated) -> Any:
    """pyDatalog's aggregate, for rows with what is folded in front."""
    term = pyParser.Term(how.term.name)
    by = [pyParser.Term(each.name) for each in how.by]
    match how.function:
        case "len_":
            made = Aggregate.Len(term)
        case "sum_":
            made = Aggregate.Sum(term, for_each=by)
        case "mean_":
            made = Aggregate.Mean(term, for_each=by)
        case "min_":
            made = Aggregate.Min(term, order_by=by)
        case "max_":
            made = Aggregate.Max(term, order_by=by)
        case "tuple_":
            made = Aggregate.Tuple(term, order_by=by)
        case _:
            made = Aggregate.Concat(term, order_by=by, sep=how.separator)
    made.index_value = 0
    return made
