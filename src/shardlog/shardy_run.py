"""Runs Shardy's own passes with the jaxlib of this interpreter, on one program after the other.

A script for `shardlog.shardy.binary`, which starts it in a process of its own: `python
shardy_run.py SPEC`. It imports nothing but the standard library and jaxlib, because that
interpreter need not have shardlog. SPEC is a JSON file, {"programs": [{"input": FILE, "output":
STEM}, ...], "result": FILE}; STEM.before.mlir, STEM.rules.mlir and STEM.after.mlir will be the
program in generic form before propagation, the same with op sharding rules, and after propagation.
With "origins": true in SPEC, STEM.origins.mlir is the program right after propagation, with what
Shardy itself records of where axes came from.
The result will hold {"jaxlib": VERSION, "errors": {INPUT: MESSAGE}}. Every program has a process of
its own, since Shardy may end it.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
from pathlib import Path
from typing import Any

BEFORE = (
    "symbol-dce,sdy-lift-inlined-meshes,sdy-remove-size-one-axes,"
    "sdy-propagate-sharding-from-func-to-call,sdy-constant-or-scalar-splitter,symbol-dce,"
    "sdy-manual-axes-cleanup"
)
RULES = "func.func(sdy-populate-op-sharding-rules)"
AFTER = (
    "sdy-add-data-flow-edges,sdy-flatten-call-graph,symbol-dce,"
    "sdy-import-func-calls{add-data-flow-edges-on-named-computations=true},symbol-dce,"
    "sdy-apply-sharding-constraints,sdy-sharding-group-import,sdy-pre-order-funcs,"
    "sdy-user-priority-propagate{propagation-strategy=aggressive run-op-priority-propagation=true},"
    "sdy-export-named-computations,sdy-propagate-to-func-results,"
    "sdy-unflatten-call-graph{dedup-functions-fully=false},symbol-dce,"
    "sdy-insert-func-call-reshards,func.func(sdy-constant-or-scalar-merger),"
    "func.func(sdy-sink-data-flow-edges),sdy-remove-sharding-groups,"
    "func.func(sdy-sharding-constraint-to-reshard),"
    "sdy-update-non-divisible-input-output-shardings,"
    "sdy-remove-sub-axes-in-input-output-shardings,sdy-close-shardings"
)
"""Shardy's pipeline, from a user's program to the dump `before_propagation` and from there on."""


DEBUG = "debug-propagation-edge-sharding=true debug-sharding-origins=true"
ORIGINS = (
    "sdy-add-data-flow-edges,sdy-flatten-call-graph,symbol-dce,"
    "sdy-import-func-calls{add-data-flow-edges-on-named-computations=true},symbol-dce,"
    f"sdy-apply-sharding-constraints{{{DEBUG}}},sdy-sharding-group-import,sdy-pre-order-funcs,"
    f"sdy-user-priority-propagate{{{DEBUG} propagation-strategy=aggressive "
    "run-op-priority-propagation=true}"
)
"""The part of the pipeline that propagates, with a record of where axes come from."""


def prepared() -> Any:
    """Load what all programs need; returns the module that reads MLIR."""
    # a script finds the module in its own folder
    reading = importlib.import_module("mlir_run")
    with contextlib.suppress(Exception):
        # it registers Shardy's passes before it fails
        importlib.import_module("jaxlib._sdy_mpmd")
    importlib.import_module("jaxlib.mlir.passmanager")
    with reading._context():
        return reading


def run(data: str, stem: str, origins: bool = False) -> None:
    """Run the passes on one program and write what they make of it."""
    reading = prepared()
    from jaxlib.mlir import passmanager

    def passes(names: str, module: Any, verify: bool = True) -> None:
        manager = passmanager.PassManager.parse(f"builtin.module({names})")
        # the verifier takes the operands of a loop's edge for those of the operation
        manager.enable_verifier(verify)
        manager.run(module.operation)

    def write(kind: str, module: Any) -> str:
        text = module.operation.get_asm(
            print_generic_op_form=True, large_elements_limit=16, assume_verified=True
        )
        Path(f"{stem}.{kind}.mlir").write_text(text)
        return str(text)

    generic = reading.to_generic(Path(data).read_bytes()).decode()
    with reading._context():
        module = reading._parsed(generic)
        passes(BEFORE, module)
        text = write("before", module)
        ruled = reading._parsed(text)
        passes(RULES, ruled)
        write("rules", ruled)
        passes(AFTER, module)
        write("after", module)
        if origins:
            # not from its dump: that has uses in another order, and visits go by it
            recorded = reading._parsed(generic)
            passes(BEFORE, recorded)
            passes(ORIGINS, recorded, verify=False)
            write("origins", recorded)


def in_process(data: str, stem: str, origins: bool = False) -> str | None:
    """Run one program in a process of its own; returns what went wrong, if anything."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        message = ""
        try:
            run(data, stem, origins)
        except BaseException as error:
            message = str(error) or type(error).__name__
        os.write(writing, message.encode()[:4000])
        os._exit(1 if message else 0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        message = pipe.read().decode()
    _, status = os.waitpid(child, 0)
    if status and not message:
        return "Shardy ended its process over it"
    return message or None


def main(spec: str) -> None:
    """Run what the file `spec` asks for."""
    import jaxlib.version

    job = json.loads(Path(spec).read_text())
    errors = {}
    prepared()
    for one in job["programs"]:
        message = in_process(one["input"], one["output"], job.get("origins", False))
        if message is not None:
            errors[one["input"]] = message
    result = {"jaxlib": jaxlib.version.__version__, "errors": errors}
    Path(job["result"]).write_text(json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1])
