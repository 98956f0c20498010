"""StableHLO programs and jax.export artifacts, by way of an installed jaxlib."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from shardlog import converters, mlir_run
from shardlog.converters.shardy import ShardyForm, gspmd_form
from shardlog.ir.errors import InputError
from shardlog.ir.module import HloModule
from shardlog.notes import shardy_mark
from shardlog.xla import PYTHON_VARIABLE, XlaUnavailable

__all__ = [
    "JaxUnavailable",
    "from_jax",
    "generic_of",
    "is_mlir",
    "load_stablehlo",
    "load_tagged",
    "named_generic_of",
    "pretty_of",
    "proto_of",
    "sdy_of",
    "stablehlo_of",
]

INSTALL = "pip install 'shardlog[jax]'"
TESTED = "0.6.2 to 0.10.2"

_TO_PARAMETERS = "allow_spmd_sharding_propagation_to_parameters"
_TO_OUTPUT = "allow_spmd_sharding_propagation_to_output"


class JaxUnavailable(XlaUnavailable):
    """jax or jaxlib, which a program in StableHLO needs, is not installed or too old."""


def is_mlir(data: bytes) -> bool:
    """Tell whether bytes are MLIR, as text or bytecode, or a jax.export artifact."""
    return converters.is_mlir(data) or mlir_run.is_artifact(data)


def load_stablehlo(data: bytes, file: str | None = None, *, lenient: bool = False) -> HloModule:
    """Return the HLO module of a program in StableHLO or MHLO, or in a jax.export artifact.

    Arguments and results without a sharding may get one, as where JAX compiles the program: the
    module's masks say so. Annotations of Shardy's become those that GSPMD has for them, or are
    refused by name. The conversion runs in a process of its own, with the jaxlib of the interpreter
    that SHARDLOG_XLA_PYTHON names, else of this one. Raises JaxUnavailable, and InputError for what
    jaxlib cannot read.
    """
    proto, found = _run("hlo", data, file)
    return _module(proto, mlir_run.Lowered(**found), file, lenient)


def load_tagged(data: bytes, file: str | None = None) -> HloModule:
    """Return the HLO module of a program with Shardy's annotations, each instruction with its tag.

    The program may be StableHLO in any form or HLO with `xla.sdy.*` attributes. Calls are inlined,
    as XLA does before GSPMD's pass; instructions say in the frontend attribute `shardlog.op` which
    operation of the program they were made of, counted through its text, behind the numbers of
    calls around it (`12.3.40`). Raises as `load_stablehlo` does.
    """
    proto, found = _run("tagged", data, file)
    return _module(proto, mlir_run.Lowered(**found), file, False)


def stablehlo_of(module: HloModule) -> str:
    """Return a module as StableHLO text, with its shardings as `mhlo.sharding`.

    Raises JaxUnavailable, and InputError if jaxlib cannot convert it.
    """
    data = module.to_text().encode() if module.source else module.to_proto_bytes()
    text, _ = _run("stablehlo", data, module.file)
    return text.decode()


def sdy_of(form: ShardyForm) -> str:
    """Return a module in Shardy's form as StableHLO text with Shardy's ops and attributes.

    Raises JaxUnavailable, and InputError if jaxlib cannot convert it.
    """
    text, _ = _run("sdy", form.module.to_text().encode(), form.module.file)
    return text.decode()


def generic_of(data: bytes, file: str | None = None) -> bytes:
    """Return a program with Shardy's annotations as MLIR text in generic form.

    It may be StableHLO in any form, or HLO with `xla.sdy.*` attributes. Large constants are elided.
    Raises JaxUnavailable, and InputError for what jaxlib cannot read.
    """
    return _run("generic", data, file)[0]


def named_generic_of(data: bytes, file: str | None = None) -> tuple[bytes, dict[str, Any]]:
    """Return the same, and what values and operations are called, as `mlir_run.names_in` tells.

    Raises as `generic_of` does.
    """
    made, found = _run("generic", data, file, names=True)
    return made, found["names"]


def pretty_of(text: str, file: str | None = None) -> str:
    """Return MLIR text in generic form as MLIR prints it by default.

    Raises JaxUnavailable, and InputError if jaxlib refuses it.
    """
    return _run("pretty", text.encode(), file)[0].decode()


def proto_of(module: HloModule) -> bytes:
    """Return a module as an HloModuleProto, also one that was read from text.

    Elided constants become zeros. Raises JaxUnavailable, and InputError if jaxlib cannot read it.
    """
    if not module.source:
        return module.to_proto_bytes()
    return _run("proto", module.to_text().encode(), module.file)[0]


def from_jax(
    function: Callable[..., Any],
    *arguments: Any,
    in_shardings: Any = None,
    out_shardings: Any = None,
    shardy: bool = False,
    platform: str | None = None,
    **keywords: Any,
) -> HloModule:
    """Return the HLO module that JAX makes of a function called with these arguments.

    Arguments are arrays or jax.ShapeDtypeStruct, and nothing is computed. `function` may be jitted
    already; `in_shardings` and `out_shardings` are those of jax.jit, on a mesh of devices or an
    AbstractMesh. JAX lowers for `platform`, by default its own, and for GSPMD, or with `shardy` for
    Shardy, whose annotations come in through the bridge. Raises JaxUnavailable without jax, and
    InputError for annotations that have no form for GSPMD.
    """
    try:
        import jax
    except ImportError as error:
        raise JaxUnavailable(f"from_jax needs jax: {INSTALL} ({error})") from None
    given = {"in_shardings": in_shardings, "out_shardings": out_shardings}
    options = {name: value for name, value in given.items() if value is not None}
    if options or not hasattr(function, "lower"):
        function = jax.jit(function, **options)
    before = jax.config.jax_use_shardy_partitioner
    jax.config.update("jax_use_shardy_partitioner", shardy)
    try:
        # with the platform said, no device of it is needed
        traced = function.trace(*arguments, **keywords)  # type: ignore[attr-defined]
        lowered = traced.lower(lowering_platforms=(platform or jax.default_backend(),))
        program = lowered.compiler_ir("stablehlo")
        proto = lowered.compiler_ir("hlo").as_serialized_hlo_module_proto()
    finally:
        jax.config.update("jax_use_shardy_partitioner", before)
    return _module(proto, mlir_run.lowered(program), None, False)


def _module(proto: bytes, found: mlir_run.Lowered, file: str | None, lenient: bool) -> HloModule:
    """The module of a proto with what the proto lacks; Shardy's annotations in GSPMD's form."""
    module = converters.load_bytes(proto, file, lenient=lenient)
    for name, sharded in ((_TO_PARAMETERS, found.arguments), (_TO_OUTPUT, found.results)):
        if not all(sharded):
            module.attributes[name] = _mask(sharded)
    if found.num_partitions:
        module.attributes["num_partitions"] = str(found.num_partitions)
    if shardy_mark(module) is not None:
        try:
            form = gspmd_form(module)
        except InputError as error:
            # the lines are those of HLO text that nobody has seen
            raise InputError(
                error.message, file=file, expected=error.expected, found=error.found
            ) from None
        module = form.module
        module.warnings += form.notes
    module.file = file
    module.origin = "stablehlo"
    return module


def _mask(sharded: Sequence[bool]) -> str:
    return f"{{{','.join('false' if each else 'true' for each in sharded)}}}"


def _run(
    to: str, data: bytes, file: str | None, names: bool = False
) -> tuple[bytes, dict[str, Any]]:
    """Have jaxlib convert data; returns the outcome and what else is known of it."""
    python = os.environ.get(PYTHON_VARIABLE) or sys.executable
    with tempfile.TemporaryDirectory(prefix="shardlog-mlir-") as folder:
        paths = {name: Path(folder) / name for name in ("input", "output", "result", "spec")}
        paths["input"].write_bytes(data)
        spec = {"to": to, "names": names, **{name: str(path) for name, path in paths.items()}}
        paths["spec"].write_text(json.dumps(spec))
        try:
            done = subprocess.run(
                [python, mlir_run.__file__, str(paths["spec"])],
                env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                check=False,
            )
        except OSError as error:
            raise JaxUnavailable(f"cannot run the interpreter {python}: {error}") from error
        if not paths["result"].exists():
            raise _failure(to, python, done, file)
        result = json.loads(paths["result"].read_text())
        version = result.pop("jaxlib")
        if "error" in result:
            raise InputError(
                f"jaxlib {version} cannot read it", file=file, found=_short(result["error"])
            )
        return paths["output"].read_bytes(), result


def _failure(
    to: str, python: str, done: subprocess.CompletedProcess[str], file: str | None
) -> Exception:
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    last = lines[-1] if lines else ""
    if "No module named 'jaxlib'" in last:
        what = "a proto of what was text" if to == "proto" else "StableHLO"
        return JaxUnavailable(
            f"{what} needs jaxlib: {INSTALL}, or let {PYTHON_VARIABLE} name an interpreter "
            f"with jaxlib {TESTED}"
        )
    if done.returncode < 0:
        return InputError("jaxlib ended its process over it", file=file, found=_short(last))
    return JaxUnavailable(f"the jaxlib of {python} cannot convert StableHLO ({last})")


def _short(text: str) -> str:
    """The first lines of a message in one line."""
    return re.sub(r"\s+", " ", text)[:300]
