"""The reserved facts by which a rule set declares its lattices, channels, visits and phases."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shardlog.engine.errors import Problem, RuleError, Span
from shardlog.engine.syntax import Fact, is_variable
from shardlog.light import dataclass, field

_CONTEXT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\[([A-Za-z_][A-Za-z0-9_]*)\]")

ORDERS = ("ascending", "descending", "on change")
SLOT = "slot"
GRAINS = ("whole", "leaf", "pair", SLOT)
STACK = "stack"
UNGUARDED = "anything"
WAKES = "wakes"
CHANGE = "on change"


@dataclass(frozen=True, slots=True)
class Channel:
    """A head that proposes: what it joins, how, when it is visited and what guards it."""

    head: str
    lattice: str
    grain: str
    join: str
    visit: str
    guard: str


@dataclass(frozen=True, slots=True)
class Join:
    """A join by name: the registered function and the context that it takes after (old, proposal).

    Each context item is (relation, key); the key is `I` for the entity or the phase parameter's
    variable.
    """

    name: str
    function: str
    context: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Visit:
    """When rules of a channel run: the variable that is given, and in which order it goes.

    The order is one of ORDERS or, for a visit that runs once, a functional relation of entities
    whose values it goes by.
    """

    name: str
    variable: str
    order: str


@dataclass(slots=True)
class Declarations:
    """Everything that reserved facts say."""

    lattices: list[str] = field(default_factory=list)
    views: dict[str, str] = field(default_factory=dict)
    joins: dict[str, Join] = field(default_factory=dict)
    channels: dict[str, Channel] = field(default_factory=dict)
    visits: dict[str, Visit] = field(default_factory=dict)
    sweeps: list[str] = field(default_factory=list)
    phases: list[str] = field(default_factory=list)
    parameter: str | None = None
    dispatch: str | None = None
    blocks: str | None = None
    modes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    orders: dict[str, tuple[str, ...]] = field(default_factory=dict)
    descends: dict[str, str] = field(default_factory=dict)
    restless: set[str] = field(default_factory=set)
    insistent: set[str] = field(default_factory=set)
    rare: set[str] = field(default_factory=set)
    frozen: set[str] = field(default_factory=set)
    agendas: dict[str, str] = field(default_factory=dict)
    repeats: tuple[str, str, str] | None = None
    stored: set[str] = field(default_factory=set)
    shared: set[str] = field(default_factory=set)
    disabled: dict[str, Span] = field(default_factory=dict)
    before: list[tuple[str, str, Span]] = field(default_factory=list)
    spans: dict[tuple[str, str], Span] = field(default_factory=dict)

    def span(self, kind: str, name: str = "") -> Span:
        """Where something is declared; of what stands once, the name does not matter."""
        unknown = Span("rules", 1, 1)
        return self.spans.get((kind, name)) or self.spans.get((kind, "")) or unknown

    def rounds(self) -> list[tuple[str, int | None]]:
        """The phases in order, as (name, parameter value or None for a phase that runs once)."""
        result: list[tuple[str, int | None]] = []
        for phase in self.phases:
            head, _, tail = phase.rpartition(" ")
            if head == self.parameter and tail.isdigit():
                result.append((head, int(tail)))
            else:
                result.append((phase, None))
        return result

    def parameter_values(self) -> tuple[int, ...]:
        """The values that the phase parameter takes, ascending."""
        return tuple(sorted({value for _, value in self.rounds() if value is not None}))


# name -> numbers of arguments that are allowed
RESERVED: dict[str, tuple[int, int]] = {
    "lattice": (1, 1),
    "view": (2, 2),
    "join": (2, 9),
    "channel": (6, 6),
    "visit": (3, 3),
    "sweeps": (1, 9),
    "phases": (1, 40),
    "parameter": (1, 1),
    "dispatch": (1, 1),
    "blocks": (1, 1),
    "mode": (2, 2),
    "order": (2, 2),
    "descends": (2, 2),
    "restless": (1, 1),
    "insistent": (1, 1),
    "rare": (1, 1),
    "stored": (1, 1),
    "shared": (1, 1),
    "frozen": (1, 1),
    "agenda": (2, 2),
    "phases_from": (3, 3),
    "disable": (1, 1),
    "before": (2, 2),
}


def read_declarations(facts: Sequence[Fact]) -> tuple[Declarations, list[Fact]]:
    """Splits facts into declarations and ordinary facts. Raises RuleError."""
    declared, others = Declarations(), []
    problems: list[Problem] = []
    for fact in facts:
        if fact.relation not in RESERVED:
            others.append(fact)
            continue
        low, high = RESERVED[fact.relation]
        if not low <= len(fact.values) <= high:
            expected = str(low) if low == high else f"{low} to {high}"
            message = f"{fact.relation} takes {expected} arguments, found {len(fact.values)}"
            problems.append(Problem(fact.span, message))
        elif not all(isinstance(value, str) for value in fact.values):
            problems.append(Problem(fact.span, f"{fact.relation} takes texts in quotes"))
        else:
            values = [str(value) for value in fact.values]
            once = fact.relation in (
                "sweeps",
                "phases",
                "parameter",
                "dispatch",
                "blocks",
                "phases_from",
            )
            declared.spans[fact.relation, "" if once else values[0]] = fact.span
            wrong = _declare(declared, fact, values)
            if wrong is not None:
                problems.append(Problem(fact.span, wrong))
    if problems:
        raise RuleError(problems)
    return declared, others


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _declare(declared: Declarations, fact: Fact, values: list[str]) -> str | None:
    """Stores one declaration; returns what is wrong with it, if anything."""
    match fact.relation, values:
        case ("lattice" | "view" | "mode", [name, *_]) if not name.isidentifier():
            return f"{name!r} cannot be the name of a relation"
        case "lattice", [name]:
            if name in declared.lattices:
                return f"lattice {name!r} is declared twice"
            declared.lattices.append(name)
        case "view", [name, lattice]:
            declared.views[name] = lattice
        case "join", [name, function, *context]:
            items = []
            for text in context:
                item = _context_item(text)
                if item is None:
                    return f"the context {text!r} of join {name!r} is not of the form relation[I]"
                items.append(item)
            declared.joins[name] = Join(name, function, tuple(items))
        case "channel", [head, lattice, grain, join, visit, guard]:
            if grain not in GRAINS:
                return f"unknown grain {grain!r}, expected one of {', '.join(GRAINS)}"
            if head in declared.channels:
                return f"channel {head!r} is declared twice"
            declared.channels[head] = Channel(head, lattice, grain, join, visit, guard)
        case "visit", [name, variable, order]:
            if not is_variable(variable):
                return f"{variable!r} is not a variable"
            if order not in ORDERS and not order.isidentifier():
                return (
                    f"unknown order {order!r}, expected one of {', '.join(ORDERS)}, or a relation"
                )
            declared.visits[name] = Visit(name, variable, order)
        case "sweeps", names:
            declared.sweeps = list(names)
        case "phases", names:
            declared.phases = list(names)
        case "parameter", [name]:
            declared.parameter = name
        case "dispatch", [name]:
            declared.dispatch = name
        case "blocks", [name]:
            declared.blocks = name
        case "mode", [name, inputs]:
            declared.modes[name] = _names(inputs)
            if not declared.modes[name]:
                return f"the mode of {name!r} names no inputs"
        case "order", [visit, names_]:
            declared.orders[visit] = _names(names_)
        case "descends", [relation, base]:
            declared.descends[relation] = base
        case "restless", [name]:
            declared.restless.add(name)
        case "insistent", [name]:
            declared.insistent.add(name)
        case "rare", [name]:
            declared.rare.add(name)
        case "stored", [name]:
            declared.stored.add(name)
        case "shared", [name]:
            declared.shared.add(name)
        case "frozen", [name]:
            declared.frozen.add(name)
        case "agenda", [name, kind]:
            if kind != STACK:
                return f"unknown agenda {kind!r}, expected {STACK!r}"
            declared.agendas[name] = kind
        case "phases_from", [phase, relation, now]:
            if not now.isidentifier():
                return f"{now!r} cannot be the name of a relation"
            declared.repeats = (phase, relation, now)
        case "disable", [name]:
            declared.disabled[name] = fact.span
        case "before", [name, other]:
            if name == other:
                return f"{name!r} cannot go before itself"
            declared.before.append((name, other, fact.span))
    return None


def _context_item(text: str) -> tuple[str, str] | None:
    found = _CONTEXT.fullmatch(text)
    return (found[1], found[2]) if found else None
