"""Causes: why a leaf has not what was wanted, in one sentence, wherever the reason lies."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, TypeAlias

from shardlog.explain.candidate import Candidate, came_from
from shardlog.explain.candidates import Candidates
from shardlog.explain.conflict import conflicting_dims
from shardlog.explain.frontier import stopped
from shardlog.explain.held import Held, held
from shardlog.explain.meanings import KIND_OF_VISIT, Kind
from shardlog.explain.origin import Beginning, beginnings, is_split_beside, taken
from shardlog.explain.run import Place, Run
from shardlog.explain.wanted import Wanted
from shardlog.explain.way import FARTHEST, beside, way, way_to_missing
from shardlog.ir.axes import digits_of, split_dims
from shardlog.ir.sharding import HloSharding
from shardlog.leaves import sharding_of_leaf
from shardlog.proof_text import brief

__all__ = [
    "Cause",
    "Stop",
    "at_the_end",
    "by_hand",
    "devices_taken",
    "elsewhere",
    "from_the_beginning",
    "further",
    "is_elsewhere",
    "local_cause",
    "no_tiles",
    "shut_cause",
    "where_they_stop",
]


@dataclass(frozen=True)
class Cause:
    """The reason in one sentence: its kind, the instruction where it lies, and who else is in it.

    `contributors` are instructions with their shardings.
    """

    kind: Kind
    instruction: str
    says: str
    contributors: tuple[tuple[str, str | None], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the cause ready for JSON."""
        return {
            "kind": str(self.kind),
            "instruction": self.instruction,
            "says": self.says,
            "contributors": [
                {"instruction": name, "sharding": sharding} for name, sharding in self.contributors
            ],
        }


Stop: TypeAlias = tuple[list[Place], Wanted, Cause]
"""The way to where a cause lies, what is missing there, and the cause."""


def shut_cause(run: Run, place: Place, shut: Held) -> Cause:
    """The cause where nothing may change an instruction, and nothing is offered to it either."""
    name = run.named(place)
    contributors = [(run.name(n), _text(run.saturated(Place(n)))) for n in shut.by]
    says = shut.says
    if shut.kind is Kind.MASK and run.operands(place.entity):
        _, path, beyond = elsewhere(run, place, [], False)
        if beyond is not None and path:
            says += f"; nor is anything offered to it: {beyond.says}"
            contributors += beyond.contributors
    return Cause(shut.kind, name, says, tuple(dict(contributors).items()))


def elsewhere(
    run: Run, place: Place, found: list[Candidate], every: bool
) -> tuple[list[Candidate], list[Place], Cause | None]:
    """The cause where tiles stop on their way to an instruction, with the way and what is tried."""
    path = way(run, place)
    if not path:
        return found, path, None
    end = path[-1]
    is_whole = end.leaf is None and run.entities[end.entity].shape.is_tuple
    for at in run.leaves(end.entity) if is_whole else [end]:
        if not run.shape(at).rank:
            return found, path, _at_a_scalar(run, at)
        kept = held(run, at)
        # many values may have their tiles end at one place
        if (at, every) not in run.tried_for_any:
            run.tried_for_any[at, every] = Candidates(run, at, Wanted(), every=every).all()
        elsewhere = run.tried_for_any[at, every]
        cause = local_cause(run, at, elsewhere)
        if cause is None and kept is not None:
            cause = _kept(run, at, kept)
        if cause is not None:
            return elsewhere, path, cause
    return found, [], None


def _at_a_scalar(run: Run, place: Place) -> Cause:
    name = run.named(place)
    parts = [run.part(place, n) for n in run.operands(place.entity)]
    tiled = {run.named(p): str(run.saturated(p)) for p in parts if run.is_split_at(p)}
    offered = ", ".join(f"{n} ({s})" for n, s in tiled.items())
    says = f"{name} is {run.shape(place)}, which has no dimension for the tiles of {offered}"
    return Cause(Kind.NO_DIMENSIONS, name, says, tuple(tiled.items()))


def _kept(run: Run, place: Place, kept: Held) -> Cause:
    """The cause where an annotation without tiles stands on the way."""
    contributors = {run.named(place): _text(run.saturated(place))}
    contributors |= {run.name(n): _text(run.saturated(Place(n))) for n in kept.by}
    return Cause(kept.kind, run.named(place), kept.says, tuple(contributors.items()))


