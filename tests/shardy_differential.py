"""Compares Shardy's propagation with the binary's on random programs, value by value.

    python -m tests.shardy_differential [--seeds FIRST:LAST] [--wrong] [--keep FOLDER] [--extras]

Programs are drawn by `tests.shardy_random`; those that the binary's verifier refuses are left out.
It needs a jaxlib 0.10.2 (SHARDLOG_XLA_PYTHON names its interpreter), and exits with 1 if any value
or op sharding rule differs. With --extras programs have unreduced axes and several meshes. --keep
writes the programs that differ to a folder.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from shardlog.converters.mlir import read_program
from shardlog.ir.errors import InputError
from shardlog.shardy.binary import run_binary
from tests.shardy_conformance import Score, compare_rules, compare_values, timed
from tests.shardy_random import random_program

BATCH = 200


def scores(seeds: Sequence[int], extras: bool = False) -> Iterator[tuple[Score, str]]:
    """Yield the scores and texts of the programs of seeds."""
    for start in range(0, len(seeds), BATCH):
        some = seeds[start : start + BATCH]
        texts = [random_program(seed, extras) for seed in some]
        answers = run_binary([text.encode() for text in texts])
        for seed, text, answer in zip(some, texts, answers, strict=True):
            score = Score(f"seed {seed}")
            if answer.before is None or answer.rules is None or answer.after is None:
                score.wrong.append(f"refused: {answer.error}")
                yield score, text
                continue
            compare_rules(answer.before, answer.rules, score)
            try:
                program = read_program(text)
                timed(program, score)
                compare_values(program, answer.after, score)
            except InputError as error:
                score.total = 1
                score.wrong.append(f"we refuse it: {error}")
            yield score, text


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare the programs that the command line names; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="0:100", metavar="FIRST:LAST")
    parser.add_argument("--wrong", action="store_true", help="show the first differences")
    parser.add_argument("--extras", action="store_true", help="unreduced axes, several meshes")
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    options = parser.parse_args(arguments)
    first, last = map(int, options.seeds.split(":"))
    found: list[Score] = []
    refused = 0
    for score, text in scores(range(first, last), options.extras):
        if not score.total:
            refused += 1
            if options.wrong:
                print(f"{score.name}: {score.wrong[0][:200]}")
            continue
        found.append(score)
        if not score.is_equal:
            print(score, flush=True)
            for line in score.wrong if options.wrong else ():
                print(f"    {line}")
            if options.keep is not None:
                options.keep.mkdir(exist_ok=True)
                (options.keep / f"{score.name.replace(' ', '')}.mlir").write_text(text)
    equal, total = sum(s.equal for s in found), sum(s.total for s in found)
    rules, of = sum(s.rules_equal for s in found), sum(s.rules_total for s in found)
    print(
        f"{equal} of {total} values and {rules} of {of} op rules in {len(found)} programs; "
        f"{refused} are no valid programs"
    )
    return 0 if found and equal == total and rules == of else 1


if __name__ == "__main__":
    sys.exit(main())
