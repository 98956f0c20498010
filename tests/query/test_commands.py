"""`shardlog query` and `shardlog repl` as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from shardlog.cli import main
from shardlog.cli.asking import Asking
from shardlog.query.vocabulary import RELATIONS
from tests.query.conftest import GPT

DOTS = "(opcode[I] == 'dot')"


def run(*arguments: object, code: int = 0, typed: str | None = None) -> Result:
    result = CliRunner().invoke(main, [str(each) for each in arguments], input=typed)
    assert result.exit_code == code, result.output
    return result


def test_a_table_json_and_csv() -> None:
    lines = run("query", GPT, f"{DOTS} & (rank[I] == N)", "--limit", 2).stdout.splitlines()
    assert lines[0].split() == ["I", "N"]
    assert lines[3] == "17 rows, 15 of them not shown (--limit)"
    answer = json.loads(run("query", GPT, DOTS, "--json").stdout)
    assert answer["count"] == len(answer["rows"]) == 17
    lines = run("query", GPT, DOTS, "--format", "csv").stdout.splitlines()
    assert lines == ["I", *(row[0] for row in answer["rows"])]
    assert run("query", GPT, DOTS, "--count").stdout == "17\n"


def test_a_table_on_a_mesh_has_specs() -> None:
    question = "(opcode[I] == 'dot') & (sharding[I] == S)"
    lines = run("query", GPT, question, "--mesh", "x=2,y=4", "--limit", 1).stdout.splitlines()
    assert lines[1] == "dot_general.19  P('x', None, 'y', None)"
    assert lines[0] == "I               S"


def test_exit_codes(tmp_path: Path) -> None:
    assert "no" in run("query", GPT, "unsharded('dot_general.20')", "--strict").stdout
    run("query", GPT, DOTS, "--strict", code=1)
    assert "^" in run("query", GPT, "opernd(I)", code=2).stderr
    assert "missing.dl" in run("query", GPT, DOTS, "--define", "missing.dl", code=2).stderr
    run("query", GPT, code=2)
    late = run("query", GPT, "inst(I) & inst(J) & inst(K)", "--time-limit", "0.01", code=4)
    assert "no answer within 0.01 s (--time-limit)" in late.stderr


def test_relations_are_listed_with_and_without_a_module() -> None:
    text = run("query", "--relations").stdout
    for relation in RELATIONS.values():
        assert relation.signature in text
        assert relation.says in text
    listed = json.loads(run("query", GPT, "--relations", "--json").stdout)
    sizes = {each["name"]: each["size"] for each in listed}
    assert sizes["inst"] == 408
    assert sizes["reaches"] is sizes["dim_axis"] is None


def test_a_plan_says_what_is_looked_up_first(tmp_path: Path) -> None:
    simple = "p(I) <= tiled(I) & (rank[I] == N) & (N > 2)"
    question = "inst(I) & p(I) & (opcode[I] == 'gather')"
    (plan,) = run("query", GPT, f"{simple}; {question}", "--plan").stdout.splitlines()
    assert plan.startswith("(opcode[I] == 'gather') & inst(I) & tiled(I) & ")
    plans = run("query", GPT, f"{simple}; p(I) <= manual(I); {question}", "--plan").stdout
    assert plans.splitlines() == ["(opcode[I] == 'gather') & inst(I)", "p(I)"]


def test_rules_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.dl"
    file.write_text("# rule: large\nlarge(I) <= (byte_size[I] > 2**28)\n")
    assert int(run("query", GPT, "large(I)", "--define", file, "--count").stdout) == 55


def test_the_repl_answers_what_is_typed(tmp_path: Path) -> None:
    file = tmp_path / "more.dl"
    file.write_text("dots(I) <= (opcode[I] == 'dot')\n")
    typed = f"""\
?because
# nothing
large(I) <= (byte_size[I] > 2**28)
count large(I)
limit 1
large(I) &
  tiled(I)
define {file}
count dots(I)
?rules
?dots
why dot_general.20
whynot dot_general.20 3
frontier tokens.1
plan dots(I)
forget
help
quit
count inst(I)
"""
    out = run("repl", GPT, typed=typed).stdout
    for said in ("rule R gave I its sharding", "1 rule", "55\n", "54 of them not shown", "17\n",
                 "cause (forward_from_operand): dot_general.20", "wanted: tiles along dimension 3",
                 "tokens.1", "dots(I) <= (opcode[I] == 'dot')", "whynot NAME"):  # fmt: skip
        assert said in out
    assert "408" not in out


def test_the_repl_goes_on_after_errors() -> None:
    done = run("repl", GPT, typed="opernd(I)\nwhy\nlimit x\ndefine missing.dl\n?nam\n"
               "why nothing.1\ncount entry(C)", code=2)  # fmt: skip
    assert done.stdout == "1\n"
    for said in ("unknown relation 'opernd'", "why takes the name", "limit takes a number",
                 "missing.dl: No such file", "unknown relation 'nam'", "'nothing.1'"):  # fmt: skip
        assert said in done.stderr


def test_an_interrupt_ends_the_question_only(
    gpt: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asking = Asking(gpt, gpt.session(), None, 60.0)  # type: ignore[arg-type, attr-defined]

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(asking.session, "ask", interrupted)
        asking.answer("inst(I)")
    asking.answer("count entry(C)")
    said = capsys.readouterr()
    assert (said.out, said.err) == ("1\n", "interrupted\n")


def test_names_complete(gpt: object) -> None:
    asking = Asking(gpt, gpt.session(), None, 60.0)  # type: ignore[arg-type, attr-defined]
    assert asking.names("repl") == ["replicated"]
    assert asking.names("?bec") == ["?because"]
    assert "dot_general.20" in asking.names("dot_g")
    assert asking.complete("unshard", 0) == "unsharded"
    assert asking.complete("unshard", 1) is None
