"""The same page about a program that Shardy's rules have propagated."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from shardlog.explain.hurts import Hurt
from shardlog.ir.shardy.edges import EDGE
from shardlog.ir.shardy.tensor_sharding import TensorSharding
from shardlog.report.columns import pairs, ragged
from shardlog.report.page import page_of
from shardlog.shardy.account import Gain
from shardlog.shardy.lint import lint
from shardlog.shardy.relations import Ground
from shardlog.shardy.session import Asked
from shardlog.shardy.shown import spec
from shardlog.shardy.sizes import bytes_on_device, whole_bytes
from shardlog.shardy.values import count_values
from shardlog.shardy.why import told

__all__ = ["shardy_report_html"]

MOST_FINDINGS = 40
"""How many findings are explained."""


OPTION = " --partitioner shardy"
"""What commands are given so that their answer is about the same run."""


class _Interned:
    """A list of things, each once, with its position."""

    def __init__(self) -> None:
        self.positions: dict[Hashable, int] = {}

    def __call__(self, key: Hashable) -> int:
        return self.positions.setdefault(key, len(self.positions))

    def list(self) -> list[Any]:
        """The things in order."""
        return list(self.positions)


class _Shardings:
    """Shardings by their texts, with what the page shows of them."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.known: dict[str, int] = {}
        self.rows: list[dict[str, Any]] = []

    def __call__(self, sharding: TensorSharding | None) -> int:
        if not isinstance(sharding, TensorSharding):
            return -1
        text = spec(sharding)
        number = self.known.get(text)
        if number is None:
            number = self.known[text] = len(self.rows)
            mesh = self.asked.found.program.mesh_of(sharding)
            dims = [dim.sharded_size(mesh) for dim in sharding.dims]
            split = any(dim.axes for dim in sharding.dims)
            row: dict[str, Any] = {"kind": "tiled" if split else "replicated", "text": text}
            if split:
                row["dims"] = dims
            self.rows.append(row)
        return number


def shardy_report_html(
    asked: Asked, file: str, progress: Callable[[str], None] = lambda _: None
) -> str:
    """Return a report about a propagated program as one HTML page.

    `file` is what the commands in it call the program; `progress` is told what is being done.
    """
    ground = Ground(asked)
    progress("looking for what hurts")
    found = lint(asked, file, limit=MOST_FINDINGS)
    progress("writing the page")
    shardings = _Shardings(asked)
    why: dict[int, str] = {}
    whynot: dict[int, str] = {}
    for finding in found.findings:
        name = finding.names[0]
        if finding.hurt is Hurt.REPLICATED:
            whynot[ground.numbers[name]] = asked.whynot(name).to_text()
        elif finding.hurt in (Hurt.RESHARD, Hurt.UNEVEN):
            why[ground.numbers[name]] = asked.why(name, depth=30).to_text()
    data: dict[str, Any] = {
        "instructions": _values(ground, shardings),
        "records": _records(ground, shardings),
        "computations": _functions(ground),
        "shardings": shardings.rows,
        "provenance": True,
        "answers": {
            "findings": [
                {
                    "kind": str(finding.hurt),
                    "cause": finding.cause,
                    "instructions": [ground.numbers[name] for name in finding.names],
                }
                for finding in found.findings
            ],
            "why": why,
            "whynot": whynot,
            "same": {},
        },
    }
    counts = count_values(asked.finished)
    meshes = "; ".join(f"{name} {mesh.stripped}" for name, mesh in asked.history.meshes.items())
    facts = (
        f"{len(ground.names):,} values of {counts.operations:,} operations in {counts.functions:,} "
        f"functions; {counts.sharded:,} of {counts.values:,} are split. Meshes: {meshes}. The "
        "shardings are those that Shardy's propagation gives."
    )
    name = asked.found.program.module.symbol() or "a program"
    plain = [replace(one, command=one.command.removesuffix(OPTION)) for one in found.findings]
    found = replace(found, findings=tuple(plain))
    return page_of(name, file, facts, (), found, data, OPTION)


def _scope(name: str) -> str:
    return name.rpartition("/")[0].lstrip("@") if name.startswith("@") else "main"


