"""Why an instruction has its sharding: the proof, the cause in one sentence, what stands beside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from shardlog.explain.candidates import Candidates
from shardlog.explain.conflict import refusal
from shardlog.explain.losses import contracted, moved, uneven
from shardlog.explain.meanings import KIND_OF_VISIT, Kind
from shardlog.explain.run import Place, Run
from shardlog.explain.smallest import Smallest
from shardlog.explain.wanted import Wanted
from shardlog.explain.whynot import Cause, why_not
from shardlog.ir.axes import Digit, digits, paired_digits, split_dims
from shardlog.ir.errors import InputError
from shardlog.ir.sharding import HloSharding
from shardlog.leaves import leaf_name, leaf_of_source
from shardlog.proof_text import brief
from shardlog.sentences import Sentences
from shardlog.why import Reason, explain

__all__ = ["Account", "Reshard", "account", "prove", "reshards"]

PLUMBING = frozenset(
    ("tuple", "get-tuple-element", "copy", "convert", "bitcast", "bitcast-convert", "opt-barrier")
)
"""Ops that are folded in proofs where they only pass a sharding on."""

SUMS = frozenset(("dot", "convolution", "reduce", "reduce-window", "gather", "scatter"))
"""Ops that can use operands which are split further than they want: they sum up, or mask."""


@dataclass(frozen=True)
class Reshard:
    """An operand whose sharding is not the one that its user wants of it."""

    user: str
    operand: str
    has: HloSharding
    wants: HloSharding

    def __str__(self) -> str:
        return f"{self.operand} has {self.has}, {self.user} wants it as {self.wants}"


@dataclass(frozen=True)
class Account:
    """A proof with its cause; `beside` are remarks on what had a part in it or might have had."""

    proof: Reason
    cause: Cause
    beside: tuple[str, ...]
    reshards: tuple[Reshard, ...]

    def to_text(self) -> str:
        """Return the proof, the cause and the remarks as text."""
        lines = [self.proof.to_text(), f"cause ({self.cause.kind}): {self.cause.says}"]
        lines += [f"  {remark}" for remark in self.beside]
        lines += [f"  reshard: {reshard}" for reshard in self.reshards]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it ready for JSON; "reasons" is the proof."""
        return {
            "cause": self.cause.to_dict(),
            "beside": list(self.beside),
            "reshards": [
                {"operand": r.operand, "has": str(r.has), "user": r.user, "wants": str(r.wants)}
                for r in self.reshards
            ],
            **self.proof.to_dict(),
        }

    def __str__(self) -> str:
        return self.to_text()


def prove(
    run: Run,
    place: Place,
    *,
    dim: int | None = None,
    depth: int | None = None,
    whole: bool = False,
) -> Reason:
    """Return the smallest proof of a leaf's sharding, or of one dimension; `whole`: its history.

    Raises InputError if the dimension is not split.
    """
    outcome, entities = run.outcome, run.entities
    wanted = None
    if dim is not None:
        sharding = run.final(place)
        if dim not in split_dims(sharding):
            raise InputError(
                f"{run.named(place)} is not split along dimension {dim}",
                expected="one of " + (", ".join(map(str, split_dims(sharding))) or "none"),
                found="no sharding" if sharding is None else str(sharding),
            )
        assert sharding is not None
        wanted = digits(sharding)[dim]
    sentences = Sentences(outcome.saturated, run.name)
    return explain(
        place.entity,
        run.records,
        outcome.given,
        final=entities[place.entity].sharding,
        leaf=place.leaf,
        depth=depth,
        sources=lambda n, part, source: leaf_of_source(entities[n], part, entities[source]),
        origin=run.origin,
        element=lambda n, part: leaf_name(entities[n], part),
        sentence=sentences.of,
        select=None if whole else Smallest(run, wanted).select,
        plumbing=None if whole else lambda n: entities[n].opcode in PLUMBING,
    )


