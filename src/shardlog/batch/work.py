"""The work on one module: from the bytes of a file to its record and its annotated form."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, field

from shardlog.batch.record import Record, failed
from shardlog.batch.settings import Settings

__all__ = ["Done", "work_on"]


@dataclass
class Done:
    """The record of a module, its annotated form if that is wanted, and seconds by phase.

    `again` says that the failure lies in what is installed, not in the module: it is not kept.
    """

    record: Record
    output: bytes | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    again: bool = False


def work_on(data: bytes, settings: Settings) -> Done:
    """Propagate the module in the bytes of a file. Whatever is wrong with it ends in the record."""
    begin = time.perf_counter()
    seconds: dict[str, float] = {}
    try:
        done = _propagate(data, settings, seconds)
    except Exception as error:
        done = _failure(error)
    seconds["all"] = time.perf_counter() - begin
    done.seconds = {name: round(spent, 6) for name, spent in seconds.items()}
    return done


def _failure(error: Exception) -> Done:
    """What is kept of a module that an error has ended."""
    from shardlog.engine.errors import EvaluationError, OscillationError, RuleError
    from shardlog.ir.errors import InputError, ShardlogError
    from shardlog.stablehlo import JaxUnavailable

    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, MemoryError):
            return Done(failed("memory", "out of memory"))
        cause = cause.__cause__ or cause.__context__
    message = str(error) or type(error).__name__
    if isinstance(error, InputError):
        return Done(failed("error", message, error.line))
    if isinstance(error, RecursionError):
        message = "nested too deeply"
    elif not isinstance(
        error, (ShardlogError, RuleError, OscillationError, EvaluationError, OSError)
    ):
        # Whatever it is, the other modules must go on; the message says that it is our fault.
        message = f"internal error: {type(error).__name__}: {error}"
    return Done(failed("error", message), again=isinstance(error, (JaxUnavailable, OSError)))


def _propagate(data: bytes, settings: Settings, seconds: dict[str, float]) -> Done:
    from shardlog import api
    from shardlog.batch import rows
    from shardlog.notes import shardy_mark

    if settings.partitioner != "gspmd":
        from shardlog.batch.shardy import record_of, wants_shardy

        if wants_shardy(data, settings):
            return Done(*record_of(data, settings, seconds))
    begin = time.perf_counter()
    module = api.load(data, lenient=settings.lenient)
    seconds["reading"] = time.perf_counter() - begin
    for_shardy = shardy_mark(module) is not None
    result = api.propagate(
        module,
        rules=settings.rules,
        is_spmd=settings.is_spmd,
        propagate_metadata=settings.propagate_metadata,
        cse_prevention_only=settings.cse_prevention_only,
        params=settings.params,
        output=settings.output,
        execution_threads=settings.execution_threads,
        # Findings and the counts of rules rest on the records of the run.
        provenance=True,
    )
    seconds.update(result.seconds)
    begin = time.perf_counter()
    record: Record = {"status": "ok", "limit": None, "output": None}
    record["partitioner"] = {"rules": "gspmd", "for_shardy": for_shardy}
    output = None
    if settings.form is not None:
        output = api.output(result, None if settings.form == "same" else settings.form)
        record["output"] = {"sha256": hashlib.sha256(output).hexdigest(), "size": len(output)}
        seconds["writing"] = time.perf_counter() - begin
    begin = time.perf_counter()
    instructions = rows.instruction_rows(result)
    record["instructions"] = instructions
    record["rules"] = rows.rule_rows(result)
    if settings.provenance:
        record["provenance"] = rows.provenance_rows(result)
    seconds["rows"] = time.perf_counter() - begin
    begin = time.perf_counter()
    count: int | None = None
    failure = None
    if settings.findings:
        try:
            found = rows.finding_rows(result, settings.least, settings.findings)
            record["findings"], count = found
        except Exception as error:
            # The shardings are right all the same; the row says what is missing beside them.
            failure = f"the findings are missing: {type(error).__name__}: {error}"
    seconds["lint"] = time.perf_counter() - begin
    record["facts"] = facts = rows.module_facts(result, instructions, count)
    if failure is not None:
        facts["warnings"].append(failure)
    return Done(record, output)
