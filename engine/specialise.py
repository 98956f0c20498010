"""Partial evaluation of rule bodies: unfolds relations and settles what is known before a run.

A body becomes alternatives. Of each, `goals` are literals over static facts that remain to be
enumerated when an entity's plan is built, and `dynamic` are the items that read a lattice, in an
order in which each finds its variables bound. `mask` holds the values of the phase parameter for
which the alternative counts, one bit each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from shardlog.engine.declarations import Channel
from shardlog.engine.errors import Problem, RuleError
from shardlog.engine.program import Program, guard_literals
from shardlog.engine.relations import Facts
from shardlog.engine.syntax import (
    Aggregate,
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
    substitute,
    variables,
)

PHASE = "@phase"
COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: bool(a == b),
    "!=": lambda a, b: bool(a != b),
    "<": lambda a, b: bool(a < b),
    "<=": lambda a, b: bool(a <= b),
    ">": lambda a, b: bool(a > b),
    ">=": lambda a, b: bool(a >= b),
}
MIRRORED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class Read:
    """A look at the lattice: `value` (must be set), `view` (may be unset) or `unset` (must be)."""

    lattice: str
    entity: Term
    value: Term
    kind: str


@dataclass(frozen=True, slots=True)
class Block:
    """A nested body: `neg` (no solution), `any` (some solution) or `agg` (all, folded into value)."""

    kind: str
    alternatives: tuple[Alternative, ...]
    value: Term | None = None
    aggregate: Aggregate | None = None


@dataclass(frozen=True, slots=True)
class Live:
    """A call of a recursive relation at the instant itself."""

    relation: str
    terms: tuple[Term, ...]
    inputs: int
    negated: bool


@dataclass(frozen=True, slots=True)
class Solved:
    """A static derived relation, asked through a function of its own."""

    relation: str
    terms: tuple[Term, ...]
    negated: bool = False


Item: TypeAlias = Literal | Read | Block | Live
Goal: TypeAlias = Literal | Solved


class Alternative(NamedTuple):
    """One way through a body; `head` are the terms that its solutions give, `order` their sort key."""

    goals: tuple[Goal, ...]
    head: tuple[Term, ...]
    order: tuple[Term, ...] = ()
    dynamic: tuple[Item, ...] = ()
    dynamic_names: frozenset[str] = frozenset()
    stored_names: frozenset[str] = frozenset()
    mask: int = 1
    path: tuple[int, ...] = ()
    fresh: int = 0


def goal_terms(goal: Goal) -> tuple[Term, ...]:
    """All terms of a goal."""
    return goal.terms if isinstance(goal, Solved) else literal_terms(goal)


def goal_names(goal: Goal) -> list[str]:
    """The names of a goal's variables."""
    return [term.name for term in goal_terms(goal) if isinstance(term, Variable)]


