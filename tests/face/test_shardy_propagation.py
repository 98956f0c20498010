"""Shardy's propagation of small programs, compared with the binary's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from shardlog.converters.mlir import read_program, write_program
from shardlog.shardy import propagate, read_shardy

PROGRAMS = Path(__file__).parents[1] / "data" / "shardy_programs"
NAMES = sorted(path.name.split(".")[0] for path in PROGRAMS.glob("*.before.mlir"))
NOTE = re.compile(r" \{stablehlo\.mesh = .*?\]\}\}")


def text_of(path: Path) -> str:
    return NOTE.sub("", write_program(read_program(path.read_text())))


@pytest.mark.parametrize("name", NAMES)
def test_a_program_is_as_the_binary_leaves_it(name: str) -> None:
    program = read_shardy((PROGRAMS / f"{name}.before.mlir").read_bytes())
    outcome = propagate(program)
    assert NOTE.sub("", write_program(program)) == text_of(PROGRAMS / f"{name}.after.mlir")
    assert 0 < outcome.sharded <= outcome.values


def test_records_tell_what_was_shared() -> None:
    program = read_shardy((PROGRAMS / "uneven.before.mlir").read_bytes())
    outcome = propagate(program)
    record = outcome.records[0]
    assert record.rule.name == "propagate"
    assert record.value == 0
    op = outcome.graph.ops[record.contributors[0]]
    assert op.name == "stablehlo.add"
    assert propagate(read_shardy((PROGRAMS / "uneven.before.mlir").read_bytes()), provenance=False)
