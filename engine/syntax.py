"""The abstract syntax of rule files; nested look-ups have been given variables of their own."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import TypeAlias

from shardlog.engine.errors import Span
from shardlog.light import dataclass, field

_VARIABLE = re.compile(r"[A-Z][A-Za-z0-9_]*")
COUNTED = "counted__"
"""A test that always passes and counts; no rule file can name it."""


def is_variable(name: str) -> bool:
    """Whether a name is one that a rule may give a variable; `__` is kept for renaming."""
    return _VARIABLE.fullmatch(name) is not None and "__" not in name


@dataclass(frozen=True, slots=True)
class Variable:
    """A logic variable; names that start with `_` come from flattening or renaming."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Constant:
    """A ground value; equal only to constants of the same type, so that 1 is not True."""

    value: Hashable
    kind: type = field(default=object)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", type(self.value))

    def __str__(self) -> str:
        return repr(self.value)


Term: TypeAlias = Variable | Constant


@dataclass(frozen=True, slots=True)
class Match:
    """A relation that must (or, negated, must not) hold; a functional one has its value last.

    `place` tells where it stands in a derivation, by which ways through a rule are ordered; what a
    `quiet` one matches does not count as grounds.
    """

    relation: str
    terms: tuple[Term, ...]
    functional: bool = False
    negated: bool = False
    place: tuple[int, ...] = field(default=(), compare=False)
    quiet: bool = False

    def __str__(self) -> str:
        if self.functional:
            keys = ", ".join(map(str, self.terms[:-1]))
            text = f"({self.relation}[{keys}] == {self.terms[-1]})"
        else:
            text = f"{self.relation}({', '.join(map(str, self.terms))})"
        return "~" + text if self.negated else text


@dataclass(frozen=True, slots=True)
class Compute:
    """`target == function(arguments)`: binds the target or, if it is bound, compares.

    There is no row where the function gives None.
    """

    target: Term
    function: str
    arguments: tuple[Term, ...]

    def __str__(self) -> str:
        return f"({self.target} == {self.function}({', '.join(map(str, self.arguments))}))"


@dataclass(frozen=True, slots=True)
class Test:
    """A boolean function of bound arguments."""

    function: str
    arguments: tuple[Term, ...]
    negated: bool = False

    def __str__(self) -> str:
        text = f"{self.function}({', '.join(map(str, self.arguments))})"
        return "~" + text if self.negated else text


@dataclass(frozen=True, slots=True)
class Compare:
    """`left operator right`; `==` binds a side that is not bound yet."""

    operator: str
    left: Term
    right: Term

    def __str__(self) -> str:
        return f"({self.left} {self.operator} {self.right})"


@dataclass(frozen=True, slots=True)
class Member:
    """`term.in_((...))` or `.not_in_`, against ground values."""

    term: Term
    values: tuple[Constant, ...]
    negated: bool = False

    def __str__(self) -> str:
        name = "not_in_" if self.negated else "in_"
        return f"{self.term}.{name}(({', '.join(map(str, self.values))},))"


Literal: TypeAlias = Match | Compute | Test | Compare | Member


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`tuple_`, `min_`, `max_`, `len_` or `sum_` over the solutions, in the order of `order_by`."""

    function: str
    term: Variable
    order_by: tuple[Variable, ...] = ()
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """A head, its body and what people are told about it."""

    relation: str
    terms: tuple[Term, ...]
    body: tuple[Literal, ...]
    functional: bool
    span: Span
    name: str
    says: str | None = None
    aggregate: Aggregate | None = None

    def __str__(self) -> str:
        head = str(Match(self.relation, self.terms, self.functional))
        return f"{head} <= {' & '.join(map(str, self.body))}"


@dataclass(frozen=True, slots=True)
class Fact:
    """A ground row of a relation."""

    relation: str
    values: tuple[Hashable, ...]
    functional: bool
    span: Span


def literal_terms(literal: Literal) -> tuple[Term, ...]:
    """All terms of a literal, in reading order."""
    match literal:
        case Match(terms=terms):
            return terms
        case Compute(target=target, arguments=arguments):
            return (target, *arguments)
        case Test(arguments=arguments):
            return arguments
        case Compare(left=left, right=right):
            return (left, right)
        case Member(term=term):
            return (term,)


def variables(literal: Literal) -> Iterator[str]:
    """The names of a literal's variables, in reading order, with repetitions."""
    for term in literal_terms(literal):
        if isinstance(term, Variable):
            yield term.name


def substitute(literal: Literal, values: dict[str, Term]) -> Literal:
    """The literal with variables replaced."""

    def put(term: Term) -> Term:
        return values.get(term.name, term) if isinstance(term, Variable) else term

    match literal:
        case Match(relation, terms, functional, negated, place, quiet):
            return Match(relation, tuple(map(put, terms)), functional, negated, place, quiet)
        case Compute(target, function, arguments):
            return Compute(put(target), function, tuple(map(put, arguments)))
        case Test(function, arguments, negated):
            return Test(function, tuple(map(put, arguments)), negated)
        case Compare(operator, left, right):
            return Compare(operator, put(left), put(right))
        case Member(term, members, negated):
            return Member(put(term), members, negated)
