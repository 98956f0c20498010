"""Batches that are killed again and again come to what an undisturbed one comes to.

python -m tests.batch.kills --count 20 --modules 60 --seed 1
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from shardlog.batch.store import result_file
from shardlog.ir.errors import InputError
from tests.batch.running import ROOT, SMALL, command, digests


def check(folder: Path, *, modules: int, times: int, seed: int) -> int:
    """Kill a batch so many times at random moments, continue it, and compare the results.

    Returns how many of the kills met it at work. Raises AssertionError.
    """
    chance = random.Random(seed)
    inputs = folder / "in"
    inputs.mkdir()
    texts = [file.read_text() for file in sorted(SMALL.glob("*.before.txt"))]
    for number in range(modules):
        text = f"// {number}\n{chance.choice(texts)}"
        (inputs / f"m{number:04}.txt").write_text(text)
    (inputs / "bad.txt").write_text("no HLO\n")
    _run(inputs, folder / "undisturbed")
    expected = digests(folder / "undisturbed")
    assert len(expected) > modules, "the batch has written its modules and tables"
    out = folder / "out"
    met = 0
    for turn in range(times):
        if (out / "summary.json").exists():  # nothing is left to be disturbed
            shutil.rmtree(out)
        process = subprocess.Popen(
            _command(inputs, out),
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )
        # The moments lie all over the work that is left, and behind it, where tables are written.
        done = _records(out)
        moment = chance.randint(done, max(done, modules * (turn + 2) // times))
        while process.poll() is None and _records(out) < moment:
            time.sleep(0.005)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0, 0.15))
        if process.poll() is None:
            met += 1
            if chance.random() < 0.5:
                process.kill()  # its workers must not go on for long, nor do harm
            else:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        seen = _readable(out, expected)
        assert all(seen[name] == expected[name] for name in seen), "a file is there in part"
        together = [name for name in expected if not name.startswith("modules/")]
        assert not {*together} & {*seen} or {*together} <= {*seen}, "some files are there alone"
    _run(inputs, out)
    assert digests(out) == expected, "the continued batch came to something else"
    return met


def _records(out: Path) -> int:
    return sum(1 for _ in out.glob(".shardlog/records/*/*"))


def _readable(out: Path, names: Iterable[str]) -> dict[str, str]:
    """The digests of the files of a batch that may have been killed, as its readers find them."""
    found: dict[str, str] = {}
    for name in names:
        file: Path | None = out / name
        if not name.startswith("modules/"):
            try:
                file = result_file(out, name)
            except InputError:  # there is no finished batch
                continue
        if file is not None and file.exists():
            found[name] = hashlib.sha256(file.read_bytes()).hexdigest()
    return found


def _command(inputs: Path, out: Path) -> list[str]:
    return command(inputs, "-o", out, "--jobs", 2, "--modules", "--provenance")


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "src")}


def _run(inputs: Path, out: Path) -> None:
    done = subprocess.run(
        _command(inputs, out), capture_output=True, text=True, check=False, env=_environment()
    )
    assert done.returncode == 1, done.stderr
    assert "bad.txt:1:" in done.stderr


def main() -> None:
    """Check with as many seeds as asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--count", type=int, default=20, help="how many batches")
    parser.add_argument("--modules", type=int, default=60, help="modules in each")
    parser.add_argument("--times", type=int, default=8, help="how often each is killed")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    met = 0
    for seed in range(given.seed, given.seed + given.count):
        with tempfile.TemporaryDirectory() as folder:
            met += check(Path(folder), modules=given.modules, times=given.times, seed=seed)
    print(f"{given.count} batches, killed {met} times at work: all came to the same")


if __name__ == "__main__":
    main()
