"""The results of earlier runs: one line of JSON each."""

from __future__ import annotations

import json
import platform
import subprocess
import time
from pathlib import Path
from typing import Any

__all__ = ["append", "find", "now"]

HERE = Path(__file__).resolve().parent


def now(results: dict[str, Any], start: dict[str, Any], clock: str) -> dict[str, Any]:
    """An entry for results measured just now."""
    return {
        "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "commit": _commit(),
        "machine": {
            "cpu": _cpu(),
            "system": platform.system(),
            "python": platform.python_version(),
        },
        "clock": clock,
        "start": start,
        "graphs": results,
    }


def append(file: Path, entry: dict[str, Any]) -> None:
    """Add an entry to a history. Raises OSError."""
    with file.open("a") as out:
        out.write(json.dumps(entry) + "\n")


def find(file: Path, wanted: str) -> dict[str, Any]:
    """The last entry whose commit or date begins with a text, or the last one for "last".

    `wanted` may also be a file of JSON that a run wrote. Raises LookupError.
    """
    if Path(wanted).is_file():
        entry: dict[str, Any] = json.loads(Path(wanted).read_text())
        return entry
    entries = [json.loads(line) for line in file.open()] if file.exists() else []
    fitting = [
        entry
        for entry in entries
        if wanted == "last" or any(entry[key].startswith(wanted) for key in ("commit", "when"))
    ]
    if not fitting:
        known = ", ".join(f"{entry['commit']} ({entry['when']})" for entry in entries) or "nothing"
        raise LookupError(f"no earlier run {wanted!r} in {file}; it has {known}")
    found: dict[str, Any] = fitting[-1]
    return found


def _commit() -> str:
    """The commit that is checked out, with a + if files differ from it."""
    command = ["git", "-C", str(HERE), "describe", "--always", "--dirty=+", "--exclude=*"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
