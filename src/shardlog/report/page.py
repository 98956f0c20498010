"""The page: one HTML file that needs nothing else, and runs nothing but its own script."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import shlex
from collections.abc import Callable, Iterable
from functools import partial
from importlib import resources
from string import Template
from typing import Any
from urllib.parse import quote

from shardlog.api import Result
from shardlog.explain.lint import Finding, Lint
from shardlog.explain.sizes import counted, readable
from shardlog.ir.shardy.mesh import Mesh
from shardlog.markup import escaped
from shardlog.meshes import mesh_text
from shardlog.report.answers import answers
from shardlog.report.columns import columns
from shardlog.shown import shown_on

__all__ = ["page_of", "report_html"]

SCRIPTS = (
    "base.js", "module.js", "folding.js", "layout.js", "graph.js", "filters.js", "table.js",
    "proof.js", "details.js", "page.js",
)  # fmt: skip
"""The files of the page's script, in the order in which they are read."""


def report_html(
    result: Result,
    file: str | None = None,
    *,
    options: str = "",
    mesh: Mesh | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> str:
    """Return a report about a run as one HTML page: findings, graph, table and proofs.

    `file` and `options` are what the commands in it call the module and are given besides it;
    shardings are shown on `mesh`, if one is given; `progress` is told what is being done.
    """
    show: Callable[[str], str] = str if mesh is None else partial(shown_on, mesh)
    name = file or result.module.file or "MODULE"
    progress("looking for what hurts")
    found = answers(result, name)
    progress("writing the page")
    data = columns(result.run, show)
    data["provenance"] = bool(result.records) or not result.summary().sharded_after
    data["answers"] = found.to_dict(result, show)
    counts = result.summary()
    facts = (
        f"{counts.instructions:,} instructions in {counts.computations:,} computations, "
        f"{result.module.num_partitions} partitions; {counts.sharded_before:,} came with a "
        f"sharding, {counts.sharded_after:,} have one; {counts.iterations} iterations. "
        "The shardings are those that XLA's GSPMD propagation gives"
        + ("." if mesh is None else f", shown on the mesh {mesh_text(mesh)}.")
    )
    extra = f" {options}" if options else ""
    notes = [*result.notes, *(f"warning: {one}" for one in result.module.warnings)]
    return page_of(result.module.name, name, facts, notes, found.lint, data, extra, show)


def page_of(
    module: str,
    file: str,
    facts: str,
    notes: Iterable[str],
    lint: Lint,
    data: dict[str, Any],
    options: str,
    show: Callable[[str], str] = str,
) -> str:
    """Return the page of what has been made ready: facts in words, findings and columns.

    `options` are what commands are given besides the file, with a blank before them.
    """
    data["command"] = {"program": "shardlog", "module": shlex.quote(file), "options": options}
    # lone surrogates stand for bytes of the module that are no UTF-8
    text = json.dumps(data, separators=(",", ":"))
    style, script = _asset("style.css"), "\n".join(map(_asset, SCRIPTS))
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return Template(_asset("page.html")).substitute(
        policy=policy,
        title=escaped(f"Shardings of {module}"),
        facts=escaped(facts),
        notes="\n".join(f'<p class="note">{escaped(note)}</p>' for note in notes),
        counts=escaped(_counts(lint)),
        findings=_findings(lint, options, show),
        data=base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode("ascii"),
        style=style,
        script=script,
    )


def _counts(lint: Lint) -> str:
    counts = lint.counts
    if not counts:
        return lint.nothing
    listed = ", ".join(f"{hurt} {count:,}".replace("_", " ") for hurt, count in counts.items())
    left = f"; {counted(lint.more, 'more finding')} left out" if lint.more else ""
    return listed + left


def _findings(lint: Lint, options: str, show: Callable[[str], str]) -> str:
    if not lint.findings:
        return ""
    items = (_finding(n, one, options, show) for n, one in enumerate(lint.findings))
    return f"<ol>\n{chr(10).join(items)}\n</ol>"


def _finding(number: int, finding: Finding, options: str, show: Callable[[str], str]) -> str:
    name, *others = finding.names
    address = quote(name.partition("{")[0], safe="")
    more = f" and {len(others)} alike" if others else ""
    kind = str(finding.hurt).replace("_", " ")
    return (
        f'<li id="finding-{number}" tabindex="-1"><b>{escaped(readable(finding.bytes))}</b>'
        f'<div><span class="kind">{escaped(kind)}</span>'
        f'<a class="instruction" href="#i={escaped(address)}">{escaped(name)}</a>'
        f"{escaped(more)} <code>{escaped(show(finding.what))}</code>"
        f'<div class="about">{escaped(finding.where)}</div>'
        f"<div>{escaped(show(finding.cause))}</div>"
        f'<div class="command"><code>{escaped(finding.command + options)}</code></div></div></li>'
    )


def _asset(name: str) -> str:
    return (resources.files("shardlog.report") / "assets" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """A hash of an inline script or style, as a Content-Security-Policy names it."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
