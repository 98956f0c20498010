"""Literals and terms of questions, read with every name looked up at once."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Mapping, Sequence

from shardlog.engine.syntax import (
    Compare,
    Compute,
    Constant,
    Literal,
    Match,
    Member,
    Term,
    Test,
    Variable,
    is_variable,
)
from shardlog.query.grammar import ARITHMETIC, COMPARISONS, Bad, constant
from shardlog.query.relations import Kind, Relation

__all__ = ["TESTS", "Literals", "Resolve", "keys_of"]

TESTS: dict[str, tuple[int, str]] = {
    "contains": (2, "the text T has the text W in it"),
    "starts_with": (2, "the text T begins with W"),
    "ends_with": (2, "the text T ends with W"),
    "like": (2, "the text T is like W, in which * stands for anything and ? for a character"),
}
"""Tests of texts that are known: how many arguments, and what they say."""

Resolve = Callable[[Kind, str], str | tuple[str, Sequence[str]] | None]
"""Asked of what kind a name is: what it stands for, or (what is wrong, names alike), or None."""


class Literals:
    """Reads the literals of one statement.

    `asked` are the variables that have stood elsewhere than behind `~`, `kinds` what they are.
    Literals that stand for functions within terms are put into `extra`.
    """

    def __init__(
        self,
        known: Mapping[str, Relation],
        arities: Mapping[str, tuple[int, bool]],
        resolve: Resolve | None,
    ) -> None:
        self.known, self.arities, self.resolve = known, arities, resolve
        self.extra: list[Literal] = []
        self.fresh = 0
        self.asked: dict[str, ast.AST] = {}
        self.kinds: dict[str, Kind] = {}
        self.denied = 0

    # ------------------------------------------------------------ literals

    def literal(self, node: ast.expr) -> Literal:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            return self._negated(node)
        if isinstance(node, ast.Compare):
            return self._comparison(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            return self._member(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self._called(node, node.func.id)
        if isinstance(node, ast.Subscript):
            raise Bad(node, "a function needs a value to be compared with", "(opcode[I] == T)")
        raise Bad(node, "expected a relation, a test, or a comparison in parentheses")

    def _called(self, node: ast.Call, name: str) -> Literal:
        self.unnamed(node)
        if name in TESTS:
            if len(node.args) != TESTS[name][0]:
                raise Bad(node, f"{name} takes {TESTS[name][0]} arguments, not {len(node.args)}")
            return Test(name, tuple(self.term(each) for each in node.args))
        return self._match(node, name, node.args, functional=False)

    def _match(
        self, node: ast.expr, name: str, nodes: Sequence[ast.expr], functional: bool
    ) -> Match:
        relation = self.known.get(name)
        if relation is not None:
            arity, is_function = relation.arity, relation.functional
            written = relation.signature
        elif name in self.arities:
            arity, is_function = self.arities[name]
            written = f"{name} with {arity} arguments"
        else:
            raise self._unknown(node, name)
        if functional and not is_function:
            raise Bad(node, f"{name!r} is no function", f"write {written}")
        if len(nodes) != arity:
            raise Bad(
                node, f"{name!r} has {arity} arguments, here are {len(nodes)}", f"write {written}"
            )
        terms = []
        for place, each in enumerate(nodes):
            kind = relation.arguments[place][1] if relation is not None else None
            term = self.term(each)
            if kind is not None and isinstance(term, Variable):
                self.kinds.setdefault(term.name, kind)
            if kind is not None and isinstance(term, Constant):
                term = Constant(self._constant(each, kind, term.value))
            terms.append(term)
        return Match(name, tuple(terms), is_function)

    def _constant(self, node: ast.AST, kind: Kind, value: object) -> int | str:
        """What a value stands for where something of a kind is expected. Raises Bad."""
        if isinstance(value, tuple):
            raise Bad(node, "a tuple has no place here")
        number = kind in (Kind.NUMBER, Kind.STEP)
        if number != isinstance(value, int):
            raise Bad(node, f"expected {_article(kind)}, found {value!r}")
        if isinstance(value, str) and self.resolve is not None:
            found = self.resolve(kind, value)
            if isinstance(found, tuple):
                message, alike = found
                hint = f"there is {', '.join(map(repr, alike))}" if alike else None
                raise Bad(node, message, hint)
            return value if found is None else found
        assert isinstance(value, int | str)
        return value

    def _unknown(self, node: ast.expr, name: str) -> Bad:
        names = [*self.known, *self.arities, *TESTS]
        if is_variable(name):
            return Bad(node, f"{name!r} is a variable, not a relation")
        alike = difflib.get_close_matches(name, names, 3, 0.6)
        hint = f"did you mean {' or '.join(map(repr, alike))}?" if alike else None
        return Bad(node, f"unknown relation {name!r}", hint or "`shardlog query --relations`")

    def _negated(self, node: ast.UnaryOp) -> Literal:
        self.denied += 1
        inner = self.literal(node.operand)
        self.denied -= 1
        match inner:
            case Match(relation, terms, functional, False):
                return Match(relation, terms, functional, True)
            case Test(function, arguments, False):
                return Test(function, arguments, True)
        raise Bad(node, "`~` goes before a relation or a test", "turn the comparison round")

    def _comparison(self, node: ast.Compare) -> Literal:
        operator = COMPARISONS.get(type(node.ops[0]))
        for side in (node.left, *node.comparators):
            if isinstance(side, ast.BinOp) and isinstance(side.op, ast.BitAnd):
                raise Bad(
                    side.right if side is node.left else node,
                    "a comparison needs parentheses of its own",
                    "write `replicated(I) & (byte_size[I] > 2**30)`",
                )
        if operator is None or len(node.ops) != 1:
            raise Bad(node, "expected one comparison of two terms", "write `(A < B) & (B < C)`")
        left, right = node.left, node.comparators[0]
        if operator == "==":
            for one, other in ((left, right), (right, left)):
                if isinstance(one, ast.Subscript):
                    return self._match(one, self._named(one), [*keys_of(one), other], True)
                if isinstance(one, ast.BinOp) and constant(one) is None:
                    target = self.term(other)
                    return Compute(target, *self._arithmetic(one))
        return Compare(operator, self.term(left), self.term(right))

    def _member(self, node: ast.Call) -> Literal:
        assert isinstance(node.func, ast.Attribute)
        self.unnamed(node)
        values = constant(node.args[0]) if len(node.args) == 1 else None
        if values is None:
            raise Bad(node, f"`.{node.func.attr}` takes values in parentheses", "X.in_(('a', 'b'))")
        if not isinstance(values, tuple):
            values = (values,)
        term = self.term(node.func.value)
        return Member(term, tuple(map(Constant, values)), node.func.attr == "not_in_")

    # ------------------------------------------------------------ terms

    def term(self, node: ast.expr) -> Term:
        if isinstance(node, ast.Name):
            if node.id == "_":
                return self.variable()
            if not is_variable(node.id):
                raise Bad(
                    node,
                    f"{node.id!r} is neither a variable nor a value",
                    "variables begin with a capital letter, texts stand in quotes",
                )
            # what only stands in what is denied has no value to be shown
            if not self.denied:
                self.asked.setdefault(node.id, node)
            return Variable(node.id)
        value = constant(node)
        if value is not None:
            return Constant(value)
        if isinstance(node, ast.Subscript):
            fresh = self.variable()
            name = self._named(node)
            relation = self.known.get(name)
            keys = keys_of(node)
            stand_in = ast.copy_location(ast.Name(id="_", ctx=ast.Load()), node)
            match = self._match(node, name, [*keys, stand_in], True)
            if relation is not None:
                self.kinds[fresh.name] = relation.arguments[-1][1]
            self.extra.append(Match(name, (*match.terms[:-1], fresh), True))
            return fresh
        if isinstance(node, ast.BinOp):
            function, arguments = self._arithmetic(node)
            fresh = self.variable()
            self.extra.append(Compute(fresh, function, arguments))
            return fresh
        if isinstance(node, ast.Call):
            raise Bad(node, "nothing is called here", "a relation stands by itself, joined by `&`")
        raise Bad(node, "expected a variable, a value or `function[X]`")

    def _arithmetic(self, node: ast.BinOp) -> tuple[str, tuple[Term, ...]]:
        operator = ARITHMETIC.get(type(node.op))
        if operator is None:
            raise Bad(
                node,
                "this operator has no place here",
                "known are + - * // %, and ** between numbers",
            )
        return operator, (self.term(node.left), self.term(node.right))

    def _named(self, node: ast.Subscript) -> str:
        if not isinstance(node.value, ast.Name):
            raise Bad(node, "expected a function by its name: opcode[I]")
        return node.value.id

    def unnamed(self, node: ast.Call) -> None:
        if node.keywords:
            raise Bad(node, "arguments have no names here")

    def variable(self) -> Variable:
        """A variable that no question can name."""
        self.fresh += 1
        return Variable(f"_{self.fresh}")

    # ------------------------------------------------------------ values that variables are held to

    def resolved(self, literal: Literal, node: ast.AST) -> Literal:
        """A comparison with what its values stand for."""
        match literal:
            case Compare("==" | "!=" as operator, left, right):
                return Compare(
                    operator, self._held(left, right, node), self._held(right, left, node)
                )
            case Member(Variable(name) as term, values, negated) if name in self.kinds:
                kind = self.kinds[name]
                held = tuple(Constant(self._constant(node, kind, v.value)) for v in values)
                return Member(term, held, negated)
        return literal

    def _held(self, term: Term, other: Term, node: ast.AST) -> Term:
        if isinstance(term, Constant) and isinstance(other, Variable) and other.name in self.kinds:
            return Constant(self._constant(node, self.kinds[other.name], term.value))
        return term


def _article(kind: Kind) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def keys_of(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