def account(
    run: Run, place: Place, *, dim: int | None = None, depth: int | None = None, whole: bool = False
) -> Account:
    """Return why a leaf of an instruction, or one dimension of it, is sharded as it is."""
    proof = prove(run, place, dim=dim, depth=depth, whole=whole)
    found = tuple(reshards(run, place.entity))
    return Account(proof, _cause(run, place, proof), tuple(_beside(run, place, proof)), found)


def _cause(run: Run, place: Place, proof: Reason) -> Cause:
    sharding = proof.sharding
    roots = tuple(_roots(proof))
    name = proof.name
    step = proof.steps[0] if proof.steps else None
    kind = Kind.ANNOTATION if step is None else KIND_OF_VISIT.get(step.direction, Kind.OTHER)
    is_split = sharding is not None and (sharding.is_tuple or bool(split_dims(sharding)))
    if (kind is not Kind.ANNOTATION and not is_split) or sharding is None:
        there = place
        if place.leaf is None and run.entities[place.entity].shape.is_tuple:
            there = run.leaves(place.entity)[0] if run.leaves(place.entity) else place
        if not run.entities[there.entity].shape.leaves:
            return Cause(Kind.OTHER, name, f"{name} holds no arrays")
        return why_not(run, there, Wanted()).cause
    assert sharding is not None
    if step is None:
        return Cause(kind, name, f"{name} came with {brief(sharding)}")
    sources = [(source.name, _text(source.sharding)) for source in step.sources]
    contributors = tuple(dict.fromkeys((*sources, *roots)))
    listed = ", ".join(f"{n} ({s})" for n, s in sources)
    tier = "" if step.tier is None else f" at tier {step.tier}"
    back = [n for n, _ in roots if n not in (name, *(s for s, _ in sources))]
    behind = f", which goes back to the annotation of {', '.join(back[:6])}" if back else ""
    if kind is Kind.ANNOTATION:
        says = step.says
    else:
        how = {
            Kind.FROM_OPERAND: "forward from its operand",
            Kind.FROM_USER: "backward from its user",
        }.get(kind, f"in visit '{step.direction}' from")
        says = f"{name} takes {brief(sharding)} {how} {listed}{tier} by rule '{step.rule}'{behind}"
    return Cause(kind, name, says, contributors)


def _text(sharding: HloSharding | None) -> str | None:
    return None if sharding is None else brief(sharding)


def _roots(proof: Reason) -> Iterator[tuple[str, str | None]]:
    """The annotations at which a proof ends."""
    todo, seen = [proof], set()
    while todo:
        reason = todo.pop()
        given = not reason.steps and reason.sharding is not None and not reason.left_out
        if (given or any(s.direction == "annotate" for s in reason.steps)) and (
            reason.name not in seen
        ):
            seen.add(reason.name)
            yield reason.name, _text(reason.sharding)
        todo += [source for step in reversed(reason.steps) for source in reversed(step.sources)]


# ---------------------------------------------------------------- remarks


def _beside(run: Run, place: Place, proof: Reason) -> Iterator[str]:
    entity = place.entity
    step = proof.steps[0] if proof.steps else None
    sources = step.sources if step else ()
    mine = {name for source in sources for name in (source.name, *source.through)}
    if step is not None and step.old is not None and step.direction != "at the end":
        yield from _before(run, place)
    record = run.last_record(place)
    for number in record.contributors if record is not None else ():
        named = run.named(run.part(place, number))
        if number != entity and record is not None and record.value is not None and named in mine:
            said = moved(run, run.part(place, number), place)
            if said:
                yield said
    value = run.saturated(place)
    kind = KIND_OF_VISIT.get(step.direction) if step is not None else Kind.ANNOTATION
    if value is not None and split_dims(value) and kind is not Kind.ANNOTATION:
        yield from _others(run, place, value, mine)
        yield from _open_result(run, entity)
    said = uneven(run, place)
    if said:
        yield said


