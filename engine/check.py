"""Static checks of a rule set: everything that can be said before a module is seen."""

from __future__ import annotations

import builtins
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from shardlog.engine.check_whole import declaration_problems, order_problems
from shardlog.engine.declarations import RESERVED, WAKES, Channel
from shardlog.engine.errors import Problem, RuleError, Span, nearest
from shardlog.engine.modes import bound_names
from shardlog.engine.syntax import (
    Compute,
    Fact,
    Literal,
    Match,
    Rule,
    Variable,
    variables,
)

__all__ = ["WAKES", "check", "nearest", "quoted"]

if TYPE_CHECKING:
    from shardlog.engine.program import Program


def check(
    program: Program,
    facts: Sequence[Fact],
    names: set[str],
    disabled: set[str],
    lines: Mapping[str, Sequence[str]],
) -> None:
    """Raises RuleError with every problem found in the program; `lines` are those of its files."""
    checker = _Checker(program, lines)
    for fact in facts:
        checker.fact(fact)
    for rule in program.rules:
        checker.rule(rule)
    checker.problems += declaration_problems(program, checker.signatures)
    for name in sorted(disabled - names):
        span = program.declared.span("disable", name)
        checker.say(span, f"there is no rule {name!r} to disable", hint=nearest(name, names))
    for *pair, span in program.declared.before:
        for name in pair:
            if name not in names:
                hint = nearest(str(name), names)
                checker.say(span, f"there is no rule {name!r} to put in order", hint=hint)
    if not checker.problems:
        checker.problems += order_problems(program)
    if checker.problems:
        found = sorted(checker.problems, key=lambda p: (p.span.file, p.span.line, p.span.column))
        raise RuleError([quoted(problem, lines) for problem in found])


def quoted(problem: Problem, lines: Mapping[str, Sequence[str]]) -> Problem:
    """The problem with the line that it is about."""
    file, number = problem.span.file, problem.span.line
    known = lines.get(file, ())
    source = known[number - 1] if 0 < number <= len(known) else None
    return replace(problem, source=source)


