"""Every mode of the pass, from Python and from each command, and what the pass says of its run."""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import shardlog
from shardlog import converters
from shardlog.cli import main
from shardlog.xla import PYTHON_VARIABLE, XlaInput, run_pass

SMALL = Path(__file__).parents[1] / "data" / "small"
RUNS: dict[str, dict[str, Any]] = json.loads((SMALL / "runs.json").read_text())
runs_xla = pytest.mark.skipif(
    (importlib.util.find_spec("jaxlib") is None and PYTHON_VARIABLE not in os.environ)
    or sys.platform != "linux"
    or platform.machine() != "x86_64",
    reason="needs jaxlib on Linux x86-64",
)

# a reverse is sharded under SPMD only; only the broadcast of a scalar is a matter of CSE
TEXT = """\
HloModule modes, num_partitions=2

ENTRY e {
  p = f32[4,2] parameter(0)
  s = f32[] constant(1)
  b = f32[4,2] broadcast(s), dimensions={}
  a = f32[4,2] add(p, b), metadata={op_name="here"}, sharding={devices=[2,1]<=[2]}
  m = f32[4,2] negate(a)
  r = f32[4,2] reverse(m), dimensions={1}
  n = f32[4,2] negate(r)
  ROOT t = (f32[4,2]) tuple(n)
}
"""
TILED = "{devices=[2,1]<=[2]}"
MIRRORED = "{devices=[2,1]0,1}"
NOTED = '{devices=[2,1]<=[2] metadata={op_name="here"}}'
MARKED = '{devices=[2,1]<=[2] metadata={op_name="_sharding_propagation_cse_prevention"}}'

MODES: dict[str, tuple[dict[str, Any], list[str], dict[str, str | None]]] = {
    "as XLA does it by default": (
        {},
        [],
        {"p": None, "b": TILED, "m": TILED, "r": MIRRORED, "t": None},
    ),
    "without SPMD": ({"is_spmd": False}, ["--no-spmd"], {"m": TILED, "r": None}),
    "with metadata": (
        {"propagate_metadata": True},
        ["--propagate-metadata"],
        {"a": NOTED, "m": NOTED},
    ),
    "to parameters": (
        {"params": (True,)},
        ["--to-parameters", "true"],
        {"p": TILED, "t": None},
    ),
    "to the output": (
        {"output": (True,)},
        ["--to-output", "true"],
        {"p": None, "t": f"{{{MIRRORED}}}"},
    ),
    "only against CSE": (
        {"cse_prevention_only": True},
        ["--cse-prevention-only"],
        {"p": None, "b": MARKED, "a": TILED, "m": None, "r": None, "t": None},
    ),
}
modes = pytest.mark.parametrize(("keywords", "flags", "answer"), MODES.values(), ids=MODES)


THREADS = """\
HloModule module, num_partitions=2

called {
  p0 = s32[8] parameter(0)
  p1 = s32[8] parameter(1), sharding={devices=[2]<=[2]}
  n = s32[8] negate(p1)
  ROOT s = s32[8] negate(p0)
}, execution_thread="side"

ENTRY e {
  a = s32[8] parameter(0), sharding={manual}
  b = s32[8] parameter(1), sharding={manual}
  start = ((s32[8], s32[8]), s32[8], u32[]) call-start(a, b), \
async_execution_thread="side", to_apply=called
  ROOT done = s32[8] call-done(start)
}
"""
SIDE = "{devices=[2]<=[2]}"
MANUAL = "{{manual}, {manual}, {manual}, {manual}}"
THREAD_MODES: dict[str, tuple[tuple[str, ...], dict[str, str | None]]] = {
    "all threads": ((), {"n": SIDE, "start": None}),
    "the main thread": (("main",), {"n": None, "start": MANUAL}),
    "the other thread": (("side",), {"n": SIDE, "start": None}),
    "both by name": (("main", "side"), {"n": SIDE, "start": None}),
}
thread_modes = pytest.mark.parametrize(
    ("threads", "answer"), THREAD_MODES.values(), ids=THREAD_MODES
)


