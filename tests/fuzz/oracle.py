"""Runs cases through shardlog and through XLA's own pass, and compares."""

from __future__ import annotations

import re
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum

from shardlog import converters
from shardlog.compare import compare_modules
from shardlog.converters.threads import form
from shardlog.ir.errors import InputError
from shardlog.ir.module import HloModule, Instruction
from shardlog.propagation import propagate
from shardlog.xla import XlaInput, XlaResult, run_pass
from tests.fuzz.cases import Case

TIMEOUT = 30  # seconds that XLA has for a module
TRIES = 24  # runs of XLA's pass that show whether its answer hangs on a hash order


class Verdict(StrEnum):
    """How a case came out."""

    EQUAL = "equal"
    HASH_ORDER = "equal to one of XLA's answers, which hang on a hash order"
    DIFFERENT = "different"
    OUR_ERROR = "shardlog raised an error"
    XLA_FAILED = "XLA's pass failed, nothing to compare with"


@dataclass
class Result:
    """A case with its verdict.

    `wrong` says what differs, line by line. `rules` counts accepted proposals by rule, `changed`
    and `total` are XLA's instructions that got another sharding, and all. `message` is XLA's if it
    failed, `after` the module that it left otherwise.
    """

    case: Case
    verdict: Verdict
    wrong: list[str] = field(default_factory=list)
    rules: Counter[str] = field(default_factory=Counter)
    changed: int = 0
    total: int = 0
    message: str = ""
    after: str = ""

    @property
    def is_bad(self) -> bool:
        """True if shardlog is not what XLA is."""
        return self.verdict in (Verdict.DIFFERENT, Verdict.OUR_ERROR)


def run_cases(cases: Sequence[Case]) -> list[Result]:
    """Run cases, XLA's side in one process for each set of options. Raises XlaUnavailable."""
    answers = ask_xla(cases)
    results = []
    for case, answer in zip(cases, answers, strict=True):
        result = check(case, answer)
        if result.verdict is Verdict.DIFFERENT and hash_ordered(case):
            result.verdict = Verdict.HASH_ORDER
        results.append(result)
    return results


def ask_xla(cases: Sequence[Case]) -> list[XlaResult]:
    """XLA's answers to cases, in their order. Raises XlaUnavailable."""
    answers: dict[int, XlaResult] = {}
    for options in {case.modes: None for case in cases}:
        numbers = [i for i, case in enumerate(cases) if case.modes == options]
        inputs = [_input(cases[i].text) for i in numbers]
        done = run_pass(inputs, **asdict(options), timeout=TIMEOUT, log=True)
        answers.update(zip(numbers, done, strict=True))
    return [answers[i] for i in range(len(cases))]


def _input(text: str) -> XlaInput:
    try:
        module = converters.load(text.encode())
    except Exception:  # reported when shardlog's side runs
        return XlaInput(text)
    return XlaInput(text, module.parameter_mask, module.output_mask)


def check(case: Case, answer: XlaResult) -> Result:
    """Run shardlog on a case and compare with XLA's answer."""
    if answer.status != "ok":
        return Result(case, Verdict.XLA_FAILED, message=_reason(answer.message))
    malformed = _malformed(answer.after)
    if malformed:
        return Result(case, Verdict.XLA_FAILED, message=malformed)
    try:
        before = converters.load(case.text.encode())
        given = {_key(i): i.sharding for i in before.instructions}
        outcome = propagate(before, **case.modes.arguments)
        # Read again, since XLA's answer was: reading spreads one sharding over a tuple.
        ours = converters.load(outcome.module.to_text().encode())
        after = converters.load(answer.after.encode())
    except Exception as error:  # any error of ours is a finding
        where = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{type(error).__name__}: {str(error)[:300]} at {where.name}:{where.lineno}"
        return Result(case, Verdict.OUR_ERROR, [text], after=answer.after)
    wrong = differences(ours, after, metadata=case.modes.propagate_metadata)
    if not wrong and outcome.changed != answer.changed:
        wrong = [f"changed: ours {outcome.changed}, XLA {answer.changed}"]
    if not wrong and answer.iterations not in (None, outcome.iterations):
        wrong = [f"iterations: ours {outcome.iterations}, XLA {answer.iterations}"]
    instructions = list(after.instructions)
    changed = sum(i.sharding is not given.get(_key(i)) for i in instructions)
    rules = Counter(record.rule.name for record in outcome.records)
    verdict = Verdict.DIFFERENT if wrong else Verdict.EQUAL
    return Result(case, verdict, wrong, rules, changed, len(instructions), after=answer.after)


def differences(ours: HloModule, theirs: HloModule, *, metadata: bool = False) -> list[str]:
    """What differs between two modules: shardings, and instructions by name."""
    # XLA's text leaves a computation out that an async op runs if it is a single instruction
    listed = {c.name for c in theirs.computations}
    hidden = {
        c.name
        for i in ours.instructions
        if form(i) == "async-start"
        for c in i.called
        if c.name not in listed
    }
    wrong = [
        f"{d.instruction} = {d.opcode}: ours {d.left}, XLA {d.right} ({d.verdict})"
        for d in compare_modules(ours, theirs).disagreements
        if d.computation not in hidden
    ]
    mine = {
        _key(i): _shown(i, metadata) for i in ours.instructions if i.computation.name not in hidden
    }
    other = {_key(i): _shown(i, metadata) for i in theirs.instructions}
    if not wrong:
        wrong += [f"{key[1]}: only ours has it" for key in mine.keys() - other.keys()]
        wrong += [f"{key[1]}: only XLA has it" for key in other.keys() - mine.keys()]
        wrong += [
            f"{key[1]}: ours {mine[key]}, XLA {other[key]}"
            for key in mine
            if key in other and mine[key] != other[key]
        ]
    return wrong


def hash_ordered(case: Case) -> bool:
    """True if XLA's answers to a case differ from run to run, and one of them is shardlog's."""
    if "shard_as" not in case.text and "shard_like" not in case.text:
        return False
    options = asdict(case.modes)
    (answer,) = run_pass([_input(case.text)], **options, timeout=TIMEOUT, repeat=TRIES)
    others = (replace(answer, after=text) for text in answer.outcomes[1:])
    return any(check(case, other).verdict is Verdict.EQUAL for other in others)


def _key(instruction: Instruction) -> tuple[str, str]:
    return instruction.computation.name, instruction.name


def _shown(instruction: Instruction, metadata: bool) -> str:
    operands = ", ".join(operand.name for operand in instruction.operands)
    text = f"{form(instruction)}({operands})"
    if metadata and instruction.sharding is not None:
        text += f" {instruction.sharding.to_text()}"
    return text


def _malformed(text: str) -> str:
    """Why XLA's answer is none: a bug of XLA's may make a sharding that no reader takes."""
    if re.search(r"devices=\[(\d+,)*0[\],]", text):
        return "malformed: a sharding without tiles"
    try:
        converters.load(text.encode())
    except InputError as error:
        if "sharding (" in str(error):
            wrong = "rank" if "tiled dim" in str(error) else "structure"
            return f"malformed: a sharding of another {wrong}"
    return ""


def _reason(message: str) -> str:
    """An error of XLA's without what changes from run to run."""
    return re.sub(r"\d{4} [\d:.]+ +\d+ ", "", message.splitlines()[0])[:90] if message else "?"
