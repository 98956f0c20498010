"""Partial evaluation of rule bodies: settles what is known before a run, step by step."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

from shardlog.engine.alternatives import (
    COMPARE,
    MIRRORED,
    PHASE,
    Alternative,
    Goal,
    Read,
    Solved,
    goal_names,
    later,
    substituted,
)
from shardlog.engine.bodies import Bodies
from shardlog.engine.declarations import Channel
from shardlog.engine.errors import Problem, RuleError
from shardlog.engine.modes import needed_positions
from shardlog.engine.program import Program, guard_literals
from shardlog.engine.relations import Facts
from shardlog.engine.syntax import (
    COUNTED,
    Compare,
    Compute,
    Constant,
    Literal,
    Match,
    Member,
    Rule,
    Term,
    Test,
    Variable,
    literal_terms,
    variables,
)
from shardlog.engine.unfolding import Unfolder

_FEW = 32
"""Facts of a relation up to which each of them is looked at before a run."""


class Settler:
    """Settles alternatives for one program, one set of facts and one state of the lattices.

    `frozen` lattices are static; with `cold`, no stored value passes a test declared rare.
    """

    def __init__(
        self, program: Program, facts: Facts, frozen: Iterable[str] = (), cold: bool = False
    ) -> None:
        self.program, self.facts, self.cold = program, facts, cold
        self.declared = program.declared
        self.frozen = set(frozen)
        self.lattices = set(self.declared.lattices) - self.frozen
        self.volatile = program.volatile(self.frozen)
        self.needs = needed_positions(program, self.lattices)
        self.phased = program.reaching(self.declared.parameter)
        self.values = self.declared.parameter_values()
        self.full_mask = sum(1 << n for n, _ in enumerate(self.values)) or 1
        self.base = self._plain_relations()
        self.dispatchable = self._dispatch_positions()
        self.bodies = Bodies(self)
        self.unfolder = Unfolder(self)

    def channel_alternative(self, channel: Channel, rule: Rule) -> Alternative:
        """The whole body of a channel rule, guard first."""
        names = self.declared.orders.get(channel.visit, ())
        used = {name for literal in rule.body for name in variables(literal)}
        order = tuple(Variable(name) for name in names if name in used)
        literals = (*guard_literals(channel, rule), *rule.body)
        goals = tuple(self.bodies.placed(one, (n,), False) for n, one in enumerate(literals))
        return Alternative(goals, rule.terms, order, mask=self.full_mask)

    def settle(
        self,
        alternatives: Iterable[Alternative],
        bound: frozenset[str],
        known: dict[str, Any],
        new: frozenset[str] | None = None,
    ) -> list[Alternative]:
        """Reduces alternatives as far as static knowledge goes; `known` gives dispatch values.

        Alternatives that were settled before some names were bound are looked at again only where
        they mention one of these, `new`.
        """
        done: list[Alternative] = []
        for first in alternatives:
            if new is not None and not _mentions(first, new):
                done.append(first)
                continue
            waiting = [first]
            while waiting:
                alternative = waiting.pop()
                reduced = self._reduce(alternative, bound, known)
                if reduced is None:
                    done.append(alternative)
                else:
                    waiting.extend(reduced[::-1])
        merged: dict[Alternative, int] = {}
        for alternative in done:
            key = alternative._replace(mask=0, fresh=0)
            merged[key] = merged.get(key, 0) | alternative.mask
        fresh = max((a.fresh for a in done), default=0)
        return [key._replace(mask=mask, fresh=fresh) for key, mask in merged.items()]

    def _reduce(
        self, alternative: Alternative, bound: frozenset[str], known: dict[str, Any]
    ) -> list[Alternative] | None:
        """The alternatives that replace this one after one step, or None if there is no step."""
        goals = alternative.goals
        for position, goal in enumerate(goals):
            reduced = self._at_once(goal, alternative, position, known)
            if reduced is not None:
                return reduced
        return self._first(alternative, bound, known, True)

    def force(
        self, alternative: Alternative, bound: frozenset[str], known: dict[str, Any]
    ) -> list[Alternative] | None:
        """Unfolds a relation of which nothing is known, for want of anything better to do."""
        return self._first(alternative, bound, known, False)

    def _first(
        self, alternative: Alternative, bound: frozenset[str], known: dict[str, Any], eager: bool
    ) -> list[Alternative] | None:
        goals = alternative.goals
        for position, goal in enumerate(goals):
            if self._is_inert(goal, alternative):
                continue
            rest = alternative._replace(goals=goals[:position] + goals[position + 1 :])
            reduced = self._goal(goal, rest, position, bound, known, eager)
            if reduced is not None:
                return reduced
        return None

    def _is_inert(self, goal: Goal, alternative: Alternative) -> bool:
        """Whether a goal is a look-up in facts, or a count, that only generated code can do."""
        if isinstance(goal, Test):
            if goal.function != COUNTED:
                return False
        elif not isinstance(goal, Solved) and (
            not isinstance(goal, Match) or goal.relation not in self.base
        ):
            return False
        dynamic = alternative.dynamic_names
        return not any(name in dynamic or name == PHASE for name in goal_names(goal))

    def _at_once(
        self, goal: Goal, alternative: Alternative, position: int, known: dict[str, Any]
    ) -> list[Alternative] | None:
        """What a known dispatch value or constants decide, before anything is unfolded."""
        if isinstance(goal, Match):
            if goal.relation == self.declared.dispatch and not goal.negated:
                entity, value = goal.terms
                if isinstance(entity, Variable) and entity.name in known:
                    is_value = Constant(known[entity.name])
                    rest = alternative._replace(
                        goals=alternative.goals[:position] + alternative.goals[position + 1 :]
                    )
                    if isinstance(value, Variable):
                        return [substituted(rest, value.name, is_value)]
                    return [rest] if value == is_value else []
        elif isinstance(goal, Test) and self.cold and goal.function in self.declared.rare:
            return self._asleep(goal, alternative, position)
        elif (
            (isinstance(goal, Member) or (isinstance(goal, Compare) and goal.operator != "=="))
            and all(isinstance(t, Constant) for t in literal_terms(goal))
            and not self._holds(goal)
        ):
            return []
        return None

    def _asleep(
        self, goal: Test, alternative: Alternative, position: int
    ) -> list[Alternative] | None:
        """A rare test of a value that a lattice is yet to be asked for: none passes."""
        read = any(
            isinstance(other, Match)
            and other.relation in self.lattices
            and not other.negated
            and other.terms[1] == goal.arguments[0]
            for other in alternative.goals
        )
        if not read:
            return None
        rest = alternative.goals[:position] + alternative.goals[position + 1 :]
        return [alternative._replace(goals=rest)] if goal.negated else []

    def _goal(
        self,
        goal: Goal,
        rest: Alternative,
        position: int,
        bound: frozenset[str],
        known: dict[str, Any],
        eager: bool,
    ) -> list[Alternative] | None:
        if isinstance(goal, Solved):
            # a term turned out to be known at the instant only
            functional = self.program.by_relation[goal.relation][0].functional
            goal = Match(goal.relation, goal.terms, functional, goal.negated, goal.place)
        if isinstance(goal, Match):
            return self._match(goal, rest, position, bound, known, eager)
        terms = literal_terms(goal)
        if any(isinstance(t, Variable) and t.name == PHASE for t in terms):
            return self._phase(goal, rest, position, bound)
        free = [
            t.name
            for t in terms
            if isinstance(t, Variable) and t.name not in bound and t.name not in rest.dynamic_names
        ]
        if isinstance(goal, Compare) and goal.operator == "==" and free:
            one, other = goal.left, goal.right
            if not (isinstance(one, Variable) and one.name in free):
                one, other = other, one
            assert isinstance(one, Variable)
            if len(free) == 1:
                return [substituted(rest, one.name, other)]
            return None
        if isinstance(goal, Compute):
            if any(isinstance(t, Variable) and t.name in free for t in goal.arguments):
                return None
            if all(isinstance(t, Constant) for t in goal.arguments):
                return self._computed(goal, rest, bool(free))
        elif free:
            return None
        if all(isinstance(t, Constant) for t in terms) and not isinstance(goal, Compute):
            return [rest] if self._holds(goal) else []
        if isinstance(goal, Test) and self.cold and goal.function in self.declared.rare:
            first = goal.arguments[0]
            if isinstance(first, Variable) and first.name in rest.stored_names:
                return [rest] if goal.negated else []
        if any(isinstance(t, Variable) and t.name in rest.dynamic_names for t in terms):
            return [later(rest, goal, free)]
        return None

    def _holds(self, goal: Literal) -> bool:
        match goal:
            case Compare(operator, Constant(left), Constant(right)):
                if operator in ("==", "!="):
                    same = goal.left == goal.right
                    return same if operator == "==" else not same
                return COMPARE[operator](left, right)
            case Member(Constant() as term, values, negated):
                return (term in values) != negated
            case Test(function, arguments, negated):
                values_ = [t.value for t in arguments if isinstance(t, Constant)]
                return bool(self.program.tests[function](*values_)) != negated
        raise AssertionError(goal)

    def _computed(self, goal: Compute, rest: Alternative, free: bool) -> list[Alternative]:
        values = [t.value for t in goal.arguments if isinstance(t, Constant)]
        result = self.program.functions[goal.function](*values)
        if result is None:
            return []
        if free and isinstance(goal.target, Variable):
            return [substituted(rest, goal.target.name, Constant(result))]
        return [rest._replace(goals=(Compare("==", goal.target, Constant(result)), *rest.goals))]

    def _phase(
        self, goal: Literal, rest: Alternative, position: int, bound: frozenset[str]
    ) -> list[Alternative] | None:
        if isinstance(goal, Compare):
            left, right, operator = goal.left, goal.right, goal.operator
            if isinstance(right, Variable) and right.name == PHASE:
                left, right, operator = right, left, MIRRORED[operator]
            if isinstance(right, Constant):
                mask = 0
                for bit, value in enumerate(self.values):
                    if COMPARE[operator](value, right.value):
                        mask |= 1 << bit
                mask &= rest.mask
                return [rest._replace(mask=mask)] if mask else []
        return self.split(goal, rest, position)

    def split(self, goal: Goal, rest: Alternative, position: int) -> list[Alternative]:
        """One alternative per value of the phase parameter that is still possible."""
        whole = rest._replace(goals=(*rest.goals[:position], goal, *rest.goals[position:]))
        return [
            substituted(whole, PHASE, Constant(value))._replace(mask=1 << bit)
            for bit, value in enumerate(self.values)
            if rest.mask >> bit & 1
        ]

    def _match(
        self,
        goal: Match,
        rest: Alternative,
        position: int,
        bound: frozenset[str],
        known: dict[str, Any],
        eager: bool,
    ) -> list[Alternative] | None:
        name, terms = goal.relation, goal.terms
        if name == self.declared.parameter:
            return self._parameter(terms[0], rest)
        ready = [
            not isinstance(t, Variable) or t.name in bound or t.name in rest.dynamic_names
            for t in terms
        ]
        if name in self.lattices or self.declared.views.get(name) in self.lattices:
            return self._read(goal, rest, bound) if ready[0] else None
        if name == self.declared.dispatch and not goal.negated:
            return self._static_later(goal, rest, ready)
        if name in self.facts.constants:
            return self._constant(goal, rest)
        if name in self.program.by_relation and name not in self.frozen:
            return self.unfolder.derived(goal, rest, position, bound, known, eager, ready)
        plain = name not in self.facts.names()
        if plain and name in self.program.base and name not in self.program.tables:
            return [rest] if goal.negated else []  # nobody has said anything of it
        if plain and name in self.program.base and not goal.negated:
            rows = self.program.tables[name].rows
            if len(rows) <= _FEW:
                return [_with_row(rest, terms, row) for row in rows]
        if plain and all(isinstance(t, Constant) for t in terms):
            row = tuple(t.value for t in terms if isinstance(t, Constant))
            return [rest] if (row in self.program.tables[name].rows) != goal.negated else []
        if any(isinstance(t, Variable) and t.name == PHASE for t in terms):
            return self.split(goal, rest, position)
        return self._static_later(goal, rest, ready)

    def _static_later(
        self, goal: Match, rest: Alternative, ready: list[bool]
    ) -> list[Alternative] | None:
        """A look-up of a static relation under a key that is known only at the instant."""
        terms = goal.terms
        if not any(isinstance(t, Variable) and t.name in rest.dynamic_names for t in terms):
            return None
        keys = ready[:-1] if goal.functional else ready
        if not (all(keys) if goal.functional or goal.negated else any(keys)):
            return None
        free = [
            t.name for t, ok in zip(terms, ready, strict=True) if not ok and isinstance(t, Variable)
        ]
        return [later(rest, goal, () if goal.negated else free)]

    def _parameter(self, term: Term, rest: Alternative) -> list[Alternative]:
        if isinstance(term, Constant):
            if term.value not in self.values:
                return []
            mask = rest.mask & 1 << self.values.index(term.value)
            return [rest._replace(mask=mask)] if mask else []
        if term.name == PHASE:
            return [rest]
        if rest.mask & (rest.mask - 1) == 0:
            value = self.values[rest.mask.bit_length() - 1]
            return [substituted(rest, term.name, Constant(value))]
        return [substituted(rest, term.name, Variable(PHASE))]

    def _constant(self, goal: Match, rest: Alternative) -> list[Alternative] | None:
        key, value = goal.terms
        if not isinstance(key, Constant):
            return None
        row = self.facts.constants[goal.relation]
        if goal.negated:
            if isinstance(value, Constant):
                there = key.value in row and Constant(row[key.value]) == value
            else:
                there = key.value in row
            return [] if there else [rest]
        if key.value not in row:
            return []
        equal = Compare("==", value, Constant(row[key.value]))
        return [rest._replace(goals=(equal, *rest.goals))]

    def _read(
        self, goal: Match, rest: Alternative, bound: frozenset[str]
    ) -> list[Alternative] | None:
        entity, value = goal.terms
        lattice = self.declared.views.get(goal.relation, goal.relation)
        if isinstance(entity, Variable) and entity.name in rest.dynamic_names:
            raise self._unsupported(goal, "reads a lattice at an entity known only at the instant")
        kind = "view" if goal.relation in self.declared.views else "value"
        local = (
            isinstance(value, Variable)
            and value.name not in bound
            and value.name not in rest.dynamic_names
        )
        if goal.negated and local and isinstance(value, Variable):
            if value.name in rest.outer_names():
                return None
            if kind == "view":
                return []
            return [later(rest, Read(lattice, entity, value, "unset"), ())]
        if local and isinstance(value, Variable):
            after = later(rest, Read(lattice, entity, value, kind, goal.quiet), (value.name,))
            return [after._replace(stored_names=after.stored_names | {value.name})]
        fresh = Variable(f"_r__{rest.fresh + 1}")
        kind = "view" if goal.negated else kind
        after = later(rest, Read(lattice, entity, fresh, kind, goal.quiet), (fresh.name,))
        compare = Compare("!=" if goal.negated else "==", fresh, value)
        return [later(after, compare, ())._replace(fresh=rest.fresh + 1)]

    def _plain_relations(self) -> frozenset[str]:
        """The relations that are neither derived nor known before generated code runs."""
        special = {self.declared.parameter, *self.lattices, *self.facts.constants}
        special |= set(self.declared.views)
        names = self.facts.names() - special - set(self.program.by_relation)
        return frozenset(names - set(self.program.tables))

    def _unsupported(self, goal: Goal, message: str) -> RuleError:
        rules = self.program.by_relation.get(getattr(goal, "relation", ""), [])
        span = (rules or self.program.rules)[0].span
        return RuleError([Problem(span, f"{goal} {message}")])

    def _dispatch_positions(self) -> dict[str, frozenset[int]]:
        """Per relation, the argument positions whose dispatch value its rules ask for."""
        dispatch = self.declared.dispatch
        positions: dict[str, set[int]] = {name: set() for name in self.program.by_relation}
        changed = dispatch is not None
        while changed:
            changed = False
            for name, rules in self.program.by_relation.items():
                for rule in rules:
                    asked = set()
                    for literal in rule.body:
                        if isinstance(literal, Match):
                            if literal.relation == dispatch:
                                spots: Iterable[int] = (0,)
                            else:
                                spots = positions.get(literal.relation, ())
                            asked |= {literal.terms[p] for p in spots}
                    for place, term in enumerate(rule.terms):
                        if term in asked and place not in positions[name]:
                            positions[name].add(place)
                            changed = True
        return {name: frozenset(found) for name, found in positions.items()}

    def asks_dispatch(self, alternative: Alternative, name: str) -> bool:
        """Whether knowing the dispatch value of a variable would settle more of an alternative."""
        for goal in alternative.goals:
            if isinstance(goal, Match):
                if goal.relation == self.declared.dispatch:
                    spots: Iterable[int] = (0,)
                else:
                    spots = self.dispatchable.get(goal.relation, ())
                for place in spots:
                    term = goal.terms[place]
                    if isinstance(term, Variable) and term.name == name:
                        return True
        return False


def _with_row(rest: Alternative, terms: Sequence[Term], row: Sequence[Hashable]) -> Alternative:
    """The alternative in which terms are the values of a row."""
    equal = (Compare("==", t, Constant(v)) for t, v in zip(terms, row, strict=True))
    return rest._replace(goals=(*equal, *rest.goals))


def _mentions(alternative: Alternative, names: frozenset[str]) -> bool:
    return any(not names.isdisjoint(goal_names(goal)) for goal in alternative.goals)
