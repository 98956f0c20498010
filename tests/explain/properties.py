"""Answers about generated modules held against what they mean, worked out the long way.

    python -m tests.explain.properties [--count N] [--seed N]

- The proof of `why` has as few steps as any: every choice of what each record may rest on is gone
  through.
- Where `whynot` says that a rule fails at a literal, the plain interpreter finds no way to satisfy
  the rule with the instructions it is about, and none to satisfy that literal.
- `impact` tells what is sharded otherwise if the annotation is taken out of the text.
- The sets of `conflicts` are conflicts, and no part of one is.

Exits with 1 if any answer is wrong.
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import shardlog
from shardlog.engine.instant import Instant
from shardlog.engine.solver import is_bound
from shardlog.engine.syntax import literal_terms
from shardlog.explain import account
from shardlog.explain.conflicts import conflicts
from shardlog.explain.impact import impact
from shardlog.explain.run import Place, Run
from shardlog.explain.smallest import Choice, Smallest
from shardlog.ir.axes import digits, split_dims
from shardlog.leaves import leaf_of_source
from shardlog.why import Reason
from tests.explain.live import compared, differing, edited, flat, shardings, told
from tests.fuzz.cases import emitters, make

Step = tuple[Any, ...]
Proof = frozenset[Step]

MOST = 3_000
"""How many proofs of one value are gone through; values with more are left out."""

PLAIN = (
    "^(add|sub|mul|neg|elementwise|dot|broadcast|reshape|transpose|reduce|concatenate|select|"
    "constraint|sharding|slice|pad|convert|copy|while|tuple|gather|unary|binary)"
)


class TooMany(Exception):
    """There are more proofs than can be gone through."""


# ---------------------------------------------------------------- the smallest proof


class Proofs:
    """All proofs of what a run gave, as sets of steps, without those that have another in them."""

    def __init__(self, run: Run) -> None:
        self.run, self.tests = run, Smallest(run)
        self.known: dict[tuple[int, int | None, int], list[Proof]] = {}

    def of(self, entity: int, leaf: int | None, before: int) -> list[Proof]:
        """The proofs of what a leaf had before an event."""
        positions = self.run.moving(Place(entity, leaf), before)
        if not positions:
            return [frozenset(((entity, leaf, -1),))]
        key = entity, leaf, positions[-1]
        if key not in self.known:
            self.known[key] = self._least(self._built(*key))
        return self.known[key]

    def _built(self, entity: int, leaf: int | None, position: int) -> Iterator[Proof]:
        for choice in self._choices(position, leaf):
            parts = list(choice.sources)
            if choice.with_old:
                parts.append((entity, leaf))
            below = [self.of(source, part, position) for source, part in parts]
            for one in itertools.product(*below):
                yield frozenset(((entity, leaf, position),)).union(*one)

    def _choices(self, position: int, leaf: int | None) -> Iterator[Choice]:
        """The least choices with which the record's rule gives what it gave."""
        run, record = self.run, self.run.records[position]
        entities = run.entities
        found = []
        for source in dict.fromkeys(record.contributors):
            belongs, part = leaf_of_source(entities[record.entity], leaf, entities[source])
            if source != record.entity and belongs:
                found.append((source, part))
        if len(found) > 5:
            raise TooMany
        every = Choice(record.old is not None, tuple(found))
        if not self.tests.tries(record):
            yield every._replace(with_old=record.old is not None and record.value is not None)
            return
        taken: list[Choice] = []
        sizes = range(min(1, len(found)), len(found) + 1)
        for with_old, size in itertools.product((False, True), sizes):
            for kept in itertools.combinations(found, size):
                choice = Choice(with_old, kept)
                if with_old and record.old is None:
                    continue
                if any(set(t.sources) <= set(kept) and t.with_old <= with_old for t in taken):
                    continue
                if choice == every or self.tests.suffices(position, leaf, choice):
                    taken.append(choice)
                    yield choice

    @staticmethod
    def _least(proofs: Iterator[Proof]) -> list[Proof]:
        every: set[Proof] = set()
        for number, proof in enumerate(proofs):
            if number > MOST:
                raise TooMany
            every.add(proof)
        ordered = sorted(every, key=len)
        least: list[Proof] = []
        for proof in ordered:
            if not any(one <= proof for one in least):
                least.append(proof)
        return least


def steps_of(proof: Reason) -> set[Step]:
    """The distinct steps of a proof, and what it came down to that has none."""
    found: set[Step] = set()
    todo = [proof]
    while todo:
        reason = todo.pop()
        if not reason.left_out and not reason.steps:
            found.add((reason.name,))
        for step in reason.steps:
            if step.rule:
                found.add((reason.name, step.rule, step.direction, step.iteration, step.new))
            todo += step.sources
    return found


def check_smallest(text: str, random_: random.Random) -> Iterator[str]:
    """Proofs that have more steps than need be."""
    result = shardlog.propagate(shardlog.load(text.encode()))
    run = result.run
    proofs = Proofs(run)
    places = [p for n in range(len(run.entities)) for p in run.leaves(n) if run.history.get(n)]
    for place in random_.sample(places, min(6, len(places))):
        if not run.moving(place, len(run.records)) or run.stand_in(place.entity) is not None:
            continue
        try:
            least = min(len(one) for one in proofs.of(place.entity, place.leaf, len(run.records)))
        except TooMany:
            continue
        folded, account.PLUMBING = account.PLUMBING, frozenset()
        try:
            mine = len(steps_of(account.prove(run, place)))
        finally:
            account.PLUMBING = folded
        if mine != least:
            yield f"why {run.named(place)}: {mine} steps, {least} would do"