def _before(run: Run, place: Place) -> Iterator[str]:
    positions = run.history.get(place.entity, ())
    last = run.last_record(place)
    if last is None:
        return
    earlier = run.last_record(place, before=last.event)
    if earlier is None or len(positions) < 2:
        return
    names = ", ".join(run.name(c) for c in earlier.contributors if c != place.entity)
    tier = "" if earlier.value is None else f", tier {earlier.value}"
    yield (
        f"before: {brief(earlier.new)} from {names or 'itself'} by rule '{earlier.rule.name}' "
        f"({earlier.visit}{tier}), replaced by what says more"
    )


def _others(run: Run, place: Place, value: HloSharding, mine: set[str]) -> Iterator[str]:
    """What the operands have that did not give the sharding."""
    operands = run.operands(place.entity)
    others = [n for n in operands if run.named(run.part(place, n)) not in mine]
    for number in others:
        part = run.part(place, number)
        sharding = run.saturated(part)
        if sharding is None or sharding.is_tuple:
            continue
        if not split_dims(sharding):
            yield f"less specific: {run.named(part)} has {sharding}"
        elif sharding.equals(value):
            yield f"gives the same: {run.named(part)} has {sharding}"
        else:
            # what it would give alone
            hide = [n for n in operands if n != number]
            tried = Candidates(run, place, Wanted(), hide).all(("forward",))
            first = next((c for c in tried if number in c.numbers), None)
            name = run.named(part)
            if first is None:
                yield f"not taken: {name} has {sharding}, which no rule passes on to here"
            elif first.kind is Kind.REFUSED:
                if first.value is None or first.value.equals(value):
                    yield f"gives the same: {name} has {sharding}"
                else:
                    why = refusal(value, first.value, run.shape(place))
                    yield f"not taken: {name} has {sharding}; {why}"
            elif name in first.because:
                yield f"not taken: {first.because}"
            else:
                yield f"not taken: {name}: {first.because}"


def _open_result(run: Run, entity: int) -> Iterator[str]:
    roots = [user for user in run.users(entity) if run.inquiry.lookup("entry_root", ((0, user),))]
    if roots and run.inquiry.value("option", "any_output") is True and run.is_split(entity):
        yield f"nothing holds the result {run.name(roots[0])}: its mask is open, so it follows"


def reshards(run: Run, entity: int) -> Iterator[Reshard]:
    """The operands of an instruction whose tiles are others than it wants of them."""
    sharding = run.entities[entity].sharding
    if sharding is None:
        return
    inquiry = run.inquiry
    parameters = inquiry.declared.parameter_values()
    for operand in run.operands(entity):
        has = run.entities[operand].sharding
        if has is None or has.is_tuple or not split_dims(has):
            continue
        known = ((0, operand), (1, entity), (2, sharding), (3, parameters[-1]))
        wants = [row[-1] for row in inquiry.lookup("pulled", known)]
        for want in wants[:1]:
            if digits(want) == digits(has) or _is_part(want, has):
                continue
            sums = run.entities[entity].opcode in SUMS and _is_part(has, want)
            if not sums and not _is_scattered(has, want, contracted(run, entity, operand)):
                yield Reshard(run.name(entity), run.name(operand), has, want)


def _is_scattered(has: HloSharding, want: HloSharding, summed: set[int]) -> bool:
    """Whether all that an operand has not is split where it is summed: the sums are scattered."""
    missing: set[Digit] = set()
    spare: set[Digit] = set()
    for dim, (mine, wanted) in enumerate(paired_digits(has, want)):
        if dim in summed:
            spare |= mine
        elif not mine <= wanted:
            return False
        else:
            missing |= wanted - mine
    return bool(spare) and missing <= spare


def _is_part(fine: HloSharding, coarse: HloSharding) -> bool:
    """Whether each device needs only a part of what it has."""
    return all(a >= b for a, b in paired_digits(fine, coarse))
