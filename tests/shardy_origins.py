"""Compares Shardy's account with what the binary records of where axes came from.

    python -m tests.shardy_origins FOLDER... [--seeds FIRST:LAST] [--only REGEX] [--wrong]

Shardy can note for each operation which of its tensors gave an axis to which, and in which step
(`debug-propagation-edge-sharding`), and for each value from which annotation its axes came
(`debug-sharding-origins`). Both have the same: for each operation the same steps, each with axis,
source and targets, in the same order; for each whole axis of a value the same annotation. Programs
with sharding groups are left out: the binary ends its process over them. So are notes of its about
axes that do not show in a tensor, since they stand behind a factor that is not split all through,
and the annotations of operations themselves, which it does not know.

A folder has programs NAME.sdy.mlir or NAME.before.mlir; it needs a jaxlib 0.10.2
(SHARDLOG_XLA_PYTHON names its interpreter), and exits with 1 if anything differs.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from shardlog.ir.shardy.edges import EDGE
from shardlog.ir.shardy.program import Operation, Program
from shardlog.shardy import read_shardy
from shardlog.shardy.account import Account, Gain, How
from shardlog.shardy.binary import run_binary
from shardlog.shardy.history import History
from shardlog.shardy.propagation import saturate
from tests.shardy_random import random_program

STEP = re.compile(r"\{step-(\d+) = \[(.*?)\]\}(?=, \{step|\]>)")
NOTE = re.compile(r'\{("[^"]*")(?::\(\d+\)\d+)? = (operand|result)-(\d+) -> \[([^\]]*)\]\}')

ORIGINS = re.compile(r"sdy\.sharding_origins = (\[.*?\]|\{.*?\})")
DICTIONARY = re.compile(r"\{([^}]*)\}")
ORIGIN = re.compile(r'(?:^|, )"?([\w.]+)"? = "([^"]*)"')

Note = tuple[int, str, int, int]
"""Step, axis by name, slot that it came from, slot that got it."""


@dataclass
class Compared:
    """How one program compares; `wrong` are its first differences."""

    name: str
    equal: int = 0
    total: int = 0
    without: int = 0
    wrong: list[str] = field(default_factory=list)


def notes_of_binary(op: Operation, operand_count: int) -> set[Note]:
    """What the binary has noted at an operation."""
    found = set()
    for step, body in STEP.findall(op.attributes.get("sdy.propagation_edges", "")):
        for axis, kind, number, targets in NOTE.findall(body):
            source = int(number) + (operand_count if kind == "result" else 0)
            for target in targets.split(", "):
                its, place = target.split("-")
                slot = int(place) + (operand_count if its == "result" else 0)
                found.add((int(step), axis, source, slot))
    return found


def notes_of_account(account: Account) -> dict[int, set[Note]]:
    """The same from the account, by operation; steps are numbered from what was first."""
    history = account.history
    values = range(len(history.graph.ops), history.count)
    gains = [gain for entity in values for gain in account.gains(entity)]
    ops = history.graph.ops
    # of a manual computation's arguments the binary notes no step
    gains = [one for one in gains if one.how is not How.CONSTRAINED or not _is_edge(ops, one.op)]
    applied = {gain.op for gain in gains if gain.how is How.CONSTRAINED}
    order = [op for op in map(account.place, _walked(history)) if op in applied]
    steps: dict[object, int] = {op: number for number, op in enumerate(order)}
    for visit in history.visits:
        if any(history.records[place].rule.name != "erase" for place in visit.records):
            steps[visit] = len(steps)
    found: dict[int, set[Note]] = {}
    for gain in gains:
        if gain.how is How.CONSTRAINED and gain.op is not None:
            note = (steps[gain.op], f'"{gain.axis.name}"', 1, 0)
        elif gain.visit is not None and gain.source_slot is not None and gain.slot is not None:
            note = (steps[gain.visit], f'"{gain.axis.name}"', gain.source_slot, gain.slot)
        else:
            continue
        assert gain.op is not None
        found.setdefault(gain.op, set()).add(note)
    return found


def _is_edge(ops: Sequence[Operation], place: int | None) -> bool:
    return place is not None and ops[place].name == EDGE


def _walked(history: History) -> Iterator[Operation]:
    for op in history.graph.program.module.walk_inner_first():
        if op.name == "sdy.sharding_constraint":
            yield op


def _least(notes: set[Note]) -> dict[tuple[str, int, int], int]:
    """The first step of each, as the binary prints them."""
    found: dict[tuple[str, int, int], int] = {}
    for step, axis, source, slot in sorted(notes):
        found.setdefault((axis, source, slot), step)
    return found


def compare(name: str, program: Program, its: Program) -> Compared:
    """Compare the account of a program with what the binary has noted in it."""
    score = Compared(name)
    account = Account(History(saturate(program)))
    history = account.history
    for entity in range(len(history.graph.ops), history.count):
        for dim, axis in account.axes(entity):
            score.without += account.gain(entity, dim, axis) is None
    gone = {op for n, op in enumerate(history.graph.ops) if history.end[n] is not None}
    mine = [op for op in history.graph.program.module.walk() if not _within(op, gone)]
    theirs = list(its.module.walk())
    if [op.name for op in mine] != [op.name for op in theirs]:
        score.total = 1
        score.wrong.append("the programs differ")
        return score
    notes = notes_of_account(account)
    pairs: list[tuple[int, int]] = []
    for op, other in zip(mine, theirs, strict=True):
        if op.name == "func.func" or op not in account.places:
            continue
        place = account.place(op)
        slots = history.slots[place]
        rule = history.rules[place]
        count = len(other.operands) if rule is None else rule.operand_count
        wanted = _least(notes_of_binary(other, count))
        # a value that stands at several slots got an axis at all of them
        found = _least(
            {
                (step, axis, source, at)
                for step, axis, source, slot in notes.get(place, ())
                for at in range(len(slots))
                if slots[at] == slots[slot] and at != source
            }
        )
        shown = {key for key in wanted if _shows(history, slots, key)}
        for key in shown | found.keys():
            score.total += 1
            if key in found and key in shown:
                score.equal += 1
                pairs.append((wanted[key], found[key]))
            elif len(score.wrong) < 5:
                who = "binary" if key in shown else "account"
                score.wrong.append(f"{op.name} line {op.line}: only the {who} has {key}")
    compare_origins(account, mine, theirs, score)
    pairs.sort()
    if any(one[1] > other[1] for one, other in pairwise(pairs)):
        score.wrong.append("steps go in another order")
    return score


def compare_origins(
    account: Account, mine: Sequence[Operation], theirs: Sequence[Operation], score: Compared
) -> None:
    """Compare the annotations that axes come from."""
    names = _Annotations(account, mine)
    numbers = account.history.graph.numbers
    for op, other in zip(mine, theirs, strict=True):
        found = ORIGINS.search(" ".join(f"{k} = {v}" for k, v in other.attributes.items()))
        if op.name == "func.func" or found is None:
            continue
        for value, text in zip(op.results, DICTIONARY.findall(found[1]), strict=False):
            if value not in numbers:
                continue
            for axis, origin in ORIGIN.findall(text):
                entity = numbers[value]
                gain = names.origin(entity, axis)
                # a part of an axis goes by whatever part came first
                said = "" if gain is None else names.name(gain.entity, entity)
                # what main returns it may credit to the result, and what it does not know to ": 0"
                if not said or said == "self" or origin.startswith((":", "output")):
                    continue
                score.total += 1
                score.equal += said == origin
                if said != origin and len(score.wrong) < 5:
                    where = f"{op.name} line {op.line}"
                    score.wrong.append(f"{where}: {axis} from {said}, not {origin}")


class _Annotations:
    """What the binary calls annotations."""

    def __init__(self, account: Account, ops: Sequence[Operation]) -> None:
        self.account, self.graph = account, account.history.graph
        constraints = [op for op in ops if op.name == "sdy.sharding_constraint"]
        manual = [op for op in ops if op.name == "sdy.manual_computation"]
        self.constraints = {op: f"constraint_{n}" for n, op in enumerate(constraints)}
        self.manual = {op: f"mc_{n}" for n, op in enumerate(manual)}

    def origin(self, entity: int, axis: str) -> Gain | None:
        """The annotation that a whole axis of an entity comes from."""
        for dim, one in self.account.axes(entity):
            if one.name == axis and one.sub_axis is None:
                return self.account.origin(entity, dim, one)
        return None

    def name(self, entity: int, asked: int) -> str:
        """What the binary calls the annotation of an entity, for another that has its axis.

        Empty for an operation's own, which it has no name for.
        """
        name = self.credited(entity)
        return "self" if name and name == self.own(asked) else name

    def credited(self, entity: int) -> str:
        """Which annotation it credits: a constraint, then what reads the value, then its own."""
        value = self.account.history.value(entity)
        own = self.own(entity)
        if value.op in self.constraints:
            return own
        readers = {use.op: use.index for use in value.uses}
        for op, name in self.constraints.items():
            if op in readers:
                return name
        if own.startswith("mc_"):
            return own
        for op, name in self.manual.items():
            if op in readers:
                return f"{name}_input: {readers[op]}"
        return own

    def own(self, entity: int) -> str:
        """What it calls the annotation that stands at an entity."""
        value = self.account.history.value(entity)
        op = value.op
        if op is None:
            return f"input: {value.index}" if value.owner is self.graph.program.main else ""
        if op in self.constraints:
            return self.constraints[op]
        if op in self.graph.results:
            return f"output: {op.line}"
        if op.name != EDGE or op.operands[0].owner not in self.manual:
            return ""
        owner = op.operands[0]
        side = "input" if owner.op is None else "output"
        return f"{self.manual[owner.owner]}_{side}: {owner.index}"


def _within(op: Operation, gone: set[Operation]) -> bool:
    return op in gone or any(one in gone for one in op.ancestors())


def _shows(history: History, slots: Sequence[int], key: tuple[str, int, int]) -> bool:
    """Whether the tensor of a slot has an axis in the end."""
    axis, _, slot = key
    sharding = history.end[slots[slot]]
    return sharding is not None and any(
        f'"{one.name}"' == axis for dim in sharding.dims for one in dim.axes
    )


def compare_all(programs: dict[str, bytes]) -> list[Compared]:
    """Compare programs; those that the binary refuses are left out."""
    answers = run_binary(list(programs.values()), origins=True)
    return [
        compare(name, read_shardy(text, name), answer.origins)
        for (name, text), answer in zip(programs.items(), answers, strict=True)
        if answer.origins is not None
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare the programs that the command line names; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--seeds", default="0:0", metavar="FIRST:LAST")
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--wrong", action="store_true", help="show the first differences")
    options = parser.parse_args(arguments)
    first, last = map(int, options.seeds.split(":"))
    programs = {f"seed {seed}": random_program(seed).encode() for seed in range(first, last)}
    for folder in options.folders:
        for path in [*sorted(folder.glob("*.sdy.mlir")), *sorted(folder.glob("*.before.mlir"))]:
            if re.search(options.only, path.name):
                programs[path.name] = path.read_bytes()
    found = compare_all(programs)
    for one in found:
        if one.wrong or one.without or one.equal < one.total:
            print(f"{one.name}: {one.equal} of {one.total} notes, {one.without} axes without any")
            for line in one.wrong if options.wrong else ():
                print(f"    {line}")
    equal, total = sum(one.equal for one in found), sum(one.total for one in found)
    print(f"{equal} of {total} notes in {len(found)} of {len(programs)} programs")
    right = all(not one.wrong and not one.without for one in found)
    return 0 if found and equal == total and right else 1


if __name__ == "__main__":
    sys.exit(main())
