"""Why an instruction has not the sharding that its user expected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from shardlog.explain.candidate import Candidate
from shardlog.explain.candidates import Candidates
from shardlog.explain.causes import (
    Cause,
    at_the_end,
    by_hand,
    devices_taken,
    elsewhere,
    from_the_beginning,
    further,
    is_elsewhere,
    local_cause,
    no_tiles,
    shut_cause,
    taken_by_another,
    where_they_stop,
)
from shardlog.explain.meanings import Kind
from shardlog.explain.run import Place, Run
from shardlog.explain.wanted import Wanted
from shardlog.explain.way import way_to_none
from shardlog.ir.sharding import HloSharding
from shardlog.markup import Displayed, paragraph, table
from shardlog.origins import Origin

__all__ = ["Cause", "WhyNot", "why_not"]


@dataclass(frozen=True)
class WhyNot(Displayed):
    """The answer: the cause, the way to where it lies, and every rule that was asked.

    `path` are the instructions without tiles between the one asked about and that of the cause,
    whose candidates these are. `hidden` counts rules that have nothing to do with it.
    """

    name: str
    origin: Origin
    sharding: HloSharding | None
    wanted: Wanted
    cause: Cause
    path: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    hidden: int

    def to_text(self, limit: int | None = 8) -> str:
        """Return the answer as text, with at most `limit` rules."""
        has = "no sharding" if self.sharding is None else str(self.sharding)
        lines = [f"{self.name}  {has}", f"    {self.origin}", f"  wanted: {self.wanted}"]
        lines.append(f"cause ({self.cause.kind}): {self.cause.says}")
        if self.path:
            lines.append(f"  on the way: {' <- '.join((self.name, *self.path))}")
        shown = self.candidates if limit is None else self.candidates[:limit]
        if shown:
            lines.append(f"what could have given it to {self.cause.instruction}, nearest first:")
        for candidate in shown:
            rule = f"rule '{candidate.rule}'" if candidate.rule else "no rule"
            says = f": {candidate.says}" if candidate.says else ""
            lines.append(f"  {rule} ({candidate.direction}){says}")
            gives = f"gives {candidate.proposes}; " if candidate.proposes else ""
            lines.append(f"      {candidate.kind}: {gives}{candidate.because}")
            if candidate.failed and candidate.failed not in candidate.because:
                lines.append(f"      first to fail: {candidate.failed}")
        left = len(self.candidates) - len(shown)
        if left:
            lines.append(f"  ... and {left} more (--limit)")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer ready for JSON."""
        return {
            "instruction": self.name,
            "opcode": self.origin.opcode,
            "shape": self.origin.shape,
            "op_name": self.origin.op_name or None,
            "source": self.origin.source or None,
            "sharding": None if self.sharding is None else str(self.sharding),
            "wanted": str(self.wanted),
            "cause": self.cause.to_dict(),
            "path": list(self.path),
            "candidates": [
                {
                    "rule": candidate.rule or None,
                    "direction": candidate.direction,
                    "kind": str(candidate.kind),
                    "says": candidate.says,
                    "because": candidate.because,
                    "sources": [
                        {"instruction": name, "sharding": sharding}
                        for name, sharding in candidate.sources
                    ],
                    "proposes": candidate.proposes,
                    "failed": candidate.failed,
                    "opens_at_tier": candidate.opens,
                }
                for candidate in self.candidates
            ],
            "hidden": self.hidden,
        }

    def _repr_html_(self) -> str:
        has = "no sharding" if self.sharding is None else str(self.sharding)
        way = " <- ".join((self.name, *self.path))
        heads = ("rule", "direction", "kind", "gives", "because")
        rows = [(c.rule, c.direction, c.kind, c.proposes or "", c.because) for c in self.candidates]
        return (
            paragraph(self.name, has, self.origin)
            + paragraph("wanted:", self.wanted)
            + paragraph(f"{self.cause.kind}:", self.cause.says)
            + (paragraph("on the way:", way) if self.path else "")
            + (table(heads, rows, 8) if rows else "")
        )

    def __str__(self) -> str:
        return self.to_text()


def why_not(run: Run, place: Place, wanted: Wanted, every: bool = False) -> WhyNot:
    """Return why a leaf of an instruction has not what was wanted.

    With `every`, rules that are for other instructions are told of, too.
    """
    stand_in = run.stand_in(place.entity)
    if stand_in is not None:
        there = why_not(run, Place(stand_in, place.leaf), wanted, every)
        through = (there.name, *there.path)
        return replace(there, name=run.named(place), origin=run.origin(place.entity), path=through)
    shape = run.shape(place)
    if not shape.rank and wanted.asks_for_tiles and not every:
        says = f"{run.named(place)} is {shape}, which has no dimension that could be split"
        return _answer(run, place, wanted, Cause(Kind.NO_DIMENSIONS, run.named(place), says))
    asked = Candidates(run, place, wanted, every=every)
    found = asked.all()
    path: list[Place] = []
    cause = at_the_end(run, place, wanted) or by_hand(run, place, wanted)
    if cause is None and wanted.met(run.final(place)):
        cause = further(run, place, wanted)
    if cause is None:
        cause = local_cause(run, place, found)
        if cause is not None and cause.kind is Kind.DIMENSION_LOST and wanted.dim is not None:
            cause = taken_by_another(run, place, wanted.dim) or cause
            if cause.kind is Kind.OTHER_TILES:
                return _answer(run, place, wanted, cause, path, found, asked.hidden)
            if is_elsewhere(run, place, wanted.dim, cause):
                cause = None
    if cause is None or cause.kind is Kind.OTHER_TILES:
        stops = where_they_stop(run, place, wanted)
        taken = None if stops is not None else devices_taken(run, place, wanted)
        if stops is None and taken is None:
            stops = from_the_beginning(run, place, wanted)
        if stops is not None:
            path, missing, cause = stops
            if missing is not wanted:
                found = Candidates(run, [place, *path][-1], missing, every=every).all()
        cause = taken or cause
    if cause is None:
        shut = asked.shut()
        if shut is not None and shut.kind in (Kind.MASK, Kind.ANNOTATION, Kind.FROM_TIE):
            cause = shut_cause(run, place, shut)
    if cause is None and not wanted.asks_for_tiles:
        path = way_to_none(run, place)
        for at in path[-1:]:
            found = Candidates(run, at, wanted, every=every).all()
            cause = local_cause(run, at, found)
    if cause is None:
        found, path, cause = elsewhere(run, place, found, every)
    return _answer(run, place, wanted, cause or no_tiles(run, place), path, found, asked.hidden)


def _answer(
    run: Run,
    place: Place,
    wanted: Wanted,
    cause: Cause,
    path: Sequence[Place] = (),
    found: Sequence[Candidate] = (),
    hidden: int = 0,
) -> WhyNot:
    return WhyNot(
        run.named(place),
        run.origin(place.entity),
        run.final(place),
        wanted,
        cause,
        tuple(map(run.named, path)),
        tuple(found),
        hidden,
    )
