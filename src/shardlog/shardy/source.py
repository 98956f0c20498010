"""Programs for Shardy: StableHLO, bytecode, export artifacts and HLO, read by way of jaxlib."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from typing import Any

from shardlog import stablehlo
from shardlog.converters.mlir import read_program, write_program
from shardlog.ir.shardy.program import Operation, Program, Value
from shardlog.stablehlo import is_mlir

__all__ = ["made_for_shardy", "read_shardy", "shown", "unzipped", "why_shardy"]

GENERIC = b'"builtin.module"'
_MARK = re.compile(rb"xla\.sdy\.\w+")
_OP = re.compile(rb"(?<![\w.])sdy\.(?:mesh|sharding|manual_computation)\b")


def read_shardy(data: bytes, file: str | None = None) -> Program:
    """Return the program of StableHLO with Shardy's annotations, or of HLO that carries them.

    StableHLO may be text, bytecode or a jax.export artifact, a user's program or what XLA dumps as
    `before_propagation`. HLO, as text or a proto, has the annotations in `xla.sdy.*` attributes.
    It may be gzipped. MLIR in its generic form is read as it stands; all else needs jaxlib. Values
    have the names of a text, or those that MLIR prints, and operations the names that the user's
    program gave them, as far as the program tells. Raises JaxUnavailable, and InputError for what
    cannot be read.
    """
    data = unzipped(data)
    if data.lstrip().startswith(GENERIC):
        return read_program(data.decode(), file)
    data, names = stablehlo.named_generic_of(data, file)
    program = read_program(data.decode(), file)
    _give_names(program, names)
    return program


def _give_names(program: Program, names: dict[str, Any]) -> None:
    """Give values and operations their names, which are in the order of the text."""
    arguments = iter(names["arguments"])
    for op, (results, label, source, instruction) in zip(
        program.module.walk(), names["operations"], strict=True
    ):
        op.location, op.source = label, source
        for value, name in zip(op.results, results, strict=True):
            value.name, value.label = name, instruction
    # of nested regions, arguments come with their operations
    for value in _arguments(program.module):
        value.name, value.label = next(arguments)


def _arguments(op: Operation) -> Iterator[Value]:
    for block in op.regions:
        yield from block.arguments
        for inner in block.ops:
            yield from _arguments(inner)


def made_for_shardy(data: bytes) -> bool:
    """Tell whether a program carries Shardy's annotations, so that XLA would run Shardy on it.

    It may be StableHLO or HLO in any form, plain or gzipped.
    """
    return why_shardy(data) is not None


def why_shardy(data: bytes) -> str | None:
    """Return what shows that XLA would run Shardy on a program, None if nothing does."""
    data = unzipped(data)
    mlir = data.lstrip().startswith(GENERIC) or is_mlir(data)
    found = _MARK.search(data)
    if found:
        return f"the module carries {found[0].decode()}"
    if not mlir or b"sdy" not in data:
        return None
    found = _OP.search(data)
    return f"the program has {found[0].decode() if found else 'the dialect sdy'}"


def unzipped(data: bytes) -> bytes:
    """Return the bytes that gzipped ones hold; others as they are."""
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def shown(program: Program) -> str:
    """Return a program as MLIR prints it, with Shardy's ops and attributes.

    Raises JaxUnavailable without jaxlib.
    """
    return stablehlo.pretty_of(write_program(program), program.file)
