"""Why an instruction has its sharding: the chain of rules back to the annotations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Protocol

from shardlog.ir.sharding import HloSharding
from shardlog.leaves import sharding_of_leaf
from shardlog.markup import Displayed, proof
from shardlog.origins import Origin
from shardlog.proof_text import lines_of

__all__ = ["Left", "Reason", "Record", "Rule", "Sources", "Step", "explain"]


BOUNDARY = "what the module's masks, and the even division of its shapes, allow at its boundary"
"""What is said of a change after the last round."""

PLACEHOLDER = "a sharding that is not known counts as replicated"
"""What is said of a placeholder that nothing has replaced."""

Sources = Callable[[int, int | None, int], tuple[bool, int | None]]
"""Asked (entity, leaf, source): whether the leaf rests on the source, and on which of its leaves.

A leaf is the number of a flattened element of a tuple, or None for the whole value.
"""

Chosen = list[tuple[int, list[tuple[int, int | None]]]]
"""The positions of records that a proof needs, earliest first, each with its sources' leaves."""

Select = Callable[[int | None, Sequence[int]], Chosen]
"""Asked (leaf, positions of an entity's records): those that a proof needs."""


class Rule(Protocol):
    """The rule that a record names."""

    @property
    def name(self) -> str:
        """Its name, which users know it by."""


class Record(Protocol):
    """One accepted join, as the engine records it."""

    @property
    def entity(self) -> int:
        """The number of the instruction whose sharding changed."""

    @property
    def old(self) -> HloSharding | None:
        """The sharding before, None if there was none."""

    @property
    def new(self) -> HloSharding:
        """The sharding after."""

    @property
    def rule(self) -> Rule:
        """The rule that proposed it."""

    @property
    def contributors(self) -> Sequence[int]:
        """The instructions whose shardings the rule read."""

    @property
    def value(self) -> int | None:
        """The tier of the round, None outside the four tiers."""

    @property
    def iteration(self) -> int:
        """The iteration, counted through all rounds."""

    @property
    def visit(self) -> str:
        """The visit: forward, backward, group and so on."""


@dataclass(frozen=True)
class Step:
    """One change in the history of an instruction, with what it rests on.

    A change that no round made, at the module's boundary or of a placeholder, has no rule's name,
    and may have taken the sharding away.
    """

    rule: str
    says: str
    direction: str
    tier: int | None
    iteration: int
    old: HloSharding | None
    new: HloSharding | None
    sources: tuple[Reason, ...]


class Left(StrEnum):
    """Why the steps of a reason are left out of a proof."""

    NOTHING = ""
    SHOWN = "shown above"
    DEEP = "deeper than asked for"


