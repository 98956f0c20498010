"""XLA's own sharding propagation, run from an installed jaxlib in a process of its own."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from shardlog import converters, xla_pass
from shardlog.converters.threads import threads
from shardlog.ir.errors import InputError, ShardlogError
from shardlog.ir.module import HloModule

__all__ = [
    "XlaFailed",
    "XlaInput",
    "XlaResult",
    "XlaUnavailable",
    "propagate_with_xla",
    "run_pass",
]

TESTED = "0.4.38 to 0.10.2"
INSTALL = "pip install 'shardlog[xla]'"
PYTHON_VARIABLE = "SHARDLOG_XLA_PYTHON"

QUIET = {"TF_CPP_MIN_LOG_LEVEL": "2"}
LOUD = {"TF_CPP_MIN_LOG_LEVEL": "0", "TF_CPP_VMODULE": "sharding_propagation=2"}
"""XLA's variables for what it logs: nothing but errors, or every sharding that the pass sets."""


class XlaUnavailable(ShardlogError):
    """XLA's own pass cannot run here: wrong platform, no jaxlib, or an unknown jaxlib."""


class XlaFailed(ShardlogError):
    """XLA's own pass did not get through a module; the message is XLA's."""


@dataclass(frozen=True)
class XlaInput:
    """A module for XLA's pass: HLO text, or the bytes of an HloModuleProto, and its masks.

    The masks are those of the module's header, `allow_spmd_sharding_propagation_to_parameters` and
    `..._to_output`; a proto carries none.
    """

    module: str | bytes
    params: tuple[bool, ...] = (False,)
    output: tuple[bool, ...] = (False,)


@dataclass(frozen=True)
class XlaResult:
    """What XLA's pass made of one module.

    `status` is "ok", "error" (the pass or the parser returned an error, see `message`) or "crash"
    (a CHECK failed or the time was up). `after` is HLO text. `seconds` holds the time of each run,
    of the pass alone. `outcomes` are the distinct texts that the runs left, `after` first: more
    than one where XLA's own choice hangs on a hash order. `log` is what the pass writes of each
    sharding that it sets, and `iterations` is how often it went through the module, if they were
    asked for.
    """

    status: str
    message: str = ""
    after: str = ""
    changed: bool = False
    seconds: tuple[float, ...] = ()
    outcomes: tuple[str, ...] = ()
    jaxlib: str = ""
    log: str = ""
    iterations: int | None = None


def propagate_with_xla(
    module: HloModule,
    *,
    is_spmd: bool = True,
    propagate_metadata: bool = False,
    cse_prevention_only: bool = False,
    params: tuple[bool, ...] | None = None,
    output: tuple[bool, ...] | None = None,
    execution_threads: tuple[str, ...] = (),
) -> HloModule:
    """Return what XLA's pass makes of a module, which stays as it is.

    `params` and `output` replace the module's masks. Only computations of `execution_threads` take
    part, of which there must be one at most, unless the module has no others. Raises XlaUnavailable
    and XlaFailed.
    """
    text = module.to_text()
    masks = params or module.parameter_mask, output or module.output_mask
    (result,) = run_pass(
        [XlaInput(text, *masks)],
        is_spmd=is_spmd,
        propagate_metadata=propagate_metadata,
        cse_prevention_only=cse_prevention_only,
        execution_thread=_only_thread(module, execution_threads),
    )
    if result.status != "ok":
        raise XlaFailed(f"XLA's pass did not finish: {result.message}")
    try:
        return converters.load(result.after.encode())
    except InputError as error:
        # at an async op XLA prints the sharding of the call inside it, which may not fit
        raise XlaFailed(f"what XLA's pass made of it cannot be read: {error}") from None