# ---------------------------------------------------------------- why not


def check_whynot(text: str, random_: random.Random) -> Iterator[str]:
    """Literals that do not fail, and rules that do not either."""
    result = shardlog.propagate(shardlog.load(text.encode()))
    run, saturated = result.run, result.run.outcome.saturated
    numbers = [n for n in range(len(run.entities)) if run.entities[n].shape.leaves]
    for entity in random_.sample(numbers, min(2, len(numbers))):
        state = {name: list(column) for name, column in saturated.state.items()}
        state["sharding"][entity] = None
        plain = Instant(saturated.program, saturated.facts, state, ())
        values = saturated.program.declared.parameter_values()
        for attempt in run.attempts.of(entity):
            if attempt.failure is None or attempt.variant.channel.grain == "pair":
                continue
            failure, variant = attempt.failure, attempt.variant
            term = variant.rule.terms[0]
            known = {**attempt.others, str(term): entity}
            for value in values:
                plain.values = (value,)
                found = plain.solver.solve(variant.body, known, plain.lookup)
                if next(found, None) is not None:
                    yield f"whynot {run.name(entity)}: {variant.name} does not fail"
            plain.values = values[-1:]
            literal = failure.literal
            inputs = plain.solver.inputs.get(getattr(literal, "relation", ""), ())
            given = [is_bound(term, failure.known) for term in literal_terms(literal)]
            if not all(given[: len(inputs)]):
                # it can be asked as a part of the rule alone
                continue
            if next(plain.solver.solve([literal], failure.known, plain.lookup), None) is not None:
                yield f"whynot {run.name(entity)}: {literal} of {variant.name} holds"


# ---------------------------------------------------------------- impact and conflicts


def annotated(text: str) -> list[str]:
    """The instructions that are annotated, but for members of shard groups."""
    every = shardlog.load(text.encode()).instructions
    return [x.name for x in every if x.sharding is not None and not x.sharding.is_unknown]


def propagated(text: str) -> shardlog.Result:
    return shardlog.propagate(shardlog.load(text.encode()))


def check_impact(text: str, random_: random.Random) -> Iterator[str]:
    """Answers of `impact` that are not what differs."""
    names = annotated(text)
    for name in random_.sample(names, min(2, len(names))):
        answer = impact(shardlog.load(text.encode()), name, {})
        before, after = (
            shardings(propagated(one).module) for one in (text, edited(text, name, None))
        )
        known = before.keys() & after.keys() & flat(shardlog.load(text.encode()))
        theirs, mine = differing(before, after), told(answer.owed)
        yield from (f"impact {name}: {one}" for one in compared(theirs, mine, known))
        differ = {one.partition("{")[0] for one in mine}
        if differ & set(answer.resting):
            yield f"impact {name}: {differ & set(answer.resting)} differ, and rest on it alike"


def check_conflicts(text: str, random_: random.Random) -> Iterator[str]:
    """Sets that are no conflicts, or not least ones."""
    run = propagated(text).run
    every = [
        n
        for n in range(len(run.entities))
        if run.outcome.names[n]
        and split_dims(run.final(Place(n)))
        and run.stand_in(n) is None
        and run.entities[n].opcode not in ("parameter", "copy")
    ]
    for number in random_.sample(every, min(1, len(every))):
        name = run.outcome.names[number]
        answer = conflicts(shardlog.load(text.encode()), name, {}, most=6)
        keep = annotated(text)
        for conflict in answer.found:
            if not set(conflict.annotations) <= set(keep):
                continue
            alone = {one: _given(text, keep, (one,), name) for one in conflict.annotations}
            if _carries(alone, _given(text, keep, conflict.annotations, name)):
                yield f"conflicts {name}: {conflict.annotations} are all carried through"
            for less in itertools.combinations(conflict.annotations, len(alone) - 1):
                part = {one: alone[one] for one in less}
                if not _carries(part, _given(text, keep, less, name)):
                    yield f"conflicts {name}: {less} is one already"


def _given(text: str, every: Sequence[str], kept: Sequence[str], name: str) -> Any:
    for one in every:
        if one not in kept:
            text = edited(text, one, None)
    result = propagated(text)
    return result.run.final(Place(result.number(name)))


def _carries(parts: dict[str, Any], together: Any) -> bool:
    """Whether something splits all that each of some shardings does, dimension by dimension."""
    rows = [] if together is None else digits(together)
    return all(
        not mine or (dim < len(rows) and mine <= rows[dim])
        for one in parts.values()
        if one is not None
        for dim, mine in enumerate(digits(one))
    )


CHECKS: dict[str, Callable[[str, random.Random], Iterator[str]]] = {
    "smallest": check_smallest,
    "whynot": check_whynot,
    "impact": check_impact,
    "conflicts": check_conflicts,
}


def modules(seed: int, count: int) -> Iterator[tuple[str, str]]:
    """Small generated modules, by name."""
    able = emitters(PLAIN)
    for number in range(count):
        case = make(seed, number, able, 7)
        yield case.name, case.text


def wrong(seed: int, count: int, check: str) -> list[str]:
    """All that is wrong with the answers about some modules."""
    found = []
    for name, text in modules(seed, count):
        found += [f"{name}: {one}" for one in CHECKS[check](text, random.Random(name))]
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.explain.properties", description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="modules for each property")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--check", choices=list(CHECKS), action="append")
    options = parser.parse_args(arguments)
    bad = 0
    for check in options.check or CHECKS:
        found = wrong(options.seed, options.count, check)
        bad += len(found)
        print(f"{check}: {options.count} modules, {len(found)} wrong")
        for line in found[:12]:
            print(f"  {line}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
