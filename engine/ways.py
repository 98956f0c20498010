"""The ways through a rule that facts leave open; part of the plain interpreter.

A way is one static solution of a rule: facts are solved, and the volatile relations that give
values are replaced by one rule each. What it leaves for the instant are look-ups of lattices,
conditions, aggregates and what depends on their values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from shardlog.engine.errors import Problem, RuleError
from shardlog.engine.instant import Instant
from shardlog.engine.modes import needed_positions
from shardlog.engine.solver import Environment, same, value_of
from shardlog.engine.syntax import (
    Compare,
    Compute,
    Constant,
    Literal,
    Match,
    Rule,
    Term,
    Variable,
    literal_terms,
    substitute,
    variables,
)

Path = tuple[tuple[tuple[int, ...], int], ...]


class Goal(NamedTuple):
    """A literal to be solved, its place in the derivation, and whether its matches are grounds."""

    literal: Literal
    place: tuple[int, ...]
    quiet: bool = False


class Way(NamedTuple):
    """A partial solution: what is known, what the instant will tell, what is left for it."""

    goals: tuple[Goal, ...]
    known: Environment
    told: frozenset[str] = frozenset()
    later: tuple[Literal, ...] = ()
    grounds: tuple[int, ...] = ()
    path: Path = ()


@dataclass
class Ways:
    """Finds ways at one instant's facts; the lattices' values are not looked at."""

    instant: Instant
    fresh: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.program = self.instant.program
        self.declared = self.program.declared
        live = self.instant.live
        self.lattices = {*live, *(v for v, base in self.declared.views.items() if base in live)}
        self.needs = needed_positions(self.program, live)

    def solve(self, body: Sequence[Literal], known: Environment, outer: set[str]) -> list[Way]:
        """The ways through a body; `outer` are names that are used besides it."""
        goals = tuple(Goal(literal, (place,)) for place, literal in enumerate(body))
        return list(self._solve(Way(goals, known), frozenset(outer)))

    def _solve(self, way: Way, outer: frozenset[str]) -> Iterator[Way]:
        for step in (self._decide, self._settle, self._keyed, self._unkeyed, self._scan):
            for number, goal in enumerate(way.goals):
                rest = way._replace(goals=way.goals[:number] + way.goals[number + 1 :])
                following = step(goal, rest, outer)
                if following is not None:
                    for one in following:
                        yield from self._solve(one, outer)
                    return
        if way.goals:
            goals = " & ".join(str(goal.literal) for goal in way.goals)
            message = f"no order of evaluation binds the variables of {goals}"
            raise RuleError([Problem(self.program.rules[0].span, message)])
        yield way

    # ------------------------------------------------------------ terms

    def _has(self, term: Term, way: Way) -> bool:
        """Whether a term is known or will be at the instant."""
        return isinstance(term, Constant) or term.name in way.known or term.name in way.told

    def _told(self, literal: Literal, way: Way) -> bool:
        return any(name in way.told for name in variables(literal))

    def _later(self, goal: Goal, way: Way, grounds: Sequence[int] = ()) -> list[Way]:
        """Leaves a literal for the instant, which will tell what it binds."""
        binds = not (isinstance(goal.literal, Match) and goal.literal.negated)
        free = {n for n in variables(goal.literal) if n not in way.known} if binds else set()
        return [
            way._replace(
                told=way.told | free,
                later=(*way.later, goal.literal),
                grounds=way.grounds if goal.quiet else (*way.grounds, *grounds),
            )
        ]

    def _now(self, goal: Goal, way: Way) -> list[Way]:
        """Solves a literal over what is known."""
        solver, lookup = self.instant.solver, self.instant.lookup
        return [
            way._replace(known=found) for found in solver.solve([goal.literal], way.known, lookup)
        ]

    # ------------------------------------------------------------ first: what is ready

    def _decide(self, goal: Goal, way: Way, outer: frozenset[str]) -> list[Way] | None:
        """What facts alone decide: soonest, since it is cheap and often the end."""
        literal = goal.literal
        if isinstance(literal, Match) and (
            literal.relation in self.instant.volatile or literal.relation in self.lattices
        ):
            return None
        known = all(name in way.known for name in variables(literal))
        return self._now(goal, way) if known else None

    def _settle(self, goal: Goal, way: Way, outer: frozenset[str]) -> list[Way] | None:
        literal = goal.literal
        if isinstance(literal, Match):
            if literal.relation == self.declared.parameter:
                return None if self._told(literal, way) else self._now(goal, way)
            if literal.negated and self._shares_unknown(literal, way, outer):
                return None
            if literal.relation in self.lattices:
                return self._lattice(goal, literal, way)
            return self._relation(goal, literal, way)
        if isinstance(literal, Compute):
            ready = all(self._has(t, way) for t in literal.arguments)
        elif isinstance(literal, Compare) and literal.operator == "==":
            ready = self._has(literal.left, way) or self._has(literal.right, way)
        else:
            ready = all(self._has(t, way) for t in literal_terms(literal))
        if not ready:
            return None
        return self._later(goal, way) if self._told(literal, way) else self._now(goal, way)

    def _shares_unknown(self, literal: Match, way: Way, outer: frozenset[str]) -> bool:
        """Whether a negation waits for a variable that something else will bind."""
        others = set(outer)
        for goal in way.goals:
            others |= set(variables(goal.literal))
        return any(n in others and not self._has(Variable(n), way) for n in variables(literal))

    def _lattice(self, goal: Goal, literal: Match, way: Way) -> list[Way] | None:
        entity = literal.terms[0]
        if not self._has(entity, way):
            return None
        if isinstance(entity, Variable) and entity.name in way.told:
            message = f"{literal} reads a lattice at an entity known only at the instant"
            raise RuleError([Problem(self.program.rules[0].span, message)])
        is_ground = not literal.negated and literal.relation not in self.declared.views
        return self._later(goal, way, (value_of(entity, way.known),) if is_ground else ())

    def _relation(self, goal: Goal, literal: Match, way: Way) -> list[Way] | None:
        """A relation that is volatile, or asked about what only the instant will tell."""
        relation, terms = literal.relation, literal.terms
        keys = terms[:-1] if literal.functional else terms
        told = self._told(literal, way)
        if relation not in self.instant.volatile and not told:
            return self._now(goal, way) if literal.negated else None
        rules = self.program.by_relation.get(relation)
        if not rules:
            if literal.negated or literal.functional:
                ready = literal.negated or all(self._has(t, way) for t in keys)
            else:
                ready = True
            return self._later(goal, way) if ready else None
        if not all(self._has(terms[place], way) for place in self.needs[relation]):
            return None
        if rules[0].aggregate is not None and not all(self._has(t, way) for t in terms[:-1]):
            return None if not literal.negated else self._later(goal, way)
        if literal.negated:
            return self._condition(goal, literal, way)
        if rules[0].aggregate is not None or all(self._has(t, way) for t in terms):
            return self._condition(goal, literal, way)
        if not any(self._has(t, way) for t in keys):
            return None
        if relation in self.program.recursive:
            return self._later(goal, way)
        return self._unfold(goal, literal, way)

    # ------------------------------------------------------------ then: facts, keyed ones first

    def _keyed(self, goal: Goal, way: Way, outer: frozenset[str]) -> list[Way] | None:
        literal = goal.literal
        if not isinstance(literal, Match) or not self._static(literal, way):
            return None
        place_only = literal.relation in self.instant.facts.rows
        terms = (literal.terms[0], literal.terms[2]) if place_only else literal.terms
        return self._now(goal, way) if any(self._has(t, way) for t in terms) else None

    def _unkeyed(self, goal: Goal, way: Way, outer: frozenset[str]) -> list[Way] | None:
        """Derived relations of which nothing is known."""
        literal = goal.literal
        if not isinstance(literal, Match) or literal.negated:
            return None
        rules = self.program.by_relation.get(literal.relation)
        if not rules or literal.relation in self.lattices:
            return None
        if not all(self._has(literal.terms[p], way) for p in self.needs[literal.relation]):
            return None
        if self._static(literal, way):
            return self._now(goal, way)
        ready = rules[0].aggregate is None and literal.relation not in self.program.recursive
        return self._unfold(goal, literal, way) if ready else None

    def _scan(self, goal: Goal, way: Way, outer: frozenset[str]) -> list[Way] | None:
        literal = goal.literal
        ready = isinstance(literal, Match) and self._static(literal, way)
        return self._now(goal, way) if ready else None

    def _static(self, literal: Match, way: Way) -> bool:
        if literal.negated or literal.relation in self.instant.volatile or self._told(literal, way):
            return False
        needs = self.needs.get(literal.relation, ())
        return all(self._has(literal.terms[place], way) for place in needs)

    # ------------------------------------------------------------ derived relations

    def _unfold(self, goal: Goal, literal: Match, way: Way) -> list[Way]:
        """One way per rule of a relation, its body in the literal's place."""
        found = []
        for number, rule in enumerate(self.program.by_relation[literal.relation]):
            body = self._body(rule, literal.terms, way)
            if body is not None:
                before = len(body) - len(rule.body)
                goals = tuple(
                    Goal(one, (*goal.place, place - before), goal.quiet)
                    for place, one in enumerate(body)
                )
                path = (*way.path, (goal.place, number))
                found.append(way._replace(goals=(*goals, *way.goals), path=path))
        return found

    def _body(self, rule: Rule, terms: Sequence[Term], way: Way) -> list[Literal] | None:
        """A rule's body with the caller's terms for those of its head; None if they clash."""
        names: dict[str, Term] = {}
        equal: list[Literal] = []
        for formal, actual in zip(rule.terms, terms, strict=True):
            if isinstance(formal, Constant):
                if isinstance(actual, Constant) and not same(formal.value, actual.value):
                    return None
                if isinstance(actual, Variable) and actual.name in way.known:
                    if not same(formal.value, way.known[actual.name]):
                        return None
                elif isinstance(actual, Variable):
                    equal.append(Compare("==", actual, formal))
            elif formal.name in names:
                equal.append(Compare("==", names[formal.name], actual))
            else:
                names[formal.name] = actual
        self.fresh += 1
        for literal in rule.body:
            for name in variables(literal):
                names.setdefault(name, Variable(f"{name}__{self.fresh}"))
        if rule.aggregate is not None:
            for term in (rule.aggregate.term, *rule.aggregate.order_by):
                names.setdefault(term.name, Variable(f"{term.name}__{self.fresh}"))
        return [*equal, *(substitute(literal, names) for literal in rule.body)]

    def _condition(self, goal: Goal, literal: Match, way: Way) -> list[Way]:
        """A literal that asks whether a relation holds, or for the value of an aggregate.

        Where its facts alone decide it, it is decided here.
        """
        relation = literal.relation
        rules = self.program.by_relation[relation]
        aggregate = rules[0].aggregate is not None
        if relation in self.program.recursive:
            return self._later(goal, way)
        quiet = goal.quiet or not (aggregate or relation in self.program.transparent)
        parts: list[Way] = []
        for rule in rules:
            terms = (*literal.terms[:-1], rule.terms[-1]) if aggregate else literal.terms
            formal = rule
            if aggregate:
                formal = replace(rule, terms=(*rule.terms[:-1], Constant(None)))
                terms = (*literal.terms[:-1], Constant(None))
            body = self._body(formal, terms, way)
            if body is not None:
                goals = tuple(Goal(one, (), quiet) for one in body)
                names = set()
                if rule.aggregate is not None:
                    names = {
                        f"{t.name}__{self.fresh}"
                        for t in (rule.aggregate.term, *rule.aggregate.order_by)
                    }
                inner = Way(goals, way.known, way.told)
                parts += self._solve(inner, frozenset(names))
        if not parts:
            return [way] if literal.negated else []
        if not aggregate and any(not part.later for part in parts):
            return [] if literal.negated else [way]
        grounds = () if literal.negated else [e for part in parts for e in part.grounds]
        return self._later(goal, way, grounds)


def residue(way: Way, head: Sequence[Term]) -> tuple[object, ...]:
    """What a way leaves for the instant and proposes, in a form that is equal for equal ways."""
    names: dict[str, Term] = {name: Constant(value) for name, value in way.known.items()}
    literals: list[Literal] = []
    for literal in way.later:
        for term in literal_terms(literal):
            if isinstance(term, Variable) and term.name not in names:
                names[term.name] = Variable(f"V{len(names) - len(way.known)}")
        literals.append(substitute(literal, names))
    terms = tuple(names.get(t.name, t) if isinstance(t, Variable) else t for t in head)
    return (tuple(literals), terms)
