"""Shows that every rule matters: without it, some module gets other shardings than from XLA.

    python -m tests.rule_mutation [--sample N --seed S] [--facts] [--only REGEX] [--jobs N]
    python -m tests.rule_mutation --partitioner shardy [...]

For every rule of `rules/gspmd` the rule set is loaded anew with that one rule's body made false;
with --facts, for every fact that is neither a declaration nor a mere word of explanations, without
that fact. The set must still load, and
at least one module of `tests/rules/cases`, `tests/data/small` or `tests/data/real` must then differ
from XLA's answer; an error does not count. Prints those that change nothing, and exits with 1 if
there are any. With --partitioner shardy the same is done with `rules/shardy`, and
`tests.shardy_mutation` tells what differs from Shardy's own answer.
"""

from __future__ import annotations

import argparse
import ast
import functools
import gzip
import os
import random
import re
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from shardlog import converters
from shardlog import rules as rule_sets
from shardlog.engine import RuleError
from shardlog.engine.declarations import RESERVED
from tests import shardy_mutation
from tests.rules.cases import Case, all_cases, propagated, rule_set, shardings

DATA = Path(__file__).parent / "data"
FALSE = " & (0 == 1)"
WORDS = ("meaning",)
"""Relations that explanations are made of; no sharding depends on them."""


@dataclass(frozen=True)
class Mutation:
    """One rule made false, or one fact left out, in one file of the rule set."""

    file: str
    line: int
    text: str
    mutated: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


@dataclass(frozen=True)
class Verdict:
    """What a mutation did: the first module that differs from XLA, or why there is none."""

    mutation: Mutation
    module: str | None
    problem: str = ""


def mutations(facts: bool = False, files: Sequence[Path] | None = None) -> list[Mutation]:
    """Every rule of a rule set made false, or every fact left out; by default of GSPMD's."""
    found = []
    for path in rule_sets.gspmd() if files is None else files:
        source = path.read_text(encoding="utf-8")
        starts = [0]
        for line in source.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        for statement in ast.parse(source).body:
            value = statement.value if isinstance(statement, ast.Expr) else None
            is_fact = isinstance(value, ast.UnaryOp)
            if is_fact != facts or (is_fact and _relation(statement) in (*RESERVED, *WORDS)):
                continue
            start = starts[statement.lineno - 1] + statement.col_offset
            end = starts[(statement.end_lineno or 0) - 1] + (statement.end_col_offset or 0)
            own = source[start:end]
            mutated = source[:start] + ("" if is_fact else own + FALSE) + source[end:]
            found.append(Mutation(path.stem, statement.lineno, own.split("\n")[0], mutated))
    return found


def _relation(statement: ast.stmt) -> str:
    return ast.unparse(statement).lstrip("+ ").partition("(")[0]


@functools.cache
def modules() -> list[Case]:
    """Everything with XLA's answer: the rule cases and the pairs of the tests' data."""
    found = all_cases()
    for folder in ("small", "real"):
        for before in sorted((DATA / folder).glob("*.before.txt*")):
            after = converters.load(
                _read(Path(str(before).replace(".before.", ".after."))).encode()
            )
            found.append(Case(before, _read(before), after=shardings(after)))
    return found


def _read(path: Path) -> str:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def judge(mutation: Mutation, near: bool = False) -> Verdict:
    """Look for a module whose shardings a mutation changes, the most likely ones first.

    With `near` only among the cases of its own rule file.
    """
    try:
        rule_set("", mutation.file, mutation.mutated)
    except RuleError as error:
        return Verdict(mutation, None, f"does not load: {error}")
    problem = "changes nothing"
    for case in _likely(mutation, near):
        try:
            after, _ = propagated(case, mutation.file, mutation.mutated)
        except Exception as error:  # an error is no difference: the other modules decide
            problem = f"only breaks {case.name}: {type(error).__name__}: {error}"
            continue
        if after != case.after:
            return Verdict(mutation, case.name)
    return Verdict(mutation, None, problem)


def judge_in_shardy(mutation: Mutation) -> Verdict:
    """Look for an op or a program for which a mutation of Shardy's rules changes the answer."""
    try:
        shardy_mutation.rule_set("", mutation.file, mutation.mutated)
    except RuleError as error:
        return Verdict(mutation, None, f"does not load: {error}")
    problem = "changes nothing"
    for name, error in shardy_mutation.differing(mutation.file, mutation.mutated):
        if not error:
            return Verdict(mutation, name)
        problem = f"only breaks {name}: {error}"
    return Verdict(mutation, None, problem)


def _likely(mutation: Mutation, only_near: bool) -> Iterator[Case]:
    near = [case for case in modules() if case.path.parent.name == mutation.file]
    names = set(re.findall(r"'([\w-]+)'|([\w-]+)\[", mutation.text))
    words = {word for pair in names for word in pair if word}
    near.sort(key=lambda case: -sum(word in case.text for word in words))
    yield from near
    if not only_near:
        yield from (case for case in modules() if case.path.parent.name != mutation.file)


def baseline() -> list[str]:
    """The modules whose answer differs without any mutation; they would prove nothing."""
    return [case.name for case in modules() if propagated(case)[0] != case.after]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--partitioner", choices=("gspmd", "shardy"), default="gspmd")
    parser.add_argument("--sample", type=int, help="try only so many, chosen at random")
    parser.add_argument("--seed", type=int, default=0, help="for --sample (default %(default)s)")
    parser.add_argument("--facts", action="store_true", help="leave out facts instead of rules")
    parser.add_argument("--only", default="", help="only statements that this REGEX finds")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    started = time.perf_counter()
    shardy = options.partitioner == "shardy"
    unequal = shardy_mutation.baseline() if shardy else baseline()
    if unequal:
        print(f"not equal to XLA's answer to begin with: {', '.join(unequal)}")
        return 1
    every = mutations(options.facts, shardy_mutation.files() if shardy else None)
    chosen = [each for each in every if re.search(options.only, str(each))]
    if options.sample is not None and options.sample < len(chosen):
        chosen = random.Random(options.seed).sample(chosen, options.sample)
    survivors = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        for verdict in pool.map(judge_in_shardy if shardy else judge, chosen):
            if verdict.module is None:
                survivors += 1
                print(f"{verdict.mutation}\n    {verdict.problem}", flush=True)
    kind = "facts" if options.facts else "rules"
    spent = time.perf_counter() - started
    print(f"{survivors} of {len(chosen)} {kind} change no module's shardings ({spent:.0f} s)")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
