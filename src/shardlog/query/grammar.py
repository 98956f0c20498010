"""Which of Python's syntax a question may hold, and constants worked out within bounds.

Python's own `ast` reads a question, which runs nothing. What is not named here is refused.
"""

from __future__ import annotations

import ast
import re
import warnings

from shardlog.engine.errors import Problem, RuleError, Span
from shardlog.query.bounds import DEEPEST, LARGEST_NUMBER, LONGEST_TEXT

__all__ = ["ARITHMETIC", "COMPARISONS", "Bad", "Page", "constant", "parsed"]

ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%"}
COMPARISONS = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}

_LARGEST_EXPONENT = 64
_JOINED = re.compile(r"(&[ \t]*)\r?\n")

_ALLOWED = (
    ast.Expr, ast.Compare, ast.BinOp, ast.UnaryOp, ast.Call, ast.Subscript, ast.Tuple, ast.Name,
    ast.Constant, ast.Attribute, ast.keyword, ast.Load, ast.operator, ast.unaryop, ast.cmpop,
)  # fmt: skip

_CALLED = {
    "Lambda": "a lambda",
    "ListComp": "a comprehension",
    "SetComp": "a comprehension",
    "DictComp": "a comprehension",
    "GeneratorExp": "a comprehension",
    "JoinedStr": "an f-string",
    "FormattedValue": "an f-string",
    "NamedExpr": "an assignment",
    "Assign": "an assignment",
    "AugAssign": "an assignment",
    "AnnAssign": "an assignment",
    "Starred": "a star",
    "IfExp": "a conditional expression",
    "Import": "an import",
    "ImportFrom": "an import",
    "FunctionDef": "a function",
    "ClassDef": "a class",
    "Slice": "a slice",
    "List": "a list",
    "Dict": "a dictionary",
    "Set": "a set",
    "BoolOp": "`and` or `or`",
}

_HINTS = {
    "BoolOp": "literals are joined by `&`; for `or` write two rules with one head",
    "BitOr": "for `or` write two rules with one head, or `X.in_(('a', 'b'))`",
    "Not": "`~` means not",
    "List": "values stand in parentheses: ('a', 'b')",
    "In": "write X.in_(('a', 'b'))",
}


