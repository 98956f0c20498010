"""Why an instruction has its sharding: the proof, the cause in one sentence, what stands beside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from shardlog import markup
from shardlog.engine import Record
from shardlog.explain.candidates import Candidates
from shardlog.explain.conflict import refusal
from shardlog.explain.losses import contracted, moved, uneven
from shardlog.explain.meanings import KIND_OF_VISIT, Kind
from shardlog.explain.run import Place, Run
from shardlog.explain.smallest import Smallest
from shardlog.explain.wanted import Wanted
from shardlog.explain.whynot import Cause, why_not
from shardlog.ir.axes import Digit, digits, digits_of, paired_digits, same_tiles, split_dims
from shardlog.ir.errors import InputError
from shardlog.ir.sharding import HloSharding
from shardlog.leaves import leaf_name, leaf_of_source, sharding_of_leaf
from shardlog.markup import Displayed, listed, paragraph
from shardlog.proof_text import brief
from shardlog.why import Reason, Step, explain

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
class Account(Displayed):
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

    def _repr_html_(self) -> str:
        remarks = [*self.beside, *(f"reshard: {reshard}" for reshard in self.reshards)]
        cause = paragraph(f"{self.cause.kind}:", self.cause.says)
        return cause + listed(remarks) + markup.proof(self.proof)

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
    stand_in = run.stand_in(place.entity)
    if stand_in is not None:
        inner = prove(run, Place(stand_in, place.leaf), dim=dim, depth=depth, whole=whole)
        says = (
            f"it only names a shard group: {run.name(stand_in)} is in the group, and in its place"
        )
        step = Step("", says, "taken out before the tiers", None, 0, None, inner.sharding, (inner,))
        element = leaf_name(run.entities[place.entity], place.leaf)
        return Reason(run.origin(place.entity), element, inner.sharding, (step,))
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
        sentence=run.sentence,
        select=None if whole else Smallest(run, wanted).select,
        plumbing=None if whole else lambda n: entities[n].opcode in PLUMBING,
        history=run.history,
    )


def account(
    run: Run, place: Place, *, dim: int | None = None, depth: int | None = None, whole: bool = False
) -> Account:
    """Return why a leaf of an instruction, or one dimension of it, is sharded as it is."""
    proof = prove(run, place, dim=dim, depth=depth, whole=whole)
    stand_in = run.stand_in(place.entity)
    if stand_in is not None:
        there = account(run, Place(stand_in, place.leaf), dim=dim, depth=depth, whole=whole)
        return replace(there, proof=proof)
    found = tuple(reshards(run, place.entity))
    return Account(proof, _cause(run, place, proof), tuple(_beside(run, place, proof)), found)


def _cause(run: Run, place: Place, proof: Reason) -> Cause:
    sharding = proof.sharding
    roots = tuple(_roots(proof))
    name = proof.name
    step = proof.steps[0] if proof.steps else None
    kind = Kind.ANNOTATION if step is None else KIND_OF_VISIT.get(step.direction, Kind.OTHER)
    says_something = sharding is not None and (
        sharding.is_tuple
        or bool(split_dims(sharding))
        or sharding.is_manual
        or sharding.is_manual_subgroup
    )
    if (kind is not Kind.ANNOTATION and not says_something) or sharding is None:
        there = place
        if place.leaf is None and run.entities[place.entity].shape.is_tuple:
            there = run.leaves(place.entity)[0] if run.leaves(place.entity) else place
        if not run.entities[there.entity].shape.leaves:
            return Cause(Kind.OTHER, name, f"{name} holds no arrays")
        return why_not(run, there, Wanted()).cause
    if step is None:
        return Cause(kind, name, f"{name} came with {brief(sharding)}")
    # where a sharding was put together from several, each step gave a part
    steps = [one for one in proof.steps if one.sources]
    sources = [source for one in steps for source in one.sources]
    found = [(n, _text(has)) for source in sources for n, has in _ways(source)]
    contributors = tuple(dict.fromkeys((*found, *roots)))
    if kind is Kind.ANNOTATION:
        return Cause(kind, name, step.says, contributors)
    said = {n for n, _ in found}
    back = [n for n, _ in roots if n != name and n not in said]
    behind = f", which goes back to the annotation of {', '.join(back[:6])}" if back else ""
    parts = [_taken(one) for one in steps]
    says = f"{name} takes {brief(sharding)} {parts[0] if parts else 'from itself'}"
    for one, part in zip(steps[1:], parts[1:], strict=True):
        says += f", added to {'' if one.new is None else brief(one.new)} {part}"
    return Cause(kind, name, says + behind, contributors)


def _taken(step: Step) -> str:
    """How a step came by its sharding, in words."""
    kind = KIND_OF_VISIT.get(step.direction, Kind.OTHER)
    how = {
        Kind.FROM_OPERAND: "forward from its operand",
        Kind.FROM_USER: "backward from its user",
        Kind.FROM_TIE: "at a call site, where it is shared with",
        Kind.FROM_GROUP: "in its shard group from",
    }.get(kind, f"in visit '{step.direction}' from")
    listed = []
    for source in step.sources:
        has = "no sharding" if source.sharding is None else brief(source.sharding)
        if source.through:
            listed.append(f"{source.through[0]}, which passes on what {source.name} has ({has})")
        else:
            listed.append(f"{source.name} ({has})")
    tier = "" if step.tier is None else f" at tier {step.tier}"
    return f"{how} {', '.join(listed)}{tier} by rule '{step.rule}'"


def _ways(source: Reason) -> Iterator[tuple[str, HloSharding | None]]:
    """A source, and what stands between it and what rests on it."""
    yield source.name, source.sharding
    for name in source.through:
        yield name, source.sharding


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
    sources = [source for one in proof.steps for source in one.sources]
    mine = {name for source in sources for name in (source.name, *source.through)}
    if len(proof.steps) == 1 and proof.steps[0].old is not None and proof.steps[0].rule:
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
        yield from _other_users(run, place, value, mine)
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
    lost = _lost_elements(run, place, last)
    what = "replaced by what says more"
    if lost:
        what = f"replaced as a whole by what says more of another element: {lost}"
    elif run.puts(last):
        what = "which the rule replaces whatever it is"
    from_ = f" from {names}" if names else ""
    sharding = sharding_of_leaf(earlier.new, place.leaf) or earlier.new
    yield (
        f"before: {brief(sharding)}{from_} by rule '{earlier.rule.name}' "
        f"({earlier.visit}{tier}), {what}"
    )


def _lost_elements(run: Run, place: Place, record: Record) -> str:
    """The elements of a tuple that lose tiles to a record."""
    old, new = record.old, record.new
    if old is None or not old.is_tuple or not new.is_tuple:
        return ""
    said = []
    for leaf, (mine, theirs) in enumerate(zip(old.elements, new.elements, strict=False)):
        if not digits_of(mine) <= digits_of(theirs):
            said.append(f"{run.named(Place(place.entity, leaf))} had {mine}")
    return ", ".join(said[:3])


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
        elif (
            _is_part(value, sharding) and run.shape(part).dimensions == run.shape(place).dimensions
        ):
            yield f"less specific: {run.named(part)} has {sharding}, which is a part of it"
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


def _other_users(
    run: Run, place: Place, value: HloSharding, mine: set[str], most: int = 3
) -> Iterator[str]:
    """What users that are tiled would have given, had they come first."""
    told = 0
    for user in run.users(place.entity):
        part = run.part(place, user)
        sharding = run.saturated(part)
        if run.named(part) in mine or sharding is None or sharding.is_tuple:
            continue
        if not split_dims(sharding) or told >= most:
            continue
        wants = next(iter(run.pulled(place.entity, user, sharding)), None)
        if wants is None or wants.is_tuple or not split_dims(wants) or _is_part(value, wants):
            continue
        told += 1
        why = refusal(value, wants, run.shape(place))
        yield f"not taken: {run.named(part)}, a user, would give {wants}; {why}"


def _open_result(run: Run, entity: int) -> Iterator[str]:
    roots = [user for user in run.users(entity) if run.inquiry.lookup("entry_root", ((0, user),))]
    if roots and run.inquiry.value("option", "any_output") is True and run.is_split(entity):
        yield f"nothing holds the result {run.name(roots[0])}: its mask is open, so it follows"


def reshards(run: Run, entity: int) -> Iterator[Reshard]:
    """The operands of an instruction whose tiles are others than it wants of them."""
    sharding = run.entities[entity].sharding
    if sharding is None:
        return
    is_tuple = run.entities[entity].opcode == "tuple"
    for operand in run.operands(entity):
        has = run.entities[operand].sharding
        if has is None or has.is_tuple or not split_dims(has):
            continue
        if is_tuple and run.final(run.part(Place(operand), entity)) is has:
            # a tuple of all parameters of a large model has thousands of operands
            continue
        for want in run.pulled(operand, entity, sharding)[:1]:
            if same_tiles(want, has) or (digits(want) != digits(has) and _is_part(want, has)):
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


def _is_like(run: Run, one: Place, other: Place) -> bool:
    return run.shape(one).dimensions == run.shape(other).dimensions


def _is_part(fine: HloSharding, coarse: HloSharding) -> bool:
    """Whether each device needs only a part of what it has."""
    return all(a >= b for a, b in paired_digits(fine, coarse))
