"""Ordered aggregates: a list of solutions becomes one value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from shardlog.engine.syntax import Aggregate


def fold(aggregate: Aggregate, rows: Iterable[tuple[Any, ...]]) -> Any:
    """The value of an aggregate over distinct (value, *order) rows; None, so no row, over none.

    `tuple_` gives all values in order; `min_` and `max_` the first and last in order (without
    `order_by`, the least and greatest); `len_` counts distinct values; `sum_` adds up the rows.
    """
    found = list(dict.fromkeys(rows))
    if not found:
        return None
    if aggregate.order_by:
        found.sort(key=lambda row: row[1:], reverse=aggregate.descending)
    values = [row[0] for row in found]
    match aggregate.function:
        case "tuple_":
            return tuple(values)
        case "min_":
            return values[0] if aggregate.order_by else min(values)
        case "max_":
            return values[-1] if aggregate.order_by else max(values)
        case "len_":
            return len(set(values))
        case "sum_":
            return sum(values)
    raise AssertionError(aggregate.function)
