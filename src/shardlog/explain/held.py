"""Why an instruction keeps a sharding that it had before the first round."""

from __future__ import annotations

from dataclasses import dataclass

from shardlog.explain.meanings import KIND_OF_VISIT, Kind
from shardlog.explain.run import Place, Run
from shardlog.leaves import sharding_of_leaf

__all__ = ["Held", "held"]


@dataclass(frozen=True)
class Held:
    """Why nothing may change an instruction, in words, and the instructions that did it."""

    kind: Kind
    says: str
    by: tuple[int, ...] = ()


def held(run: Run, place: Place) -> Held | None:
    """Return why a leaf keeps what it was given before the first round; None if it need not.

    Given is what the module annotates, what a `Sharding` call says of its operand, and what the
    members of a call site share at the start.
    """
    entity = place.entity
    given = run.outcome.saturated.state["given"][entity]
    if given is None or given.is_unknown:
        return None
    if not run.inquiry.lookup("provided", ((0, entity),)):
        return None
    name, shown = run.named(place), sharding_of_leaf(given, place.leaf)
    before = [run.records[position] for position in run.history.get(entity, ())]
    record = next((r for r in reversed(before) if r.value is None and r.new is given), None)
    if record is None:
        return Held(Kind.ANNOTATION, f"{name} is annotated {shown}")
    by = tuple(number for number in dict.fromkeys(record.contributors) if number != entity)
    names = ", ".join(map(run.name, by))
    kind = KIND_OF_VISIT.get(record.visit, Kind.ANNOTATION)
    if kind is Kind.FROM_TIE:
        return Held(kind, f"{name} shares {shown} with {names} at its call site", by)
    says = f"{name} is annotated {shown}"
    return Held(Kind.ANNOTATION, f"{says} by {names}" if by else says, by)
