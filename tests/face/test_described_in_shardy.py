"""Descriptions of dimensions as op sharding rules of Shardy."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from shardlog.cli import main
from shardlog.converters.mlir import read_program
from shardlog.ir.errors import InputError
from shardlog.ir.shardy.described import described_rule
from shardlog.ir.shardy.op_rule import parse_op_rule
from shardlog.shardy import load_shardy_rules, propagate, read_shardy
from tests.shardy_conformance import values

DESCRIBED = Path(__file__).parents[1] / "data" / "shardy_described"
TUTORIAL = Path(__file__).parents[2] / "examples" / "tutorial"


def sharding_of_kernel(fact: str = "", given: str = "") -> str:
    text = (TUTORIAL.parent / "kernel.mlir").read_text()
    if given:
        text = text.replace('"rms_norm"}>', f'"rms_norm"}}> {{sdy.sharding_rule = {given}}}')
    files = (("kernel.dl", f"+ {fact}\n"),) if fact else ()
    program = read_shardy(text.encode())
    propagate(program, rules=load_shardy_rules(files))
    (op,) = (op for op in program.module.walk() if op.name == "stablehlo.custom_call")
    sharding = op.results[0].sharding
    return "none" if sharding is None else ", ".join(map(str, sharding.dims))


@pytest.mark.parametrize(
    ("spec", "shapes", "operands", "rule"),
    [
        (
            "b s d, d -> b s d, need_replication={d}",
            ((8, 16, 32), (32,), (8, 16, 32)),
            2,
            "([i, j, k], [k])->([i, j, k]) {i=8, j=16, k=32} need_replication={k}",
        ),
        (
            "... i (j k), k -> ... i j",
            ((2, 8, 6), (3,), (2, 8, 2)),
            2,
            "([i, j, kl], [l])->([i, j, k]) {i=2, j=8, k=2, l=3}",
        ),
        (
            "a b -> b a, a b, blocked_propagation={a}",
            ((4, 6), (6, 4), (4, 6)),
            1,
            "([i, j])->([j, i], [i, j]) {i=4, j=6} blocked_propagation={i}",
        ),
        (
            "([i, j], [j, k])->([i, k]) {i=8, j=4, k=2} reduction={j}",
            ((8, 4), (4, 2), (8, 2)),
            2,
            "([i, j], [j, k])->([i, k]) {i=8, j=4, k=2} reduction={j}",
        ),
    ],
)
def test_a_description_is_an_op_sharding_rule(spec, shapes, operands, rule) -> None:
    assert described_rule(spec, shapes, operands) is parse_op_rule(rule)


@pytest.mark.parametrize("name", ["kernel", "op", "broadcast"])
def test_a_described_op_is_as_the_binary_has_it_with_that_rule(name: str) -> None:
    program = read_shardy((DESCRIBED / f"{name}.before.mlir").read_bytes())
    rules = load_shardy_rules(((f"{name}.dl", (DESCRIBED / f"{name}.dl").read_text()),))
    propagate(program, rules=rules)
    wanted = read_program((DESCRIBED / f"{name}.after.mlir").read_text())
    assert [one[2] for one in values(program)] == [one[2] for one in values(wanted)]


def test_what_does_not_fit_is_no_rule() -> None:
    assert described_rule("a b -> b", ((4, 6), (4,)), 1) is None


def test_shardings_stop_at_a_kernel_that_nobody_describes() -> None:
    assert sharding_of_kernel() == "none"


def test_shardings_pass_a_kernel_that_is_described() -> None:
    fact = "custom_call_dims('rms_*', '... d, d -> ... d, need_replication={d}')"
    assert sharding_of_kernel(fact) == '{"data"}, {}, {}'


def test_a_blocked_dimension_passes_nothing() -> None:
    fact = "custom_call_dims('rms_norm', 'b s d, d -> b s d, blocked_propagation={b}')"
    assert sharding_of_kernel(fact) == "none"


def test_the_most_exact_pattern_counts() -> None:
    fact = "custom_call_dims('rms_norm', '... d, d -> ... d')"
    other = "custom_call_dims('rms_*', '_ s d, d -> _ s d')"
    assert sharding_of_kernel(f"{other}\n+ {fact}") == '{"data"}, {}, {}'


def test_opcodes_are_those_of_hlo() -> None:
    fact = "opcode_dims('custom-call', '... d, d -> ... d')"
    assert sharding_of_kernel(fact) == '{"data"}, {}, {}'


def test_a_description_comes_before_the_rule_in_the_program() -> None:
    sizes = "i=8, j=128, k=512, l=512, m=8, n=128, o=512"
    given = f"#sdy.op_sharding_rule<([i, j, k], [l])->([m, n, o]) {{{sizes}}}, custom>"
    assert sharding_of_kernel(given=given) == "none"
    fact = "custom_call_dims('rms_norm', '... d, d -> ... d')"
    assert sharding_of_kernel(fact, given) == '{"data"}, {}, {}'


def test_a_description_that_does_not_fit_is_an_error() -> None:
    with pytest.raises(InputError, match="it has 2 operands, not 1"):
        sharding_of_kernel("custom_call_dims('rms_norm', '... d -> ... d')")


def test_the_tutorials_rules_serve_both_partitioners() -> None:
    rules = ["--rules", str(TUTORIAL / "kernel.dl")]
    for file, name, found in (
        ("../kernel.mlir", "%normed", '%normed  [{"data", ?}, {?}, {?}]'),
        ("kernel.hlo", "normed", "normed  {devices=[8,1,1]<=[8]}"),
    ):
        command = ["why", str(TUTORIAL / file), name, "--partitioner", "auto", *rules]
        done = CliRunner().invoke(main, command)
        assert done.exit_code == 0, done.output
        assert found in done.output
