"""What can be said of a rule before any run: for which classes of entities, in which phases.

A rule is settled for each value of the dispatch relation, as the compiler does it for a plan. What
no fact and no gate decides against may happen.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from shardlog.engine.alternatives import Alternative
from shardlog.engine.counting import rules_of_path
from shardlog.engine.declarations import Channel
from shardlog.engine.errors import Span
from shardlog.engine.program import Program
from shardlog.engine.relations import Facts
from shardlog.engine.settling import Settler
from shardlog.engine.syntax import (
    Constant,
    Member,
    Rule,
    literal_terms,
    variables,
)

__all__ = ["Reach", "reach"]


@dataclass(slots=True)
class Reach:
    """Where a rule can take part in a proposal.

    `values` are those of the dispatch relation for the variable that the rule asks it of, each with
    the values of the phase parameter, none outside the rounds; `heads` are the channels that it
    proposes to.
    """

    values: dict[Hashable, set[int]] = field(default_factory=dict)
    heads: dict[str, None] = field(default_factory=dict)

    @property
    def phases(self) -> set[int]:
        """The values of the phase parameter at which it can take part, whatever the class."""
        return set().union(*self.values.values())


def reach(program: Program, facts: Facts, values: Iterable[Hashable]) -> dict[Span, Reach]:
    """For each rule of a program that can take part in a proposal, where.

    `facts` need no entities, only the relations and constants of a run. `values` are those that the
    dispatch relation can have.
    """
    settler = Settler(program, facts, program.declared.lattices[:-1])
    classes = _classes(program, values)
    found: dict[Span, Reach] = {}
    for channel in program.declared.channels.values():
        for rule in program.by_relation.get(channel.head, ()):
            _reach_of(settler, channel, rule, classes, found)
    return found


def _reach_of(
    settler: Settler,
    channel: Channel,
    rule: Rule,
    classes: Sequence[Sequence[Hashable]],
    found: dict[Span, Reach],
) -> None:
    program = settler.program
    whole = settler.channel_alternative(channel, rule)
    given = program.declared.visits[channel.visit].variable
    is_in_rounds = channel.visit not in program.declared.phases
    names = dict.fromkeys(name for literal in rule.body for name in variables(literal))
    for name in (given, *(n for n in names if n != given)):
        if name != given and not settler.asks_dispatch(whole, name):
            continue
        bound = frozenset((given, name))
        for values in classes:
            for part in settler.settle([whole], bound, {name: values[0]}):
                bits = part.mask if is_in_rounds else 0
                phases = {p for bit, p in enumerate(settler.values) if bits >> bit & 1}
                for one in _taking_part(program, channel, rule, part, name == given):
                    place = found.setdefault(one.span, Reach())
                    place.heads[channel.head] = None
                    for value in values:
                        place.values.setdefault(value, set()).update(phases)


def _taking_part(
    program: Program, channel: Channel, rule: Rule, part: Alternative, is_given: bool
) -> list[Rule]:
    """The rules that a settled way through a body is made of, the first one where it is asked.

    What a rule that proposes asks of another entity than its own is no matter of its class.
    """
    taken = rules_of_path(program, channel, rule, tuple(sorted(part.path)))
    return [rule, *taken] if is_given else taken


def _classes(program: Program, values: Iterable[Hashable]) -> list[list[Hashable]]:
    """The values in groups that no rule and no fact tells apart."""
    groups: dict[frozenset[object], list[Hashable]] = {}
    mentioned: dict[Hashable, set[object]] = {}
    for name, table in program.tables.items():
        for row in table.rows:
            for place, value in enumerate(row):
                mentioned.setdefault(value, set()).add((name, row[:place], row[place + 1 :]))
    for number, rule in enumerate(program.rules):
        for place, literal in enumerate(rule.body):
            terms = literal.values if isinstance(literal, Member) else literal_terms(literal)
            for term in (*terms, *rule.terms):
                if isinstance(term, Constant):
                    mentioned.setdefault(term.value, set()).add((number, place))
    for value in values:
        groups.setdefault(frozenset(mentioned.get(value, ())), []).append(value)
    return list(groups.values())