class Specialiser:
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
        self.values = self.declared.parameter_values()
        self.full_mask = sum(1 << n for n, _ in enumerate(self.values)) or 1
        self.dispatchable = self._dispatch_positions()
        self.verdicts: dict[Any, str] = {}

    # ------------------------------------------------------------ starting points

    def channel_alternative(self, channel: Channel, rule: Rule) -> Alternative:
        """The whole body of a channel rule, guard first."""
        names = self.declared.orders.get(channel.visit, ())
        used = {name for literal in rule.body for name in variables(literal)}
        order = tuple(Variable(name) for name in names if name in used)
        goals = (*guard_literals(channel, rule), *rule.body)
        return Alternative(goals, rule.terms, order, mask=self.full_mask)

    def relation_alternatives(
        self, relation: str, terms: Sequence[Term], base: Alternative | None = None
    ) -> list[Alternative]:
        """One alternative per rule of a relation, its head unified with the given terms."""
        found = []
        parent = base or Alternative((), (), mask=self.full_mask)
        for number, rule in enumerate(self.program.by_relation.get(relation, ())):
            made = self._unfolded(rule, terms, parent.fresh)
            if made is not None:
                goals, fresh = made
                found.append(
                    Alternative(
                        goals,
                        tuple(terms),
                        mask=parent.mask,
                        dynamic_names=parent.dynamic_names,
                        stored_names=parent.stored_names,
                        path=(number,),
                        fresh=fresh,
                    )
                )
        return found

    def _unfolded(
        self, rule: Rule, terms: Sequence[Term], fresh: int
    ) -> tuple[tuple[Goal, ...], int] | None:
        """A rule's body under unification with the caller's terms; None if constants clash."""
        names: dict[str, Term] = {}
        equal: list[Goal] = []
        for formal, actual in zip(rule.terms, terms, strict=True):
            if isinstance(formal, Variable):
                if formal.name not in names:
                    names[formal.name] = actual
                else:
                    equal.append(Compare("==", names[formal.name], actual))
            elif isinstance(actual, Variable):
                equal.append(Compare("==", actual, formal))
            elif actual != formal:
                return None
        for literal in rule.body:
            for name in variables(literal):
                if name not in names:
                    fresh += 1
                    names[name] = Variable(f"{name.split('__')[0]}__{fresh}")
        body = tuple(substitute(literal, names) for literal in rule.body)
        return (*equal, *body), fresh

    # ------------------------------------------------------------ settling

    def settle(
        self, alternatives: Iterable[Alternative], bound: frozenset[str], known: dict[str, Any]
    ) -> list[Alternative]:
        """Reduces alternatives as far as static knowledge goes; `known` gives dispatch values."""
        waiting = list(alternatives)[::-1]
        done: list[Alternative] = []
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
        for eager in (True, False):
            for position, goal in enumerate(goals):
                if isinstance(goal, Solved):
                    continue
                rest = alternative._replace(goals=goals[:position] + goals[position + 1 :])
                reduced = self._goal(goal, rest, position, bound, known, eager)
                if reduced is not None:
                    return reduced
        return None

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
                        return [self._substituted(rest, value.name, is_value)]
                    return [rest] if value == is_value else []
        elif isinstance(goal, Member) or (isinstance(goal, Compare) and goal.operator != "=="):
            if all(isinstance(t, Constant) for t in literal_terms(goal)) and not self._holds(goal):
                return []
        return None

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
            return None
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
                return [self._substituted(rest, one.name, other)]
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
            return [self._later(rest, goal, free)]
        return None

    def _later(self, rest: Alternative, item: Item, names: Iterable[str]) -> Alternative:
        """The alternative with one more dynamic item, which binds the names."""
        return rest._replace(
            dynamic=(*rest.dynamic, item),
            dynamic_names=rest.dynamic_names | frozenset(names),
        )

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
            return [self._substituted(rest, goal.target.name, Constant(result))]
        return [rest._replace(goals=(Compare("==", goal.target, Constant(result)), *rest.goals))]

    def _substituted(self, rest: Alternative, name: str, term: Term) -> Alternative:
        values = {name: term}

        def put(old: Term) -> Term:
            return term if isinstance(old, Variable) and old.name == name else old

        goals = tuple(
            Solved(g.relation, tuple(map(put, g.terms)), g.negated)
            if isinstance(g, Solved)
            else substitute(g, values)
            for g in rest.goals
        )
        return rest._replace(
            goals=goals,
            head=tuple(map(put, rest.head)),
            order=tuple(map(put, rest.order)),
        )

    # ------------------------------------------------------------ the phase parameter

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
        return self._split(goal, rest, position)

    def _split(self, goal: Goal, rest: Alternative, position: int) -> list[Alternative]:
        """One alternative per value of the phase parameter that is still possible."""
        whole = rest._replace(goals=(*rest.goals[:position], goal, *rest.goals[position:]))
        return [
            self._substituted(whole, PHASE, Constant(value))._replace(mask=1 << bit)
            for bit, value in enumerate(self.values)
            if rest.mask >> bit & 1
        ]

    # ------------------------------------------------------------ relations

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
            return self._derived(goal, rest, position, bound, known, eager, ready)
        if name in self.program.tables and name not in self.facts.names():
            if all(isinstance(t, Constant) for t in terms):
                row = tuple(t.value for t in terms if isinstance(t, Constant))
                return [rest] if (row in self.program.tables[name].rows) != goal.negated else []
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
        return [self._later(rest, goal, () if goal.negated else free)]

    def _parameter(self, term: Term, rest: Alternative) -> list[Alternative]:
        if isinstance(term, Constant):
            if term.value not in self.values:
                return []
            mask = rest.mask & 1 << self.values.index(term.value)  # type: ignore[arg-type]
            return [rest._replace(mask=mask)] if mask else []
        if term.name == PHASE:
            return [rest]
        return [self._substituted(rest, term.name, Variable(PHASE))]

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

    def _read(self, goal: Match, rest: Alternative, bound: frozenset[str]) -> list[Alternative]:
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
        if goal.negated and local:
            return [self._later(rest, Read(lattice, entity, value, "unset"), ())]
        if local and isinstance(value, Variable):
            after = self._later(rest, Read(lattice, entity, value, kind), (value.name,))
            return [after._replace(stored_names=after.stored_names | {value.name})]
        fresh = Variable(f"_r__{rest.fresh + 1}")
        kind = "view" if goal.negated else kind
        after = self._later(rest, Read(lattice, entity, fresh, kind), (fresh.name,))
        compare = Compare("!=" if goal.negated else "==", fresh, value)
        return [self._later(after, compare, ())._replace(fresh=rest.fresh + 1)]

    def _derived(
        self,
        goal: Match,
        rest: Alternative,
        position: int,
        bound: frozenset[str],
        known: dict[str, Any],
        eager: bool,
        ready: list[bool],
    ) -> list[Alternative] | None:
        name, terms = goal.relation, goal.terms
        inputs = len(self.declared.modes.get(name, ()))
        phased = any(isinstance(t, Variable) and t.name == PHASE for t in terms)
        given = [
            ok or (isinstance(t, Variable) and t.name == PHASE)
            for ok, t in zip(ready, terms, strict=True)
        ]
        if inputs and not all(given[:inputs]):
            return None
        dynamic = name in self.volatile or any(
            isinstance(t, Variable) and t.name in rest.dynamic_names for t in terms
        )
        if goal.negated and not dynamic and name in self.declared.stored:
            return None
        if goal.negated:
            return self._negated(goal, rest, position, bound, known, given, dynamic, phased)
        if not dynamic and (name in self.program.recursive or name in self.declared.stored):
            return None
        if not inputs and not any(given) and eager:
            return None
        rules = self.program.by_relation[name]
        aggregate = rules[0].aggregate if rules else None
        if aggregate is not None:
            if not all(given[:-1]):
                return None
            if not dynamic:
                return [rest._replace(goals=(Solved(name, terms), *rest.goals))]
            return self._aggregated(goal, rest, bound, known)
        if name in self.program.recursive:
            if not all(given[: inputs or 1]):
                return None
            if phased:
                return self._split(goal, rest, position)
            count = inputs or len(terms) - 1
            names = [
                t.name
                for t in terms[count:]
                if isinstance(t, Variable) and not self._has(t, bound, rest)
            ]
            return [self._later(rest, Live(name, terms, count, False), names)]
        return self._unfold(goal, rest, bound, known, given, dynamic, phased)

    @staticmethod
    def _has(term: Variable, bound: frozenset[str], rest: Alternative) -> bool:
        return term.name in bound or term.name in rest.dynamic_names

    def _unfold(
        self,
        goal: Match,
        rest: Alternative,
        bound: frozenset[str],
        known: dict[str, Any],
        given: list[bool],
        dynamic: bool,
        phased: bool,
    ) -> list[Alternative]:
        name, terms = goal.relation, goal.terms
        memo: Any = None
        if not dynamic and not phased:
            memo = (goal, tuple(given), tuple(known.get(n) for n in goal_names(goal)))
            verdict = self.verdicts.get(memo)
            if verdict is not None:
                return self._decided(verdict, goal, rest)
        parts = self.relation_alternatives(name, terms, rest)
        if not dynamic and not phased:
            settled = self.settle(parts, bound, known)
            self._judge(memo, settled, all(given), bound)
            if not settled:
                return []
            test = all(given)
            if test and any(not part.goals and not part.dynamic for part in settled):
                return [rest]
            if len(settled) > 1 or (test and self._enumerates(settled[0], bound)):
                if all(not part.goals for part in settled) and not test:
                    return [self._joined(rest, part, terms) for part in settled]
                return [rest._replace(goals=(Solved(name, terms), *rest.goals))]
            return [self._joined(rest, settled[0], terms)]
        if all(given) and not phased:
            settled = self.settle(parts, bound, known)
            if any(not part.goals and not part.dynamic for part in settled):
                return [rest]
            if len(settled) > 1 or (settled and self._enumerates(settled[0], bound)):
                return [self._later(rest, Block("any", tuple(settled)), ())]
            return [self._joined(rest, part, terms) for part in settled]
        return [self._joined(rest, part, terms) for part in parts]

    def _judge(
        self, memo: Any, settled: list[Alternative], test: bool, bound: frozenset[str]
    ) -> None:
        """Remembers what became of a static relation where that needs no fresh variable."""
        if not settled:
            self.verdicts[memo] = "never"
        elif test and any(not part.goals and not part.dynamic for part in settled):
            self.verdicts[memo] = "always"
        elif (len(settled) > 1 or (test and self._enumerates(settled[0], bound))) and (
            test or any(part.goals for part in settled)
        ):
            self.verdicts[memo] = "asked"

    def _decided(self, verdict: str, goal: Match, rest: Alternative) -> list[Alternative]:
        """The alternative after a remembered verdict on a goal."""
        if verdict == "never":
            return [rest] if goal.negated else []
        if verdict == "always":
            return [] if goal.negated else [rest]
        solved = Solved(goal.relation, goal.terms, goal.negated)
        return [rest._replace(goals=(solved, *rest.goals))]

    def _joined(self, rest: Alternative, part: Alternative, terms: Sequence[Term]) -> Alternative:
        """The caller's alternative with a part of an unfolded relation in the literal's place."""
        joined = rest._replace(
            goals=(*part.goals, *rest.goals),
            dynamic=rest.dynamic + part.dynamic,
            dynamic_names=rest.dynamic_names | part.dynamic_names,
            stored_names=rest.stored_names | part.stored_names,
            mask=rest.mask & part.mask,
            path=rest.path + part.path,
            fresh=max(rest.fresh, part.fresh),
        )
        for old, new in zip(terms, part.head, strict=True):
            if isinstance(old, Variable) and old != new:
                joined = self._substituted(joined, old.name, new)
        return joined

    def _enumerates(self, part: Alternative, bound: frozenset[str]) -> bool:
        """Whether a part may have several solutions for the same outer variables."""
        if any(isinstance(item, Live) for item in part.dynamic):
            return True
        names = set(bound) | part.dynamic_names
        pending = list(part.goals)
        while pending:
            for goal in pending:
                if self._single(goal, names):
                    names |= set(goal_names(goal))
                    pending.remove(goal)
                    break
            else:
                return True
        return False

    def _single(self, goal: Goal, names: set[str]) -> bool:
        """Whether a goal has at most one solution once the names are bound."""
        if isinstance(goal, Solved):
            return set(goal_names(goal)) <= names
        if isinstance(goal, Match):
            terms = goal.terms[:-1] if goal.functional and not goal.negated else goal.terms
            if goal.negated:
                return True
        elif isinstance(goal, Compute):
            terms = goal.arguments
        elif isinstance(goal, Compare) and goal.operator == "==":
            return len([n for n in goal_names(goal) if n not in names]) <= 1
        else:
            terms = literal_terms(goal)
        return all(not isinstance(t, Variable) or t.name in names for t in terms)

    def _negated(
        self,
        goal: Match,
        rest: Alternative,
        position: int,
        bound: frozenset[str],
        known: dict[str, Any],
        given: list[bool],
        dynamic: bool,
        phased: bool,
    ) -> list[Alternative] | None:
        outer = {n for g in rest.goals for n in goal_names(g)}
        outer |= {t.name for t in (*rest.head, *rest.order) if isinstance(t, Variable)}
        for term, ok in zip(goal.terms, given, strict=True):
            if isinstance(term, Variable) and not ok and term.name in outer:
                return None
        if phased:
            return self._split(goal, rest, position)
        memo: Any = None
        if not dynamic:
            memo = (goal, tuple(given), tuple(known.get(n) for n in goal_names(goal)))
            verdict = self.verdicts.get(memo)
            if verdict is not None:
                return self._decided(verdict, goal, rest)
        positive = Match(goal.relation, goal.terms, goal.functional)
        rules = self.program.by_relation[goal.relation]
        if (rules and rules[0].aggregate is not None) or goal.relation in self.program.recursive:
            if not dynamic:
                if goal.relation in self.program.recursive:
                    return None
                return [rest._replace(goals=(Solved(goal.relation, goal.terms, True), *rest.goals))]
            inner = Alternative(
                (positive,),
                (),
                mask=rest.mask,
                dynamic_names=rest.dynamic_names,
                stored_names=rest.stored_names,
                fresh=rest.fresh,
            )
            parts = [inner]
        else:
            parts = self.relation_alternatives(goal.relation, goal.terms, rest)
            parts = [part._replace(head=()) for part in parts]
        settled = self.settle(parts, bound, known)
        if any(
            not part.goals and not part.dynamic and part.mask & rest.mask == rest.mask
            for part in settled
        ):
            if memo is not None and rest.mask == self.full_mask:
                self.verdicts[memo] = "always"
            return []
        if not settled:
            if memo is not None:
                self.verdicts[memo] = "never"
            return [rest]
        if any(part.mask != rest.mask for part in settled):
            if rest.mask & (rest.mask - 1) == 0:
                settled = [part for part in settled if part.mask & rest.mask]
                if any(not part.goals and not part.dynamic for part in settled):
                    return []
                if not settled:
                    return [rest]
            else:
                whole = rest._replace(goals=(*rest.goals[:position], goal, *rest.goals[position:]))
                return [
                    whole._replace(mask=1 << bit)
                    for bit in range(len(self.values))
                    if rest.mask >> bit & 1
                ]
        if not dynamic:
            self.verdicts[memo] = "asked"
            return [rest._replace(goals=(Solved(goal.relation, goal.terms, True), *rest.goals))]
        return [self._later(rest, Block("neg", tuple(settled)), ())]

    def _aggregated(
        self, goal: Match, rest: Alternative, bound: frozenset[str], known: dict[str, Any]
    ) -> list[Alternative]:
        rules = self.program.by_relation[goal.relation]
        aggregate = rules[0].aggregate
        assert aggregate is not None
        parts = []
        fresh = rest.fresh
        for number, rule in enumerate(rules):
            assert rule.aggregate is not None
            made = self._unfolded_aggregate(rule, rule.aggregate, goal.terms[:-1], fresh)
            if made is None:
                continue
            goals, head, fresh = made
            parts.append(
                Alternative(
                    goals,
                    head,
                    mask=rest.mask,
                    dynamic_names=rest.dynamic_names,
                    stored_names=rest.stored_names,
                    path=(number,),
                    fresh=fresh,
                )
            )
        settled = self.settle(parts, bound, known)
        value = goal.terms[-1]
        names: list[str] = []
        after = rest
        if isinstance(value, Constant) or self._has(value, bound, rest):
            fresh += 1
            bind: Term = Variable(f"_a__{fresh}")
            after = after._replace(goals=(Compare("==", bind, value), *after.goals))
        else:
            bind = value
        if isinstance(bind, Variable):
            names = [bind.name]
        block = Block("agg", tuple(settled), bind, aggregate)
        return [self._later(after, block, names)._replace(fresh=fresh)]

    def _unfolded_aggregate(
        self, rule: Rule, aggregate: Aggregate, keys: Sequence[Term], fresh: int
    ) -> tuple[tuple[Goal, ...], tuple[Term, ...], int] | None:
        """An aggregate rule's body with (value, *order) as its head."""
        inner = (aggregate.term, *aggregate.order_by)
        formal = Rule(
            rule.relation, (*rule.terms[:-1], *inner), rule.body, False, rule.span, rule.name
        )
        names: dict[str, Term] = {}
        actual: list[Term] = list(keys)
        for term in inner:
            if term.name not in names:
                fresh += 1
                names[term.name] = Variable(f"{term.name}__{fresh}")
            actual.append(names[term.name])
        made = self._unfolded(formal, actual, fresh)
        if made is None:
            return None
        goals, fresh = made
        return goals, tuple(actual[len(keys) :]), fresh

    # ------------------------------------------------------------ dispatch

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

    def _unsupported(self, goal: Goal, message: str) -> RuleError:
        rules = self.program.by_relation.get(getattr(goal, "relation", ""), [])
        span = (rules or self.program.rules)[0].span
        return RuleError([Problem(span, f"{goal} {message}")])
