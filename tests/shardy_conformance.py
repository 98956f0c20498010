"""Compares Shardy's propagation with the binary's on a folder of programs, value by value.

    python -m tests.shardy_conformance FOLDER... [--only REGEX] [--bar PCT] [--from-dump] [--wrong]

A folder has pairs NAME.before.mlir and NAME.after.mlir in MLIR's generic form, or programs
NAME.sdy.mlir (StableHLO with Shardy's annotations, or HLO as NAME.before_optimizations.txt), for
which the passes of an installed jaxlib 0.10.2 are run (SHARDLOG_XLA_PYTHON names its interpreter).
Then the op sharding rules of all operations are compared, too. With --from-dump propagation starts
from what the binary dumps as `before_propagation` in place of the user's program.

It prints how many values have the same sharding, and exits with 1 if fewer than PCT percent of the
programs are fully equal, with 2 if there is nothing to compare.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from shardlog.converters.mlir import read_program, write_program
from shardlog.converters.shardy.op_facts import SHARDING_RULE
from shardlog.converters.shardy.program_facts import program_facts
from shardlog.engine import Facts
from shardlog.engine.instant import Instant
from shardlog.ir.shardy.op_rule import parse_op_rule
from shardlog.ir.shardy.program import Operation, Program
from shardlog.ir.shardy.tensor_sharding import TensorSharding
from shardlog.shardy import load_shardy_rules, propagate, read_shardy
from shardlog.shardy.binary import run_binary

SHOWN = 5


@dataclass
class Score:
    """How one program compares; `wrong` are its first differences."""

    name: str
    equal: int = 0
    total: int = 0
    rules_equal: int = 0
    rules_total: int = 0
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)

    @property
    def is_equal(self) -> bool:
        """Whether all values and all op sharding rules are equal."""
        return self.equal == self.total and self.rules_equal == self.rules_total

    def __str__(self) -> str:
        rules = f", rules {self.rules_equal}/{self.rules_total}" if self.rules_total else ""
        values = f"{self.name}: values {self.equal}/{self.total}{rules}"
        return f"{values}, {self.seconds:.2f} s of CPU"


Place = tuple[Operation, str, TensorSharding | None]


def values(program: Program) -> Iterator[Place]:
    """Yield every value of a program with its sharding, and every result of a function."""
    for op in program.module.walk():
        for number, block in enumerate(op.regions):
            for value in block.arguments:
                yield op, f"region {number}, argument {value.index}", value.sharding
        for value in op.results:
            yield op, f"result {value.index}", value.sharding
        for place, sharding in enumerate(op.result_shardings):
            yield op, f"function result {place}", sharding


def compare_values(ours: Program, its: Program, score: Score) -> None:
    """Compare two programs, which should be the same but for shardings."""
    mine, theirs = list(values(ours)), list(values(its))
    score.total = len(theirs)
    if [one[0].name for one in mine] != [one[0].name for one in theirs]:
        score.wrong.append("the programs differ in their operations")
        return
    for (op, what, sharding), (_, _, wanted) in zip(mine, theirs, strict=True):
        if sharding is wanted:
            score.equal += 1
        elif len(score.wrong) < SHOWN:
            score.wrong.append(f"{op.name}, {what}: {sharding}, in the binary {wanted}")


def compare_rules(before: Program, ruled: Program, score: Score) -> None:
    """Compare the op sharding rules of all operations of a program."""
    graph, facts = program_facts(before, Facts)
    derived = dict(Instant(load_shardy_rules(), facts, {}, ()).rows("op_rule"))
    for number, op in enumerate(ruled.module.walk()):
        text = op.attributes.get(SHARDING_RULE)
        wanted = None if text is None else parse_op_rule(text)
        found = derived.get(number)
        # without factors a rule says as much as none
        wanted = wanted if wanted is not None and wanted.sizes else None
        found = found if found is not None and found.sizes else None
        if wanted is None and (found is None or op.name == "sdy.propagation_barrier"):
            # a barrier has a pattern of its own in the binary, with the rule of an identity
            continue
        score.rules_total += 1
        if wanted is found:
            score.rules_equal += 1
        elif len(score.wrong) < SHOWN:
            score.wrong.append(f"{graph.ops[number].name}: {found}, in the binary {wanted}")


def timed(program: Program, score: Score) -> None:
    """Propagate a program; the CPU time goes to its score."""
    start = time.process_time()
    propagate(program)
    score.seconds = time.process_time() - start


def pairs(folder: Path, only: str) -> Iterator[Score]:
    """Yield the scores of a folder's pairs."""
    for path in sorted(folder.glob("*.before.mlir")):
        after = path.with_name(path.name.replace(".before.", ".after."))
        name = path.name.split(".")[0]
        if after.exists() and re.search(only, name):
            score = Score(name)
            program = read_shardy(path.read_bytes(), str(path))
            timed(program, score)
            compare_values(program, read_program(after.read_text()), score)
            yield score


def live(folder: Path, only: str, from_dump: bool) -> Iterator[Score]:
    """Yield the scores of a folder's programs for which the binary is run."""
    paths = sorted(folder.glob("*.sdy.mlir"))
    paths = [path for path in paths if re.search(only, path.name)]
    if not paths:
        return
    for path, answer in zip(paths, run_binary([p.read_bytes() for p in paths]), strict=True):
        score = Score(path.name.removesuffix(".sdy.mlir"))
        if answer.error is not None or answer.before is None:
            print(f"{score.name}: left out, the binary refuses it: {answer.error}")
            continue
        assert answer.rules is not None
        assert answer.after is not None
        compare_rules(answer.before, answer.rules, score)
        if from_dump:
            program = read_program(write_program(answer.before))
        else:
            program = read_shardy(path.read_bytes(), str(path))
        timed(program, score)
        compare_values(program, answer.after, score)
        yield score


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare what the command line names; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--only", default="", metavar="REGEX", help="programs of these names only")
    parser.add_argument("--bar", type=float, default=0.0, metavar="PCT")
    parser.add_argument("--from-dump", action="store_true", help="start where the binary dumps")
    parser.add_argument("--wrong", action="store_true", help="show the first differences")
    options = parser.parse_args(arguments)
    scores: list[Score] = []
    for folder in options.folders:
        found = [*pairs(folder, options.only)]
        for score in (*found, *live(folder, options.only, options.from_dump)):
            print(score, flush=True)
            for line in score.wrong if options.wrong else ():
                print(f"    {line}")
            scores.append(score)
    if not scores:
        print("nothing to compare", file=sys.stderr)
        return 2
    equal = sum(score.is_equal for score in scores)
    same, total = sum(s.equal for s in scores), sum(s.total for s in scores)
    rules, of = sum(s.rules_equal for s in scores), sum(s.rules_total for s in scores)
    print(f"{equal} of {len(scores)} programs, {same} of {total} values, {rules} of {of} op rules")
    return 0 if 100 * equal >= options.bar * len(scores) else 1


if __name__ == "__main__":
    sys.exit(main())
