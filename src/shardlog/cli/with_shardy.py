"""What the commands that ask about a module do where the answer is Shardy's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shardlog.cli.app import keep
from shardlog.cli.options import RunOptions, read_bytes
from shardlog.cli.partitioner import ask_shardy, only_gspmd

if TYPE_CHECKING:
    from shardlog.explain.hurts import Hurt
    from shardlog.shardy.frontier import Frontier
    from shardlog.shardy.questions import Questions
    from shardlog.shardy.session import Asked, Why
    from shardlog.shardy.whynot import WhyNot

__all__ = [
    "Answering",
    "asked",
    "compare",
    "conflicts",
    "frontier",
    "impact",
    "lint",
    "questions",
    "whatif",
    "why",
    "whynot",
]


def _echo(fields: dict[str, Any]) -> None:
    click.echo(json.dumps(fields, indent=1))


def why(
    path: str,
    name: str,
    run: RunOptions,
    dim: int | None,
    axis: str | None,
    depth: int,
    whole: bool,
    form: str,
) -> None:
    """`shardlog why`."""
    asked = ask_shardy(path, run)
    keep(asked)
    answer = asked.why(name, dim=dim, axis=axis, depth=depth, whole=whole)
    if form == "text":
        click.echo(answer.to_text())
        return
    if form == "json":
        _echo(answer.to_dict())
        return
    from shardlog.explain import drawn

    fields = answer.drawn()
    click.echo(drawn.to_dot(fields) if form == "dot" else drawn.to_html(fields))


def whynot(
    path: str,
    name: str,
    sharding: str | None,
    run: RunOptions,
    dim: int | None,
    axis: str | None,
    limit: int | None,
    as_json: bool,
) -> None:
    """`shardlog whynot`."""
    if sharding is not None and axis is not None:
        raise click.UsageError("give a SHARDING or --axis, not both")
    asked = ask_shardy(path, run)
    keep(asked)
    answer = asked.whynot(name, sharding, dim=dim, axis=axis)
    if as_json:
        _echo(answer.to_dict())
    else:
        click.echo(answer.to_text(limit))


def asked(path: str, run: RunOptions) -> Asked:
    """What `shardlog report` is about."""
    found = ask_shardy(path, run)
    keep(found)
    return found


def compare(path: str, other: str, as_is: bool, limit: int, as_json: bool, run: RunOptions) -> bool:
    """`shardlog compare`; returns whether any value differs."""
    from shardlog.shardy import read_shardy
    from shardlog.shardy.compared import compared, with_binary

    only_gspmd(run)
    data = read_bytes(path)
    name = "<stdin>" if path == "-" else path
    right = with_binary(data) if other == "xla" else read_shardy(read_bytes(other), other)
    found = compared(read_shardy(data, name), right, as_is)
    if as_json:
        _echo(found.to_dict())
    else:
        whose = "Shardy in XLA" if other == "xla" else other
        click.echo(found.to_text(whose, limit or None))
    return bool(found.differences)


def conflicts(path: str, name: str, run: RunOptions, most: int, as_json: bool) -> None:
    """`shardlog conflicts`."""
    from shardlog.shardy.conflicts import conflicts as found

    asked = ask_shardy(path, run)
    answer = found(asked, name, most)
    keep(asked, answer)
    if as_json:
        _echo(answer.to_dict())
    else:
        click.echo(answer.to_text())


def frontier(
    path: str,
    name: str,
    run: RunOptions,
    dim: int | None,
    axis: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """`shardlog frontier`."""
    asked = ask_shardy(path, run)
    keep(asked)
    answer = asked.frontier(name, dim=dim, axis=axis)
    if as_json:
        _echo(answer.to_dict())
    else:
        click.echo(answer.to_text(limit))


def impact(path: str, name: str, run: RunOptions, limit: int, as_json: bool) -> None:
    """`shardlog impact`."""
    from shardlog.shardy.whatif import impact as found

    asked = ask_shardy(path, run)
    answer = found(asked, name)
    keep(asked, answer)
    if as_json:
        _echo(answer.to_dict())
    else:
        click.echo(answer.to_text(limit))


def lint(
    path: str,
    run: RunOptions,
    least: int,
    kinds: frozenset[Hurt],
    limit: int,
    as_json: bool,
) -> bool:
    """`shardlog lint`; returns whether anything was found."""
    from shardlog.shardy.lint import lint as findings

    asked = ask_shardy(path, run)
    found = findings(asked, path, least=least, limit=limit, kinds=kinds)
    keep(asked, found)
    if as_json:
        _echo(found.to_dict())
    else:
        click.echo(found.to_text())
    return bool(found.findings)


def whatif(
    path: str,
    run: RunOptions,
    annotate: Sequence[str],
    drop: Sequence[str],
    add_rules: Sequence[Path],
    disable: Sequence[str],
    limit: int,
    as_json: bool,
) -> None:
    """`shardlog whatif`."""
    from shardlog.shardy.whatif import Changes, what_if

    pairs = {}
    for text in annotate:
        name, equal, sharding = text.partition("=")
        if not equal:
            raise click.BadParameter(f"{text!r} is not NAME=SHARDING", param_hint="--annotate")
        pairs[name.strip()] = sharding.strip()
    changes = Changes(pairs, tuple(drop), tuple(add_rules), tuple(disable))
    if not changes:
        raise click.UsageError("nothing is to be different: give --annotate, --drop or another")
    asked = ask_shardy(path, run)
    answer = what_if(asked, changes, run.rules)
    keep(asked, answer)
    if as_json:
        _echo(answer.to_dict())
    else:
        click.echo(answer.to_text(limit))


def questions(path: str, run: RunOptions) -> Questions:
    """What `shardlog query` and `shardlog repl` ask."""
    from shardlog.shardy.questions import Questions

    session = Questions(ask_shardy(path, run))
    keep(session)
    return session


class Answering:
    """What the repl asks besides questions."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked

    def account(self, name: str, dim: int | None = None, depth: int | None = None) -> Why:
        """Why a value is split as it is."""
        return self.asked.why(name, dim=dim, depth=depth)

    def whynot(self, name: str, wanted: str | None = None, dim: int | None = None) -> WhyNot:
        """Why a value is not split so."""
        return self.asked.whynot(name, wanted, dim=dim)

    def frontier(self, name: str, dim: int | None = None) -> Frontier:
        """Where the axes of a value go."""
        return self.asked.frontier(name, dim=dim)