def run(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result.stdout


def texts(module: shardlog.HloModule, names: dict[str, str | None]) -> dict[str, str | None]:
    found = {x.name: x.sharding for x in module.instructions}
    return {name: None if found[name] is None else found[name].to_text() for name in names}  # type: ignore[union-attr]


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / "modes.txt"
    path.write_text(TEXT)
    return path


@modes
def test_from_python(
    keywords: dict[str, Any], flags: list[str], answer: dict[str, str | None]
) -> None:
    result = shardlog.propagate(TEXT.encode(), **keywords)
    assert texts(result.module, answer) == answer
    assert result.changed


@modes
def test_propagate(
    module: Path, keywords: dict[str, Any], flags: list[str], answer: dict[str, str | None]
) -> None:
    after = module.with_suffix(".after.txt")
    assert "changed: yes, in " in run("propagate", module, "-o", after, *flags)
    assert texts(shardlog.load(after), answer) == answer


@modes
def test_batch(
    module: Path, keywords: dict[str, Any], flags: list[str], answer: dict[str, str | None]
) -> None:
    out = module.parent / "out"
    run("batch", module, "-o", out, "--jobs", 1, "--modules", *flags)
    (written,) = (out / "modules").rglob("*.txt*")
    assert texts(shardlog.load(written), answer) == answer
    row = json.loads((out / "results.jsonl").read_text())
    assert row["changed"] is True
    assert row["iterations"] > 5


@modes
def test_why(
    module: Path, keywords: dict[str, Any], flags: list[str], answer: dict[str, str | None]
) -> None:
    name = next(name for name in ("t", "p", "r", "b", "m") if answer.get(name))
    proof = run("why", module, name, *flags)
    assert proof.startswith(f"{name}  {str(answer[name]).partition(' metadata')[0]}")


@runs_xla
@modes
def test_compare(
    module: Path, keywords: dict[str, Any], flags: list[str], answer: dict[str, str | None]
) -> None:
    assert "8 of 8 instructions agree" in run("compare", module, "--with", "xla", *flags)


@thread_modes
def test_execution_threads(
    tmp_path: Path, threads: tuple[str, ...], answer: dict[str, str | None]
) -> None:
    result = shardlog.propagate(THREADS.encode(), execution_threads=threads)
    assert texts(result.module, answer) == answer
    before, after = tmp_path / "threads.txt", tmp_path / "after.txt"
    before.write_text(THREADS)
    flags = [word for thread in threads for word in ("--execution-thread", thread)]
    run("propagate", before, "-o", after, *flags)
    assert texts(shardlog.load(after), answer) == answer
    run("batch", before, "-o", tmp_path / "out", "--jobs", 1, "--modules", *flags)
    assert (
        texts(shardlog.load(next((tmp_path / "out" / "modules").rglob("*.txt*"))), answer) == answer
    )


@runs_xla
@thread_modes
def test_execution_threads_as_xla_has_them(
    tmp_path: Path, threads: tuple[str, ...], answer: dict[str, str | None]
) -> None:
    before = tmp_path / "threads.txt"
    before.write_text(THREADS)
    flags = [word for thread in threads for word in ("--execution-thread", thread)]
    assert "8 of 8 instructions agree" in run("compare", before, "--with", "xla", *flags)


@runs_xla
def test_some_threads_cannot_be_given_to_xla(tmp_path: Path) -> None:
    before = tmp_path / "threads.txt"
    before.write_text(THREADS)
    flags = ("--execution-thread", "main", "--execution-thread", "third")
    run("compare", before, "--with", "xla", *flags, code=3)


def test_a_later_run_takes_the_marks_off() -> None:
    marked = shardlog.propagate(TEXT.encode(), cse_prevention_only=True).module.to_text()
    assert MARKED in marked
    result = shardlog.propagate(marked.encode())
    plain = shardlog.propagate(TEXT.encode())
    assert result.changed
    assert result.module.to_text() == plain.module.to_text()
    nothing = TEXT.replace(", sharding={devices=[2,1]<=[2]}", "").replace(
        "dimensions={}", f"dimensions={{}}, sharding={MARKED}"
    )
    cleared = shardlog.propagate(nothing.encode())
    assert cleared.changed
    assert cleared.module.find("b").sharding is None  # type: ignore[union-attr]


@pytest.mark.parametrize("name", RUNS)
def test_a_run_counts_as_xla_counts(name: str) -> None:
    result = shardlog.propagate(SMALL / f"{name}.before.txt")
    assert {"changed": result.changed, "iterations": result.iterations} == RUNS[name]


@runs_xla
def test_xla_counts_so() -> None:
    names = ("dot", "iota", "while", "shard_as")
    inputs = []
    for name in names:
        before = converters.load(SMALL / f"{name}.before.txt")
        text = before.source
        inputs.append(XlaInput(text, before.parameter_mask, before.output_mask))
    for name, result in zip(names, run_pass(inputs, log=True), strict=True):
        assert {"changed": result.changed, "iterations": result.iterations} == RUNS[name]
    assert run_pass(inputs[:1])[0].iterations is None


OPEN = """\
HloModule m, num_partitions=4

ENTRY e {
  p = f32[4,2] parameter(0), sharding={devices=[2,2]<=[4]}
  c = f32[4,2] custom-call(p), custom_call_target="Sharding", \
backend_config="unspecified_dims=[1]", sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}
  ROOT r = f32[4,2] negate(c)
}
"""


def test_to_refine_open_dimensions_is_no_change() -> None:
    only = shardlog.propagate(OPEN.encode(), cse_prevention_only=True)
    assert (only.changed, only.iterations) == (False, 6)
    both = OPEN.replace("ROOT r =", "s = f32[4,2] negate(p)\n  ROOT r =")
    assert shardlog.propagate(both.encode(), cse_prevention_only=True).changed
    # the call becomes a copy
    assert shardlog.propagate(OPEN.encode()).changed


def test_what_is_done_at_the_start_is_a_change() -> None:
    text = "HloModule m\n\nENTRY e {{\n  ROOT p = f32[4] parameter(0), sharding={}\n}}\n"
    assert not shardlog.propagate(text.format("{replicated}").encode()).changed
    noted = text.format('{replicated metadata={op_name="x"}}').encode()
    assert shardlog.propagate(noted).changed
    assert not shardlog.propagate(noted, propagate_metadata=True).changed


def test_the_report_has_both() -> None:
    path = SMALL / "iota.before.txt"
    report = json.loads(run("propagate", path, "--format", "json"))
    assert (report["changed"], report["iterations"]) == (False, 5)
    assert "changed: no, in 5 iterations" in run("propagate", path)
