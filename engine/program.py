"""A rule set: its rules, facts, declarations and the registered functions that it may call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from shardlog.engine.colours import Colours
from shardlog.engine.declarations import SLOT, UNGUARDED, Channel, read_declarations
from shardlog.engine.errors import Problem, RuleError, Span
from shardlog.engine.limits import ARITHMETIC
from shardlog.engine.modes import transparent_relations
from shardlog.engine.relations import Table
from shardlog.engine.syntax import Constant, Fact, Literal, Match, Rule, Variable
from shardlog.light import dataclass, field, replace

# What reads and checks rules is imported where that is done: a program that was kept from an
# earlier run needs none of it, and networkx takes longer to load than a small graph to propagate.
if TYPE_CHECKING:
    from pathlib import Path

    import networkx as nx

    from shardlog.engine.parser import RuleFile

Function = Callable[..., Any]

BUILTIN_FUNCTIONS: dict[str, Function] = {**ARITHMETIC}


@dataclass(frozen=True, slots=True)
class Library:
    """What rules may call: value functions, boolean tests and joins, each pure and named.

    A value function returns None for "no row". A join takes (old value or None, proposal, *context)
    and returns the new value, or None where it refuses.
    """

    functions: Mapping[str, Function] = field(default_factory=dict)
    tests: Mapping[str, Function] = field(default_factory=dict)
    joins: Mapping[str, Function] = field(default_factory=dict)


class Program:
    """A checked rule set, ready to be compiled or interpreted over any facts."""

    def __init__(
        self,
        files: Sequence[RuleFile],
        library: Library,
        base: Mapping[str, tuple[int, bool]],
        disabled: Iterable[str] = (),
    ) -> None:
        """Collects and checks files; `base` gives (terms, functional) of every base relation.

        Raises RuleError with everything that is wrong.
        """
        from shardlog.engine.check import check, quoted
        from shardlog.engine.strata import strata

        self.library = library
        self._reaching: dict[str, frozenset[str]] = {}
        self.functions: dict[str, Function] = {**BUILTIN_FUNCTIONS, **library.functions}
        self.tests: dict[str, Function] = dict(library.tests)
        facts = [fact for file in files for fact in file.facts]
        lines = {file.path: file.lines for file in files}
        try:
            self.declared, plain = read_declarations(facts)
        except RuleError as error:
            raise RuleError([quoted(problem, lines) for problem in error.problems]) from None
        off = {*disabled, *self.declared.disabled}
        every = _in_order([rule for file in files for rule in file.rules], self.declared.before)
        self.rules: list[Rule] = [rule for rule in every if rule.name not in off]
        self.base = dict(base)
        self.by_relation: dict[str, list[Rule]] = {}
        for rule in every:
            self.by_relation.setdefault(rule.relation, [])
        for rule in self.rules:
            self.by_relation[rule.relation].append(rule)
        self.tables: dict[str, Table] = {}
        for fact in plain:
            table = self.tables.setdefault(fact.relation, Table(len(fact.values), fact.functional))
            table.add(fact.values)
        for name in [name for name in self.tables if self.by_relation.get(name)]:
            self._as_rules(name, plain)
        self.components = strata(self.graph)
        self.recursive: set[str] = set()
        self.bottom_up: set[str] = set()
        for component in self.components:
            only = next(iter(component))
            if len(component) > 1 or self.graph.has_edge(only, only):
                self.recursive |= component
                if not component & set(self.declared.descends):
                    self.bottom_up |= component
        check(self, plain, {rule.name for rule in every}, off, lines)
        self.transparent = transparent_relations(self)
        self.compiled: dict[Any, Any] = {}
        self.colours = Colours(self)
        self.asleep: dict[Any, Any] = {}
        """Compilers of an earlier process that nobody has asked for yet, by the same keys."""
        self.written = 0
        """Functions that were written for it in this process."""
        self.learnt = 0
        """Entities that were found to be like no other before, in this process."""
        self.for_many = False
        """Whether it runs for many sets of facts, most of them small: what is alike is then looked
        for only in facts that are like others."""

    def __getstate__(self) -> dict[str, Any]:
        # compilers are kept one by one
        kept = {**self.__dict__, "written": 0, "learnt": 0, "compiled": {}, "asleep": {}}
        kept["for_many"] = False
        kept.pop("graph", None)
        return kept

    @cached_property
    def graph(self) -> nx.DiGraph[str]:
        """Edges from each relation to those that its rules read, as `dependency_graph` has them."""
        from shardlog.engine.strata import dependency_graph

        return dependency_graph(self.by_relation)

    def _as_rules(self, name: str, facts: Sequence[Fact]) -> None:
        """Turns the facts of a relation that has rules too into rules without a body."""
        made = [
            Rule(name, tuple(map(Constant, f.values)), (), f.functional, f.span, name)
            for f in facts
            if f.relation == name
        ]
        self.by_relation[name] = made + self.by_relation[name]
        del self.tables[name]

    def channel_rules(self, visit: str) -> list[tuple[Channel, Rule]]:
        """The rules that propose in a visit, in file order, each with its channel."""
        channels = {
            name: channel
            for name, channel in self.declared.channels.items()
            if channel.visit == visit
        }
        return [
            (channel, in_slot(rule) if channel.grain == SLOT else rule)
            for rule in self.rules
            if (channel := channels.get(rule.relation)) is not None
        ]

    def volatile(self, frozen: Iterable[str] = ()) -> set[str]:
        """The relations that change in a run, directly or through others.

        They read a lattice which is not frozen, or the parameter of phases.
        """
        lattices = set(self.declared.lattices) - set(frozen)
        roots = lattices | {v for v, base in self.declared.views.items() if base in lattices}
        if self.declared.parameter is not None:
            roots.add(self.declared.parameter)
        if self.declared.repeats is not None:
            roots.add(self.declared.repeats[2])
        return roots.union(*(self.reaching(root) for root in roots))

    def reaching(self, relation: str | None) -> frozenset[str]:
        """The relation and all that read it, directly or through others."""
        if relation is None:
            return frozenset()
        found = self._reaching.get(relation)
        if found is None:
            from shardlog.engine.strata import ancestors

            read = ancestors(self.graph, relation) if relation in self.graph else ()
            found = self._reaching[relation] = frozenset((relation, *read))
        return found


def in_slot(rule: Rule) -> Rule:
    """A rule of grain `slot`, step(I, T, S), as one that proposes S to the entity slot[I, T]."""
    entity, place, value = rule.terms
    target = Variable("_slot")
    body = (*rule.body, Match(SLOT, (entity, place, target), True))
    return replace(rule, terms=(target, value), body=body)


def _in_order(rules: list[Rule], moves: Sequence[tuple[str, str, Span]]) -> list[Rule]:
    """The rules with those of one name moved right before the first of another, move by move."""
    for name, other, _ in moves:
        moved = [rule for rule in rules if rule.name == name]
        rest = [rule for rule in rules if rule.name != name]
        place = next((n for n, rule in enumerate(rest) if rule.name == other), len(rest))
        rules = [*rest[:place], *moved, *rest[place:]]
    return rules


def guard_literals(channel: Channel, rule: Rule) -> tuple[Literal, ...]:
    """The guard of a channel as a literal over the rule's head entity."""
    if channel.guard == UNGUARDED:
        return ()
    if channel.grain == SLOT:
        # the guard is about the entity whose slot it is
        slot = rule.body[-1]
        assert isinstance(slot, Match)
        return (Match(channel.guard, slot.terms[:1]),)
    return (Match(channel.guard, (rule.terms[0],)),)


def load_program(
    sources: Sequence[Path | tuple[str, str]],
    library: Library,
    base: Mapping[str, tuple[int, bool]],
    disabled: Iterable[str] = (),
) -> Program:
    """Reads rule files, or (name, text) pairs, into one checked program.

    Raises RuleError with everything that is wrong, and OSError as `open` does.
    """
    from shardlog.engine.parser import parse_file, parse_text

    names = {*BUILTIN_FUNCTIONS, *library.functions}
    files: list[RuleFile] = []
    problems: list[Problem] = []
    for source in sources:
        try:
            if isinstance(source, tuple):
                files.append(parse_text(source[1], source[0], names, library.tests))
            else:
                files.append(parse_file(source, names, library.tests))
        except RuleError as error:
            problems += error.problems
    if problems:
        raise RuleError(problems)
    return Program(files, library, base, disabled)