def local_cause(run: Run, place: Place, found: list[Candidate]) -> Cause | None:
    """The cause, if it lies at the instruction itself: something there has tiles, or it is held."""
    for candidate in found:
        if candidate.kind is Kind.NOTHING:
            continue
        split = _reads_tiles(run, place, candidate)
        is_offered = candidate.kind in (Kind.REFUSED, Kind.OVERRULED) or candidate.score >= 4
        if not split and not is_offered:
            continue
        alike = [
            other
            for other in found
            if other.kind is candidate.kind
            and (other.score >= candidate.score - 0.5 or other.score > 3)
        ]
        sources = dict(source for one in alike for source in one.sources)
        says = _sentence(run, place, alike)
        if candidate.kind is Kind.DIMENSION_LOST:
            for other in found:
                # what else has tiles, and no way to hand them on
                unread = other.kind is Kind.NO_RULE and other.direction == candidate.direction
                if unread and _reads_tiles(run, place, other) and not other.rule:
                    says += f"; {other.says}, but {other.short}"
                    sources |= dict(other.sources)
        if besides := "; ".join(dict.fromkeys(one.besides for one in alike if one.besides)):
            says += f"; besides, {besides}"
        return Cause(candidate.kind, run.named(place), says, tuple(sources.items()))
    return None


def _reads_tiles(run: Run, place: Place, candidate: Candidate) -> bool:
    return any(run.is_split_at(run.part(place, number)) for number in candidate.numbers)


def _sentence(run: Run, place: Place, alike: list[Candidate]) -> str:
    name = run.named(place)
    kind = alike[0].kind
    kept = held(run, place)
    by = () if kept is None else tuple(map(run.name, kept.by))
    becauses = "; ".join(dict.fromkeys(one.short for one in alike))
    sources = [
        f"{name} ({sharding})"
        for name, sharding in dict.fromkeys(source for one in alike for source in one.sources)
        if sharding and (kind is Kind.REFUSED or "devices=" in sharding) and name not in by
    ]
    from_ = ", ".join(sources)
    offer = f"{from_} {'offers' if len(sources) == 1 else 'offer'}"
    match kind:
        case Kind.DIMENSION_LOST:
            few = "not all" if run.is_split_at(place) else "no"
            return f"{few} tiles reach {name}: {becauses}"
        case Kind.NO_RULE:
            return f"{name} learns nothing from {from_}: {becauses}"
        case Kind.ANNOTATION | Kind.MASK | Kind.GATE | Kind.FROM_TIE | Kind.OP_REFUSES:
            if not sources:
                return becauses
            return f"{name} does not take what {offer}: {becauses}"
        case Kind.OUTDONE:
            return f"{name} takes the tiles of another: {becauses}"
        case Kind.OTHER_TILES:
            return f"nothing offers that to {name}: {becauses}"
        case Kind.REFUSED:
            return f"what {offer} is refused: {becauses}"
    return becauses


def where_they_stop(run: Run, place: Place, wanted: Wanted) -> Stop | None:
    """The cause where some tiles that are wanted exist, but stop on their way."""
    if wanted.sharding is None or wanted.sharding.kind != "tiled":
        return None
    # what splits another dimension here already is nowhere else to be looked for
    missing = digits_of(wanted.sharding) - digits_of(run.saturated(place))
    ends = way_to_missing(run, place, missing)
    if ends is None:
        return None
    path, source, direction = ends
    at = path[-1] if path else place
    kind, says = stopped(run, missing, source, at, direction)
    if kind is Kind.OTHER:
        return None
    name, shown = run.named(source), run.saturated(source)
    if kind is Kind.DIMENSION_LOST:
        says = f"{'not all' if run.is_split_at(at) else 'no'} tiles reach {run.named(at)}: {says}"
    elif name not in says:
        says = f"{run.named(at)} does not take what {name} ({shown}) offers: {says}"
    here = missing & digits_of(shown)
    return path, Wanted(missing=here), Cause(kind, run.named(at), says, ((name, _text(shown)),))


