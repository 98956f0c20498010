"""Partial evaluation of rule bodies: unfolds derived relations into their rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from shardlog.engine.alternatives import (
    PHASE,
    Alternative,
    Block,
    Live,
    Solved,
    goal_names,
    later,
)
from shardlog.engine.bodies import enumerates, joined
from shardlog.engine.syntax import Compare, Constant, Match, Term, Variable

if TYPE_CHECKING:
    from shardlog.engine.settling import Settler


class Unfolder:
    """Puts the rules of derived relations in the place of literals, for one settler."""

    def __init__(self, settler: Settler) -> None:
        self.settler = settler
        self.program, self.declared = settler.program, settler.declared
        self.bodies = settler.bodies
        self.verdicts: dict[Any, str] = {}
        self.nested: dict[Any, list[Alternative]] = {}

    def __getstate__(self) -> dict[str, Any]:
        # what it remembers is found again, and takes longer to keep
        return {**self.__dict__, "verdicts": {}, "nested": {}}

    def derived(
        self,
        goal: Match,
        rest: Alternative,
        position: int,
        bound: frozenset[str],
        known: dict[str, Any],
        eager: bool,
        ready: list[bool],
    ) -> list[Alternative] | None:
        """The alternatives after a literal of a derived relation, or None if it must wait.

        `ready` says which terms are known; unless it is `eager`, a literal of which nothing is
        known is taken too. `position` is the literal's among the goals.
        """
        name, terms = goal.relation, goal.terms
        phased = any(isinstance(t, Variable) and t.name == PHASE for t in terms)
        given = [
            ok or (isinstance(t, Variable) and t.name == PHASE)
            for ok, t in zip(ready, terms, strict=True)
        ]
        needs = self.settler.needs[name]
        if not all(given[position] for position in needs):
            return None
        dynamic = name in self.settler.volatile or any(
            isinstance(t, Variable) and t.name in rest.dynamic_names for t in terms
        )
        if phased and not dynamic and self._asked_whole(name):
            # what is found before the run is asked for each value by itself
            return self.settler.split(goal, rest, position)
        if goal.negated and not dynamic and name in self.declared.stored:
            return None
        if not dynamic and name in self.declared.shared:
            return self._shared(goal, rest, given)
        if goal.negated:
            return self._negated(goal, rest, position, bound, known, given, dynamic, phased)
        if not dynamic and (name in self.program.bottom_up or name in self.declared.stored):
            return None
        if not dynamic and name in self.program.recursive:
            if not all(given[:-1]):
                return None
            return [rest._replace(goals=(Solved(name, terms, False, goal.place), *rest.goals))]
        keys = given[:-1] if goal.functional and len(given) > 1 else given
        if not needs and not any(keys) and eager:
            return None
        rules = self.program.by_relation[name]
        aggregate = rules[0].aggregate if rules else None
        if aggregate is not None:
            if not all(given[:-1]) and (eager or dynamic):
                return None
            if not dynamic:
                return [rest._replace(goals=(Solved(name, terms, False, goal.place), *rest.goals))]
            return self._aggregated(goal, rest, bound, known)
        if name in self.program.recursive:
            if not needs and not any(keys):
                return None
            asks = name in self.settler.phased
            if phased or (asks and rest.mask & (rest.mask - 1)):
                return self.settler.split(goal, rest, position)
            names = [
                t.name
                for t, ok in zip(terms, given, strict=True)
                if isinstance(t, Variable) and not ok
            ]
            live = Live(name, terms, tuple(given), rest.mask if asks else 0)
            return [later(rest, live, names)]
        return self._unfold(goal, rest, bound, known, given, dynamic, phased)

    def _asked_whole(self, name: str) -> bool:
        """Whether a static relation is found by a function or table of its own."""
        rules = self.program.by_relation[name]
        known = self.declared.stored | self.declared.shared | set(self.program.bottom_up)
        return name in known or bool(rules and rules[0].aggregate is not None)

    @staticmethod
    def _shared(goal: Match, rest: Alternative, given: list[bool]) -> list[Alternative] | None:
        """The alternative that asks a function of the relation's own, once it is known of whom."""
        if not given[0]:
            return None
        solved = Solved(goal.relation, goal.terms, goal.negated, goal.place)
        return [rest._replace(goals=(solved, *rest.goals))]

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
        nested = self._nested(goal, rest, bound, known) if all(given) else None
        if nested is not None and phased:
            if len(nested) == 1 and not enumerates(nested[0], bound):
                return [joined(rest, nested[0], terms)]
            return self.settler.split(goal, rest, 0) if nested else []
        if nested is not None and dynamic:
            return self._tested(goal, rest, bound, nested)
        parts = self.bodies.relation_alternatives(name, terms, rest, goal.place, goal.quiet)
        if not dynamic:
            parts = [part._replace(path=()) for part in parts]
        if not dynamic and not phased:
            settled = nested if nested is not None else self.settler.settle(parts, bound, known)
            self._judge(memo, settled, all(given), bound)
            if not settled:
                return []
            test = all(given)
            if test and any(not part.goals and not part.dynamic for part in settled):
                return [rest]
            if len(settled) > 1 or (test and enumerates(settled[0], bound)):
                if all(not part.goals for part in settled) and not test:
                    return [joined(rest, part, terms) for part in settled]
                return [rest._replace(goals=(Solved(name, terms, False, goal.place), *rest.goals))]
            return [joined(rest, settled[0], terms)]
        return [joined(rest, part, terms) for part in parts]

    def _nested(
        self,
        goal: Match,
        rest: Alternative,
        bound: frozenset[str],
        known: dict[str, Any],
    ) -> list[Alternative]:
        """The settled body of a relation all of whose terms are given, remembered."""
        classes = tuple(known.get(n) for n in goal_names(goal))
        key = (goal, classes, rest.mask, rest.fresh, rest.dynamic_names, rest.stored_names)
        if key not in self.nested:
            quiet = goal.quiet or goal.relation not in self.program.transparent
            parts = self.bodies.relation_alternatives(goal.relation, goal.terms, rest, (), quiet)
            parts = [part._replace(path=()) for part in parts]
            self.nested[key] = self.settler.settle(parts, bound, known)
        return self.nested[key]

    def _tested(
        self, goal: Match, rest: Alternative, bound: frozenset[str], settled: list[Alternative]
    ) -> list[Alternative]:
        """The alternative after a volatile relation that binds nothing: a nested test, or inline.

        It is inline where it is a matter of at most one solution.
        """
        if len(settled) == 1 and not enumerates(settled[0], bound):
            return [joined(rest, settled[0], goal.terms)]
        if self._waits_for_phase(settled, rest.mask):
            return self.settler.split(goal, rest, 0)
        if any(not part.goals and not part.dynamic for part in settled):
            return [rest]
        if len(settled) > 1 or (settled and enumerates(settled[0], bound)):
            return [self._blocked(rest, "any", settled)]
        return [joined(rest, part, goal.terms) for part in settled]

    @staticmethod
    def _blocked(rest: Alternative, kind: str, settled: Sequence[Alternative]) -> Alternative:
        """The alternative with a nested body, whose names it will not use for anything else."""
        after = later(rest, Block(kind, tuple(settled)), ())
        return after._replace(fresh=max(rest.fresh, *(part.fresh for part in settled)))

    def _waits_for_phase(self, parts: Sequence[Alternative], mask: int) -> bool:
        """Whether a nested body counts differently in the phases for which its surroundings do."""
        if mask & (mask - 1) == 0:
            return False
        return any(
            part.mask != mask
            or any(
                (isinstance(goal, Match) and goal.relation in self.settler.phased)
                or PHASE in goal_names(goal)
                for goal in part.goals
            )
            for part in parts
        )

    def _judge(
        self, memo: Any, settled: list[Alternative], test: bool, bound: frozenset[str]
    ) -> None:
        """Remembers what became of a static relation where that needs no fresh variable."""
        if not settled:
            self.verdicts[memo] = "never"
        elif test and any(not part.goals and not part.dynamic for part in settled):
            self.verdicts[memo] = "always"
        elif (len(settled) > 1 or (test and enumerates(settled[0], bound))) and (
            test or any(part.goals for part in settled)
        ):
            self.verdicts[memo] = "asked"

    def _decided(self, verdict: str, goal: Match, rest: Alternative) -> list[Alternative]:
        """The alternative after a remembered verdict on a goal."""
        if verdict == "never":
            return [rest] if goal.negated else []
        if verdict == "always":
            return [] if goal.negated else [rest]
        solved = Solved(goal.relation, goal.terms, goal.negated, goal.place)
        return [rest._replace(goals=(solved, *rest.goals))]

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
        outer = rest.outer_names()
        for term, ok in zip(goal.terms, given, strict=True):
            if isinstance(term, Variable) and not ok and term.name in outer:
                return None
        if phased:
            return self.settler.split(goal, rest, position)
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
                if goal.relation in self.program.bottom_up:
                    return None
                return [
                    rest._replace(
                        goals=(Solved(goal.relation, goal.terms, True, goal.place), *rest.goals)
                    )
                ]
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
            parts = self.bodies.relation_alternatives(goal.relation, goal.terms, rest, (), True)
            parts = [part._replace(head=(), path=()) for part in parts]
        settled = self.settler.settle(parts, bound, known)
        if any(
            not part.goals and not part.dynamic and part.mask & rest.mask == rest.mask
            for part in settled
        ):
            if memo is not None and rest.mask == self.settler.full_mask:
                self.verdicts[memo] = "always"
            return []
        if not settled:
            if memo is not None:
                self.verdicts[memo] = "never"
            return [rest]
        if self._waits_for_phase(settled, rest.mask):
            return self.settler.split(goal, rest, position)
        if not dynamic:
            self.verdicts[memo] = "asked"
            return [
                rest._replace(
                    goals=(Solved(goal.relation, goal.terms, True, goal.place), *rest.goals)
                )
            ]
        return [self._blocked(rest, "neg", settled)]

    def _aggregated(
        self, goal: Match, rest: Alternative, bound: frozenset[str], known: dict[str, Any]
    ) -> list[Alternative]:
        rules = self.program.by_relation[goal.relation]
        aggregate = rules[0].aggregate
        assert aggregate is not None
        parts = []
        fresh = rest.fresh
        for rule in rules:
            assert rule.aggregate is not None
            keys = goal.terms[:-1]
            made = self.bodies.aggregate_body(rule, rule.aggregate, keys, fresh, goal.quiet)
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
                    fresh=fresh,
                )
            )
        settled = self.settler.settle(parts, bound, known)
        if not settled:
            return []
        if self._waits_for_phase(settled, rest.mask):
            return self.settler.split(goal, rest, 0)
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
        block = Block("agg", tuple(settled), bind, aggregate, goal.quiet)
        fresh = max(fresh, *(part.fresh for part in settled)) if settled else fresh
        return [later(after, block, names)._replace(fresh=fresh)]
