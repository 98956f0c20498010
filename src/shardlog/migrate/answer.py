"""What differs between the two partitioners' answers, in groups by cause."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from shardlog.explain.sizes import counted, readable
from shardlog.markup import Displayed, escaped, listed, paragraph, table
from shardlog.migrate.causes import Cause, Causes
from shardlog.migrate.kinds import TITLES, Kind
from shardlog.migrate.pairs import ARGUMENT, RESULT, Axes, Pair, Pairs, gspmd_run, shardy_run
from shardlog.migrate.remedies import Annotation, Remedies, Remedy

__all__ = ["Group", "Migration", "Row", "compare", "migrate", "page"]

NAMES_SHOWN = 6


@dataclass(frozen=True)
class Row:
    """Values of one type and one op that have the same two answers."""

    op: str
    type: str
    shardy: str
    gspmd: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Group:
    """Values whose answers differ for one cause, with what would mend it.

    `sizes` are bytes on a device by Shardy's and by GSPMD's answer. `proofs` are the full proofs of
    the value where it began: GSPMD's and Shardy's. `tried` says whether a remedy was looked for.
    """

    cause: Cause
    rows: tuple[Row, ...]
    count: int
    sizes: tuple[int, int]
    location: str
    proofs: tuple[str, str]
    remedy: Remedy | None
    tried: bool

    @property
    def kind(self) -> Kind:
        """Why answers differ."""
        return self.cause.kind

    def remedy_says(self) -> str:
        """What mends it, in a sentence."""
        if self.remedy is None:
            return "no annotation was found that mends it" if self.tried else "none was looked for"
        remedy = self.remedy
        told = f"{remedy.mended} of {self.count} become GSPMD's"
        if remedy.more:
            told += f", and {remedy.more} others"
        if remedy.spoilt:
            told += f"; {remedy.spoilt} that were alike differ then"
        return f"{' and '.join(map(str, remedy.annotations))}: tried, {told}"


@dataclass(frozen=True)
class Migration(Displayed):
    """The answers of both partitioners to one program, as far as they differ.

    `alone` counts values that have no counterpart in GSPMD's form of the program.
    """

    file: str
    compared: int
    alone: int
    groups: tuple[Group, ...]
    notes: tuple[str, ...] = ()

    @property
    def differing(self) -> int:
        """How many values differ."""
        return sum(group.count for group in self.groups)

    def to_text(self, limit: int | None = 20, proofs: bool = False) -> str:
        """Return the groups as text, at most `limit` of them."""
        lines = [f"{self.file}: {self._summary()}"]
        lines += [f"note: {note}" for note in self.notes]
        shown = self.groups if limit is None else self.groups[:limit]
        for number, group in enumerate(shown, 1):
            mine, theirs = map(readable, group.sizes)
            lines.append("")
            lines.append(f"{number}. {TITLES[group.kind]} ({group.kind}), at {group.cause.op}")
            lines.append(
                f"    {counted(group.count, 'value')}; on a device {mine} by Shardy, "
                f"{theirs} by GSPMD" + (f"  {group.location}" if group.location else "")
            )
            for row in group.rows[:NAMES_SHOWN]:
                lines.append(f"    {row.op} {row.type}: Shardy {row.shardy}, GSPMD {row.gspmd}")
                lines.append(f"        {_some(row.names)}")
            if len(group.rows) > NAMES_SHOWN:
                lines.append(f"    ... and {len(group.rows) - NAMES_SHOWN} more kinds of values")
            lines.append(f"  Shardy: {group.cause.shardy}")
            lines.append(f"  GSPMD: {group.cause.gspmd}")
            lines.append(f"  remedy: {group.remedy_says()}")
            for one in group.remedy.annotations if group.remedy else ():
                if one.jax:
                    lines.append(f"      {one.jax}")
            if proofs:
                for who, proof in zip(("GSPMD", "Shardy"), group.proofs, strict=True):
                    lines.append(f"  proof of {who}:")
                    lines += [f"    {line}" for line in proof.splitlines()]
        if len(self.groups) > len(shown):
            lines += ["", f"... and {len(self.groups) - len(shown)} more groups (--limit)"]
        return "\n".join(lines)

    def _summary(self) -> str:
        if not self.groups:
            return f"both give the same to all {self.compared} values"
        return (
            f"{self.differing} of {self.compared} values differ, "
            f"for {counted(len(self.groups), 'cause')}"
        )

    def to_markdown(self, limit: int | None = 20) -> str:
        """Return the groups as Markdown."""
        lines = [f"# {self.file}", "", f"{self._summary()}.", ""]
        lines += [f"- {note}" for note in self.notes]
        for group in self.groups if limit is None else self.groups[:limit]:
            mine, theirs = map(readable, group.sizes)
            lines += ["", f"## {TITLES[group.kind]}: `{group.cause.op}`", ""]
            lines.append(
                f"{counted(group.count, 'value')}; on a device {mine} by Shardy, {theirs} by GSPMD."
            )
            lines += ["", "| op | type | Shardy | GSPMD | values |", "|---|---|---|---|---|"]
            for row in group.rows:
                cells = (row.op, row.type, row.shardy, row.gspmd, _some(row.names))
                lines.append("| " + " | ".join(f"`{_cell(cell)}`" for cell in cells) + " |")
            lines += ["", f"- Shardy: {group.cause.shardy}", f"- GSPMD: {group.cause.gspmd}"]
            lines.append(f"- Remedy: {group.remedy_says()}")
            for one in group.remedy.annotations if group.remedy else ():
                if one.jax:
                    lines.append(f"  `{one.jax}`")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        parts = [paragraph(self.file, self._summary()), listed(self.notes)]
        for group in self.groups:
            mine, theirs = map(readable, group.sizes)
            parts.append(f"<h3>{escaped(TITLES[group.kind])}: {escaped(group.cause.op)}</h3>")
            about = f"on a device {mine} by Shardy, {theirs} by GSPMD"
            parts.append(paragraph(counted(group.count, "value"), about))
            rows = [(r.op, r.type, r.shardy, r.gspmd, _some(r.names)) for r in group.rows]
            parts.append(table(("op", "type", "Shardy", "GSPMD", "values"), rows))
            parts.append(
                listed(
                    (
                        f"Shardy: {group.cause.shardy}",
                        f"GSPMD: {group.cause.gspmd}",
                        f"remedy: {group.remedy_says()}",
                        *(o.jax for o in (group.remedy.annotations if group.remedy else ())),
                    )
                )
            )
            for who, proof in zip(("GSPMD", "Shardy"), group.proofs, strict=True):
                summary = f"<summary>proof of {who}</summary>"
                parts.append(f"<details>{summary}<pre>{escaped(proof)}</pre></details>")
        return "".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer ready for JSON."""
        return {
            "file": self.file,
            "compared": self.compared,
            "differing": self.differing,
            "without_counterpart": self.alone,
            "notes": list(self.notes),
            "groups": [_fields(group) for group in self.groups],
        }

    def __str__(self) -> str:
        return self.to_text()


