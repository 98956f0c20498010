"""Proofs as graphs: Graphviz DOT, and one HTML page that needs nothing else."""

from __future__ import annotations

import html
from typing import Any

__all__ = ["to_dot", "to_html"]

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em; }
h1 { font-size: 1.3em; } code { font-size: .92em; overflow-wrap: anywhere; }
.about { color: #555; } .rule { margin: .2em 0 .2em 1.2em; } .rule b { color: #064; }
details { margin: .35em 0 .35em 1.2em; border-left: 2px solid #ccd; padding-left: .8em; }
summary { cursor: pointer; } .cause { background: #eef4ff; padding: .6em .9em; border-radius: 4px; }
@media (prefers-color-scheme: dark) {
  body { background: #181a1f; color: #ddd; } .about { color: #9aa; } .rule b { color: #7d9; }
  .cause { background: #223; }
}
"""


def to_dot(proof: dict[str, Any]) -> str:
    """Return a proof, as `to_dict` gives it, as a Graphviz graph: a box per instruction."""
    lines = [
        "digraph why {",
        '  rankdir=BT; node [shape=box, fontname="monospace"]; edge [fontname="monospace"];',
    ]
    for number, reason in enumerate(proof["reasons"]):
        about = f"{reason['opcode']} {reason['shape']}".strip()
        rows = [_name(reason), reason["sharding"] or "no sharding", about, reason["source"] or ""]
        label = "\\n".join(_quoted(row) for row in rows if row)
        lines.append(f'  n{number} [label="{label}"];')
        for step in reason["steps"]:
            label = _quoted(f"{step['rule'] or step['says']}\n{_where(step)}")
            for source in step["because"]:
                lines.append(f'  n{source} -> n{number} [label="{label}"];')
    return "\n".join([*lines, "}"])


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def to_html(proof: dict[str, Any]) -> str:
    """Return a proof, as `to_dict` gives it, as an HTML page: what rests on what is nested."""
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
    # what is to be written: texts, or the numbers of reasons
    todo: list[str | int] = [0]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            out.append(item)
            continue
        reason = reasons[item]
        deep = "" if item else " open"
        out.append(
            f"<details{deep}><summary><code>{_text(_name(reason))}</code> "
            f"<code>{_text(reason['sharding'] or 'no sharding')}</code></summary>"
        )
        about = [reason["opcode"], reason["shape"], reason["op_name"], reason["source"]]
        about += [f"through {', '.join(reason['through'])}"] if reason["through"] else []
        about += [reason["left_out"]] if reason["left_out"] else []
        out.append(f'<div class="about">{_text("  ".join(part for part in about if part))}</div>')
        inside: list[str | int] = []
        for step in reason["steps"]:
            was = f", was {step['old']}" if step["old"] else ""
            inside.append(
                f'<div class="rule"><b>{_text(step["rule"] or "")}</b> '
                f"({_text(_where(step) + was)}): {_text(step['says'])}</div>"
            )
            inside += step["because"]
        todo += [*reversed([*inside, "</details>"])]
    return "\n".join([*out, "</body></html>"])


def _name(reason: dict[str, Any]) -> str:
    return f"{reason['instruction']}{reason['element'] or ''}"


def _where(step: dict[str, Any]) -> str:
    if step["tier"] is None:
        return str(step["direction"])
    return f"{step['direction']}, tier {step['tier']}, iteration {step['iteration']}"


def _text(text: str) -> str:
    return html.escape(text)
