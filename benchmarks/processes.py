"""Runs a process to its end and tells what it took."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Failed", "Spent", "run"]


class Failed(RuntimeError):
    """A process that ended badly; the message holds the end of what it said."""


@dataclass(frozen=True)
class Spent:
    """What a process took: seconds, and its largest resident set in bytes."""

    wall: float
    cpu: float
    memory: int
    output: str


def run(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Spent:
    """Run a command; raises Failed.

    The process that asks should be a small one: what Linux reports as a process's largest memory
    is at least that of the one which started it.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as complaints:
        begin = time.perf_counter()
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=complaints,
            env={**os.environ, **(environment or {})},
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            complaints.seek(0)
            said = complaints.read().decode(errors="replace").strip().splitlines()
            raise Failed(f"{' '.join(command)}: {said[-1] if said else process.returncode}")
        out.seek(0)
        output = out.read().decode()
    kilobyte = 1 if os.uname().sysname == "Darwin" else 1024
    return Spent(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * kilobyte, output)
