"""Keeping the garbage collector quiet while many long-lived objects are made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["collector_at_rest"]

ENOUGH = 500_000
"""How many objects may be made at rest before the collector looks for what is no longer used."""


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Switches the collector off for a while: it would go over all objects again and again.

    What is made meanwhile counts as old afterwards, so that the collector does not look at all of
    it as soon as it is on again. Modules are cycles, so that it must do so some day: a full
    collection comes before the next rest once enough was made.
    """
    if not gc.isenabled():
        yield
        return
    if _unseen() > ENOUGH:
        gc.collect()
    gc.disable()
    try:
        yield
    finally:
        _made[0] = _unseen() + gc.get_count()[0]
        _made[1] = _collections()
        # objects that others have frozen would thaw
        if not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()
        gc.enable()


_made = [0, 0]
"""Objects made at rest since the last full collection, and how many of these there had been."""


def _unseen() -> int:
    """The number of objects made at rest since the last full collection."""
    return _made[0] if _made[1] == _collections() else 0


def _collections() -> int:
    """How many full collections there have been."""
    return int(gc.get_stats()[2]["collections"])
