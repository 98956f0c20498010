"""The difference between two batches in words, as Markdown and as a JUnit report."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape, quoteattr

from shardlog.batch.diff import BatchDiff, FindingChange, InstructionChange, ModuleChange
from shardlog.explain.sizes import readable

__all__ = ["markdown_row", "to_junit", "to_markdown", "to_text"]

_CONTROL = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~])")


def to_text(diff: BatchDiff, limit: int) -> str:
    """Return the difference as text, at most so many lines of each kind for a module."""
    lines = [f"{name}: {old} -> {new}" for name, (old, new) in diff.about.items()]
    for change in diff.changes:
        lines.append(f"{change.module}: {_verdict(change)}")
        lines += [f"    {line}" for line in _details(change, limit)]
    return "\n".join([*lines, _counts(diff)])


def to_markdown(diff: BatchDiff, limit: int) -> str:
    """Return the difference as Markdown, for a comment or a job's summary."""
    lines = ["### shardlog batch diff", "", _counts(diff), ""]
    lines += [f"- {_md(name)}: {_md(old)} → {_md(new)}" for name, (old, new) in diff.about.items()]
    if diff.about:
        lines.append("")
    if diff.changes:
        heads = ("module", "what", "instructions", "findings", "bytes on a device")
        lines += [markdown_row(heads), markdown_row(["---"] * len(heads))]
    for change in diff.changes:
        old, new = change.facts.get("bytes_on_device", (None, None))
        size = "" if old is None or new is None else f"{readable(old)} → {readable(new)}"
        lines.append(
            markdown_row(
                (
                    change.module,
                    _verdict(change),
                    _tally(change.instructions),
                    _tally(change.findings),
                    size,
                )
            )
        )
    for change in diff.changes:
        details = list(_details(change, limit))
        if details:
            lines += ["", f"<details><summary>{escape(change.module)}</summary>", ""]
            lines += [f"- {_md(line)}" for line in details]
            lines += ["", "</details>"]
    return "\n".join(lines)


def to_junit(diff: BatchDiff, limit: int) -> str:
    """Return the difference as a JUnit report: a case for each module, failed if it differs."""
    worse = sum(change.verdict in ("failed", "still failing") for change in diff.changes)
    total = len(diff.same) + len(diff.changes)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name="shardlog batch diff" tests="{total}" '
        f'failures="{len(diff.changes) - worse}" errors="{worse}">',
    ]
    cases: list[tuple[str, ModuleChange | None]] = [(name, None) for name in diff.same]
    cases += [(change.module, change) for change in diff.changes]
    for name, change in sorted(cases, key=lambda case: case[0]):
        head = f"<testcase classname={_attribute('shardlog')} name={_attribute(name)}"
        if change is None:
            lines.append(f"  {head}/>")
            continue
        tag = "error" if change.verdict in ("failed", "still failing") else "failure"
        text = escape(_xml("\n".join(_details(change, limit))))
        lines.append(f"  {head}>")
        lines.append(f"    <{tag} message={_attribute(_verdict(change))}>{text}</{tag}>")
        lines.append("  </testcase>")
    return "\n".join([*lines, "</testsuite>"])


def markdown_row(cells: Sequence[object]) -> str:
    """Return a row of a Markdown table."""
    return f"| {' | '.join(_md(cell) for cell in cells)} |"


def _md(value: object) -> str:
    """Text that Markdown shows as it is, in one line."""
    return _MARKDOWN.sub(r"\\\1", " ".join(str(value).split())) if str(value) != "---" else "---"


def _verdict(change: ModuleChange) -> str:
    words = [change.verdict]
    if change.content:
        words.append("another file")
    if change.error:
        words.append(change.error)
    return ", ".join(words)


def _details(change: ModuleChange, limit: int) -> Iterator[str]:
    for name, (old, new) in change.facts.items():
        yield f"{name}: {old} -> {new}"
    for finding in change.findings[:limit]:
        yield f"finding {finding.verdict}: {_sizes(finding)} {finding.kind} {finding.instruction}"
    if len(change.findings) > limit:
        yield f"... and {len(change.findings) - limit} more findings (--limit)"
    for one in change.instructions[:limit]:
        where = f"{one.name} ({one.opcode}, in {one.computation})"
        yield f"instruction {one.verdict}: {where}: {_sharding(one.old)} -> {_sharding(one.new)}"
    if len(change.instructions) > limit:
        yield f"... and {len(change.instructions) - limit} more instructions (--limit)"


def _sizes(finding: FindingChange) -> str:
    sizes = [readable(size) for size in (finding.old, finding.new) if size is not None]
    return " -> ".join(sizes)


def _sharding(text: str | None) -> str:
    return "no sharding" if text is None else text


def _tally(changes: Sequence[InstructionChange | FindingChange]) -> str:
    counts = Counter(change.verdict for change in changes)
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items())


def _counts(diff: BatchDiff) -> str:
    verdicts = Counter(change.verdict for change in diff.changes)
    words = [f"{count} {verdict}" for verdict, count in verdicts.items()]
    words.append(f"{len(diff.same)} the same")
    instructions = sum(len(change.instructions) for change in diff.changes)
    findings = sum(len(change.findings) for change in diff.changes)
    text = f"modules: {', '.join(words)}; instructions: {instructions}; findings: {findings}"
    for which, left in zip(("old", "new"), diff.pending, strict=True):
        if left:
            text += f"; the {which} batch has {left} modules left to do"
    return text


def _xml(text: str) -> str:
    return _CONTROL.sub("\ufffd", text)


def _attribute(text: str) -> str:
    return quoteattr(_xml(text))
