"""Propagation of one module: facts, rules, saturation, and the result put into the module."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from shardlog import answers, cache
from shardlog import rules as rule_sets
from shardlog.converters.facts import PassOptions, base_facts
from shardlog.converters.pass_changes import changes_at_start
from shardlog.converters.pass_edits import apply_result
from shardlog.converters.pass_graph import PassGraph
from shardlog.converters.vocabulary import VOCABULARY
from shardlog.engine import (
    EvaluationError,
    Facts,
    Library,
    OscillationError,
    Program,
    Record,
    RuleError,
    Saturated,
    Saturation,
    load_program,
)
from shardlog.ir.collector import collector_at_rest
from shardlog.ir.consistency import first_inconsistency
from shardlog.ir.errors import InputError
from shardlog.ir.functions import FUNCTIONS, TESTS
from shardlog.ir.joins import JOINS
from shardlog.ir.module import HloModule, Instruction
from shardlog.ir.sharding import HloSharding
from shardlog.light import dataclass
from shardlog.rule_descriptions import check_descriptions

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Outcome", "files_of", "load_rules", "propagate", "text_of"]

LIBRARY = Library(FUNCTIONS, TESTS, JOINS)

_ENTITY = re.compile(r"\bentity (\d+)\b")
"""How the engine, which knows no names, calls an instruction."""


@dataclass(frozen=True)
class Outcome:
    """A propagated module with what led to it.

    `entities` are the instructions by the numbers that records use; `names` are what the module
    called them when it came, `given` the shardings that they came with. `phases` are seconds by
    name.
    """

    module: HloModule
    entities: Sequence[Instruction]
    names: Sequence[str]
    given: Sequence[HloSharding | None]
    saturated: Saturated
    phases: dict[str, float]
    changed: bool = False

    @property
    def records(self) -> Sequence[Record]:
        """Every accepted join in order; empty without provenance."""
        return self.saturated.records

    @property
    def iterations(self) -> int:
        """How often the pass goes through the module, as it counts itself."""
        return self.saturated.iterations


def load_rules(
    files: Sequence[Path | tuple[str, str]] = (), disabled: Sequence[str] = ()
) -> Program:
    """The rules of GSPMD with the user's files, or (name, text) pairs, behind them, checked.

    `pack:NAME` in the place of a file stands for the rule pack of an installed package.

    Raises RuleError with everything that is wrong, InputError for a file that is no text, and
    OSError for one that cannot be read.
    """
    pairs: list[tuple[str, str]] = []
    for file in files:
        if isinstance(file, tuple):
            pairs.append(file)
        else:
            pairs += [(str(path), text_of(path)) for path in files_of(file)]
    return _program(tuple(pairs), tuple(disabled))


def propagate(
    module: HloModule,
    *,
    is_spmd: bool = True,
    propagate_metadata: bool = False,
    cse_prevention_only: bool = False,
    rules: Sequence[Path | tuple[str, str]] = (),
    disabled: Sequence[str] = (),
    provenance: bool = True,
    params: Sequence[bool] | None = None,
    output: Sequence[bool] | None = None,
    execution_threads: Sequence[str] = (),
    everything: bool = False,
    as_read: bool = False,
    order: int | None = None,
) -> Outcome:
    """Propagates the shardings of a module and puts the result into it.

    With `everything`, each round starts with every instruction marked, as in XLA; the answer is the
    same. `order` is the seed of another order of visits than XLA's. A module that is `as_read`,
    with nothing changed since, may be answered from what an earlier process has kept. Raises
    InputError, RuleError, OscillationError and EvaluationError.
    """
    start = time.perf_counter()
    program = load_rules(rules, disabled)
    check_descriptions(program, module)
    loaded = time.perf_counter()
    options = PassOptions(
        is_spmd=is_spmd,
        propagate_metadata=propagate_metadata,
        cse_prevention_only=cse_prevention_only,
        parameter_mask=None if params is None else tuple(params),
        output_mask=None if output is None else tuple(output),
        execution_threads=tuple(execution_threads),
        order=order,
    )
    with collector_at_rest():
        names: list[str] = []
        try:
            graph, facts = base_facts(module, Facts, options)
            names = [instruction.name for instruction in graph.entities]
            given = [instruction.sharding for instruction in graph.entities]
            built = time.perf_counter()
            key = answers.key_of(module, options) if as_read and provenance else None
            answered = answers.recall(program, key, facts) if key else None
            if answered is None:
                cache.recall(program, facts)
            recalled = time.perf_counter() - built
            if answered is None:
                begin = time.perf_counter()
                saturation = Saturation(program, facts, provenance, everything)
                recalled += time.perf_counter() - begin
                saturated = saturation.run()
                del saturation  # what it holds beyond the outcome is much
                final = saturated.column("final")
                changed = changes_at_start(graph) or _propagated(graph, saturated)
                answered = answers.Answered(saturated, final, changed)
                spent = saturated.timings.planning + saturated.timings.saturation
                if key and spent > answers.WORTH:
                    answers.keep(program, key, answered)
            saturated = answered.saturated
        except Exception as error:
            raise _explained(error, module, names) from error
        apply_result(graph, answered.final)
    cache.keep(program)
    timings = saturated.timings
    phases = {
        "rules": loaded - start,
        "facts": built - loaded,
        "planning": recalled + timings.planning,
        "saturation": timings.saturation,
        "result": time.perf_counter() - built - recalled - timings.planning - timings.saturation,
    }
    return Outcome(module, graph.entities, names, given, saturated, phases, answered.changed)


def _propagated(graph: PassGraph, saturated: Saturated) -> bool:
    """Whether the rounds changed anything but open dimensions, which XLA's pass does not count."""
    rounds = sum(value is not None for _, value in saturated.program.declared.rounds())
    if saturated.iterations == rounds or not graph.unspecified:
        return saturated.iterations > rounds
    open_ended = {x.index for x in graph.unspecified}
    open_ended.update(user.index for x in graph.unspecified for user in x.users)
    start, end = saturated.state["given"], saturated.state["sharding"]
    return any(
        after is not before and not (before and before.is_unknown and after.is_replicated)
        for number, (before, after) in enumerate(zip(start, end, strict=True))
        if number not in open_ended
    )