def _values(ground: Ground, shardings: _Shardings) -> dict[str, Any]:
    opcodes, shapes, op_names, sources, scopes = (_Interned() for _ in range(5))
    scopes("main")
    columns: dict[str, list[int]] = {
        key: []
        for key in ("opcode", "shape", "op_name", "source", "sharding", "given", "whole", "device")
    }
    asked = ground.asked
    inside, operands = [], []
    for number, (name, value) in enumerate(zip(ground.names, ground.values, strict=True)):
        origin = asked.names.origin(ground.entities[number])
        final = ground.final(number)
        row = (
            opcodes(origin.opcode),
            shapes(value.type.text),
            op_names(origin.op_name or origin.label),
            sources(origin.source),
            shardings(final),
            shardings(asked.found.given.get(value)),
            whole_bytes(value.type),
            bytes_on_device(value.type, final, ground.meshes),
        )
        for column, one in zip(columns.values(), row, strict=True):
            column.append(one)
        inside.append(scopes(_scope(name)))
        operands.append(list(_operands(ground, number)))
    return {
        "names": ground.names,
        "becomes": {},
        "gone": [],
        "first_leaf": {},
        "computation": pairs(inside),
        "operands": ragged(operands),
        "opcodes": opcodes.list(),
        "shapes": shapes.list(),
        "leaves": [-1] * len(shapes.list()),
        "op_names": op_names.list(),
        "sources": sources.list(),
        **columns,
    }


def _operands(ground: Ground, number: int) -> Iterable[int]:
    op = ground.values[number].op
    for operand in () if op is None else op.operands:
        read, made = operand, operand.op
        if made is not None and made.name == EDGE:
            read = made.operands[0]
        name = ground.name_of.get(read)
        if name is not None:
            yield ground.numbers[name]


def _records(ground: Ground, shardings: _Shardings) -> dict[str, Any]:
    asked = ground.asked
    rules, visits, sentences = (_Interned() for _ in range(3))
    columns: dict[str, list[int]] = {
        key: []
        for key in ("entity", "old", "new", "rule", "visit", "tier", "iteration", "sentence")
    }
    contributors: list[Sequence[int]] = []
    first: dict[int, int] = {}
    steps: dict[tuple[int, int], list[Gain]] = {}
    for number, entity in enumerate(ground.entities):
        first.setdefault(entity, number)
        for gain in asked.account.gains(entity):
            if gain.position >= 0 or gain.source is not None:
                steps.setdefault((gain.position, number), []).append(gain)
    # in the order of the run: a step shows what it rested on as it was then
    for (position, number), gains in sorted(steps.items(), key=lambda item: item[0]):
        entity = ground.entities[number]
        record = asked.history.records[position] if position >= 0 else None
        says, details = told(tuple(gains), asked.account, asked.names)
        columns["entity"].append(number)
        columns["old"].append(-1 if record is None else shardings(_closed(record.old)))
        new = asked.history.start[entity] if record is None else record.new
        columns["new"].append(shardings(_closed(new)))
        columns["rule"].append(rules(gains[0].rule))
        columns["visit"].append(visits(str(gains[0].how)))
        columns["tier"].append(-1 if gains[0].level is None else gains[0].level)
        columns["iteration"].append(0 if record is None else record.iteration)
        columns["sentence"].append(sentences("; ".join([says, *details])))
        sources = [first[one.source] for one in gains if one.source in first]
        contributors.append([one for one in dict.fromkeys(sources) if one != number])
    return {
        **columns,
        "contributors": ragged(contributors),
        "mentions": ragged([() for _ in contributors]),
        "rules": rules.list(),
        "visits": visits.list(),
        "sentences": sentences.list(),
    }


def _closed(sharding: TensorSharding | None) -> TensorSharding | None:
    """A sharding as values leave with it: which dimensions are open is no matter then."""
    return None if sharding is None else TensorSharding(sharding.mesh, sharding.closed().dims)


def _functions(ground: Ground) -> dict[str, Any]:
    names = ["main"]
    parameters: list[list[int]] = [[]]
    roots = [0]
    for number, name in enumerate(ground.names):
        scope = _scope(name)
        if scope not in names:
            names.append(scope)
            parameters.append([])
            roots.append(number)
        place = names.index(scope)
        roots[place] = number
        value = ground.values[number]
        if value.op is None and value.owner.name != "stablehlo.while":
            parameters[place].append(number)
    return {
        "names": names,
        "entry": 0,
        "roots": roots,
        "parameters": parameters,
        "callers": [-1] * len(names),
    }
