"""Base facts about operations: what their op sharding rules are derived from."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from shardlog.converters.facts import FactSink
from shardlog.converters.mlir import Attribute, flattened
from shardlog.ir.interned import Interned
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
    "op_kind": (2, True),
    "opcode": (2, True),
    "operand_count": (2, True),
    "ranks": (2, True),
    "shapes": (2, True),
    "given_rule": (2, True),
    "combiner": (2, True),
    "identity": (1, False),
    "number": (2, False),
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
    which are then only joined. What an operation says itself hangs on its kind, and is read once
    for all operations of that. Raises InputError for an op sharding rule that cannot be read.
    """
    joining = {} if sources_of is None else sources_of
    kinds = _kinds(ops, joining)
    for kind in set(kinds):
        # what cannot be read is said before anything runs
        assert kind is None or kind.given_rule is None or kind.opcode
    kinds += [None] * others
    facts.functional("op_kind", kinds)
    for name in ("opcode", "operand_count", "ranks", "shapes", "given_rule", "combiner"):
        facts.lazy(name, _of_kinds(kinds, attrgetter(name)))
        facts.tell(name)
    for name, terms, functional in BY_KIND:
        facts.by_kind(name, kinds, attrgetter(f"{name}_rows"), terms, functional)
    place: dict[Operation, int] = {}

    def read(entity: int) -> Sequence[Value]:
        """The operands of an operation that has factors."""
        if entity >= len(ops) or opcode_of(ops[entity]) in CONTROL:
            return ()
        return joining.get(ops[entity], ops[entity].operands)

    def definers(entity: int) -> list[tuple[int, int]]:
        if not place:
            place.update(zip(ops, range(len(ops)), strict=True))
        makers = [(operand, value.op) for operand, value in enumerate(read(entity))]
        return [(operand, place[op]) for operand, op in makers if op is not None and op in place]

    def sources(entity: int) -> list[tuple[int, int]]:
        operands = enumerate(read(entity))
        return [(operand, numbers[value]) for operand, value in operands if value in numbers]

    count = len(ops) + others
    facts.by_entity("definer", count, definers, 3, True)
    facts.by_entity("source", count, sources, 3, True)
    facts.table("identity", [(n,) for n, op in enumerate(ops) if op in joining], 1)


BY_KIND = (
    ("operand_place", 2, False),
    ("number", 2, False),
    ("attribute", 3, True),
    ("element", 4, True),
    ("result_dim", 3, True),
    ("extent", 4, True),
)
"""Relations of which all operations of a kind have the same rows: terms, and whether functional."""


class OpKind(metaclass=Interned):
    """What an operation says, whatever it stands between; equal kinds are one object.

    `shapes` has those of operands, then of results; `said` the texts of its attributes.
    """

    __slots__ = ("combiner", "opcode", "operand_count", "said", "shapes")

    opcode: str
    operand_count: int
    shapes: tuple[tuple[int, ...], ...]
    said: tuple[tuple[str, str], ...]
    combiner: str | None

    def __init__(
        self,
        opcode: str,
        operand_count: int,
        shapes: tuple[tuple[int, ...], ...],
        said: tuple[tuple[str, str], ...],
        combiner: str | None,
    ) -> None:
        self.opcode, self.operand_count, self.shapes = opcode, operand_count, shapes
        self.said, self.combiner = said, combiner

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return OpKind, (self.opcode, self.operand_count, self.shapes, self.said, self.combiner)

    @property
    def ranks(self) -> tuple[int, ...]:
        """The rank of each operand, then of each result."""
        return tuple(map(len, self.shapes))

    @property
    def given_rule(self) -> OpRule | None:
        """The op sharding rule that the operation brings with it, or None."""
        text = dict(self.said).get(SHARDING_RULE)
        return None if text is None else parse_op_rule(text)

    @property
    def attribute_rows(self) -> list[tuple[str, Attribute]]:
        """The values of attributes by name."""
        found: dict[str, Attribute] = dict(ABSENT.get(self.opcode, {}))
        for name, text in self.said:
            if len(text) < 2000 or self.opcode in ("convolution", "pad"):
                found.update(flattened(name, text))
        return list(found.items())

    @property
    def element_rows(self) -> list[tuple[str, int, int]]:
        """The members of attributes that are lists."""
        return [
            (name, place, one)
            for name, told in self.attribute_rows
            if isinstance(told, tuple)
            for place, one in enumerate(told)
        ]

    @property
    def operand_place_rows(self) -> list[tuple[int]]:
        """The places of operands."""
        return [] if self.opcode in CONTROL else [(n,) for n in range(self.operand_count)]

    @property
    def number_rows(self) -> list[tuple[int]]:
        """Numbers from 0 on, more than there can be factors."""
        return [(n,) for n in range(3 * max(self.ranks, default=0) + 1)]

    @property
    def result_dim_rows(self) -> list[tuple[int, int]]:
        """The sizes of the dimensions of the first result."""
        return list(enumerate(dict(enumerate(self.shapes)).get(self.operand_count, ())))

    @property
    def extent_rows(self) -> list[tuple[int, int, int]]:
        """The sizes of the dimensions of operands and results."""
        if self.opcode in CONTROL:
            return []
        return [(t, d, z) for t, size in enumerate(self.shapes) for d, z in enumerate(size)]


def _of_kinds(
    kinds: Sequence[OpKind | None], value: Callable[[OpKind], Any]
) -> Callable[[int], Any]:
    def of(entity: int) -> Any:
        kind = kinds[entity]
        return None if kind is None else value(kind)

    return of


def _kinds(
    ops: Sequence[Operation], joining: Mapping[Operation, Sequence[Value]]
) -> list[OpKind | None]:
    """The kind of each operation."""
    found: list[OpKind | None] = []
    known: dict[Hashable, OpKind] = {}
    for op in ops:
        operands = joining.get(op, op.operands) if joining else op.operands
        said = (*op.properties.items(), *op.attributes.items())
        if op.name in CONSTANTS:
            # what a constant holds has no bearing on how it is split, and differs everywhere
            said = tuple([one for one in said if one[0] != "value"])
        # types that are alike are mostly one object, and quickly found
        key = (
            op.name,
            len(operands),
            *[value.type for value in operands],
            *[value.type for value in op.results],
            *said,
        )
        kind = known.get(key)
        if kind is None:
            kind = _kind(op, operands, said)
            if op.name != "stablehlo.scatter":
                known[key] = kind
        found.append(kind)
    return found


def _kind(op: Operation, operands: Sequence[Value], said: tuple[tuple[str, str], ...]) -> OpKind:
    shapes = tuple([value.type.shape or () for value in (*operands, *op.results)])
    # what a scatter does with its updates stands in its region
    combiner = _combiner(op) if op.name == "stablehlo.scatter" else None
    return OpKind(opcode_of(op), len(operands), shapes, said, combiner)


CONSTANTS = frozenset({"stablehlo.constant", "sdy.constant"})
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
