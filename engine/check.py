"""Static checks of a rule set: everything that can be said before a module is seen."""

from __future__ import annotations

import builtins
import difflib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import networkx as nx

from shardlog.engine.declarations import RESERVED, UNGUARDED
from shardlog.engine.errors import Problem, RuleError, Span
from shardlog.engine.strata import dependency_graph
from shardlog.engine.syntax import (
    Compare,
    Compute,
    Fact,
    Literal,
    Match,
    Member,
    Rule,
    Test,
    Variable,
    variables,
)

if TYPE_CHECKING:
    from shardlog.engine.program import Program

WAKES = "wakes"
_FILE = Span("rules", 1, 1)


def check(program: Program, facts: Sequence[Fact], names: set[str], disabled: set[str]) -> None:
    """Raises RuleError with every problem found in the program."""
    checker = _Checker(program)
    for fact in facts:
        checker.fact(fact)
    for rule in program.rules:
        checker.rule(rule)
    checker.declarations()
    for name in sorted(disabled - names):
        span = program.declared.disabled.get(name) or _FILE
        checker.say(span, f"there is no rule {name!r} to disable", hint=nearest(name, names))
    if not checker.problems:
        checker.stratified()
    if checker.problems:
        raise RuleError(checker.problems)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """A suggestion for a misspelt name, or None."""
    found = difflib.get_close_matches(name, list(known), 1, 0.6)
    return f"did you mean {found[0]!r}?" if found else None


