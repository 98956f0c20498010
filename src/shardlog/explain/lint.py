"""What in a propagated module is likely to hurt: findings, those with the most bytes first."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from shardlog.explain.hurts import Found, Hurt, finders, problems
from shardlog.explain.idle import candidates, idle
from shardlog.explain.rerun import Reruns
from shardlog.explain.run import Run
from shardlog.explain.sizes import counted, readable
from shardlog.markup import Displayed, paragraph, table

__all__ = ["Finding", "Hurt", "Lint", "lint"]

LARGE = 1 << 20
"""From how many bytes on a device on a value is worth a word."""

_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class Finding:
    """Something that costs `bytes` on each device, its cause, and the command that explains it.

    `names` are instructions alike in all but their numbers, the first one explained. `also` are
    further kinds of the same problem, each with what it is about.
    """

    hurt: Hurt
    names: tuple[str, ...]
    what: str
    bytes: int
    cause: str
    command: str
    where: str = ""
    also: tuple[tuple[Hurt, str], ...] = ()


@dataclass(frozen=True)
class Lint(Displayed):
    """The findings about a module; `more` counts those that are left out.

    `untried` are annotations that may be without effect and that no run was left for. `least` is
    from how many bytes on a device on a value was looked at.
    """

    module: str
    findings: tuple[Finding, ...]
    more: int = 0
    counts: dict[Hurt, int] = field(default_factory=dict)
    untried: int = 0
    least: int = 0

    @property
    def nothing(self) -> str:
        """What is said if there are no findings."""
        return f"nothing found of {readable(self.least)} or more" if self.least else "nothing found"

    def to_text(self) -> str:
        """Return the findings as text."""
        rest = []
        if self.untried:
            those = counted(self.untried, "annotation")
            rest = [f"{those} may be without effect, too: `shardlog impact` tells of each"]
        if not self.findings:
            how = " (--min-bytes)" if self.least else ""
            return "\n".join([self.nothing + how, *rest])
        lines = []
        for finding in self.findings:
            more = f" and {len(finding.names) - 1} alike" if len(finding.names) > 1 else ""
            lines.append(
                f"{finding.hurt}: {readable(finding.bytes)}  {finding.names[0]}{more}"
                f"  {finding.what}"
            )
            if finding.where:
                lines.append(f"    {finding.where}")
            lines += [f"    also {hurt}: {what}" for hurt, what in finding.also]
            lines.append(f"    {finding.cause}")
            lines.append(f"    $ {finding.command}")
        counts = ", ".join(f"{hurt} {count}" for hurt, count in self.counts.items())
        left = f"; {self.more} more (--limit)" if self.more else ""
        return "\n".join([*lines, f"{counts}{left}", *rest])

    def to_dict(self) -> dict[str, Any]:
        """Return the findings ready for JSON."""
        return {
            "module": self.module,
            "counts": {str(hurt): count for hurt, count in self.counts.items()},
            "more": self.more,
            "annotations_untried": self.untried,
            "findings": [
                {
                    "kind": str(one.hurt),
                    "instructions": list(one.names),
                    "what": one.what,
                    "where": one.where or None,
                    "bytes": one.bytes,
                    "also": [{"kind": str(hurt), "what": what} for hurt, what in one.also],
                    "cause": one.cause,
                    "command": one.command,
                }
                for one in self.findings
            ],
        }

    def _repr_html_(self) -> str:
        heads = ("kind", "bytes", "instruction", "what", "cause", "command")
        rows = [
            (
                one.hurt,
                readable(one.bytes),
                one.names[0] + (f" and {len(one.names) - 1} alike" if one.names[1:] else ""),
                one.what,
                one.cause,
                one.command,
            )
            for one in self.findings
        ]
        counts = ", ".join(f"{hurt} {count}" for hurt, count in self.counts.items())
        return paragraph(self.module, counts or self.nothing) + table(heads, rows)

    def __str__(self) -> str:
        return self.to_text()


def lint(
    run: Run,
    file: str,
    options: str = "",
    *,
    least: int = LARGE,
    limit: int | None = 20,
    kinds: frozenset[Hurt] = frozenset(Hurt),
    reruns: Callable[[], Reruns | None] = lambda: None,
) -> Lint:
    """Return what is likely to hurt in a run's module, of at least `least` bytes on a device.

    `file` is what commands call the module, `options` what they are given besides. Instructions
    that differ by their numbers alone are one finding; at most `limit` findings are explained.
    Annotations without effect take runs of the module as it came, which `reruns` gives if it can.
    """
    doubtful = candidates(run, least) if Hurt.IDLE in kinds else []
    again = reruns() if doubtful else None
    idles, untried = ([], len(doubtful)) if again is None else idle(run, again, doubtful)
    find = finders(idles)
    every = [one for hurt in Hurt if hurt in kinds for one in find[hurt](run, least)]
    alike: dict[Any, list[Found]] = {}
    for one in problems(every):
        parts = tuple((each.hurt, each.what) for each in (one, *one.also))
        op_name = _NUMBER.sub("#", run.in_program(one.place.entity)[0])
        alike.setdefault((parts, run.opcode(one.place.entity), op_name), []).append(one)
    groups = sorted(alike.values(), key=lambda group: -sum(one.bytes for one in group))
    counts: dict[Hurt, int] = {}
    for group in groups:
        counts[group[0].hurt] = counts.get(group[0].hurt, 0) + len(group)
    chosen = groups if limit is None else groups[:limit]
    behind = f" {options}" if options else ""
    findings = tuple(_finding(run, group, shlex.quote(file), behind) for group in chosen)
    left = len(groups) - len(findings)
    return Lint(run.outcome.module.name, findings, left, counts, untried, least)


def _finding(run: Run, group: Sequence[Found], file: str, options: str) -> Finding:
    """A finding about things that are alike, of which the first is explained."""
    first = group[0]
    return Finding(
        first.hurt,
        tuple(run.named(one.place) for one in group),
        first.what,
        sum(one.bytes for one in group),
        first.cause(),
        f"shardlog {first.command[0]} {file} {shlex.quote(first.command[1])}{options}",
        str(run.origin(first.place.entity)),
        tuple((one.hurt, one.what) for one in first.also),
    )
