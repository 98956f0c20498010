"""A constant for each of its users, so that each may be sharded as its user needs it."""

from __future__ import annotations

from shardlog.converters.shardy.call_graph import (
    CALL,
    Symbols,
    callee_of,
    clone_function,
    original_name,
    with_callees_first,
)
from shardlog.ir.shardy.program import Operation, Program, Value, drop_all

__all__ = ["ELEMENTWISE", "split_constants"]

_OF_STABLEHLO = """
abs add and atan2 cbrt ceil clamp compare complex convert cosine count_leading_zeros divide
exponential exponential_minus_one floor imag is_finite log log_plus_one logistic maximum minimum
multiply negate not or popcnt power real reduce_precision remainder round_nearest_afz
round_nearest_even rsqrt select shift_left shift_right_arithmetic shift_right_logical sign sine
sqrt subtract tan tanh xor
"""
_OF_CHLO = """
acos acosh asin asinh atan atanh bessel_i1e conj cosh digamma erf erf_inv erfc is_inf is_neg_inf
is_pos_inf lgamma next_after polygamma sinh square tan zeta
"""
ELEMENTWISE = frozenset(f"stablehlo.{name}" for name in _OF_STABLEHLO.split()) | frozenset(
    f"chlo.{name}" for name in _OF_CHLO.split()
)
"""Operations that MLIR holds for elementwise and free of effects."""

MADE = frozenset({"sdy.constant", "stablehlo.iota"})
PLAIN = ELEMENTWISE | {"stablehlo.broadcast_in_dim", "stablehlo.reshape", "stablehlo.slice"}
"""Operations that make constants of constants, wherever they stand."""
GROUP = "sdy.sharding_group"


def split_constants(program: Program) -> None:
    """Clone constants, what is computed of constants only, and broadcasts of scalars per user.

    Follows sdy-constant-or-scalar-splitter.
    """
    for op in program.module.walk():
        if op.name == "stablehlo.constant":
            op.name = "sdy.constant"
    changing: set[str] = set()
    symbols = Symbols(program)
    for function in with_callees_first(program):
        named = [one for one in function.walk_inner_first() if one.name == "sdy.named_computation"]
        for region in (*named, function):
            if region.regions:
                _Splitter(symbols, function, region, changing).run()


class _Splitter:
    """Splits the constants in a region of a function: in all of it or in a named computation.

    `changing` names functions that are no constants.
    """

    def __init__(
        self, symbols: Symbols, function: Operation, region: Operation, changing: set[str]
    ) -> None:
        self.symbols, self.region, self.changing = symbols, region, changing
        self.names = {original_name(function)}
        if region is not function:
            self.names.add(region.symbol("name"))
        self.program = symbols.program
        self.constants: dict[Operation, None] = {}
        self.expansions: dict[Operation, None] = {}

    def run(self) -> None:
        for block in self.region.regions:
            for op in list(block.ops):
                self.walk(op)
        gone = []
        for op in (*self.expansions, *reversed(self.constants)):
            users = [use.op for result in op.results for use in result.uses]
            if all(user.name == GROUP for user in users):
                for user in users:
                    user.erase()
                op.forget_operands()
                gone.append(op)
        drop_all(gone)

    def walk(self, op: Operation) -> None:
        self.process(op)
        if op.regions and op.name != "sdy.named_computation":
            for block in op.regions:
                for inner in list(block.ops):
                    self.walk(inner)

    def process(self, op: Operation) -> None:
        if op.name in ("func.func", GROUP):
            return
        preserves = op.name in PLAIN or self.preserves(op)
        if op.name in MADE or (preserves and self.made_of_constants(op)):
            self.constants[op] = None
            return
        if not preserves and not op.is_terminator:
            self.changing |= self.names
        if op.name == "stablehlo.broadcast_in_dim" and op.operands[0].type.is_scalar:
            self.expansions[op] = None
            return
        for place, value in enumerate(op.operands):
            made = value.op
            if made is not None and (made in self.constants or made in self.expansions):
                op.set_operand(place, self.cloned(value))

    def made_of_constants(self, op: Operation) -> bool:
        return all(value.op is not None and value.op in self.constants for value in op.operands)

    def preserves(self, op: Operation) -> bool:
        """Whether an operation beside those of PLAIN makes constants of constants."""
        if op.name == CALL:
            return original_name(callee_of(op, self.program)) not in self.changing
        if op.name == "sdy.named_computation":
            return op.symbol("name") not in self.changing
        if op.name == "stablehlo.bitcast_convert":
            return op.operands[0].type.shape == op.results[0].type.shape
        return False

    def cloned(self, value: Value) -> Value:
        """A copy of a value with all that it is computed of; a scalar as it is."""
        if value.type.is_scalar:
            return value
        mapping: dict[Value, Value] = {}
        self.clone(value, mapping)
        return mapping[value]

    def clone(self, value: Value, mapping: dict[Value, Value]) -> None:
        op = value.op
        if op is None or value.type.is_scalar or value in mapping:
            return
        for operand in op.operands:
            self.clone(operand, mapping)
        made = op.clone(mapping)
        assert op.parent is not None
        op.parent.add(made, op.parent.place(op))
        if made.name == CALL:
            name = clone_function(callee_of(made, self.program), self.symbols)
            made.properties["callee"] = f"@{name}"
        for use in value.uses:
            if use.op.name == GROUP:
                op.parent.add(use.op.clone(mapping), op.parent.place(op))
