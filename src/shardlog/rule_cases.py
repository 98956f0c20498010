"""Rule cases: small modules as data, with the shardings and the rules that they must show.

A case is an HLO module with comments before and behind it:

    // One or more lines that say what the case shows.
    // options: is_spmd=false, propagate_metadata=true
    // fires: dot, broadcast forward
    // rules: + custom_call_dims('swap', 'a b -> b a')

    HloModule ...

    // after
    // main/x {devices=[2,1]<=[2]}
    // main/y none

`options` are those of the pass: the switches of `PassOptions`, and `execution_thread`, the one that
takes part, by default all. `fires` names rules that must have had a proposal
accepted, `rules` are statements of the case's own, one a line; all may be left out. What follows
`// after` are instructions after the pass, as computation/instruction, with their shardings or
`none`; those that it does not name may have any.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from shardlog import converters
from shardlog.converters.facts import PassOptions, base_facts
from shardlog.converters.pass_edits import apply_result
from shardlog.engine import Facts, Program, Saturation
from shardlog.ir.collector import collector_at_rest
from shardlog.ir.errors import InputError
from shardlog.ir.module import HloModule
from shardlog.propagation import load_rules

__all__ = [
    "AFTER",
    "TWIN",
    "RuleCase",
    "case_of",
    "differences",
    "find_cases",
    "options_of",
    "propagated",
    "read_case",
    "shardings",
    "with_answer",
    "write_answer",
]

AFTER = "// after\n"
TWIN = ".twin.hlo"
"""Ending of a module that stands in for the one of a case where XLA is asked."""

_KEY = re.compile(r"^// (options|fires|rules): (.*)$")
_THREAD = "execution_thread"
_BOOLEANS = {"true": True, "false": False}
_SWITCHES = tuple(f.name for f in dataclasses.fields(PassOptions) if f.type == "bool")


@dataclass(frozen=True)
class RuleCase:
    """One case; `after` maps computation/instruction to a sharding as text, or `none`."""

    path: Path
    text: str
    options: dict[str, bool | str] = field(default_factory=dict)
    fires: tuple[str, ...] = ()
    rules: str = ""
    after: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The case's folder, which is named like the rule file that it tests, and name."""
        return f"{self.path.parent.name}/{self.path.stem}"


def find_cases(paths: Sequence[Path]) -> list[RuleCase]:
    """Read the cases in files and folders (`*.hlo`, at any depth), by name. Raises InputError."""
    files: list[Path] = []
    for path in paths:
        inside = sorted(path.rglob("*.hlo")) if path.is_dir() else [path]
        files += [file for file in inside if not file.name.endswith(TWIN)]
    return [read_case(file) for file in files]


def read_case(path: Path) -> RuleCase:
    """Read a case. Raises InputError for a file of another form."""
    try:
        whole = path.read_bytes().decode()
    except OSError as error:
        raise InputError(error.strerror or str(error), file=str(path)) from None
    except UnicodeDecodeError:
        raise InputError("not a rule case: not UTF-8", file=str(path), line=1) from None
    return case_of(whole, path)


def case_of(whole: str, path: Path) -> RuleCase:
    """The case that a text is; `path` is what messages call it. Raises InputError."""
    text, mark, answer = whole.partition(AFTER)
    options: dict[str, bool | str] = {}
    fires: list[str] = []
    rules: list[str] = []
    for number, line in enumerate(text.partition("HloModule")[0].splitlines(), 1):
        key = _KEY.match(line)
        if key is None:
            continue
        if key[1] == "rules":
            rules.append(key[2].strip())
            continue
        for item in filter(None, map(str.strip, key[2].split(","))):
            if key[1] == "fires":
                fires.append(item)
                continue
            name, _, value = item.partition("=")
            if name == _THREAD and value:
                options[name] = value
                continue
            if name not in _SWITCHES or value not in _BOOLEANS:
                raise InputError(
                    f"unreadable option {item!r}",
                    file=str(path),
                    line=number,
                    expected=f"{_THREAD}=NAME, or true or false for {', '.join(_SWITCHES)}",
                )
            options[name] = _BOOLEANS[value]
    after = {}
    if mark:
        first = text.count("\n") + 2
        for number, line in enumerate(answer.splitlines(), first):
            if not line.strip():
                continue
            comment, name, sharding = (*line.split(None, 2), "", "", "")[:3]
            if comment != "//" or "/" not in name or not sharding:
                expected = "// COMPUTATION/INSTRUCTION SHARDING, or none for the sharding"
                raise InputError(
                    f"not a line of an answer: {line!r}",
                    file=str(path),
                    line=number,
                    expected=expected,
                )
            after[name] = sharding
    return RuleCase(path, text, options, tuple(fires), "\n".join(rules), after)


def options_of(case: RuleCase, base: PassOptions | None = None) -> PassOptions:
    """The options of a case, in the place of those of `base`."""
    switches: dict[str, Any] = dict(case.options)
    if _THREAD in switches:
        switches["execution_threads"] = (switches.pop(_THREAD),)
    return dataclasses.replace(base or PassOptions(), **switches)


def shardings(module: HloModule) -> dict[str, str]:
    """The shardings of a module in the form of a case, metadata included."""
    return {
        f"{instruction.computation.name}/{instruction.name}": (
            "none" if instruction.sharding is None else instruction.sharding.to_text()
        )
        for instruction in module.instructions
    }


def propagated(case: RuleCase, program: Program) -> tuple[dict[str, str], set[str]]:
    """What a program makes of a case, and the names of the rules that had a proposal accepted.

    Raises InputError, and what a run raises.
    """
    try:
        module = converters.load(case.text.encode())
    except InputError as error:
        raise error.located(file=str(case.path)) from None
    with collector_at_rest():
        graph, facts = base_facts(module, Facts, options_of(case))
        saturated = Saturation(program, facts).run()
        apply_result(graph, saturated.column("final"))
    return shardings(module), {record.rule.name for record in saturated.records}


def differences(case: RuleCase, files: Sequence[Path] = ()) -> list[str]:
    """What of a case is not as it says, a line each; `files` are the user's rules.

    Raises InputError for a case that cannot be read or expects nothing, RuleError for its rules.
    """
    if not case.after and not case.fires:
        raise InputError("expects neither shardings nor rules", file=str(case.path))
    after, fired = propagated(case, _program(tuple(files), case.rules))
    return list(_differences(case, after, fired))


def write_answer(case: RuleCase, files: Sequence[Path] = ()) -> None:
    """Put the shardings that come out into a case's file; raises as `differences` does."""
    after, _ = propagated(case, _program(tuple(files), case.rules))
    case.path.write_text(with_answer(case, after))


def with_answer(case: RuleCase, after: dict[str, str]) -> str:
    """The text of a case with other shardings behind it."""
    lines = "".join(f"// {name} {sharding}\n" for name, sharding in after.items())
    return f"{case.text.rstrip()}\n\n{AFTER}{lines}"


def _differences(case: RuleCase, after: dict[str, str], fired: set[str]) -> Iterator[str]:
    for name, expected in case.after.items():
        found = after.get(name)
        if found is None:
            yield f"{name}: no such instruction after the pass"
        elif found != expected:
            yield f"{name}: expected {expected}, found {found}"
    for rule in case.fires:
        if rule not in fired:
            yield f"the rule {rule!r} did not fire"


@lru_cache(maxsize=8)
def _program(files: tuple[Path, ...], rules: str) -> Program:
    return load_rules([*files, ("case", rules)] if rules else files)
