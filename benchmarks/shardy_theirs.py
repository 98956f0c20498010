"""Times Shardy's own passes on one program, in a process of its own; prints JSON.

A script for the interpreter whose jaxlib is to be timed, which need not have shardlog: the second
argument is the path of shardlog's `shardy_run.py`, which names the passes. A run is parse, the
passes up to the dump `before_propagation`, those up to `after_propagation`.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import time
from pathlib import Path

ENOUGH = 20
"""Seconds after which nothing is run again."""


def main() -> None:
    """Run the passes on one program several times over."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("script", type=Path)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--clock", choices=("cpu", "wall"), default="cpu")
    given = parser.parse_args()
    clock = time.process_time if given.clock == "cpu" else time.perf_counter
    sys.path.insert(0, str(given.script.parent))
    # both scripts stand beside each other and import nothing of shardlog
    shardy_run = importlib.import_module(given.script.stem)
    reading = shardy_run.prepared()
    from jaxlib.mlir import passmanager

    text = reading.to_generic(given.file.read_bytes()).decode()
    runs = []
    started = time.monotonic()
    for number in range(given.runs):
        if number and time.monotonic() - started > ENOUGH:
            break
        times = {}
        with reading._context():
            begin = clock()
            module = reading._parsed(text)
            times["parse"] = clock() - begin
            for name, passes in (("prepare", shardy_run.BEFORE), ("propagate", shardy_run.AFTER)):
                pipeline = passmanager.PassManager.parse(f"builtin.module({passes})")
                begin = clock()
                pipeline.run(module.operation)
                times[name] = clock() - begin
        runs.append(times)
    version = importlib.import_module("jaxlib.version").__version__
    print(json.dumps({"jaxlib": version, "runs": runs}))
    sys.stdout.flush()
    os._exit(0)  # nothing is taken apart


if __name__ == "__main__":
    main()
