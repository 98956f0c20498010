"""Shardy's propagation of one program: preparation, rules, and what is done behind them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from shardlog import cache
from shardlog import rules as rule_sets
from shardlog.converters.shardy.begin import begin
from shardlog.converters.shardy.finish import finish
from shardlog.converters.shardy.prepare import prepare
from shardlog.converters.shardy.program_facts import (
    PROGRAM_VOCABULARY,
    ProgramGraph,
    apply_shardings,
    program_facts,
)
from shardlog.engine import Facts, Library, Program, Record, load_program
from shardlog.engine.stacked_compiled import StackedSaturation
from shardlog.ir.collector import collector_at_rest
from shardlog.ir.shardy import program as shardy_program
from shardlog.ir.shardy.functions import SHARDY_FUNCTIONS, SHARDY_JOINS, SHARDY_TESTS
from shardlog.ir.shardy.tensor_sharding import TensorSharding

__all__ = ["ShardyOutcome", "load_shardy_rules", "propagate"]

LIBRARY = Library(SHARDY_FUNCTIONS, SHARDY_TESTS, SHARDY_JOINS)


@dataclass(frozen=True)
class ShardyOutcome:
    """A propagated program with what led to it.

    `graph` are the entities by the numbers that records use; `shardings` what they have right after
    propagation, before the last edits. `phases` are seconds by name.
    """

    program: shardy_program.Program
    graph: ProgramGraph
    shardings: Sequence[TensorSharding | None]
    records: Sequence[Record]
    phases: dict[str, float]


@lru_cache(maxsize=1)
def load_shardy_rules() -> Program:
    """The rules of Shardy's propagation, checked."""
    # the name tells what is kept of these rules from what is kept of others
    return cache.program_of((("shardy", ""),), _checked)


def _checked() -> Program:
    return load_program(rule_sets.shardy(), LIBRARY, PROGRAM_VOCABULARY)


def propagate(program: shardy_program.Program, *, provenance: bool = True) -> ShardyOutcome:
    """Propagate the shardings of a program, which then is as Shardy would hand it on.

    The program may be a user's or what XLA dumps as `before_propagation`. Raises InputError for
    sharding groups that cannot be, and for meshes or functions that are not declared.
    """
    start = time.perf_counter()
    rules = load_shardy_rules()
    loaded = time.perf_counter()
    with collector_at_rest():
        prepare(program)
        begin(program)
        edited = time.perf_counter()
        graph, facts = program_facts(program, Facts)
        built = time.perf_counter()
        cache.recall(rules, facts)
        run = StackedSaturation(rules, facts, provenance).run()
        saturated = time.perf_counter()
        shardings = run.state["sharding"]
        apply_shardings(graph, shardings)
        finish(program)
    cache.keep(rules)
    phases = {
        "rules": loaded - start,
        "edits": edited - loaded + time.perf_counter() - saturated,
        "facts": built - edited,
        "saturation": saturated - built,
    }
    return ShardyOutcome(program, graph, shardings, run.records, phases)
