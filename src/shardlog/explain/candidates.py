"""What each rule could have done for an instruction, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from typing import Any

from shardlog.engine.attempts import Attempt, Proposal
from shardlog.engine.inquiry import Finding
from shardlog.engine.lasting import may_hold
from shardlog.explain.candidate import Candidate, briefly, came_from, near, sentence
from shardlog.explain.conflict import SAME, refusal
from shardlog.explain.held import Held, held
from shardlog.explain.losses import lost
from shardlog.explain.meanings import Kind, Meanings
from shardlog.explain.run import Place, Run
from shardlog.explain.wanted import Wanted
from shardlog.ir.sharding import HloSharding
from shardlog.leaves import sharding_of_leaf

__all__ = ["Candidates"]

LATTICE = "sharding"
"""The lattice that propagation fills."""

LOST = (Kind.DIMENSION_LOST, Kind.OP_REFUSES)
"""What there is tiled has no way to hand its tiles on."""


class Candidates:
    """Judges the attempts at one leaf of an instruction by what was wanted."""

    def __init__(
        self,
        run: Run,
        place: Place,
        wanted: Wanted,
        hide: Collection[int] = (),
        every: bool = False,
    ) -> None:
        """With `hide`, as if some instructions had no sharding.

        With `every`, rules that are for other instructions are told of, too.
        """
        self.every = every
        self.run, self.place, self.wanted = run, place, wanted
        self.near = near(run, place)
        self.tried = run.trying(hide, place.entity, self.near)
        self.meanings = Meanings(run.outcome.saturated.program, run.name, run.opcode)
        shape = run.entities[place.entity].shape
        self.shape = shape if place.leaf is None else shape.leaves[place.leaf]
        self.old = run.saturated(place)
        self.hidden = 0

    def all(self, visits: Collection[str] = ()) -> list[Candidate]:
        """Every rule that has to do with the instruction, best partial match first.

        With `visits`, those of some visits alone.
        """
        found: dict[Any, Candidate] = {}
        tried = self.tried
        trying = self.run.attempts
        variants = [v for v in trying.variants if not visits or v.channel.visit in visits]
        if not self.every:
            every = len(variants)
            variants = [v for v in variants if trying.possible(v, self.place.entity)]
            self.hidden += every - len(variants)
        # what a closed guard means is told; one that means nothing is for other instructions
        attempts = tried.of(
            self.place.entity,
            variants,
            lambda shut: not self.every and self.meanings.of(shut) is None,
        )
        for attempt in attempts:
            for candidate in self._judged(attempt):
                key = (candidate.rule, candidate.numbers, candidate.kind, candidate.because)
                if key not in found or found[key].score < candidate.score:
                    found[key] = candidate
        made = [*found.values()]
        if not visits and self.shape.rank:
            made += self._unruled(attempts, made)
        return sorted(made, key=lambda candidate: -candidate.score)

    @cached_property
    def held(self) -> Held | None:
        """Why the instruction keeps what it had before the first round, if it does."""
        return held(self.run, self.place)

    # ------------------------------------------------------------ one attempt

    def _judged(self, attempt: Attempt) -> Iterator[Candidate]:
        if attempt.proposals:
            by_value: dict[Any, list[Proposal]] = {}
            for proposal in attempt.proposals:
                by_value.setdefault((proposal.value, proposal.sources), []).append(proposal)
            for proposals in by_value.values():
                yield from self._proposed(attempt, proposals)
            return
        failure = attempt.failure
        assert failure is not None
        tried = self.tried.inquiry
        finding = tried.failing(failure.literal, failure.known)
        meaning = self.meanings.of(finding)
        unset = self.meanings.unset(finding)
        numbers = tuple(attempt.others.values())
        closed = self._closed(attempt)
        share = failure.satisfied / max(failure.of, 1)
        if meaning is not None:
            # it may be about instructions that the rule itself does not name
            numbers = tuple(dict.fromkeys((*numbers, *self._read(meaning.finding))))
        # that a rule is not for this neighbour is told once, by `_unruled`
        if (
            (meaning is None and not self.meanings.reads_state(finding))
            or (meaning is not None and meaning.kind is Kind.NO_RULE)
            or unset == self.place.entity
            or (unset is not None and not may_hold(tried, attempt.variant.body, failure.known))
        ):
            yield from self._foreign(attempt, finding, share)
            return
        if unset is not None:
            kind, because = Kind.NOTHING, f"{self.run.name(unset)} has no sharding"
            numbers = tuple(dict.fromkeys((*numbers, unset)))
        elif meaning is not None:
            kind, because = meaning.kind, meaning.says
            share += any(map(self._is_split, numbers))
            if kind is Kind.DIMENSION_LOST and any(map(self._is_split, numbers)):
                share = 3.0
                tiled = [n for n in numbers if self._is_split(n)]
                because = f"{self._have(tiled)}, and {because}"
            if kind is Kind.OP_REFUSES and attempt.variant.channel.visit == "forward":
                # it refuses them all, so that no rule comes to read them
                tiled = [*filter(self.run.is_split, self.run.operands(self.place.entity))]
                numbers = tuple(dict.fromkeys((*numbers, *tiled)))
                share = 4.0 if tiled else share
        else:
            value = self.meanings.value(finding)
            lost = [] if value is None else self._all_lost(attempt, numbers, value)
            if not lost:
                # the rule is for other shardings than these
                yield from self._foreign(attempt, finding, share)
                return
            kind, because, share = Kind.DIMENSION_LOST, "; ".join(lost), share + 2
        yield self._told(
            attempt,
            closed,
            kind,
            because,
            numbers,
            score=share,
            failed=self.meanings.text(finding.literal),
            known=failure.known,
        )

    def _read(self, finding: Finding) -> Iterator[int]:
        """The instructions, but for this one, whose shardings a finding is about."""
        for one in finding.walk():
            entity = self.meanings.read(one)
            if entity is not None and entity != self.place.entity:
                yield entity

    def _foreign(self, attempt: Attempt, finding: Finding, share: float) -> Iterator[Candidate]:
        """A rule that is for other instructions or shardings."""
        self.hidden += 1
        if self.every:
            assert attempt.failure is not None
            yield self._candidate(
                attempt,
                Kind.OTHER,
                f"it is for others: {self._last(finding)} does not hold",
                (),
                score=share / 10,
                failed=self.meanings.text(finding.literal),
                known=attempt.failure.known,
            )

    def _is_split(self, number: int) -> bool:
        """Whether the leaf of a neighbour that has to do with this one is tiled."""
        return self.run.is_split_at(self.run.part(self.place, number))

    def _last(self, finding: Finding) -> str:
        while finding.inner and not finding.holds:
            finding = finding.inner[0]
        return self.meanings.text(finding.literal)

    def _closed(self, attempt: Attempt) -> Held | None:
        """Why the guard never opens, if it does not."""
        parameters = self.run.attempts.parameters or (None,)
        if any(value not in attempt.closed for value in parameters):
            return None
        if self.held is not None:
            return self.held
        finding = attempt.closed[parameters[-1]]
        meaning = self.meanings.of(finding)
        if meaning is None:
            return Held(Kind.OTHER, f"it may not speak, since this fails: {self._last(finding)}")
        kind, says = meaning.kind, meaning.says
        given = self.run.outcome.given[self.place.entity]
        if kind is Kind.MASK and given is not None and not given.is_unknown:
            shown = sharding_of_leaf(given, self.place.leaf)
            kind, says = Kind.ANNOTATION, f"{self.run.named(self.place)} is annotated {shown}"
        elif kind is Kind.ANNOTATION and self.old is not None:
            says += f": it has {self.old}{came_from(self.run, self.place)}"
        return Held(kind, says)

    def shut(self) -> Held | None:
        """Why no rule may speak to the instruction at all, if none may."""
        reasons: list[Held] = []
        seen: set[str] = set()
        for variant in self.run.attempts.variants:
            channel = variant.channel
            if channel.lattice != LATTICE or channel.guard in seen:
                continue
            if channel.visit not in ("forward", "backward") or not channel.guard.endswith("_open"):
                continue
            seen.add(channel.guard)
            (attempt, *_) = [*self.tried.of(self.place.entity, [variant]), None]
            if attempt is None:
                continue
            closed = self._closed(attempt)
            if closed is None:
                return None
            reasons.append(closed)
        return next((reason for reason in reasons if reason.kind is not Kind.OTHER), None)

    def _opens(self, attempt: Attempt, proposals: list[Proposal]) -> int | None:
        """The first tier at which the rule proposes and its guard is open."""
        values = [p.parameter for p in proposals] or list(self.run.attempts.parameters)
        opened = [v for v in values if v is not None and v not in attempt.closed]
        return min(opened) if opened else None

    # ------------------------------------------------------------ proposals

    def _proposed(self, attempt: Attempt, proposals: list[Proposal]) -> Iterator[Candidate]:
        first = proposals[-1]
        value = self._leaf_of(first.value)
        if value is None:
            self.hidden += 1
            return
        known, numbers = first.known, first.sources
        opens = self._opens(attempt, proposals)
        closed = self._closed(attempt)
        if not self.wanted.met(value):
            yield from self._lacking(attempt, first, value, opens, closed)
            return
        if closed is not None:
            kind, because, score = closed.kind, closed.says, 5.0
            numbers = tuple(dict.fromkeys((*numbers, *closed.by)))
        elif opens is None:
            kind, because, score = Kind.GATE, "its tier never comes while it may speak", 5.0
        else:
            kind, because, score = *self._refused(attempt, value), 4.0
            if because == SAME and not self.wanted.met(self.run.final(self.place)):
                because = "it was there until the end of the rounds"
        short = because
        if kind is Kind.REFUSED and opens and because != SAME:
            because += f" (the rule opens at tier {opens})"
        yield self._candidate(
            attempt,
            kind,
            because,
            numbers,
            short=short,
            score=score + self.wanted.partly(value) / 100,
            proposes=value,
            opens=opens,
            known=known,
        )

    def _refused(self, attempt: Attempt, value: HloSharding) -> tuple[Kind, str]:
        """Why a proposal that could have been made was not taken."""
        old, name = self.old, self.run.named(self.place)
        record = self.run.last_record(self.place)
        if old is None or old.equals(value):
            return Kind.REFUSED, refusal(old, value, self.shape)
        own = record is not None and record.rule.name == attempt.variant.rule.name
        if record is not None and not own and self.run.puts(record):
            has = f"{name} has {old}{came_from(self.run, self.place)}"
            because = f"{has}, which replaces what is there: {self.run.sentence(record)}"
            return Kind.OVERRULED, because
        return (
            Kind.REFUSED,
            f"{name} has {old}{came_from(self.run, self.place)}; {refusal(old, value, self.shape)}",
        )

    def _lacking(
        self,
        attempt: Attempt,
        proposal: Proposal,
        value: HloSharding,
        opens: int | None,
        closed: Held | None,
    ) -> Iterator[Candidate]:
        """What a rule proposes that does not come up to what was wanted: where tiles are lost."""
        numbers = proposal.sources
        lost = self._all_lost(attempt, numbers, value)
        score = 1.0 + self.wanted.partly(value) / 100
        if lost:
            kind, because = Kind.DIMENSION_LOST, "; ".join(lost)
            score = 3.0
            others = [n for n in numbers if not self._is_split(n)]
            if others and attempt.variant.channel.visit == "forward":
                because += f"; {self._have(others)}"
        elif outdone := self._outdone(attempt, numbers):
            kind, because, score = Kind.OUTDONE, "; ".join(outdone), 3.5
        elif any(map(self._is_split, numbers)):
            kind, because = Kind.OTHER_TILES, f"{self._have(numbers)}, not {self.wanted}"
            score = 2.0
        else:
            kind, because = Kind.NOTHING, self._have(numbers) or f"it gives {value}"
        if attempt.variant.channel.lattice != LATTICE or (closed and closed.kind is Kind.OTHER):
            self.hidden += 1
            return
        yield self._told(
            attempt,
            closed,
            kind,
            because,
            numbers,
            score=score,
            proposes=value,
            opens=opens,
            known=proposal.known,
        )

    def _outdone(self, attempt: Attempt, numbers: tuple[int, ...]) -> list[str]:
        """Which sources would give what was wanted if the rule read no other."""
        if len(numbers) < 2:
            return []
        said = []
        for number in filter(self._is_split, numbers):
            others = [n for n in numbers if n != number]
            alone = self.run.without([*others, self.place.entity])
            for again in alone.of(self.place.entity, [attempt.variant]):
                values = [self._leaf_of(proposal.value) for proposal in again.proposals]
                value = next((v for v in values if self.wanted.met(v)), None)
                if value is not None:
                    name = self.run.named(self.run.part(self.place, number))
                    said.append(f"{name} would give {value} alone, but {self._have(others)}")
                    break
        return said

    def _have(self, numbers: list[int] | tuple[int, ...]) -> str:
        said = []
        for number in numbers:
            part = self.run.part(self.place, number)
            said.append(f"{self.run.named(part)} has {briefly(self.run.saturated(part))}")
        return ", ".join(said)

    def _all_lost(
        self, attempt: Attempt, numbers: tuple[int, ...], value: HloSharding
    ) -> list[str]:
        forward = attempt.variant.channel.visit == "forward"
        users = [n for n in attempt.others.values() if n in self.run.users(self.place.entity)]
        at = self.place.entity if forward or not users else users[0]
        found = [
            lost(self.run, self.run.part(self.place, number), value, at, self.place)
            for number in numbers
        ]
        return [phrase for phrase in found if phrase]

    def _leaf_of(self, proposal: Any) -> HloSharding | None:
        """What a proposal says of the leaf in question."""
        if isinstance(proposal, HloSharding):
            part = sharding_of_leaf(proposal, self.place.leaf)
            return None if part is None or part.is_tuple else part
        leaf = self.place.leaf or 0
        return next((s for number, s in proposal if number == leaf), None)

    # ------------------------------------------------------------ ops without a rule

    def _unruled(self, attempts: list[Attempt], made: list[Candidate]) -> Iterator[Candidate]:
        """Neighbours that are tiled and that no rule reads."""
        read = {n for one in made for n in one.numbers}
        # what an op with rules of its own loses says more than what it never looks at
        lost = any(one.kind is Kind.DIMENSION_LOST for one in made)
        entity, run = self.place.entity, self.run
        for direction, group in (
            ("forward", run.operands(entity)),
            ("backward", run.users(entity)),
        ):
            closed = next(
                (
                    words
                    for attempt in attempts
                    if attempt.variant.channel.visit == direction
                    and attempt.variant.channel.guard.endswith("_open")
                    and attempt.variant.channel.guard != "refine_open"
                    and (words := self._closed(attempt)) is not None
                ),
                None,
            )
            for number in group:
                if number in read or not self._is_split(number) or number not in self.near:
                    continue
                if run.passes(number, entity):
                    # what the computations that it calls make of it
                    continue
                if closed is not None:
                    score = 3.5 if closed.kind is Kind.NO_RULE else 2.5
                    yield self._plain(number, direction, closed.kind, closed.says, score)
                    continue
                if direction == "forward":
                    because = (
                        f"no rule says what {run.opcode(entity)} learns from {run.name(number)}"
                    )
                else:
                    because = f"no rule says what an operand of {run.opcode(number)} learns from it"
                yield self._plain(number, direction, Kind.NO_RULE, because, 2.5 if lost else 3.5)

    def _plain(
        self, number: int, direction: str, kind: Kind, because: str, score: float
    ) -> Candidate:
        part = self.run.part(self.place, number)
        sharding = self.run.saturated(part)
        name = self.run.named(part)
        return Candidate(
            rule="",
            direction=direction,
            kind=kind,
            says=f"{name} has {briefly(sharding)}",
            because=because,
            sources=((name, None if sharding is None else str(sharding)),),
            opens=None,
            short=because,
            score=score,
            numbers=(number,),
        )

    # ------------------------------------------------------------ words

    def _told(
        self,
        attempt: Attempt,
        closed: Held | None,
        kind: Kind,
        because: str,
        numbers: tuple[int, ...],
        **more: Any,
    ) -> Candidate:
        """A candidate for a reason of its own, with what is to be said if the guard is closed."""
        short, besides = because, ""
        if closed is not None:
            if kind in LOST and any(map(self._is_split, numbers)):
                # with the guard open it would be no other
                besides = closed.says
                because += f"; besides, {besides}"
            else:
                kind, because, short = closed.kind, f"{closed.says}; and {because}", closed.says
            numbers = tuple(dict.fromkeys((*numbers, *closed.by)))
        return self._candidate(
            attempt, kind, because, numbers, short=short, besides=besides, **more
        )

    def _candidate(
        self,
        attempt: Attempt,
        kind: Kind,
        because: str,
        numbers: tuple[int, ...],
        *,
        score: float,
        known: dict[str, Any],
        proposes: HloSharding | None = None,
        failed: str | None = None,
        opens: int | None = 0,
        short: str = "",
        besides: str = "",
    ) -> Candidate:
        variant = attempt.variant
        sources = []
        for number in numbers:
            part = self.run.part(self.place, number)
            sharding = self.run.saturated(part)
            sources.append((self.run.named(part), None if sharding is None else briefly(sharding)))
        return Candidate(
            rule=variant.name,
            direction=variant.channel.visit,
            kind=kind,
            says=sentence(variant, known, self.run.name),
            because=because,
            sources=tuple(sources),
            proposes=None if proposes is None else str(proposes),
            value=proposes,
            failed=failed,
            opens=opens,
            short=short or because,
            besides=besides,
            score=score,
            numbers=numbers,
        )