def run_pass(
    modules: Sequence[XlaInput],
    *,
    is_spmd: bool = True,
    propagate_metadata: bool = False,
    cse_prevention_only: bool = False,
    execution_thread: str = "",
    repeat: int = 0,
    timeout: int = 300,
    python: str | None = None,
    log: bool = False,
) -> list[XlaResult]:
    """Run XLA's pass `sharding-propagation` on modules and return what it made of each, in order.

    Only computations of `execution_thread` take part; without it, all.

    `python` is the interpreter whose jaxlib is used: by default the one that the environment
    variable SHARDLOG_XLA_PYTHON names, else this one. `repeat` runs follow the first one, on fresh
    copies. `timeout` is in seconds for each module. With `log` the pass says what it does, which
    takes time. Follows xla::ShardingPropagation::RunImpl. Raises XlaUnavailable.
    """
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise XlaUnavailable(
            "XLA's own pass runs on Linux x86-64 only, from jaxlib "
            f"{TESTED}; this is {platform.system()} {platform.machine()}"
        )
    python = python or os.environ.get(PYTHON_VARIABLE) or sys.executable
    options = xla_pass.Options(
        is_spmd, propagate_metadata, cse_prevention_only, execution_thread, repeat, timeout
    )
    with tempfile.TemporaryDirectory(prefix="shardlog-xla-") as folder:
        work = Path(folder)
        jobs = [_job(work, number, module) for number, module in enumerate(modules)]
        spec = {"options": asdict(options), "jobs": [asdict(job) for job in jobs]}
        about = work / "about.json"
        (work / "spec.json").write_text(json.dumps({**spec, "about": str(about)}))
        try:
            done = subprocess.run(
                [python, xla_pass.__file__, str(work / "spec.json")],
                env={**os.environ, **(LOUD if log else QUIET)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        except OSError as error:
            raise XlaUnavailable(f"cannot run the interpreter {python}: {error}") from error
        if not about.exists():
            raise XlaUnavailable(_unavailable(python, done.stderr))
        version = json.loads(about.read_text())["jaxlib"]
        return [_result(job, version, log) for job in jobs]


def _only_thread(module: HloModule, execution_threads: tuple[str, ...]) -> str:
    """The one thread that takes part, empty if all do."""
    if not execution_threads or set(threads(module).values()) <= set(execution_threads):
        return ""
    if len(set(execution_threads)) > 1:
        raise XlaUnavailable("XLA's pass can be run for one execution thread, or for all, not some")
    return execution_threads[0]


def _job(work: Path, number: int, module: XlaInput) -> xla_pass.Job:
    source = work / f"{number}.in"
    data = module.module
    source.write_bytes(data.encode() if isinstance(data, str) else data)
    stem = str(work / str(number))
    return xla_pass.Job(
        input=str(source),
        is_text=isinstance(data, str),
        result=f"{stem}.json",
        after=f"{stem}.after",
        stderr=f"{stem}.err",
        params=list(module.params),
        output=list(module.output),
    )


def _result(job: xla_pass.Job, version: str, log: bool) -> XlaResult:
    path = Path(job.result)
    if not path.exists():
        return XlaResult("crash", "XLA ended the process", jaxlib=version)
    fields = json.loads(path.read_text())
    fields["seconds"] = tuple(fields.get("seconds", ()))
    fields["outcomes"] = tuple(fields.get("outcomes", ()))
    after = Path(job.after).read_text() if fields["status"] == "ok" else ""
    said = Path(job.stderr).read_text(errors="replace") if log else ""
    # the pass counts its iterations for the log alone
    counts = re.findall(r"Sharding propagation completed after (\d+) iterations", said)
    iterations = int(counts[0]) if counts else None
    return XlaResult(**fields, after=after, jaxlib=version, log=said, iterations=iterations)


def _unavailable(python: str, stderr: str) -> str:
    lines = [line for line in stderr.splitlines() if line.strip()]
    last = lines[-1] if lines else "the process ended without a word"
    if "No module named 'jaxlib'" in last:
        return (
            f"{python} has no jaxlib: install it with {INSTALL} (Linux x86-64), or let "
            f"{PYTHON_VARIABLE} name an interpreter with jaxlib {TESTED}"
        )
    return (
        f"the pass is not to be had from the jaxlib of {python} ({last}); "
        f"known to work: jaxlib {TESTED} on Linux x86-64"
    )
