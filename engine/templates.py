"""Templates: the steps of a visit in terms of places, and what a visit makes of given values.

A place is the number of a token of those that entities planned alike have each in their own way.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from shardlog.engine.classes import At
from shardlog.engine.declarations import Channel, Declarations
from shardlog.engine.errors import EvaluationError
from shardlog.engine.syntax import Rule
from shardlog.engine.tables import (
    UNIT,
    Info,
    JoinRow,
    Kernel,
    Origin,
    ProposalTable,
    Step,
    proposal_of,
)
from shardlog.engine.tokens import OwnTable, Token

Keyed = list[tuple[Any, Step]]
Visit: TypeAlias = Callable[[Sequence[Any], Sequence[int]], "tuple[Change, ...] | OwnChange | None"]
REMEMBERED = 50_000
"""Templates that are found again, also for entities that are planned alone."""


class Change(NamedTuple):
    """What a step of a visit changes.

    All `targets` count as changed, also one whose new value is None: it has kept its own, as the
    other one of a pair, or since the channel is insistent. `number` is that of the step.
    """

    targets: tuple[int, ...]
    olds: tuple[Any, ...]
    news: tuple[Any, ...]
    rule: Rule
    contributors: tuple[int, ...]
    number: int


class OwnChange(NamedTuple):
    """What most visits change: the value of the entity that is visited, and once."""

    old: Any
    new: Any
    rule: Rule
    contributors: tuple[int, ...]
    number: int

    def changes(self) -> tuple[Change, ...]:
        """The same in the form of all changes."""
        return (Change((0,), (self.old,), (self.new,), self.rule, self.contributors, self.number),)


class TemplateStep(NamedTuple):
    """A step in terms of places."""

    mask: int
    sources: tuple[int, ...]
    table: ProposalTable | None
    joins: JoinRow
    rule: Rule
    channel: Channel
    target: int
    partner: int | None
    contributors: tuple[int, ...]
    filtered: bool
    several: bool
    live: tuple[Kernel, Any] | None
    origin: Origin
    insists: bool
    own: int | None = None
    """The place of the table, where each entity has one to itself."""


class Own(NamedTuple):
    """What a table proposes that an entity has to itself, in the place of values."""

    table: int
    sources: tuple[int, ...]
    several: bool


def proposed(step: TemplateStep, values: Any) -> Any:
    """What a step proposes by values by place, or None. Raises EvaluationError."""
    if step.own is not None:
        return values[Own(step.own, step.sources, step.several)]
    return proposal_of(step, step.table, values)


class VisitTable(dict[Any, Any]):
    """What a visit changes at one value of the phase parameter, by the values that it reads.

    The value is None where it changes nothing, an OwnChange where that is all, else the changes in
    order.
    """

    __slots__ = ("_needs_a_value", "bit", "places", "steps")

    def __init__(self, steps: Sequence[TemplateStep], bit: int) -> None:
        super().__init__()
        self.steps, self.bit = steps, bit
        self._needs_a_value: bool | None = None
        read: dict[int | Own, None] = {}
        for step in steps:
            if step.mask >> bit & 1:
                targets = (step.target,) if step.partner is None else (step.target, step.partner)
                if step.own is None:
                    read |= dict.fromkeys(step.sources)
                else:
                    read[Own(step.own, step.sources, step.several)] = None
                read |= dict.fromkeys(targets)
                if step.filtered:
                    read |= dict.fromkeys(step.contributors)
        self.places = tuple(read)
        """The places at which the values stand that it reads, and what own tables propose."""

    def __missing__(self, key: Any) -> Any:
        places = self.places
        values = dict(zip(places, (key,) if len(places) == 1 else key, strict=True))
        changes = changes_of(self.steps, self.bit, values)
        result: Any = changes
        if changes is not None and len(changes) == 1:
            targets, olds, news, rule, contributors, number = changes[0]
            if targets == (0,) and news[0] is not None:
                result = OwnChange(olds[0], news[0], rule, contributors, number)
        self[key] = result
        return result

    def visit(self) -> Visit:
        """The function that gives what a visit changes, given the state and the tokens."""
        return _visiting(self.places)(self)

    def needs_a_value(self) -> bool:
        """Whether a visit changes nothing where all that it reads has no value yet."""
        if self._needs_a_value is None:
            self._needs_a_value = self._finds_nothing()
        return self._needs_a_value

    def _finds_nothing(self) -> bool:
        places = self.places
        if any(place.__class__ is Own for place in places):
            return False
        try:
            return self[None if len(places) == 1 else (None,) * len(places)] is None
        except EvaluationError:
            # it is for the run to say so, if it ever gets there
            return False


class Template:
    """The steps of a visit for all entities that are planned alike.

    `visits` has for each value of the phase parameter the function that gives what a visit changes,
    None if it has to be made step by step.
    """

    def __init__(self, steps: Sequence[TemplateStep], bits: int) -> None:
        self.steps = tuple(steps)
        self.live = any(step.live is not None for step in steps)
        self.tables = tuple(VisitTable(self.steps, bit) for bit in range(bits))
        found: dict[int, None] = {}
        for step in self.steps:
            targets = (step.target,) if step.partner is None else (step.target, step.partner)
            found |= dict.fromkeys((*step.sources, *targets))
        self.reads = tuple(found)
        """Places whose change may give a visit another outcome."""
        self.frozen: Any = None
        """What frozen visits change, once somebody has asked."""
        self.visits = self._visits()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "visits": (), "frozen": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.visits = self._visits()

    def _visits(self) -> tuple[Visit | None, ...]:
        return tuple(None if self.live else table.visit() for table in self.tables)

    def opens(self) -> int:
        """The bits of the phase values at which a visit may have another outcome than before."""
        newly = 0
        for step in self.steps:
            newly |= step.mask & (step.joins.turns | ~(step.mask << 1))
        # whatever comes before the first value, all are visited then
        return newly & ~1

    def bits_of(self, channels: Collection[str]) -> int:
        """The bits of the phase values at which it has steps of some channels."""
        found = 0
        for step in self.steps:
            if step.channel.head in channels:
                found |= step.mask
        return found

    def instances(self, tokens: Sequence[int]) -> list[Step]:
        """The steps for the entities that are the tokens."""
        return [
            (
                step.mask,
                None,
                step.table if step.own is None else tokens[step.own],
                step.joins,
                Info(
                    step.rule,
                    step.channel,
                    tokens[step.target],
                    None if step.partner is None else tokens[step.partner],
                    tuple([tokens[c] for c in step.contributors]),
                    tuple([tokens[s] for s in step.sources]),
                    step.filtered,
                    step.several,
                    None if step.live is None else (step.live[0], _filled(step.live[1], tokens)),
                    step.origin,
                ),
            )
            for step in self.steps
        ]


def changes_of(steps: Sequence[TemplateStep], bit: int, values: Any) -> tuple[Change, ...] | None:
    """What the steps, one after the other, make of the values by place. Changes `values`."""
    wanted = 1 << bit
    changes: list[Change] = []
    insisting: Change | None = None
    for number, step in enumerate(steps):
        if not step.mask & wanted:
            continue
        proposal = proposed(step, values)
        if proposal is None:
            continue
        if step.insists and insisting is None:
            insisting = Change((step.target,), (None,), (None,), step.rule, (), number)
        join = step.joins[bit]
        targets: tuple[int, ...]
        if step.partner is None:
            targets, proposals = (step.target,), (proposal,)
        else:
            targets, proposals = (step.target, step.partner), proposal
        news = [
            None if (old := values[t]) is p else join[old, p]
            for t, p in zip(targets, proposals, strict=True)
        ]
        if step.target == step.partner:
            targets, news = targets[:1], news[:1]
        if all(new is None for new in news):
            continue
        found = step.contributors
        if step.filtered:
            found = tuple([c for c in found if values[c] is not None])
        olds = tuple([values[t] for t in targets])
        changes.append(Change(targets, olds, tuple(news), step.rule, found, number))
        for target, new in zip(targets, news, strict=True):
            if new is not None:
                values[target] = new
    if not changes and insisting is not None:
        return (insisting,)
    return tuple(changes) or None


@lru_cache(maxsize=4096)
def _visiting(places: tuple[int | Own, ...]) -> Callable[[VisitTable], Visit]:
    terms = ", ".join(map(_value_at, places))
    # written out, since it runs at every visit
    function: Callable[[VisitTable], Visit] = eval(
        f"lambda table: lambda s, t: table[{terms or ()}]", {"UNIT": UNIT}
    )
    return function


def _value_at(place: int | Own) -> str:
    """The expression for what stands at a place, given the state and the tokens."""
    if not isinstance(place, Own):
        return f"s[t[{place}]]"
    values = [f"s[t[{source}]]" for source in place.sources]
    if place.several:
        return f"t[{place.table}][{''.join(f'{value}, ' for value in values) or ()}]"
    return f"t[{place.table}][{values[0] if values else 'UNIT'}]"


class _Place(int):
    """A place that stands for an entity in the arguments of a live kernel."""


def _filled(arguments: Any, tokens: Sequence[int]) -> Any:
    if arguments.__class__ is tuple:
        return tuple([_filled(one, tokens) for one in arguments])
    return tokens[arguments] if arguments.__class__ is _Place else arguments


def template_steps(
    keyed: Keyed, at: At, insistent: Collection[str], marked: bool = True
) -> list[TemplateStep]:
    """Steps in terms of places; if `marked`, live kernels have marks for them as arguments.

    `insistent` names the channels whose proposals count as changes even if they change nothing.
    """

    def placed(value: Any) -> Any:
        if not marked:
            return value
        if value.__class__ is Token:
            return _Place(at(value))
        return tuple([placed(one) for one in value]) if value.__class__ is tuple else value

    return [
        TemplateStep(
            mask,
            tuple([at(s) for s in info.sources]),
            None if table.__class__ is OwnTable else table,
            joins,
            info.rule,
            info.channel,
            at(info.target),
            None if info.partner is None else at(info.partner),
            tuple(dict.fromkeys([at(c) for c in info.contributors])),
            info.filtered,
            info.several,
            None if info.live is None else (info.live[0], placed(info.live[1])),
            (number, path),
            info.channel.head in insistent,
            at(table) if table.__class__ is OwnTable else None,
        )
        for (number, _, path), (mask, _, table, joins, info) in keyed
    ]


def _same(step: TemplateStep) -> tuple[Any, ...]:
    """What is equal for steps that do the same."""
    return (
        step.mask,
        step.sources,
        id(step.table),
        id(step.joins),
        id(step.rule),
        step.target,
        step.partner,
        step.contributors,
        step.filtered,
        step.origin,
        step.own,
    )


class Known(dict[Any, Template]):
    """Templates by what is equal for those that do the same, for one process."""

    __slots__ = ()

    def __reduce__(self) -> Any:
        # identities are part of the keys
        return Known, ()


def template_of(bits: int, insistent: Collection[str]) -> Callable[[Keyed, At], Template | None]:
    """A function that makes keyed steps a template, and no steps None; for `Classes`."""

    known = Known()

    def convert(keyed: Keyed, at: At) -> Template | None:
        if not keyed:
            return None
        steps = template_steps(keyed, at, insistent)
        if any(step.live is not None for step in steps):
            return Template(steps, bits)
        # tables cannot be compared, but there is one for equal arguments
        key = tuple([_same(step) for step in steps])
        template = known.get(key)
        if template is None:
            if len(known) > REMEMBERED:
                known.clear()
            template = known[key] = Template(steps, bits)
        return template

    return convert


def _special(template: Template, declared: Declarations) -> tuple[bool, int, int, int] | None:
    """What an agenda has to know of a template beside its reads, if there is anything."""
    restless = template.bits_of(declared.restless)
    insistent = template.bits_of(declared.insistent)
    found = template.live, template.opens(), restless, insistent
    return found if any(found) else None


class Plan:
    """All that entities planned alike have to do in the rounds.

    `sweeps` has a template, or None, for each sweep, `changes` for each visit on change; `woken`
    has the sweeps, each with the places, for which a change of the entity makes a visit due.
    """

    __slots__ = ("busy", "changes", "special", "sweeps", "told", "woken")

    def __init__(
        self,
        sweeps: Sequence[Template | None],
        changes: Sequence[Template | None],
        woken: Sequence[tuple[int, int]],
        declared: Declarations,
    ) -> None:
        self.sweeps, self.changes = tuple(sweeps), tuple(changes)
        self.woken = tuple(
            [
                (sweep, tuple(dict.fromkeys([place for other, place in woken if other == sweep])))
                for sweep in dict.fromkeys([sweep for sweep, _ in woken])
            ]
        )
        self.busy = any(template is not None for template in sweeps)
        self.special: tuple[tuple[bool, int, int, int] | None, ...] = tuple(
            None if template is None else _special(template, declared) for template in sweeps
        )
        if not any(self.changes):
            self.changes = ()
        # that a visit hangs on the entity's own value goes without saying
        self.told = tuple(
            [
                None if t is None else (t, tuple([p for p in t.reads if p]), special)
                for t, special in zip(self.sweeps, self.special, strict=True)
            ]
        )
        """For each sweep the template, the places read, and what else an agenda has to know."""
