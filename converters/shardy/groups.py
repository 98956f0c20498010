"""Sharding groups: values whose shardings are to be one."""

from __future__ import annotations

from shardlog.ir.errors import InputError
from shardlog.ir.shardy.edges import set_sharding, sharding_of
from shardlog.ir.shardy.program import Operation, Program, Value
from shardlog.ir.shardy.tensor_sharding import TensorSharding

__all__ = ["GROUP", "group_id", "join_groups", "settle_groups"]

GROUP = "sdy.sharding_group"


def group_id(op: Operation) -> int:
    """Return the number of the group that an operation puts its operand into."""
    return int(op.properties["group_id"].split(" ")[0])


def _groups(program: Program) -> list[Operation]:
    return [op for op in program.module.walk_inner_first() if op.name == GROUP]


def join_groups(program: Program) -> None:
    """Unite groups that share a value, number them from 0, and drop repetitions.

    Raises InputError for a group whose values differ in shape, or in the manual computation that
    they are in. Follows sdy-sharding-group-import.
    """
    ops = _groups(program)
    of: dict[Value, list[Operation]] = {}
    around: dict[int, Operation | None] = {}
    shapes: dict[int, tuple[int, ...] | None] = {}
    for op in ops:
        of.setdefault(op.operands[0], []).append(op)
        number = group_id(op)
        manual = op.around("sdy.manual_computation")
        if around.setdefault(number, manual) is not manual:
            raise InputError(f"sharding group {number} crosses a manual computation", line=op.line)
        shape = op.operands[0].type.shape
        if shapes.setdefault(number, shape) != shape:
            raise InputError(f"the values of sharding group {number} differ in shape", line=op.line)
    leader = {number: number for number in shapes}

    def first(number: int) -> int:
        while leader[number] != number:
            number = leader[number]
        return number

    for together in of.values():
        for op in together:
            one, other = first(group_id(together[0])), first(group_id(op))
            leader[max(one, other)] = min(one, other)
    numbers = {one: n for n, one in enumerate(sorted({first(number) for number in leader}))}
    seen: set[tuple[int, Value]] = set()
    for together in of.values():
        for op in together:
            number = numbers[first(group_id(op))]
            op.properties["group_id"] = f"{number} : i64"
            if (number, op.operands[0]) in seen:
                op.erase()
            seen.add((number, op.operands[0]))


def settle_groups(program: Program) -> None:
    """Give all values of a group the sharding that some have.

    If two differ, each gets an open constraint, and the group binds those. Follows
    ShardingGroupMap::syncGroupMemberShardings.
    """
    members: dict[int, list[Operation]] = {}
    for op in _groups(program):
        members.setdefault(group_id(op), []).append(op)
    for number in sorted(members):
        _settle(members[number])


def _settle(group: list[Operation]) -> None:
    found: list[TensorSharding] = []
    for op in group:
        sharding = sharding_of(op.operands[0])
        if sharding is None or (len(group) > 1 and _says_nothing(sharding)):
            continue
        if sharding not in found:
            found.append(sharding)
    if not found:
        return
    if len(found) == 1:
        for op in group:
            set_sharding(op.operands[0], found[0])
        return
    for op in group:
        value = op.operands[0]
        constraint = Operation("sdy.sharding_constraint", (value,), (value.type,))
        constraint.results[0].sharding = TensorSharding.unsharded(
            found[0].mesh, value.type.rank, closed=False
        )
        constraint.insert_after(value)
        value.replace_uses(constraint.results[0], keep=constraint)


def _says_nothing(sharding: TensorSharding) -> bool:
    return not sharding.has_axes and not any(dim.is_closed for dim in sharding.dims)
