"""Answers about real graphs, and what is told of a question that cannot be answered."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shardlog
from shardlog.engine.errors import EvaluationError, RuleError
from shardlog.query import TooCostly

LITERALS = ["replicated(I)", "(byte_size[I] == N)", "(N > 2**20)", "because(I, R, O)",
            "~annotated(O)", "(opcode[O] == P)", "(N // 2 == M)"]  # fmt: skip


def test_backward_steps_are_those_of_xlas_log(gpt: shardlog.Result) -> None:
    # by hand: the lines "Add sharding (backward-pass)" that XLA's pass logs for this module
    steps = "step(E, I) & (step_direction[E] == 'backward')"
    dots = gpt.query(f"{steps} & (opcode[I] == 'dot')").column("I")
    assert set(dots) == {f"dot_general.{n}" for n in (21, 22, 23, 24, 29, 30, 31, 32)}
    counts = gpt.query(f"(n[P] == len_(E)) <= {steps} & (opcode[I] == P); n[P] == N")
    assert dict(counts.rows) == {
        "broadcast": 84, "reshape": 35, "constant": 11, "dot": 8, "iota": 4, "compare": 3,
        "add": 3, "select": 1, "gather": 1, "convert": 1,
    }  # fmt: skip


def test_a_question_about_causes(gpt: shardlog.Result) -> None:
    question = "replicated(I) & (byte_size[I] > 2**20) & because(I, R, O)"
    answer = gpt.query(question)
    # iota.9 and its like are made for the two causal masks, compared with each other
    assert answer.variables == ("I", "R", "O")
    assert answer.rows == (
        ("iota.9", "user", "ge.2"),
        ("iota.11", "user", "ge.2"),
        ("iota.13", "user", "ge.3"),
        ("iota.15", "user", "ge.3"),
    )


@given(st.permutations(LITERALS))
def test_the_order_of_literals_does_not_matter(gpt: shardlog.Result, parts: list[str]) -> None:
    def rows(question: str) -> set[tuple[str, object]]:
        answer = gpt.query(question)
        return {
            tuple(sorted(zip(answer.variables, row, strict=True), key=str)) for row in answer.rows
        }

    assert rows(" & ".join(parts)) == rows(" & ".join(LITERALS)) != set()


def test_a_question_without_variables_holds_or_not(gpt: shardlog.Result) -> None:
    assert gpt.query("opcode['dot_general.20'] == 'dot'")
    assert str(gpt.query("replicated('dot_general.20')")) == "no"


def test_instructions_go_by_their_names_after_the_pass_too(gpt: shardlog.Result) -> None:
    before = gpt.query("because(I, R, 'sharding_constraint.18')").rows
    assert before == gpt.query("because(I, R, '%copy.12')").rows != ()


def test_rules_of_a_file_and_of_a_question(gpt: shardlog.Result, tmp_path: Path) -> None:
    file = tmp_path / "mine.dl"
    file.write_text(
        "# what is computed from an instruction, written out\n"
        "from_it(I, U) <= (user[I, _] == U)\n"
        "from_it(I, U) <= from_it(I, J) &\n"
        "    (user[J, _] == U)\n"
        "+ interesting('dot_general.20')\n"
    )
    mine = gpt.query("interesting(I) & from_it(I, U)", define=[file])
    assert mine.rows == gpt.query("(I == 'dot_general.20') & reaches(I, U)").rows != ()
    with pytest.raises(RuleError, match="unknown relation 'from_it'"):
        gpt.query("from_it(I, U)")


def test_what_rests_on_an_annotation_owes_it(gpt: shardlog.Result) -> None:
    owing = gpt.query("owes(I, 'sharding_constraint.18')").column("I")
    assert len(owing) == 31
    assert {(i, "sharding_constraint.18") for i in owing} <= set(gpt.query("owes(I, A)").rows)
    assert gpt.query("because(I, _, O) & annotated(O) & ~owes(I, O)").count == 0
    assert gpt.query("owes(I, A) & ~rests_on(I, A)").count == 0


def test_axes_need_a_mesh(gpt: shardlog.Result) -> None:
    with pytest.raises(shardlog.InputError, match="dim_axis needs a mesh"):
        gpt.query("dim_axis(I, D, A)")
    mesh = shardlog.Mesh.parse("x=2,y=4")
    found = gpt.query("dim_axis('dot_general.20', D, A) & (spec['dot_general.20'] == S)", mesh=mesh)
    spec = "P('x', 'y', None, None)"
    assert found.rows == ((0, "x", spec), (1, "y", spec))


def test_a_question_that_takes_too_long_is_given_up(gpt: shardlog.Result) -> None:
    with pytest.raises(TooCostly, match=r"no answer within 0\.01 s.* in this order: inst\(I\) &"):
        gpt.query("inst(I) & inst(J) & inst(K) & (I != J)", seconds=0.01)
    with pytest.raises(TooCostly, match="more than 1,000 rows"):
        gpt.session().ask("inst(I) & inst(J)", rows=1000)
    # one that would never end
    with pytest.raises(TooCostly):
        gpt.query("n(X) <= (X == 1); n(X) <= n(Y) & (X == Y + 1); n(X)", seconds=0.2)
    assert gpt.query("entry(C)").count == 1


def test_numbers_grow_no_further_than_their_bound(gpt: shardlog.Result) -> None:
    with pytest.raises(EvaluationError, match="too large: numbers go to"):
        gpt.query("n(X) <= (X == 3); n(X) <= n(Y) & (X == Y * Y); n(X)")
    with pytest.raises(EvaluationError, match="only numbers can be reckoned with"):
        gpt.query("(opcode[I] == P) & (N == P + 1)")
    with pytest.raises(EvaluationError, match="a number and a text cannot be compared"):
        gpt.query("(opcode[I] == P) & (P > 3)")
    with pytest.raises(EvaluationError, match="cannot be answered"):
        gpt.query("(s[R] == sum_(P, for_each=I)) <= (rule[I] == R) & (opcode[I] == P); s[R] == N")
    assert gpt.query("(byte_size[I] == N) & (M == N // 0)").count == 0


def test_forms_of_an_answer(gpt: shardlog.Result) -> None:
    answer = gpt.query("(opcode[I] == 'dot') & (rank[I] == N)", limit=3)
    assert (answer.count, len(answer)) == (17, 3)
    read = json.loads(answer.to_json())
    assert read == answer.to_dict()
    assert [tuple(row) for row in read["rows"]] == list(answer.rows)
    rows = list(csv.reader(io.StringIO(answer.to_csv())))
    assert rows == [["I", "N"], *([name, str(rank)] for name, rank in answer.rows)]
    assert str(answer).splitlines()[0].split() == ["I", "N"]
    assert str(answer).endswith("17 rows, 14 of them not shown (--limit)")


def test_pydatalog_programs_of_the_user_stay(gpt: shardlog.Result) -> None:
    from pyDatalog import pyDatalog

    pyDatalog.clear()
    pyDatalog.assert_fact("mine", 1)
    gpt.query("p(I) <= tiled(I); p(I) & (opcode[I] == 'dot')")
    assert pyDatalog.ask("mine(X)").answers == [(1,)]
    pyDatalog.clear()
