"""The module as sharding propagation works on it, after the pass's own first edits.

Before it propagates anything, XLA's pass turns every `Sharding` custom-call into a `copy` (or, if
it only names a shard group, removes it and hands the group to its operand), takes metadata and
groups off the shardings, and gives a while that is the entry's root a copy to be the root instead.
This is that graph, with the module left as it is. Follows ProcessShardingInstruction and
ShardingPropagation::Run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from shardlog.converters.threads import threads
from shardlog.ir.algebra import cse_mark
from shardlog.ir.errors import InputError
from shardlog.ir.module import Computation, HloModule, Instruction
from shardlog.ir.other_orders import another_order
from shardlog.ir.post_order import channel_groups, search
from shardlog.ir.sharding import HloSharding, ShardGroup
from shardlog.light import dataclass

CONVERSIONS = ("SPMDFullToShardShape", "SPMDShardToFullShape")
"""Targets of the custom-calls that enter and leave manual regions."""

BARRIERS = ("ShardBarrierFrom", "ShardBarrierTo")
"""Targets of the custom-calls that the pass removes at its end."""


@dataclass(frozen=True)
class PassOptions:
    """How to run the pass; masks of None are taken from the module's header.

    A mask has one value for all, or one for each parameter (or element of the only one) or element
    of the result. Only computations of the named `execution_threads` take part; without any, all.
    `order` is the seed of another order of visits, see `another_order`; None is XLA's.
    """

    is_spmd: bool = True
    propagate_metadata: bool = False
    cse_prevention_only: bool = False
    parameter_mask: tuple[bool, ...] | None = None
    output_mask: tuple[bool, ...] | None = None
    execution_threads: tuple[str, ...] = ()
    order: int | None = None

    def includes(self, thread: str) -> bool:
        """Whether an execution thread takes part. Follows HloInstruction::IsThreadIncluded."""
        return not self.execution_threads or thread in self.execution_threads

    def masks(self, module: HloModule) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
        """The masks of parameters and of the result that hold for a module."""
        parameters, output = self.parameter_mask, self.output_mask
        return (
            module.parameter_mask if parameters is None else parameters,
            module.output_mask if output is None else output,
        )


class PassGraph:
    """Entities with operands, users and annotations as propagation starts with them.

    `entities` are computations in module order and XLA's post-order of the edited graph inside
    each; where that differs from the module's, removed calls stand last. `operands` and `users`
    hold places in `entities`, users in XLA's list order. `copies` are the calls that became copies,
    in the order in which XLA makes them; `removed` those that vanished, also in `removal_order`.
    `root_copy` is the copy of
    a while that was the entry's root; no computation lists it. `named_by` tells which call
    annotates an operand that has no sharding of its own; `targets` are those of custom-calls.
    `is_text_order` says whether entities stand as in XLA's instruction lists before the edits.
    `controlled` are instructions that wait for others, or others for them. `outside` are
    computations of other execution threads, which stay as they are.
    Raises InputError for what makes the pass fail.
    """

    def __init__(self, module: HloModule, options: PassOptions) -> None:
        self.module = module
        self.options = options
        self.copies: list[Instruction] = []
        self.removed: set[Instruction] = set()
        self.shard_group: dict[Instruction, ShardGroup] = {}
        self.unspecified: dict[Instruction, tuple[int, ...]] = {}
        self.named_by: dict[Instruction, Instruction] = {}
        self.root_copy: Instruction | None = None
        self.targets: dict[Instruction, str] = {}
        self.outside = _outside(module, options)
        self._stripped: dict[HloSharding, HloSharding | None] = {}
        self.removal_order: list[Instruction] = []
        self.entities: Sequence[Instruction] = module.instructions
        self.is_text_order = False
        self.operands: list[tuple[int, ...]] = []
        self.users: list[tuple[int, ...]] = []
        waiting = [x for x in self.entities if x.control_predecessors]
        self.controlled = {x for one in waiting for x in (one, *one.control_predecessors)}
        self._process(self.entities)
        self._add_root_copy()
        self._connect()
        if self._moves() or options.order is not None:
            self.entities = self._ordered()
            for index, instruction in enumerate(self.entities):
                instruction.index = index
            self._connect()
        self._edit()

    # ---- the pass's first steps

    def _process(self, order: Sequence[Instruction]) -> None:
        """Sharding calls and shard groups, computation by computation in reverse post-order."""
        module = self.module
        groups: dict[Instruction, ShardGroup] = {}
        group_of: dict[HloSharding, ShardGroup | None] = {}
        calls: list[Instruction] = []
        outside = self.outside
        if outside:
            order = [x for x in order if x.computation not in outside]
        for instruction in [x for x in order if x.sharding is not None]:
            sharding = instruction.sharding
            assert sharding is not None
            if sharding not in group_of:
                group_of[sharding] = _group(sharding)
            group = group_of[sharding]
            # a mark of an earlier run is taken off, and its group with it
            if group is not None and self.annotation(instruction) is not None:
                groups[instruction] = group
        for call in [x for x in order if x.opcode == "custom-call"]:
            target = self.targets[call] = call.custom_call_target or ""
            if target == "Sharding":
                calls.append(call)
        rank = {computation: i for i, computation in enumerate(module.computations)}
        calls.sort(key=lambda x: (rank[x.computation], -x.index))
        named: set[Instruction] = set()
        for call in calls:
            self._process_call(call, groups, named)
        if not self.options.cse_prevention_only:
            members = sorted(groups, key=lambda x: (rank[x.computation], -x.index))
            self.shard_group = {x: groups[x] for x in members if x not in self.removed}

    def _process_call(
        self,
        call: Instruction,
        groups: dict[Instruction, ShardGroup],
        named: set[Instruction],
    ) -> None:
        if call.sharding is None or len(call.operands) != 1:
            raise call.located(InputError("Sharding call", expected="a sharding and one operand"))
        operand = call.operands[0]
        # XLA leaves what other instructions must wait for, or the other way round, where it is
        replaced = not self.options.cse_prevention_only and call not in self.controlled
        becomes_copy = replaced and (not call.sharding.is_unknown or operand.opcode == "parameter")
        open_dims = open_dimensions(call)
        has_sharding = operand in named or self.annotation(operand) is not None
        if becomes_copy:
            self.copies.append(call)
        elif replaced and call in groups:
            groups[operand] = groups[call]
            self.removed.add(call)
            self.removal_order.append(call)
            if not has_sharding:
                # the operand is unknown now, but in the group
                named.add(operand)
                self.named_by[operand] = call
        if open_dims and call not in self.removed:
            self.unspecified[call] = tuple(sorted(open_dims))
        elif not has_sharding and not open_dims:
            named.add(operand)
            self.named_by[operand] = call

    def _add_root_copy(self) -> None:
        entry = self.module.entry
        root = self.resolved(entry.root)
        _, output = self.options.masks(self.module)
        if root.opcode != "while" or any(output):
            return
        condition, body = root.called
        tied = (root, self.resolved(body.root), body.parameters[0], condition.parameters[0])
        first = next((s for s in map(self._at_start, tied) if s is not None), None)
        if first is None or not first.is_unknown:
            copy = Instruction("", "copy", root.shape, (), entry)
            copy.operands = (root,)
            self.root_copy = copy

    def _at_start(self, instruction: Instruction) -> HloSharding | None:
        """The sharding that an instruction has before call sites are tied."""
        call = self.named_by.get(instruction)
        return self.annotation(instruction if call is None else call)

    def annotation(self, instruction: Instruction) -> HloSharding | None:
        """The sharding that an instruction has when propagation starts, if the text gives one.

        Without shard group and, unless it is to be propagated, metadata; what an earlier pass put
        there only against common subexpressions is taken off. A call that hands its shard group to
        its operand and goes hands on an unknown sharding without metadata.
        """
        sharding = instruction.sharding
        if sharding is None or instruction.computation in self.outside:
            return sharding
        if instruction in self.removed:
            return HloSharding.unknown()
        keeps_marks = self.options.cse_prevention_only
        if self.options.propagate_metadata:
            metadata = instruction.metadata
            if not keeps_marks and cse_mark(sharding):
                return None
            if metadata.fields or metadata.rest:
                sharding = sharding.with_metadata((metadata,), overwrite=False)
            return sharding if keeps_marks else sharding.without_shard_group()
        if sharding not in self._stripped:
            drop = not keeps_marks and cse_mark(sharding)
            bare = sharding.bare if keeps_marks else sharding.bare.without_shard_group()
            self._stripped[sharding] = None if drop else bare
        return self._stripped[sharding]

    # ---- order

    def _moves(self) -> bool:
        """Whether an edit changes the post-order: only those of calls without users do."""
        return self.root_copy is not None or any(
            not self.users[call.index] for call in (*self.copies, *self.removed)
        )

    def _ordered(self) -> list[Instruction]:
        moved = {x.computation for x in (*self.copies, *self.removed)}
        if self.root_copy is not None:
            moved.add(self.root_copy.computation)
        order: list[Instruction] = []
        for computation in self.module.computations:
            if computation in moved:
                order += self.computation_order(computation)
                order += [x for x in computation.instructions if x in self.removed]
            else:
                order += computation.post_order
        if self.options.order is None:
            return order
        found: list[Instruction] = []
        for computation in self.module.computations:
            own = [x for x in order if x.computation is computation]
            found += another_order(own, self._in_front, self.options.order)
        known = set(found)
        return found + [x for x in order if x not in known]

    def _in_front(self, instruction: Instruction) -> list[Instruction]:
        operands = [self.resolved(operand) for operand in instruction.operands]
        return [*operands, *instruction.control_predecessors]

    def computation_order(self, computation: Computation) -> list[Instruction]:
        """The post-order of a computation after the edits: copies stand at the list's end."""
        copies = [x for x in self.copies if x.computation is computation]
        gone = self.removed.union(copies)
        roots = [x for x in computation.instructions if x not in gone] + copies
        if self.root_copy is not None and computation.is_entry:
            roots.append(self.root_copy)
        has_users = {self.resolved(o) for x in roots for o in x.operands}
        return search(
            [x for x in roots if x not in has_users],
            lambda x: [self.resolved(operand) for operand in x.operands],
            lambda x: x.control_predecessors,
            {} if computation.was_in_post_order else channel_groups(roots),
        )

    def resolved(self, operand: Instruction) -> Instruction:
        """What takes an operand's place: itself, or the operand of a removed call."""
        while operand in self.removed:
            operand = operand.operands[0]
        return operand

    # ---- edges

    def _connect(self) -> None:
        """Find operands and users as they were before the edits."""
        read = self.module.read
        lists = [x for computation in self.module.computations for x in computation.instructions]
        self.is_text_order = lists == self.entities
        rows = read.rows(0, self.entities) if self.is_text_order else None
        if rows is None:
            rows = [tuple([x.index for x in one.operands]) for one in self.entities]
        self.operands = rows
        if self.is_text_order:
            self.users = self._users()
        else:
            self.users = [tuple([x.index for x in one.users]) for one in self.entities]

    def _users(self) -> list[tuple[int, ...]]:
        """Each entity's users once, in order."""
        # most have one user: a list for each would take time and room
        users: list[Any] = [()] * len(self.entities)
        many: list[int] = []
        for row, instruction in zip(self.operands, self.entities, strict=True):
            if not row:
                continue
            # the very number that the instruction holds: another one would take room
            index = instruction.index
            only = (index,)
            for place in row:
                found = users[place]
                if not found:
                    users[place] = only
                elif found[-1] != index:
                    if found.__class__ is list:
                        found.append(index)
                    else:
                        users[place] = [found[0], index]
                        many.append(place)
        for place in many:
            users[place] = tuple(users[place])
        return users

    def _edit(self) -> None:
        """Change the edges as the pass's first edits do."""
        if self.removed:
            self._disconnect_removed()
        if self.root_copy is not None:
            users = self.users
            root = self.root_copy.operands[0]
            users[root.index] = (*users[root.index], self.root_copy.index)

    def _disconnect_removed(self) -> None:
        """Take removed calls out, in XLA's order: users move over, the last fills the gap."""
        lists: dict[int, list[int]] = {}

        def users_of(index: int) -> list[int]:
            return lists.setdefault(index, list(self.users[index]))

        for call in self.removal_order:
            source = self.operands[call.index][0]
            kept = users_of(source)
            for user in users_of(call.index):
                self.operands[user] = tuple(
                    source if x == call.index else x for x in self.operands[user]
                )
                if user not in kept:
                    kept.append(user)
            lists[call.index] = []
            place = kept.index(call.index)
            kept[place] = kept[-1]
            kept.pop()
        for call in self.removal_order:
            # nothing visits what is no longer there
            self.operands[call.index] = ()
        for index, changed in lists.items():
            self.users[index] = tuple(changed)


def _outside(module: HloModule, options: PassOptions) -> frozenset[Computation]:
    """The computations that the pass does not look at."""
    if not options.execution_threads:
        return frozenset()
    found = threads(module)
    return frozenset(x for x, thread in found.items() if not options.includes(thread))


def _group(sharding: HloSharding) -> ShardGroup | None:
    if not sharding.is_shard_group:
        return None
    return (sharding.elements[0] if sharding.is_tuple else sharding).shard_group


_OPEN_DIMENSIONS = re.compile(r"\s*unspecified_dims=\s*\[\s*((?:\d{1,18}\s*,?\s*)*)\]\s*")


def open_dimensions(call: Instruction) -> tuple[int, ...]:
    """The dimensions that a Sharding or conversion call leaves open, in the order written.

    Raises InputError if its opaque string says anything else.
    """
    opaque = call.opaque
    if not opaque:
        return ()
    match = _OPEN_DIMENSIONS.fullmatch(opaque)
    if not match:
        raise call.located(
            InputError(
                f"{call.custom_call_target} call",
                expected="unspecified_dims=[...]",
                found=repr(opaque),
            )
        )
    return tuple(int(dim) for dim in match[1].replace(",", " ").split())
