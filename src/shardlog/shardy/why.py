"""Why a value is split as it is: axis by axis, from step to step, back to the annotations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from shardlog.converters.shardy.program_facts import RESULT
from shardlog.ir.shardy.axes import AxisRef
from shardlog.ir.shardy.edges import EDGE
from shardlog.ir.shardy.tensor_sharding import TensorSharding
from shardlog.proof_text import repetition
from shardlog.shardy.account import Account, Gain, How
from shardlog.shardy.names import Names, Origin
from shardlog.shardy.shown import in_words, joined, spec

__all__ = ["Proof", "Step", "causes", "prove", "slot_text", "told"]

Pairs = tuple[tuple[int, AxisRef], ...]

PLUMBING = frozenset(
    {
        EDGE,
        RESULT,
        "stablehlo.convert",
        "mhlo.copy",
        "stablehlo.optimization_barrier",
        "sdy.reshard",
    }
)
"""Operations that only pass on what they get."""

KINDS = {"pass": "pass-through", "need_replication": "need-replication"}
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class Step:
    """One step that brought axes to a value, and the proof of what it took them from.

    `gains` are those of one visit from one tensor; without `source` the axes were annotated.
    """

    gains: tuple[Gain, ...]
    direction: str
    says: str
    details: tuple[str, ...]
    source: Proof | None = None


@dataclass(frozen=True)
class Proof:
    """A value with the axes that are asked about, and the steps that brought them.

    `sharding` is what it had at that moment. `left_out` says why there are no steps; `through` are
    values between it and what rests on it that only pass axes on.
    """

    entity: int
    origin: Origin
    sharding: TensorSharding | None
    pairs: Pairs
    steps: tuple[Step, ...] = ()
    left_out: str = ""
    through: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The value's name."""
        return self.origin.name

    def walk(self) -> Iterator[Proof]:
        """Yield it and all proofs that it rests on, outer ones first."""
        todo = [self]
        while todo:
            proof = todo.pop()
            yield proof
            todo += [step.source for step in reversed(proof.steps) if step.source is not None]

    def to_dict(self) -> dict[str, Any]:
        """Return the proof ready for JSON: a list of reasons, the first one this.

        A step's "because" holds positions in that list.
        """
        reasons: list[dict[str, Any]] = []
        todo: list[tuple[Proof, list[int]]] = [(self, [])]
        while todo:
            proof, parent = todo.pop()
            parent.append(len(reasons))
            origin = proof.origin
            fields: dict[str, Any] = {
                "instruction": origin.name,
                "element": None,
                "opcode": origin.opcode,
                "shape": origin.type,
                "label": origin.label or None,
                "op_name": origin.op_name or None,
                "source": origin.source or None,
                "sharding": None if proof.sharding is None else str(proof.sharding),
                "spec": spec(proof.sharding),
                "axes": [{"dim": dim, "axis": str(axis)} for dim, axis in proof.pairs],
                "left_out": proof.left_out or None,
                "through": list(proof.through),
                "steps": [],
            }
            reasons.append(fields)
            below: list[tuple[Proof, list[int]]] = []
            for step in proof.steps:
                because: list[int] = []
                fields["steps"].append(_fields(step, because))
                if step.source is not None:
                    below.append((step.source, because))
            todo += reversed(below)
        return {"reasons": reasons}

    def lines(self) -> Iterator[str]:
        """Yield the lines of the proof as text."""
        todo: list[tuple[Proof, str, str]] = [(self, "", "")]
        while todo:
            proof, first, rest = todo.pop()
            chain = _chain(proof)
            yield from _links(chain, first, rest)
            last = chain[-1]
            yield from _own(last, first if len(chain) == 1 else rest, rest)
            branches = [step for step in last.steps if step.source is not None]
            found = []
            for step in last.steps:
                final = step is (branches[-1] if branches else None)
                if step.source is None:
                    continue
                mark, bar = ("└─ ", "   ") if final else ("├─ ", "│  ")
                found.append((step.source, f"{rest}  {mark}", f"{rest}  {bar}"))
            todo += reversed(found)


def _fields(step: Step, because: list[int]) -> dict[str, Any]:
    gain = step.gains[0]
    return {
        "rule": gain.rule or None,
        "says": "; ".join([step.says, *step.details]),
        "direction": step.direction,
        "tier": None,
        "iteration": None,
        "level": gain.level,
        "priority": gain.priority,
        "how": str(gain.how),
        "old": None,
        "new": None,
        "axes": [
            {
                "dim": one.dim,
                "axis": str(one.axis),
                "factor": one.symbol or None,
                "from_dim": one.source_dim,
            }
            for one in step.gains
        ],
        "slot": gain.slot,
        "from_slot": gain.source_slot,
        "because": because,
    }


