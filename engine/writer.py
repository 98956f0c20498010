"""Python source in the making, and the goals that turn into loops and conditions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any

from shardlog.engine.alternatives import Goal, Solved, goal_names
from shardlog.engine.relations import Inverted
from shardlog.engine.standins import StandIns
from shardlog.engine.syntax import (
    COUNTED,
    Compare,
    Compute,
    Constant,
    Match,
    Member,
    Term,
    Test,
    Variable,
)
from shardlog.engine.traced import TracedIndex

SCAN = 9
"""What it costs to go through all rows of a relation."""
OPERATORS = {"+": "plus", "-": "minus", "*": "times", "//": "divided", "%": "rest", "**": "power"}
"""How generated code calls what works out numbers within bounds."""


def _is_small(term: Term) -> bool:
    """Whether a term is a number that nothing grows large by in one step."""
    return (
        isinstance(term, Constant)
        and isinstance(term.value, int)
        and not isinstance(term.value, bool)
        and abs(term.value) < 1 << 16
    )


@lru_cache(maxsize=4096)
def code_of(source: str) -> CodeType:
    """The compiled form of generated source."""
    return compile(source, "<rules>", "exec")


@lru_cache(maxsize=4096)
def expression_of(source: str) -> CodeType:
    """The compiled form of an expression."""
    return compile(source, "<rules>", "eval")


class Writer:
    """Lines of one function."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def put(self, indent: int, text: str) -> None:
        """Adds a line."""
        self.lines.append("    " * indent + text)

    def text(self) -> str:
        """The source so far."""
        return "\n".join(self.lines) + "\n"


