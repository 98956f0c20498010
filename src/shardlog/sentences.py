"""What a rule says of one of its applications: its `says` template with the names put in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from shardlog.engine import Facts, Record, Rule, Saturated
from shardlog.engine.syntax import Constant, Match, Term, Variable

__all__ = ["Sentences"]

_PLACE = re.compile(r"\{([A-Z_]\w*)\}")


class Sentences:
    """Fills the templates of a run's rules.

    A record tells who changed and which instructions the rule read, but not which variable stood
    for which. That is found again from the relations that no sharding enters: `{O}` is the
    contributor that fits the literals about O in the rule's body.
    """

    def __init__(self, saturated: Saturated, name: Callable[[int], str]) -> None:
        self._saturated = saturated
        self._facts: Facts = saturated.facts
        self._name = name
        self._derived: dict[str, Sequence[tuple[Any, ...]]] = {}

    def of(self, record: Record) -> str:
        """Return what the rule of a record says, with names and shardings in place of variables.

        A variable that cannot be told stands as it is, without braces.
        """
        rule = record.rule
        if not rule.says:
            return ""
        known = self._head(rule, record)
        wanted = [name for name in dict.fromkeys(_PLACE.findall(rule.says)) if name not in known]
        for name in wanted:
            entity = self._entity(rule, name, known, record.contributors)
            if entity is not None:
                known[name] = entity

        def put(place: re.Match[str]) -> str:
            value = known.get(place[1])
            if value is None:
                return place[1]
            return self._name(value) if isinstance(value, int) else str(value)

        return _PLACE.sub(put, rule.says)

    def _head(self, rule: Rule, record: Record) -> dict[str, Any]:
        """The variables that the head binds: who changed, and to what."""
        known: dict[str, Any] = {}
        last = rule.terms[-1]
        if isinstance(last, Variable):
            known[last.name] = record.new
        # a rule about a pair has both in its head, and the record is about one of them
        for term in rule.terms[:-1]:
            if isinstance(term, Variable) and self._fits(rule, term.name, record.entity, known):
                known[term.name] = record.entity
                break
        return known

    def _fits(self, rule: Rule, name: str, entity: int, known: dict[str, Any]) -> bool:
        """Whether no literal of the body speaks against an entity for a variable."""
        bound = {**known, name: entity}
        return all(self._may_hold(literal, bound) for literal in _about(rule, name))

    def _entity(
        self, rule: Rule, name: str, known: dict[str, Any], contributors: Iterable[int]
    ) -> int | None:
        """The entity that a variable of the body stands for, or None if that cannot be told."""
        for entity in contributors:
            if self._fits(rule, name, entity, known):
                return entity
        for literal in _about(rule, name):
            place = next(i for i, term in enumerate(literal.terms) if _is(term, name))
            for row in self._rows(literal, known):
                if isinstance(row[place], int) and self._fits(rule, name, row[place], known):
                    return int(row[place])
        return None

    def _may_hold(self, literal: Match, bound: dict[str, Any]) -> bool:
        """Whether a literal has a row for what is bound; yes for one that reads shardings."""
        relation = literal.relation
        if relation in self._facts.names() or relation in self._saturated.program.declared.stored:
            return any(True for _ in self._rows(literal, bound))
        return True

    def _rows(self, literal: Match, bound: dict[str, Any]) -> Iterable[tuple[Any, ...]]:
        """The rows of a relation without shardings that agree with what is bound."""
        fixed = [_value(term, bound) for term in literal.terms]
        for row in self._source(literal.relation, fixed[0]):
            if all(want is None or want == got for want, got in zip(fixed, row, strict=True)):
                yield row

    def _source(self, relation: str, first: Any) -> Iterable[tuple[Any, ...]]:
        facts = self._facts
        if relation in facts.columns:
            entities = range(facts.entity_count) if first is None else (first,)
            column = facts.columns[relation]
            return ((e, column[e]) for e in entities if column[e] is not None)
        if relation in facts.rows:
            entities = range(facts.entity_count) if first is None else (first,)
            rows = facts.rows[relation]
            return ((e, place, value) for e in entities for place, value in enumerate(rows[e]))
        if relation in facts.tables:
            table = facts.tables[relation]
            return table.rows if first is None else table.lookup((0,), (first,))
        if relation in self._saturated.program.declared.stored:
            if relation not in self._derived:
                self._derived[relation] = self._saturated.rows(relation)
            return self._derived[relation]
        return ()


def _about(rule: Rule, name: str) -> list[Match]:
    """The relations that a rule's body asks about a variable."""
    literals = [x for x in rule.body if isinstance(x, Match) and not x.negated]
    return [x for x in literals if any(_is(term, name) for term in x.terms)]


def _is(term: Term, name: str) -> bool:
    return isinstance(term, Variable) and term.name == name


def _value(term: Term, bound: dict[str, Any]) -> Any:
    """The value of a term, None for a variable that is not bound."""
    if isinstance(term, Constant):
        return term.value
    return bound.get(term.name)
