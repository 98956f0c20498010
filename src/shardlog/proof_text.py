"""Proofs as text: chains stay at one depth, repetitions are folded."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from shardlog.ir.sharding import HloSharding

if TYPE_CHECKING:
    from shardlog.why import Reason, Step

__all__ = ["brief", "lines_of", "repetition"]

BRIEF = 200
"""Characters up to which a tuple sharding is written out in a proof."""

LONGEST = 64
"""The longest stretch of a chain, in rules, whose repetitions are folded."""

_NUMBER = re.compile(r"\d+")

_Item: TypeAlias = "str | tuple[Reason, str, str]"


def lines_of(proof: Reason) -> Iterator[str]:
    """Yield the lines of a proof."""
    # (a line, or a reason with what stands before its first line and its other lines)
    todo: list[_Item] = [(proof, "", "")]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            yield item
            continue
        reason, first, rest = item
        chain = _chain(reason)
        yield from _links(chain, first, rest)
        last = chain[-1]
        first = first if len(chain) == 1 else rest
        yield from _own(last, first, rest)
        todo += reversed(list(_below(last, rest)))


def _links(chain: list[Reason], first: str, rest: str) -> Iterator[str]:
    """The lines of a chain without its last, repetitions folded."""
    marks = [_mark(one) for one in chain[:-1]]
    at = 0
    while at < len(marks):
        count, period = repetition(marks, at)
        for one in chain[at : at + period]:
            yield from _own(one, first, rest)
            first = rest
        if count > 1:
            yield f"{rest}  ... {times_more(count, period)}, down to"
        at += count * period


def _own(reason: Reason, first: str, rest: str) -> Iterator[str]:
    """The lines about a reason itself, and its rule if it is a link of a chain."""
    from shardlog.why import Left

    sharding = "no sharding" if reason.sharding is None else brief(reason.sharding)
    came = reason.sharding is not None and not reason.steps and not reason.left_out
    remark = "as it came" if came else reason.left_out
    remark = f"  ({remark})" if remark else ""
    if reason.through:
        names = ", ".join(reason.through[:3])
        more = f" and {len(reason.through) - 3} more" if len(reason.through) > 3 else ""
        remark += f"  (through {names}{more})"
    yield f"{first}{reason.name}  {sharding}{remark}"
    about = str(reason.origin)
    if about and reason.left_out is not Left.SHOWN:
        yield f"{rest}    {about}"
    if _is_link(reason):
        yield f"{rest}  {_rule(reason.steps[0], latest=True)}"


def _below(reason: Reason, rest: str) -> Iterator[_Item]:
    """The rules of a reason that is no link, and what they rest on."""
    for place, step in enumerate(reason.steps):
        yield f"{rest}  {_rule(step, latest=not place)}"
        groups = alike([_marks(source) for source in step.sources])
        for group in groups:
            is_last = group is groups[-1]
            first, *others = (step.sources[number] for number in group)
            yield (
                first,
                f"{rest}  {'└─' if is_last else '├─'} ",
                f"{rest}  {' ' if is_last else '│'}  ",
            )
            if others:
                says = more_alike([one.name for one in others])
                yield f"{rest}  {' ' if is_last else '│'}  {says}"


def alike(marks: Sequence[tuple[object, ...] | None]) -> list[list[int]]:
    """Return the places of things, three or more that are alike together, others each alone."""
    groups: dict[object, list[int]] = {}
    for place, mark in enumerate(marks):
        groups.setdefault(place if mark is None else mark, []).append(place)
    found = [
        [group] if len(group) > 2 else [[place] for place in group] for group in groups.values()
    ]
    return sorted(itertools.chain.from_iterable(found))


def more_alike(names: Sequence[str]) -> str:
    """Say that there are others like what is shown."""
    shown = ", ".join(names[:4])
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return f"... {len(names)} alike: {shown}{more}"


def _marks(reason: Reason) -> tuple[object, ...] | None:
    """What is alike in reasons that are the same but for numbers; None if it branches."""
    *links, last = _chain(reason)
    if len(last.steps) > 1 or any(step.sources for step in last.steps):
        return None
    origin = last.origin
    ends = [(step.rule, step.direction, step.new) for step in last.steps]
    end = (origin.opcode, origin.shape, _NUMBER.sub("#", origin.op_name), last.sharding)
    return (*map(_mark, links), *end, last.left_out, *ends)


def _rule(step: Step, latest: bool) -> str:
    where = step.direction
    if step.tier is not None:
        where += f", tier {step.tier}, iteration {step.iteration}"
    was = "" if step.old is None else f", was {brief(step.old)}"
    gave = "" if latest or step.new is None else f", gave {brief(step.new)}"
    says = f": {step.says}" if step.says else ""
    name = f"rule {step.rule!r} " if step.rule else ""
    return f"{name}({where}{was}{gave}){says}"


def _is_link(reason: Reason) -> bool:
    return len(reason.steps) == 1 and len(reason.steps[0].sources) == 1


# ---------------------------------------------------------------- repetitions


def _chain(reason: Reason) -> list[Reason]:
    """A reason and those that it rests on, as long as each rests on one."""
    chain = [reason]
    while _is_link(reason):
        reason = reason.steps[0].sources[0]
        chain.append(reason)
    return chain


def times_more(count: int, period: int) -> str:
    """Say that a stretch of rules, shown once, is there so often altogether."""
    times = "once" if count == 2 else f"{count - 1} times"
    steps = "rule" if period == 1 else f"{period} rules"
    return f"the same {steps} {times} more"


def repetition(marks: list[tuple[object, ...]], at: int) -> tuple[int, int]:
    """Return how often the stretch that begins somewhere is there, and its length; else (1, 1)."""
    for period in range(1, min(LONGEST, (len(marks) - at) // 2) + 1):
        if marks[at] != marks[at + period]:
            continue
        stretch = marks[at : at + period]
        count = 1
        while marks[at + count * period : at + (count + 1) * period] == stretch:
            count += 1
        # two links alike are no layers
        if count > 2 or (count == 2 and period > 2):
            return count, period
    return 1, 1


def _mark(reason: Reason) -> tuple[object, ...]:
    """What is alike in the same place of identical layers."""
    step = reason.steps[0]
    origin = reason.origin
    return (
        origin.opcode,
        origin.shape,
        _NUMBER.sub("#", origin.op_name),
        reason.element,
        reason.sharding,
        step.rule,
        step.direction,
        step.tier,
        len(reason.through),
    )


def brief(sharding: HloSharding) -> str:
    """The text of a sharding; of a long tuple just the first elements and their number."""
    text = str(sharding)
    if not sharding.is_tuple or len(text) <= BRIEF:
        return text
    shown = ", ".join(str(element) for element in sharding.elements[:2])
    return f"{{{shown}, ... {len(sharding.elements)} elements}}"
