"""Questions and rules of one's own, read into the same syntax as rule files, and checked.

A text is a number of statements, one a line or with `;` between them: rules `head <= body`, facts
`+ relation('a')`, and in the end, in a question, the question itself. Every name is looked up while
reading, so that what is wrong is told at its place before anything runs.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from shardlog.engine.errors import RuleError, Span
from shardlog.engine.syntax import Compare, Constant, Literal, Term, Variable, is_variable
from shardlog.query.bounds import (
    LONGEST_FILE,
    LONGEST_QUESTION,
    MOST_LITERALS,
    MOST_STATEMENTS,
)
from shardlog.query.grammar import Bad, Page, constant, parsed
from shardlog.query.literals import TESTS, Literals, Resolve, keys_of
from shardlog.query.relations import Relation

__all__ = ["AGGREGATES", "Aggregated", "Derived", "Reading", "ends_in_rule", "names_of", "read"]

AGGREGATES: dict[str, str | None] = {
    "len_": None,
    "sum_": "for_each",
    "mean_": "for_each",
    "min_": "order_by",
    "max_": "order_by",
    "tuple_": "order_by",
    "concat_": "order_by",
}
"""Aggregates, with the option that each takes."""


@dataclass(frozen=True)
class Aggregated:
    """The value of a head that is made of many: `len_(Y)`; `by` are the variables of its option."""

    function: str
    term: Variable
    by: tuple[Variable, ...] = ()
    descending: bool = False
    separator: str = ","


@dataclass(frozen=True)
class Derived:
    """A rule for a relation of one's own; a fact has no body."""

    relation: str
    terms: tuple[Term, ...]
    body: tuple[Literal, ...]
    functional: bool
    span: Span
    aggregated: Aggregated | None = None
    source: str = ""


@dataclass
class Reading:
    """What was read: rules by relation, and the body of a question with its variables in order."""

    rules: list[Derived] = field(default_factory=list)
    question: tuple[Literal, ...] = ()
    variables: tuple[str, ...] = ()
    page: Page | None = None
    where: ast.expr | None = None


def read(
    text: str,
    name: str,
    known: Mapping[str, Relation],
    earlier: Sequence[Derived] = (),
    *,
    resolve: Resolve | None = None,
    asks: bool = True,
) -> Reading:
    """Read a question, or with `asks` false a file of rules, that may use `earlier` rules.

    `known` are the relations that there are. Raises RuleError with the place of what is wrong.
    """
    if asks:
        text = textwrap.dedent(text).strip()
    page = Page(text, name)
    statements = parsed(page, text, LONGEST_QUESTION if asks else LONGEST_FILE)
    if len(statements) > MOST_STATEMENTS:
        where = statements[MOST_STATEMENTS]
        raise page.error(where, f"the most statements are {MOST_STATEMENTS:,}")
    if asks and not statements:
        raise page.at(1, 1, "there is no question", "try: replicated(I)")
    reading = Reading(page=page)
    arities = {rule.relation: (len(rule.terms), rule.functional) for rule in earlier}
    problems = []
    try:
        bodies = statements[:-1] if asks else statements
        if asks and _is_rule(statements[-1].value):
            bodies = statements
        for statement in bodies:
            _enter_head(statement.value, known, arities)
    except Bad as bad:
        raise page.error(bad.node, bad.message, bad.hint) from None
    for number, statement in enumerate(statements):
        reader = _Statement(page, known, arities, resolve)
        try:
            if asks and number == len(statements) - 1 and not _is_rule(statement.value):
                reading.question = reader.body(statement.value)
                reading.variables = tuple(reader.asked)
                reading.where = statement.value
            else:
                reading.rules.append(reader.rule(statement.value))
        except Bad as bad:
            problems.append(page.problem(bad.node, bad.message, bad.hint))
    if problems:
        raise RuleError(problems)
    return reading


def ends_in_rule(text: str) -> bool:
    """Whether the last statement of a text is a rule or a fact; not so if it cannot be read."""
    try:
        text = textwrap.dedent(text).strip()
        statements = parsed(Page(text, ""), text, LONGEST_QUESTION)
    except RuleError:
        return False
    return bool(statements) and _is_rule(statements[-1].value)


def _is_rule(node: ast.expr) -> bool:
    """Whether a statement is a rule or a fact."""
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.UAdd)
    if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.LtE):
        return False
    head = node.left
    if isinstance(head, ast.Compare):
        head = head.left
        return isinstance(head, ast.Subscript)
    return isinstance(head, ast.Call) and isinstance(head.func, ast.Name)