def devices_taken(run: Run, place: Place, wanted: Wanted) -> Cause | None:
    """The cause where other dimensions are split over the devices that were wanted for some."""
    has, record = run.saturated(place), run.last_record(place)
    if has is None or wanted.sharding is None or wanted.sharding.kind != "tiled":
        return None
    dims = conflicting_dims(has, wanted.sharding)
    if not dims:
        return None
    sources = [] if record is None else [c for c in record.contributors if c != place.entity]
    parts = [run.part(place, number) for number in sources]
    says = f"{run.named(place)} has {has}{came_from(run, place)}: {'; '.join(dims)}"
    contributors = tuple((run.named(one), _text(run.saturated(one))) for one in parts)
    return Cause(Kind.OTHER_TILES, run.named(place), says, contributors)


def from_the_beginning(run: Run, place: Place, wanted: Wanted) -> Stop | None:
    """The cause where a dimension is wanted that nothing beside it splits: where it begins."""
    dims = [wanted.dim] if wanted.dim is not None else split_dims(wanted.sharding)
    has = split_dims(run.saturated(place))
    missing = [dim for dim in dims if dim is not None and dim not in has]
    if not missing:
        return None
    name, dim = run.named(place), missing[0]
    found = beginnings(run, place, dim)
    if any(one.place == place for one in found):
        says = f"dimension {dim} of {name} comes from no operand: only users could split it"
        return [], wanted, Cause(Kind.NOTHING, name, says)
    ended = next((one for one in found if one.loses is not None), None)
    if ended is not None and ended.loses is not None:
        at, source = ended.place, ended.loses
        missing_here = digits_of(run.saturated(source)) - digits_of(run.saturated(at))
        cause = _ended(run, ended, source, f"dimension {dim} of {name}")
        return list(ended.path), Wanted(missing=missing_here), cause
    contributors = [(run.named(one.place), _text(run.saturated(one.place))) for one in found]
    # annotations are what its user can change
    found.sort(key=lambda one: run.outcome.given[one.place.entity] is None)
    begins = "; ".join(one.says for one in found[:6])
    says = f"dimension {dim} of {name} would be split if this were: {begins}"
    cause = Cause(Kind.OTHER_TILES, name, says, tuple(dict(contributors).items()))
    return [], wanted, cause


def _ended(run: Run, ended: Beginning, source: Place, what: str) -> Cause:
    """The cause where an op ends tiles of what a dimension is made from."""
    at = run.named(ended.place)
    contributors = [(run.named(source), _text(run.saturated(source)))]
    comes = "" if what == f"dimension {ended.dim} of {at}" else f", where {what} comes from"
    says = f"not all tiles reach dimension {ended.dim} of {at}{comes}: {ended.says}"
    if not ended.is_taken:
        return Cause(Kind.DIMENSION_LOST, at, says, tuple(contributors))
    record = run.last_record(ended.place)
    winners = [] if record is None else [c for c in record.contributors if c != record.entity]
    parts = [run.part(ended.place, number) for number in winners]
    contributors += [(run.named(one), _text(run.saturated(one))) for one in parts]
    return Cause(Kind.OTHER_TILES, at, says, tuple(dict(contributors).items()))


def taken_by_another(run: Run, place: Place, dim: int) -> Cause | None:
    """The cause where an operand has tiles for a dimension whose devices another dimension has."""
    found = taken(run, place, dim)
    if found is None or found.loses is None:
        return None
    return _ended(run, found, found.loses, f"dimension {dim} of {run.named(place)}")


SUMMING = frozenset(("dot", "convolution", "reduce"))
"""Ops that sum over dimensions of their operands."""


def is_elsewhere(run: Run, place: Place, dim: int, cause: Cause) -> bool:
    """Whether a cause is about tiles of operands that have nothing to do with a dimension.

    What a dot sums over would not split its rows, were it kept; of an op that is not expected to
    end tiles it is the cause all the same.
    """
    if run.entities[place.entity].opcode not in SUMMING:
        return False
    operands = {run.named(run.part(place, number)) for number in run.operands(place.entity)}
    if not all(name in operands for name, _ in cause.contributors):
        return False
    return not is_split_beside(run, place, dim)


