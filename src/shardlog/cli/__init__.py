"""The command `shardlog`."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from shardlog.cli.app import main

__all__ = ["main", "run"]


def run() -> NoReturn:
    """Run the command as a process.

    What a command makes it needs to its end: the garbage collector would search in vain, from the
    first import on.
    """
    gc.disable()
    from shardlog.cli import app

    app.run()


def __getattr__(name: str) -> Any:
    if name == "main":
        from shardlog.cli import app

        return app.main
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
