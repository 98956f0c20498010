"""What every proposing rule makes of one entity: its proposals, or where it fails."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

from shardlog.engine.declarations import WAKES, Channel
from shardlog.engine.inquiry import Failure, Finding, Inquiry, Narrowed
from shardlog.engine.program import Program, guard_literals
from shardlog.engine.solver import Environment, value_of
from shardlog.engine.syntax import (
    Compare,
    Constant,
    Literal,
    Match,
    Rule,
    Term,
    Variable,
    substitute,
    variables,
)

__all__ = ["Attempt", "Attempts", "Proposal", "Variant"]


@dataclass(frozen=True)
class Variant:
    """A proposing rule with named rules in the place of the relations that they give.

    `via` are those rules; `body` is what all of it asks, and `readers` are the variables of the
    body whose values in a lattice it reads, besides that of the entity proposed to.
    """

    channel: Channel
    rule: Rule
    via: tuple[Rule, ...]
    body: tuple[Literal, ...]
    readers: tuple[str, ...]

    @property
    def says(self) -> str:
        """The sentence of the innermost named rule."""
        return (self.via[-1] if self.via else self.rule).says or ""

    @property
    def name(self) -> str:
        """The name of the innermost named rule."""
        return (self.via[-1] if self.via else self.rule).name


_VARIANTS: WeakKeyDictionary[Program, list[Variant]] = WeakKeyDictionary()


def _asks(
    variant: Variant, relation: str | None, base: Collection[str]
) -> Iterator[tuple[Term, Any, Match | None]]:
    """The values a body asks a column for, of which term, and what puts that beside the target."""
    asked = [one for one in variant.body if isinstance(one, Match) and not one.negated]
    target = variant.rule.terms[0]
    for one in asked:
        if one.relation == relation and isinstance(one.terms[1], Constant):
            entity = one.terms[0]
            links = (
                link
                for link in asked
                if link.relation in base and target in link.terms and entity in link.terms
            )
            yield entity, one.terms[1].value, next(links, None)


@dataclass(frozen=True)
class Proposal:
    """What a solution proposes, and what becomes of it: `result` is None where the join refuses.

    `sources` are the entities whose values it rests on.
    """

    known: Environment
    value: Any
    result: Any
    parameter: int | None
    sources: tuple[int, ...]


@dataclass(frozen=True)
class Attempt:
    """A rule tried on an entity in one state, for one choice of the entities that it reads.

    There are proposals, at the phase values where the body holds, or a failure. `closed` says
    for each phase value why the guard fails there; a value that is not in it is open.
    """

    variant: Variant
    entity: int
    others: dict[str, int]
    proposals: tuple[Proposal, ...]
    failure: Failure | None
    closed: dict[int | None, Finding]


class Attempts:
    """Tries the rules of a program on entities, in one state.

    Bodies are tried as if the entity had no value yet, guards and joins with the value that it has.
    """

    def __init__(self, inquiry: Inquiry) -> None:
        self.inquiry = self.guards = inquiry
        self.program, self.declared = inquiry.program, inquiry.declared
        self.parameters = self.declared.parameter_values()

    def of(
        self,
        entity: int,
        variants: Sequence[Variant] | None = None,
        skip: Callable[[Finding], bool] | None = None,
    ) -> list[Attempt]:
        """What the variants, else all of the program, make of an entity; in the rules' order.

        Rules whose guard never opens are left out if `skip` says so of why it fails at the last.
        """
        found: list[Attempt] = []
        self.inquiry = self._without(entity)
        guards: dict[str, dict[int | None, Finding]] = {}
        for variant in self.variants if variants is None else variants:
            guard = variant.channel.guard
            if guard not in guards:
                guards[guard] = self._closed(variant, entity)
            shut = guards[guard]
            values = self.parameters or (None,)
            if skip is not None and all(v in shut for v in values) and skip(shut[values[-1]]):
                continue
            found += self._tried(variant, entity, guards[guard])
        return found

    def _without(self, entity: int) -> Inquiry:
        """The state without the value of an entity in the lattice that the rounds fill."""
        state: dict[str, Any] = dict(self.guards.state)
        last = self.declared.lattices[-1]
        state[last] = _Unset(state[last], entity)
        return self.guards.over(state)

    @cached_property
    def variants(self) -> list[Variant]:
        """All variants of the rules of the program's visits, those that run once included."""
        found = _VARIANTS.get(self.program)
        if found is None:
            found = _VARIANTS[self.program] = variants(self.program)
        return found

    def possible(self, variant: Variant, entity: int) -> bool:
        """Whether the facts have what a variant asks of the relation by which code is dispatched.

        Of the entity itself where it asks that, of those that a base relation puts beside it, or of
        any. A variant that is not possible is one for other entities.
        """
        column = self._dispatched
        if column is None:
            return True
        target = variant.rule.terms[0]
        for asked, value, link in _asks(variant, self.declared.dispatch, self._base):
            if asked == target:
                if column[entity] != value:
                    return False
            elif value not in self._present or (
                link is not None and value not in self._beside(link, asked, target, entity)
            ):
                return False
        return True

    def _beside(self, link: Match, asked: Term, target: Term, entity: int) -> frozenset[Any]:
        """What the dispatch column has for all that a literal puts beside an entity."""
        assert isinstance(asked, Variable)
        assert isinstance(target, Variable)
        key = entity, str(link)
        if key not in self._around:
            column = self._dispatched
            found = self.guards.solutions([link], {target.name: entity})
            self._around[key] = frozenset(column[one[asked.name]] for one in found)
        return self._around[key]

    @cached_property
    def _around(self) -> dict[tuple[int, str], frozenset[Any]]:
        return {}

    @cached_property
    def _base(self) -> frozenset[str]:
        return frozenset(self.guards.facts.names()) - self.program.by_relation.keys()

    @cached_property
    def _dispatched(self) -> Any:
        name = self.declared.dispatch
        return None if name is None else self.guards.facts.columns.get(name)

    @cached_property
    def _present(self) -> frozenset[Any]:
        return frozenset(self._dispatched)

    def by_name(self, names: Sequence[str]) -> list[Variant]:
        """The variants of the rules with some names."""
        return [variant for variant in self.variants if variant.rule.name in names]

    def _closed(self, variant: Variant, entity: int) -> dict[int | None, Finding]:
        """Why the guard fails, by phase value."""
        literals = guard_literals(variant.channel, variant.rule)
        term = variant.rule.terms[0]
        if not literals or not isinstance(term, Variable):
            return {}
        closed: dict[int | None, Finding] = {}
        known = {term.name: entity}
        for value in self.parameters or (None,):
            self.guards.values = () if value is None else (value,)
            if not any(True for _ in self.guards.solutions(literals, known)):
                closed[value] = self.guards.failing(literals[0], known)
        return closed

    def _tried(
        self, variant: Variant, entity: int, closed: dict[int | None, Finding]
    ) -> list[Attempt]:
        """One attempt for each choice of the entities that a variant reads."""
        term = variant.rule.terms[0]
        assert isinstance(term, Variable)
        start = {term.name: entity}
        # what refines a pair of values has no meaning where there are none
        inquiry = self.guards if variant.channel.grain == "pair" else self.inquiry
        proposals: dict[tuple[Any, ...], list[Proposal]] = {}
        failures: dict[tuple[Any, ...], Failure] = {}
        phased = any(
            isinstance(literal, Match)
            and (
                literal.relation == self.declared.parameter
                or literal.relation in self.inquiry.phased
            )
            for literal in variant.body
        )
        values = self.parameters if phased else self.parameters[-1:]
        for value in values or (None,):
            inquiry.values = () if value is None else (value,)
            solved, failed = inquiry.attempts(variant.body, start, variant.readers)
            for known in solved:
                key = tuple(known.get(name) for name in variant.readers)
                proposals.setdefault(key, []).extend(
                    self._proposals(variant, entity, known, value, phased)
                )
            for failure in failed:
                key = tuple(failure.known.get(name) for name in variant.readers)
                best = failures.get(key)
                if best is None or best.satisfied <= failure.satisfied:
                    failures[key] = failure
        # what fails at one phase value before it has chosen anything may hold at another
        narrowed = Narrowed([*proposals, *failures])
        found = []
        for key in dict.fromkeys([*proposals, *failures]):
            if key not in proposals and key in narrowed:
                continue
            others = {n: v for n, v in zip(variant.readers, key, strict=True) if v is not None}
            made = tuple(proposals.get(key, ()))
            worst = None if made else failures[key]
            found.append(Attempt(variant, entity, others, made, worst, closed))
        return found

    # ------------------------------------------------------------ proposals

    def _proposals(
        self,
        variant: Variant,
        entity: int,
        known: Environment,
        value: int | None,
        phased: bool,
    ) -> list[Proposal]:
        """What a solution proposes to the entity at each phase value that it holds for."""
        sources = self.sources(variant.body, known, entity)
        proposal = self.value(variant, known)
        made = []
        for at in (value,) if phased else self.parameters or (None,):
            result = self.join(variant.channel, entity, proposal, at)
            made.append(Proposal(known, proposal, result, at, sources))
        return made

    @staticmethod
    def value(variant: Variant, known: Environment) -> Any:
        """What a solution proposes, in the form that the channel's join takes."""
        terms = [value_of(term, known) for term in variant.rule.terms]
        return ((terms[1], terms[2]),) if variant.channel.grain == "leaf" else terms[1]

    def join(self, channel: Channel, entity: int, proposal: Any, value: int | None) -> Any:
        """What a join makes of a proposal at a phase value; None where it refuses."""
        join = self.declared.joins[channel.join]
        context = []
        for relation, key in join.context:
            self.guards.values = () if value is None else (value,)
            context.append(self.guards.value(relation, entity if key == "I" else value or 0))
        old = self.guards.state[channel.lattice][entity]
        new = self.program.library.joins[join.function](old, proposal, *context)
        return None if new is old or new == old else new

    def sources(self, body: Sequence[Literal], known: Environment, entity: int) -> tuple[int, ...]:
        """The entities, but for this one, whose values a satisfied body reads."""
        found: dict[int, None] = {}
        lattices = self.inquiry.state
        for ground in self.inquiry.grounds(body, known):
            for finding in ground.walk():
                literal = finding.literal
                if isinstance(literal, Match) and literal.relation in lattices:
                    term = literal.terms[0]
                    if not literal.negated and isinstance(term, Constant):
                        found[int(str(term.value))] = None
        found.pop(entity, None)
        return tuple(found)


