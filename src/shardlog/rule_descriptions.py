"""What is checked of descriptions of dimensions: their notation, and that they fit a module."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from shardlog.engine import Program
from shardlog.engine.errors import nearest
from shardlog.engine.syntax import Compute, Constant, Fact, Rule
from shardlog.ir.algebra import exactness, matches, named_dims
from shardlog.ir.algebra.description import read_description
from shardlog.ir.algebra.named_dims import fit
from shardlog.ir.errors import InputError
from shardlog.ir.module import HloModule, Instruction
from shardlog.ir.opcodes import OPCODES

__all__ = [
    "CALLS",
    "OPS",
    "check_descriptions",
    "claims_of",
    "described_rows",
    "described_wrongly",
]

CALLS, OPS = "custom_call_dims", "opcode_dims"
"""The relations of descriptions: by the target of a custom call, by opcode."""

Said = Iterator[tuple[str, str | None]]


def described_wrongly(statement: Rule | Fact) -> Said:
    """What is wrong with the descriptions in a statement, each with a hint."""
    if isinstance(statement, Rule):
        for literal in statement.body:
            if isinstance(literal, Compute) and literal.function == named_dims.__name__:
                first = literal.arguments[0] if literal.arguments else None
                if isinstance(first, Constant) and isinstance(first.value, str):
                    yield from _unreadable(first.value)
    elif statement.relation in (CALLS, OPS) and len(statement.values) == 2:
        name, spec = statement.values
        if not isinstance(name, str) or not isinstance(spec, str):
            example = (
                "'fft', '... n -> ... n'" if statement.relation == OPS else "'my_call', 'a -> a'"
            )
            yield (
                f"{statement.relation} takes two texts in quotes",
                (f"write + {statement.relation}({example})"),
            )
            return
        yield from _unreadable(spec)
        if statement.relation == OPS and not any(matches(opcode, name) for opcode in OPCODES):
            yield f"there is no opcode {name!r}", nearest(name, OPCODES)


def _unreadable(spec: str) -> Said:
    try:
        read_description(spec)
    except InputError as error:
        yield f"unreadable dimensions {spec!r}", f"expected {error.expected}"


def check_descriptions(program: Program, module: HloModule) -> None:
    """Check that all that is described by facts has the operands and dimensions described.

    Raises InputError at the first instruction that has not.
    """
    calls, ops = described_rows(program, CALLS), described_rows(program, OPS)
    if not calls and not ops:
        return
    by_opcode: dict[str, list[tuple[str, str, str]]] = {}
    for instruction in module.instructions:
        opcode = instruction.opcode
        if opcode not in by_opcode:
            by_opcode[opcode] = claims_of(OPS, ops, opcode)
        claims = by_opcode[opcode]
        if opcode == "custom-call":
            target = instruction.custom_call_target or ""
            if target == "Sharding":
                continue
            claims = claims + claims_of(CALLS, calls, target)
        if claims:
            _check(instruction, claims)


def described_rows(program: Program, relation: str) -> list[tuple[str, str]]:
    """The names and descriptions that the facts of a program give."""
    table = program.tables.get(relation)
    return [(str(name), str(spec)) for name, spec in table.rows] if table is not None else []


def claims_of(
    relation: str, rows: Iterable[tuple[str, str]], name: str
) -> list[tuple[str, str, str]]:
    """The descriptions, with their relation, of what has a name."""
    return [(relation, pattern, spec) for pattern, spec in rows if matches(name, pattern)]


def _check(instruction: Instruction, claims: Sequence[tuple[str, str, str]]) -> None:
    best = max(exactness(pattern) for _, pattern, _ in claims)
    shapes = (*(operand.shape for operand in instruction.operands), instruction.shape)
    wrong: list[str] = []
    for relation, pattern, spec in claims:
        if exactness(pattern) == best:
            found = fit(spec, shapes)
            if not isinstance(found, str):
                return
            wrong.append(f"does not fit {relation}({pattern!r}, {spec!r}): {found}")
    raise instruction.located(InputError("; and ".join(wrong)))
