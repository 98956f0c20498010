"""Base facts about operations: what their op sharding rules are derived from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shardlog.converters.facts import FactSink
from shardlog.converters.mlir import Attribute, flattened
from shardlog.ir.shardy.op_rule import OpRule, parse_op_rule
from shardlog.ir.shardy.program import Operation, Value

__all__ = ["OP_VOCABULARY", "SHARDING_RULE", "op_facts", "opcode_of"]

SHARDING_RULE = "sdy.sharding_rule"
ABSENT: Mapping[str, Mapping[str, Attribute]] = {
    "dot_general": {
        "lhs_batching_dimensions": (),
        "rhs_batching_dimensions": (),
        "lhs_contracting_dimensions": (),
        "rhs_contracting_dimensions": (),
    },
    "gather": {
        "offset_dims": (),
        "collapsed_slice_dims": (),
        "operand_batching_dims": (),
        "start_indices_batching_dims": (),
        "index_vector_dim": 0,
    },
    "scatter": {
        "update_window_dims": (),
        "inserted_window_dims": (),
        "input_batching_dims": (),
        "scatter_indices_batching_dims": (),
        "index_vector_dim": 0,
    },
    "sort": {"dimension": -1},
}
"""What is not printed of an attribute with fields, and values of attributes that may be absent."""

SUMMED = frozenset({"add", "multiply", "maximum", "minimum"})
LOGICAL = frozenset({"and", "or"})

OP_VOCABULARY: dict[str, tuple[int, bool]] = {
    "opcode": (2, True),
    "operand_count": (2, True),
    "ranks": (2, True),
    "shapes": (2, True),
    "given_rule": (2, True),
    "combiner": (2, True),
    "identity": (1, False),
    "number": (1, False),
    "operand_place": (2, False),
    "attribute": (3, True),
    "element": (4, True),
    "definer": (3, True),
    "source": (3, True),
    "result_dim": (3, True),
    "extent": (4, True),
}
"""(number of terms, whether the last is the value of the others) of each base relation."""


def opcode_of(op: Operation) -> str:
    """Return the name of an operation, without the dialect if that is StableHLO."""
    return op.name.removeprefix("stablehlo.")


def op_facts(
    ops: Sequence[Operation],
    numbers: Mapping[Value, int],
    facts: FactSink,
    others: int = 0,
    sources_of: Mapping[Operation, Sequence[Value]] | None = None,
) -> None:
    """Put the facts about operations into `facts`; entity N is `ops[N]`.

    `numbers` numbers the values that operations read, for `source`; `others` is the number of
    entities behind the operations; `sources_of` has what some operations take for their operands,
    which are then only joined. Raises InputError for an op sharding rule that cannot be read.
    """
    joining = {} if sources_of is None else sources_of
    place = {op: number for number, op in enumerate(ops)}
    none: list[Any] = [None] * others
    attributes: list[tuple[int, str, Attribute]] = []
    elements: list[tuple[int, str, int, int]] = []
    extents: list[tuple[int, int, int, int]] = []
    definers: list[tuple[int, int, int]] = []
    sources: list[tuple[int, int, int]] = []
    places: list[tuple[int, int]] = []
    opcodes, counts, ranks, shapes, rules, combiners, results = [], [], [], [], [], [], []
    longest = 0
    for number, op in enumerate(ops):
        code = opcode_of(op)
        opcodes.append(code)
        operands = joining.get(op, op.operands)
        slots = [*operands, *op.results]
        sizes = tuple(value.type.shape or () for value in slots)
        counts.append(len(operands))
        shapes.append(sizes)
        ranks.append(tuple(map(len, sizes)))
        results.append((op.results[0].type.shape or ()) if op.results else ())
        longest = max(longest, *(len(size) for size in sizes), 0)
        rules.append(_given(op))
        combiners.append(_combiner(op) if code == "scatter" else None)
        for name, told in _attributes(op, code).items():
            attributes.append((number, name, told))
            if isinstance(told, tuple):
                elements += [(number, name, n, one) for n, one in enumerate(told)]
        if code in CONTROL:
            continue
        extents += [(number, t, d, z) for t, size in enumerate(sizes) for d, z in enumerate(size)]
        for operand, value in enumerate(operands):
            places.append((number, operand))
            if value.op is not None and value.op in place:
                definers.append((number, operand, place[value.op]))
            if value in numbers:
                sources.append((number, operand, numbers[value]))
    facts.functional("opcode", opcodes + none)
    facts.functional("operand_count", counts + none)
    facts.functional("ranks", ranks + none)
    facts.functional("shapes", shapes + none)
    facts.functional("given_rule", rules + none)
    facts.functional("combiner", combiners + none)
    facts.indexed("result_dim", results + [()] * others)
    facts.table("attribute", attributes, 3, True)
    facts.table("element", elements, 4, True)
    facts.table("extent", extents, 4, True)
    facts.table("definer", definers, 3, True)
    facts.table("source", sources, 3, True)
    facts.table("operand_place", places, 2)
    facts.table("number", [(n,) for n in range(3 * longest + 1)], 1)
    facts.table("identity", [(n,) for n, op in enumerate(ops) if op in joining], 1)


CONTROL = frozenset(
    {
        "while",
        "case",
        "if",
        "optimization_barrier",
        "return",
        "func.return",
        "func.func",
        "func.call",
        "sdy.return",
        "sdy.manual_computation",
        "sdy.named_computation",
        "builtin.module",
        "tuple",
    }
)
"""Operations that have no factors however many operands they have."""


def _given(op: Operation) -> OpRule | None:
    text = op.attributes.get(SHARDING_RULE)
    return None if text is None else parse_op_rule(text)


def _attributes(op: Operation, code: str) -> dict[str, Attribute]:
    found: dict[str, Attribute] = dict(ABSENT.get(code, {}))
    for entries in (op.properties, op.attributes):
        for name, text in entries.items():
            if len(text) < 2000 or code in ("convolution", "pad"):
                found.update(flattened(name, text))
    return found


def _combiner(op: Operation) -> str | None:
    """The op by which a scatter combines, if it is one of those that can be summed up in parts.

    Follows getCommonSupportedReductionOp.
    """
    count = len(op.operands) // 2
    block = op.regions[0]
    last = block.terminator
    if len(block.arguments) != 2 * count or len(last.operands) != count:
        return None
    names = set()
    for place, value in enumerate(last.operands):
        made = value.op
        if made is None or len(made.operands) != 2:
            return None
        code = opcode_of(made)
        logical = code in LOGICAL and value.type.element == "i1"
        if code not in SUMMED and not logical:
            return None
        wanted = {block.arguments[place], block.arguments[place + count]}
        if set(made.operands) != wanted:
            return None
        names.add(code)
    return names.pop() if len(names) == 1 else None
