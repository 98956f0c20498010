"""Runs that count what each rule does: for coverage and profiles, slower than a plain run.

A rule that proposes is counted at every visit that asks it. Any other rule has one more literal at
the end of its body, a test which always passes and counts.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from typing import Any

from shardlog.engine.declarations import Channel
from shardlog.engine.errors import Span
from shardlog.engine.program import Program, guard_literals
from shardlog.engine.relations import Facts
from shardlog.engine.results import Saturated
from shardlog.engine.saturate import Saturation
from shardlog.engine.syntax import (
    COUNTED,
    Constant,
    Literal,
    Match,
    Rule,
    Term,
    Test,
    Variable,
    literal_terms,
)
from shardlog.engine.tables import Info, Origin, Path, Step, proposal_of
from shardlog.light import astuple, dataclass, replace

__all__ = ["Count", "Counter", "rules_of_path"]


@dataclass(slots=True)
class Count:
    """What one rule did in one or more runs.

    `tried` counts how often a visit asked it, `matched` how often it then had a proposal,
    `accepted` the proposals that changed a value, and `refused` those that the join did not take
    though they were another value than the present one. A rule that another one asks in order to
    propose has a part in what that does. `held` counts, of a rule that does not propose itself, in
    how many different ways its body was found to hold. `seconds` were spent asking and joining.
    """

    tried: int = 0
    matched: int = 0
    accepted: int = 0
    refused: int = 0
    held: int = 0
    seconds: float = 0.0

    @property
    def fired(self) -> bool:
        """True if it changed a value, or held."""
        return self.accepted > 0 or self.held > 0

    def plus(self, other: Count) -> Count:
        """What the rule did in both runs."""
        return Count(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


class Counter:
    """A program whose runs are counted."""

    def __init__(self, program: Program) -> None:
        self.counts: dict[Span, Count] = {}
        self.program = copy.copy(program)
        self.program.compiled = {}
        self.program.tests = {**program.tests, COUNTED: self._held}
        self.spans = [rule.span for rule in program.rules]
        proposing = program.declared.channels
        marked = {
            rule.span: rule if rule.relation in proposing else _marked(rule, number)
            for number, rule in enumerate(program.rules)
        }
        self.program.rules = [marked[rule.span] for rule in program.rules]
        self.program.by_relation = {
            relation: [marked.get(rule.span, rule) for rule in rules]
            for relation, rules in program.by_relation.items()
        }

    def run(self, facts: Facts) -> tuple[Saturated, dict[Span, Count]]:
        """Saturates the program over facts and counts, by where each rule stands.

        Raises what `Saturation.run` does.
        """
        self.counts = {span: Count() for span in self.spans}
        for compiler in self.program.compiled.values():
            for memo in compiler.lasting:
                memo.clear()
        return _CountedRun(self, facts).run(), self.counts

    def _held(self, number: int, *_: Any) -> bool:
        self.counts[self.spans[number]].held += 1
        return True


def _marked(rule: Rule, number: int) -> Rule:
    """The rule with a literal behind its body that counts, once all that it binds is bound."""
    terms: list[Term] = [*rule.terms]
    for literal in rule.body:
        # what a negation alone mentions is never bound
        if not (isinstance(literal, Match) and literal.negated):
            terms += literal_terms(literal)
    bound = dict.fromkeys(term for term in terms if isinstance(term, Variable))
    return replace(rule, body=(*rule.body, Test(COUNTED, (Constant(number), *bound))))


def rules_of_path(program: Program, channel: Channel, rule: Rule, path: Path) -> list[Rule]:
    """The rules that were taken for literals in the body of a rule that proposes."""
    chosen = dict(path)
    found = []
    for place in sorted(chosen):
        body: Sequence[Literal] = (*guard_literals(channel, rule), *rule.body)
        for depth in range(1, len(place) + 1):
            literal = body[place[depth - 1]]
            assert isinstance(literal, Match)
            taken = program.by_relation[literal.relation][chosen.get(place[:depth], 0)]
            body = taken.body
        found.append(taken)
    return found


class _CountedRun(Saturation):
    """A run in which every step goes the slow way, past a count."""

    quick = False

    def __init__(self, counter: Counter, facts: Facts) -> None:
        super().__init__(counter.program, facts)
        self.counter = counter
        self.taken: dict[tuple[str, Origin], list[Count]] = {}

    def _counts(self, info: Info) -> list[Count]:
        key = info.channel.visit, info.origin
        counts = self.taken.get(key)
        if counts is None:
            _, path = info.origin
            taken = rules_of_path(self.program, info.channel, info.rule, path)
            spans = dict.fromkeys(rule.span for rule in (info.rule, *taken))
            counts = [self.counter.counts[s] for s in spans if s in self.counter.counts]
            self.taken[key] = counts
        return counts

    def _slow(self, step: Step, state: list[Any], bit: int) -> list[int]:
        begin = time.perf_counter()
        accepted = len(self.records)
        proposal = self._proposal(step, state, bit)
        olds = [state[one] for one in (step[4].target, step[4].partner) if one is not None]
        moved = super()._slow(step, state, bit)
        spent = time.perf_counter() - begin
        for count in self._counts(step[4]):
            count.tried += 1
            count.seconds += spent
            if proposal is not None:
                count.matched += 1
                count.accepted += len(self.records) - accepted
                count.refused += not moved and proposal not in (olds[0], tuple(olds))
        return moved

    def _proposal(self, step: Step, state: list[Any], bit: int) -> Any:
        mask, _, table, _, info = step
        if not mask & 1 << bit and self.value is not None:
            return None
        return proposal_of(info, table, state)
