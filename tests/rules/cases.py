"""Rule cases: one small module per rule or alternative, with XLA's answer beside it.

    python -m tests.rules.cases [FILE ...]      asks XLA for the answers and writes them anew

A case is a file `cases/RULE FILE/NAME.hlo`, which stands beside what it tests:

    // One or more lines that say what the case shows.
    // options: is_spmd=false, propagate_metadata=true
    // fires: dot, broadcast forward
    // rules: + custom_call_dims('swap', 'a b -> b a')

    HloModule ...

    // after
    // main/x {devices=[2,1]<=[2]}
    // main/y none

`options` are those of the pass (`PassOptions`), `fires` names rules that must have had a proposal
accepted, `rules` are the user's; all may be left out. What follows `// after` is XLA's answer: each
instruction after the pass, as computation/instruction, with its sharding or `none`. Masks of
parameters and output stand in the module's header. The whole file is an HLO module, so that XLA and
`shardlog propagate` take it as it is. Where XLA knows nothing of a custom call that the user's
rules describe, it is asked about a twin instead, `NAME.twin.hlo`, with an op of its own there.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from shardlog import converters
from shardlog import rules as rule_sets
from shardlog.converters.facts import PassOptions, base_facts
from shardlog.converters.pass_edits import apply_result
from shardlog.converters.vocabulary import VOCABULARY
from shardlog.engine import Facts, Program, Saturation, load_program
from shardlog.ir.module import HloModule
from shardlog.propagation import LIBRARY
from shardlog.xla import XlaInput, run_pass

FOLDER = Path(__file__).parent / "cases"
AFTER = "// after\n"
TWIN = ".twin.hlo"
_KEYS = re.compile(r"^// (options|fires|rules): (.*)$", re.M)
_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True)
class Case:
    """One case; `after` maps computation/instruction to XLA's sharding as text, or `none`."""

    path: Path
    text: str
    options: dict[str, bool] = field(default_factory=dict)
    fires: tuple[str, ...] = ()
    rules: str = ""
    after: dict[str, str] = field(default_factory=dict)

    @property
    def text_for_xla(self) -> str:
        """The module that XLA is asked about: the twin if there is one."""
        twin = self.path.with_suffix(TWIN)
        return twin.read_text() if twin.exists() else self.text

    @property
    def name(self) -> str:
        """The case's rule file and name."""
        return f"{self.path.parent.name}/{self.path.stem}"


def read_case(path: Path) -> Case:
    """Read a case. Raises ValueError for a file of another form."""
    text, mark, answer = path.read_text().partition(AFTER)
    keys = {name: value.strip() for name, value in _KEYS.findall(text.partition("HloModule")[0])}
    options = {}
    for each in filter(None, map(str.strip, keys.get("options", "").split(","))):
        name, _, value = each.partition("=")
        options[name] = _BOOLEANS[value]
    fires = tuple(filter(None, map(str.strip, keys.get("fires", "").split(","))))
    after = {}
    for line in answer.splitlines() if mark else ():
        comment, name, sharding = line.split(None, 2)
        if comment != "//":
            raise ValueError(f"{path}: not a line of an answer: {line!r}")
        after[name] = sharding
    return Case(path, text, options, fires, keys.get("rules", ""), after)


def all_cases(folder: Path = FOLDER) -> list[Case]:
    """Read every case below a folder, by name."""
    paths = (path for path in sorted(folder.rglob("*.hlo")) if not path.name.endswith(TWIN))
    return [read_case(path) for path in paths]


def shardings(module: HloModule) -> dict[str, str]:
    """The shardings of a module in the form of a case, metadata included."""
    return {
        f"{instruction.computation.name}/{instruction.name}": (
            "none" if instruction.sharding is None else instruction.sharding.to_text()
        )
        for instruction in module.instructions
    }


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
    program = rule_set(case.rules, changed, text)
    module = converters.load(case.text.encode())
    graph, facts = base_facts(module, Facts, PassOptions(**case.options))
    saturated = Saturation(program, facts).run()
    apply_result(graph, saturated.column("final"))
    return shardings(module), {record.rule.name for record in saturated.records}


def ask_xla(cases: Sequence[Case]) -> list[dict[str, str]]:
    """XLA's answers to cases, in order. Raises ValueError for a module that it does not take."""
    answers: dict[str, dict[str, str]] = {}
    groups: dict[tuple[tuple[str, bool], ...], list[Case]] = {}
    for case in cases:
        groups.setdefault(tuple(sorted(case.options.items())), []).append(case)
    for options, group in groups.items():
        modules = [converters.load(case.text.encode()) for case in group]
        inputs = [
            XlaInput(case.text_for_xla, module.parameter_mask, module.output_mask)
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
        lines = "".join(f"// {name} {sharding}\n" for name, sharding in answer.items())
        case.path.write_text(f"{case.text.rstrip()}\n\n{AFTER}{lines}")


if __name__ == "__main__":
    files = [Path(argument) for argument in sys.argv[1:]]
    write_answers(map(read_case, files) if files else all_cases())
