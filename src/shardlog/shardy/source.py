"""Programs for Shardy: StableHLO, bytecode, export artifacts and HLO, read by way of jaxlib."""

from __future__ import annotations

from shardlog import stablehlo
from shardlog.converters.mlir import read_program, write_program
from shardlog.ir.shardy.program import Program

__all__ = ["read_shardy", "shown"]

GENERIC = b'"builtin.module"'


def read_shardy(data: bytes, file: str | None = None) -> Program:
    """Return the program of StableHLO with Shardy's annotations, or of HLO that carries them.

    StableHLO may be text, bytecode or a jax.export artifact, a user's program or what XLA dumps as
    `before_propagation`. HLO, as text or a proto, has the annotations in `xla.sdy.*` attributes.
    MLIR in its generic form is read as it stands; all else needs jaxlib. Raises JaxUnavailable, and
    InputError for what cannot be read.
    """
    if not data.lstrip().startswith(GENERIC):
        data = stablehlo.generic_of(data, file)
    return read_program(data.decode(), file)


def shown(program: Program) -> str:
    """Return a program as MLIR prints it, with Shardy's ops and attributes.

    Raises JaxUnavailable without jaxlib.
    """
    return stablehlo.pretty_of(write_program(program), program.file)
