"""Proofs as graphs: Graphviz DOT, and one HTML page that needs nothing else."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from shardlog.origins import brief_shape
from shardlog.proof_text import alike, more_alike, repetition, times_more

__all__ = ["to_dot", "to_html"]

FEW = 60
"""Up to how many reasons all of a page is open."""

_NUMBER = re.compile(r"\d+")

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; }
h1 { font-size: 1.3em; } code { font-size: .92em; overflow-wrap: anywhere; }
.reason { margin-top: .5em; } .about { color: #555; }
.rule { margin: .2em 0 .2em 1.2em; } .rule b { color: #064; }
details { margin: .35em 0 .35em 1.2em; border-left: 2px solid #ccd; padding-left: .8em; }
summary { cursor: pointer; } .cause { background: #eef4ff; padding: .6em .9em; border-radius: 4px; }
@media (prefers-color-scheme: dark) {
  body { background: #181a1f; color: #ddd; } .about { color: #9aa; } .rule b { color: #7d9; }
  .cause { background: #223; }
}
"""


class _Fold(NamedTuple):
    """Layers alike that are left out of a drawing: the numbers of their reasons, and the words."""

    start: int
    end: int
    says: str


def _folds(reasons: Sequence[dict[str, Any]]) -> dict[int, _Fold]:
    """The repetitions in the chains of a proof, by the first reason that is left out.

    The links of a chain follow one another: what rests on one thing alone stands before it.
    """
    found: dict[int, _Fold] = {}
    at = 0
    while at < len(reasons):
        end = at
        while end < len(reasons) and _is_link(reasons[end]):
            end += 1
        marks = [_mark(reason) for reason in reasons[at:end]]
        place = 0
        while place < len(marks):
            count, period = repetition(marks, place)
            if count > 1:
                start = at + place + period
                after = at + place + count * period
                found[start] = _Fold(start, after, times_more(count, period))
            place += count * period
        at = end + 1
    return found


def _is_link(reason: dict[str, Any]) -> bool:
    return len(reason["steps"]) == 1 and len(reason["steps"][0]["because"]) == 1


def _mark(reason: dict[str, Any]) -> tuple[object, ...]:
    """What is alike in the same place of identical layers."""
    (step,) = reason["steps"]
    return (
        reason["opcode"],
        reason["shape"],
        _NUMBER.sub("#", reason["op_name"] or ""),
        reason["element"],
        reason["sharding"],
        step["rule"],
        step["direction"],
        step["tier"],
        len(reason["through"]),
    )


def to_dot(proof: dict[str, Any]) -> str:
    """Return a proof, as `to_dict` gives it, as a Graphviz graph: a box per instruction.

    Layers that are alike are drawn once, and a line says how many more there are.
    """
    reasons = proof["reasons"]
    folds = _folds(reasons)
    hidden = {number for fold in folds.values() for number in range(fold.start, fold.end)}
    lines = [
        "digraph why {",
        '  rankdir=BT; node [shape=box, fontname="monospace"]; edge [fontname="monospace"];',
    ]
    for fold in folds.values():
        lines.append(f'  n{fold.start} [label="{_quoted(fold.says)}", shape=plaintext];')
        lines.append(f"  n{fold.end} -> n{fold.start} [style=dashed];")
    for number, reason in enumerate(reasons):
        if number in hidden:
            continue
        about = f"{reason['opcode']} {brief_shape(reason['shape'])}".strip()
        rows = [_name(reason), reason["sharding"] or "no sharding", about, reason["source"] or ""]
        rows += [f"({reason['left_out']})"] if reason["left_out"] else []
        label = "\\n".join(_quoted(row) for row in rows if row)
        lines.append(f'  n{number} [label="{label}"];')
        for step in reason["steps"]:
            for first, *others in _alike(reasons, step["because"]):
                source = first
                for one in others:
                    hidden |= _chain_from(reasons, one)
                if others:
                    says = _quoted(more_alike([_name(reasons[one]) for one in others]))
                    lines.append(f'  n{others[0]} [label="{says}", shape=plaintext];')
                    lines.append(f"  n{others[0]} -> n{number} [style=dashed];")
                passed = reasons[source]["through"]
                through = f"\nthrough {', '.join(passed[:3])}" if passed else ""
                label = _quoted(f"{step['rule'] or step['says']}\n{_where(step)}{through}")
                lines.append(f'  n{source} -> n{number} [label="{label}"];')
    return "\n".join([*lines, "}"])


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _chain_from(reasons: Sequence[dict[str, Any]], number: int) -> set[int]:
    """The numbers of a reason and what it rests on, in a chain."""
    found = {number}
    while _is_link(reasons[number]):
        (number,) = reasons[number]["steps"][0]["because"]
        found.add(number)
    return found


