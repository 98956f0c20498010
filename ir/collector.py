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
    collection comes before the next rest once enough was made. What the last rest made does not
    count for that, being most likely in use: a module that was read and is now propagated.
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
        count = _collections()
        known = _made["before"] + _made["last"] if _made["collections"] == count else 0
        _made.update(before=known, last=gc.get_count()[0], collections=count)
        # Objects that others have frozen would thaw. To count them takes as long as they are many,
        # so that it is done no more once there are any.
        _made["frozen"] = _made["frozen"] or gc.get_freeze_count()
        if not _made["frozen"]:
            gc.freeze()
            gc.unfreeze()
        gc.enable()


_made = {"before": 0, "last": 0, "collections": 0, "frozen": 0}
"""Objects made at rest since the last full collection: before the last rest, and in it.

And how many were frozen when that was first seen.
"""


def _unseen() -> int:
    """The number of objects made at rest, but for the last, since the last full collection."""
    return _made["before"] if _made["collections"] == _collections() else 0


def _collections() -> int:
    """How many full collections there have been."""
    return int(gc.get_stats()[2]["collections"])
