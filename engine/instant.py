"""Relations as they stand at one instant, by direct evaluation; part of the plain interpreter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from shardlog.engine.errors import EvaluationError
from shardlog.engine.fold import fold
from shardlog.engine.program import Program
from shardlog.engine.relations import AnyTable, Facts, Table
from shardlog.engine.solver import BodySolver, Environment, is_bound, same, value_of
from shardlog.engine.syntax import Match, Rule, Variable

Row = tuple[Any, ...]
Known = tuple[tuple[int, Any], ...]


class Instant:
    """What holds now: `state` may change, lattices that are not `live` and all facts may not.

    `values` are those that the phase parameter has now: one in a round, all of them elsewhere.
    """

    def __init__(
        self,
        program: Program,
        facts: Facts,
        state: dict[str, list[Any]],
        live: Sequence[str],
    ) -> None:
        self.program, self.declared, self.facts = program, program.declared, facts
        self.state, self.live = state, tuple(live)
        self.values: tuple[int, ...] = ()
        self.volatile = program.volatile(set(self.declared.lattices) - set(live))
        self.solver = BodySolver(program.functions, program.tests, self.declared.modes)
        self.stored: dict[str, Table] = {}

    def lookup(self, relation: str, known: Known, literal: Match | None = None) -> Sequence[Row]:
        """The rows of a relation that agree with (position, value) pairs, or more."""
        del literal
        declared = self.declared
        given = dict(known)
        if relation == declared.parameter:
            return [(value,) for value in self.values]
        if relation in self.state or relation in declared.views:
            return list(self._lattice(relation, given))
        if self.program.by_relation.get(relation):
            if relation in self.volatile or relation in declared.modes:
                return self.evaluate(relation, known)
            if relation not in self.stored:
                self._store(relation)
            return self._from_table(self.stored[relation], known)
        return list(self._base(relation, given, known))

    def rows(self, relation: str) -> list[Row]:
        """All rows of a relation that takes no inputs."""
        return [tuple(row) for row in self.lookup(relation, ())]

    def value(self, relation: str, *keys: Any) -> Any:
        """The value of a functional relation, or None."""
        for row in self.lookup(relation, tuple(enumerate(keys))):
            if all(same(a, b) for a, b in zip(row, keys, strict=False)):
                return row[-1]
        return None

    # ------------------------------------------------------------ base relations

    def _entities(self, given: dict[int, Any]) -> Sequence[int]:
        if 0 not in given:
            return range(self.facts.entity_count)
        entity = given[0]
        there = isinstance(entity, int) and 0 <= entity < self.facts.entity_count
        return [entity] if there else []

    def _lattice(self, relation: str, given: dict[int, Any]) -> Iterator[Row]:
        """A lattice has rows for what is set, a view has one for every entity."""
        is_view = relation in self.declared.views
        column = self.state[self.declared.views[relation] if is_view else relation]
        for entity in self._entities(given):
            if is_view or column[entity] is not None:
                yield entity, column[entity]

    def _base(self, relation: str, given: dict[int, Any], known: Known) -> Iterator[Row]:
        facts = self.facts
        if relation in facts.columns:
            for entity in self._entities(given):
                value = facts.columns[relation][entity]
                if value is not None:
                    yield entity, value
        elif relation in facts.rows:
            for entity in self._entities(given):
                for place, value in enumerate(facts.rows[relation][entity]):
                    yield entity, place, value
        elif relation in facts.constants:
            yield from facts.constants[relation].items()
        else:
            for tables in (facts.tables, self.program.tables):
                if relation in tables:
                    yield from self._from_table(tables[relation], known)

    @staticmethod
    def _from_table(table: AnyTable, known: Known) -> Sequence[Row]:
        return table.lookup(tuple(p for p, _ in known), tuple(v for _, v in known))

    # ------------------------------------------------------------ derived relations

    def _store(self, relation: str) -> None:
        """Evaluates a static relation, and all that are recursive with it, bottom up."""
        components = self.program.components
        component = next(c for c in components if relation in c)
        for name in component:
            rule = self.program.by_relation[name][0]
            self.stored[name] = Table(len(rule.terms), rule.functional)
        changed = True
        while changed:
            changed = False
            for name in component:
                for row in self.evaluate(name, ()):
                    changed |= self.stored[name].add(row)
            if relation not in self.program.recursive:
                break

    def evaluate(self, relation: str, known: Known) -> list[Row]:
        """The rows that the rules of a relation give now, among those that agree with `known`.

        Raises EvaluationError if they give a functional relation two values for the same keys.
        """
        rules = self.program.by_relation[relation]
        if rules[0].aggregate is not None:
            return self._aggregated(rules, known)
        rows: dict[Row, None] = {}
        for rule in rules:
            start = unified(rule, known)
            if start is not None:
                for found in self.solver.solve(rule.body, start, self.lookup):
                    rows[tuple(value_of(term, found) for term in rule.terms)] = None
        if rules[0].functional:
            values: dict[Row, Any] = {}
            for row in rows:
                if not same(values.setdefault(row[:-1], row[-1]), row[-1]):
                    raise EvaluationError(
                        f"{rules[0].span}: {relation}{list(row[:-1])} has the values "
                        f"{values[row[:-1]]} and {row[-1]}"
                    )
        return list(rows)

    def _aggregated(self, rules: Sequence[Rule], known: Known) -> list[Row]:
        width = len(rules[0].terms) - 1
        groups: dict[Row, list[Row]] = {}
        for rule in rules:
            start = unified(rule, tuple(pair for pair in known if pair[0] < width))
            aggregate = rule.aggregate
            if start is None or aggregate is None:
                continue
            for found in self.solver.solve(rule.body, start, self.lookup):
                key = tuple(value_of(term, found) for term in rule.terms[:-1])
                row = (aggregate.term, *aggregate.order_by)
                groups.setdefault(key, []).append(tuple(value_of(term, found) for term in row))
        aggregate = rules[0].aggregate
        assert aggregate is not None
        return [(*key, fold(aggregate, found)) for key, found in groups.items()]


def unified(rule: Rule, known: Known) -> Environment | None:
    """The variables of a rule's head under known terms, or None if they cannot agree."""
    environment: Environment = {}
    for place, value in known:
        term = rule.terms[place]
        if is_bound(term, environment):
            if not same(value_of(term, environment), value):
                return None
        elif isinstance(term, Variable):
            environment[term.name] = value
    return environment
