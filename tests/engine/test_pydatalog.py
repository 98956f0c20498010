"""Programs without lattices mean what they mean in pyDatalog."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyDatalog import pyDatalog

from shardlog.engine import Facts, Library, Saturation
from shardlog.engine.interpreter import Interpretation
from tests.engine.running import load

Draw = Callable[[st.SearchStrategy[Any]], Any]
Row = tuple[Any, ...]
ARITIES = {"near": 2, "reaches": 2, "odd_one": 1, "apart": 2, "fan": 2, "least": 2, "all_of": 2}


@st.composite
def programs(draw: Draw) -> str:
    """Rules in layers: each may deny what stands below it; literals bind from left to right."""
    lines = []

    def rule(head: str, *below: str) -> None:
        """A rule of X and Y over edges, with conditions on relations of two terms below."""
        parts = [draw(st.sampled_from(["edge(X, Y)", "edge(Y, X)", "edge(X, Z) & edge(Z, Y)"]))]
        for name in draw(st.lists(st.sampled_from(below), max_size=2)) if below else ():
            parts.append(f"{draw(st.sampled_from(['', '~']))}{name}(X, Y)")
        comparisons = ["(X != Y)", "(X < Y)", "(X <= 2)", "(Y == 1)", "X.in_((0, 2))"]
        parts += draw(st.lists(st.sampled_from(comparisons), max_size=1))
        parts += draw(
            st.lists(
                st.sampled_from(["mark(X)", "~mark(Y)", "(size[Y] == N) & (N > 1)"]), max_size=1
            )
        )
        lines.append(f"{head} <= {' & '.join(parts)}")

    for _ in range(draw(st.integers(1, 2))):
        rule("near(X, Y)")
    rule("reaches(X, Y)", "near")
    lines.append("reaches(X, Y) <= reaches(X, Z) & near(Z, Y)")
    rule("odd_one(X)", "near", "reaches")
    rule("apart(X, Y)", "near", "reaches")
    lines.append("apart(X, Y) <= mark(X) & mark(Y) & ~reaches(X, Y) & ~odd_one(Y)")
    lines.append("(fan[X] == len_(Y)) <= near(X, Y)")
    lines.append("(least[X] == min_(Y, order_by=Y)) <= reaches(X, Y)")
    lines.append("(all_of[X] == tuple_(Y, order_by=Y)) <= apart(X, Y)")
    return "\n".join(lines) + "\n"


def asked_of_pydatalog(text: str, facts: Facts) -> dict[str, set[Row]]:
    """All rows by pyDatalog, which keeps its clauses in a place of its own per thread."""
    pyDatalog.clear()
    for name in ("edge", "mark"):
        for row in facts.tables[name].rows:
            pyDatalog.assert_fact(name, *row)
    sizes = "".join(f"+ (size[{n}] == {v})\n" for n, v in enumerate(facts.columns["size"]))
    pyDatalog.load(sizes + text)
    found: dict[str, set[Row]] = {}
    for name, arity in ARITIES.items():
        functional = name in ("fan", "least", "all_of")
        query = f"{name}[X] == Y" if functional else f"{name}({', '.join('XY'[:arity])})"
        answer = pyDatalog.ask(query)
        found[name] = set(answer.answers) if answer is not None else set()
    pyDatalog.clear()
    return found


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    programs(),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=8),
    st.lists(st.integers(0, 3), unique=True, min_size=1),
    st.lists(st.integers(0, 3), min_size=4, max_size=4),
)
def test_pydatalog_agrees(text: str, edges: list[Row], marks: list[int], sizes: list[int]) -> None:
    facts = Facts(4)
    facts.table("edge", edges, 2)
    facts.table("mark", [(n,) for n in marks], 1)
    facts.functional("size", sizes)
    wanted = asked_of_pydatalog(text, facts)
    program = load(text, Library(), facts)
    compiled = Saturation(program, facts).run()
    interpreted = Interpretation(program, facts).run()
    for name, rows in wanted.items():
        assert set(compiled.rows(name)) == rows
        assert set(interpreted.rows(name)) == rows
