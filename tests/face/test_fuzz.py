"""The differential tester: what it generates, finds and makes small, and a short run of it."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import sys
from collections.abc import Sequence

import pytest

from shardlog import converters
from shardlog.xla import PYTHON_VARIABLE, XlaResult
from tests.fuzz import command
from tests.fuzz.cases import Case, emitters, make
from tests.fuzz.modtext import parse
from tests.fuzz.oracle import Result, Verdict, check, run_cases
from tests.fuzz.report import Report
from tests.fuzz.shrink import shrink

SEED, COUNT = 7, 30
runs_xla = pytest.mark.skipif(
    (importlib.util.find_spec("jaxlib") is None and PYTHON_VARIABLE not in os.environ)
    or sys.platform != "linux"
    or platform.machine() != "x86_64",
    reason="needs jaxlib on Linux x86-64 to compare with XLA's own pass",
)


def generated(count: int = COUNT) -> list[Case]:
    able = emitters()
    return [make(SEED, number, able) for number in range(count)]


@runs_xla
def test_a_short_run_finds_no_difference() -> None:
    bad = [result for result in run_cases(generated()) if result.is_bad]
    assert [(result.case.name, result.wrong) for result in bad] == []


def test_the_same_seed_gives_the_same_cases() -> None:
    assert generated(10) == generated(10)
    assert make(8, 0, emitters()).text != make(7, 0, emitters()).text


def test_generated_modules_can_be_read() -> None:
    for case in generated():
        module = converters.load(case.text.encode())
        assert len(module.instructions) == case.opcodes.total()


def test_every_emitter_is_drawn_and_can_be_chosen() -> None:
    assert {e.name for e in emitters("^dot$|convolution_as")} == {"dot", "convolution_as_dot"}
    for entry in emitters():
        only = [make(SEED, number, [entry]) for number in range(4)]
        assert any(case.opcodes.total() > 3 for case in only), entry.name


def test_taking_a_module_apart_loses_nothing() -> None:
    for case in generated(20):
        module = converters.load(str(parse(case.text)).encode())
        assert module.to_text().splitlines()[0] == case.text.splitlines()[0]
        assert len(module.instructions) == case.opcodes.total()


def test_a_difference_is_found() -> None:
    text = "HloModule m\nENTRY %main {\n  %a = f32[4] parameter(0), sharding={devices=[2]<=[2]}\n"
    text += "  ROOT %b = f32[4] negate(%a), sharding={replicated}\n}\n"
    answer = XlaResult("ok", after=text.replace("=[2]<=[2]", "=[4]<=[4]"))
    result = check(Case("by hand", text), answer)
    assert result.verdict is Verdict.DIFFERENT
    assert result.wrong == [
        "a = parameter: ours {devices=[2]<=[2]}, XLA {devices=[4]<=[4]} (different)"
    ]


def test_an_error_of_ours_is_found() -> None:
    fine = "HloModule m\nENTRY %main {\n  ROOT %a = f32[] parameter(0)\n}\n"
    result = check(Case("by hand", "HloModule m\nENTRY {"), XlaResult("ok", after=fine))
    assert result.verdict is Verdict.OUR_ERROR
    assert result.wrong[0].startswith("InputError: ")


def test_shrinking_leaves_what_differs() -> None:
    """Where every module with an annotated reverse differs, one such instruction is left."""

    def run(cases: Sequence[Case]) -> list[Result]:
        pattern = re.compile(r" reverse\(.*sharding=")
        verdicts = [Verdict.DIFFERENT if pattern.search(c.text) else Verdict.EQUAL for c in cases]
        return [Result(case, verdict) for case, verdict in zip(cases, verdicts, strict=True)]

    able = [entry for entry in emitters() if not entry.calls]
    case = next(c for c in (make(1, i, able) for i in range(999)) if run([c])[0].is_bad)
    small = shrink(run([case])[0], run).case
    converters.load(small.text.encode())
    assert small.opcodes == {"parameter": 1, "reverse": 1}
    assert small.text.splitlines()[0] == "HloModule fuzz"


def test_the_report_counts() -> None:
    report = Report()
    for case in generated(5):
        report.add(Result(case, Verdict.EQUAL, changed=1, total=4))
    text = str(report)
    assert "XLA changed 5 of 20 instructions (25%)" in text
    assert "5 equal" in text
    assert re.search(r"parameter \d+ \(5\)", text)


def test_the_command_lists_and_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--list", "--ops", "^dot"]) == 0
    assert capsys.readouterr().out.startswith("dot: ")
    with pytest.raises(SystemExit):
        command.main(["--ops", "no such emitter"])
