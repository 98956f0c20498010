"""What a compiled program answers: look-ups and rows of relations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from shardlog.engine.alternatives import Alternative, Goal
from shardlog.engine.fold import fold
from shardlog.engine.kinds import KindTable, TracedKinds
from shardlog.engine.leaves import SolveLeaf
from shardlog.engine.relations import LazyTable, Table
from shardlog.engine.seminaive import evaluate
from shardlog.engine.syntax import Match, Rule, Variable
from shardlog.engine.tables import Memo, UnaryMemo
from shardlog.engine.traced import Column, Rows, TracedHelper, TracedTable

if TYPE_CHECKING:
    from shardlog.engine.compiler import Compiler


class Answers:
    """Relations as generated code and callers see them, for one compiler."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler
        self.program, self.declared = compiler.program, compiler.declared
        self.names, self.relations = compiler.names, compiler.relations
        self.namespace = compiler.namespace
        self.helpers: dict[tuple[str, tuple[bool, ...]], str] = {}
        self.live: dict[tuple[str, tuple[bool, ...], int], str] = {}
        self.lasting: dict[str, bool] = {}

    # ------------------------------------------------------------ for callers

    def ask(self, relation: str, *keys: Any) -> Any:
        """The value of a static functional relation, or None."""
        constants = self.compiler.facts.constants
        if relation in constants:
            return constants[relation].get(keys[0])
        if relation in self.program.by_relation and relation not in self.compiler.frozen:
            return self._derive(relation, *keys)
        self.know(relation)
        kind, name = self.relations.known[relation]
        held = self.namespace[name]
        if kind in ("column", "view"):
            return held[keys[0]]
        if kind == "rows":
            row = held[keys[0]]
            return row[keys[1]] if 0 <= keys[1] < len(row) else None
        rows = held.lookup(tuple(range(len(keys))), keys)
        return rows[0][-1] if rows else None

    def _derive(self, relation: str, *keys: Any) -> Any:
        if not self.program.by_relation[relation]:
            return None
        helper = self.namespace[self.helper(relation, (*(True for _ in keys), False))]
        return helper[keys[0] if len(keys) == 1 else keys]

    def rows(self, relation: str) -> list[tuple[Any, ...]]:
        """All rows of a static relation. Raises RuleError if it takes inputs."""
        rules = self.program.by_relation.get(relation)
        if not rules or relation in self.compiler.state:
            return [tuple(row) for row in self._base_rows(relation)]
        if relation in self.declared.modes:
            message = f"{relation} is asked for given terms only, it has no rows of its own"
            raise self.compiler.wrong(rules[0], message)
        if relation in self.program.bottom_up:
            return list(self.materialised(relation).rows)
        return list(self.namespace[self.helper(relation, (False,) * len(rules[0].terms))][()])

    def _base_rows(self, relation: str) -> Iterable[tuple[Any, ...]]:
        facts = self.compiler.facts
        if relation in facts.columns:
            column = facts.columns[relation]
            for entity in range(facts.entity_count):
                if column[entity] is not None:
                    yield entity, column[entity]
        elif relation in facts.rows:
            for entity, row in enumerate(facts.rows[relation]):
                for position, value in enumerate(row):
                    yield entity, position, value
        elif relation in facts.constants:
            yield from facts.constants[relation].items()
        elif relation in self.compiler.state or relation in self.declared.views:
            lattice = self.declared.views.get(relation, relation)
            for entity, value in enumerate(self.compiler.state[lattice][: facts.entity_count]):
                if value is not None or lattice != relation:
                    yield entity, value
        else:
            held = [tables.get(relation) for tables in (facts.tables, self.program.tables)]
            yield from dict.fromkeys(row for table in held if table for row in table.rows)

    def _find(
        self, relation: str, known: tuple[tuple[int, Any], ...]
    ) -> Sequence[tuple[Any, ...]] | None:
        """The rows of a column or indexed column that agree with known terms, by index."""
        facts, terms = self.compiler.facts, dict(known)
        if relation in facts.columns:
            if 0 in terms:
                value = facts.columns[relation][terms[0]]
                return [] if value is None else [(terms[0], value)]
            if 1 in terms:
                self.know(relation)
                index = self.namespace[self.relations.inverted(relation)]
                return [(entity, terms[1]) for entity in index.get(terms[1], ())]
        elif relation in facts.rows and 0 in terms:
            row = facts.rows[relation][terms[0]]
            return [(terms[0], place, value) for place, value in enumerate(row)]
        elif relation in facts.rows and 2 in terms:
            self.know(relation)
            index = self.namespace[self.relations.inverted(relation)]
            return [(entity, place, terms[2]) for entity, place in index.get(terms[2], ())]
        return None

    # ------------------------------------------------------------ derived relations

    def helper(self, relation: str, pattern: tuple[bool, ...]) -> str:
        """The name of a memo that answers a static derived relation for bound positions.

        The key is the one given term, or the tuple of all. The value is True or None with nothing
        free, the value or None for a functional relation with only its value free, and a tuple of
        rows of the free terms otherwise.
        """
        key = (relation, pattern)
        if key in self.helpers:
            return self.helpers[key]
        name = self.names.fresh(f"s_{relation}_")
        self.helpers[key] = name
        parameters = [f"P{n}" for n, ok in enumerate(pattern) if ok]
        terms = [Variable(f"P{n}" if ok else f"Q{n}") for n, ok in enumerate(pattern)]
        rules = self.program.by_relation[relation]
        free = [t for t, ok in zip(terms, pattern, strict=True) if not ok]
        functional = bool(rules) and rules[0].functional
        single = functional and len(free) == 1 and not pattern[-1]
        if rules and rules[0].aggregate is not None:
            function = self._aggregate_helper(rules, terms, pattern)
        else:
            kind = "test" if not free else ("first" if single else "rows")
            leaf = SolveLeaf(self.compiler, rules, kind)
            alternatives = [
                a._replace(head=tuple(a.head[p] for p, ok in enumerate(pattern) if not ok))
                for a in self.compiler.settler.bodies.relation_alternatives(relation, terms)
            ]
            function = self.compiler.dispatched(parameters, alternatives, leaf, {})
        unary = len(parameters) == 1
        memo: dict[Any, Any] = (UnaryMemo if unary else Memo)(function, relation)
        stand_ins = self.compiler.stand_ins
        stand_ins.add(name, memo, TracedHelper(stand_ins.tracer, name, memo, unary))
        self.compiler.perishable.append(memo)
        return name

    def _aggregate_helper(
        self, rules: Sequence[Rule], terms: Sequence[Variable], pattern: tuple[bool, ...]
    ) -> Callable[..., Any]:
        settler = self.compiler.settler
        aggregate = rules[0].aggregate
        assert aggregate is not None
        keys_bound = all(pattern[:-1])
        alternatives = []
        for rule in rules:
            assert rule.aggregate is not None
            made = settler.bodies.aggregate_body(rule, rule.aggregate, terms[:-1], 0)
            if made is not None:
                goals, head, fresh = made
                keys = () if keys_bound else tuple(terms[:-1])
                full = settler.full_mask
                alternatives.append(Alternative(goals, keys + head, mask=full, fresh=fresh))
        leaf = SolveLeaf(self.compiler, rules, "rows")
        keys_given = [t.name for t in terms[:-1]] if keys_bound else []
        solve = self.compiler.dispatched(keys_given, alternatives, leaf, {})
        if keys_bound and not pattern[-1]:
            return lambda *arguments: fold(aggregate, solve(*arguments))
        if keys_bound:
            return lambda *arguments: (
                True if fold(aggregate, solve(*arguments[:-1])) == arguments[-1] else None
            )
        if any(pattern):
            name = self.helper(rules[0].relation, (False,) * len(pattern))
            return lambda *arguments: _selected(self.namespace[name][()], pattern, arguments)
        width = len(terms) - 1

        def grouped() -> tuple[tuple[Any, ...], ...]:
            groups: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
            for row in solve():
                groups.setdefault(row[:width], []).append(row[width:])
            return tuple((*key, fold(aggregate, tuple(found))) for key, found in groups.items())

        return grouped

    def live_function(self, relation: str, given: tuple[bool, ...], mask: int) -> str:
        """The name of a function that solves a recursive relation at the instant.

        It takes the terms that are given and returns rows of the others; `mask` is that of the
        phase, or 0 for any.
        """
        key = (relation, given, mask)
        if key not in self.live:
            name = self.live[key] = self.names.fresh(f"live_{relation}_")
            terms = [Variable(f"P{n}" if ok else f"Q{n}") for n, ok in enumerate(given)]
            settler = self.compiler.settler
            start = Alternative((), (), mask=mask or settler.full_mask)
            alternatives = [
                a._replace(head=tuple(t for t, ok in zip(a.head, given, strict=True) if not ok))
                for a in settler.bodies.relation_alternatives(relation, terms, start)
            ]
            rules = self.program.by_relation[relation]
            leaf = SolveLeaf(self.compiler, rules, "rows", live=True)
            parameters = [t.name for t, ok in zip(terms, given, strict=True) if ok]
            self.namespace[name] = self.compiler.dispatched(parameters, alternatives, leaf, {})
        return self.live[key]

    # ------------------------------------------------------------ base relations

    def know_of(self, goal: Goal) -> None:
        """Makes the relation of a goal, if it is one over rows, known to generated code."""
        if isinstance(goal, Match):
            self.know(goal.relation)

    def know(self, relation: str) -> None:
        """Makes a base, stored or frozen relation known to generated code."""
        if relation in self.relations.known or relation in self.compiler.settler.volatile:
            return
        self.bind(relation)

    def bind(self, relation: str) -> None:
        """Gives a relation's name in generated code the rows that it has now."""
        facts = self.compiler.facts
        if relation in self.compiler.frozen:
            self._add(relation, "column", self.compiler.state[relation])
        elif self.declared.views.get(relation) in self.compiler.frozen:
            self._add(relation, "view", self.compiler.state[self.declared.views[relation]])
        elif relation in facts.columns:
            self._add(relation, "column", facts.columns[relation])
        elif relation in facts.rows:
            self._add(relation, "rows", facts.rows[relation])
        elif relation in facts.tables:
            table = facts.tables[relation]
            if relation in self.program.tables:
                # a rule file may add rows to those that come with the facts
                given, table = table, Table(table.arity, table.functional)
                for row in (*given.rows, *self.program.tables[relation].rows):
                    table.add(row)
            self._add(relation, "table", table)
        elif relation in facts.constants:
            rows = Table(2, True)
            for row in facts.constants[relation].items():
                rows.add(row)
            self._add(relation, "table", rows)
        elif relation in self.program.bottom_up or relation in self.declared.stored:
            self._add(relation, "table", LazyTable(lambda: self.materialised(relation)))
        elif relation in self.program.tables:
            self._add(relation, "table", self.program.tables[relation])
        elif relation not in self.program.by_relation:
            empty = Table(*self.program.base.get(relation, (0, False)))
            self._add(relation, "table", empty)

    def _add(self, relation: str, kind: str, value: Any) -> None:
        tracer, refers = self.compiler.stand_ins.tracer, self.compiler.sharing.refers
        places = refers.get(relation, frozenset())

        def other(name: str) -> Any:
            if kind == "rows":
                return Rows(tracer, name, value, 2 in places)
            if isinstance(value, KindTable) and value.told:
                return TracedKinds(tracer, value)
            if kind == "table":
                mentions = self.compiler.sharing.mentions.get(relation, ())
                facts = self.compiler.facts
                given = relation in self.program.tables and relation not in facts.tables
                lasting = given or relation in facts.constants or self.unchanging(relation)
                return TracedTable(tracer, name, value, places, mentions, lasting)
            if 1 in places:
                return Column(tracer, name, value, "reference")
            coloured = relation in self.compiler.sharing.coloured or kind == "view"
            if relation in self.compiler.frozen:
                coloured = True
            return Column(tracer, name, value, "colour" if coloured else "value")

        self.relations.add(relation, kind, value, other)

    def unchanging(self, relation: str) -> bool:
        """Whether a relation follows from the rules alone, whatever the facts are."""
        known = self.lasting.get(relation)
        if known is None:
            self.lasting[relation] = False  # as long as it is looked into
            facts, rules = self.compiler.facts, self.program.by_relation.get(relation)
            if rules:
                known = all(
                    not isinstance(literal, Match) or self.unchanging(literal.relation)
                    for rule in rules
                    for literal in rule.body
                )
            else:
                known = relation in self.program.tables and facts.signature(relation) is None
            self.lasting[relation] = known
        return known

    def materialised(self, relation: str) -> Table:
        """All rows of a stored or recursive static relation."""
        with self.compiler.stand_ins.suspended():
            return self._materialised(relation)

    def _materialised(self, relation: str) -> Table:
        if relation not in self.program.bottom_up:
            rules = self.program.by_relation[relation]
            table = Table(len(rules[0].terms) if rules else 0, bool(rules) and rules[0].functional)
            if rules:
                found = self.namespace[self.helper(relation, (False,) * table.arity)][()]
                for row in found or ():
                    table.add(row)
            return table
        component = next(c for c in self.program.components if relation in c)
        return evaluate(self.program, component, self.rows, self._find)[relation]


def _selected(
    rows: Sequence[tuple[Any, ...]], pattern: tuple[bool, ...], given: tuple[Any, ...]
) -> tuple[tuple[Any, ...], ...]:
    """The free terms of the rows that agree with those given."""
    known = [place for place, ok in enumerate(pattern) if ok]
    free = [place for place, ok in enumerate(pattern) if not ok]
    wanted = list(zip(known, given, strict=True))
    return tuple(
        tuple(row[place] for place in free)
        for row in rows
        if all(row[place] == value for place, value in wanted)
    )
