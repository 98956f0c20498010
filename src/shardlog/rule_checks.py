"""What is odd about users' rules though nothing is wrong: warnings of `shardlog rules check`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from shardlog.engine import Problem, Program, Rule
from shardlog.engine.check import quoted
from shardlog.engine.parser import parse_file
from shardlog.engine.syntax import Literal, Term, Variable, substitute, variables
from shardlog.rule_index import RuleIndex

__all__ = ["facts_in", "warnings_of"]


def warnings_of(
    files: Sequence[Path], base: Sequence[Path] = (), partitioner: str = "gspmd"
) -> tuple[RuleIndex, list[Problem]]:
    """Check files behind the shipped rules and `base`; return all rules, and warnings by place.

    Raises RuleError with everything that is wrong, InputError and OSError.
    """
    index = RuleIndex([*base, *files], partitioner)
    names = {str(file) for file in files}
    warnings = [
        *_without_words(index, names),
        *(_out_of_reach(index, names) if partitioner == "gspmd" else ()),
        *_repeated(index, names),
    ]
    lines = {str(file): file.read_text(encoding="utf-8").splitlines() for file in files}
    placed = sorted(warnings, key=lambda problem: (problem.span.file, problem.span.line))
    return index, [quoted(problem, lines) for problem in placed]


def facts_in(files: Sequence[Path], program: Program) -> int:
    """How many facts files hold that have been checked."""
    read = (parse_file(file, program.functions, program.tests) for file in files)
    return sum(len(one.facts) for one in read)


def _without_words(index: RuleIndex, names: set[str]) -> Iterator[Problem]:
    channels = index.program.declared.channels
    for rule in _own(index, names):
        if rule.relation in channels and rule.says is None:
            message = "it proposes shardings, and does not say why"
            yield _problem(rule, message, "write `# says: ...` above it; proofs show it")


def _out_of_reach(index: RuleIndex, names: set[str]) -> Iterator[Problem]:
    """Rules that nothing can come of, whatever the module: a gate or a condition is in the way."""
    program = index.program
    asked = {*program.declared.channels}
    asked |= {entry.rule.relation for entry in index.entries if entry.opcodes}
    for entry in index.entries:
        rule = entry.rule
        if rule.span.file in names and rule.relation in asked and not entry.opcodes:
            message = "it can never apply: no opcode, tier and option meet its conditions"
            yield _problem(rule, message, "does its channel's guard let the instruction through?")


def _repeated(index: RuleIndex, names: set[str]) -> Iterator[Problem]:
    first: dict[object, Rule] = {}
    for rule in index.program.rules:
        earlier = first.setdefault(_form(rule), rule)
        if earlier is not rule and rule.span.file in names:
            yield _problem(rule, f"it says what the rule at {earlier.span} says", None)


def _own(index: RuleIndex, names: set[str]) -> list[Rule]:
    return [rule for rule in index.program.rules if rule.span.file in names]


def _problem(rule: Rule, message: str, hint: str | None) -> Problem:
    return Problem(rule.span, message, rule.name, hint)


def _form(rule: Rule) -> object:
    """A rule with its variables numbered: equal for rules that differ in names alone."""
    names: dict[str, Term] = {}

    def number(name: str) -> None:
        names.setdefault(name, Variable(f"V{len(names)}"))

    for term in rule.terms:
        if isinstance(term, Variable):
            number(term.name)
    for literal in rule.body:
        for name in variables(literal):
            number(name)
    aggregate: tuple[object, ...] = ()
    if rule.aggregate is not None:
        made = rule.aggregate
        terms = (made.term, *made.order_by)
        aggregate = (made.function, made.descending, *(names.get(t.name, t) for t in terms))
    head = tuple(names[t.name] if isinstance(t, Variable) else t for t in rule.terms)
    body: tuple[Literal, ...] = tuple(substitute(literal, names) for literal in rule.body)
    return rule.relation, head, aggregate, body
