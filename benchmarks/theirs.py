"""Times XLA's own pass on one file, in a process of its own; prints JSON.

A script for the interpreter whose jaxlib is to be timed, which need not have shardlog: the second
argument is the path of shardlog's `xla_pass.py`, which finds the pass in the library. A run is
parse, pass, print; the text of the first goes to the file that `--out` names.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
import time
from typing import Any

ENOUGH = 20
"""Seconds after which nothing is run again."""


def main() -> None:
    """Run the pass on one file several times over."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("file")
    parser.add_argument("script")
    parser.add_argument("--out")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--clock", choices=("cpu", "wall"), default="cpu")
    given = parser.parse_args()
    clock = time.process_time if given.clock == "cpu" else time.perf_counter

    spec = importlib.util.spec_from_file_location("xla_pass", given.script)
    assert spec is not None
    assert spec.loader is not None
    xla_pass: Any = importlib.util.module_from_spec(spec)
    sys.modules["xla_pass"] = xla_pass
    spec.loader.exec_module(xla_pass)

    begin = clock()
    xla_pass.bindings()
    found: dict[str, Any] = {"import": clock() - begin, "runs": []}
    # finding the pass by its symbol is no part of what a user of jaxlib would pay
    before = time.perf_counter(), time.process_time()
    engine = xla_pass.Pass()
    found["lookup"] = [time.perf_counter() - before[0], time.process_time() - before[1]]
    found["jaxlib"] = importlib.import_module("jaxlib").__version__
    with open(given.file, encoding="utf-8") as file:
        header = file.readline()
    job = xla_pass.Job(
        given.file, True, "", "", "", _mask(header, "parameters"), _mask(header, "output")
    )
    options = xla_pass.Options()
    started = time.perf_counter()
    for number in range(given.runs):
        if number and time.perf_counter() - started > ENOUGH:
            break
        times = {}
        begin = clock()
        module = engine.parse(job)
        times["parse"] = clock() - begin
        begin = clock()
        engine.run(module, job, options)
        times["pass"] = clock() - begin
        begin = clock()
        text = engine.print(module)
        times["print"] = clock() - begin
        if number == 0 and given.out:
            with open(given.out, "w", encoding="utf-8") as out:
                out.write(text)
        found["runs"].append(times)
    print(json.dumps(found))
    sys.stdout.flush()
    os._exit(0)  # as `shardlog` does: nothing is taken apart


def _mask(header: str, what: str) -> list[bool]:
    """A mask of the module's header, which the pass takes as an argument."""
    name = f"allow_spmd_sharding_propagation_to_{what}={{"
    at = header.find(name)
    if at < 0:
        return [False]
    listed = header[at + len(name) : header.index("}", at)]
    return [word == "true" for word in listed.split(",")]


if __name__ == "__main__":
    main()
