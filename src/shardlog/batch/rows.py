"""The rows of a propagated module, table by table, as columns; `schema` says what they mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from shardlog.api import Result, format_of
from shardlog.batch.schema import TABLES
from shardlog.explain.run import Run
from shardlog.explain.sizes import bytes_on_device
from shardlog.ir.axes import split_dims
from shardlog.ir.errors import InputError
from shardlog.ir.module import Instruction
from shardlog.ir.shape import Shape
from shardlog.ir.sharding import HloSharding

__all__ = [
    "MODULE",
    "SEVERITIES",
    "Columns",
    "columns_of",
    "finding_columns",
    "finding_rows",
    "instruction_rows",
    "module_facts",
    "provenance_rows",
    "rule_rows",
    "severity",
]

Columns = dict[str, list[Any]]

MODULE = "MODULE"
"""What commands call the module, until it is known under which path it goes."""

SEVERITIES = ("info", "warning", "error")
"""From the least to the worst."""

WARNING = 64 << 20
ERROR = 1 << 30
LARGEST = (1 << 63) - 1


def severity(size: int) -> str:
    """Return how bad a finding is that costs so many bytes on each device."""
    return "error" if size >= ERROR else "warning" if size >= WARNING else "info"


def module_facts(result: Result, instructions: Columns, findings: int | None) -> dict[str, Any]:
    """Return the row of a module in `modules`, without what its file and its place add."""
    counts = result.summary()
    module = result.module
    try:
        partitions: int | None = module.num_partitions
    except InputError:
        partitions = None
    return {
        "format": format_of(module),
        "name": module.name,
        "partitions": partitions,
        "computations": counts.computations,
        "instructions": counts.instructions,
        "sharded_before": counts.sharded_before,
        "sharded_after": counts.sharded_after,
        "replaced": counts.replaced,
        "changed": counts.changed,
        "iterations": counts.iterations,
        "bytes": _count(sum(instructions["bytes"])),
        "bytes_on_device": _count(sum(instructions["bytes_on_device"])),
        "findings": findings,
        "notes": list(result.notes),
        "warnings": list(module.warnings),
    }


def instruction_rows(result: Result) -> Columns:
    """Return a row for each instruction of the module, in its order."""
    run = result.run
    before = {x: (name, given, rule) for x, name, given, rule in result.rows()}
    numbers = {instruction: number for number, instruction in enumerate(run.entities)}
    sizes: dict[tuple[Shape, HloSharding | None], int] = {}
    kinds: dict[HloSharding | None, tuple[str, int | None, bool]] = {}

    def about(sharding: HloSharding | None) -> tuple[str, int | None, bool]:
        found = kinds.get(sharding)
        if found is None:
            found = kinds[sharding] = _about(sharding)
        return found

    rows: list[tuple[Any, ...]] = []
    for computation in result.module.computations:
        for instruction in computation.instructions:
            name, given, rule = before.get(instruction, ("", None, None))
            after = instruction.sharding
            shape = instruction.shape
            size = sizes.get((shape, after))
            if size is None:
                size = sizes[shape, after] = _count(bytes_on_device(shape, after))
            kind, tiles, is_split = about(after)
            beside = any(about(operand.sharding)[2] for operand in instruction.operands)
            number = numbers.get(instruction)
            unruled = beside and not is_split and number is not None and _unruled(run, number)
            op_name, source = ("", "") if number is None else run.in_program(number)
            rows.append(
                (
                    len(rows),
                    computation.name,
                    instruction.name,
                    name or None,
                    instruction.opcode,
                    _target(instruction),
                    str(shape),
                    _count(_bytes(shape)),
                    size,
                    _text(given),
                    _text(after),
                    kind,
                    tiles,
                    given is not after,
                    rule,
                    beside,
                    unruled,
                    op_name or None,
                    source or None,
                )
            )
    return columns_of("instructions", rows)


def finding_rows(result: Result, least: int, limit: int) -> tuple[Columns, int]:
    """Return a row for each finding of lint, at most `limit`, and how many there are in all."""
    return finding_columns(result.lint(MODULE, least=least, limit=limit).to_dict())


def finding_columns(found: dict[str, Any]) -> tuple[Columns, int]:
    """Return the rows of findings as lint gives them for JSON, and how many there are in all."""
    rows = [
        (
            position,
            one["kind"],
            severity(one["bytes"]),
            next(iter(one["instructions"]), None),
            list(one["instructions"]),
            one["what"],
            one["where"],
            _count(one["bytes"]),
            one["cause"],
            one["command"],
        )
        for position, one in enumerate(found["findings"])
    ]
    return columns_of("findings", rows), len(rows) + int(found["more"])


def rule_rows(result: Result) -> Columns:
    """Return how many shardings each rule set or refined, by tier and direction."""
    counts = Counter((one.rule.name, one.value, one.visit) for one in result.records)
    ordered = sorted(counts.items(), key=lambda item: (item[0][0], item[0][1] or 0, *item[0][1:]))
    return columns_of("rules", [(*key, count) for key, count in ordered])


def provenance_rows(result: Result) -> Columns:
    """Return a row for each accepted join, in order."""
    run = result.run
    return columns_of(
        "provenance",
        [
            (
                position,
                run.name(one.entity),
                _text(one.old),
                _text(one.new),
                one.rule.name,
                one.value,
                one.iteration,
                one.visit,
                [run.name(each) for each in one.contributors],
            )
            for position, one in enumerate(result.records)
        ],
    )


def columns_of(table: str, rows: Sequence[tuple[Any, ...]]) -> Columns:
    """Rows as columns, all but the module's name, which depends on its place."""
    names = [column.name for column in TABLES[table][1:]]
    if not rows:
        return {name: [] for name in names}
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _about(sharding: HloSharding | None) -> tuple[str, int | None, bool]:
    """Kind, number of tiles, and whether anything is split."""
    if sharding is None:
        return "none", 1, False
    parts = sharding.elements if sharding.is_tuple else (sharding,)
    is_split = any(map(split_dims, parts))
    tiles = [part.num_tiles for part in parts if part.kind in ("tiled", "replicated", "maximal")]
    return sharding.kind, max(tiles, default=None), is_split


def _unruled(run: Run, number: int) -> bool:
    """Whether no rule could tile an instruction, whatever its operands have."""
    return not run.inquiry.lookup("tileable", ((0, number), (1, "forward")))


def _target(instruction: Instruction) -> str | None:
    return instruction.custom_call_target if instruction.opcode == "custom-call" else None


def _bytes(shape: Shape) -> int:
    return sum(leaf.byte_size for leaf in shape.leaves) if shape.is_tuple else shape.byte_size


def _count(size: int) -> int:
    """A number of bytes that a table can hold; a shape may be of any size."""
    return min(size, LARGEST)


def _text(sharding: HloSharding | None) -> str | None:
    return None if sharding is None else str(sharding)