class _Unset:
    """A column without the value of one entity."""

    def __init__(self, column: Any, entity: int) -> None:
        self._column, self._entity = column, entity

    def __getitem__(self, entity: int) -> Any:
        return None if entity == self._entity else self._column[entity]


# ---------------------------------------------------------------- variants


def variants(program: Program) -> list[Variant]:
    """The proposing rules of a program, each with every choice of the named rules that it asks."""
    named = _named(program)
    positions = _read_positions(program)
    found = []
    for visit in program.declared.visits:
        for channel, rule in program.channel_rules(visit):
            for via, body in _unfolded(program, rule, named):
                head = {t.name for t in rule.terms if isinstance(t, Variable)}
                readers = dict.fromkeys(
                    name for literal in body for name in _read(literal, positions)
                )
                target = rule.terms[0]
                mine = {target.name} if isinstance(target, Variable) else head
                others = tuple(name for name in readers if name not in mine)
                found.append(Variant(channel, rule, via, tuple(body), others))
    return found


def _named(program: Program) -> set[str]:
    """The relations that rules with sentences of their own give, or that stand for one such."""
    heads = {*program.declared.channels, WAKES, *program.declared.lattices}
    named: set[str] = set()
    changed = True
    while changed:
        changed = False
        for relation, rules in program.by_relation.items():
            if relation in heads or relation in named or not rules or rules[0].aggregate:
                continue
            single = len(rules) == 1 and any(
                isinstance(one, Match) and not one.negated and one.relation in named
                for one in rules[0].body
            )
            if single or all(rule.says and not _helps(program, rule) for rule in rules):
                named.add(relation)
                changed = True
    return named


