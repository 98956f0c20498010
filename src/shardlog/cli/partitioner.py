"""Whose propagation a command is about: `--partitioner auto|gspmd|shardy`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from shardlog.cli.options import RunOptions, read_bytes

if TYPE_CHECKING:
    from shardlog.shardy.session import Asked

__all__ = ["Chosen", "ask_shardy", "axis_option", "no_axis", "only_gspmd", "partitioner_option"]

_Command = TypeVar("_Command", bound=Callable[..., Any])

CHOICES = ("auto", "gspmd", "shardy")


class Chosen:
    """The partitioner that a command line names, and the module's bytes once they are read."""

    def __init__(self, name: str) -> None:
        self.name = name

    def is_shardy(self, path: str | None) -> bool:
        """Tell whether the answer is to be Shardy's, and say on standard error why if it is asked.

        With `auto` that is what XLA would run on the module.
        """
        if self.name != "auto" or path is None:
            return self.name == "shardy"
        from pathlib import Path

        if not Path(path).is_file() and path != "-":
            # the reader has the message
            return False
        from shardlog.shardy.source import why_shardy

        why = why_shardy(read_bytes(path))
        if why is None:
            click.echo(
                "partitioner: GSPMD, since the module has none of Shardy's annotations", err=True
            )
            return False
        click.echo(f"partitioner: Shardy, since {why}", err=True)
        return True


def partitioner_option(function: _Command) -> _Command:
    """Add the option --partitioner; the command takes it as `partitioner`, a `Chosen`."""

    @functools.wraps(function)
    def command(*args: Any, partitioner: str, **kwargs: Any) -> Any:
        return function(*args, partitioner=Chosen(partitioner), **kwargs)

    option = click.option(
        "--partitioner",
        type=click.Choice(CHOICES),
        default="gspmd",
        show_default=True,
        help="Whose propagation it is: GSPMD's, or Shardy's, for a program with Shardy's "
        "annotations (StableHLO, or HLO with xla.sdy attributes, which a jaxlib reads). With auto "
        "it is what XLA would run on the module, and standard error says which.",
    )
    decorated: Any = option(command)
    result: _Command = decorated
    return result


axis_option = click.option(
    "--axis",
    metavar="AXIS",
    help="Ask for one axis of the mesh only, such as model, in Shardy's answers.",
)


def no_axis(axis: str | None) -> None:
    """Refuse an axis where the answer is GSPMD's. Raises click.UsageError."""
    if axis is not None:
        raise click.UsageError("GSPMD's shardings have no axes: --axis goes with Shardy's answers")


def ask_shardy(path: str, run: RunOptions) -> Asked:
    """Read and propagate the program of a MODULE argument by Shardy's rules.

    Raises click.UsageError for options that only GSPMD's pass has, and InputError.
    """
    from shardlog.shardy import load_shardy_rules, read_shardy
    from shardlog.shardy.propagation import rule_texts
    from shardlog.shardy.session import Asked

    only_gspmd(run)
    rules = load_shardy_rules(rule_texts(run.rules)) if run.rules else None
    return Asked(read_shardy(read_bytes(path), "<stdin>" if path == "-" else path), rules)


def only_gspmd(run: RunOptions) -> None:
    """Refuse options that are of GSPMD's pass. Raises click.UsageError."""
    if run != RunOptions(rules=run.rules, lenient=run.lenient):
        raise click.UsageError(
            "Shardy's propagation takes none of the options of GSPMD's pass, nor a mesh: shardings "
            "are in axes"
        )
