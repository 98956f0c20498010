"""The project's rule cases: one small module per rule or alternative, with XLA's answer beside it.

    python -m tests.rules.cases [FILE ...]      asks XLA for the answers and writes them anew

A case is a file `cases/RULE FILE/NAME.hlo`, which stands beside what it tests, in the form that
`shardlog.rule_cases` describes; `fires` names the rules that it is for, and what follows `// after`
is XLA's answer, for every instruction. Masks of
parameters and output stand in the module's header. The whole file is an HLO module, so that XLA and
`shardlog propagate` take it as it is. Where XLA knows nothing of a custom call that the user's
rules describe, it is asked about a twin instead, `NAME.twin.hlo`, with an op of its own there.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from shardlog import converters, rule_cases
from shardlog import rules as rule_sets
from shardlog.converters.vocabulary import VOCABULARY
from shardlog.engine import Program, load_program
from shardlog.propagation import LIBRARY
from shardlog.rule_cases import RuleCase as Case
from shardlog.rule_cases import read_case, shardings, with_answer
from shardlog.xla import XlaInput, run_pass

FOLDER = Path(__file__).parent / "cases"


def all_cases(folder: Path = FOLDER) -> list[Case]:
    """Read every case below a folder, by name."""
    return rule_cases.find_cases([folder])


def text_for_xla(case: Case) -> str:
    """The module that XLA is asked about: the twin if there is one."""
    twin = case.path.with_suffix(rule_cases.TWIN)
    return twin.read_text() if twin.exists() else case.text


@functools.lru_cache(maxsize=8)
def rule_set(user: str = "", changed: str = "", text: str = "") -> Program:
    """The rule set with a user's rules behind it and, if given, another text for one of its files.

    Raises RuleError.
    """
    sources: list[Path | tuple[str, str]] = [
        (str(path), text) if path.stem == changed else path for path in rule_sets.gspmd()
    ]
    return load_program([*sources, ("case", user)] if user else sources, LIBRARY, VOCABULARY)


def propagated(case: Case, changed: str = "", text: str = "") -> tuple[dict[str, str], set[str]]:
    """What the rules make of a case, and the names of those that had a proposal accepted.

    `changed` and `text` put another text in the place of one rule file. Raises RuleError.
    """
    return rule_cases.propagated(case, rule_set(case.rules, changed, text))


def ask_xla(cases: Sequence[Case]) -> list[dict[str, str]]:
    """XLA's answers to cases, in order. Raises ValueError for a module that it does not take."""
    answers: dict[str, dict[str, str]] = {}
    groups: dict[tuple[tuple[str, Any], ...], list[Case]] = {}
    for case in cases:
        groups.setdefault(tuple(sorted(case.options.items())), []).append(case)
    for options, group in groups.items():
        modules = [converters.load(case.text.encode()) for case in group]
        inputs = [
            XlaInput(text_for_xla(case), module.parameter_mask, module.output_mask)
            for case, module in zip(group, modules, strict=True)
        ]
        for case, result in zip(group, run_pass(inputs, **dict(options)), strict=True):
            if result.status != "ok":
                raise ValueError(f"{case.name}: {result.status}: {result.message}")
            answers[case.name] = shardings(converters.load(result.after.encode()))
    return [answers[case.name] for case in cases]


def write_answers(cases: Iterable[Case]) -> None:
    """Put XLA's answers into the files of cases."""
    listed = list(cases)
    for case, answer in zip(listed, ask_xla(listed), strict=True):
        case.path.write_text(with_answer(case, answer))


if __name__ == "__main__":
    files = [Path(argument) for argument in sys.argv[1:]]
    write_answers(map(read_case, files) if files else all_cases())
