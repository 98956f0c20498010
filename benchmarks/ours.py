"""Times shardlog's phases on one file, in a process of its own; prints JSON.

A run is read, propagate, write. The first one of the process, which writes and compiles the code
for the rules, is told apart from the later ones.
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
"""Seconds after which nothing is run again, once there are two runs of each kind."""

PHASES = ("read", "facts", "planning", "saturation", "result", "write")


def main() -> None:
    """Run the phases of one file several times over."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--runs", type=int, default=1, help="runs after the first, of each kind")
    parser.add_argument("--clock", choices=("cpu", "wall"), default="cpu")
    given = parser.parse_args()
    clock = time.process_time if given.clock == "cpu" else time.perf_counter
    # shardlog times its phases by the wall clock, which tells little where others work, too
    time.perf_counter = clock
    begin = clock()
    from shardlog import api

    found: dict[str, Any] = {"import": clock() - begin, "off": [], "on": []}
    started = time.monotonic()
    # by turns, so that a slow stretch of the machine slows both
    for number in range(given.runs + 1):
        if number > 1 and time.monotonic() - started > ENOUGH:
            break
        for provenance in ("on", "off"):
            times, count = _run(api, given.file, provenance == "on", clock)
            if number == 0 and provenance == "on":
                found["first"] = times
                found["instructions"] = count
            else:
                found[provenance].append(times)
    print(json.dumps(found))


def _run(api: Any, file: Path, provenance: bool, clock: Any) -> tuple[dict[str, float], int]:
    gc.collect()
    times = {}
    begin = clock()
    module = api.load(file)
    times["read"] = clock() - begin
    count = sum(len(computation.instructions) for computation in module.computations)
    result = api.propagate(module, provenance=provenance)
    times |= result.seconds
    begin = clock()
    api.output(result)
    times["write"] = clock() - begin
    return times, count


if __name__ == "__main__":
    main()
