"""Op sharding rules: which dimensions of an operation's operands and results belong together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from shardlog.ir.errors import InputError
from shardlog.ir.interned import Interned

__all__ = ["KINDS", "Factor", "OpRule", "factor_symbol", "op_rule_of", "parse_op_rule"]

KINDS = ("pass", "reduction", "need_replication", "permutation")
NOWHERE = -1


class Factor(metaclass=Interned):
    """A loop index of an operation, before it has a number.

    `places` names the dimension at which it stands in each operand, then in each result, -1 where
    it is not; `kind` is one of KINDS; nothing propagates along a `blocked` one. Equal ones are one
    object.
    """

    __slots__ = ("blocked", "kind", "places", "size")

    places: tuple[int, ...]
    size: int
    kind: str
    blocked: bool

    def __init__(self, places: tuple[int, ...], size: int, kind: str, blocked: bool) -> None:
        self.places = places
        self.size = size
        self.kind = kind
        self.blocked = blocked

    def __repr__(self) -> str:
        return f"<Factor {self.places} of {self.size}, {self.kind}>"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return Factor, (self.places, self.size, self.kind, self.blocked)


class OpRule(metaclass=Interned):
    """The factors of an operation and the factors, major first, of each dimension of each tensor.

    `slots` has operands first, then results; `operand_count` tells how many are operands. Equal
    ones are one object. Follows sdy::OpShardingRuleAttr.
    """

    __slots__ = ("blocked", "kinds", "operand_count", "sizes", "slots")

    sizes: tuple[int, ...]
    kinds: tuple[str, ...]
    blocked: frozenset[int]
    slots: tuple[tuple[tuple[int, ...], ...], ...]
    operand_count: int

    def __init__(
        self,
        sizes: tuple[int, ...],
        kinds: tuple[str, ...],
        blocked: frozenset[int],
        slots: tuple[tuple[tuple[int, ...], ...], ...],
        operand_count: int,
    ) -> None:
        self.sizes = sizes
        self.kinds = kinds
        self.blocked = blocked
        self.slots = slots
        self.operand_count = operand_count

    def __str__(self) -> str:
        def side(slots: Sequence[tuple[tuple[int, ...], ...]]) -> str:
            shown = ("".join(f"{factor_symbol(f)}" for f in dim) for slot in slots for dim in slot)
            it = iter(list(shown))
            return f"({', '.join('[' + ', '.join(next(it) for _ in slot) + ']' for slot in slots)})"

        sizes = ", ".join(f"{factor_symbol(n)}={size}" for n, size in enumerate(self.sizes))
        text = f"{side(self.slots[: self.operand_count])}->{side(self.slots[self.operand_count :])}"
        text += f" {{{sizes}}}" if sizes else ""
        lists = [(word, [n for n, k in enumerate(self.kinds) if k == word]) for word in KINDS[1:]]
        lists.append(("blocked_propagation", sorted(self.blocked)))
        for word, factors in lists:
            if factors:
                text += f" {word}={{{', '.join(map(factor_symbol, factors))}}}"
        return text

    def __repr__(self) -> str:
        return f"<OpRule {self}>"

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return OpRule, (self.sizes, self.kinds, self.blocked, self.slots, self.operand_count)


def op_rule_of(factors: tuple[Factor, ...], ranks: tuple[int, ...], operand_count: int) -> OpRule:
    """Return the rule that has these factors, in this order.

    A factor of size 1 is left out of a dimension that has one already; a dimension without any gets
    one of size 1. Follows OpShardingRuleBuilder.
    """
    slots: list[list[list[int]]] = [[[] for _ in range(rank)] for rank in ranks]
    for number, factor in enumerate(factors):
        for slot, dim in zip(slots, factor.places, strict=True):
            if dim != NOWHERE and (factor.size != 1 or not slot[dim]):
                slot[dim].append(number)
    sizes = [factor.size for factor in factors]
    for slot in slots:
        for dims in slot:
            if not dims:
                dims.append(len(sizes))
                sizes.append(1)
    kinds = [factor.kind for factor in factors] + ["pass"] * (len(sizes) - len(factors))
    blocked = frozenset(n for n, factor in enumerate(factors) if factor.blocked)
    shown = tuple(tuple(map(tuple, slot)) for slot in slots)
    return OpRule(tuple(sizes), tuple(kinds), blocked, shown, operand_count)


_RULE = re.compile(
    r"(?:#sdy\.op_sharding_rule)?<?\((?P<operands>.*?)\)\s*->\s*\((?P<results>.*?)\)\s*"
    r"(?:\{(?P<sizes>[^}]*)\})?(?P<rest>[^>]*)>?",
    re.DOTALL,
)
_SYMBOL = re.compile(r"z_\d+|[i-z]")
_LIST = re.compile(r"(\w+)=\{([^}]*)\}")


def factor_symbol(factor: int) -> str:
    """The name of a factor: i to z, then z_1 and so on. Follows factorSymbolString."""
    return chr(ord("i") + factor) if factor <= 17 else f"z_{factor - 17}"


def _number(symbol: str) -> int:
    return 17 + int(symbol[2:]) if symbol.startswith("z_") else ord(symbol) - ord("i")


def parse_op_rule(text: str) -> OpRule:
    """Return the rule of a text such as `#sdy.op_sharding_rule<([i, j])->([j, i]) {i=8, j=4}>`.

    Raises InputError.
    """
    found = _RULE.fullmatch(text.strip())
    if found is None:
        raise InputError("unreadable op sharding rule", found=text[:40])
    entries = dict(part.split("=") for part in re.findall(r"[\w]+=\d+", found["sizes"] or ""))
    sizes = [0] * len(entries)
    try:
        for symbol, size in entries.items():
            sizes[_number(symbol)] = int(size)
    except IndexError:
        raise InputError("an op sharding rule skips a factor", found=text[:40]) from None
    kinds, blocked = ["pass"] * len(sizes), frozenset[int]()
    for word, symbols in _LIST.findall(found["rest"]):
        factors = [_number(symbol) for symbol in _SYMBOL.findall(symbols)]
        if word == "blocked_propagation":
            blocked = frozenset(factors)
        elif word in KINDS:
            for factor in factors:
                kinds[factor] = word
        else:
            raise InputError(f"an op sharding rule has no {word!r}", found=text[:40])
    operands, results = _slots(found["operands"]), _slots(found["results"])
    return OpRule(tuple(sizes), tuple(kinds), blocked, operands + results, len(operands))


def _slots(text: str) -> tuple[tuple[tuple[int, ...], ...], ...]:
    return tuple(
        tuple(
            tuple(_number(symbol) for symbol in _SYMBOL.findall(dim))
            for dim in slot.split(",")
            if dim.strip()
        )
        for slot in re.findall(r"\[([^\]]*)\]", text)
    )