_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; }
td, th { padding: .15em .6em; text-align: left; vertical-align: top; } pre { overflow: auto; }
@media (prefers-color-scheme: dark) { body { background: #181a1f; color: #ddd; } }
"""


def page(answer: Migration) -> str:
    """Return the answer as an HTML page that needs nothing else."""
    title = escaped(f"GSPMD and Shardy: {answer.file}")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_STYLE}</style></head><body>\n<h1>{title}</h1>\n{answer._repr_html_()}\n"
        "</body></html>"
    )


def _fields(group: Group) -> dict[str, Any]:
    remedy = group.remedy
    return {
        "kind": str(group.kind),
        "op": group.cause.op,
        "location": group.location or None,
        "value": group.cause.value,
        "values": group.count,
        "bytes_shardy": group.sizes[0],
        "bytes_gspmd": group.sizes[1],
        "shardy": group.cause.shardy,
        "gspmd": group.cause.gspmd,
        "proof_shardy": group.proofs[1],
        "proof_gspmd": group.proofs[0],
        "rows": [
            {
                "op": row.op,
                "type": row.type,
                "shardy": row.shardy,
                "gspmd": row.gspmd,
                "values": list(row.names),
            }
            for row in group.rows
        ],
        "remedy": None
        if remedy is None
        else {
            "annotations": [_annotation(one) for one in remedy.annotations],
            "mended": remedy.mended,
            "others_mended": remedy.more,
            "spoilt": remedy.spoilt,
        },
    }


def _annotation(one: Annotation) -> dict[str, Any]:
    return {
        "what": one.what,
        "value": one.name,
        "sharding": str(one.sharding),
        "says": str(one),
        "jax": one.jax or None,
    }


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return ", ".join(names[:NAMES_SHOWN]) + more


def _shown(axes: Axes | None, other: object) -> str:
    if axes is None:
        return str(other)
    return "[" + ", ".join("{" + ", ".join(dim) + "}" for dim in axes) + "]"


# ---------------------------------------------------------------- the search


def migrate(
    data: bytes,
    file: str = "",
    *,
    trials: int = 8,
    told: Callable[[str], None] = lambda _: None,
) -> Migration:
    """Propagate a program with Shardy's annotations both ways and return what differs, and why.

    For each group up to `trials` annotations are tried, each by propagating again. `told` gets
    words on what is being done. Raises JaxUnavailable without jaxlib, and InputError for what
    cannot be read, or has no form for GSPMD.
    """
    told("Shardy's propagation")
    shardy = shardy_run(data, file or None)
    told("GSPMD's propagation")
    return compare(Pairs.of(shardy, *gspmd_run(data, file or None)), file, trials=trials, told=told)


def compare(
    pairs: Pairs,
    file: str = "",
    *,
    trials: int = 8,
    told: Callable[[str], None] = lambda _: None,
) -> Migration:
    """Return what differs between two runs, and why, as `migrate` does."""
    shardy, module = pairs.shardy, pairs.module
    causes = Causes(pairs)
    told("causes")
    found = _grouped(causes)
    remedies = Remedies(causes, trials, lambda number: told(f"annotation {number} is tried"))
    groups = tuple(
        _group(causes, cause, roots, members, remedies) for cause, roots, members in found
    )
    notes = [f"{name} has no op sharding rule in Shardy" for name in shardy.unknown]
    notes += [f"GSPMD: {warning}" for warning in module.warnings]
    if pairs.alone:
        notes.append(
            f"not compared: {counted(pairs.alone, 'value')} without a counterpart in HLO, such as "
            "constants and what is simplified on the way"
        )
    return Migration(file or "program", len(pairs.pairs), pairs.alone, groups, tuple(notes))


def _grouped(causes: Causes) -> list[tuple[Cause, list[Pair], list[Pair]]]:
    """The causes with the values where they began and all that differ by them."""
    of: dict[Any, tuple[Cause, list[Pair], list[Pair]]] = {}
    known: dict[Any, Any] = {}
    for pair in causes.pairs.differing:
        root = causes.beginning(pair)
        if root.key not in known:
            cause = causes.cause(root)
            mark = cause.kind, cause.op
            known[root.key] = mark
            of.setdefault(mark, (cause, [], []))[1].append(root)
        of[known[root.key]][2].append(pair)
    return sorted(of.values(), key=lambda each: (-_weight(each[2]), -len(each[2])))


def _weight(pairs: Sequence[Pair]) -> int:
    return sum(max(pair.sizes) for pair in pairs)


def _group(
    causes: Causes, cause: Cause, roots: list[Pair], members: list[Pair], remedies: Remedies
) -> Group:
    rows: dict[tuple[str, str, str, str], list[str]] = {}
    for pair in members:
        op = pair.op.removeprefix("stablehlo.")
        mine, theirs = _shown(pair.shardy_axes, None), _shown(pair.gspmd_axes, pair.gspmd)
        rows.setdefault((op, pair.value.type.text, mine, theirs), []).append(pair.name)
    sizes = sum(pair.sizes[0] for pair in members), sum(pair.sizes[1] for pair in members)
    owner = roots[0].value.owner
    special = roots[0].key.tag in (ARGUMENT, RESULT)
    location = "" if special else "  ".join(filter(None, (f'"{owner.location}"', owner.source)))
    remedy = remedies.find(cause.kind, roots, members) if remedies.trials else None
    return Group(
        cause,
        tuple(Row(*key, tuple(names)) for key, names in rows.items()),
        len(members),
        sizes,
        location if owner.location else "",
        causes.proofs(roots[0]),
        remedy,
        bool(remedies.trials),
    )
