"""A finished run as columns of small numbers, which a page can hold and a script can read.

Each kind of text (names, shapes, shardings, ...) stands once in a list; instructions and records
are columns of positions in these lists. -1 is "none" everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from shardlog.explain.run import Run
from shardlog.explain.sizes import bytes_on_device
from shardlog.ir.shape import Shape
from shardlog.ir.sharding import HloSharding
from shardlog.sentences import Sentences

__all__ = ["columns", "pairs", "ragged"]

_REFERENCE = "\x00"
"""What stands in a sentence for the name of an instruction; no rule file can hold it."""


class _Interned:
    """A list of texts or other things, each once, with its position."""

    def __init__(self) -> None:
        self.positions: dict[Hashable, int] = {}

    def __call__(self, key: Hashable) -> int:
        return self.positions.setdefault(key, len(self.positions))

    def __iter__(self) -> Any:
        return iter(self.positions)


class _Shardings:
    """Shardings by identity, with what the page shows of them."""

    def __init__(self, show: Callable[[str], str]) -> None:
        self.show = show
        self.known: dict[HloSharding, int] = {}
        self.rows: list[dict[str, Any]] = []

    def __call__(self, sharding: HloSharding | None) -> int:
        if sharding is None:
            return -1
        number = self.known.get(sharding)
        if number is None:
            elements = [self(one) for one in sharding.elements] if sharding.is_tuple else []
            number = self.known[sharding] = len(self.rows)
            if sharding.is_tuple:
                self.rows.append({"kind": "tuple", "elements": elements})
            else:
                row: dict[str, Any] = {
                    "kind": sharding.kind,
                    "text": self.show(str(sharding)),
                }
                if sharding.kind == "tiled":
                    row["dims"] = list(sharding.tile.dims[: sharding.tiled_data_rank])
                self.rows.append(row)
        return number


def columns(run: Run, show: Callable[[str], str] = str) -> dict[str, Any]:
    """Return a run as columns, ready for JSON; `show` changes the texts of shardings."""
    shardings = _Shardings(show)
    return {
        "instructions": _instructions(run, shardings),
        "records": _records(run, shardings),
        "computations": _computations(run),
        "shardings": shardings.rows,
    }


def _instructions(run: Run, shardings: _Shardings) -> dict[str, Any]:
    opcodes, shapes, op_names, sources = (_Interned() for _ in range(4))
    entities = run.entities
    kept = {x for computation in run.outcome.module.computations for x in computation.instructions}
    origins = _origins(run)
    facts = run.outcome.saturated.facts
    sizes: dict[tuple[Shape, HloSharding | None], tuple[int, int]] = {}
    names, shape_list = [], list[Shape]()
    columns: dict[str, list[int]] = {
        key: []
        for key in ("opcode", "shape", "op_name", "source", "sharding", "given", "whole", "device")
    }
    becomes, elements, gone = {}, {}, []
    for number, instruction in enumerate(entities):
        op_name, source = origins(number)
        shape, sharding = instruction.shape, instruction.sharding
        names.append(run.name(number))
        if instruction.name != names[-1]:
            becomes[number] = instruction.name
        if instruction not in kept:
            gone.append(number)
        position = shapes(shape)
        if position == len(shape_list):
            shape_list.append(shape)
        known = sizes.get((shape, sharding))
        if known is None:
            known = bytes_on_device(shape, None), bytes_on_device(shape, sharding)
            sizes[shape, sharding] = known
        row = (
            opcodes(run.opcode(number)),
            position,
            op_names(op_name),
            sources(source),
            shardings(sharding),
            shardings(run.outcome.given[number]),
            *known,
        )
        for column, value in zip(columns.values(), row, strict=True):
            column.append(value)
        if instruction.opcode == "get-tuple-element" and instruction.operands:
            whole = instruction.operands[0].shape.elements
            before = whole[: instruction.tuple_index or 0]
            elements[number] = sum(one.leaf_count for one in before)
    return {
        "names": names,
        "becomes": becomes,
        "gone": gone,
        "first_leaf": elements,
        "computation": pairs(facts.columns["inside"]),
        "operands": ragged(facts.rows["operand"]),
        "opcodes": list(opcodes),
        "shapes": [str(shape) for shape in shape_list],
        "leaves": [shape.leaf_count if shape.is_tuple else -1 for shape in shape_list],
        "op_names": list(op_names),
        "sources": list(sources),
        **columns,
    }


def _origins(run: Run) -> Callable[[int], tuple[str, str]]:
    """What tells op_name and source of an instruction, which many share."""
    known: dict[str | None, tuple[str, str]] = {}

    def of(number: int) -> tuple[str, str]:
        key = run.entities[number].attribute("metadata")
        found = known.get(key)
        if found is None:
            origin = run.origin(number)
            found = known[key] = origin.op_name, origin.source
        return found

    return of


def _records(run: Run, shardings: _Shardings) -> dict[str, Any]:
    rules, visits, sentences = _Interned(), _Interned(), _Interned()
    mentioned: list[int] = []

    def mention(number: int) -> str:
        mentioned.append(number)
        return _REFERENCE

    teller = Sentences(run.outcome.saturated, mention)
    columns: dict[str, list[int]] = {
        key: []
        for key in ("entity", "old", "new", "rule", "visit", "tier", "iteration", "sentence")
    }
    contributors, references = [], []
    for record in run.records:
        mentioned.clear()
        says = shardings.show(teller.of(record))
        row = (
            record.entity,
            shardings(record.old),
            shardings(record.new),
            rules(record.rule.name),
            visits(record.visit),
            -1 if record.value is None else record.value,
            record.iteration,
            sentences(says),
        )
        for column, value in zip(columns.values(), row, strict=True):
            column.append(value)
        contributors.append([c for c in dict.fromkeys(record.contributors) if c != record.entity])
        references.append(tuple(mentioned))
    return {
        **columns,
        "contributors": ragged(contributors),
        "mentions": ragged(references),
        "rules": list(rules),
        "visits": list(visits),
        "sentences": list(sentences),
    }


def _computations(run: Run) -> dict[str, Any]:
    """Names, roots, parameters and callers; `runs` are those that are no part of a reduce or sort.

    A caller is one instruction of those that call a computation, -1 if a reduce or the like does.
    """
    module, facts = run.outcome.module, run.outcome.saturated.facts
    count = len(module.computations)
    parameters: list[list[int]] = [[] for _ in range(count)]
    for number, instruction in enumerate(run.entities):
        if instruction.opcode == "parameter":
            parameters[facts.columns["inside"][number]].append(number)
    callers = [-1] * count
    for caller, _, computation in facts.tables["calls"].rows:
        if run.inquiry.value("caller", computation) is not None:
            callers[int(str(computation))] = int(str(caller))
    return {
        "names": [computation.name for computation in module.computations],
        "entry": next(n for n, c in enumerate(module.computations) if c.is_entry),
        "roots": [run.inquiry.value("root", number) for number in range(count)],
        "parameters": parameters,
        "callers": callers,
    }


def pairs(column: Iterable[int]) -> list[int]:
    """A column with long runs of equal values as value, count, value, count, ..."""
    pairs: list[int] = []
    for value in column:
        if pairs and pairs[-2] == value:
            pairs[-1] += 1
        else:
            pairs += (value, 1)
    return pairs


def ragged(rows: Iterable[Sequence[int]]) -> dict[str, list[int]]:
    """Rows of different length, each number as its distance to the number of its row."""
    counts, flat = [], []
    for number, row in enumerate(rows):
        counts.append(len(row))
        flat += [one - number for one in row]
    return {"counts": counts, "flat": flat}
