"""`shardlog propagate --partitioner shardy`."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path

import click

from shardlog.cli.options import RunOptions, read_bytes
from shardlog.cli.partitioner import only_gspmd
from shardlog.files import write_whole

__all__ = ["propagate_shardy"]


def propagate_shardy(path: str, target: str | None, form: str | None, run: RunOptions) -> None:
    """Run Shardy's propagation on a program, write it and print a summary.

    Raises click.UsageError for what Shardy's propagation does not take.
    """
    only_gspmd(run)
    if form not in (None, "stablehlo", "json"):
        raise click.UsageError(f"--partitioner shardy writes StableHLO or JSON, not {form}")
    begin = time.perf_counter()
    from shardlog import shardy
    from shardlog.shardy.propagation import rule_texts
    from shardlog.shardy.values import count_values, value_rows

    program = shardy.read_shardy(read_bytes(path), "<stdin>" if path == "-" else path)
    seconds = {"reading": time.perf_counter() - begin}
    before = count_values(program)
    rules = shardy.load_shardy_rules(rule_texts(run.rules)) if run.rules else None
    outcome = shardy.propagate(program, rules=rules)
    seconds.update(outcome.phases)
    after = count_values(program)
    if target is None and form is not None:
        target = "-"
    if target is not None:
        begin = time.perf_counter()
        if form == "json":
            text = json.dumps({"values": value_rows(program)}, indent=1) + "\n"
        else:
            text = shardy.shown(program)
        if target == "-":
            sys.stdout.write(text)
        else:
            write_whole(Path(target), text.encode())
        seconds["writing"] = time.perf_counter() - begin
    to_stderr = target == "-"
    steps = Counter(f"level {record.value}" for record in outcome.records)
    told = ", ".join(f"{level} {count}" for level, count in steps.items())
    phases = ", ".join(f"{phase} {each:.3f}" for phase, each in seconds.items())
    click.echo(
        f"{path}: {after.operations} operations in {after.functions} functions, by Shardy\n"
        f"sharded: {before.sharded} of {before.values} values before, "
        f"{after.sharded} of {after.values} after\n"
        f"steps: {told or 'none'}\n"
        f"seconds: {phases}; in all {sum(seconds.values()):.3f}",
        err=to_stderr,
    )