class _Checker:
    def __init__(self, program: Program, lines: Mapping[str, Sequence[str]]) -> None:
        self.program, self.lines = program, lines
        self.declared = program.declared
        self.problems: list[Problem] = []
        self.signatures = self._signatures()

    def say(
        self, span: Span, message: str, rule: str | None = None, hint: str | None = None
    ) -> None:
        self.problems.append(Problem(span, message, rule, hint))

    def at(self, rule: Rule, name: str) -> Span:
        """Where a rule first mentions a name, or where it stands."""
        span = rule.span
        lines = self.lines.get(span.file, ())
        word = re.compile(rf"\b{re.escape(name)}\b")
        for number in range(span.line, min(span.line + 20, len(lines) + 1)):
            start = span.column - 1 if number == span.line else 0
            hit = word.search(lines[number - 1], start)
            if hit:
                return Span(span.file, number, hit.start() + 1)
        return span

    def _signatures(self) -> dict[str, tuple[int, bool]]:
        known = dict(self.program.base)
        for lattice in self.declared.lattices:
            known[lattice] = (2, True)
        for view in self.declared.views:
            known[view] = (2, True)
        if self.declared.parameter:
            known[self.declared.parameter] = (1, False)
        if self.declared.repeats:
            known[self.declared.repeats[2]] = (1, False)
        for name, table in self.program.tables.items():
            if name not in known:
                known[name] = (table.arity, table.functional)
        for rule in self.program.rules:
            if rule.relation not in known:
                known[rule.relation] = (len(rule.terms), rule.functional)
        for name, rules in self.program.by_relation.items():
            if not rules and name not in known:
                known[name] = (-1, False)
        return known

    # ------------------------------------------------------------ single statements

    def fact(self, fact: Fact) -> None:
        name = fact.relation
        if hasattr(builtins, name):
            self.say(fact.span, f"{name!r} is a Python builtin", None, "choose another name")
        if name in self.declared.lattices or name in self.declared.channels:
            self.say(fact.span, f"{name!r} is filled by rules, not by facts")
        if fact.functional and name in self.program.base:
            self.say(fact.span, f"{name!r} is a base relation with one value each")
        self._relation(name, len(fact.values), fact.functional, fact.span, None)

    def rule(self, rule: Rule) -> None:
        name = rule.relation
        if hasattr(builtins, name):
            self.say(rule.span, f"{name!r} is a Python builtin", rule.name, "choose another name")
        if name in RESERVED:
            self.say(rule.span, f"{name!r} is declared by facts, not by rules", rule.name)
        if name in self.program.base:
            self.say(rule.span, f"{name!r} is a base relation", rule.name, "choose another name")
        repeated = self.declared.repeats[2:] if self.declared.repeats else ()
        if name in self.declared.views or name in (self.declared.parameter, *repeated):
            self.say(rule.span, f"{name!r} cannot be a head", rule.name)
        if name in self.declared.channels:
            self._proposal(rule, self.declared.channels[name])
        self._aggregate(rule)
        self._relation(name, len(rule.terms), rule.functional, rule.span, rule)
        for literal in rule.body:
            self._literal(literal, rule)
        self._safe(rule)

    def _proposal(self, rule: Rule, channel: Channel) -> None:
        terms = {"whole": 2, "leaf": 3, "pair": 4, "slot": 3}[channel.grain]
        if rule.functional or rule.aggregate is not None:
            self.say(rule.span, f"a channel's head is written {rule.relation}(...)", rule.name)
        elif len(rule.terms) != terms:
            message = f"a head of grain {channel.grain!r} has {terms} terms"
            self.say(rule.span, f"{message}, found {len(rule.terms)}", rule.name)

    def _aggregate(self, rule: Rule) -> None:
        mine = rule.aggregate
        first = self.program.by_relation[rule.relation][0]
        other = first.aggregate
        if (mine is None) != (other is None) or (
            mine is not None
            and other is not None
            and (mine.function, mine.descending) != (other.function, other.descending)
        ):
            message = f"{rule.relation} is aggregated in another way at {first.span}"
            self.say(rule.span, message, rule.name)
        if mine is not None and mine.function == "tuple_" and not mine.order_by:
            self.say(rule.span, "tuple_ needs order_by, or its order is left to chance", rule.name)

    def _relation(
        self, name: str, arity: int, functional: bool, span: Span, rule: Rule | None
    ) -> None:
        owner = rule.name if rule else None
        if name not in self.signatures:
            hint = nearest(name, [*self.signatures, *self.program.functions, *self.program.tests])
            where = self.at(rule, name) if rule else span
            self.say(where, f"unknown relation {name!r}", owner, hint)
            return
        expected, form = self.signatures[name]
        where = self.at(rule, name) if rule else span
        if expected < 0:
            return
        if expected != arity:
            self.say(where, f"{name} has {expected} terms, found {arity}", owner)
        elif form != functional:
            shape = f"{name}[...] == value" if form else f"{name}(...)"
            self.say(where, f"{name} is written {shape}", owner)

    def _literal(self, literal: Literal, rule: Rule) -> None:
        match literal:
            case Match(relation, terms, functional):
                if relation in self.declared.channels:
                    message = f"{relation} is a channel: it proposes and cannot be read"
                    self.say(self.at(rule, relation), message, rule.name)
                elif relation in self.program.functions:
                    message = f"{relation} is a function, not a relation"
                    where = self.at(rule, relation)
                    self.say(where, message, rule.name, f"write (X == {relation}(...))")
                else:
                    self._relation(relation, len(terms), functional, rule.span, rule)
            case Compute(_, function):
                if function not in self.program.functions:
                    hint = nearest(function, self.program.functions)
                    if function in self.signatures:
                        hint = (
                            f"{function!r} is a relation: write {function}[...] or {function}(...)"
                        )
                    where = self.at(rule, function)
                    self.say(where, f"unknown function {function!r}", rule.name, hint)

    def _safe(self, rule: Rule) -> None:
        given = self._given(rule)
        modes = self.declared.modes
        inputs = {name: frozenset(range(len(terms))) for name, terms in modes.items()}
        bound = bound_names(rule.body, given, inputs)
        missing: list[str] = []
        for literal in rule.body:
            if isinstance(literal, Match):
                if literal.negated:
                    elsewhere = {
                        name
                        for other in rule.body
                        if other is not literal
                        for name in variables(other)
                    } | {t.name for t in rule.terms if isinstance(t, Variable)}
                    missing += [n for n in variables(literal) if n in elsewhere - bound]
                given_terms = literal.terms[: len(modes.get(literal.relation, ()))]
                missing += [
                    t.name for t in given_terms if isinstance(t, Variable) and t.name not in bound
                ]
            else:
                missing += [name for name in variables(literal) if name not in bound]
        missing += [t.name for t in rule.terms if isinstance(t, Variable) and t.name not in bound]
        for name in dict.fromkeys(missing):
            shown = "a nested term" if name.startswith("_") else f"the variable {name}"
            where = rule.span if name.startswith("_") else self.at(rule, name)
            self.say(where, f"nothing binds {shown}", rule.name)

    def _given(self, rule: Rule) -> set[str]:
        """The variables that are bound before the body: a mode's inputs, a visit's variable."""
        channel = self.declared.channels.get(rule.relation)
        if channel is not None:
            visit = self.declared.visits.get(channel.visit)
            if visit is None:
                return set()
            names = {t.name for t in rule.terms if isinstance(t, Variable)}
            names |= {name for literal in rule.body for name in variables(literal)}
            if visit.variable not in names:
                message = f"a rule of visit {visit.name!r} needs the variable {visit.variable}"
                self.say(rule.span, message, rule.name)
            return {visit.variable}
        if rule.relation == WAKES:
            return {t.name for t in rule.terms[:1] if isinstance(t, Variable)}
        inputs = self.declared.modes.get(rule.relation, ())
        return {t.name for t in rule.terms[: len(inputs)] if isinstance(t, Variable)}