def _helps(program: Program, rule: Rule) -> bool:
    """Whether a rule stands under the name of a proposing one, for which it defines something."""
    channels = program.declared.channels
    return any(other.name == rule.name for head in channels for other in program.by_relation[head])


def _unfolded(
    program: Program, rule: Rule, named: set[str]
) -> list[tuple[tuple[Rule, ...], list[Literal]]]:
    done: list[tuple[tuple[Rule, ...], list[Literal]]] = []
    todo: list[tuple[tuple[Rule, ...], list[Literal]]] = [((), list(rule.body))]
    while todo:
        via, body = todo.pop(0)
        place = next(
            (
                n
                for n, one in enumerate(body)
                if isinstance(one, Match) and not one.negated and one.relation in named
            ),
            None,
        )
        if place is None:
            done.append((via, body))
            continue
        literal = body[place]
        assert isinstance(literal, Match)
        for inner in program.by_relation[literal.relation]:
            put = _in_place(inner, literal.terms, f"{len(via)}_{place}")
            if put is not None:
                through = (*via, inner) if inner.says else via
                todo.append((through, [*body[:place], *put, *body[place + 1 :]]))
    return done


def _in_place(rule: Rule, terms: Sequence[Term], mark: str) -> list[Literal] | None:
    """A rule's body with a literal's terms for those of its head; None if they cannot be equal."""
    names: dict[str, Term] = {}
    equal: list[Literal] = []
    for formal, actual in zip(rule.terms, terms, strict=True):
        if isinstance(formal, Variable) and formal.name not in names:
            names[formal.name] = actual
        elif isinstance(formal, Constant) and isinstance(actual, Constant):
            if formal != actual:
                return None
        else:
            other = names[formal.name] if isinstance(formal, Variable) else formal
            equal.append(Compare("==", other, actual))
    for literal in rule.body:
        for name in variables(literal):
            # sentences name a rule's variables: they keep their names where nobody else has them
            names.setdefault(name, Variable(f"{name}__{mark}"))
    return [*equal, *(substitute(literal, names) for literal in rule.body)]


