"""Which dimensions of which values belong together: through the factors of operations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from shardlog.converters.shardy.groups import GROUP, group_id
from shardlog.ir.shardy.edges import holder_of
from shardlog.shardy.history import History

__all__ = ["Link", "Links"]


@dataclass(frozen=True)
class Link:
    """That a dimension of one slot of an operation is a dimension of another, along a factor.

    Of the values of a sharding group there is neither operation nor factor.
    """

    op: int | None
    factor: int
    slot: int
    dim: int
    other_slot: int
    other: int
    other_dim: int


class Links:
    """The operations at each value, and how they tie dimensions."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.at: dict[int, list[tuple[int, int]]] = {}
        """The (operation, slot) pairs at which each value stands."""
        for op, slots in enumerate(history.slots):
            if history.end[op] is not None:
                # it was erased
                continue
            for slot, entity in enumerate(slots):
                self.at.setdefault(entity, []).append((op, slot))

    @cached_property
    def _groups(self) -> dict[int, list[int]]:
        graph = self.history.graph
        groups: dict[int, list[int]] = {}
        for op in graph.ops:
            if op.name == GROUP:
                holder = holder_of(op.operands[0])
                if holder is not None and holder in graph.numbers:
                    groups.setdefault(group_id(op), []).append(graph.numbers[holder])
        return {one: each for each in groups.values() for one in each}

    def without_rule(self, entity: int) -> Iterator[tuple[int, int]]:
        """Yield the (operation, slot) pairs of a value whose operation has no op sharding rule.

        What only marks a value, or hands it to an edge, is none of them.
        """
        for op, slot in self.at.get(entity, ()):
            its = self.history.graph.ops[op]
            if self.history.rules[op] is not None or its.is_terminator or its.name in SILENT:
                continue
            yield op, slot

    def of(self, entity: int, dim: int) -> Iterator[Link]:
        """Yield the links of a dimension of a value."""
        for op, slot in self.at.get(entity, ()):
            rule = self.history.rules[op]
            if rule is None or dim >= len(rule.slots[slot]):
                continue
            for factor in rule.slots[slot][dim]:
                for other_slot, dims in enumerate(rule.slots):
                    if other_slot == slot:
                        continue
                    for other_dim, factors in enumerate(dims):
                        if factor in factors:
                            other = self.history.slots[op][other_slot]
                            yield Link(op, factor, slot, dim, other_slot, other, other_dim)
        for other in self._groups.get(entity, ()):
            if other != entity:
                yield Link(None, 0, 0, dim, 0, other, dim)

    def partners(self, entity: int) -> Iterator[tuple[int, int, int, int, int]]:
        """Yield what stands beside a value along factors that it does not have.

        That is (operation, slot of the value, slot of the other, its entity and its dimension).
        """
        for op, slot in self.at.get(entity, ()):
            rule = self.history.rules[op]
            if rule is None:
                continue
            mine = {factor for factors in rule.slots[slot] for factor in factors}
            for other_slot, dims in enumerate(rule.slots):
                if other_slot == slot:
                    continue
                for other_dim, factors in enumerate(dims):
                    if not mine & set(factors):
                        yield op, slot, other_slot, self.history.slots[op][other_slot], other_dim


SILENT = frozenset(
    {
        "builtin.module",
        "func.func",
        "func.call",
        "sdy.manual_computation",
        "sdy.named_computation",
        "sdy.sharding_group",
        "sdy.mesh",
        "stablehlo.case",
        "stablehlo.constant",
        "sdy.constant",
        "stablehlo.iota",
        "stablehlo.optimization_barrier",
        "stablehlo.while",
    }
)
"""Operations that have no op sharding rule and stop nothing: values pass by way of edges."""
