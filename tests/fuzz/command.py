"""The differential tester as a command."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from shardlog.propagation import load_rules
from shardlog.xla import XlaUnavailable
from tests.fuzz.cases import Case, emitters, make
from tests.fuzz.oracle import Result, run_cases
from tests.fuzz.report import Report
from tests.fuzz.shrink import shrink

DESCRIPTION = """\
Generates random HLO modules, propagates each with shardlog and with XLA's own pass, and compares
instruction by instruction. Each difference is shrunk to a minimal module. In the end it says how
often each opcode, mode and rule was used.

XLA's pass comes from an installed jaxlib (pip install 'shardlog[xla]'); SHARDLOG_XLA_PYTHON may
name another interpreter that has one. The same seed always gives the same modules.
"""

EXAMPLES = """\
examples:
  python -m tests.fuzz --count 2000 --seed 7
  python -m tests.fuzz --count 500 --seed 8 --ops 'dot|conv' --keep found
  python -m tests.fuzz --seed 7 --only 1234 --print     one case: its text, and how it came out
  python -m tests.fuzz --list                           the emitters that --ops chooses from

It exits with 1 if anything differs, with 2 if XLA's pass cannot be run.
"""

BATCH = 300  # cases that are run at a time, XLA's side by one process for each set of options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--count", type=int, default=2000, help="modules to generate (2000)")
    add("--seed", type=int, default=7, help="what the modules are drawn from (7)")
    add("--size", type=int, default=14, help="emitters drawn for a module, at most (14)")
    add("--ops", default="", metavar="REGEX", help="only emitters whose names match")
    add("--only", type=int, metavar="I", help="only case I of the seed")
    add("--print", action="store_true", help="print each module before it is run")
    add("--keep", type=Path, metavar="DIR", help="write each shrunk module there, with XLA's")
    add("--shrink", type=int, default=10, metavar="N", help="differences to shrink, at most (10)")
    add("--list", action="store_true", help="list the emitters and end")
    options = parser.parse_args(arguments)
    able = emitters(options.ops)
    if not able:
        parser.error(f"no emitter matches {options.ops!r}; --list shows them")
    if options.list:
        for entry in able:
            print(f"{entry.name}: {(entry.run.__doc__ or '').strip()}")
        return 0
    load_rules()  # an error in them is no module's
    numbers = range(options.count) if options.only is None else [options.only]
    cases: Iterator[Case] = (make(options.seed, number, able, options.size) for number in numbers)
    if options.print:
        cases = _printed(cases)
    try:
        report, bad = _run(cases, len(numbers), options.keep, options.shrink)
    except XlaUnavailable as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{report}\nseed {options.seed}, {report.verdicts.total()} modules: ", end="")
    print(f"{bad} differ" if bad else "no difference")
    return 1 if bad else 0


def _printed(cases: Iterator[Case]) -> Iterator[Case]:
    for case in cases:
        print(f"// {case.name} {' '.join(case.modes.names)}\n{case.text}")
        yield case


def _run(cases: Iterator[Case], total: int, keep: Path | None, limit: int) -> tuple[Report, int]:
    report, bad = Report(), 0
    pending: list[Case] = []
    for case in cases:
        pending.append(case)
        if len(pending) < BATCH and report.verdicts.total() + len(pending) < total:
            continue
        for result in run_cases(pending):
            report.add(result)
            if result.is_bad:
                bad += 1
                _found(result, keep, bad <= limit)
            _progress(report.verdicts.total(), total, bad)
        pending = []
    return report, bad


def _found(result: Result, keep: Path | None, small: bool) -> None:
    """Tell of a difference, shrunk if it may be."""
    name = result.case.name
    print(f"== {name} {' '.join(result.case.modes.names)}: {result.verdict}")
    if small:
        result = shrink(result)
    for line in result.wrong[:6]:
        print(f"  {line}")
    if small:
        modes = " ".join(result.case.modes.names) or "defaults"
        print(f"  shrunk ({modes}):")
        print("\n".join(f"    {line}" for line in result.case.text.splitlines() if line.strip()))
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        stem = "-".join([name, *result.case.modes.names])
        (keep / f"{stem}.before.txt").write_text(result.case.text)
        if result.after:
            (keep / f"{stem}.after.txt").write_text(result.after)
    sys.stdout.flush()


def _progress(done: int, total: int, bad: int) -> None:
    if sys.stderr.isatty() and not os.environ.get("CI"):
        end = "\n" if done == total else ""
        print(f"\r{done} of {total}, {bad} differ", end=end, file=sys.stderr, flush=True)
