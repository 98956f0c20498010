"""Compares where our shardings come from with what XLA's pass logs, instruction by instruction.

    python -m tests.provenance CORPUS [--family REGEX] [--jobs N] [--show N]

CORPUS is a folder as `tests.conformance` takes it. XLA's pass runs on each module with its log on
(from the jaxlib that SHARDLOG_XLA_PYTHON names). For every instruction that the log names, the
direction, tier and iteration of its last change must be those of our last record of it. What the
log does not name is left out: ties at the start, alignment of shard groups, relays and inheritance
through barriers, masks, and visits on change, of which it gives no iteration.

Exits with 1 if anything differs, with 2 if there is nothing to compare.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import shardlog
from shardlog.xla import XlaInput, run_pass
from tests.conformance import Pair, find_pairs

ADDED = re.compile(
    r"\] (?:Add sharding|Refined partial sharding) \((?P<pass>[a-z -]+)\): "
    r"(?:ROOT )?%?(?P<name>[^ ]+) = "
)
ON_CHANGE = re.compile(r"\] Add computation sharding: (?P<name>[^ ]+) ")
ITERATION = re.compile(r"\] Sharding propagation iteration (\d+);")
TIER = re.compile(r"^  aggressiveness: (\d+)")

DIRECTIONS = {"forward-pass": "forward", "backward-pass": "backward", "shard group": "group"}


class Change(NamedTuple):
    """Where a sharding was set last."""

    direction: str
    tier: int
    iteration: int


@dataclass
class Found:
    """How the last changes of one module compare."""

    name: str
    family: str
    total: int = 0
    agreeing: int = 0
    differing: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    error: str = ""


def logged(log: str, first: bool = False) -> dict[str, Change]:
    """The last change of every instruction that a log names, by name after the pass; or the first.

    The log tells iteration and tier after what was changed in them.
    """
    changes: dict[str, Change] = {}
    waiting: dict[str, str] = {}
    iteration = 0
    for line in log.splitlines():
        if (found := ADDED.search(line)) is not None:
            waiting[found["name"]] = DIRECTIONS[found["pass"]]
        elif (found := ON_CHANGE.search(line)) is not None:
            waiting[found["name"].lstrip("%")] = "change"
        elif (found := ITERATION.search(line)) is not None:
            iteration = int(found[1])
        elif (found := TIER.match(line)) is not None:
            tier = int(found[1])
            for name, direction in waiting.items():
                if not first or name not in changes:
                    changes[name] = Change(direction, tier, iteration)
            waiting = {}
    return changes


def recorded(result: shardlog.Result) -> dict[str, Change]:
    """The last change that our records have of every instruction in a round."""
    names = [instruction.name for instruction in result.run.entities]
    return {
        names[record.entity]: Change(record.visit, record.value, record.iteration)
        for record in result.records
        if record.value is not None
    }


def compare(theirs: dict[str, Change], ours: dict[str, Change]) -> tuple[int, list[str]]:
    """How many of the logged changes are ours too, and in words those that are not."""
    differing = []
    for name, change in theirs.items():
        mine = ours.get(name)
        if mine != change:
            differing.append(f"{name}: XLA {tuple(change)}, shardlog {mine and tuple(mine)}")
    return len(theirs) - len(differing), differing


def check(pair: Pair) -> Found:
    """Compare one module."""
    found = Found(pair.name, pair.family)
    try:
        module = shardlog.load(pair.before)
        source = XlaInput(module.to_text(), module.parameter_mask, module.output_mask)
        (theirs,) = run_pass([source], log=True)
        if theirs.status != "ok":
            raise shardlog.ShardlogError(theirs.message)
        result = shardlog.propagate(module)
    except Exception as error:
        found.error = f"{type(error).__name__}: {error}"
        return found
    changes = logged(theirs.log)
    ours = recorded(result)
    found.total = len(changes)
    found.agreeing, found.differing = compare(changes, ours)
    for name, change in changes.items():
        mine = ours.get(name)
        if mine is None:
            found.kinds["not ours"] += 1
        elif mine != change:
            fields = zip(Change._fields, mine, change, strict=True)
            found.kinds[", ".join(f for f, a, b in fields if a != b)] += 1
    found.differing = found.differing[:20]
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.provenance", description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--family", default="", help="only families that match")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--show", type=int, default=5, help="differences to show per module")
    options = parser.parse_args(arguments)
    pairs = [p for p in find_pairs(options.corpus) if re.search(options.family, p.family)]
    if not pairs:
        print("nothing to compare", file=sys.stderr)
        return 2
    with ProcessPoolExecutor(options.jobs) as pool:
        results = list(pool.map(check, pairs))
    kinds: Counter[str] = Counter()
    for found in results:
        kinds += found.kinds
        if found.error or found.agreeing != found.total:
            print(f"{found.name}: {found.agreeing} of {found.total} {found.error}".rstrip())
            for line in found.differing[: options.show]:
                print(f"  {line}")
    total, agreeing = sum(f.total for f in results), sum(f.agreeing for f in results)
    equal = sum(not f.error and f.agreeing == f.total for f in results)
    print(f"{agreeing} of {total} last changes agree; {equal} of {len(results)} modules fully")
    for kind, count in kinds.most_common():
        print(f"  differ in {kind}: {count}")
    return 0 if agreeing == total and equal == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