class Bad(Exception):
    """What is wrong with a node; `Page.problem` says where it is."""

    def __init__(self, node: ast.AST, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.node, self.message, self.hint = node, message, hint


class Page:
    """A text that is read, with the name that messages call it by."""

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        # the same lines as the parser counts: others, such as at a form feed, it does not know
        self.lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    def problem(self, node: ast.AST, message: str, hint: str | None = None) -> Problem:
        """What is wrong, with the place of a node."""
        number = getattr(node, "lineno", 1)
        line = self._line(number)
        column = 0
        if line is not None:
            # the parser counts bytes
            column = len(line.encode()[: getattr(node, "col_offset", 0)].decode(errors="replace"))
        return Problem(Span(self.name, number, column + 1), message, None, hint, line)

    def error(self, node: ast.AST, message: str, hint: str | None = None) -> RuleError:
        """The error that says so."""
        return RuleError([self.problem(node, message, hint)])

    def at(self, line: int, column: int, message: str, hint: str | None = None) -> RuleError:
        """The error for a place."""
        span = Span(self.name, line, max(column, 1))
        return RuleError([Problem(span, message, None, hint, self._line(line))])

    def _line(self, number: int) -> str | None:
        return self.lines[number - 1] if 0 < number <= len(self.lines) else None


def parsed(page: Page, text: str, longest: int) -> list[ast.Expr]:
    """The statements of a text, each an expression that holds nothing but what it may.

    Raises RuleError.
    """
    if len(text) > longest:
        raise page.at(1, 1, f"a text of {len(text):,} characters; the most are {longest:,}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # what ends in & goes on
            tree = ast.parse(_JOINED.sub(r"\1\\\n", text))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        said = getattr(error, "msg", None) or str(error) or "nested too deeply"
        raise page.at(
            getattr(error, "lineno", None) or 1,
            getattr(error, "offset", None) or 1,
            f"cannot be read: {said}",
        ) from None
    try:
        return [_checked(statement) for statement in tree.body]
    except Bad as bad:
        raise page.error(bad.node, bad.message, bad.hint) from None


def _checked(statement: ast.stmt) -> ast.Expr:
    """A statement in which every node is allowed and none stands too deep. Raises Bad."""
    if not isinstance(statement, ast.Expr):
        raise _foreign(statement)
    todo: list[tuple[ast.AST, int]] = [(statement, 0)]
    while todo:
        node, depth = todo.pop()
        _allow(node)
        if depth > DEEPEST:
            raise Bad(statement, f"nested too deeply: the most are {DEEPEST} levels")
        for child in reversed(list(ast.iter_child_nodes(node))):
            # a conjunction leans to the left, as deep as it is long
            along = _is_conjunction(node) and _is_conjunction(child)
            todo.append((child, depth if along else depth + 1))
    return statement


def _allow(node: ast.AST) -> None:
    if not isinstance(node, _ALLOWED):
        raise _foreign(node)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        raise Bad(node, "`|` has no place here", _HINTS["BitOr"])
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        raise Bad(node, "`not` has no place here", _HINTS["Not"])
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
        raise Bad(node, "`in` has no place here", _HINTS["In"])
    if isinstance(node, ast.Attribute) and node.attr not in ("in_", "not_in_"):
        raise Bad(node, "attributes have no place here, but for `.in_` and `.not_in_`")


def _is_conjunction(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd)


def _foreign(node: ast.AST) -> Bad:
    kind = type(node).__name__
    while not hasattr(node, "lineno"):
        children = list(ast.iter_child_nodes(node))
        if not children:
            break
        node = children[0]
    return Bad(node, f"{_CALLED.get(kind, kind)} has no place here", _HINTS.get(kind))


def constant(node: ast.expr) -> int | str | tuple[int | str, ...] | None:
    """The value of a node without variables, None if it is no constant. Raises Bad."""
    if isinstance(node, ast.Constant):
        return _plain(node)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        value = constant(node.operand)
        if value is None:
            return None
        number = _number(node, value)
        return -number if isinstance(node.op, ast.USub) else number
    if isinstance(node, ast.BinOp):
        left, right = constant(node.left), constant(node.right)
        if left is None or right is None:
            return None
        return _computed(node, _number(node, left), _number(node, right))
    if isinstance(node, ast.Tuple):
        parts = [constant(part) for part in node.elts]
        if any(part is None or isinstance(part, tuple) for part in parts):
            return None
        return tuple(part for part in parts if isinstance(part, int | str))
    return None


def _plain(node: ast.Constant) -> int | str:
    value = node.value
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise Bad(node, f"{value!r} is no value here: there are numbers and texts in quotes")
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        raise Bad(node, f"a text of {len(value):,} characters; the most are {LONGEST_TEXT:,}")
    return _bounded(node, value) if isinstance(value, int) else value


def _number(node: ast.AST, value: int | str | tuple[int | str, ...]) -> int:
    if not isinstance(value, int):
        raise Bad(node, "only numbers can be reckoned with")
    return value


def _computed(node: ast.BinOp, left: int, right: int) -> int:
    if isinstance(node.op, ast.Pow):
        if not 0 <= right <= _LARGEST_EXPONENT or left.bit_length() * right > 2 * 64:
            raise _too_large(node)
        return _bounded(node, left**right)
    operator = ARITHMETIC.get(type(node.op))
    if operator is None:
        raise Bad(node, "this operator has no place here", "known are + - * // % and **")
    if operator in ("//", "%"):
        if right == 0:
            raise Bad(node, "division by zero")
        return left // right if operator == "//" else left % right
    value = left + right if operator == "+" else left - right if operator == "-" else left * right
    return _bounded(node, value)


def _bounded(node: ast.AST, value: int) -> int:
    if abs(value) > LARGEST_NUMBER:
        raise _too_large(node)
    return value


def _too_large(node: ast.AST) -> Bad:
    return Bad(
        node,
        f"too large: numbers go to 2**63 - 1, exponents from 0 to {_LARGEST_EXPONENT}",
    )
