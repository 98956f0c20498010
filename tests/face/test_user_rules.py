"""Users' rule files: what they change, and how errors in them are told."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import shardlog
from shardlog.cli import main

ROOT = Path(__file__).parents[2]
DOT = ROOT / "tests" / "data" / "small" / "dot.before.txt"
FLASH = ROOT / "examples" / "flash_attention.txt"
RULES = ROOT / "examples" / "flash_attention.dl"
HEADS = "{devices=[2,4,1,1]<=[8]}"


def run(tmp_path: Path, text: str, module: Path = DOT, code: int = 2) -> Result:
    rules = tmp_path / "mine.dl"
    rules.write_text(text)
    arguments = ["propagate", str(module), "--rules", str(rules), "-o", str(tmp_path / "out.txt")]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == code, result.output
    assert (tmp_path / "out.txt").exists() == (code == 0)
    return result


def test_without_rules_a_kernel_stops_shardings() -> None:
    result = shardlog.propagate(FLASH)
    assert [result.sharding(name) for name in ("ffi_call.2", "ffi_call.3")] == [None, None]


def test_a_described_call_passes_shardings_both_ways() -> None:
    result = shardlog.propagate(FLASH, rules=[RULES])
    assert str(result.sharding("ffi_call.3")) == HEADS
    (forward,) = result.why("ffi_call.3").steps
    assert (forward.direction, forward.sources[0].name) == ("forward", "transpose.3")
    for keys_and_values in ("transpose.4", "transpose.5"):
        assert str(result.sharding(keys_and_values)) == HEADS
        latest = result.why(keys_and_values).steps[0]
        assert (latest.direction, latest.sources[0].name) == ("backward", "ffi_call.3")
    assert str(result.sharding("wk.1")).startswith("{devices=[1,4,1,2]<=[2,4]T(1,0) last")


def test_a_rule_of_the_users_own_is_named_in_proofs() -> None:
    proof = shardlog.propagate(FLASH, rules=[RULES]).why("ffi_call.2")
    assert str(proof.sharding) == "{devices=[2,1,1,4]<=[8] last_tile_dim_replicate}"
    assert proof.steps[0].rule == "rms_norm"
    assert proof.steps[0].says.startswith("ffi_call.2 normalises x.1: it keeps")


def test_the_rules_are_read_anew_when_they_change(tmp_path: Path) -> None:
    run(tmp_path, "+ disable('dot')\n", code=0)
    (tmp_path / "out.txt").unlink()
    assert "no rule 'dots'" in run(tmp_path, "+ disable('dots')\n").stderr


ERRORS = {
    "an unfinished rule": ("forward(I, S) <= (opcode[I] == 'dot'\n", "1:18: not a rule: "),
    "a Python statement": ("\nimport os\n", "2:1: expected a rule `head <= body` or a fact"),
    "an unknown relation": (
        "# rule: mine\nforward(I, S) <= (opcod[I] == 'dot') & (sharding[I] == S)\n",
        "2:19: unknown relation 'opcod' (rule 'mine')",
    ),
    "an unknown relation on a later line": (
        "forward(I, S) <= (\n    (opcode[I] == 'dot')\n    & (shardin[I] == S))\n",
        "3:8: unknown relation 'shardin' (rule 'forward')",
    ),
    "an unknown function": (
        "forward(I, S) <= (sharding[I] == X) & (S == cary(X, same(2)))\n",
        "1:45: unknown function 'cary' (rule 'forward')",
    ),
    "a call with too few arguments": (
        "forward(I, S) <= (sharding[I] == X) & (S == carry(X))\n",
        "1:45: carry does not take 1 argument (rule 'forward')",
    ),
    "a head that nothing reads": (
        "forwrad(I, S) <= (opcode[I] == 'dot') & (sharding[I] == S)\n",
        "1:1: nothing reads 'forwrad' (rule 'forwrad')",
    ),
    "a fact that nothing reads": (
        "+ custom_call_dim('f', 'a -> a')\n",
        "1:3: nothing reads 'custom_call_dim'",
    ),
    "a variable without a value": (
        "forward(I, S) <= (opcode[I] == 'dot')\n",
        "1:12: nothing binds the variable S (rule 'forward')",
    ),
    "too many terms": ("+ open_op('dot', 3)\n", "1:1: open_op has 1 terms, found 2"),
    "an unknown rule to disable": ("+ disable('dott')\n", "1:12: there is no rule 'dott'"),
    "a description that cannot be read": (
        "+ custom_call_dims('f', 'a b c')\n",
        "1:26: unreadable dimensions 'a b c'",
    ),
    "a description that is no text": (
        "+ custom_call_dims('f', 3)\n",
        "1:1: custom_call_dims takes two texts in quotes",
    ),
    "a cycle through negation": (
        "p(X) <= inst(X) & ~p(X)\n",
        "1:1: a cycle through negation or an aggregate: p -> p",
    ),
}


@pytest.mark.parametrize("what", ERRORS)
def test_errors_have_place_line_and_caret(what: str, tmp_path: Path) -> None:
    text, message = ERRORS[what]
    first, source, caret = run(tmp_path, text).stderr.splitlines()[:3]
    assert first.startswith(f"{tmp_path / 'mine.dl'}:{message}")
    line, column = map(int, first.removeprefix(f"{tmp_path / 'mine.dl'}:").split(":")[:2])
    assert source == "    " + text.splitlines()[line - 1]
    assert caret == " " * (4 + column - 1) + "^"


def test_misspelt_names_have_a_hint(tmp_path: Path) -> None:
    assert "did you mean 'forward'?" in run(tmp_path, ERRORS["a head that nothing reads"][0]).stderr
    assert "did you mean 'dot'?" in run(tmp_path, "+ disable('dott')\n").stderr


def test_a_description_must_fit_the_calls(tmp_path: Path) -> None:
    for spec, wrong in {
        "b h s d, b h t d -> b h s d": "it has 3 operands, not 2",
        "b h s d, b h t, b h t d -> b h s d": "operand 1 is bf16[16,8,1024,64]",
        "b h s d, b h t d, b h t d -> b h s": "the result is bf16[16,8,1024,64]",
    }.items():
        error = run(tmp_path, f"+ custom_call_dims('flash_attention', '{spec}')\n", FLASH).stderr
        line = next(
            number
            for number, line in enumerate(FLASH.read_text().splitlines(), 1)
            if "%ffi_call.3 =" in line
        )
        assert error.startswith(f"{FLASH}:{line}: ffi_call.3: does not fit custom_call_dims(")
        assert f": {wrong}" in error


def test_a_function_that_fails_is_told_with_its_rule(tmp_path: Path) -> None:
    text = (
        "forward(I, S) <= (opcode[I] == 'dot') & (operand[I, 0] == O)"
        " & (S == dropped(sharding[O], dot_attr[I]))\n"
    )
    error = run(tmp_path, text, code=4).stderr
    assert error.startswith(f"shardlog: {tmp_path / 'mine.dl'}:1:1: rule 'forward' failed on ")


def test_a_rule_file_must_be_text(tmp_path: Path) -> None:
    (tmp_path / "mine.dl").write_bytes(b"# ok\n\xff\xfe\n")
    arguments = ["propagate", str(DOT), "--rules", str(tmp_path / "mine.dl")]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 2
    assert result.stderr == f"{tmp_path / 'mine.dl'}:2: not a rule file: not UTF-8\n"


def test_rules_may_be_texts_with_a_name() -> None:
    result = shardlog.propagate(FLASH, rules=[("mine", RULES.read_text())])
    assert str(result.sharding("ffi_call.3")) == HEADS
    with pytest.raises(shardlog.RuleError, match="mine:1:1: nothing reads 'nobody'"):
        shardlog.propagate(FLASH, rules=[("mine", "nobody(I) <= inst(I)\n")])
