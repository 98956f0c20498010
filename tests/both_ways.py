"""Compares the compiled rules with the plain interpreter on modules.

    python -m tests.both_ways FOLDER... [--largest N] [--jobs N]

FOLDER holds modules: HLO text, gzipped or not (of pairs only the module before the pass). Values
and provenance must be the same both ways; the order of a record's contributors does not count.
Modules of more than N instructions are left out, since the interpreter is slow. Exits with 1 if any
differ.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import shardlog
from shardlog.converters.facts import PassOptions, base_facts
from shardlog.engine import Facts, Record, Saturation
from shardlog.engine.interpreter import Interpretation
from shardlog.propagation import load_rules

LARGEST = 20


@dataclass(frozen=True)
class Outcome:
    """How one module came out: `wrong` is what differs first, empty if nothing does."""

    name: str
    instructions: int
    joins: int = 0
    wrong: str = ""
    seconds: float = 0.0


def compare(file: Path, largest: int = LARGEST) -> Outcome | None:
    """Propagate one module both ways; None if it is larger than asked for."""
    started = time.perf_counter()
    module = shardlog.load(file)
    count = len(module.instructions)
    if count > largest:
        return None
    _, facts = base_facts(module, Facts, PassOptions())
    program = load_rules()
    compiled = Saturation(program, facts).run()
    plain = Interpretation(program, facts).run()
    wrong = ""
    for mine, other in zip(compiled.records, plain.records, strict=False):
        if _told(mine) != _told(other):
            wrong = f"join {mine.event}: {_shown(mine)} compiled, {_shown(other)} interpreted"
            break
    else:
        if len(compiled.records) != len(plain.records):
            wrong = f"{len(compiled.records)} joins compiled, {len(plain.records)} interpreted"
    final = dict(plain.rows("final"))
    for entity, value in enumerate(compiled.column("final")):
        if not wrong and value is not final.get(entity):
            wrong = f"entity {entity} ends as {value} compiled, {final.get(entity)} interpreted"
    seconds = time.perf_counter() - started
    return Outcome(file.name, count, len(compiled.records), wrong, seconds)


def modules(folders: Sequence[Path]) -> list[Path]:
    """The files of modules in folders, by name."""
    files = {file for folder in folders for file in folder.rglob("*")}
    suffixes = (".txt", ".txt.gz", ".hlo")
    return sorted(f for f in files if f.name.endswith(suffixes) and ".after." not in f.name)


def _told(record: Record) -> tuple[object, ...]:
    return (*record[:5], frozenset(record.contributors), *record[6:])


def _shown(record: Record) -> str:
    return f"entity {record.entity} {record.new} by {record.rule.name!r} in {record.visit}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.both_ways", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--largest", type=int, default=LARGEST, help="default: %(default)s")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    files = modules(options.folders)
    if not files:
        parser.error("no modules there")
    with ProcessPoolExecutor(options.jobs) as pool:
        found = pool.map(compare, files, [options.largest] * len(files))
        outcomes = [outcome for outcome in found if outcome is not None]
    wrong = [outcome for outcome in outcomes if outcome.wrong]
    for outcome in wrong:
        print(f"{outcome.name}: {outcome.wrong}")
    slowest = max(outcomes, key=lambda outcome: outcome.seconds)
    print(
        f"{len(outcomes) - len(wrong)} of {len(outcomes)} modules come out the same both ways, "
        f"{sum(outcome.joins for outcome in outcomes)} accepted joins; the slowest, "
        f"{slowest.name}, took {slowest.seconds:.1f} s; {len(files) - len(outcomes)} left out"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
