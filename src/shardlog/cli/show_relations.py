"""What there is to ask about, as `shardlog query --relations` and the repl print it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from shardlog.query import Session
    from shardlog.query.relations import Relation

__all__ = ["listed", "told"]


def listed(session: Session | None, as_json: bool, shardy: bool = False) -> None:
    """Print all relations under their headings, with their sizes in a run if there is one.

    Without a run they are those of GSPMD's propagation, or of Shardy's.
    """
    from shardlog.query.literals import TESTS
    from shardlog.query.reading import AGGREGATES
    from shardlog.query.session import Session as Plain

    kind: Session | type[Session] = session or Plain
    if session is None and shardy:
        from shardlog.shardy.questions import Questions

        kind = Questions
    sizes = {} if session is None else _sizes(session)
    if as_json:
        click.echo(json.dumps([_fields(r, sizes) for r in kind.relations.values()], indent=1))
        return
    width = max(len(relation.signature) for relation in kind.relations.values())
    for heading in kind.headings:
        click.echo(click.style(f"{heading}:", bold=True))
        for relation in kind.relations.values():
            if relation.of == heading:
                size = f"{sizes[relation.name] or '':>9}  " if session is not None else ""
                click.echo(f"  {relation.signature:<{width}}  {size}{relation.says}")
        click.echo()
    click.echo(click.style("texts that are known:", bold=True))
    for name, (_, says) in TESTS.items():
        click.echo(f"  {f'{name}(T, W)':<{width}}  {says}")
    click.echo(click.style("\nheads of rules:", bold=True))
    for name, option in AGGREGATES.items():
        call = f"{name}(Y, {option}=X)" if option else f"{name}(Y)"
        click.echo(f"  {f'(f[X] == {call})':<{width}}  {_AGGREGATES[name]}")


_AGGREGATES = {
    "len_": "how many different Y there are for X",
    "sum_": "the sum of Y, once for each value of what stands behind for_each",
    "mean_": "the mean of Y, likewise",
    "min_": "the first Y in the order of what stands behind order_by, Y itself by default",
    "max_": "the last Y, likewise",
    "tuple_": "all Y in this order",
    "concat_": "all texts Y in this order, with sep=',' between",
}


def told(relation: Relation) -> str:
    """A relation with what its arguments are."""
    kinds = ", ".join(f"{name}: {kind}" for name, kind in relation.arguments)
    return f"{relation.signature}\n  {relation.says}\n  {kinds}"


def _sizes(session: Session) -> dict[str, int | None]:
    from shardlog.ir.errors import InputError

    sizes: dict[str, int | None] = {}
    for name in session.relations:
        try:
            size = session.sources[name].size()
        except InputError:
            # one that wants a mesh
            size = -1
        sizes[name] = None if size < 0 else size
    return sizes


def _fields(relation: Relation, sizes: dict[str, int | None]) -> dict[str, object]:
    return {
        "name": relation.name,
        "signature": relation.signature,
        "arguments": [{"name": name, "kind": str(kind)} for name, kind in relation.arguments],
        "functional": relation.functional,
        "says": relation.says,
        "of": relation.of,
        "size": sizes.get(relation.name),
    }
