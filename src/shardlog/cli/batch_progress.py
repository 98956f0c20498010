"""How far a batch is: a bar on a terminal, elsewhere only what fails."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from shardlog.batch import Source

__all__ = ["Progress"]

FAILURES = 20
"""How many failures are told; the tables have all."""


class Progress:
    """Counts modules, with their rate and the time that is left, and tells of failures."""

    def __init__(self, total: int) -> None:
        self._failed = self._done = 0
        self._begin = time.monotonic()
        self._bar: Any = None
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                TextColumn,
                TimeRemainingColumn,
            )
            from rich.progress import Progress as Bar

            self._bar = Bar(
                TextColumn("propagating"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[rate]}"),
                TimeRemainingColumn(),
                console=Console(stderr=True, highlight=False),
                transient=True,
            )
            self._task = self._bar.add_task("propagating", total=total, rate="")

    def __enter__(self) -> Progress:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        if self._failed > FAILURES:
            click.echo(f"... and {self._failed - FAILURES} more that failed", err=True)

    def advance(self, source: Source, status: str, message: str | None) -> None:
        """Count one module, and tell if it failed."""
        if message is not None:
            self._failed += 1
            if self._failed <= FAILURES:
                separator = ":" if message[:1].isdigit() else ": "
                self._tell(f"{source.path}{separator}{message}")
        if self._bar is not None:
            self._done += 1
            rate = f"{self._done / (time.monotonic() - self._begin):.1f}/s"
            self._bar.update(self._task, advance=1, rate=rate)

    def _tell(self, line: str) -> None:
        if self._bar is None:
            click.echo(line, err=True)
        else:
            self._bar.console.print(line, markup=False, soft_wrap=True)