def by_hand(run: Run, place: Place, wanted: Wanted) -> Cause | None:
    """The cause where a value is manual, with the annotation that it goes back to."""
    has, name, at = run.saturated(place), run.named(place), place
    if has is None or not has.is_manual or not wanted.asks_for_tiles:
        return None
    seen = {at}
    while (record := run.last_record(at)) is not None:
        before = [run.part(at, c) for c in record.contributors if c != at.entity]
        if not before or before[0] in seen:
            break
        at = before[0]
        seen.add(at)
    says = f"{name} is manual{came_from(run, place)}, which nothing else replaces"
    if at != place:
        says += f"; it goes back to {run.named(at)}, which is annotated so"
    return Cause(Kind.ANNOTATION, name, says, ((run.named(at), _text(run.saturated(at))),))


def _text(sharding: HloSharding | None) -> str | None:
    return None if sharding is None else str(sharding)


def further(run: Run, place: Place, wanted: Wanted) -> Cause:
    """The cause where all that was wanted is there: none, or what split it further."""
    name, final = run.named(place), run.final(place)
    exact = wanted.sharding is None or (final is not None and wanted.sharding.equals(final))
    record = run.last_record(place)
    if exact or record is None:
        return Cause(Kind.HOLDS, name, f"{name} is sharded so: {final}")
    sources = [run.part(place, c) for c in record.contributors if c != place.entity]
    contributors = tuple((run.named(one), _text(run.saturated(one))) for one in sources)
    tier = "" if record.value is None else f", tier {record.value}"
    says = (
        f"{name} is split so and further: it has {final} from "
        f"{', '.join(n for n, _ in contributors) or 'itself'} by rule '{record.rule.name}' "
        f"({record.visit}{tier}); what splits more replaces what splits less"
    )
    return Cause(KIND_OF_VISIT.get(record.visit, Kind.OTHER), name, says, contributors)


def at_the_end(run: Run, place: Place, wanted: Wanted) -> Cause | None:
    """The cause, if the rounds gave what was wanted and masks or uneven division took it away."""
    before, after = run.saturated(place), run.final(place)
    if before is after or not wanted.met(before) or wanted.met(after):
        return None
    name = run.named(place)
    masked = run.inquiry.value("masked", place.entity)
    shape = run.entities[place.entity].shape
    if place.leaf is not None and masked is not None:
        masked, shape = masked.elements[place.leaf], shape.leaves[place.leaf]
    if masked is before:
        record = run.last_record(place)
        sources = [] if record is None else [c for c in record.contributors if c != place.entity]
        parts = [run.part(place, number) for number in sources]
        says = (
            f"{name} had {before}{came_from(run, place)}, which does not divide {shape} evenly: "
            "replicated at the end"
        )
        contributors = tuple((run.named(one), _text(run.saturated(one))) for one in parts)
        return Cause(Kind.UNEVEN, name, says, contributors)
    says = f"{name} had {before}, but its mask is closed: it leaves as it came, {after}"
    return Cause(Kind.MASK, name, says)


def no_tiles(run: Run, place: Place) -> Cause:
    """The cause where nothing that an instruction hangs on has any tiles."""
    given = run.outcome.saturated.state["given"]
    seen = {place}
    todo = deque([place])
    annotated: list[Place] = []
    single: list[Place] = []
    while todo and len(seen) < FARTHEST:
        at = todo.popleft()
        if given[at.entity] is not None:
            annotated.append(at)
            sharding = sharding_of_leaf(given[at.entity], at.leaf)
            if sharding is not None and sharding.kind == "maximal":
                single.append(at)
        for one in beside(run, at):
            if one not in seen and not run.is_split_at(one):
                seen.add(one)
                todo.append(one)
    name = run.named(place)
    says = "every sharding descends from an annotation, no rule invents tiles"
    if not annotated:
        return Cause(Kind.NOTHING, name, f"{says}; nothing that {name} hangs on is annotated")
    shown = annotated[:6]
    contributors = tuple(
        (run.named(at), brief(whole))
        for at in shown
        if (whole := sharding_of_leaf(given[at.entity], at.leaf)) is not None
    )
    listed = ", ".join(f"{n} {s}" for n, s in contributors)
    more = f" and {len(annotated) - len(shown)} more" if len(annotated) > len(shown) else ""
    if single:
        more += "; a sharding on one device is not handed on"
    says = f"{says}; {name} hangs on annotations without tiles: {listed}{more}"
    return Cause(Kind.ANNOTATION, name, says, contributors)
