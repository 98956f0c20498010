"""Shardy's own passes, run by an installed jaxlib, to compare with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shardlog import shardy_run
from shardlog.converters.mlir import read_program
from shardlog.ir.shardy.program import Program
from shardlog.xla import PYTHON_VARIABLE, XlaUnavailable

__all__ = ["BinaryAnswer", "run_binary"]


@dataclass(frozen=True)
class BinaryAnswer:
    """What the binary makes of a program: before propagation, with op sharding rules, after it.

    `origins` is the program right after propagation, with its record of where axes came from, if
    that was asked for. If it refuses the program `error` says why, and the programs are None.
    """

    before: Program | None = None
    rules: Program | None = None
    after: Program | None = None
    error: str | None = None
    origins: Program | None = None


def run_binary(programs: Sequence[bytes], origins: bool = False) -> list[BinaryAnswer]:
    """Run Shardy's passes on programs in any form that `read_shardy` takes.

    The jaxlib is that of the interpreter that SHARDLOG_XLA_PYTHON names, else of this one; 0.10.2
    is known to have the passes. Raises XlaUnavailable.
    """
    python = os.environ.get(PYTHON_VARIABLE) or sys.executable
    with tempfile.TemporaryDirectory(prefix="shardlog-shardy-") as name:
        folder = Path(name)
        jobs = []
        for number, data in enumerate(programs):
            path = folder / f"{number}.input"
            path.write_bytes(data)
            jobs.append({"input": str(path), "output": str(folder / str(number))})
        spec, result = folder / "spec", folder / "result"
        spec.write_text(json.dumps({"programs": jobs, "result": str(result), "origins": origins}))
        done = subprocess.run(
            [python, shardy_run.__file__, str(spec)],
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            check=False,
        )
        if not result.exists():
            last = (done.stderr.strip().splitlines() or [""])[-1]
            raise XlaUnavailable(f"the jaxlib of {python} cannot run Shardy's passes ({last})")
        errors = json.loads(result.read_text())["errors"]
        return [_answer(job, errors.get(job["input"]), origins) for job in jobs]


def _answer(job: dict[str, str], error: str | None, origins: bool) -> BinaryAnswer:
    if error is not None:
        return BinaryAnswer(error=error)
    stem = job["output"]
    before, rules, after = (
        read_program(Path(f"{stem}.{kind}.mlir").read_text())
        for kind in ("before", "rules", "after")
    )
    recorded = read_program(Path(f"{stem}.origins.mlir").read_text()) if origins else None
    return BinaryAnswer(before, rules, after, origins=recorded)
