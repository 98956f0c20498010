"""Shardy's propagation of one program: preparation, rules, and what is done behind them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from weakref import WeakKeyDictionary

from shardlog import cache
from shardlog import rules as rule_sets
from shardlog.converters.shardy.begin import begin
from shardlog.converters.shardy.finish import finish
from shardlog.converters.shardy.places import Place, place_facts
from shardlog.converters.shardy.prepare import prepare
from shardlog.converters.shardy.program_facts import (
    PROGRAM_VOCABULARY,
    ProgramGraph,
    apply_shardings,
    program_facts,
)
from shardlog.engine import (
    Facts,
    Library,
    Program,
    Record,
    Rule,
    RuleError,
    Saturated,
    load_program,
)
from shardlog.engine.inquiry import Inquiry
from shardlog.engine.instant import Instant
from shardlog.engine.stacked_compiled import StackedSaturation
from shardlog.engine.syntax import Constant, Match
from shardlog.ir.collector import collector_at_rest
from shardlog.ir.shardy import program as shardy_program
from shardlog.ir.shardy.functions import SHARDY_FUNCTIONS, SHARDY_JOINS, SHARDY_TESTS
from shardlog.ir.shardy.mesh import Mesh
from shardlog.ir.shardy.tensor_sharding import TensorSharding
from shardlog.propagation import files_of, text_of
from shardlog.shardy.descriptions import check_described
from shardlog.user_rules import check_user_rules, pointed

__all__ = [
    "Propagated",
    "ShardyOutcome",
    "decided",
    "final_rules",
    "finished",
    "load_shardy_rules",
    "propagate",
    "rule_texts",
    "saturate",
]

MOST_DECIDED = 1 << 14
_Meshes = tuple[tuple[str, Mesh], ...]
LIBRARY = Library(SHARDY_FUNCTIONS, SHARDY_TESTS, SHARDY_JOINS)


@dataclass(frozen=True)
class Propagated:
    """A program right after propagation, before the last edits, and the run that led there.

    `graph` are the entities by the numbers that the run uses. `given` has the values that came with
    a sharding, with what that was. `phases` are seconds by name.
    """

    program: shardy_program.Program
    graph: ProgramGraph
    run: Saturated
    given: dict[shardy_program.Value, TensorSharding]
    phases: dict[str, float]


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


@lru_cache(maxsize=16)
def load_shardy_rules(
    files: tuple[tuple[str, str], ...] = (), disabled: tuple[str, ...] = ()
) -> Program:
    """The rules of Shardy's propagation, checked, with those of more files, each (name, text).

    Rules that are `disabled`, by name, are left out. Raises RuleError.
    """
    if disabled:
        return _checked(files, disabled)
    # the name tells what is kept of these rules from what is kept of others
    return cache.program_of((("shardy", ""), *files), lambda: _checked(files))


def _checked(files: tuple[tuple[str, str], ...], disabled: tuple[str, ...] = ()) -> Program:
    try:
        program = load_program([*rule_sets.shardy(), *files], LIBRARY, PROGRAM_VOCABULARY, disabled)
        check_user_rules(files, program)
    except RuleError as error:
        lines = {name: text.splitlines() for name, text in files}
        problems = [pointed(p, lines.get(p.span.file, ())) for p in error.problems]
        raise RuleError(problems) from None
    return program


def rule_texts(paths: Sequence[Path]) -> tuple[tuple[str, str], ...]:
    """The names and texts of rule files, or of those of packs. Raises InputError and OSError."""
    return tuple((str(file), text_of(file)) for path in paths for file in files_of(path))


def saturate(
    program: shardy_program.Program, *, provenance: bool = True, rules: Program | None = None
) -> Propagated:
    """Propagate the shardings of a program up to Shardy's last edits, which `finished` makes.

    The program may be a user's or what XLA dumps as `before_propagation`; it is edited as Shardy
    does before propagation. `rules` are by default the shipped ones. Raises as `propagate` does.
    """
    start = time.perf_counter()
    rules = load_shardy_rules() if rules is None else rules
    check_described(rules, program)
    loaded = time.perf_counter()
    with collector_at_rest():
        given = {one: one.sharding for one in _values(program) if one.sharding is not None}
        prepare(program)
        prepared = time.perf_counter()
        begin(program)
        edited = time.perf_counter()
        graph, facts = program_facts(program, Facts)
        built = time.perf_counter()
        cache.recall(rules, facts)
        run = StackedSaturation(rules, facts, provenance).run()
        saturated = time.perf_counter()
    cache.keep(rules)
    phases = {
        "rules": loaded - start,
        "prepare": prepared - loaded,
        "edits": edited - prepared,
        "facts": built - edited,
        "saturation": saturated - built,
    }
    return Propagated(program, graph, run, given, phases)


def _values(program: shardy_program.Program) -> Iterator[shardy_program.Value]:
    for op in program.module.walk():
        for block in op.regions:
            yield from block.arguments
        yield from op.results


def propagate(
    program: shardy_program.Program, *, provenance: bool = True, rules: Program | None = None
) -> ShardyOutcome:
    """Propagate the shardings of a program, which then is as Shardy would hand it on.

    The program may be a user's or what XLA dumps as `before_propagation`; `rules` are by default
    the shipped ones. Raises InputError for sharding groups that cannot be, for meshes or functions
    that are not declared, and for an operation that a description does not fit.
    """
    found = saturate(program, provenance=provenance, rules=rules)
    start = time.perf_counter()
    shardings = found.run.state["sharding"]
    with collector_at_rest():
        apply_shardings(found.graph, shardings)
        finish(program, partial(decided, found.run.program, program))
    phases = dict(found.phases)
    phases["edits"] += time.perf_counter() - start
    return ShardyOutcome(program, found.graph, shardings, found.run.records, phases)


def finished(found: Propagated) -> shardy_program.Program:
    """Return a propagated program as Shardy hands it on; the propagated one stays as it is."""
    old = found.program
    mapping: dict[shardy_program.Value, shardy_program.Value] = {}
    with collector_at_rest():
        program = shardy_program.Program(old.module.clone(mapping), old.file)
        program.meshes = dict(old.meshes)
        graph = replace(found.graph, program=program)
        graph.numbers = {mapping.get(value, value): n for value, n in graph.numbers.items()}
        apply_shardings(graph, found.run.state["sharding"])
        finish(program, partial(decided, found.run.program, program))
    return program


_DECIDED: WeakKeyDictionary[Program, dict[tuple[Place, _Meshes], TensorSharding]]
_DECIDED = WeakKeyDictionary()


def decided(
    rules: Program, program: shardy_program.Program, places: Sequence[Place]
) -> list[TensorSharding]:
    """Return with what sharding a value leaves at each place: the rules' `final`.

    A place for which no rule says one leaves as it is. What was asked before is remembered.
    """
    meshes = tuple(program.meshes.items())
    known = _DECIDED.setdefault(rules, {})
    if len(known) > MOST_DECIDED:
        known.clear()
    new = [one for one in dict.fromkeys(places) if (one, meshes) not in known]
    if new:
        facts = Facts(len(new))
        place_facts(new, meshes, facts)
        final: dict[int, TensorSharding] = dict(Instant(rules, facts, {}, ()).rows("final"))
        known.update(((one, meshes), final.get(n, one.sharding)) for n, one in enumerate(new))
    return [known[one, meshes] for one in places]


def final_rules(
    rules: Program, program: shardy_program.Program, place: Place
) -> list[tuple[Rule, TensorSharding]]:
    """Return which rules change the sharding that a value leaves with, and to what, in order."""
    facts = Facts(1)
    place_facts([place], tuple(program.meshes.items()), facts)
    inquiry = Inquiry(rules, facts, {})
    found: list[tuple[Rule, TensorSharding]] = []
    before = place.sharding
    for relation in ("even", "whole", "final"):
        after = inquiry.value(relation, 0)
        if after is None or after is before:
            continue
        literal = Match(relation, (Constant(0), Constant(after)), True)
        rule = inquiry.holding(literal, {}).rule
        if rule is not None:
            found.append((rule, after))
        before = after
    return found
