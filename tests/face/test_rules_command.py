"""`shardlog rules`: what it says about the rules, and the counts of a run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from shardlog.cli import main
from shardlog.rule_index import RuleIndex

ROOT = Path(__file__).parents[2]
SMALL = ROOT / "tests" / "data" / "small"
CASES = ROOT / "tests" / "rules" / "cases"
FLASH = ROOT / "examples" / "flash_attention.dl"
COMMANDS = ["check", "coverage", "graph", "list", "profile", "show", "test"]


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(main, ["rules", *(str(argument) for argument in arguments)])
    assert result.exit_code == code, result.output
    return result


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(command: str) -> None:
    assert command in run("--help").stdout
    text = run(command, "--help").stdout
    assert "Examples:" in text
    assert f"shardlog rules {command}" in text


# ------------------------------------------------------------ list and show


def test_the_list_says_where_rules_come_from_and_when_they_apply() -> None:
    listed = json.loads(run("list", "--json", "--rules", FLASH).stdout)
    rows = {row["name"]: row for row in reversed(listed)}
    assert rows["rms_norm"]["origin"] == str(FLASH)
    assert rows["rms_norm"]["opcodes"] == ["custom-call"]
    broadcast = rows["broadcast forward"]
    assert (broadcast["origin"], broadcast["tiers"]) == ("gspmd", [3])
    assert broadcast["proposes"] == ["forward_loose"]
    # what is asked of the user goes by the user's opcode, and by its gate
    assert rows["broadcast operand"]["opcodes"] == ["broadcast"]
    assert rows["broadcast operand"]["tiers"] == [2, 3]
    assert rows["reshaped operand"]["tiers"] == [0, 1, 2, 3]
    assert rows["scatter outside SPMD"]["spmd"] is False
    assert rows["custom call passes through"]["spmd"] is True
    assert rows["reshape"]["spmd"] is None


def test_the_list_can_be_narrowed() -> None:
    text = run("list", "--opcode", "reverse", "--from", "gspmd").stdout
    assert "reversed operand" in text
    assert "transposed operand" not in text
    assert "  elementwise  (line" not in run("list").stdout
    assert "  elementwise  (line" in run("list", "--all").stdout


def test_every_rule_of_the_list_can_be_shown_and_compiled() -> None:
    index = RuleIndex([FLASH])
    for entry in index.entries:
        source = index.source(entry.rule)
        assert entry.rule.relation in source
        assert source.count(" <= ") >= 1
        _, code = index.compiled(entry)
        if entry.rule.says and entry.opcodes:
            assert "def " in code, entry.rule.name


def test_a_rule_is_shown_with_its_channel_and_its_python() -> None:
    text = run("show", "reshape").stdout
    assert "# says: {I} reshapes {O}; the tiles stay where dimensions survive" in text
    assert "proposes in visit forward, join improve_loose, guard forward_open" in text
    assert "opcodes: reshape\ntiers: 0-3\n" in text
    assert "def " not in text
    python = run("show", "transposed operand", "--python").stdout
    assert "compiled for transpose" in python
    assert "memo_carry[(SU, M" in python


def test_what_cannot_be_shown() -> None:
    assert "no rule is called 'reshap'; there is 'reshape'" in run("show", "reshap", code=2).stderr
    wrong = run("show", "reshape", "--opcode", "dot", code=2).stderr
    assert "the rule 'reshape' does not apply to 'dot'" in wrong


# ------------------------------------------------------------ check


def test_a_good_file_passes() -> None:
    assert "3 rules, 1 fact, 0 warnings" in run("check", FLASH).stdout


def test_errors_are_told_with_their_places(tmp_path: Path) -> None:
    mine = tmp_path / "mine.dl"
    mine.write_text("forward(I, S) <= (opcod[I] == 'dot') & (sharding[I] == S)\n")
    assert f"{mine}:1:19: unknown relation 'opcod'" in run("check", mine, code=2).stderr


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (
            "# rule: mine\nforward(I, S) <= (opcode[I] == 'dot') & (operand[I, 0] == O)"
            " & (sharding[O] == S)\n",
            ":2:1: it proposes shardings, and does not say why (rule 'mine')",
        ),
        (
            "# rule: mine\n# says: {I} is cholesky\nforward(I, S) <= (opcode[I] == 'cholesky')"
            " & (operand[I, 0] == O) & (sharding[O] == S)\n",
            ":3:1: it can never apply: no opcode, tier and option meet its conditions",
        ),
        (
            "shardable_call(I) <= (opcode[I] == 'custom-call') & (target[I] == 'a')\n"
            "shardable_call(X) <= (opcode[X] == 'custom-call') & (target[X] == 'a')\n",
            ":2:1: it says what the rule at ",
        ),
    ],
)
def test_warnings(tmp_path: Path, text: str, warning: str) -> None:
    mine = tmp_path / "mine.dl"
    mine.write_text(text)
    done = run("check", mine)
    assert f"warning: {mine}{warning}" in done.stderr
    assert "1 warning" in done.stdout
    run("check", mine, "--strict", code=2)


# ------------------------------------------------------------ coverage and profile


def test_coverage_counts_what_rules_do() -> None:
    done = run("coverage", SMALL / "transpose.before.txt", "--json", "-j", 1)
    found = json.loads(done.stdout)
    rows = {row["name"]: row for row in reversed(found["rules"])}
    assert found["modules"] == 1
    # the operand of the transpose learns from it, by a rule that the backward rule asks
    backward = rows["transposed operand"]
    assert backward["accepted"] + rows["carried"]["accepted"] > 0
    assert rows["opens"]["modules"] == 1
    assert rows["reverse"]["tried"] == 0
    assert not rows["reverse"]["modules"]
    # rules about the end are asked in the end
    assert rows["outcome"]["held"] > 0


def test_coverage_can_name_what_never_fired() -> None:
    module = SMALL / "transpose.before.txt"
    text = run("coverage", module, "--never", "--from", "forward.dl", code=1).stdout
    assert "  reverse" in text
    assert "rules never fired over 1 module" in text


def test_a_case_brings_its_own_options_and_rules() -> None:
    cases = [
        CASES / "forward" / "reduce_outside_spmd.hlo",
        CASES / "described" / "call.hlo",
    ]
    found = json.loads(run("coverage", *cases, "--json", "-j", 2).stdout)
    fired = {row["name"] for row in found["rules"] if row["modules"]}
    assert {"reduce along tiles", "described operand"} <= fired


def test_a_module_that_fails_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("HloModule\n")
    done = run("coverage", tmp_path, SMALL / "transpose.before.txt", "-j", 1, code=1)
    assert "bad.txt:" in done.stderr
    assert "over 1 module" in done.stdout


def test_a_profile_has_the_dearest_rules_first() -> None:
    found = json.loads(run("profile", SMALL / "mlp.before.txt", "--json").stdout)
    seconds = [row["seconds"] for row in found["rules"]]
    assert seconds == sorted(seconds, reverse=True)
    assert "of which planning" in run("profile", SMALL / "mlp.before.txt", "--limit", 3).stdout


# ------------------------------------------------------------ test


def test_the_projects_cases_pass_and_a_wrong_one_is_told(tmp_path: Path) -> None:
    good = CASES / "forward" / "reduce_outside_spmd.hlo"
    assert "1 of 1 cases as they should be" in run("test", good).stdout
    text, mark, answer = good.read_text().partition("// after\n")
    lines = answer.splitlines()
    name = lines[0].split()[1]
    wrong = tmp_path / "wrong.hlo"
    wrong.write_text(
        text.replace("// fires: ", "// fires: dot, ")
        + mark
        + f"// {name} {{manual}}\n// main/nothing none\n"
    )
    done = run("test", wrong, code=1)
    assert (
        f"{wrong}: {name}: expected {{manual}}, found {lines[0].split(None, 2)[2]}" in done.stdout
    )
    assert "main/nothing: no such instruction after the pass" in done.stdout
    assert "the rule 'dot' did not fire" in done.stdout
    assert "0 of 1 cases" in done.stdout
    assert "1 cases written" in run("test", wrong, "--write").stdout
    assert f"// {name} {lines[0].split(None, 2)[2]}" in wrong.read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("// options: is_spmd=maybe\nHloModule m\n", ":1: unreadable option 'is_spmd=maybe'"),
        ("HloModule m\n// after\n// main none\n", ":3: not a line of an answer"),
        ("HloModule m\n\nENTRY e {\n  ROOT c = f32[] constant(0)\n}\n", "expects neither"),
    ],
)
def test_a_case_that_cannot_be_read(tmp_path: Path, text: str, message: str) -> None:
    case = tmp_path / "case.hlo"
    case.write_text(text)
    assert message in run("test", case, code=2).stderr


# ------------------------------------------------------------ graph


def test_the_graph_has_strata_and_negations() -> None:
    found = json.loads(run("graph", "--format", "json", "--to", "forward_open").stdout)
    kinds = found["relations"]
    assert kinds["sharding"] == "lattice"
    assert kinds["opcode"] == "given"
    assert {"from": "may_tile", "reads": "held_root", "negative": True} in found["edges"]
    place = {name: n for n, stratum in enumerate(found["strata"]) for name in stratum}
    assert 1 < len(found["strata"]) < 12
    assert all(
        place[edge["reads"]] + edge["negative"] <= place[edge["from"]] for edge in found["edges"]
    )
    dot = run("graph", "--of", "held_root", "--format", "dot").stdout
    assert '"held_root" -> "may_tile" [style=dashed, color=red]' in dot
    assert "may_tile <- held_root" in run("graph").stdout
    assert "did you mean 'may_tile'?" in run("graph", "--to", "may_tyle", code=2).stderr


def test_the_graph_is_drawn_where_graphviz_is() -> None:
    if shutil.which("dot") is None:
        assert "Graphviz's dot is not installed" in run("graph", "--format", "svg", code=1).stderr
    else:
        assert "<svg" in run("graph", "--to", "pull", "--format", "svg").stdout


def test_the_case_of_the_docs_needs_its_rule() -> None:
    case = ROOT / "examples" / "rms_norm.hlo"
    assert "1 of 1" in run("test", case, "--rules", FLASH).stdout
    assert "the rule 'rms_norm' did not fire" in run("test", case, code=1).stdout
    text = (ROOT / "docs" / "rules.md").read_text()
    assert "".join(f"    {line}".rstrip() + "\n" for line in case.read_text().splitlines()) in text


def test_shardys_rules_are_listed_and_shown() -> None:
    listed = run("list", "--partitioner", "shardy", "--json")
    rules = {rule["name"]: rule for rule in json.loads(listed.stdout)}
    assert rules["propagate"]["origin"] == "shardy"
    assert rules["propagate"]["proposes"] == ["step"]
    assert rules["divide evenly"]["proposes"] == ["final"]
    shown = run("show", "align", "--partitioner", "shardy").stdout
    assert "align(W, S) <= (group[V] == G)" in shown
    assert "proposes in visit change, join put" in shown
    graph = json.loads(
        run("graph", "--partitioner", "shardy", "--to", "may", "--format", "json").stdout
    )
    assert {edge["reads"] for edge in graph["edges"]} == {"manner_of", "free_at", "stage", "kind"}


def test_descriptions_are_checked_for_shardy(tmp_path: Path) -> None:
    kernel = ROOT / "examples" / "tutorial" / "kernel.dl"
    assert "1 fact, 0 warnings" in run("check", kernel, "--partitioner", "shardy").stdout
    wrong = tmp_path / "wrong.dl"
    wrong.write_text("step(I, T, S) <= (opcodes[I] == 'dot') & (slot[I, T] == V)\n")
    refused = run("check", wrong, "--partitioner", "shardy", code=2)
    assert "unknown relation 'opcodes'" in refused.stderr


def test_an_opcode_that_there_is_not() -> None:
    assert (
        "'reshap' is no opcode of HLO; there is reshape"
        in run("list", "--opcode", "reshap", code=2).stderr
    )
    assert (
        "--opcode and --python are about GSPMD's rules"
        in run("show", "align", "--python", "--partitioner", "shardy", code=2).stderr
    )
