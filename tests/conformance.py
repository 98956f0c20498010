"""Compares shardlog with XLA on a folder of modules, instruction by instruction.

    python -m tests.conformance CORPUS [--family REGEX] [--bar PCT] [--jobs N] [--json FILE]

CORPUS is a folder of pairs NAME.before.txt and NAME.after.txt (gzipped or not), or a folder with
such a folder `pairs` in it and an `index.json` that names each program's family. With --xla every
module in CORPUS that has no `.after.txt` is given to XLA's own pass, from an installed jaxlib. One
that differs from its `.after.txt` is, too: it counts as equal if XLA, given the same text, answers
as shardlog does, for then it hangs on what the text does not tell, such as the order of users.

Each before is propagated and compared with its after in canonical form. It exits with 1 if fewer
than PCT percent of the modules are fully equal, with 2 if there is nothing to compare.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path

import shardlog
from shardlog.compare import Verdict
from shardlog.xla import propagate_with_xla

BEFORE = re.compile(r"^(?P<name>.+)\.before\.txt(\.gz)?$")
SHOWN = 5  # differing instructions of a module that are kept and can be shown


@dataclass(frozen=True)
class Pair:
    """A module before the pass, and after it: a file, or None where XLA is to be asked."""

    name: str
    family: str
    before: Path
    after: Path | None


@dataclass
class Score:
    """How one module compares with XLA's; `first` are its first differing instructions.

    `equals_text` says that it differs from what XLA did in a compilation, but not from what XLA
    does given the same text.
    """

    name: str
    family: str
    total: int = 0
    agreeing: int = 0
    same_text: int = 0
    by_opcode: dict[str, dict[str, int]] = field(default_factory=dict)
    first: list[str] = field(default_factory=list)
    error: str = ""
    seconds: float = 0.0
    equals_text: bool = False

    @property
    def is_equal(self) -> bool:
        """True if every instruction has XLA's sharding."""
        return not self.error and (self.agreeing == self.total or self.equals_text)


def find_pairs(folder: Path, *, ask_xla: bool = False) -> list[Pair]:
    """Return the pairs of a corpus folder, by name."""
    index = folder / "index.json"
    programs = json.loads(index.read_text())["programs"] if index.exists() else {}
    home = folder / "pairs" if (folder / "pairs").is_dir() else folder
    pairs = []
    for file in sorted(home.iterdir()):
        found = BEFORE.match(file.name)
        if found:
            name = found["name"]
            stem = str(home / f"{name}.after.txt")
            after = next((Path(p) for p in (stem, stem + ".gz") if Path(p).exists()), None)
        elif ask_xla and file.suffix in (".hlo", ".txt") and ".after." not in file.name:
            name, after = file.stem, None
        else:
            continue
        if after is not None or ask_xla:
            pairs.append(Pair(name, programs.get(name, {}).get("family", ""), file, after))
    return pairs


def score(pair: Pair, *, ask_xla: bool = False) -> Score:
    """Propagate one module and compare it with XLA's answer; `ask_xla` again if they differ."""
    result = Score(pair.name, pair.family)
    started = time.perf_counter()
    try:
        right = (
            shardlog.load(pair.after)
            if pair.after
            else propagate_with_xla(shardlog.load(pair.before))
        )
        left = shardlog.propagate(pair.before, provenance=False).module
        comparison = shardlog.compare_modules(left, right)
        if ask_xla and pair.after and comparison.disagreements:
            right = propagate_with_xla(shardlog.load(pair.before))
            result.equals_text = not shardlog.compare_modules(left, right).disagreements
    except Exception as error:  # reported as this module's result; the others go on
        result.error = f"{type(error).__name__}: {error}"
    else:
        result.total, result.agreeing = comparison.total, comparison.agreeing
        result.same_text = comparison.equal.total()
        result.by_opcode = {
            opcode: {str(verdict): count for verdict, count in row.items()}
            for opcode, row in comparison.by_opcode().items()
        }
        result.first = [
            f"{d.computation}: {d.instruction} = {d.opcode}: {d.verdict}\n"
            f"    ours {_text(d.verdict, d.left)}\n    XLA  {_text(d.verdict, d.right)}"
            for d in comparison.disagreements[:SHOWN]
        ]
    result.seconds = time.perf_counter() - started
    return result


