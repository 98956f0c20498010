"""Questions that are refused before anything runs, and what is said of them."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shardlog
from shardlog.engine.errors import EvaluationError, RuleError
from shardlog.query import TooCostly

HOSTILE = [
    "__import__('os').system('touch {}')",
    "(X == __import__('os').system('touch {}'))",
    "().__class__.__bases__[0].__subclasses__() == X",
    "inst(I) & (I.__class__ == X)",
    "inst(I.mro())",
    "eval('1') == X",
    'exec(\'open("{}", "w")\') & inst(I)',
    "inst(lambda: 1)",
    "inst([I for I in (1, 2)])",
    "inst({{I: 1}})",
    "inst((I := 'a'))",
    "inst(f'{{open(1)}}')",
    "inst(*I)",
    "inst(I=1)",
    "inst(I) if True else inst(J)",
    "import os; inst(I)",
    "def f(): pass",
    "class A: pass",
    "opcode[I] = 'dot'",
    "I = 3; inst(I)",
    "del opcode[I]",
    "inst(I) and inst(J)",
    "not inst(I)",
    "inst(I) | inst(J)",
    "inst(b'x')",
    "inst(1.5)",
    "inst(None)",
    "inst(True)",
    "inst(...)",
    "inst(1j)",
    "opcode[1:2] == X",
    "inst(I)(J)",
    "opcode[I][J] == X",
    "open('{}') & inst(I)",
    "pyDatalog.load('x')",
    "~(I == J) & inst(I) & inst(J)",
    "await inst(I)",
    "@inst(I)",
    "inst(I) & print(I)",
    "X.in_(open('{}'))",
    "like(T, open('{}'))",
    "2**2**99 == X",
    "9**64 == X",
    "2**63 == X",
    "(-2)**65 == X",
    "10**10**10 == X",
    "(2**62) * (2**62) == X",
    "'a' * 10**9 == X",
    "1 // 0 == X",
    "9" * 5000 + " == X",
    "X == '" + "a" * 15_000 + "'",
    "(" * 300 + "inst(I)" + ")" * 300,
    "~" * 200 + "inst(I)",
    "X == " + "-" * 5000 + "1",
    "inst(I) & " * 300 + "inst(I)",
    "inst(" + "(" * 60 + "1" + ",)" * 60 + ")",
    "inst(I) " * 4000,
    "inst(\x00)",
    "inst('\ud800')",
    "p(X) <= ~p(X) & inst(X); p(X)",
    "(p[X] == len_(Y)) <= (p[Y] == X); p[X] == Y",
    "_p(X) <= inst(X); _p(X)",
    "p__q(X) <= inst(X); p__q(X)",
    "inst(X) <= tiled(X); inst(X)",
    "p(X, Y) <= inst(X); p(X, Y)",
    "p(X) <= inst(X)",
    "+ p(X); p(X)",
    "",
    "   # nothing",
]


@pytest.mark.parametrize("question", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_questions_are_refused(
    gpt: shardlog.Result, question: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "system", lambda _: pytest.fail("it ran"))
    made = tmp_path / "made"
    with pytest.raises(RuleError) as caught:
        gpt.query(question.replace("{}", str(made)).replace("{{", "{").replace("}}", "}"))
    assert str(caught.value).startswith("question:")
    assert not made.exists()


@pytest.mark.parametrize(
    ("question", "line", "caret", "hint"),
    [
        ("opernd(I, K, O)", "unknown relation 'opernd'", 1, "did you mean 'operand'"),
        ("inst(I) & replicatd(I)", "unknown relation 'replicatd'", 11, "'replicated'"),
        ("opcode[I] == 'dto'", "no opcode is called 'dto'", 14, "there is 'dot'"),
        ("because(I, 'dott', O)", "no rule is called 'dott'", 12, "'dot'"),
        ("tiled('dot_general.2')", "no instruction is called 'dot_general.2'", 7, "dot_general."),
        ("operand(I, O)", "'operand' has 3 arguments, here are 2", 1, "operand[I, K] == O"),
        ("replicated[I] == X", "'replicated' is no function", 1, "write replicated(I)"),
        ("opcode[I] == 3", "expected an opcode, found 3", 14, None),
        ("dim[I, 'x'] == N", "expected a number, found 'x'", 8, None),
        ("inst(i)", "'i' is neither a variable nor a value", 6, "begin with a capital letter"),
        ("tiled(I) & rank[I] > 2", "a comparison needs parentheses", 12, "write `replicated(I)"),
        ("tiled(I) | manual(I)", "`|` has no place here", 1, "two rules with one head"),
        ("inst('é') & opernd(I)", "no instruction is called 'é'", 6, None),
        ("inst(I) & (N > 3)", "nothing gives N a value", 1, "a relation must have it"),
        ("~inst(I) & (I == J)", "nothing gives I a value", 1, None),
        ("p(X) <= ~q(X); q(X) <= p(X); p(X)", "the head has X, which nothing", 1, None),
        ("2**2**99 == X", "numbers go to 2**63 - 1, exponents from 0 to 64", 4, None),
        ("p(X) <= q(X) & inst(X); q(X) <= inst(X) & ~p(X); p(X)", "denies what it rests on", 1,
         None),
        ("p(X) <= inst(X); p(X, Y) <= inst(X) & inst(Y); p(X)", "another number", 18, None),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_at_its_place(
    gpt: shardlog.Result, question: str, line: str, caret: int, hint: str | None
) -> None:
    with pytest.raises(RuleError) as caught:
        gpt.query(question)
    problem = caught.value.problems[0]
    assert line in problem.message
    assert problem.span.column == caret
    assert hint is None or hint in (problem.hint or "")
    assert f"{problem.source}\n    {' ' * (caret - 1)}^" in str(caught.value)


def test_all_that_is_wrong_with_a_file_is_told(gpt: shardlog.Result, tmp_path: Path) -> None:
    file = tmp_path / "bad.dl"
    file.write_text("p(X) <= opernd(X)\nq(X) <= inst(X)\nr(X) <= q(X, Y)\n")
    with pytest.raises(RuleError) as caught:
        gpt.query("q(X)", define=[file])
    assert [problem.span.line for problem in caught.value.problems] == [1, 3]
    assert str(file) in str(caught.value)


def test_a_file_that_is_no_text_is_refused(gpt: shardlog.Result, tmp_path: Path) -> None:
    file = tmp_path / "bad.dl"
    file.write_bytes(b"p(X) <= inst(X)\n\xff\n")
    with pytest.raises(shardlog.InputError, match=r"bad\.dl:2: not UTF-8"):
        gpt.query("p(X)", define=[file])


@pytest.mark.parametrize("bound", ["2**30", "-(2**30)", "2**62 * 1", "10**6 * 8", "7 // 2 % 2"])
def test_numbers_within_the_bounds_are_worked_out(gpt: shardlog.Result, bound: str) -> None:
    assert gpt.query(f"X == {bound}").rows == ((eval(bound),),)


WORDS = [
    "inst", "opcode", "tiled", "because", "reaches", "step", "p", "I", "J", "N", "_", "'dot'",
    "'x'", "2", "2**30", "0", "(", ")", "[", "]", ",", "&", "~", "==", "!=", "<=", "<", "+", "-",
    "*", "//", "%", ".in_", ".not_in_", ".x", ";", "\n", "lambda", "if", "for", "in", "len_",
    "sum_",
    "for_each=", "order_by=", "like", "#", "\\", "\t", "'", '"""', "\x0c", "é", "{", "}", ":", "|",
]  # fmt: skip
SHAPES = st.recursive(
    st.sampled_from(["I", "J", "N", "_", "'dot'", "2", "0", "opcode[I]", "byte_size[J]", "p[I]"]),
    lambda inner: st.tuples(inner, st.sampled_from(["+", "-", "*", "//", "%", "**"]), inner).map(
        " ".join
    ),
    max_leaves=4,
)
LITERALS = st.one_of(
    st.tuples(
        st.sampled_from(
            ["inst", "tiled", "p", "~tiled", "~p", "opcode", "reaches", "step", "like"]
        ),
        st.lists(SHAPES, max_size=3).map(", ".join),
    ).map(lambda parts: f"{parts[0]}({parts[1]})"),
    st.tuples(SHAPES, st.sampled_from(["==", "!=", "<", ">="]), SHAPES).map(
        lambda parts: f"({' '.join(parts)})"
    ),
    SHAPES.map(lambda term: f"{term}.in_((1, 'x'))"),
)
BODIES = st.lists(LITERALS, min_size=1, max_size=3).map(" & ".join)
PROGRAMS = st.tuples(st.lists(BODIES, max_size=2), BODIES).map(
    lambda parts: "; ".join([*(f"p(I) <= {body}" for body in parts[0]), parts[1]])
)


@given(st.one_of(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), PROGRAMS))
def test_any_text_is_answered_or_refused(gpt: shardlog.Result, text: str) -> None:
    with contextlib.suppress(RuleError, EvaluationError, TooCostly):
        answer = gpt.session().ask(text, seconds=2, rows=2000)
        assert answer.count == len(answer.rows)
