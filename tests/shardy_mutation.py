"""What a rule of Shardy's rule set changes, for `tests.rule_mutation --partitioner shardy`.

A rule matters if without it an operation of `tests/data/shardy/op_rules.mlir` has another op
sharding rule than in the binary, or a program of `tests/data/shardy_programs` or
`tests/data/shardy_described` other shardings.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from shardlog import rules as rule_sets
from shardlog.converters.mlir import read_program
from shardlog.converters.shardy.op_facts import SHARDING_RULE
from shardlog.converters.shardy.program_facts import PROGRAM_VOCABULARY, program_facts
from shardlog.engine import EvaluationError, Facts, Program, load_program
from shardlog.engine.instant import Instant
from shardlog.ir.shardy.op_rule import OpRule, parse_op_rule
from shardlog.shardy import propagate, read_shardy
from shardlog.shardy.propagation import LIBRARY
from tests.shardy_conformance import Score, compare_values

__all__ = ["baseline", "differing", "files", "rule_set"]

DATA = Path(__file__).parent / "data"
OPS = DATA / "shardy" / "op_rules.mlir"


@dataclass(frozen=True)
class Case:
    """A program, the user's rules that it is for, and the binary's answer."""

    name: str
    text: str
    rules: str
    after: str


def files() -> list[Path]:
    """The files of the rule set."""
    return [*rule_sets.shardy()]


@functools.lru_cache(maxsize=8)
def rule_set(user: str = "", changed: str = "", text: str = "") -> Program:
    """The rule set with a user's rules and, if given, another text for one file.

    Raises RuleError.
    """
    sources: list[Path | tuple[str, str]] = [
        (str(path), text) if path.stem == changed else path for path in files()
    ]
    more = [("case", user)] if user else []
    return load_program([*sources, *more], LIBRARY, PROGRAM_VOCABULARY)


@functools.cache
def cases() -> list[Case]:
    """The programs with the binary's answer, the short ones first."""
    found = []
    for folder in ("shardy_programs", "shardy_described"):
        for path in (DATA / folder).glob("*.before.mlir"):
            name = path.name.split(".")[0]
            rules = path.with_name(f"{name}.dl")
            user = rules.read_text() if rules.exists() else ""
            after = path.with_name(f"{name}.after.mlir").read_text()
            found.append(Case(name, path.read_text(), user, after))
    return sorted(found, key=lambda case: (len(case.text), case.name))


def op_rules(rules: Program) -> Iterator[tuple[str, OpRule | None, OpRule | None]]:
    """Yield the operations of OPS, each with the rule that it is given here and in the binary."""
    program = read_program(OPS.read_text())
    wanted: dict[int, OpRule] = {}
    for number, op in enumerate(program.module.walk()):
        # the rule that a user gave stays
        if op.symbol("call_target_name") == "given":
            wanted[number] = parse_op_rule(op.attributes[SHARDING_RULE])
        elif SHARDING_RULE in op.attributes:
            wanted[number] = parse_op_rule(op.attributes.pop(SHARDING_RULE))
    graph, facts = program_facts(program, Facts)
    derived = dict(Instant(rules, facts, {}, ()).rows("op_rule"))
    for number, op in enumerate(graph.ops[: -len(graph.results)]):
        found, its = derived.get(number), wanted.get(number)
        # without factors a rule says as much as none
        yield (
            f"op {number}, {op.name}",
            found if found is not None and found.sizes else None,
            its if its is not None and its.sizes else None,
        )


def differing(changed: str = "", text: str = "") -> Iterator[tuple[str, str]]:
    """Yield what comes out otherwise than in the binary, with another text for one rule file.

    Each has a name and, where the rules as they are then break, how. Raises RuleError.
    """
    try:
        rules = rule_set("", changed, text)
        yield from ((op, "") for op, found, wanted in op_rules(rules) if found is not wanted)
    except EvaluationError as error:
        yield OPS.name, str(error)
    for case in cases():
        program = read_shardy(case.text.encode(), case.name)
        score = Score(case.name)
        try:
            propagate(program, provenance=False, rules=rule_set(case.rules, changed, text))
        except EvaluationError as error:
            yield case.name, str(error)
            continue
        compare_values(program, read_program(case.after), score)
        if not score.is_equal:
            yield case.name, ""


def baseline() -> list[str]:
    """What differs without any mutation; it would prove nothing."""
    return [name for name, _ in differing()]