def _read_positions(program: Program) -> dict[str, set[int]]:
    """For each relation, the places of terms at which it reads a lattice."""
    positions: dict[str, set[int]] = {lattice: {0} for lattice in program.declared.lattices}
    changed = True
    while changed:
        changed = False
        for relation, rules in program.by_relation.items():
            if relation in program.declared.lattices:
                continue
            mine = positions.setdefault(relation, set())
            for rule in rules:
                read = {name for literal in rule.body for name in _read(literal, positions)}
                for place, term in enumerate(rule.terms):
                    if isinstance(term, Variable) and term.name in read and place not in mine:
                        mine.add(place)
                        changed = True
    return positions


def _read(literal: Literal, positions: dict[str, set[int]]) -> list[str]:
    """The variables of a literal at which it reads a lattice."""
    if not isinstance(literal, Match):
        return []
    places = positions.get(literal.relation, ())
    terms = literal.terms
    return [t.name for p in sorted(places) if isinstance(t := terms[p], Variable)]


def named_variables(variant: Variant, known: Environment) -> Environment:
    """What is known, under the names that the innermost rule's sentence uses."""
    renamed = dict(known)
    if variant.via:
        inner = variant.via[-1]
        literal = _asked(variant, inner)
        if literal is not None:
            for formal, actual in zip(inner.terms, literal.terms, strict=True):
                if isinstance(formal, Variable) and isinstance(actual, Variable):
                    renamed[formal.name] = known.get(actual.name)
        for name, value in known.items():
            plain, mark, _ = name.partition("__")
            if mark:
                renamed.setdefault(plain, value)
    return renamed


def _asked(variant: Variant, inner: Rule) -> Match | None:
    return next(
        (
            literal
            for literal in variant.rule.body
            if isinstance(literal, Match) and literal.relation == inner.relation
        ),
        None,
    )