class _Checker:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.declared = program.declared
        self.problems: list[Problem] = []
        self.signatures = self._signatures()

    def say(
        self, span: Span, message: str, rule: str | None = None, hint: str | None = None
    ) -> None:
        self.problems.append(Problem(span, message, rule, hint))

    def _signatures(self) -> dict[str, tuple[int, bool]]:
        known = dict(self.program.base)
        for lattice in self.declared.lattices:
            known[lattice] = (2, True)
        for view in self.declared.views:
            known[view] = (2, True)
        if self.declared.parameter:
            known[self.declared.parameter] = (1, False)
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
        self._relation(fact.relation, len(fact.values), fact.functional, fact.span, None)

    def rule(self, rule: Rule) -> None:
        name = rule.relation
        if hasattr(builtins, name):
            self.say(rule.span, f"{name!r} is a Python builtin", rule.name, "choose another name")
        if name in RESERVED:
            self.say(rule.span, f"{name!r} is declared by facts, not by rules", rule.name)
        if name in self.program.base:
            self.say(rule.span, f"{name!r} is a base relation", rule.name, "choose another name")
        if name in self.declared.views or name == self.declared.parameter:
            self.say(rule.span, f"{name!r} cannot be a head", rule.name)
        self._relation(name, len(rule.terms), rule.functional, rule.span, rule)
        for literal in rule.body:
            self._literal(literal, rule)
        self._safe(rule)

    def _relation(
        self, name: str, arity: int, functional: bool, span: Span, rule: Rule | None
    ) -> None:
        owner = rule.name if rule else None
        if name not in self.signatures:
            hint = nearest(name, [*self.signatures, *self.program.functions, *self.program.tests])
            self.say(span, f"unknown relation {name!r}", owner, hint)
            return
        expected, form = self.signatures[name]
        if expected < 0:
            return
        if expected != arity:
            self.say(span, f"{name} has {expected} terms, found {arity}", owner)
        elif form != functional:
            shape = f"{name}[...] == value" if form else f"{name}(...)"
            self.say(span, f"{name} is written {shape}", owner)

    def _literal(self, literal: Literal, rule: Rule) -> None:
        match literal:
            case Match(relation, terms, functional):
                if relation in self.declared.channels:
                    message = f"{relation} is a channel: it proposes and cannot be read"
                    self.say(rule.span, message, rule.name)
                elif relation in self.program.functions:
                    message = f"{relation} is a function, not a relation"
                    self.say(rule.span, message, rule.name, "write (X == function(...))")
                else:
                    self._relation(relation, len(terms), functional, rule.span, rule)
            case Compute(_, function):
                if function not in self.program.functions:
                    hint = nearest(function, self.program.functions)
                    if function in self.signatures:
                        hint = (
                            f"{function!r} is a relation: write {function}[...] or {function}(...)"
                        )
                    self.say(rule.span, f"unknown function {function!r}", rule.name, hint)

    def _safe(self, rule: Rule) -> None:
        given = self._given(rule)
        bound = bound_variables(rule.body, given, self.declared.modes)
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
                inputs = self.declared.modes.get(literal.relation, ())
                given_terms = literal.terms[: len(inputs)]
                missing += [
                    t.name for t in given_terms if isinstance(t, Variable) and t.name not in bound
                ]
            else:
                missing += [name for name in variables(literal) if name not in bound]
        missing += [t.name for t in rule.terms if isinstance(t, Variable) and t.name not in bound]
        for name in dict.fromkeys(missing):
            shown = "a nested term" if name.startswith("_") else f"the variable {name}"
            self.say(rule.span, f"nothing binds {shown}", rule.name)

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

    # ------------------------------------------------------------ the whole

    def declarations(self) -> None:
        declared, program = self.declared, self.program
        for channel in declared.channels.values():
            wanted: list[tuple[str, str, Iterable[str]]] = [
                ("lattice", channel.lattice, declared.lattices),
                ("join", channel.join, declared.joins),
                ("visit", channel.visit, declared.visits),
            ]
            if channel.guard != UNGUARDED:
                wanted.append(("guard", channel.guard, program.by_relation))
            for kind, name, known in wanted:
                if name not in known:
                    message = f"channel {channel.head!r} names an unknown {kind} {name!r}"
                    self.say(_FILE, message, hint=nearest(name, known))
        for join in declared.joins.values():
            if join.function not in program.library.joins:
                hint = nearest(join.function, program.library.joins)
                self.say(_FILE, f"unknown join function {join.function!r}", hint=hint)
            for relation, _ in join.context:
                if relation not in self.signatures:
                    message = f"join {join.name!r} names an unknown relation {relation!r}"
                    self.say(_FILE, message, hint=nearest(relation, self.signatures))
        for phase, value in declared.rounds():
            if value is None and phase not in declared.visits:
                self.say(_FILE, f"phase {phase!r} is neither a visit nor a value of the parameter")
        for sweep in declared.sweeps:
            if sweep not in declared.visits:
                self.say(_FILE, f"sweep {sweep!r} is not a visit")
        for test in declared.rare:
            if test not in program.tests:
                hint = nearest(test, program.tests)
                self.say(_FILE, f"rare names an unknown test {test!r}", hint=hint)
        for relation in declared.modes:
            if relation not in self.signatures:
                hint = nearest(relation, self.signatures)
                self.say(_FILE, f"mode names an unknown relation {relation!r}", hint=hint)

    def stratified(self) -> None:
        """Demands that no cycle passes through a negation or an aggregate within one instant."""
        program = self.program
        graph = dependency_graph(program.by_relation)
        for component in nx.strongly_connected_components(graph):
            inner = graph.subgraph(component)
            bad = [(a, b) for a, b, data in inner.edges(data=True) if data["negative"]]
            if bad:
                head, tail = bad[0]
                cycle = [head, *nx.shortest_path(inner, tail, head)]
                rule = program.by_relation[head][0]
                message = "a cycle through negation or an aggregate: " + " -> ".join(cycle)
                self.say(rule.span, message, rule.name)


def bound_variables(
    body: Sequence[Literal], given: set[str], modes: dict[str, tuple[str, ...]]
) -> set[str]:
    """The variables that some order of the body's literals binds, from those given."""
    bound = set(given)
    waiting = list(body)
    while True:
        rest = [literal for literal in waiting if not _binds(literal, bound, modes)]
        if len(rest) == len(waiting):
            return bound
        waiting = rest


def _binds(literal: Literal, bound: set[str], modes: dict[str, tuple[str, ...]]) -> bool:
    """Adds what a ready literal binds; says whether it was ready."""
    names = set(variables(literal))
    match literal:
        case Match(relation, terms, _, False):
            inputs = terms[: len(modes.get(relation, ()))]
            if all(not isinstance(t, Variable) or t.name in bound for t in inputs):
                bound |= names
                return True
            return False
        case Match(negated=True):
            return False
        case Compute(target, _, arguments):
            if all(not isinstance(t, Variable) or t.name in bound for t in arguments):
                if isinstance(target, Variable):
                    bound.add(target.name)
                return True
            return False
        case Compare("==", left, right):
            if any(not isinstance(t, Variable) or t.name in bound for t in (left, right)):
                bound |= names
                return True
            return False
        case Compare() | Test() | Member():
            return names <= bound
    return False
