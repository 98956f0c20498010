"""XLA's own pass. The runs need Linux x86-64 and a jaxlib; the messages need neither."""

from __future__ import annotations

import importlib.util
import platform
import sys
from pathlib import Path

import pytest

from shardlog.xla import PYTHON_VARIABLE, XlaInput, XlaUnavailable, run_pass

DATA = Path(__file__).parents[1] / "data" / "small"
runs_xla = pytest.mark.skipif(
    importlib.util.find_spec("jaxlib") is None
    or sys.platform != "linux"
    or platform.machine() != "x86_64",
    reason="needs jaxlib on Linux x86-64",
)


@runs_xla
def test_gives_what_the_data_says() -> None:
    names = ("dot", "while", "two_annotations")
    befores = [XlaInput((DATA / f"{name}.before.txt").read_text()) for name in names]
    for name, result in zip(names, run_pass(befores, repeat=1), strict=True):
        assert (result.status, result.outcomes, len(result.seconds)) == ("ok", (result.after,), 2)
        shardings = [line.strip() for line in result.after.splitlines() if " = " in line]
        expected = (DATA / f"{name}.after.txt").read_text().splitlines()
        assert shardings == [line.strip() for line in expected if " = " in line]


@runs_xla
def test_masks_matter() -> None:
    text = (DATA / "header_to_output.before.txt").read_text()
    closed, opened = run_pass([XlaInput(text), XlaInput(text, (False, True), (True,))])
    assert "parameter(1), sharding=" not in closed.after
    assert "parameter(1), sharding=" in opened.after


@runs_xla
def test_a_bad_module_costs_only_itself() -> None:
    good = (DATA / "dot.before.txt").read_text()
    bad, fine = run_pass([XlaInput("HloModule m\nENTRY e {"), XlaInput(good)])
    assert bad.status == "error"
    assert bad.message
    assert fine.status == "ok"


def test_elsewhere_the_platform_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shardlog.xla.platform.machine", lambda: "arm64")
    with pytest.raises(XlaUnavailable, match=r"Linux x86-64 only.*arm64"):
        run_pass([XlaInput("HloModule m")])


@pytest.mark.skipif(sys.platform != "linux", reason="the platform is refused first")
def test_without_jaxlib_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("shardlog.xla.platform.machine", lambda: "x86_64")
    python = tmp_path / "python"
    python.write_text(
        "#!/bin/sh\necho \"ModuleNotFoundError: No module named 'jaxlib'\" >&2\nexit 1\n"
    )
    python.chmod(0o755)
    monkeypatch.setenv(PYTHON_VARIABLE, str(python))
    with pytest.raises(XlaUnavailable, match=r"pip install 'shardlog\[xla\]'"):
        run_pass([XlaInput("HloModule m")])
    monkeypatch.setenv(PYTHON_VARIABLE, str(tmp_path / "none"))
    with pytest.raises(XlaUnavailable, match="cannot run the interpreter"):
        run_pass([XlaInput("HloModule m")])
