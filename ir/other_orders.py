"""Other orders of things of which some must come before others."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

__all__ = ["another_order"]

_T = TypeVar("_T")


def another_order(items: Sequence[_T], before: Callable[[_T], Iterable[_T]], seed: int) -> list[_T]:
    """Return items in another order in which what stands before an item, as far as it is among
    them, still does.

    Seed 0 takes the last of those that may come next, any other one draws. The same seed gives the
    same order. Raises ValueError if items wait for each other.
    """
    place = {item: number for number, item in enumerate(items)}
    waits: list[int] = []
    followers: list[list[int]] = [[] for _ in items]
    for number, item in enumerate(items):
        needed = {place[one] for one in before(item) if one in place} - {number}
        waits.append(len(needed))
        for one in needed:
            followers[one].append(number)
    drawn = random.Random(seed)
    keys = [-number if not seed else drawn.random() for number in range(len(items))]
    ready = [(keys[number], number) for number, count in enumerate(waits) if not count]
    heapq.heapify(ready)
    found = []
    while ready:
        _, number = heapq.heappop(ready)
        found.append(items[number])
        for one in followers[number]:
            waits[one] -= 1
            if not waits[one]:
                heapq.heappush(ready, (keys[one], one))
    if len(found) < len(items):
        raise ValueError("items wait for each other")
    return found
