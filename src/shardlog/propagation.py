"""Propagation of one module: facts, rules, saturation, and the result put into the module."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from shardlog import rules as rule_sets
from shardlog.converters.facts import PassOptions, base_facts
from shardlog.converters.pass_edits import apply_result
from shardlog.converters.vocabulary import VOCABULARY
from shardlog.engine import Facts, Library, Program, Record, Saturated, Saturation, load_program
from shardlog.ir.collector import collector_at_rest
from shardlog.ir.functions import FUNCTIONS, TESTS
from shardlog.ir.joins import JOINS
from shardlog.ir.module import HloModule
from shardlog.ir.sharding import HloSharding

__all__ = ["Outcome", "Step", "load_rules", "propagate"]

LIBRARY = Library(FUNCTIONS, TESTS, JOINS)


@dataclass(frozen=True, slots=True)
class Step:
    """One accepted join in terms of the module: who changed, from what, to what, and why."""

    instruction: str
    index: int | None
    old: HloSharding | None
    new: HloSharding
    rule: str
    contributors: tuple[str, ...]
    tier: int | None
    iteration: int
    direction: str


@dataclass(frozen=True)
class Outcome:
    """A propagated module with what led to it; `phases` are seconds by name."""

    module: HloModule
    saturated: Saturated
    names: Sequence[str]
    phases: dict[str, float]
    says: dict[str, str]

    @cached_property
    def records(self) -> tuple[Step, ...]:
        """Every accepted join in order; empty without provenance."""
        return tuple(step for record in self.saturated.records for step in self._steps(record))

    def _steps(self, record: Record) -> list[Step]:
        """One step for an array, one per changed leaf for a tuple."""
        old, new = record.old, record.new
        changes: list[tuple[int | None, HloSharding | None, HloSharding]] = [(None, old, new)]
        if new.is_tuple:
            before = old.elements if old is not None and old.is_tuple else ()
            if len(before) == len(new.elements):
                pairs = zip(before, new.elements, strict=True)
                changes = [(n, a, b) for n, (a, b) in enumerate(pairs) if a is not b]
        return [
            Step(
                self.names[record.entity],
                index,
                was,
                becomes,
                record.rule.name,
                tuple(self.names[entity] for entity in record.contributors),
                record.value,
                record.iteration,
                record.visit,
            )
            for index, was, becomes in changes
        ]


@lru_cache(maxsize=16)
def load_rules(files: tuple[Path, ...] = (), disabled: tuple[str, ...] = ()) -> Program:
    """The rules of GSPMD with the user's files behind them, checked.

    Raises RuleError with everything that is wrong, and OSError for a file that cannot be read.
    """
    return load_program([*rule_sets.gspmd(), *files], LIBRARY, VOCABULARY, disabled)


def propagate(
    module: HloModule,
    *,
    is_spmd: bool = True,
    propagate_metadata: bool = False,
    rules: Sequence[Path] = (),
    provenance: bool = True,
    params: Sequence[bool] | None = None,
    output: Sequence[bool] | None = None,
    everything: bool = False,
) -> Outcome:
    """Propagates the shardings of a module and puts the result into it.

    With `everything`, each round starts with every instruction marked, as in XLA; the answer is the
    same. Raises InputError, RuleError, OscillationError and EvaluationError.
    """
    start = time.perf_counter()
    program = load_rules(tuple(rules))
    loaded = time.perf_counter()
    options = PassOptions(
        is_spmd=is_spmd,
        propagate_metadata=propagate_metadata,
        parameter_mask=None if params is None else tuple(params),
        output_mask=None if output is None else tuple(output),
    )
    with collector_at_rest():
        graph, facts = base_facts(module, Facts, options)
        names = [instruction.name for instruction in graph.entities]
        built = time.perf_counter()
        saturated = Saturation(program, facts, provenance, everything).run()
        final = saturated.column("final")
        done = time.perf_counter()
        apply_result(graph, final)
    says = {rule.name: rule.says for rule in program.rules if rule.says}
    timings = saturated.timings
    phases = {
        "rules": loaded - start,
        "facts": built - loaded,
        "planning": timings.planning,
        "saturation": timings.saturation,
        "result": time.perf_counter()
        - done
        + (done - built - timings.planning - timings.saturation),
    }
    return Outcome(module, saturated, names, phases, says)
