"""A rule file or case is data, whoever wrote it: what is more is refused, and never run."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from shardlog.cli import main
from shardlog.engine import RuleError
from shardlog.engine import writer as generated
from shardlog.propagation import load_rules

BODY = "forward(I, S) <= (sharding[I] == S) & "
LARGE = "numbers go up to 9223372036854775807"

REFUSED = {
    "an attribute": (BODY + "(opcode[I].__class__ == 'a')", "found the attribute '__class__'"),
    "an attribute of a text": (BODY + "('a'.join(I) == 'a')", "found the attribute 'join'"),
    "a method": (BODY + "I.__subclasses__()", "expected `X.in_((...))`"),
    "an import": ("import os", "rule files hold no Python statements"),
    "an import as a call": ("+ __import__('os')", "'__import__' cannot be a name"),
    "a dunder relation": ("__class__(I) <= inst(I)", "'__class__' cannot be a name"),
    "a dunder function": (BODY + "(X == __import__('os'))", "'__import__' cannot be a name"),
    "a dunder variable": ("p(__X) <= inst(__X)", "'__X' is neither a variable nor a value"),
    "a builtin": ("+ exec('1')", "'exec' is a Python builtin"),
    "a builtin in other letters": ("+ \u1d49xec('1')", "'exec' is a Python builtin"),
    "other letters": ("+ \u043epen_op('a')", "cannot be a name"),
    "a call of eval": (BODY + "(X == eval('1'))", "unknown function 'eval'"),
    "a comprehension": (BODY + "(S == [x for x in (1,)])", "found a comprehension"),
    "a generator": (BODY + "(S == carry(x for x in ()))", "found a comprehension"),
    "a lambda": (BODY + "(S == (lambda: 1)())", "found a lambda"),
    "an f-string": ("+ open_op(f'{1}')", "found an f-string"),
    "an assignment": (BODY + "(Y := 3)", "found an assignment"),
    "a conditional": (BODY + "(S == (1 if I else 2))", "found a conditional"),
    "a star": ("+ open_op(*('a',))", "found a star"),
    "a slice": (BODY + "(operand[I:2] == S)", "found a slice"),
    "await": ("+ open_op(await x)", "found await"),
    "code as a context": (
        "+ join('x', 'fill', '__import__(1)[I]')",
        "the context '__import__(1)[I]' of join 'x' is not of the form relation[I]",
    ),
    "code as a mode": ("+ mode('__import__(1)', 'I')", "cannot be the name of a relation"),
    "an exponent bomb": ("+ open_op(9**9**9**9)", LARGE),
    "an exponent": (BODY + "(rank[I] == 2**63)", LARGE),
    "an exponent below 0": ("+ open_op(2**-1)", "no number has a power below 0"),
    "an exponent that is computed": (BODY + "(rank[I] == N) & (X == N**N)", "unknown operator"),
    "a huge number": ("+ open_op(1" + "0" * 5000 + ")", LARGE),
    "a huge number in hex": ("+ open_op(0x" + "f" * 39 + ")", LARGE),
    "a huge product": ("+ open_op(4294967296 * 4294967296)", LARGE),
    "a huge text": ("+ open_op('" + "a" * 10_001 + "')", "a text has at most 10,000 characters"),
    "a text times a number": ("+ open_op('a' * 9999999999)", "a fact holds ground values only"),
    "bytes": ("+ open_op(b'a')", "b'a' is no value that rules know"),
    "a float": ("+ open_op(1e400)", "is no value that rules know"),
    "parentheses": ("+ open_op(" + "(" * 61 + "1" + ")" * 61 + ")", "nested more than 60 deep"),
    "calls": (BODY + "(S == " + "same(" * 90 + "1" + ")" * 91, "nested more than 60 deep"),
    "signs": ("+ open_op(" + "-" * 90_000 + "1)", "nested more than 60 deep"),
    "negations": (BODY + "~" * 90_000 + "inst(I)", "nested more than 60 deep"),
    "attributes": (BODY + "(I" + ".a" * 90_000 + " == 1)", "a statement has at most 4,000"),
    "subscripts": (BODY + "(I" + "[I]" * 90_000 + " == 1)", "a statement has at most 4,000"),
    "a long body": (BODY + " & ".join(["inst(I)"] * 2000), "a statement has at most 4,000"),
    "a long sum": (BODY + "(X == " + "+".join(["1"] * 1990) + ")", "nested too deeply"),
    "a long tuple": ("+ open_op((" + "1," * 3000 + "))", "a statement has at most 4,000"),
    "many statements": ("+ open_op(1)\n" * 5001, "a rule file has at most 5,000 statements"),
    "a long file": ("# a\n" * 250_001, "a rule file has at most 1,000,000 characters"),
    "a null byte": ("+ open_op('a')\0", "source code string cannot contain null bytes"),
}


@pytest.fixture(autouse=True)
def nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """No text that is refused gets as far as generated code."""

    def refuse(source: str) -> None:
        raise AssertionError(f"compiled: {source}")

    monkeypatch.setattr(generated, "code_of", refuse)


@pytest.mark.parametrize("what", REFUSED)
def test_it_is_refused_by_the_checker(what: str) -> None:
    text, message = REFUSED[what]
    with pytest.raises(RuleError) as error:
        load_rules([("mine.dl", text)])
    assert message in str(error.value)
    assert str(error.value).startswith("mine.dl:")
    assert max(map(len, str(error.value).splitlines())) < 300


@pytest.mark.parametrize("what", ["an attribute", "an import as a call", "an exponent bomb"])
def test_so_are_the_rules_of_a_case(what: str, tmp_path: Path) -> None:
    text, message = REFUSED[what]
    case = tmp_path / "case.hlo"
    module = "HloModule m\n\nENTRY e {\n  ROOT c = f32[] constant(0)\n}\n"
    case.write_text(f"// fires: dot\n// rules: {text}\n{module}")
    result = CliRunner().invoke(main, ["rules", "test", str(case)])
    assert result.exit_code == 2
    assert message in result.stderr


def test_numbers_of_a_usual_size_are_worked_out() -> None:
    text = (
        "+ size(2**30)\n+ size(2**62 + (2**62 - 1))\n+ size(-(7 // 2) % 5)\n+ size((-1)**9999999)\n"
    )
    program = load_rules([("mine.dl", text + "forward(I, S) <= size(N) & (sharding[I] == S)\n")])
    assert set(program.tables["size"].rows) == {(2**30,), (2**63 - 1,), (2,), (-1,)}


def test_a_long_file_is_read() -> None:
    load_rules([("mine.dl", "# a comment\n" * 70_000 + "+ open_op('fft')\n" * 4_000)])