def to_html(proof: dict[str, Any]) -> str:
    """Return a proof, as `to_dict` gives it, as an HTML page.

    A chain goes down the page; where a rule rests on several things each is in a part of its own.
    Layers that are alike are there once, the others closed up.
    """
    reasons = proof["reasons"]
    title = f"Why {_name(reasons[0])} has its sharding"
    out = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f"<title>{_text(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{_text(title)}</h1>",
    ]
    cause = proof.get("cause")
    if cause:
        out.append(f'<p class="cause"><b>{_text(cause["kind"])}</b>: {_text(cause["says"])}</p>')
    remarks = [*proof.get("beside", ())]
    remarks += [
        f"reshard: {r['operand']} has {r['has']}, {r['user']} wants it as {r['wants']}"
        for r in proof.get("reshards", ())
    ]
    if remarks:
        out.append("<ul>" + "".join(f"<li>{_text(remark)}</li>" for remark in remarks) + "</ul>")
    folds = _folds(reasons)
    deep = "" if len(reasons) > FEW else " open"
    # what is to be written: texts, or the numbers of reasons
    todo: list[str | int] = [0]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            out.append(item)
            continue
        fold = folds.pop(item, None)
        if fold is not None:
            # the layers are there, closed; a chain goes on behind them
            out.append(f"<details><summary>{_text(fold.says)}</summary>")
            for number in range(fold.start, fold.end):
                out.append(_about(reasons[number]))
                out += map(_rule, reasons[number]["steps"])
            out.append("</details>")
            todo.append(fold.end)
            continue
        reason = reasons[item]
        out.append(_about(reason))
        inside: list[str | int] = []
        for step in reason["steps"]:
            inside.append(_rule(step))
            if _is_link(reason):
                inside += step["because"]
                continue
            for first, *others in _alike(reasons, step["because"]):
                inside += _part(_name(reasons[first]), first, deep)
                if others:
                    says = more_alike([_name(reasons[one]) for one in others])
                    inside.append(f"<details><summary>{_text(says)}</summary>")
                    for one in others:
                        inside += _part(_name(reasons[one]), one, "")
                    inside.append("</details>")
        todo += reversed(inside)
    return "\n".join([*out, "</body></html>"])


def _part(name: str, number: int, deep: str) -> tuple[str, int, str]:
    return f"<details{deep}><summary><code>{_text(name)}</code></summary>", number, "</details>"


def _alike(reasons: Sequence[dict[str, Any]], because: Sequence[int]) -> list[list[int]]:
    """What a rule rests on, things that are alike but for numbers together."""
    groups = alike([_marks(reasons, number) for number in because])
    return [[because[place] for place in group] for group in groups]


def _marks(reasons: Sequence[dict[str, Any]], number: int) -> tuple[object, ...] | None:
    """What is alike in reasons that are the same but for numbers; None if it branches."""
    found: list[object] = []
    while _is_link(reasons[number]):
        found.append(_mark(reasons[number]))
        (number,) = reasons[number]["steps"][0]["because"]
    last = reasons[number]
    if len(last["steps"]) > 1 or any(step["because"] for step in last["steps"]):
        return None
    name = _NUMBER.sub("#", last["op_name"] or "")
    ends = [(step["rule"], step["direction"], step["new"]) for step in last["steps"]]
    return (*found, last["opcode"], last["shape"], name, last["sharding"], last["left_out"], *ends)


def _about(reason: dict[str, Any]) -> str:
    """The instruction that a reason is about, and its sharding."""
    about = [reason["opcode"], brief_shape(reason["shape"]), reason["op_name"], reason["source"]]
    about += [f"through {', '.join(reason['through'])}"] if reason["through"] else []
    about += [reason["left_out"]] if reason["left_out"] else []
    return (
        f'<div class="reason"><code>{_text(_name(reason))}</code> '
        f"<code>{_text(reason['sharding'] or 'no sharding')}</code>"
        f'<div class="about">{_text("  ".join(part for part in about if part))}</div></div>'
    )


def _rule(step: dict[str, Any]) -> str:
    was = f", was {step['old']}" if step["old"] else ""
    return (
        f'<div class="rule"><b>{_text(step["rule"] or "")}</b> '
        f"({_text(_where(step) + was)}): {_text(step['says'])}</div>"
    )


def _name(reason: dict[str, Any]) -> str:
    return f"{reason['instruction']}{reason['element'] or ''}"


def _where(step: dict[str, Any]) -> str:
    if step["tier"] is None:
        return str(step["direction"])
    return f"{step['direction']}, tier {step['tier']}, iteration {step['iteration']}"


def _text(text: str) -> str:
    return html.escape(text)
