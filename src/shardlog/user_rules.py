"""What is checked of users' rule files beyond what the engine demands of every rule set.

To the engine a misspelt head is just another relation, and a call with an argument too few fails
only when it is reached.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from shardlog.engine import Problem, Program, Rule, RuleError
from shardlog.engine.declarations import RESERVED, WAKES
from shardlog.engine.program import BUILTIN_FUNCTIONS
from shardlog.engine.syntax import Compute, Fact, Match, Test
from shardlog.ir.algebra import spec_map
from shardlog.ir.errors import InputError
from shardlog.ir.module import HloModule, Instruction

__all__ = ["check_descriptions", "check_user_rules", "pointed"]

ASKED = frozenset(("final", WAKES))
"""Relations that are read from outside the rules."""

DESCRIPTION = "custom_call_dims"

_QUOTED = re.compile(
    r"(?:unknown \w+|nothing reads|there is no rule) '([^']+)'|(\w+) does not take "
)


def check_user_rules(files: Sequence[tuple[str, str]], program: Program) -> None:
    """Check the (name, text) of users' rule files that are part of a program.

    Raises RuleError with everything that is wrong.
    """
    if not files:
        return
    from shardlog.engine.parser import parse_text

    read = {*program.declared.channels, *ASKED, *RESERVED, *program.declared.lattices}
    for rule in program.rules:
        read |= {literal.relation for literal in rule.body if isinstance(literal, Match)}
    for channel in program.declared.channels.values():
        read.add(channel.guard)
    for join in program.declared.joins.values():
        read |= {relation for relation, _ in join.context}
    problems: list[Problem] = []
    for name, text in files:
        lines = text.splitlines()
        parsed = parse_text(text, name, program.functions, program.tests)
        statements: list[Rule | Fact] = [*parsed.rules, *parsed.facts]
        for statement in statements:
            for message, hint in _wrong(statement, program, read):
                owner = statement.name if isinstance(statement, Rule) else None
                line = lines[statement.span.line - 1]
                problems.append(Problem(statement.span, message, owner, hint, line))
    if problems:
        raise RuleError(problems)


def pointed(problem: Problem, lines: Sequence[str]) -> Problem:
    """Return a problem with its line of the file, and its column where the named word stands.

    The checker knows the statement that is wrong, which may go over several lines; the message
    quotes the word.
    """
    span = problem.span
    if not 0 < span.line <= len(lines):
        return problem
    quoted = _QUOTED.match(problem.message)
    if quoted:
        word = next(filter(None, quoted.groups()))
        for number, line in enumerate(lines[span.line - 1 :], span.line):
            if not line.strip() or line.startswith("#"):
                break
            found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", line)
            if found:
                place = replace(span, line=number, column=found.start() + 1)
                return replace(problem, span=place, source=line)
    return replace(problem, source=problem.source or lines[span.line - 1])


def check_descriptions(program: Program, module: HloModule) -> None:
    """Check that calls described by `custom_call_dims` have the operands and ranks described.

    Raises InputError at the first that has not.
    """
    table = program.tables.get(DESCRIPTION)
    specs = {str(row[0]): str(row[1]) for row in table.rows} if table is not None else {}
    if not specs:
        return
    for instruction in module.instructions:
        if instruction.opcode != "custom-call":
            continue
        target = instruction.custom_call_target or ""
        if target in specs:
            spec = specs[target]
            wrong = _misfit(instruction, spec)
            if wrong is not None:
                message = f"does not fit custom_call_dims({target!r}, {spec!r})"
                raise instruction.located(InputError(f"{message}: {wrong}"))


def _misfit(call: Instruction, spec: str) -> str | None:
    """What of a call does not fit its description, if anything."""
    maps = [spec_map(spec, number) for number in range(len(call.operands) + 1)]
    if maps[-1] is not None or None in maps[:-1]:
        return f"it has {len(call.operands)} operands"
    for number, (operand, along) in enumerate(zip(call.operands, maps, strict=False)):
        if along is None or operand.shape.is_tuple or operand.shape.rank != along.source_rank:
            return f"operand {number} is {operand.shape}"
    results = {leaf.rank for leaf in call.shape.leaves}
    if maps[0] is not None and results != {maps[0].target_rank}:
        return f"the result is {call.shape}"
    return None


def _wrong(
    statement: Rule | Fact, program: Program, read: set[str]
) -> Iterator[tuple[str, str | None]]:
    """What is wrong with a statement, each with a hint."""
    relation = statement.relation
    if relation not in read:
        from shardlog.engine.check import nearest

        yield f"nothing reads {relation!r}", nearest(relation, read)
    if isinstance(statement, Fact):
        if relation == DESCRIPTION:
            yield from _description(statement)
        return
    for literal in statement.body:
        if isinstance(literal, Compute) and literal.function not in BUILTIN_FUNCTIONS:
            function: Callable[..., Any] = program.functions[literal.function]
        elif isinstance(literal, Test):
            function = program.tests[literal.function]
        else:
            continue
        wrong = _call(function, len(literal.arguments))
        if wrong is not None:
            yield f"{literal.function} {wrong}", _signature(literal.function, function)


def _description(fact: Fact) -> Iterator[tuple[str, str | None]]:
    target, spec = fact.values
    if not isinstance(target, str) or not isinstance(spec, str):
        example = "+ custom_call_dims('my_call', 'a b, b c -> a c')"
        yield f"{DESCRIPTION} takes two texts in quotes", f"write {example}"
        return
    try:
        spec_map(spec, 0)
    except InputError as error:
        yield f"unreadable dimensions {spec!r}", f"expected {error.expected}"


def _call(function: Callable[..., Any], count: int) -> str | None:
    """What is wrong with calling a function with so many arguments, if anything."""
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return f"does not take {count} argument{'s' * (count != 1)}"
    return None


def _signature(name: str, function: Callable[..., Any]) -> str:
    return f"{name}({', '.join(inspect.signature(function).parameters)})"
