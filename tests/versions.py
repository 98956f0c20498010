"""Compares shardlog with the passes of several jaxlib versions on a corpus, and tells what differs.

    python -m tests.versions CORPUS --python PYTHON [--python ...] [--family REGEX] [--json FILE]

CORPUS is one of `tests.conformance`; only its befores are read. Each PYTHON is an interpreter with
a jaxlib of its own (`python3 -m venv ...; .../pip install jaxlib==0.6.2`), on Linux x86-64. Every
module is propagated once by shardlog and once by each jaxlib. Prints a table as docs/fidelity.md
has it, and for each version the modules and opcodes that differ, with the first differences.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import shardlog
from shardlog import converters
from shardlog.xla import XlaInput, run_pass
from tests.conformance import Pair, find_pairs

SHOWN = 3  # differing instructions of a module that are kept
BATCH = 50  # modules that one process of XLA's takes


@dataclass
class Version:
    """How one jaxlib agrees with shardlog; `failed` are modules that it did not get through."""

    jaxlib: str = ""
    modules: int = 0
    equal: int = 0
    total: int = 0
    agreeing: int = 0
    failed: dict[str, str] = field(default_factory=dict)
    opcodes: Counter[str] = field(default_factory=Counter)
    different: dict[str, list[str]] = field(default_factory=dict)

    def row(self) -> str:
        """Its row of the table."""
        percent = 100 * self.agreeing / max(self.total, 1)
        return (
            f"| {self.jaxlib} | {self.equal} of {self.modules} | "
            f"{self.agreeing:,} of {self.total:,} ({percent:.3f}%) |"
        )

    def add(self, name: str, ours: shardlog.HloModule, theirs: shardlog.HloModule) -> None:
        """Count one module."""
        found = shardlog.compare_modules(ours, theirs)
        self.modules += 1
        self.total += found.total
        self.agreeing += found.agreeing
        self.equal += not found.disagreements
        for difference in found.disagreements:
            self.opcodes[difference.opcode] += 1
            shown = self.different.setdefault(name, [])
            if len(shown) < SHOWN:
                left, right = difference.left or "none", difference.right or "none"
                shown.append(
                    f"{difference.instruction} = {difference.opcode}: ours {left}, XLA {right}"
                )


def measure(pairs: Sequence[Pair], pythons: Sequence[str]) -> list[Version]:
    """Compare shardlog with the jaxlib of each interpreter on the befores of pairs."""
    pairs = sorted(pairs, key=lambda pair: pair.before.stat().st_size)
    versions = [Version() for _ in pythons]
    for start in range(0, len(pairs), BATCH):
        some = pairs[start : start + BATCH]
        ours = [shardlog.propagate(pair.before, provenance=False).module for pair in some]
        inputs = [_input(pair.before) for pair in some]
        for version, python in zip(versions, pythons, strict=True):
            for pair, left, result in zip(some, ours, run_pass(inputs, python=python), strict=True):
                version.jaxlib = result.jaxlib
                if result.status != "ok":
                    version.failed[pair.name] = result.message
                    continue
                try:
                    right = converters.load(result.after.encode())
                except shardlog.InputError as error:
                    version.failed[pair.name] = f"what it prints cannot be read: {error}"
                else:
                    version.add(pair.name, left, right)
        rows = "\n".join(version.row() for version in versions)
        print(f"{start + len(some)} of {len(pairs)}\n{rows}", file=sys.stderr, flush=True)
    return versions


def _input(before: Path) -> XlaInput:
    data = before.read_bytes()
    text = (gzip.decompress(data) if before.suffix == ".gz" else data).decode()
    module = converters.load(text.encode())
    return XlaInput(text, module.parameter_mask, module.output_mask)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.versions", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--python", action="append", required=True, help="may be repeated")
    parser.add_argument("--family", default="", help="only programs whose family or name match")
    parser.add_argument("--json", type=Path, help="write everything to this file")
    options = parser.parse_args(arguments)
    wanted = re.compile(options.family)
    pairs = [
        pair
        for pair in find_pairs(options.corpus, ask_xla=True)
        if wanted.search(pair.family) or wanted.search(pair.name)
    ]
    if not pairs:
        print(f"nothing to compare in {options.corpus}", file=sys.stderr)
        return 2
    versions = measure(pairs, options.python)
    print("| jaxlib | modules fully equal | instructions equal |\n|---|---|---|")
    for version in versions:
        print(version.row())
    for version in versions:
        print(f"\njaxlib {version.jaxlib}")
        for name, message in version.failed.items():
            print(f"  failed: {name}: {message}")
        for opcode, count in version.opcodes.most_common():
            print(f"  {opcode}: {count} differ")
        for name, lines in version.different.items():
            print(f"  {name}")
            for line in lines:
                print(f"    {line}")
    if options.json:
        rows = [{**vars(version), "opcodes": dict(version.opcodes)} for version in versions]
        options.json.write_text(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
