"""Standard output on which shardings appear as PartitionSpecs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shardlog.ir.shardy.mesh import Mesh

__all__ = ["shardings_on", "show_on"]


class _Stream:
    """A text stream that changes what is written to it; bytes go through as they are."""

    def __init__(self, stream: Any, mesh: Mesh) -> None:
        self._stream = stream
        self._mesh = mesh

    def write(self, text: str) -> int:
        """Write a text with the shardings in it shown on the mesh."""
        from shardlog.shown import shown_on

        self._stream.write(shown_on(self._mesh, text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def shardings_on(mesh: Mesh | None) -> Iterator[None]:
    """Show shardings in all text on standard output as PartitionSpecs on a mesh, if there is one.

    A module is written as bytes and keeps its shardings.
    """
    if mesh is None:
        yield
        return
    stdout: Any = sys.stdout
    changed: Any = _Stream(stdout, mesh)
    sys.stdout = changed
    try:
        yield
    finally:
        sys.stdout = stdout


def show_on(mesh: Mesh) -> None:
    """Show shardings as PartitionSpecs from here on, to the end of the command."""
    import click

    click.get_current_context().with_resource(shardings_on(mesh))
