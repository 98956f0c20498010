"""Whether what users describe by named dimensions fits a program."""

from __future__ import annotations

from shardlog.engine import Program as Rules
from shardlog.ir.algebra import exactness
from shardlog.ir.algebra.named_dims import fit
from shardlog.ir.errors import InputError
from shardlog.ir.shardy.described import hlo_name, shapes_in_hlo
from shardlog.ir.shardy.program import Operation, Program
from shardlog.rule_descriptions import CALLS, OPS, claims_of, described_rows

__all__ = ["check_described"]


def check_described(rules: Rules, program: Program) -> None:
    """Check that operations which facts describe have the operands and dimensions described.

    Raises InputError at the first that has not.
    """
    calls, ops = described_rows(rules, CALLS), described_rows(rules, OPS)
    if not calls and not ops:
        return
    for op in program.module.walk():
        dialect, _, name = op.name.partition(".")
        if dialect not in ("stablehlo", "mhlo", "chlo"):
            continue
        claims = claims_of(OPS, ops, hlo_name(name) or name)
        if name == "custom_call":
            claims += claims_of(CALLS, calls, op.symbol("call_target_name"))
        if claims:
            _check(op, claims, program.file)


def _check(op: Operation, claims: list[tuple[str, str, str]], file: str | None) -> None:
    best = max(exactness(pattern) for _, pattern, _ in claims)
    values = (*op.operands, *op.results)
    shapes = shapes_in_hlo(tuple(v.type.shape or () for v in values), len(op.operands))
    wrong: list[str] = []
    for relation, pattern, spec in claims:
        if exactness(pattern) == best:
            found = fit(spec, shapes)
            if not isinstance(found, str):
                return
            wrong.append(f"does not fit {relation}({pattern!r}, {spec!r}): {found}")
    name = (op.results[0].name if op.results else "") or op.name
    raise InputError(f"{name} {'; and '.join(wrong)}", file=file)