# ---------------------------------------------------------------- text


def _own(proof: Proof, first: str, rest: str) -> Iterator[str]:
    through = f"  (through {', '.join(proof.through)})" if proof.through else ""
    yield f"{first}{proof.name}  {spec(proof.sharding)}{through}"
    yield f"{rest}    {proof.origin}"
    if proof.left_out:
        yield f"{rest}  ({proof.left_out})"
    for step in proof.steps:
        yield f"{rest}  {step.says}"
        yield from (f"{rest}    {line}" for line in step.details)


def _chain(proof: Proof) -> list[Proof]:
    chain = [proof]
    while len(proof.steps) == 1 and proof.steps[0].source is not None:
        proof = proof.steps[0].source
        chain.append(proof)
    return chain


def _links(chain: list[Proof], first: str, rest: str) -> Iterator[str]:
    """The lines of a chain without its last, repetitions folded."""
    marks = [_mark(one) for one in chain[:-1]]
    at = 0
    while at < len(marks):
        count, period = repetition(marks, at)
        for one in chain[at : at + period]:
            yield from _own(one, first, rest)
            first = rest
        if count > 1:
            times = "once" if count == 2 else f"{count - 1} times"
            steps = "step" if period == 1 else f"{period} steps"
            yield f"{rest}  ... the same {steps} {times} more, down to"
        at += count * period


def _mark(proof: Proof) -> tuple[object, ...]:
    """What is alike in the same place of identical layers."""
    gain = proof.steps[0].gains[0]
    origin = proof.origin
    return (
        origin.opcode,
        origin.type,
        _NUMBER.sub("#", origin.op_name),
        proof.pairs,
        gain.factor,
        gain.slot,
        gain.source_slot,
        gain.level,
        len(proof.through),
    )


# ---------------------------------------------------------------- proving


@dataclass
class _Draft:
    """A proof in the making: what it is about, and before which record."""

    entity: int
    pairs: Pairs
    before: int | None
    depth: int
    left_out: str = ""
    steps: list[tuple[tuple[Gain, ...], _Draft | None]] = field(default_factory=list)
    made: Proof | None = None


def prove(
    account: Account,
    names: Names,
    entity: int,
    pairs: Sequence[tuple[int, AxisRef]],
    *,
    depth: int | None = None,
    whole: bool = False,
) -> Proof:
    """Return the proof of axes that dimensions of an entity have.

    Every axis has come over one step from one tensor, so that this is the smallest proof. `depth`
    is how many steps it goes back at most; values that only pass axes on are folded unless it is to
    be shown as a `whole`. What is shown already is not shown again.
    """
    root = _Draft(entity, tuple(pairs), None, 0)
    drafts = [root]
    seen: set[tuple[int, Pairs, object]] = set()
    todo = [root]
    while todo:
        draft = todo.pop()
        groups = _grouped(account, draft)
        key = (draft.entity, draft.pairs, tuple(gains[0].position for gains in groups))
        if groups and (key in seen or (depth is not None and draft.depth >= depth)):
            draft.left_out = "shown above" if key in seen else "deeper than asked for"
            continue
        seen.add(key)
        children = []
        for gains in groups:
            first = gains[0]
            below: _Draft | None = None
            if first.source is not None:
                wanted = tuple(
                    dict.fromkeys(
                        pair
                        for gain in gains
                        for pair in _within(account, gain, account.moment(gain))
                    )
                )
                below = _Draft(first.source, wanted, account.moment(first), draft.depth + 1)
                drafts.append(below)
                children.append(below)
            draft.steps.append((gains, below))
        todo += reversed(children)
    for draft in reversed(drafts):
        draft.made = _made(draft, account, names, whole)
    assert root.made is not None
    return root.made


def _within(account: Account, gain: Gain, before: int) -> Iterator[tuple[int, AxisRef]]:
    """The axes of the source's dimension that overlap what was gained."""
    assert gain.source is not None
    for dim, axis in account.axes(gain.source, before):
        if dim == gain.source_dim and axis.overlaps(gain.axis):
            yield dim, axis


def _grouped(account: Account, draft: _Draft) -> list[tuple[Gain, ...]]:
    """The gains that brought the axes of a draft, those of one step from one tensor together."""
    groups: dict[object, list[Gain]] = {}
    for dim, axis in draft.pairs:
        rest = [
            one
            for one in account.gains(draft.entity)
            if one.dim == dim
            and one.axis.overlaps(axis)
            and (draft.before is None or one.position < draft.before)
        ]
        for gain in reversed(rest):
            if gain not in groups.setdefault((gain.position, gain.source), []):
                groups[gain.position, gain.source].append(gain)
            if gain.axis.contains(axis):
                break
    return [tuple(gains) for gains in groups.values()]


