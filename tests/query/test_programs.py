"""Rules and questions mean what a plain reading of them means, in whatever order they stand."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from shardlog.engine.syntax import Constant, Match, Term, Variable
from shardlog.query.bounds import Meter
from shardlog.query.planning import Planner
from shardlog.query.reading import Derived, read
from shardlog.query.relations import Kind, Relation, Rows
from shardlog.query.resolving import answers
from shardlog.query.unfolding import unfolded

Draw = Callable[[st.SearchStrategy[Any]], Any]
Row = tuple[Any, ...]

EDGE = Relation("edge", (("X", Kind.NUMBER), ("Y", Kind.NUMBER)), False, "", "")
MARK = Relation("mark", (("X", Kind.NUMBER),), False, "", "")
SIZE = Relation("size", (("X", Kind.NUMBER), ("N", Kind.NUMBER)), True, "", "")
KNOWN = {relation.name: relation for relation in (EDGE, MARK, SIZE)}
CONDITIONS = ["(X != Y)", "(X < Y)", "(X <= 2)", "(Y == 1)", "X.in_((0, 2))", "mark(X)", "~mark(Y)",
              "(size[Y] == N) & (N > 1)", "(size[X] + 1 == M) & (M < 3)", "~edge(Y, X)",
              "~edge(X, 3)"]  # fmt: skip


@st.composite
def programs(draw: Draw) -> tuple[str, str]:
    """Rules in layers, each of which may deny what stands below it, and a question to them."""
    lines = []

    def rule(head: str, *below: str) -> None:
        parts = [draw(st.sampled_from(["edge(X, Y)", "edge(Y, X)", "edge(X, Z) & edge(Z, Y)"]))]
        for name in draw(st.lists(st.sampled_from(below), max_size=2)) if below else ():
            parts.append(f"{draw(st.sampled_from(['', '~']))}{name}(X, Y)")
        parts += draw(st.lists(st.sampled_from(CONDITIONS), max_size=2))
        lines.append(f"{head} <= {' & '.join(draw(st.permutations(parts)))}")

    for _ in range(draw(st.integers(1, 2))):
        rule("near(X, Y)")
    rule("there(X, Y)", "near")
    forms = ["there(X, Z) & near(Z, Y)", "near(X, Z) & there(Z, Y)", "there(X, Z) & there(Z, Y)"]
    lines.append(f"there(X, Y) <= {draw(st.sampled_from(forms))}")
    lines.append("even(X, X) <= mark(X)")
    lines.append("even(X, Y) <= odd(X, Z) & near(Z, Y)")
    lines.append("odd(X, Y) <= even(X, Z) & near(Z, Y)")
    rule("apart(X, Y)", "near", "there", "even", "odd")
    lines.append("apart(X, Y) <= mark(X) & mark(Y) & ~there(X, Y) & ~odd(Y, X)")
    lines.append("(fan[X] == len_(Y)) <= near(X, Y)")
    lines.append("(total[X] == sum_(N, for_each=Y)) <= there(X, Y) & (size[Y] == N)")
    lines.append("(least[X] == min_(Y)) <= there(X, Y)")
    lines.append("(every[X] == tuple_(Y, order_by=-Y)) <= apart(X, Y)")
    literals = [
        "near(X, Y)", "there(X, Y)", "there(0, Y)", "even(X, Y)", "odd(X, 1)", "apart(X, Y)",
        "~there(Y, X)", "(fan[X] == N)", "(fan[X] == 2)", "(total[Y] == T)", "(least[X] == Y)",
        "(every[X] == A)", *CONDITIONS,
    ]  # fmt: skip
    parts = ["edge(X, Y)", *draw(st.lists(st.sampled_from(literals), max_size=3))]
    return "\n".join(lines), " & ".join(draw(st.permutations(parts)))


def plainly(rules: list[Derived], facts: Mapping[str, set[Row]], many: int = 4) -> dict[str, Any]:
    """All rows of all relations: every rule tried with every choice of values, layer by layer."""
    rows: dict[str, set[Row]] = {name: set(found) for name, found in facts.items()}
    values = [*range(many)]
    layers = [
        ("near",),
        ("there", "even", "odd"),
        ("apart",),
        ("fan", "total", "least"),
        ("every",),
    ]
    for layer in layers:
        for name in layer:
            rows[name] = set()
        changed = True
        while changed:
            changed = False
            for rule in rules:
                if rule.relation in layer:
                    new = _made(rule, rows, values) - rows[rule.relation]
                    rows[rule.relation] |= new
                    changed |= bool(new)
    return rows


def _made(rule: Derived, rows: Mapping[str, set[Row]], values: list[int]) -> set[Row]:
    found = list(solutions(rule.body, rows, values))
    if rule.aggregated is None:
        return {tuple(_value(term, env) for term in rule.terms) for env in found}
    how = rule.aggregated
    keys = [str(term) for term in rule.terms[:-1]]
    names = [*keys, how.term.name, *(each.name for each in how.by)]
    groups: dict[Row, set[Row]] = {}
    for env in found:
        groups.setdefault(tuple(env[key] for key in keys), set()).add(
            tuple(env[name] for name in names[len(keys) :])
        )
    made = set()
    for key, group in groups.items():
        ordered = sorted(group, key=lambda row: row[1:], reverse=how.descending)
        numbers = [row[0] for row in ordered]
        value = {
            "len_": lambda n: len(set(n)), "sum_": sum, "min_": lambda n: n[0], "tuple_": tuple,
        }[how.function](numbers)  # fmt: skip
        made.add((*key, value))
    return made


def solutions(body: Any, rows: Mapping[str, set[Row]], values: list[int]) -> Any:
    """The choices of values that satisfy a body: names that are bound by no relation are tried."""
    positive = [each for each in body if isinstance(each, Match) and not each.negated]
    others = [each for each in body if each not in positive]
    for choice in itertools.product(*(rows[each.relation] for each in positive)):
        env: dict[str, Any] | None = {}
        for literal, row in zip(positive, choice, strict=True):
            env = None if env is None else _agree(literal.terms, row, env)
        if env is not None:
            yield from _filtered(others, env, rows)


def _filtered(body: list[Any], env: dict[str, Any], rows: Mapping[str, set[Row]]) -> Any:
    for literal in body:
        kind = type(literal).__name__
        if kind == "Match":
            if any(_agree(literal.terms, row, env) is not None for row in rows[literal.relation]):
                return
        elif kind == "Compute":
            one, other = (_value(term, env) for term in literal.arguments)
            assert literal.function == "+"
            env = {**env, literal.target.name: one + other}
    for literal in body:
        kind = type(literal).__name__
        if kind == "Compare":
            operators = {"==": "__eq__", "!=": "__ne__", "<": "__lt__", "<=": "__le__",
                         ">": "__gt__", ">=": "__ge__"}  # fmt: skip
            left, right = _value(literal.left, env), _value(literal.right, env)
            if not getattr(left, operators[literal.operator])(right):
                return
        elif kind == "Member" and _value(literal.term, env) not in [
            v.value for v in literal.values
        ]:
            return
    yield env


def _agree(terms: tuple[Term, ...], row: Row, env: dict[str, Any]) -> dict[str, Any] | None:
    env = dict(env)
    for term, value in zip(terms, row, strict=True):
        known = term.value if isinstance(term, Constant) else env.setdefault(term.name, value)
        if known != value:
            return None
    return env


def _value(term: Term, env: Mapping[str, Any]) -> Any:
    return term.value if isinstance(term, Constant) else env[term.name]


@settings(max_examples=60)
@given(
    programs(),
    st.sets(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=6),
    st.sets(st.integers(0, 3), min_size=1),
    st.lists(st.integers(0, 3), min_size=4, max_size=4),
    st.booleans(),
)
def test_questions_are_answered_as_a_plain_reading_answers_them(
    program: tuple[str, str], edges: set[Row], marks: set[int], sizes: list[int], unfold: bool
) -> None:
    text, question = program
    facts = {"edge": edges, "mark": {(n,) for n in marks}, "size": set(enumerate(sizes))}
    rules = read(text, "rules", KNOWN, asks=False).rules
    asked = read(question, "question", KNOWN, rules)
    wanted = set()
    for env in solutions(asked.question, plainly(rules, facts), [*range(4)]):
        wanted.add(tuple(env[name] for name in asked.variables))
    grouped: dict[str, list[Derived]] = {}
    for rule in rules:
        grouped.setdefault(rule.relation, []).append(rule)
    sources = {name: Rows(lambda rows=rows: sorted(rows)) for name, rows in facts.items()}
    body = asked.question
    if unfold:
        grouped, body = unfolded(grouped, body, sources)
    planner = Planner(sources, grouped, 4)
    found = answers(body, asked.variables, grouped, sources, planner, Meter())
    assert len(found) == len(set(found))
    assert set(found) == wanted


def test_a_variable_of_a_rule_is_not_that_of_another() -> None:
    rules = read("first(X) <= edge(X, Y); both(X, Y) <= first(X) & first(Y)", "r", KNOWN,
                 asks=False).rules  # fmt: skip
    grouped = {rule.relation: [rule] for rule in rules}
    sources = {"edge": Rows(lambda: [(0, 1), (2, 3)])}
    body = (Match("both", (Variable("A"), Variable("B"))),)
    found = answers(body, ["A", "B"], grouped, sources, Planner(sources, grouped, 4), Meter())
    assert sorted(found) == [(0, 0), (0, 2), (2, 0), (2, 2)]