def score_all(pairs: Sequence[Pair], jobs: int, *, ask_xla: bool = False) -> Iterator[Score]:
    """Score pairs in parallel, in their order."""
    work = partial(score, ask_xla=ask_xla)
    if jobs == 1:
        yield from map(work, pairs)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(work, pairs)


def opcode_table(scores: Sequence[Score]) -> list[tuple[str, int, int]]:
    """Return (opcode, agreeing, total) over all modules, the most disagreements first."""
    agreeing: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for result in scores:
        for opcode, row in result.by_opcode.items():
            total[opcode] += sum(row.values())
            agreeing[opcode] += sum(n for verdict, n in row.items() if Verdict(verdict).agrees)
    rows = [(opcode, agreeing[opcode], count) for opcode, count in total.items()]
    return sorted(rows, key=lambda row: (row[1] - row[2], row[0]))


def print_report(scores: Sequence[Score], worst: int, *, every_module: bool) -> None:
    """Print the modules, the opcodes and the first differences of the worst modules."""
    wrong = sorted((s for s in scores if not s.is_equal), key=lambda s: s.agreeing - s.total)
    for result in scores if every_module else wrong:
        counts = result.error or f"{result.agreeing}/{result.total} instructions equal"
        counts += ", and all of those that XLA gives the same text" * result.equals_text
        print(f"{'equal' if result.is_equal else 'WRONG'}  {result.name}: {counts}")
    print("\nopcode: equal/all instructions")
    for opcode, agreeing, total in opcode_table(scores):
        print(
            f"  {opcode}: {agreeing}/{total}"
            + (f" ({total - agreeing} differ)" * (agreeing < total))
        )
    for result in wrong[:worst]:
        print(f"\n{result.name}: {result.error or f'{result.total - result.agreeing} differ'}")
        for line in result.first:
            print(f"  {line}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--family", default="", help="only programs whose family or name match")
    parser.add_argument("--bar", type=float, default=0.0, help="percent of modules fully equal")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--worst", type=int, default=5, help="modules whose differences are shown")
    parser.add_argument("--wrong", action="store_true", help="list only modules that are not equal")
    parser.add_argument("--json", type=Path, help="write every score to this file")
    parser.add_argument(
        "--xla", action="store_true", help="ask XLA where there is no after, or it differs"
    )
    options = parser.parse_args(arguments)

    wanted = re.compile(options.family)
    pairs = [
        pair
        for pair in find_pairs(options.corpus, ask_xla=options.xla)
        if wanted.search(pair.family) or wanted.search(pair.name)
    ]
    if not pairs:
        print(f"nothing to compare in {options.corpus}", file=sys.stderr)
        return 2
    started = time.perf_counter()
    scores = list(score_all(pairs, options.jobs, ask_xla=options.xla))
    seconds = time.perf_counter() - started

    print_report(scores, options.worst, every_module=not options.wrong)
    if options.json:
        options.json.write_text(json.dumps([asdict(result) for result in scores], indent=1))
    equal = sum(result.is_equal for result in scores)
    total = sum(result.total for result in scores)
    agreeing = sum(result.agreeing for result in scores)
    text = sum(result.same_text for result in scores)
    percent = 100 * equal / len(scores)
    hanging = sum(result.equals_text for result in scores)
    if hanging:
        print(f"\n{hanging} modules differ from a compilation, not from XLA given the same text")
    print(
        f"\n{equal} of {len(scores)} modules ({percent:.1f}%) and {agreeing} of {total} "
        f"instructions equal XLA's, {agreeing - text} of them by devices but not as text; "
        f"{seconds:.1f} s"
    )
    if percent < options.bar:
        print(f"below the bar of {options.bar:g}%", file=sys.stderr)
        return 1
    return 0


def _text(verdict: Verdict, sharding: shardlog.HloSharding | None) -> str:
    if verdict in (Verdict.NO_LEFT, Verdict.NO_RIGHT):
        return f"{sharding or '-'} ({verdict})"
    return str(sharding or "none")


if __name__ == "__main__":
    sys.exit(main())
