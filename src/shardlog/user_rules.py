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
from shardlog.rule_descriptions import described_wrongly
from shardlog.rule_types import wrong_types

__all__ = ["check_user_rules", "pointed"]

ASKED = frozenset(("final", WAKES))
"""Relations that are read from outside the rules."""

_QUOTED = re.compile(
    r"(?:unknown \w+|nothing reads|there is no \w+|unreadable dimensions) '([^']+)'"
    r"|(\w+) (?:does not take|takes an?|would be) |(\w+)\[\.\.\.\] is |.*?\((\w+)\[\.\.\.\]\)"
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


def _wrong(
    statement: Rule | Fact, program: Program, read: set[str]
) -> Iterator[tuple[str, str | None]]:
    """What is wrong with a statement, each with a hint."""
    relation = statement.relation
    if relation not in read:
        from shardlog.engine.check import nearest

        yield f"nothing reads {relation!r}", nearest(relation, read)
    yield from described_wrongly(statement)
    if isinstance(statement, Fact):
        return
    yield from wrong_types(statement, program)
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


def _call(function: Callable[..., Any], count: int) -> str | None:
    """What is wrong with calling a function with so many arguments, if anything."""
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return f"does not take {count} argument{'s' * (count != 1)}"
    return None


def _signature(name: str, function: Callable[..., Any]) -> str:
    return f"{name}({', '.join(inspect.signature(function).parameters)})"
