"""A module propagated again and again without some of its annotations."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from shardlog import converters
from shardlog.explain.run import Run
from shardlog.explain.whatif import drop_annotation, find_instruction
from shardlog.ir.module import HloModule
from shardlog.propagation import propagate

__all__ = ["Progress", "Reruns"]

Progress = Callable[[int, int], None]
"""Told which run begins, and how many there are at most."""


class Reruns:
    """Propagates copies of a module, at most `most` times; the module stays as it is.

    `options` are those of `propagate`. `progress` is told before each run.
    """

    def __init__(
        self,
        module: HloModule,
        options: Mapping[str, Any],
        most: int,
        progress: Progress | None = None,
    ) -> None:
        self.text = module.to_text().encode("utf-8", "surrogateescape")
        self.options = {**options, "provenance": False}
        self.most, self.done, self.progress = most, 0, progress

    @property
    def left(self) -> int:
        """How many runs may still be made."""
        return self.most - self.done

    def without(self, drop: Collection[str]) -> Run:
        """Return the module's run without some annotations, by the names of their instructions."""
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.most)
        copy = converters.load(self.text, lenient=True)
        for name in drop:
            instruction, leaf = find_instruction(copy, name)
            drop_annotation(instruction, leaf)
        return Run(propagate(copy, **self.options))