def _explained(error: Exception, module: HloModule, names: Sequence[str]) -> Exception:
    """What a failed run says to a user, who knows names and files."""
    if isinstance(error, OscillationError):
        name = names[error.entity] or "the copy of the entry's root"
        message = str(error).replace(f"entity {error.entity}", name, 1)
        return OscillationError(message, error.entity, error.values, error.rules)
    cause = error.__cause__ if isinstance(error, EvaluationError) else error
    if isinstance(cause, InputError) and cause.line is not None:
        return cause
    if isinstance(cause, (EvaluationError, IndexError, InputError, ValueError)):
        # most likely a value that no well-formed module has
        fault = first_inconsistency(module)
        if fault is not None:
            return fault
    if isinstance(cause, InputError):
        return cause if cause.file else cause.located(file=module.file)
    if isinstance(error, EvaluationError):
        return EvaluationError(_ENTITY.sub(lambda found: names[int(found[1])], str(error)))
    return error


def files_of(file: Path) -> list[Path]:
    """A rule file, or those of a pack."""
    if not str(file).startswith("pack:"):
        return [file]
    from shardlog.rule_packs import rule_files  # looking for packages takes time

    return rule_files([file])


def text_of(file: Path) -> str:
    """The text of a rule file; raises InputError if it is not UTF-8."""
    try:
        return file.read_bytes().decode()
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise InputError("not a rule file: not UTF-8", file=str(file), line=line) from None


@lru_cache(maxsize=16)
def _program(files: tuple[tuple[str, str], ...], disabled: tuple[str, ...]) -> Program:
    if disabled:
        return _checked(files, disabled)
    return cache.program_of(files, lambda: _checked(files))


def _checked(files: tuple[tuple[str, str], ...], disabled: tuple[str, ...] = ()) -> Program:
    """The program of these files and the shipped ones. Raises RuleError."""
    from shardlog.user_rules import check_user_rules, pointed

    try:
        program = load_program([*rule_sets.gspmd(), *files], LIBRARY, VOCABULARY, disabled)
        check_user_rules(files, program)
    except RuleError as error:
        lines = {name: text.splitlines() for name, text in files}
        problems = [pointed(p, lines.get(p.span.file, ())) for p in error.problems]
        raise RuleError(problems) from None
    return program
