"""What each rule did over many modules: coverage and profiles of a rule set."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from shardlog import converters
from shardlog.converters.facts import PassOptions, base_facts
from shardlog.engine import (
    Count,
    Counter,
    EvaluationError,
    Facts,
    OscillationError,
    Rule,
    Span,
)
from shardlog.ir.collector import collector_at_rest
from shardlog.ir.errors import InputError
from shardlog.propagation import load_rules
from shardlog.rule_cases import case_of, options_of

__all__ = ["RuleCounts", "RuleRow", "count_rules"]

RULE_CASE = ".hlo"


@dataclass(slots=True)
class RuleRow:
    """One rule, what it did, and in how many modules it fired."""

    rule: Rule
    count: Count = field(default_factory=Count)
    modules: int = 0


@dataclass
class RuleCounts:
    """The rules in file order, and how many modules they were run over.

    `failures` are modules that could not be propagated, each with the reason. `seconds` is the time
    of the counted runs, of which planning is no matter of single rules.
    """

    rows: list[RuleRow]
    modules: int = 0
    failures: list[tuple[Path, str]] = field(default_factory=list)
    seconds: float = 0.0
    planning: float = 0.0

    @property
    def silent(self) -> list[RuleRow]:
        """The rules that never fired: they neither changed a sharding nor held."""
        return [row for row in self.rows if not row.count.fired]

    def to_dict(self) -> dict[str, Any]:
        """A form for JSON."""
        return {
            "modules": self.modules,
            "failures": [{"file": str(path), "message": text} for path, text in self.failures],
            "seconds": {"all": round(self.seconds, 3), "planning": round(self.planning, 3)},
            "rules": [
                {
                    "name": row.rule.name,
                    "file": row.rule.span.file,
                    "line": row.rule.span.line,
                    "head": row.rule.relation,
                    **dataclasses.asdict(row.count),
                    "modules": row.modules,
                }
                for row in self.rows
            ],
        }


@dataclass(frozen=True)
class _Counted:
    """What one module gave."""

    counts: dict[Span, Count] = field(default_factory=dict)
    failure: str = ""
    seconds: float = 0.0
    planning: float = 0.0


def count_rules(
    modules: Sequence[Path],
    *,
    rules: Sequence[Path] = (),
    options: PassOptions | None = None,
    jobs: int = 1,
    report: Callable[[Path], None] = lambda path: None,
) -> RuleCounts:
    """Propagate modules and count what each rule does, the user's `rules` included.

    A module in form of a rule case brings its own options and rules, of which the latter are not
    counted. `report` is told of each module that is done. Raises RuleError, InputError and OSError
    for the rules; a module that cannot be propagated is a failure among the counts.
    """
    program = load_rules(rules)
    found = RuleCounts([RuleRow(rule) for rule in program.rules])
    by_span = {row.rule.span: row for row in found.rows}
    work = partial(_count, rules=tuple(rules), options=options or PassOptions())
    pool = ProcessPoolExecutor(jobs) if jobs > 1 and len(modules) > 1 else None
    try:
        results = map(work, modules) if pool is None else pool.map(work, modules)
        for path, result in zip(modules, results, strict=True):
            if result.failure:
                found.failures.append((path, result.failure))
            else:
                found.modules += 1
                found.seconds += result.seconds
                found.planning += result.planning
            for span, count in result.counts.items():
                row = by_span.get(span)
                if row is not None:
                    row.count = row.count.plus(count)
                    row.modules += count.fired
            report(path)
    finally:
        if pool is not None:
            pool.shutdown(cancel_futures=True)
    return found


def _count(path: Path, rules: tuple[Path, ...], options: PassOptions) -> _Counted:
    """What one module gives, in the process that propagates it."""
    try:
        own = ""
        if path.suffix == RULE_CASE:
            case = case_of(path.read_bytes().decode(errors="replace"), path)
            own, options = case.rules, options_of(case, options)
        module = converters.load(path)
        counter = _counter(rules, own)
        with collector_at_rest():
            _, facts = base_facts(module, Facts, options)
            run, counts = counter.run(facts)
            run.column("final")  # the rules about the end are asked when somebody wants it
    except (InputError, OSError, OscillationError, EvaluationError) as error:
        return _Counted(failure=str(error))
    asked = {span: count for span, count in counts.items() if count != Count()}
    timings = run.timings
    return _Counted(asked, "", timings.planning + timings.saturation, timings.planning)


@lru_cache(maxsize=8)
def _counter(rules: tuple[Path, ...], own: str) -> Counter:
    return Counter(load_rules([*rules, ("case", own)] if own else rules))