def _made(draft: _Draft, account: Account, names: Names, whole: bool) -> Proof:
    steps = []
    for gains, below in draft.steps:
        source = None
        if below is not None:
            assert below.made is not None
            source = below.made if whole else _folded(below.made, account)
        says, details = told(gains, account, names)
        steps.append(Step(gains, _direction(gains[0], account), says, details, source))
    return Proof(
        draft.entity,
        names.origin(draft.entity),
        account.sharding(draft.entity, draft.before),
        draft.pairs,
        tuple(steps),
        draft.left_out,
    )


def _folded(proof: Proof, account: Account) -> Proof:
    """The proof, or what it rests on if it only passes that on."""
    if len(proof.steps) != 1:
        return proof
    (step,) = proof.steps
    gain = step.gains[0]
    if step.source is None or gain.op is None or gain.how is not How.PROPAGATED:
        return proof
    op = account.history.graph.ops[gain.op]
    if op.name not in PLUMBING or gain.op in account.history.manual:
        return proof
    return replace(step.source, through=(proof.name, *step.source.through))


def _direction(gain: Gain, account: Account) -> str:
    if gain.op is None or gain.slot is None or gain.source_slot is None:
        return str(gain.how)
    rule = account.history.rules[gain.op]
    assert rule is not None
    sides = [slot >= rule.operand_count for slot in (gain.source_slot, gain.slot)]
    return {
        (False, True): "forward",
        (True, False): "backward",
        (False, False): "between operands",
        (True, True): "between results",
    }[sides[0], sides[1]]


def slot_text(gain_op: int, slot: int, account: Account) -> str:
    """What stands in a slot of an operation: operand or result, with its number."""
    rule = account.history.rules[gain_op]
    count = len(account.history.slots[gain_op]) - 1 if rule is None else rule.operand_count
    return f"operand {slot}" if slot < count else f"result {slot - count}"


def told(gains: tuple[Gain, ...], account: Account, names: Names) -> tuple[str, tuple[str, ...]]:
    """A step in a sentence, and what it did to each axis."""
    gain = gains[0]
    name = names.of(gain.entity)
    pairs = in_words((one.dim, one.axis) for one in gains)
    if gain.how is How.ANNOTATED:
        return f"annotated: {name} came with {pairs}", ()
    if gain.how is How.REVEALED:
        return (
            f"rule 'reveal': {name} is annotated with {pairs}, of priority {gain.priority}, whose "
            f"turn it is",
            (),
        )
    if gain.how is How.CONSTRAINED:
        assert gain.op is not None
        return f"{names.of_op(gain.op)} reads {name} and gives it {pairs} before propagation", ()
    if gain.how is How.ALIGNED:
        other = "another value" if gain.source is None else names.of(gain.source)
        when = "before propagation" if gain.position < 0 else f"level {gain.level}"
        return f"rule 'align' ({when}): {name} shares {pairs} with {other}, of its group", ()
    assert gain.op is not None
    assert gain.visit is not None
    assert gain.slot is not None
    history = account.history
    level = "results of main" if gain.visit.sweep == "results" else f"level {gain.visit.level}"
    if len(history.priorities) > 1:
        level += f", priority {gain.priority}"
    record = history.records[gain.position]
    says = (record.rule.says or "").replace("{I}", names.of_op(gain.op))
    rule = account.look(gain.visit).rule
    lines = []
    for one in gains:
        assert one.factor is not None
        kind = rule.kinds[one.factor]
        about = f"{KINDS.get(kind, kind)}, size {rule.sizes[one.factor]}"
        taken = "nothing that is known"
        if one.source is not None and one.source_slot is not None:
            where = slot_text(gain.op, one.source_slot, account)
            taken = f"dim {one.source_dim} of {where}, {names.of(one.source)}"
        lines.append(
            f"{one.axis} on dim {one.dim} of {slot_text(gain.op, gain.slot, account)} comes from "
            f"{taken}, along factor {one.symbol} ({about})"
        )
    where = _direction(gain, account)
    return f"rule {gain.rule!r} ({where}, {level}): {says}", tuple(lines)


def causes(proof: Proof) -> str:
    """The annotations that a proof ends at, in words."""
    ends = [
        f"{one.name} ({in_words((gain.dim, gain.axis) for gain in step.gains)})"
        for one in proof.walk()
        for step in one.steps
        if step.source is None
    ]
    return joined(list(dict.fromkeys(ends)))
