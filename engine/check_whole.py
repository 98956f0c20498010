"""Checks of a rule set as a whole: its declarations, its schedule, its strata."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import networkx as nx

from shardlog.engine.check_modes import evaluation_problems
from shardlog.engine.declarations import CHANGE, ORDERS, SLOT, UNGUARDED, WAKES
from shardlog.engine.errors import Problem, Span, nearest
from shardlog.engine.syntax import Constant, Match, Rule

if TYPE_CHECKING:
    from shardlog.engine.program import Program

Signatures = Mapping[str, tuple[int, bool]]


def declaration_problems(program: Program, signatures: Signatures) -> list[Problem]:
    """What is wrong with the names that declarations mention and with the schedule."""
    checker = _Declarations(program, signatures)
    checker.names()
    checker.schedule()
    return checker.problems


def order_problems(program: Program) -> list[Problem]:
    """What keeps a program from being evaluated in strata, one instant after the other."""
    found = [*_cycles(program), *_climbs(program), *_changing(program)]
    return found or evaluation_problems(program)


class _Declarations:
    def __init__(self, program: Program, signatures: Signatures) -> None:
        self.program, self.declared = program, program.declared
        self.signatures = signatures
        self.problems: list[Problem] = []

    def _say(self, span: Span, message: str, hint: str | None = None) -> None:
        self.problems.append(Problem(span, message, None, hint))

    def _known(self, by: tuple[str, str], kind: str, name: str, known: Iterable[str]) -> None:
        names = list(known)
        if name not in names:
            whose = f"{by[0]} {by[1]!r}" if by[1] else by[0]
            message = f"{whose} names an unknown {kind} {name!r}"
            self._say(self.declared.span(*by), message, nearest(name, names))

    def _orders(self, visit: str, relation: str) -> None:
        """A visit may go by a base relation that gives each entity a place, if it runs once."""
        by = ("visit", visit)
        given = [n for n, kind in self.signatures.items() if kind == (2, True)]
        given = [n for n in given if n not in self.program.by_relation]
        if relation not in given:
            message = (
                f"visit {visit!r} goes by {relation!r}, which is no order and no base function"
            )
            self._say(self.declared.span(*by), message, nearest(relation, [*ORDERS, *given]))
        elif visit in self.declared.sweeps:
            message = f"sweep {visit!r} goes by {relation!r}; only a visit that runs once may"
            self._say(self.declared.span(*by), message)

    def names(self) -> None:
        """Every name that a declaration mentions must stand for something."""
        declared, program, relations = self.declared, self.program, self.signatures
        for channel in declared.channels.values():
            by = ("channel", channel.head)
            self._known(by, "lattice", channel.lattice, declared.lattices)
            self._known(by, "join", channel.join, declared.joins)
            self._known(by, "visit", channel.visit, declared.visits)
            if channel.guard != UNGUARDED:
                self._known(by, "guard", channel.guard, program.by_relation)
            if channel.grain == SLOT:
                self._known(by, "relation", SLOT, relations)
        for join in declared.joins.values():
            by = ("join", join.name)
            self._known(by, "function", join.function, program.library.joins)
            for relation, _ in join.context:
                self._known(by, "relation", relation, relations)
                if relations.get(relation, (2, True)) != (2, True):
                    message = f"{relation} is no function of one term, as a join's context must be"
                    self._say(declared.span(*by), message)
        for view, lattice in declared.views.items():
            self._known(("view", view), "lattice", lattice, declared.lattices)
        for name, its in declared.visits.items():
            if its.order not in ORDERS:
                self._orders(name, its.order)
        for visit in declared.orders:
            self._known(("order", visit), "visit", visit, declared.visits)
        for head in declared.restless:
            self._known(("restless", head), "channel", head, declared.channels)
        for head in declared.insistent:
            self._known(("insistent", head), "channel", head, declared.channels)
        for kind, visits in (("frozen", declared.frozen), ("agenda", declared.agendas)):
            for visit in visits:
                self._known((kind, visit), "visit", visit, declared.visits)
        if declared.repeats is not None:
            phase, relation, _ = declared.repeats
            self._known(("phases_from", ""), "visit", phase, declared.visits)
            self._known(("phases_from", ""), "relation", relation, relations)
        for test in declared.rare:
            self._known(("rare", test), "test", test, program.tests)
        for kind, names in (("stored", declared.stored), ("shared", declared.shared)):
            for relation in names:
                self._known((kind, relation), "relation", relation, relations)
        for relation, inputs in declared.modes.items():
            self._known(("mode", relation), "relation", relation, relations)
            terms = relations.get(relation, (-1, False))[0]
            if 0 <= terms < len(inputs):
                message = f"{relation} has {terms} terms, fewer than the inputs of its mode"
                self._say(declared.span("mode", relation), message)
        for relation, base in declared.descends.items():
            self._known(("descends", relation), "relation", relation, program.by_relation)
            self._known(("descends", relation), "relation", base, relations)

    def schedule(self) -> None:
        """The phases must fill the lattices one after the other, at times when they can."""
        declared, visits = self.declared, self.declared.visits
        if declared.phases and not declared.lattices:
            self._say(declared.span("phases"), "phases need a lattice to fill")
            return
        span = declared.span("phases")
        reached = 0
        for phase, value in declared.rounds():
            if value is not None:
                reached = len(declared.lattices) - 1
            elif phase not in visits:
                message = f"phase {phase!r} is neither a visit nor a value of the parameter"
                self._say(span, message, nearest(phase, visits))
            elif visits[phase].order == CHANGE:
                self._say(
                    span, f"phase {phase!r} is a visit on change, which has no time of its own"
                )
            else:
                reached = self._fills(phase, reached, span)
        for sweep in declared.sweeps:
            if sweep not in visits:
                hint = nearest(sweep, visits)
                self._say(declared.span("sweeps"), f"sweep {sweep!r} is not a visit", hint)
            elif visits[sweep].order == CHANGE:
                message = f"sweep {sweep!r} is a visit on change, which has no time of its own"
                self._say(declared.span("sweeps"), message)
            else:
                self._fills(sweep, len(declared.lattices) - 1, declared.span("sweeps"))
        for lattice in declared.lattices[:-1]:
            for rule in self.program.by_relation.get(lattice, ()):
                message = f"only the last lattice has rules of its own, {lattice!r} is not"
                self.problems.append(Problem(rule.span, message, rule.name))

    def _fills(self, visit: str, reached: int, span: Span) -> int:
        """The place of the lattice that a visit fills, which must not be frozen by then."""
        lattices = self.declared.lattices
        heads = [c for c in self.declared.channels.values() if c.visit == visit]
        places = {lattices.index(c.lattice) for c in heads if c.lattice in lattices}
        for place in places:
            if place < reached:
                message = f"{visit!r} fills {lattices[place]!r} when {lattices[reached]!r} is begun"
                self._say(span, message)
        if len(places) > 1:
            self._say(span, f"{visit!r} fills several lattices at a time")
        return max([reached, *places])


def _cycles(program: Program) -> list[Problem]:
    """No cycle may pass through a negation or an aggregate within one instant."""
    problems = []
    for component in program.components:
        inner = program.graph.subgraph(component)
        bad = [(a, b) for a, b, data in inner.edges(data=True) if data["negative"]]
        if bad:
            head, tail = min(bad)
            cycle = [head, *nx.shortest_path(inner, tail, head)]
            rule = program.by_relation[head][0]
            message = "a cycle through negation or an aggregate: " + " -> ".join(cycle)
            problems.append(Problem(rule.span, message, rule.name))
    return problems


def _climbs(program: Program) -> list[Problem]:
    """Recursion that reads a lattice, or has inputs, must go down a declared relation."""
    declared = program.declared
    volatile = program.volatile()
    problems = []
    for component in program.components:
        # in the order of the files, so that the message is the same every time
        rules = [rule for rule in program.rules if rule.relation in component]
        rules = [rule for rule in rules if _calls(rule, component)]
        if not rules or not component & {*volatile, *declared.modes}:
            continue
        bases = {base for name, base in declared.descends.items() if name in component}
        name = min(component)
        if not bases:
            message = f"{name} is recursive, reads a lattice or has inputs, and descends nowhere"
            hint = f"declare + descends({name!r}, ...) with a relation that has no cycles"
            problems.append(Problem(rules[0].span, message, rules[0].name, hint))
            continue
        level: nx.DiGraph[str] = nx.DiGraph()
        for rule in rules:
            for call in _calls(rule, component):
                if not _goes_down(rule, call, bases):
                    level.add_edge(rule.relation, call.relation)
        cycles = [_from_least(cycle) for cycle in nx.simple_cycles(level)]
        if cycles:
            cycle = min(cycles)
            rule = next(rule for rule in rules if rule.relation == cycle[0])
            path = " -> ".join([*cycle, cycle[0]])
            message = f"the recursion {path} does not go down {' or '.join(sorted(bases))}"
            problems.append(Problem(rule.span, message, rule.name))
    return problems


def _from_least(cycle: list[str]) -> list[str]:
    place = cycle.index(min(cycle))
    return cycle[place:] + cycle[:place]


def _calls(rule: Rule, component: set[str]) -> list[Match]:
    return [one for one in rule.body if isinstance(one, Match) and one.relation in component]


def _goes_down(rule: Rule, call: Match, bases: set[str]) -> bool:
    """Whether a body leads from the head's first term to that of a call along a base relation."""
    return any(
        isinstance(one, Match)
        and one.relation in bases
        and not one.negated
        and one.terms[0] == rule.terms[0]
        and call.terms[0] in one.terms[1:]
        for one in rule.body
    )