class Names:
    """Stands for values that a function refers to: constants, columns, functions, tables."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.namespace = namespace
        self.constants: dict[Constant, str] = {}
        self.count = 0

    def fresh(self, prefix: str) -> str:
        """A name that nothing bears yet."""
        self.count += 1
        return f"{prefix}{self.count}"

    def hold(self, prefix: str, value: Any) -> str:
        """A fresh name for a value."""
        name = self.fresh(prefix)
        self.namespace[name] = value
        return name

    def constant(self, value: Hashable) -> str:
        """An expression for a ground value."""
        if value is None or isinstance(value, bool | int | str):
            return repr(value)
        key = Constant(value)
        if key not in self.constants:
            self.constants[key] = self.hold("const", value)
        return self.constants[key]

    def term(self, term: Term) -> str:
        """An expression for a term whose variable is a local."""
        return term.name if isinstance(term, Variable) else self.constant(term.value)

    @staticmethod
    def targets(names: Sequence[str]) -> str:
        """What a loop over rows assigns to."""
        return f"{', '.join(names)}{',' if len(names) == 1 else ''}"

    @staticmethod
    def key(terms: Sequence[str]) -> str:
        """An expression for the key of a helper: the one given term, or the tuple of all."""
        return terms[0] if len(terms) == 1 else Names.tuple(terms)

    @staticmethod
    def tuple(terms: Sequence[str]) -> str:
        """An expression for a tuple of expressions."""
        return f"({', '.join(terms)},)" if terms else "()"


class Relations:
    """What a base relation looks like to generated code.

    The `kind` is column, view (a column in which None is a value), rows or table.
    """

    def __init__(self, names: Names, stand_ins: StandIns) -> None:
        self.names, self.stand_ins = names, stand_ins
        self.known: dict[str, tuple[str, str]] = {}
        self.reverse: dict[str, str] = {}

    def kind(self, relation: str) -> str:
        """column, view, rows or table."""
        return self.known[relation][0]

    def add(self, relation: str, kind: str, value: Any, other: Callable[[str], Any]) -> None:
        """Gives a relation a name in the namespace, or the name that it has another value.

        `other` makes what stands in for it while tracing, given the name.
        """
        if relation not in self.known:
            self.known[relation] = (kind, self.names.fresh(f"{kind[0]}_{relation}_"))
        name = self.known[relation][1]
        self.stand_ins.add(name, value, other(name))
        if relation in self.reverse:
            self._invert(relation)

    def name(self, relation: str) -> str:
        """The name of its column, rows or table."""
        return self.known[relation][1]

    def inverted(self, relation: str) -> str:
        """The name of an index from values to entities (column) or (entity, position) (rows)."""
        if relation not in self.reverse:
            self.reverse[relation] = self.names.fresh(f"inv_{relation}_")
            self._invert(relation)
        return self.reverse[relation]

    def _invert(self, relation: str) -> None:
        kind, name = self.known[relation]
        value = self.stand_ins.things[name]
        count = self.names.namespace["entity_count"]
        columns = (value, None) if kind == "column" else (None, value)
        index = Inverted(count, *columns)
        known = self.reverse[relation]
        self.stand_ins.add(known, index, TracedIndex(self.stand_ins.tracer, known, index))


class GoalWriter:
    """Writes one static goal as code around what follows it."""

    def __init__(self, names: Names, relations: Relations) -> None:
        self.names, self.relations = names, relations

    def cost(self, goal: Goal, bound: frozenset[str]) -> int | None:
        """How dear a goal is to write now, cheapest first; None if it is not ready."""

        def has(term: Term) -> bool:
            return isinstance(term, Constant) or term.name in bound

        match goal:
            case Solved(_, terms, negated):
                free = [t for t in terms if not has(t)]
                # variables that nothing else binds are local to a negation
                if negated or not free:
                    return 3
                return 4 if any(map(has, terms)) else 8
            case Compute(target, function, arguments):
                if not all(map(has, arguments)):
                    return None
                return (0 if function in OPERATORS else 2) if not has(target) else 1
            case Compare(_, left, right):
                return 0 if has(left) and has(right) else None
            case Member(term):
                return 0 if has(term) else None
            case Test(function, arguments):
                if not all(map(has, arguments)):
                    return None
                # what counts solutions comes last
                return SCAN - 1 if function == COUNTED else 1
            case Match(relation, terms, _, negated):
                ready = [has(t) for t in terms]
                if negated:
                    # variables that nothing else binds are local to the negation
                    return 1
                kind = self.relations.kind(relation)
                if all(ready):
                    return 1
                if kind == "view":
                    return 1 if ready[0] else SCAN
                if kind == "column":
                    return 1 if ready[0] else (7 if ready[1] else SCAN)
                if kind == "rows":
                    if ready[0]:
                        return 1 if ready[1] else 5
                    return 7 if ready[2] else SCAN
                return 6 if any(ready) else SCAN
        raise AssertionError(goal)

    def write(
        self, w: Writer, goal: Goal, bound: frozenset[str], indent: int
    ) -> tuple[int, frozenset[str]]:
        """Writes a ready goal; returns the indentation of what follows and the names bound then."""
        new = bound | set(goal_names(goal))
        match goal:
            case Compute(target, function, arguments):
                return self._compute(w, target, function, arguments, bound, indent), new
            case Compare(operator, left, right):
                w.put(indent, f"if {self._compared(operator, left, right)}:")
                return indent + 1, new
            case Member(term, values, negated):
                members = self.names.constant(tuple(v.value for v in values))
                word = "not in" if negated else "in"
                w.put(indent, f"if {self.names.term(term)} {word} {members}:")
                return indent + 1, new
            case Test(function, arguments, negated):
                call = f"test_{function}({', '.join(map(self.names.term, arguments))})"
                w.put(indent, f"if {'not ' if negated else ''}{call}:")
                return indent + 1, new
            case Match(negated=True):
                w.put(indent, f"if {self._absent(goal, bound)}:")
                return indent + 1, bound
            case Match():
                return self._match(w, goal, bound, indent), new
        raise AssertionError(goal)

    def _compared(self, operator: str, left: Term, right: Term) -> str:
        one, other = self.names.term(left), self.names.term(right)
        for a, b in ((left, one), (right, other)):
            if isinstance(a, Constant) and (a.value is None or isinstance(a.value, bool)):
                rest = other if b == one and a is left else one
                if operator in ("==", "!="):
                    return f"{rest} is {'not ' if operator == '!=' else ''}{b}"
        return f"{one} {operator} {other}"

    def compute(self, function: str, arguments: Sequence[Term]) -> str:
        """An expression for the value of a function."""
        terms = [self.names.term(t) for t in arguments]
        if function in OPERATORS:
            if function in ("+", "-") and any(map(_is_small, arguments)):
                return f"({terms[0]} {function} {terms[1]})"
            return f"{OPERATORS[function]}({terms[0]}, {terms[1]})"
        return f"memo_{function}[{self.names.tuple(terms)}]"

    def _compute(
        self,
        w: Writer,
        target: Term,
        function: str,
        arguments: Sequence[Term],
        bound: frozenset[str],
        indent: int,
    ) -> int:
        value = self.compute(function, arguments)
        if isinstance(target, Variable) and target.name not in bound:
            w.put(indent, f"{target.name} = {value}")
            if function in OPERATORS:
                return indent
            w.put(indent, f"if {target.name} is not None:")
        else:
            w.put(indent, f"if {value} == {self.names.term(target)}:")
        return indent + 1

    def _absent(self, goal: Match, bound: frozenset[str]) -> str:
        kind, name = self.relations.known[goal.relation]
        terms = [
            self.names.term(t) if isinstance(t, Constant) or t.name in bound else None
            for t in goal.terms
        ]
        if kind == "view":
            column = f"{name}[:entity_count]" if terms[0] is None else f"({name}[{terms[0]}],)"
            return f"not {column}" if terms[1] is None else f"{terms[1]} not in {column}"
        if kind == "column" and terms[0] is not None:
            return f"{name}[{terms[0]}] {'is None' if terms[1] is None else '!= ' + terms[1]}"
        if kind == "rows" and terms[0] is not None and terms[1] is not None:
            row = f"{name}[{terms[0]}]"
            inside = f"0 <= {terms[1]} < len({row})"
            same = "" if terms[2] is None else f" and {row}[{terms[1]}] == {terms[2]}"
            return f"not ({inside}{same})"
        if kind == "rows" and terms[0] is not None:
            row = f"{name}[{terms[0]}]"
            return f"not {row}" if terms[2] is None else f"{terms[2]} not in {row}"
        if kind == "table":
            return f"not {self._lookup(name, terms)}"
        index = self.relations.inverted(goal.relation)
        return f"{terms[-1]} not in {index}"

    def _lookup(self, name: str, terms: Sequence[str | None]) -> str:
        places = tuple(p for p, term in enumerate(terms) if term is not None)
        key = self.names.tuple([term for term in terms if term is not None])
        return f"{name}.lookup({places!r}, {key})"

    def _match(self, w: Writer, goal: Match, bound: frozenset[str], indent: int) -> int:
        kind, name = self.relations.known[goal.relation]
        terms: list[str | None] = []
        seen: set[str] = set()
        checks: list[tuple[str, str]] = []
        targets: list[str] = []
        for term in goal.terms:
            if isinstance(term, Constant) or term.name in bound:
                terms.append(self.names.term(term))
                targets.append("")
            else:
                terms.append(None)
                target = term.name
                if target in seen:
                    target = self.names.fresh("x")
                    checks.append((target, term.name))
                seen.add(term.name)
                targets.append(target)
        if kind == "view":
            indent = self._view(w, name, terms, targets, indent)
        elif kind == "column":
            indent = self._column(w, goal, name, terms, targets, indent)
        elif kind == "rows":
            indent = self._rows(w, goal, name, terms, targets, indent)
        else:
            indent = self._table(w, name, terms, targets, indent)
        for one, other in checks:
            w.put(indent, f"if {one} == {other}:")
            indent += 1
        return indent

    def _column(
        self,
        w: Writer,
        goal: Match,
        name: str,
        terms: Sequence[str | None],
        targets: Sequence[str],
        indent: int,
    ) -> int:
        key, value = terms
        if key is not None:
            if value is not None:
                w.put(indent, f"if {name}[{key}] == {value}:")
            else:
                w.put(indent, f"{targets[1]} = {name}[{key}]")
                w.put(indent, f"if {targets[1]} is not None:")
            return indent + 1
        if value is not None:
            index = self.relations.inverted(goal.relation)
            w.put(indent, f"for {targets[0]} in {index}.get({value}, ()):")
            return indent + 1
        w.put(indent, f"for {targets[0]} in range(entity_count):")
        w.put(indent + 1, f"{targets[1]} = {name}[{targets[0]}]")
        w.put(indent + 1, f"if {targets[1]} is not None:")
        return indent + 2

    @staticmethod
    def _view(
        w: Writer, name: str, terms: Sequence[str | None], targets: Sequence[str], indent: int
    ) -> int:
        key, value = terms
        if key is None:
            key = targets[0]
            w.put(indent, f"for {key} in range(entity_count):")
            indent += 1
        if value is None:
            w.put(indent, f"{targets[1]} = {name}[{key}]")
            return indent
        w.put(indent, f"if {name}[{key}] == {value}:")
        return indent + 1

    def _rows(
        self,
        w: Writer,
        goal: Match,
        name: str,
        terms: Sequence[str | None],
        targets: Sequence[str],
        indent: int,
    ) -> int:
        entity, position, value = terms
        if entity is None and value is not None:
            index = self.relations.inverted(goal.relation)
            place = targets[1] or self.names.fresh("x")
            w.put(indent, f"for {targets[0]}, {place} in {index}.get({value}, ()):")
            indent += 1
            if position is not None:
                w.put(indent, f"if {place} == {position}:")
                indent += 1
            return indent
        if entity is None:
            entity = targets[0]
            w.put(indent, f"for {entity} in range(entity_count):")
            indent += 1
        if position is None and value is not None:
            index = self.relations.inverted(goal.relation)
            found = f"where_is({name}[{entity}], {value}, {index}, {entity})"
            w.put(indent, f"for {targets[1]} in {found}:")
            return indent + 1
        if position is None:
            target = targets[2] or self.names.fresh("x")
            w.put(indent, f"for {targets[1]}, {target} in enumerate({name}[{entity}]):")
            return indent + 1
        row = self.names.fresh("x")
        w.put(indent, f"{row} = {name}[{entity}]")
        w.put(indent, f"if 0 <= {position} < len({row}):")
        indent += 1
        if value is not None:
            w.put(indent, f"if {row}[{position}] == {value}:")
            return indent + 1
        w.put(indent, f"{targets[2]} = {row}[{position}]")
        w.put(indent, f"if {targets[2]} is not None:")
        return indent + 1

    def _table(
        self,
        w: Writer,
        name: str,
        terms: Sequence[str | None],
        targets: Sequence[str],
        indent: int,
    ) -> int:
        if all(term is not None for term in terms):
            row = self.names.tuple([term for term in terms if term is not None])
            w.put(indent, f"if {row} in {name}.rows:")
            return indent + 1
        places = self.names.targets([target or "_" for target in targets])
        w.put(indent, f"for {places} in {self._lookup(name, terms)}:")
        return indent + 1
