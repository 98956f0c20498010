"""Running `shardlog batch` in tests, in this process or one of its own."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from click.testing import CliRunner, Result

from shardlog.cli import main

ROOT = Path(__file__).parents[2]
SMALL = ROOT / "tests" / "data" / "small"


def run(*arguments: object, code: int = 0) -> Result:
    """Run `shardlog batch` here; it must leave with some exit code."""
    result = CliRunner().invoke(main, ["batch", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


def command(*arguments: object) -> list[str]:
    """The command line of a `shardlog batch`."""
    return [sys.executable, "-m", "shardlog", "batch", *map(str, arguments)]


def start(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    """Start a `shardlog batch` of its own."""
    return subprocess.Popen(
        command(*arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), **options.pop("env", {})},
        **options,
    )


def rows(out: Path, table: str = "modules") -> list[dict[str, Any]]:
    """The rows of a table."""
    found: list[dict[str, Any]] = pq.read_table(out / f"{table}.parquet").to_pylist()
    return found


def statuses(out: Path) -> dict[str, str]:
    """The status of each module."""
    return {row["module"]: row["status"] for row in rows(out)}


def digests(out: Path) -> dict[str, str]:
    """The digest of everything that users read, logs apart."""
    return {
        file.relative_to(out).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(out.rglob("*"))
        if file.is_file() and file.relative_to(out).parts[0] not in ("logs", ".shardlog")
    }
