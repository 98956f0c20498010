"""The values of a program, counted and listed with their shardings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from shardlog.converters.shardy.export import export_sharding
from shardlog.ir.shardy.edges import manual_axes_of
from shardlog.ir.shardy.program import Operation, Program, Value
from shardlog.ir.shardy.tensor_sharding import TensorSharding

__all__ = ["ValueCounts", "count_values", "value_rows"]


MANUAL = "sdy.manual_computation"


@dataclass(frozen=True)
class ValueCounts:
    """How large a program is, and how many of its values have a sharding with axes.

    Values are results and arguments that are tensors with dimensions; those within the regions of
    reductions and the like are none of them.
    """

    operations: int
    functions: int
    values: int
    sharded: int


def _walk(op: Operation, path: str = "") -> Iterator[tuple[str, Operation, Value]]:
    """Yield the values of an operation and of what is in it, with the operation's place."""
    for value in op.results:
        yield path, op, value
    for region, block in enumerate(op.regions):
        within = f"{path}.{region}" if len(op.regions) > 1 else path
        for argument in block.arguments:
            yield within, op, argument
        for place, inner in enumerate(block.ops):
            yield from _walk(inner, f"{within}/{place}")


def count_values(program: Program) -> ValueCounts:
    """Return how large a program is and how much of it is sharded."""
    found = [value for _, _, value in _walk(program.module) if value.type.shape]
    sharded = sum(value.sharding is not None and value.sharding.has_axes for value in found)
    operations = sum(1 for _ in program.module.walk()) - 1
    return ValueCounts(operations, len(program.functions), len(found), sharded)


def _shown(
    sharding: TensorSharding | None, program: Program, manual: Sequence[str]
) -> dict[str, str | None]:
    if sharding is None:
        return {"sharding": None, "hlo": None}
    hlo = export_sharding(sharding, program.meshes, manual)
    return {"sharding": str(sharding), "hlo": str(hlo)}


def _manual_around(value: Value) -> list[str]:
    """The manual axes where a value stands.

    What goes into a manual computation is told from outside, as its arguments' shardings are.
    """
    op = value.owner
    around = op.ancestors() if value.op is not None or op.name == MANUAL else (op, *op.ancestors())
    return [axis for one in around for axis in manual_axes_of(one).names]


def value_rows(program: Program) -> list[dict[str, str | int | None]]:
    """Return one row for each value of each function, and one for each result of main.

    A row has the function, the place of the operation in it (`/3.1/0` is the first in region 1 of
    the fourth), what it is, which result or argument, its type, its sharding and the HloSharding
    that this becomes, within a manual computation with the manual axes. Raises InputError as
    `export_sharding` does.
    """
    rows: list[dict[str, str | int | None]] = []
    for name, function in program.functions.items():
        for path, op, value in _walk(function):
            if value.type.shape is None:
                continue
            rows.append(
                {
                    "function": name,
                    "path": path,
                    "op": op.name,
                    "what": "result" if value.op is not None else "argument",
                    "index": value.index,
                    "type": value.type.text,
                    **_shown(value.sharding, program, _manual_around(value)),
                }
            )
        for place, sharding in enumerate(function.result_shardings):
            returned = function.regions[0].terminator.operands[place]
            rows.append(
                {
                    "function": name,
                    "path": "",
                    "op": "func.func",
                    "what": "function result",
                    "index": place,
                    "type": returned.type.text,
                    **_shown(sharding, program, ()),
                }
            )
    return rows
