"""Times shardlog's propagation by Shardy's rules on one program, in a process of its own; JSON.

A run is read, propagate. The first one of the process is told apart from the later ones.
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from pathlib import Path
from typing import Any

__all__ = ["PHASES", "main"]

ENOUGH = 20
"""Seconds after which nothing is run again."""

PHASES = ("read", "prepare", "edits", "facts", "saturation")


def main() -> None:
    """Run the phases of one program several times over."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--runs", type=int, default=1, help="runs after the first")
    parser.add_argument("--clock", choices=("cpu", "wall"), default="cpu")
    given = parser.parse_args()
    clock = time.process_time if given.clock == "cpu" else time.perf_counter
    # shardlog times its phases by the wall clock, which tells little where others work, too
    time.perf_counter = clock
    from shardlog import shardy

    text = given.file.read_text().encode()
    runs: list[dict[str, float]] = []
    values = 0
    started = time.monotonic()
    for number in range(given.runs + 1):
        if number > 1 and time.monotonic() - started > ENOUGH:
            break
        gc.collect()
        begin = clock()
        program = shardy.read_shardy(text)
        read = clock() - begin
        values = _values(program)
        runs.append({"read": read, **shardy.propagate(program).phases})
    print(json.dumps({"values": values, "first": runs[0], "runs": runs[1:]}))


def _values(program: Any) -> int:
    """The results and arguments that a program has before it is edited, and main's results."""
    count = len(program.main.result_shardings)
    for op in program.module.walk():
        count += len(op.results) + sum(len(block.arguments) for block in op.regions)
    return count


if __name__ == "__main__":
    main()