def _head_of(node: ast.expr) -> tuple[ast.expr, ast.expr | None]:
    """The head of a statement, and its body if it is a rule. Raises Bad."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd):
        return node.operand, None
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.LtE):
        if len(node.ops) > 1:
            raise Bad(
                node,
                "a comparison needs parentheses of its own",
                "write `head <= relation(X) & (A > 2)`",
            )
        return node.left, node.comparators[0]
    raise Bad(node, "expected a rule `head <= body` or a fact `+ relation(...)`")


def _enter_head(
    node: ast.expr, known: Mapping[str, Relation], arities: dict[str, tuple[int, bool]]
) -> None:
    """Enter what the head of a statement defines. Raises Bad."""
    head, _ = _head_of(node)
    if isinstance(head, ast.Call) and isinstance(head.func, ast.Name):
        name, arity, functional = head.func.id, len(head.args), False
    elif (
        isinstance(head, ast.Compare)
        and len(head.ops) == 1
        and isinstance(head.ops[0], ast.Eq)
        and isinstance(head.left, ast.Subscript)
        and isinstance(head.left.value, ast.Name)
    ):
        name, arity, functional = head.left.value.id, len(keys_of(head.left)) + 1, True
    else:
        raise Bad(head, "expected a head: `relation(X, ...)` or `(function[X] == Y)`")
    if name in known:
        raise Bad(head, f"{name!r} is a relation that there is already", "take another name")
    if name in TESTS or name in AGGREGATES or is_variable(name) or "__" in name or name[0] == "_":
        raise Bad(head, f"{name!r} cannot be the name of a relation", "begin with a small letter")
    if arities.setdefault(name, (arity, functional)) != (arity, functional):
        raise Bad(head, f"{name!r} has another number of arguments, or another form, elsewhere")


class _Statement(Literals):
    """Reads one statement of a page."""

    def __init__(
        self,
        page: Page,
        known: Mapping[str, Relation],
        arities: Mapping[str, tuple[int, bool]],
        resolve: Resolve | None,
    ) -> None:
        super().__init__(known, arities, resolve)
        self.page = page

    def rule(self, node: ast.expr) -> Derived:
        """Read a rule or a fact. Raises Bad."""
        head, body = _head_of(node)
        literals = () if body is None else self.body(body)
        bound, self.extra = set(self.asked), []
        functional = isinstance(head, ast.Compare)
        if isinstance(head, ast.Compare):
            assert isinstance(head.left, ast.Subscript)
            assert isinstance(head.left.value, ast.Name)
            name, keys, value = head.left.value.id, keys_of(head.left), head.comparators[0]
        else:
            assert isinstance(head, ast.Call)
            assert isinstance(head.func, ast.Name)
            self.unnamed(head)
            name, keys, value = head.func.id, head.args, None
        terms = [self.term(key) for key in keys]
        aggregated = None
        if (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Name)
            and (value.func.id in AGGREGATES)
        ):
            aggregated = self._aggregated(value)
            terms.append(aggregated.term)
        elif value is not None:
            terms.append(self.term(value))
        used = [term for term in terms if isinstance(term, Variable)]
        used += aggregated.by if aggregated else ()
        for term in used:
            if term.name not in bound:
                raise Bad(
                    head,
                    f"the head has {term}, which nothing in the body gives a value"
                    if body is not None
                    else f"a fact cannot hold the variable {term}",
                )
        for place, key in enumerate(terms[:-1] if aggregated is not None else ()):
            if isinstance(key, Constant):
                # values are grouped by the values of variables
                terms[place] = self.variable()
                self.extra.append(Compare("==", terms[place], key))
        line = getattr(node, "lineno", 1)
        span = Span(self.page.name, line, 1)
        extra, self.extra = self.extra, []
        source = ast.unparse(node)
        every = (*literals, *extra)
        return Derived(name, tuple(terms), every, functional, span, aggregated, source)

    def body(self, node: ast.expr) -> tuple[Literal, ...]:
        """Read a conjunction. Raises Bad."""
        literals: list[Literal] = []
        for part in _conjuncts(node):
            literal = self.literal(part)
            literals += self.extra
            self.extra = []
            literals.append(literal)
            if len(literals) > MOST_LITERALS:
                raise Bad(part, f"the most literals are {MOST_LITERALS}")
        return tuple(self.resolved(literal, node) for literal in literals)

    def _aggregated(self, node: ast.Call) -> Aggregated:
        assert isinstance(node.func, ast.Name)
        function = node.func.id
        option = AGGREGATES[function]
        if len(node.args) != 1:
            raise Bad(node, f"{function} takes one variable")
        term = self.term(node.args[0])
        by: list[Variable] = []
        descending, separator = False, ","
        for keyword in node.keywords:
            if keyword.arg == "sep" and function == "concat_":
                value = constant(keyword.value)
                if not isinstance(value, str):
                    raise Bad(keyword.value, "sep takes a text in quotes")
                separator = value
                continue
            if keyword.arg != option:
                says = f"it takes {option}" if option else "it takes none"
                raise Bad(node, f"unknown option {keyword.arg!r} of {function}: {says}")
            inner = keyword.value
            if isinstance(inner, ast.UnaryOp) and isinstance(inner.op, ast.USub):
                descending, inner = True, inner.operand
            parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            terms = [self.term(part) for part in parts]
            by += [each for each in terms if isinstance(each, Variable)]
            if len(by) != len(terms):
                raise Bad(inner, f"{option} takes variables")
        if not isinstance(term, Variable) or self.extra:
            raise Bad(node, f"{function} takes one variable")
        return Aggregated(
            function, term, tuple(by or ([term] if option else [])), descending, separator
        )


def _conjuncts(node: ast.expr) -> Iterator[ast.expr]:
    parts: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
        parts.append(node.right)
        node = node.left
    yield node
    yield from reversed(parts)


def names_of(rules: Collection[Derived]) -> dict[str, tuple[int, bool]]:
    """The relations that rules define: the number of arguments, and whether it is a function."""
    return {rule.relation: (len(rule.terms), rule.functional) for rule in rules}