def _changing(program: Program) -> list[Problem]:
    """What is fixed for a run may not read what changes in it."""
    declared = program.declared
    if not declared.lattices:
        return []
    last = declared.lattices[-1]
    volatile = program.volatile(declared.lattices[:-1])
    phased = program.reaching(declared.parameter)
    problems = []
    for rule in program.by_relation.get(WAKES, ()):
        target = rule.terms[1] if len(rule.terms) == 3 else None
        if WAKES in volatile:
            problems.append(Problem(rule.span, "wakes must not read what changes", rule.name))
        if isinstance(target, Constant) and target.value not in declared.sweeps:
            hint = nearest(str(target.value), declared.sweeps)
            message = f"wakes names {target.value!r}, which is no sweep"
            problems.append(Problem(rule.span, message, rule.name, hint))
    for join in declared.joins.values():
        for relation, _ in join.context:
            if relation in volatile:
                message = f"the context {relation} of join {join.name!r} changes in a run"
                problems.append(Problem(declared.span("join", join.name), message))
    for rule in program.by_relation.get(last, ()):
        for literal in rule.body:
            if isinstance(literal, Match) and literal.relation in volatile:
                message = f"the first values of {last} must not depend on {literal.relation}"
                problems.append(Problem(rule.span, message, rule.name))
    once = {phase for phase, value in declared.rounds() if value is None}
    for name, channel in declared.channels.items():
        if channel.visit in once - set(declared.sweeps):
            for rule in program.by_relation.get(name, ()):
                asked = [one.relation for one in rule.body if isinstance(one, Match)]
                found = [one for one in (*asked, channel.guard) if one in phased]
                if found:
                    asks = "" if found[0] == declared.parameter else f", which {found[0]} asks for"
                    message = f"{channel.visit!r} runs once and has no {declared.parameter}{asks}"
                    problems.append(Problem(rule.span, message, rule.name))
    return problems
