"""What a page about a run holds ready: what hurts, and why large values are not split."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from shardlog.api import Result
from shardlog.explain.lint import Hurt, Lint
from shardlog.explain.run import Place
from shardlog.explain.sizes import bytes_on_device
from shardlog.ir.axes import split_dims

__all__ = ["Answers", "answers"]

MOST_FINDINGS = 40
"""How many findings are explained."""

MOST_UNSPLIT = 12
"""For how many kinds of large values without tiles the answer of `whynot` is in the page."""

_NUMBER = re.compile(r"\d+")
_FREE = frozenset(("tuple", "get-tuple-element", "after-all", "partition-id"))


@dataclass
class Answers:
    """Findings and texts by the numbers of instructions.

    `same` tells of an instruction which one that is alike has a text in `whynot`.
    """

    lint: Lint
    why: dict[int, str] = field(default_factory=dict)
    whynot: dict[int, str] = field(default_factory=dict)
    same: dict[int, int] = field(default_factory=dict)

    def to_dict(self, result: Result, show: Callable[[str], str]) -> dict[str, Any]:
        """Return them ready for JSON; `show` changes the texts of shardings."""
        return {
            "findings": [
                {
                    "kind": str(finding.hurt),
                    "cause": show(finding.cause),
                    "instructions": [result.number(name) for name in finding.names],
                }
                for finding in self.lint.findings
            ],
            "why": {number: show(text) for number, text in self.why.items()},
            "whynot": {number: show(text) for number, text in self.whynot.items()},
            "same": self.same,
        }


def answers(result: Result, file: str) -> Answers:
    """Return what is found about a run, and the texts that are worth having ready.

    `file` is what commands call the module.
    """
    found = Answers(result.lint(file, limit=MOST_FINDINGS))
    for finding in found.lint.findings:
        first, *others = (result.number(name) for name in finding.names)
        if finding.hurt is Hurt.REPLICATED:
            _add_whynot(found, result, first, others)
        elif finding.hurt in (Hurt.RESHARD, Hurt.UNEVEN):
            found.why.setdefault(first, result.account(finding.names[0], depth=30).to_text())
    groups = _unsplit(result)
    for first, *others in groups[:MOST_UNSPLIT]:
        _add_whynot(found, result, first, others)
    return found


def _add_whynot(found: Answers, result: Result, first: int, others: list[int]) -> None:
    if first not in found.whynot and first not in found.same:
        found.whynot[first] = result.whynot(result.run.name(first)).to_text()
    for one in others:
        if one not in found.whynot:
            found.same.setdefault(one, first)


def _unsplit(result: Result) -> list[list[int]]:
    """Values without tiles, alike ones together, those with most bytes first."""
    run = result.run
    groups: dict[tuple[Any, ...], list[int]] = {}
    for number, instruction in enumerate(run.entities):
        sharding, shape = instruction.sharding, instruction.shape
        if shape.is_tuple or split_dims(sharding) or instruction.opcode in _FREE:
            continue
        if sharding is not None and sharding.kind in ("manual", "maximal"):
            continue
        if bytes_on_device(shape, sharding) < 1 << 16:
            continue
        op_name = _NUMBER.sub("#", run.origin(number).op_name)
        groups.setdefault((instruction.opcode, shape, sharding, op_name), []).append(number)

    def size(group: list[int]) -> int:
        return sum(bytes_on_device(run.shape(Place(number)), None) for number in group)

    return sorted(groups.values(), key=size, reverse=True)
