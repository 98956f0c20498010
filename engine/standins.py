"""What generated code finds under its names: the things themselves, or stand-ins while tracing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from shardlog.engine.traced import Tracer


class StandIns:
    """The names of a namespace that have stand-ins, and which of both they name at present."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.namespace = namespace
        self.tracer = Tracer()
        self.things: dict[str, Any] = {}
        self.others: dict[str, Any] = {}
        self.active = False

    def add(self, name: str, thing: Any, other: Any) -> None:
        """Puts a thing under a name, with what stands in for it while tracing."""
        self.things[name], self.others[name] = thing, other
        self.namespace[name] = other if self.active else thing

    @contextmanager
    def tracing(self) -> Iterator[None]:
        """Has generated code read stand-ins for a while."""
        if self.active:
            yield
            return
        self.active = True
        self.namespace.update(self.others)
        try:
            yield
        finally:
            self.active = False
            self.tracer.trace = None
            self.namespace.update(self.things)

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Has generated code read the things themselves for a while, with nothing noted down."""
        if not self.active:
            yield
            return
        self.active = False
        self.namespace.update(self.things)
        try:
            with self.tracer.suspended():
                yield
        finally:
            self.active = True
            self.namespace.update(self.others)
