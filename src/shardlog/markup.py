"""Small pieces of HTML, with every text escaped, that results show in a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shardlog.api import Summary
    from shardlog.why import Reason

__all__ = ["Displayed", "escaped", "listed", "paragraph", "proof", "summary", "table"]

MOST_ROWS = 20
"""How many rows of a table are shown."""

MOST_REASONS = 400
"""How many reasons of a proof are shown."""


class Displayed(ABC):
    """What shows itself in a notebook: as HTML, or as its own text where there is no HTML."""

    @abstractmethod
    def _repr_html_(self) -> str:
        """Return it as HTML, every text escaped."""

    def _repr_mimebundle_(
        self, include: Container[str] | None = None, exclude: Container[str] | None = None
    ) -> dict[str, str]:
        """Return it as text and as HTML."""
        both = {"text/plain": str(self), "text/html": self._repr_html_()}
        return {
            kind: text
            for kind, text in both.items()
            if (not include or kind in include) and (not exclude or kind not in exclude)
        }


def escaped(text: object) -> str:
    """Return a text so that it is nothing but text in HTML, in attributes, too.

    Lone surrogates, which no page can hold, become question marks.
    """
    plain = str(text).encode("utf-8", "replace").decode()
    import html  # a table of all entities comes with it

    return html.escape(plain, quote=True)


def paragraph(*parts: object) -> str:
    """Return a paragraph of texts, the first one bold."""
    first, *rest = map(escaped, parts)
    return f"<p><b>{first}</b> {' '.join(rest)}</p>"


def listed(items: Iterable[object]) -> str:
    """Return a list of texts, "" without any."""
    found = [f"<li>{escaped(item)}</li>" for item in items]
    return f"<ul>{''.join(found)}</ul>" if found else ""


def table(heads: Sequence[str], rows: Sequence[Sequence[object]], most: int = MOST_ROWS) -> str:
    """Return a table of texts, at most `most` rows, saying how many are left out."""
    head = "".join(f"<th scope='col'>{escaped(one)}</th>" for one in heads)
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:left'>{escaped(cell)}</td>" for cell in row)
        + "</tr>"
        for row in rows[:most]
    )  # fmt: skip
    left = len(rows) - most
    more = f"<p>... and {left:,} more</p>" if left > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def proof(reason: Reason) -> str:
    """Return a proof as nested details: what a rule rests on is inside it, chains are flat."""
    out: list[str] = []
    todo: list[Reason | str] = [reason]
    count = 0
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            out.append(item)
            continue
        count += 1
        if count > MOST_REASONS:
            out.append("<p>...</p>")
            break
        sharding = "no sharding" if item.sharding is None else str(item.sharding)
        remark = f" ({item.left_out})" if item.left_out else ""
        out.append(
            f"<div><code>{escaped(item.name)}</code> <code>{escaped(sharding)}</code>"
            f"{escaped(remark)}<br><small>{escaped(item.origin)}</small></div>"
        )
        inside: list[Reason | str] = []
        for step in item.steps:
            tier = "" if step.tier is None else f", tier {step.tier}, iteration {step.iteration}"
            rule = f"rule '{step.rule}' " if step.rule else ""
            says = f"{rule}({step.direction}{tier}): {step.says}"
            if len(item.steps) == 1 and len(step.sources) == 1:
                inside += [f"<div>{escaped(says)}</div>", step.sources[0]]
                continue
            inside.append(f"<details open><summary>{escaped(says)}</summary>")
            inside.append("<div style='margin-left:1.5em'>")
            inside += step.sources
            inside += ["</div></details>"]
        todo += reversed(inside)
    # what is still open when the proof is cut off
    out += [item for item in reversed(todo) if item in ("</div></details>",)]
    return "".join(out)


def summary(module: str, notes: Iterable[str], counts: Summary) -> str:
    """Return what a run has done: counts, and how many shardings each tier and visit set."""
    visits = list(dict.fromkeys(visit for _, visit in counts.steps))
    tiers = dict.fromkeys(tier for tier, _ in counts.steps)
    rows = [
        [
            "outside the tiers" if tier is None else f"tier {tier}",
            *(counts.steps.get((tier, visit), "") for visit in visits),
        ]
        for tier in tiers
    ]
    says = (
        f"{counts.instructions:,} instructions; {counts.sharded_before:,} came with a sharding, "
        f"{counts.sharded_after:,} have one; {counts.iterations} iterations"
    )
    return (
        paragraph(module, says)
        + "".join(paragraph("note:", note) for note in notes)
        + (table(["shardings set or refined", *visits], rows) if rows else "")
    )
