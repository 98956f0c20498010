"""Reads rule files: pyDatalog's syntax, through Python's own `ast`, never executed.

A statement is `head <= body` or `+ fact`. Rule names and explanations stand in comments above a
rule: `# rule: NAME` and `# says: TEMPLATE`; a name holds for the rules below it until the next one.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Collection, Hashable
from dataclasses import dataclass
from pathlib import Path

from shardlog.engine.errors import Problem, RuleError, Span
from shardlog.engine.limits import TooLarge, is_plain, number, too_large, value_problem
from shardlog.engine.syntax import (
    Aggregate,
    Compare,
    Compute,
    Constant,
    Fact,
    Literal,
    Match,
    Member,
    Rule,
    Term,
    Test,
    Variable,
    is_variable,
)

AGGREGATES = ("tuple_", "min_", "max_", "len_", "sum_")
ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%"}
COMPARISONS = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_WORDS: dict[type[ast.expr], str] = {
    ast.Await: "await",
    ast.BoolOp: "`and` or `or`",
    ast.Dict: "a dictionary",
    ast.DictComp: "a comprehension",
    ast.GeneratorExp: "a comprehension",
    ast.IfExp: "a conditional",
    ast.JoinedStr: "an f-string",
    ast.Lambda: "a lambda",
    ast.List: "a list",
    ast.ListComp: "a comprehension",
    ast.NamedExpr: "an assignment",
    ast.Set: "a set",
    ast.SetComp: "a comprehension",
    ast.Slice: "a slice",
    ast.Starred: "a star",
}
_COMMENT = re.compile(r"#\s*(rule|says):\s*(.*?)(?:\s{2,}\(.*\))?\s*$")


@dataclass(frozen=True, slots=True)
class RuleFile:
    """One parsed file: its rules and facts in file order."""

    path: str
    rules: tuple[Rule, ...]
    facts: tuple[Fact, ...]
    lines: tuple[str, ...] = ()


class _Bad(Exception):
    def __init__(self, node: ast.AST, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.node, self.message, self.hint = node, message, hint


def parse_file(path: Path, functions: Collection[str], tests: Collection[str]) -> RuleFile:
    """Reads one rule file.

    `functions` and `tests` are the registered names, which tell a call from a relation.
    Raises RuleError with every statement that cannot be read, and OSError as `open` does.
    """
    return parse_text(path.read_text(encoding="utf-8"), str(path), functions, tests)


def parse_text(
    text: str, path: str, functions: Collection[str], tests: Collection[str]
) -> RuleFile:
    """Reads rules from a string; `path` is what messages call it. Raises RuleError."""
    lines = text.splitlines()
    large = too_large(text)
    if large is not None:
        line, column, message = large
        problem = Problem(Span(path, line, column), message, source=_line(lines, line))
        raise RuleError([problem])
    try:
        tree = ast.parse(text, filename=path)
        comments = _comments(text)
    except (SyntaxError, tokenize.TokenError, RecursionError, MemoryError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        column = getattr(error, "offset", None) or 1
        message = f"not a rule: {getattr(error, 'msg', None) or error}"
        if isinstance(error, RecursionError | MemoryError):
            message = "nested too deeply"
        problem = Problem(Span(path, line, column), message, source=_line(lines, line))
        raise RuleError([problem]) from None
    rules: list[Rule] = []
    facts: list[Fact] = []
    problems: list[Problem] = []
    name, says, pending = "", None, list(comments)
    for statement in tree.body:
        while pending and pending[0][0] < statement.lineno:
            _, kind, value = pending.pop(0)
            if kind == "rule":
                name, says = value, None
            else:
                says = value
        reader = _Statement(path, name, says, frozenset(functions), frozenset(tests))
        try:
            read = reader.read(statement)
        except _Bad as bad:
            span = _span(path, bad.node)
            source = _line(lines, span.line)
            problems.append(Problem(span, bad.message, name or None, bad.hint, source))
        except RecursionError:
            problems.append(Problem(_span(path, statement), "nested too deeply", name or None))
        else:
            if isinstance(read, Rule):
                rules.append(read)
            else:
                facts.append(read)
    if problems:
        raise RuleError(problems)
    return RuleFile(path, tuple(rules), tuple(facts), tuple(lines))


def _comments(text: str) -> list[tuple[int, str, str]]:
    found = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and (hit := _COMMENT.match(token.string)):
            found.append((token.start[0], hit[1], hit[2]))
    return found


def _line(lines: list[str], number: int) -> str | None:
    return lines[number - 1] if 0 < number <= len(lines) else None


def _span(path: str, node: ast.AST) -> Span:
    return Span(path, getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1)


class _Statement:
    """Turns one statement into a rule or a fact."""

    def __init__(
        self,
        path: str,
        name: str,
        says: str | None,
        functions: frozenset[str],
        tests: frozenset[str],
    ) -> None:
        self.path, self.name, self.says = path, name, says
        self.functions, self.tests = functions, tests
        self.extra: list[Literal] = []
        self.fresh = 0

    def read(self, statement: ast.stmt) -> Rule | Fact:
        if not isinstance(statement, ast.Expr):
            raise _Bad(
                statement,
                "expected a rule `head <= body` or a fact `+ relation(...)`",
                "rule files hold no Python statements",
            )
        value = statement.value
        if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.UAdd):
            return self._fact(value.operand, value)
        if isinstance(value, ast.Compare) and isinstance(value.ops[0], ast.LtE):
            if len(value.ops) > 1:
                raise _Bad(
                    value,
                    "a comparison in a body needs parentheses of its own",
                    "write `head <= (A == B) & ...`",
                )
            return self._rule(value.left, value.comparators[0], value)
        raise _Bad(value, "expected a rule `head <= body` or a fact `+ relation(...)`")

    # ------------------------------------------------------------ facts and heads

    def _fact(self, node: ast.expr, whole: ast.expr) -> Fact:
        relation, terms, functional, aggregate = self._head(node)
        if aggregate or self.extra:
            raise _Bad(node, "a fact holds ground values only")
        values: list[Hashable] = []
        for term in terms:
            if isinstance(term, Variable):
                raise _Bad(node, f"a fact cannot hold the variable {term.name}")
            values.append(term.value)
        return Fact(relation, tuple(values), functional, _span(self.path, whole))

    def _rule(self, head: ast.expr, body: ast.expr, whole: ast.expr) -> Rule:
        relation, terms, functional, aggregate = self._head(head)
        late, self.extra = self.extra, []
        literals: list[Literal] = []
        for part in _conjuncts(body):
            literal = self._literal(part)
            literals += self.extra
            self.extra = []
            if literal is not None:
                literals.append(literal)
        literals += late
        return Rule(
            relation,
            terms,
            tuple(literals),
            functional,
            _span(self.path, whole),
            self.name or relation,
            self.says,
            aggregate,
        )

    def _head(self, node: ast.expr) -> tuple[str, tuple[Term, ...], bool, Aggregate | None]:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            terms = tuple(self._term(a) for a in self._plain(node))
            return _name(node.func), terms, False, None
        if (
            isinstance(node, ast.Compare)
            and len(node.ops) == 1
            and isinstance(node.ops[0], ast.Eq)
            and isinstance(node.left, ast.Subscript)
            and isinstance(node.left.value, ast.Name)
        ):
            keys = tuple(self._term(key) for key in _keys(node.left))
            right = node.comparators[0]
            if (
                isinstance(right, ast.Call)
                and isinstance(right.func, ast.Name)
                and right.func.id in AGGREGATES
            ):
                aggregate = self._aggregate(right)
                return _name(node.left.value), (*keys, aggregate.term), True, aggregate
            return _name(node.left.value), (*keys, self._term(right)), True, None
        raise _Bad(node, "expected a head: `relation(X, ...)` or `(function[X] == Y)`")

    def _aggregate(self, node: ast.Call) -> Aggregate:
        assert isinstance(node.func, ast.Name)
        if len(node.args) != 1 or not isinstance(node.args[0], ast.Name):
            raise _Bad(node, f"{node.func.id} takes one variable, and order_by=...")
        order: tuple[Variable, ...] = ()
        descending = False
        for keyword in node.keywords:
            if keyword.arg != "order_by":
                raise _Bad(node, f"unknown option {keyword.arg!r} of {node.func.id}")
            value = keyword.value
            if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
                descending, value = True, value.operand
            parts = value.elts if isinstance(value, ast.Tuple) else [value]
            terms = [self._term(part) for part in parts]
            if not all(isinstance(term, Variable) for term in terms):
                raise _Bad(node, "order_by takes variables")
            order = tuple(term for term in terms if isinstance(term, Variable))
        term = self._term(node.args[0])
        assert isinstance(term, Variable)  # as every name is, if it is a term
        return Aggregate(node.func.id, term, order, descending)

    # ------------------------------------------------------------ literals

    def _literal(self, node: ast.expr) -> Literal | None:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            return self._negated(node)
        if isinstance(node, ast.Compare):
            return self._comparison(node)
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute):
                return self._member(node)
            if isinstance(node.func, ast.Name):
                arguments = tuple(self._term(a) for a in self._plain(node))
                if node.func.id in self.tests:
                    return Test(node.func.id, arguments)
                return Match(_name(node.func), arguments)
        message = "expected a literal: a relation, a test, or a comparison in parentheses"
        raise _Bad(node, message + _found(node))

    def _negated(self, node: ast.UnaryOp) -> Literal:
        inner = self._literal(node.operand)
        match inner:
            case Match(relation, terms, functional, False):
                return Match(relation, terms, functional, True)
            case Test(function, arguments, False):
                return Test(function, arguments, True)
        raise _Bad(node, "`~` goes before a relation or a test", "turn the comparison round")

    def _comparison(self, node: ast.Compare) -> Literal | None:
        if len(node.ops) != 1 or type(node.ops[0]) not in COMPARISONS:
            raise _Bad(node, "expected one comparison of two terms")
        operator, left, right = COMPARISONS[type(node.ops[0])], node.left, node.comparators[0]
        if operator == "==":
            for one, other in ((left, right), (right, left)):
                if isinstance(one, ast.Subscript) and isinstance(one.value, ast.Name):
                    keys = tuple(self._term(key) for key in _keys(one))
                    return Match(_name(one.value), (*keys, self._term(other)), True)
                if isinstance(one, ast.Call | ast.BinOp) and _ground(one) is None:
                    target = self._term(other)
                    function, arguments = self._call(one)
                    return Compute(target, function, arguments)
        return Compare(operator, self._term(left), self._term(right))

    def _member(self, node: ast.Call) -> Literal:
        assert isinstance(node.func, ast.Attribute)
        method = node.func.attr
        if method not in ("in_", "not_in_") or len(node.args) != 1:
            raise _Bad(node, "expected `X.in_((...))` or `X.not_in_((...))`")
        term, values = self._term(node.func.value), self._term(node.args[0])
        if not isinstance(values, Constant) or not isinstance(values.value, tuple):
            raise _Bad(node, f"`{method}` takes a tuple of values")
        return Member(term, tuple(map(Constant, values.value)), method == "not_in_")

    # ------------------------------------------------------------ terms

    def _plain(self, node: ast.Call) -> list[ast.expr]:
        if node.keywords:
            raise _Bad(node, "arguments have no names here")
        return node.args

    def _term(self, node: ast.expr) -> Term:
        if isinstance(node, ast.Name):
            if node.id == "_":
                return self._variable()
            if is_variable(node.id):
                return Variable(node.id)
            raise _Bad(
                node,
                f"{node.id!r} is neither a variable nor a value",
                "variables start with a capital letter and have no `__`, text stands in quotes",
            )
        constant = _ground(node)
        if constant is not None:
            return constant
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            keys = tuple(self._term(key) for key in _keys(node))
            value = self._variable()
            self.extra.append(Match(_name(node.value), (*keys, value), True))
            return value
        if isinstance(node, ast.Call | ast.BinOp):
            function, arguments = self._call(node)
            value = self._variable()
            self.extra.append(Compute(value, function, arguments))
            return value
        message = "expected a variable, a value, `f[X]` or a call of a function"
        raise _Bad(node, message + _found(node))

    def _call(self, node: ast.Call | ast.BinOp) -> tuple[str, tuple[Term, ...]]:
        if isinstance(node, ast.BinOp):
            operator = ARITHMETIC.get(type(node.op))
            if operator is None:
                hint = "known are + - * // %, and ** between numbers"
                raise _Bad(node, "unknown operator", hint)
            return operator, (self._term(node.left), self._term(node.right))
        if not isinstance(node.func, ast.Name):
            raise _Bad(node, "expected the call of a function by its name" + _found(node.func))
        return _name(node.func), tuple(self._term(a) for a in self._plain(node))

    def _variable(self) -> Variable:
        self.fresh += 1
        return Variable(f"_{self.fresh}")


def _keys(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def _conjuncts(node: ast.expr) -> list[ast.expr]:
    parts: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd):
        parts.append(node.right)
        node = node.left
    parts.append(node)
    return parts[::-1]


def _found(node: ast.expr) -> str:
    """What stands where a rule has no place for it, if there is a word for it."""
    if isinstance(node, ast.Attribute):
        return f", found the attribute {node.attr!r}"
    found = _WORDS.get(type(node))
    return f", found {found}" if found else ""


def _name(node: ast.Name) -> str:
    """The name of a relation or function. Raises _Bad for one that no rule may use."""
    if not is_plain(node.id):
        raise _Bad(node, f"{node.id!r} cannot be a name", "names are plain letters without `__`")
    return node.id


def _ground(node: ast.expr) -> Constant | None:
    """A value that is written as such, numbers worked out. Raises _Bad for what is none."""
    if isinstance(node, ast.Constant):
        wrong = value_problem(node.value)
        if wrong is not None:
            raise _Bad(node, wrong, "values are texts, numbers, True, False and tuples of them")
        return Constant(node.value)
    if isinstance(node, ast.UnaryOp | ast.BinOp):
        try:
            worked_out = number(node)
        except TooLarge as error:
            raise _Bad(node, str(error)) from None
        return None if worked_out is None else Constant(worked_out)
    if isinstance(node, ast.Tuple):
        parts = [_ground(part) for part in node.elts]
        if all(part is not None for part in parts):
            return Constant(tuple(part.value for part in parts if part is not None))
    return None
