"""The op sharding rules that our rules derive are those of the binary, op by op."""

from __future__ import annotations

from pathlib import Path

import pytest

from shardlog.converters.mlir import read_program
from shardlog.converters.shardy.op_facts import SHARDING_RULE
from shardlog.converters.shardy.program_facts import program_facts
from shardlog.engine import Facts
from shardlog.engine.instant import Instant
from shardlog.ir.errors import InputError
from shardlog.ir.shardy.op_rule import OpRule, parse_op_rule
from shardlog.shardy import load_shardy_rules

OPS = Path(__file__).parents[1] / "data" / "shardy" / "op_rules.mlir"


def test_every_op_has_the_rule_of_the_binary() -> None:
    program = read_program(OPS.read_text())
    wanted: dict[int, OpRule] = {}
    for number, op in enumerate(program.module.walk()):
        # the rule that a user gave stays
        if op.symbol("call_target_name") == "given":
            wanted[number] = parse_op_rule(op.attributes[SHARDING_RULE])
        elif SHARDING_RULE in op.attributes:
            wanted[number] = parse_op_rule(op.attributes.pop(SHARDING_RULE))
    graph, facts = program_facts(program, Facts)
    derived = dict(Instant(load_shardy_rules(), facts, {}, ()).rows("op_rule"))
    assert len(wanted) > 60
    for number, op in enumerate(graph.ops[: -len(graph.results)]):
        found = derived.get(number)
        if found is not None and found.sizes:
            assert found is wanted.get(number), op
    assert {number for number, rule in wanted.items() if rule.sizes} <= set(derived)


@pytest.mark.parametrize(
    "text",
    [
        "([i, j], [j, k])->([i, k]) {i=8, j=4, k=2} reduction={j}",
        "([ij])->([i, j]) {i=2, j=4}",
        "([], [i])->() {i=3} need_replication={i} blocked_propagation={i}",
    ],
)
def test_the_text_of_a_rule(text: str) -> None:
    assert str(parse_op_rule(text)) == text


def test_a_rule_that_cannot_be_read() -> None:
    with pytest.raises(InputError, match="skips a factor"):
        parse_op_rule("([i])->([k]) {i=8, k=2}")