@dataclass(frozen=True)
class Reason(Displayed):
    """An instruction's sharding at some moment, and the steps that led to it, latest first.

    `element` is "{1}" where it is about one element of a tuple, "" for the whole. A sharding
    without steps, and with nothing left out, is the one that the module came with. `through` are
    the tuples, copies and the like between it and what rests on it, nearest to the latter first.
    """

    origin: Origin
    element: str
    sharding: HloSharding | None
    steps: tuple[Step, ...] = ()
    left_out: Left = Left.NOTHING
    through: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The instruction's name, with the path to the element."""
        return self.origin.name + self.element

    def to_text(self) -> str:
        """Return the proof as text.

        An instruction has its name and sharding on one line, its op and origin on the next, and
        then the rules, the latest first. A chain of instructions stays at one depth; where a rule
        rests on several they branch.
        """
        return "\n".join(lines_of(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the proof ready for JSON: a list of reasons, the first one this.

        A step's "because" holds positions in that list.
        """
        reasons: list[dict[str, Any]] = []
        todo: list[tuple[Reason, list[int]]] = [(self, [])]
        while todo:
            reason, parent = todo.pop()
            parent.append(len(reasons))
            origin = reason.origin
            fields: dict[str, Any] = {
                "instruction": origin.name,
                "element": reason.element or None,
                "opcode": origin.opcode,
                "shape": origin.shape,
                "op_name": origin.op_name or None,
                "source": origin.source or None,
                "becomes": origin.becomes or None,
                "sharding": None if reason.sharding is None else str(reason.sharding),
                "left_out": str(reason.left_out) or None,
                "through": list(reason.through),
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

    def _repr_html_(self) -> str:
        return proof(self)

    def __str__(self) -> str:
        return self.to_text()


@dataclass(frozen=True)
class _Teller:
    """What turns numbers into words: origins, the names of leaves, the sentences of rules."""

    origin: Callable[[int], Origin]
    element: Callable[[int, int | None], str]
    sentence: Callable[[Any], str]


def explain(
    entity: int,
    records: Sequence[Record],
    given: Sequence[HloSharding | None],
    *,
    final: HloSharding | None,
    leaf: int | None = None,
    depth: int | None = None,
    sources: Sources,
    origin: Callable[[int], Origin],
    element: Callable[[int, int | None], str],
    sentence: Callable[[Any], str],
    select: Select | None = None,
    plumbing: Callable[[int], bool] | None = None,
    history: Mapping[int, Sequence[int]] | None = None,
) -> Reason:
    """Return why an entity, or one leaf of its tuple, has its sharding.

    `given` holds the shardings that the module came with, `final` is the one that the entity left
    with, which at the module's boundary need not be the last one recorded. `depth` limits the
    number of steps from the entity to the farthest one shown. What the proof shows already is not
    shown again. `origin`, `element` and `sentence` tell of an entity what it is, of a leaf its name
    and of a record what its rule says. `select` picks the records that the proof needs, else it
    needs all; entities that are `plumbing` and pass on what they get are folded. `history` has the
    positions of each entity's records, if they are known already.
    """
    teller = _Teller(origin, element, sentence)
    if history is None:
        history = _history(records)

    reason_leaf = leaf
    # Parents come before their children in `drafts`, so the proof can be put together backwards.
    # Chains are as deep as the graph: no recursion.
    drafts: list[_Draft] = []
    shown: set[tuple[int, int | None, int]] = set()
    todo = [(entity, leaf, len(records), 0, list[_Draft]())]
    while todo:
        entity, leaf, before, level, siblings = todo.pop()
        past = history.get(entity, ())
        positions = [p for p in past if p < before and _moves(records[p], leaf)]
        if select is None:
            chosen = [(p, _rests_on(records[p], leaf, sources)) for p in positions]
        else:
            chosen = select(leaf, positions) if positions else []
        draft = _Draft(entity, leaf, [position for position, _ in chosen])
        drafts.append(draft)
        siblings.append(draft)
        if not draft.positions:
            continue
        key = (entity, leaf, draft.positions[-1])
        if key in shown or (depth is not None and level >= depth):
            draft.left_out = Left.SHOWN if key in shown else Left.DEEP
            continue
        shown.add(key)
        children = []
        for position, rests_on in reversed(chosen):
            below: list[_Draft] = []
            draft.sources[position] = below
            children += [(source, part, position, level + 1, below) for source, part in rests_on]
        todo += reversed(children)

    for draft in reversed(drafts):
        draft.finish(records, given, teller, plumbing)
    reason = drafts[0].reason
    left = sharding_of_leaf(final, reason_leaf)
    if left is reason.sharding or not drafts[0].positions:
        return reason
    last = reason.sharding
    if last is not None and last.is_unknown and left is not None and left.is_replicated:
        change = Step("", PLACEHOLDER, "before the tiers", None, 0, last, left, ())
    else:
        change = Step("", BOUNDARY, "at the end", None, 0, last, left, ())
    return replace(reason, sharding=left, steps=(change, *reason.steps))


def _history(records: Sequence[Record]) -> dict[int, list[int]]:
    history: dict[int, list[int]] = {}
    for position, record in enumerate(records):
        history.setdefault(record.entity, []).append(position)
    return history


def _moves(record: Record, leaf: int | None) -> bool:
    """Whether a record changed a leaf."""
    if leaf is None:
        return True
    new = sharding_of_leaf(record.new, leaf)
    return sharding_of_leaf(record.old, leaf) is not new


def _rests_on(record: Record, leaf: int | None, sources: Sources) -> list[tuple[int, int | None]]:
    """The entities, with their leaves, that a record's value of a leaf rests on."""
    contributors = [source for source in record.contributors if source != record.entity]
    traced = [(source, *sources(record.entity, leaf, source)) for source in contributors]
    return list(dict.fromkeys((source, part) for source, is_part, part in traced if is_part))


class _Draft:
    """A reason in the making: its records, and for each the drafts that it rests on."""

    reason: Reason

    def __init__(self, entity: int, leaf: int | None, positions: list[int]) -> None:
        self.entity = entity
        self.leaf = leaf
        self.positions = positions
        self.sources: dict[int, list[_Draft]] = {}
        self.left_out = Left.NOTHING

    def finish(
        self,
        records: Sequence[Record],
        given: Sequence[HloSharding | None],
        teller: _Teller,
        plumbing: Callable[[int], bool] | None = None,
    ) -> None:
        """Make the reason, those below it being made."""
        whole = records[self.positions[-1]].new if self.positions else given[self.entity]
        steps = []
        for position, sources in self.sources.items():
            record = records[position]
            old = sharding_of_leaf(record.old, self.leaf)
            new = sharding_of_leaf(record.new, self.leaf)
            assert new is not None
            steps.append(
                Step(
                    record.rule.name,
                    teller.sentence(record),
                    record.visit,
                    record.value,
                    record.iteration,
                    old,
                    new,
                    tuple(source.folded(plumbing) for source in sources),
                )
            )
        self.reason = Reason(
            teller.origin(self.entity),
            teller.element(self.entity, self.leaf),
            sharding_of_leaf(whole, self.leaf),
            tuple(steps),
            self.left_out,
        )

    def folded(self, plumbing: Callable[[int], bool] | None) -> Reason:
        """The reason, or what it rests on if it only passes that on."""
        reason = self.reason
        if plumbing is None or not plumbing(self.entity) or len(reason.steps) != 1:
            return reason
        (step,) = reason.steps
        if len(step.sources) != 1 or not step.rule or step.tier is None:
            return reason
        if step.direction not in ("forward", "backward"):
            # shared with a shard group or at a call site: that is what people look for
            return reason
        (source,) = step.sources
        if source.sharding is not reason.sharding:
            return reason
        return replace(source, through=(reason.name, *source.through))


def _step_fields(step: Step, because: list[int]) -> dict[str, Any]:
    return {
        "rule": step.rule or None,
        "says": step.says,
        "direction": step.direction,
        "tier": step.tier,
        "iteration": step.iteration,
        "old": None if step.old is None else str(step.old),
        "new": None if step.new is None else str(step.new),
        "because": because,
    }
