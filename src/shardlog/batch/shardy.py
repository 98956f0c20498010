"""What a batch keeps of a module that Shardy's rules propagate: the same tables, in axes."""

from __future__ import annotations

import hashlib
import math
import time
from collections import Counter
from typing import Any

from shardlog.batch.record import Record
from shardlog.batch.rows import MODULE, Columns, columns_of, finding_columns
from shardlog.batch.settings import Settings
from shardlog.ir.shardy.tensor_sharding import TensorSharding
from shardlog.shardy import load_shardy_rules, read_shardy, shown
from shardlog.shardy.lint import lint
from shardlog.shardy.propagation import Propagated
from shardlog.shardy.relations import Ground
from shardlog.shardy.session import Asked
from shardlog.shardy.shown import spec
from shardlog.shardy.sizes import bytes_on_device, whole_bytes
from shardlog.shardy.source import why_shardy
from shardlog.shardy.values import count_values

__all__ = ["record_of", "wants_shardy"]


def wants_shardy(data: bytes, settings: Settings) -> bool:
    """Tell whether a module of a batch is propagated by Shardy's rules."""
    if settings.partitioner == "auto":
        return why_shardy(data) is not None
    return settings.partitioner == "shardy"


def record_of(
    data: bytes, settings: Settings, seconds: dict[str, float]
) -> tuple[Record, bytes | None]:
    """Return the record of a module and its annotated form, if that is wanted.

    Raises as `read_shardy` and `propagate` do.
    """
    begin = time.perf_counter()
    program = read_shardy(data)
    seconds["reading"] = time.perf_counter() - begin
    before = count_values(program)
    asked = Asked(program, load_shardy_rules(settings.rules) if settings.rules else None)
    seconds.update(asked.found.phases)
    record: Record = {"status": "ok", "limit": None, "output": None}
    output = None
    if settings.form is not None:
        begin = time.perf_counter()
        output = shown(asked.finished).encode()
        record["output"] = {"sha256": hashlib.sha256(output).hexdigest(), "size": len(output)}
        seconds["writing"] = time.perf_counter() - begin
    begin = time.perf_counter()
    ground = Ground(asked)
    record["instructions"] = rows = _instructions(ground)
    record["rules"] = _rules(asked.found)
    if settings.provenance:
        record["provenance"] = _provenance(asked)
    seconds["rows"] = time.perf_counter() - begin
    begin = time.perf_counter()
    count: int | None = None
    warnings = []
    if settings.findings:
        try:
            found = lint(asked, MODULE, least=settings.least, limit=settings.findings, runs=4)
            record["findings"], count = finding_columns(found.to_dict())
        except Exception as error:
            # the shardings are right all the same; the row says what is missing beside them
            warnings.append(f"the findings are missing: {type(error).__name__}: {error}")
    seconds["lint"] = time.perf_counter() - begin
    after = count_values(asked.finished)
    meshes = [mesh.total_size for mesh in asked.history.meshes.values() if mesh.axes]
    why = why_shardy(data)
    record["partitioner"] = {"rules": "shardy", "for_shardy": why is not None}
    record["facts"] = {
        "format": "stablehlo",
        "name": program.module.symbol() or "module",
        "partitions": max(meshes, default=None),
        "computations": after.functions,
        "instructions": len(ground.names),
        "sharded_before": before.sharded,
        "sharded_after": after.sharded,
        "replaced": sum(
            one is not None and two is not None and one != two
            for one, two in zip(rows["before"], rows["after"], strict=True)
        ),
        "changed": bool(asked.history.records),
        "iterations": max((record.iteration for record in asked.history.records), default=-1) + 1,
        "bytes": sum(rows["bytes"]),
        "bytes_on_device": sum(rows["bytes_on_device"]),
        "findings": count,
        "notes": [f"propagated as by Shardy{f', since {why}' if why else ''}"],
        "warnings": warnings,
    }
    return record, output


def _instructions(ground: Ground) -> Columns:
    rows: list[tuple[Any, ...]] = []
    asked = ground.asked
    for number, (name, value) in enumerate(zip(ground.names, ground.values, strict=True)):
        after, op = ground.final(number), value.op
        start = asked.found.given.get(value)
        mesh = None if after is None else asked.found.program.mesh_of(after)
        tiles = 1
        if after is not None and mesh is not None:
            tiles = math.prod(dim.sharded_size(mesh) for dim in after.dims)
        origin = asked.names.origin(ground.entities[number])
        beside = any(
            _split(asked.final(entity))
            for operand in (() if op is None else op.operands)
            for entity in [asked.found.graph.numbers.get(operand)]
            if entity is not None
        )
        places = asked.account.places
        rule = None if op is None or op not in places else asked.history.rules[places[op]]
        gains = ground.gains(number)
        last = max(gains, key=lambda gain: gain.position).rule if gains else None
        rows.append(
            (
                number,
                name.rpartition("/")[0].lstrip("@") or "main",
                name,
                name,
                origin.opcode.partition(" @")[0],
                op.symbol("call_target_name") or None if op is not None else None,
                value.type.text,
                whole_bytes(value.type),
                bytes_on_device(value.type, after, ground.meshes),
                None if start is None else spec(start),
                None if after is None else spec(after),
                "none" if after is None else "tiled" if _split(after) else "replicated",
                tiles,
                start is None or after is None or spec(start) != spec(after),
                last,
                beside,
                beside and not _split(after) and rule is None,
                origin.op_name or origin.label or None,
                origin.source or None,
            )
        )
    return columns_of("instructions", rows)


def _split(sharding: TensorSharding | None) -> bool:
    return sharding is not None and any(dim.axes for dim in sharding.dims)


def _rules(found: Propagated) -> Columns:
    counts = Counter((one.rule.name, one.value, one.visit) for one in found.run.records)
    ordered = sorted(counts.items(), key=lambda item: (item[0][0], item[0][1] or 0, item[0][2]))
    return columns_of("rules", [(*key, count) for key, count in ordered])


def _provenance(asked: Asked) -> Columns:
    history, names = asked.history, asked.names
    first = len(asked.found.graph.ops)
    rows: list[tuple[Any, ...]] = []
    for position, one in enumerate(history.records):
        if one.entity < first:
            continue
        sources = [
            names.of(gain.source)
            for gain in asked.account.gains(one.entity)
            if gain.position == position and gain.source is not None
        ]
        rows.append(
            (
                position,
                names.of(one.entity),
                None if one.old is None else spec(one.old),
                spec(one.new),
                one.rule.name,
                one.value,
                one.iteration,
                one.visit,
                list(dict.fromkeys(sources)),
            )
        )
    return columns_of("provenance", rows)
