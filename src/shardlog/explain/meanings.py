"""What findings of the engine mean to a user: kinds of reasons, and sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

from shardlog.engine import Program
from shardlog.engine.inquiry import Finding
from shardlog.engine.syntax import (
    Compare,
    Compute,
    Constant,
    Literal,
    Match,
    Member,
    Term,
    Test,
    literal_terms,
)
from shardlog.ir.sharding import HloSharding

__all__ = ["KIND_OF_VISIT", "Kind", "Meaning", "Meanings"]


class Kind(StrEnum):
    """Kinds of reasons."""

    ANNOTATION = "annotation"
    NO_RULE = "no_rule"
    DIMENSION_LOST = "dimension_lost"
    FROM_USER = "backward_from_user"
    FROM_OPERAND = "forward_from_operand"
    FROM_TIE = "shared_at_call_site"
    FROM_GROUP = "shard_group"
    REFUSED = "join_refused"
    OP_REFUSES = "op_refuses"
    OUTDONE = "outdone"
    OVERRULED = "overruled"
    NO_DIMENSIONS = "no_dimensions"
    GATE = "gate"
    MASK = "mask"
    UNEVEN = "uneven"
    OTHER_TILES = "other_tiles"
    NOTHING = "nothing_to_offer"
    RESHARD = "reshard_between"
    HOLDS = "it_is_so"
    OTHER = "other"


KIND_OF_VISIT = {
    "annotate": Kind.ANNOTATION,
    "name operands": Kind.ANNOTATION,
    "forward": Kind.FROM_OPERAND,
    "backward": Kind.FROM_USER,
    "change": Kind.FROM_TIE,
    "tie": Kind.FROM_TIE,
    "group": Kind.FROM_GROUP,
    "align": Kind.FROM_GROUP,
    "relay": Kind.FROM_GROUP,
    "at the end": Kind.MASK,
}
"""What kind of reason a change of a visit is."""


@dataclass(frozen=True)
class Meaning:
    """A kind of reason in words, with the finding that it is about."""

    kind: Kind
    says: str
    finding: Finding


class Meanings:
    """Puts findings into words: those that a rule set gives for its relations, else the literals.

    A rule set gives them as facts `meaning(relation, 'holds' or 'fails', kind, sentence)`; the
    relation may be `option[spmd]`, with a first term. `{op}` is the op of the first instruction.
    """

    def __init__(
        self, program: Program, name: Callable[[int], str], opcode: Callable[[int], str]
    ) -> None:
        self._program, self._name, self._opcode = program, name, opcode
        self._lattices = {*program.declared.lattices, *program.declared.views}

    @cached_property
    def _words(self) -> dict[tuple[str, bool], tuple[Kind, str]]:
        table = self._program.tables.get("meaning")
        rows = table.rows if table is not None else {}
        return {
            (str(relation), how == "holds"): (Kind(str(kind)), str(says))
            for relation, how, kind, says in rows
        }

    def of(self, finding: Finding) -> Meaning | None:
        """The meaning of the innermost finding that has one."""
        best: Meaning | None = None
        for one in finding.walk():
            literal = one.literal
            if isinstance(literal, Match) and not literal.negated:
                first = str(literal.terms[0]).strip("'")
                words = self._words.get((literal.relation, one.holds)) or self._words.get(
                    (f"{literal.relation}[{first}]", one.holds)
                )
                if words is not None:
                    says = self._filled(words[1], literal.terms)
                    best = Meaning(words[0], says, one)
        return best

    def of_kind(self, kind: Kind) -> Iterator[tuple[str, Callable[[Sequence[Any]], str]]]:
        """The relations that mean something of a kind if they hold, with the words for a row."""
        for (relation, holds), (its, says) in self._words.items():
            if holds and its is kind:

                def words(row: Sequence[Any], says: str = says) -> str:
                    return self._filled(says, tuple(Constant(value) for value in row))

                yield relation, words

    def _filled(self, says: str, terms: tuple[Term, ...]) -> str:
        def put(place: re.Match[str]) -> str:
            term = terms[int(place[1]) - 1]
            value = term.value if isinstance(term, Constant) else term
            first = place[1] == "1" and isinstance(value, int)
            return self._name(int(str(value))) if first else str(value)

        first = terms[0] if terms else None
        if isinstance(first, Constant) and isinstance(first.value, int):
            says = says.replace("{op}", self._opcode(first.value))
        return re.sub(r"\{(\d)\}", put, says)

    # ------------------------------------------------------------ literals

    def unset(self, finding: Finding) -> int | None:
        """The entity without a value at which a chain of failures ends, if that is its end."""
        literal = _end(finding).literal
        if isinstance(literal, Match) and literal.relation in self._program.declared.lattices:
            term = literal.terms[0]
            if not literal.negated and isinstance(term, Constant):
                return int(str(term.value))
        return None

    def read(self, finding: Finding) -> int | None:
        """The entity whose value a finding is about by itself, if it is about one."""
        literal = finding.literal
        if isinstance(literal, Match) and literal.relation in self._lattices:
            term = literal.terms[0]
            if not literal.negated and isinstance(term, Constant):
                return int(str(term.value))
        return None

    def reads_state(self, finding: Finding) -> bool:
        """Whether a chain of failures ends at a sharding, or at the lack of one."""
        literal = _end(finding).literal
        if isinstance(literal, Match) and literal.relation in self._lattices:
            return True
        return any(
            isinstance(term, Constant) and isinstance(term.value, HloSharding)
            for term in literal_terms(literal)
        )

    def value(self, finding: Finding) -> HloSharding | None:
        """The sharding at which a chain of failures ends, if that is its end."""
        for term in literal_terms(_end(finding).literal):
            if isinstance(term, Constant) and isinstance(term.value, HloSharding):
                return term.value
        return None

    def text(self, literal: Literal) -> str:
        """A literal with names in place of instructions' numbers."""
        match literal:
            case Match(relation, terms, functional, negated):
                places = self._places(relation)
                shown = [self._term(t, n in places) for n, t in enumerate(terms)]
                if functional:
                    body = f"{relation}[{', '.join(shown[:-1])}] == {shown[-1]}"
                else:
                    body = f"{relation}({', '.join(shown)})"
                return f"~{body}" if negated else body
            case Compute(target, function, arguments):
                call = f"{function}({', '.join(map(self._term, arguments))})"
                return f"{self._term(target)} == {call}"
            case Test(function, arguments, negated):
                call = f"{function}({', '.join(map(self._term, arguments))})"
                return f"~{call}" if negated else call
            case Compare(operator, left, right):
                return f"{self._term(left)} {operator} {self._term(right)}"
            case Member(term, values, negated):
                listed = ", ".join(str(value.value) for value in values)
                return f"{self._term(term)} {'not ' if negated else ''}in ({listed})"

    def _term(self, term: Term, is_entity: bool = False) -> str:
        if not isinstance(term, Constant):
            return term.name.partition("__")[0]
        value: Any = term.value
        if is_entity and isinstance(value, int) and not isinstance(value, bool):
            return self._name(value)
        text = str(value)
        return text if len(text) <= 120 else f"{text[:117]}..."

    def _places(self, relation: str) -> frozenset[int]:
        """The terms of a relation that are instructions."""
        places = self._entity_places.get(relation)
        return frozenset((0,)) if places is None else places

    @cached_property
    def _entity_places(self) -> dict[str, frozenset[int]]:
        found = _PLACES.get(self._program)
        if found is None:
            found = _PLACES[self._program] = self._found_places()
        return found

    def _found_places(self) -> dict[str, frozenset[int]]:
        known: dict[str, set[int]] = {name: set(places) for name, places in _BASE.items()}
        base = {*self._program.base, *self._lattices}
        changed = True
        while changed:
            changed = False
            for relation, rules in self._program.by_relation.items():
                mine = known.setdefault(relation, set())
                for rule in rules:
                    names: set[str] = set()
                    for literal in rule.body:
                        if isinstance(literal, Match):
                            default = {0} if literal.relation in base else set[int]()
                            for place in known.get(literal.relation, default):
                                names |= {str(literal.terms[place])}
                    found = {n for n, t in enumerate(rule.terms) if str(t) in names} - mine
                    if found:
                        mine |= found
                        changed = True
        return {relation: frozenset(places) for relation, places in known.items()}


_PLACES: WeakKeyDictionary[Program, dict[str, frozenset[int]]] = WeakKeyDictionary()

_BASE: dict[str, set[int]] = {
    "operand": {0, 2},
    "user": {0, 2},
    "root": {1},
    "parameter": {2},
    "member": {2},
    "calls": {0},
    "named_by": {0, 1},
    "root_copy": {0, 1},
    "entry": set(),
    "option": set(),
    "group_kind": set(),
    "channel_device": set(),
    "custom_call_dims": set(),
}
"""The terms that are instructions, of base relations where that is not the first alone."""


def _end(finding: Finding) -> Finding:
    """The last of a chain of failures."""
    while finding.inner and not finding.holds:
        (finding,) = finding.inner[:1]
    return finding
