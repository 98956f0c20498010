"""Why an instruction has its sharding: the chain of rules back to the annotations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from shardlog.ir.sharding import HloSharding

__all__ = ["Left", "Reason", "Record", "Step", "explain"]


BRIEF = 200
"""Characters up to which a tuple sharding is written out in a proof."""


class Record(Protocol):
    """One accepted join, as the propagation records it."""

    @property
    def instruction(self) -> str:
        """The name of the instruction whose sharding changed."""

    @property
    def index(self) -> int | None:
        """The tuple leaf that changed, or None for the whole value."""

    @property
    def old(self) -> HloSharding | None:
        """The sharding before, None if there was none."""

    @property
    def new(self) -> HloSharding:
        """The sharding after."""

    @property
    def rule(self) -> str:
        """The name of the rule that proposed it."""

    @property
    def contributors(self) -> Sequence[str]:
        """The names of the instructions whose shardings the rule read."""

    @property
    def tier(self) -> int | None:
        """The tier of the round, None outside the four tiers."""

    @property
    def iteration(self) -> int:
        """The iteration within the tier."""

    @property
    def direction(self) -> str:
        """The visit: forward, backward, group and so on."""


@dataclass(frozen=True)
class Step:
    """One accepted join in the history of an instruction, with what it rests on."""

    rule: str
    says: str
    direction: str
    tier: int | None
    iteration: int
    old: HloSharding | None
    new: HloSharding
    sources: tuple[Reason, ...]


class Left(StrEnum):
    """Why the steps of a reason are left out of a proof."""

    NOTHING = ""
    SHOWN = "shown above"
    DEEP = "deeper than asked for"


@dataclass(frozen=True)
class Reason:
    """An instruction's sharding at some moment, and the steps that led to it, latest first.

    No steps and nothing left out means that the module came with this sharding.
    """

    instruction: str
    sharding: HloSharding | None
    steps: tuple[Step, ...] = ()
    left_out: Left = Left.NOTHING

    @property
    def is_given(self) -> bool:
        """True if the sharding comes from the module itself."""
        return not self.steps and not self.left_out and self.sharding is not None

    def to_text(self) -> str:
        """Return the proof as text: one line for an instruction, one for each rule below it.

        A chain of instructions stays at one depth; where a rule rests on several they branch.
        """
        return "\n".join(_lines(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the proof ready for JSON: a list of reasons, the first one this.

        A step's "because" holds positions in that list.
        """
        reasons: list[dict[str, Any]] = []
        todo: list[tuple[Reason, list[int]]] = [(self, [])]
        while todo:
            reason, parent = todo.pop()
            parent.append(len(reasons))
            fields: dict[str, Any] = {
                "instruction": reason.instruction,
                "sharding": None if reason.sharding is None else str(reason.sharding),
                "given": reason.is_given,
                "left_out": str(reason.left_out) or None,
                "steps": [],
            }
            reasons.append(fields)
            children = []
            for step in reason.steps:
                because: list[int] = []
                fields["steps"].append(_step_fields(step, because))
                children += [(source, because) for source in step.sources]
            todo += reversed(children)
        return {"reasons": reasons}

    def __str__(self) -> str:
        return self.to_text()


def explain(
    name: str,
    records: Sequence[Record],
    given: Mapping[str, HloSharding | None],
    says: Mapping[str, str],
    *,
    depth: int | None = None,
) -> Reason:
    """Return why an instruction has its sharding.

    `given` holds the shardings that the module came with, `says` what each rule says. `depth`
    limits the number of steps from the instruction to the farthest one shown. What the proof shows
    already is not shown again.
    """
    history: dict[str, list[int]] = {}
    for position, record in enumerate(records):
        history.setdefault(record.instruction, []).append(position)

    # Parents come before their children in `drafts`, so the proof can be put together backwards.
    # Chains are as deep as the graph: no recursion.
    drafts: list[_Draft] = []
    shown: set[tuple[str, int]] = set()
    todo = [(name, len(records), 0, list[_Draft]())]
    while todo:
        name, before, level, siblings = todo.pop()
        draft = _Draft(name, [p for p in history.get(name, ()) if p < before])
        drafts.append(draft)
        siblings.append(draft)
        if not draft.positions:
            continue
        key = (name, draft.positions[-1])
        if key in shown or (depth is not None and level >= depth):
            draft.left_out = Left.SHOWN if key in shown else Left.DEEP
            continue
        shown.add(key)
        children = []
        for position in reversed(draft.positions):
            sources: list[_Draft] = []
            draft.sources[position] = sources
            children += [
                (source, position, level + 1, sources)
                for source in dict.fromkeys(records[position].contributors)
                if source != name
            ]
        todo += reversed(children)

    for draft in reversed(drafts):
        if not draft.positions:
            draft.reason = Reason(draft.name, given.get(draft.name))
            continue
        latest = records[draft.positions[-1]].new
        steps = tuple(
            _step(records[position], says, tuple(source.reason for source in sources))
            for position, sources in draft.sources.items()
        )
        draft.reason = Reason(draft.name, latest, steps, draft.left_out)
    return drafts[0].reason


class _Draft:
    """A reason in the making: its records, and for each the drafts that it rests on."""

    reason: Reason

    def __init__(self, name: str, positions: list[int]) -> None:
        self.name = name
        self.positions = positions
        self.sources: dict[int, list[_Draft]] = {}
        self.left_out = Left.NOTHING


def _step(record: Record, says: Mapping[str, str], sources: tuple[Reason, ...]) -> Step:
    return Step(
        record.rule,
        says.get(record.rule, ""),
        record.direction,
        record.tier,
        record.iteration,
        record.old,
        record.new,
        sources,
    )


def _step_fields(step: Step, because: list[int]) -> dict[str, Any]:
    return {
        "rule": step.rule,
        "says": step.says,
        "direction": step.direction,
        "tier": step.tier,
        "iteration": step.iteration,
        "old": None if step.old is None else str(step.old),
        "new": str(step.new),
        "because": because,
    }


def _lines(proof: Reason) -> Iterator[str]:
    # (a line, or a reason with what stands before its first line and its other lines)
    todo: list[str | tuple[Reason, str, str]] = [(proof, "", "")]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            yield item
            continue
        reason, first, rest = item
        sharding = "no sharding" if reason.sharding is None else _brief(reason.sharding)
        remark = "as annotated" if reason.is_given else reason.left_out
        yield f"{first}{reason.instruction}  {sharding}" + (f"  ({remark})" if remark else "")
        inside: list[str | tuple[Reason, str, str]] = []
        chain = len(reason.steps) == 1 and len(reason.steps[0].sources) == 1
        for step in reason.steps:
            where = step.direction if step.tier is None else f"{step.direction}, tier {step.tier}"
            was = "" if step.old is None else f", was {_brief(step.old)}"
            says = f": {step.says}" if step.says else ""
            inside.append(f"{rest}  {step.rule} ({where}{was}){says}")
            if chain:
                inside.append((step.sources[0], rest, rest))
                continue
            for source in step.sources[:-1]:
                inside.append((source, f"{rest}  ├─ ", f"{rest}  │  "))
            for source in step.sources[-1:]:
                inside.append((source, f"{rest}  └─ ", f"{rest}     "))
        todo += reversed(inside)


def _brief(sharding: HloSharding) -> str:
    """The text of a sharding; of a long tuple just the first elements and their number."""
    text = str(sharding)
    if not sharding.is_tuple or len(text) <= BRIEF:
        return text
    shown = ", ".join(str(element) for element in sharding.elements[:2])
    return f"{{{shown}, ... {len(sharding.elements)} elements}}"
