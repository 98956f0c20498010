"""A finished run as explanations see it: names, origins, shardings at any moment, questions."""

from __future__ import annotations

import bisect
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from shardlog.engine import Record
from shardlog.engine.attempts import Attempts
from shardlog.engine.inquiry import Inquiry
from shardlog.ir.axes import Digit, digits_of, split_dims
from shardlog.ir.module import Instruction
from shardlog.ir.shape import Shape
from shardlog.ir.sharding import HloSharding
from shardlog.leaves import leaf_name, leaf_of_source, number_at, offsets, sharding_of_leaf
from shardlog.origins import Origin, Origins
from shardlog.propagation import Outcome
from shardlog.sentences import Sentences

if TYPE_CHECKING:
    from shardlog.explain.candidate import Candidate

__all__ = ["Place", "Run"]

FEW = 8
"""From how many operands on a tuple is not searched through."""


@dataclass(frozen=True)
class Place:
    """An instruction, or one leaf of its tuple, by number."""

    entity: int
    leaf: int | None = None


class Run:
    """A propagated module with what explanations ask of it."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.entities: Sequence[Instruction] = outcome.entities
        self.records: Sequence[Record] = outcome.records
        self._origins = Origins(outcome.module)
        self._numbers: dict[int, dict[int, int]] = {}
        self.tried_for_any: dict[tuple[Place, bool], list[Candidate]] = {}
        """What rules could have done at a place that was to have any tiles, as far as asked."""

    # ------------------------------------------------------------ names

    def name(self, entity: int) -> str:
        """The name that the module gave an instruction, else the pass's own."""
        return self.outcome.names[entity] or self.entities[entity].name

    def key(self, entity: int) -> tuple[str, str]:
        """What tells an instruction from all others of the module: its computation and its name."""
        return self.entities[entity].computation.name, self.name(entity)

    def named(self, place: Place) -> str:
        """The name of an instruction with the path to the element, as users write it."""
        return self.name(place.entity) + leaf_name(self.entities[place.entity], place.leaf)

    def origin(self, entity: int) -> Origin:
        """What tells an instruction apart."""
        return self._origins.of(self.entities[entity], self.outcome.names[entity])

    def in_program(self, entity: int) -> tuple[str, str]:
        """The op name of an instruction and its place in the user's program."""
        return self._origins.in_program(self.entities[entity])

    def opcode(self, entity: int) -> str:
        """The opcode, of a custom call with its target."""
        instruction = self.entities[entity]
        if instruction.opcode == "custom-call":
            return f"custom-call {instruction.custom_call_target or ''}".strip()
        return instruction.opcode

    def stand_in(self, entity: int) -> int | None:
        """What has the place of a `Sharding` call that only names a shard group; None for others.

        The pass takes such calls out and hands their group to their operand, as
        ProcessShardingInstruction does.
        """
        number = entity
        while self.entities[number] in self._removed:
            number = self._removed[self.entities[number]]
        return None if number == entity else number

    @cached_property
    def _removed(self) -> dict[Instruction, int]:
        # calls that stay are copies by now, but for those of other execution threads
        calls = [x for x in self.entities if x.opcode == "custom-call"]
        calls = [x for x in calls if x.custom_call_target == "Sharding"]
        if not calls:
            return {}
        kept = {
            x for computation in self.outcome.module.computations for x in computation.instructions
        }
        numbers = {x: number for number, x in enumerate(self.entities)}
        return {x: numbers[x.operands[0]] for x in calls if x not in kept}

    # ------------------------------------------------------------ shardings

    def saturated(self, place: Place) -> HloSharding | None:
        """The sharding that the rounds ended with."""
        state = self.outcome.saturated.state["sharding"]
        return sharding_of_leaf(state[place.entity], place.leaf)

    def final(self, place: Place) -> HloSharding | None:
        """The sharding that the module leaves with."""
        return sharding_of_leaf(self.entities[place.entity].sharding, place.leaf)

    def shape(self, place: Place) -> Shape:
        """The shape of an instruction, or of one leaf of its tuple."""
        shape = self.entities[place.entity].shape
        return shape if place.leaf is None or not shape.is_tuple else shape.leaves[place.leaf]

    def leaves(self, entity: int) -> list[Place]:
        """The arrays of an instruction: itself, or the leaves of its tuple."""
        shape = self.entities[entity].shape
        if not shape.is_tuple:
            return [Place(entity)]
        return [Place(entity, leaf) for leaf in range(shape.leaf_count)]

    def is_split(self, entity: int) -> bool:
        """Whether any array of an instruction is tiled."""
        return any(split_dims(self.saturated(place)) for place in self.leaves(entity))

    def is_split_at(self, place: Place) -> bool:
        """Whether a leaf is tiled, or of a whole tuple any leaf."""
        sharding = self.saturated(place)
        if sharding is not None and sharding.is_tuple:
            return any(map(split_dims, sharding.elements))
        return bool(split_dims(sharding))

    def part(self, place: Place, source: int) -> Place:
        """The leaf of a neighbour that a leaf of an instruction comes from, or goes to."""
        belongs, leaf = self._leaf(place, source)
        return Place(source, leaf if belongs else None)

    def touches(self, place: Place, source: int) -> bool:
        """Whether a leaf of an instruction goes to, or comes from, a neighbour at all."""
        return self._leaf(place, source)[0]

    def _leaf(self, place: Place, source: int) -> tuple[bool, int | None]:
        mine, theirs = self.entities[place.entity], self.entities[source]
        if theirs.opcode == "tuple" and len(theirs.operands) > FEW:
            # going through the operands of the tuple of all parameters takes long
            number = self._numbers_in(source).get(place.entity)
            if number is not None and not (mine.shape.is_tuple and place.leaf is None):
                return True, offsets(theirs.shape)[number] + (place.leaf or 0)
        return leaf_of_source(mine, place.leaf, theirs)

    def _numbers_in(self, entity: int) -> dict[int, int]:
        """Which operand of a tuple each of its operands is first."""
        found = self._numbers.get(entity)
        if found is None:
            operands = self.outcome.saturated.facts.rows["operand"][entity]
            found = self._numbers[entity] = {}
            for number, operand in enumerate(operands):
                found.setdefault(operand, number)
        return found

    def sources(self, place: Place) -> Sequence[int]:
        """The operands that a leaf of an instruction is made of."""
        instruction = self.entities[place.entity]
        operands = self.operands(place.entity)
        if instruction.opcode == "tuple" and place.leaf is not None and len(operands) > FEW:
            number = number_at(instruction.shape, place.leaf)
            return self.outcome.saturated.facts.rows["operand"][place.entity][number : number + 1]
        return [number for number in operands if self.touches(place, number)]

    # ------------------------------------------------------------ the graph

    def operands(self, entity: int) -> Sequence[int]:
        """The operands of an instruction, by number."""
        return tuple(dict.fromkeys(self.outcome.saturated.facts.rows["operand"][entity]))

    def users(self, entity: int) -> Sequence[int]:
        """The users of an instruction, by number."""
        return self.outcome.saturated.facts.rows["user"][entity]

    def ties(self, entity: int) -> Sequence[int]:
        """What shares the sharding of an instruction at a call site."""
        return self._ties.get(entity, ())

    def neighbours(self, entity: int) -> Iterator[int]:
        """Operands, users, and what a call site ties an instruction to."""
        yield from self.operands(entity)
        yield from self.users(entity)
        yield from self.ties(entity)

    def names_operand(self, entity: int) -> bool:
        """Whether an instruction is a `Sharding` call that annotates its operand, too."""
        operands = self.operands(entity)
        # such a call has one
        return len(operands) == 1 and self.inquiry.value("named_by", operands[0]) == entity

    def passes(self, operand: int, entity: int) -> bool:
        """Whether an operand is what an instruction hands to a computation that it calls."""
        inside = self.outcome.saturated.facts.columns["inside"]
        return any(
            self.entities[tie].opcode == "parameter"
            and self.inquiry.value("caller", inside[tie]) == entity
            for tie in self.ties(operand)
        )

    @cached_property
    def _ties(self) -> dict[int, tuple[int, ...]]:
        groups: dict[int, list[int]] = {}
        for site, _, member in self.outcome.saturated.rows("tie"):
            groups.setdefault(site, []).append(member)
        called: dict[Any, bool] = {}
        for computation, _, argument in self.outcome.saturated.facts.tables["parameter"].rows:
            if computation not in called:
                called[computation] = self.inquiry.value("caller", computation) is not None
            if not called[computation]:
                continue
            parameter = int(str(argument))
            found = self.inquiry.lookup("passed", ((0, parameter),))
            for row in found:
                groups.setdefault(-1 - parameter, []).extend((parameter, row[1]))
        ties: dict[int, dict[int, None]] = {}
        for members in groups.values():
            for one in members:
                ties.setdefault(one, {}).update((m, None) for m in members if m != one)
        return {one: tuple(others) for one, others in ties.items()}

    # ------------------------------------------------------------ history

    @cached_property
    def history(self) -> dict[int, list[int]]:
        """The positions of an instruction's records."""
        history: dict[int, list[int]] = {}
        for position, record in enumerate(self.records):
            history.setdefault(record.entity, []).append(position)
        return history

    def moving(self, place: Place, before: int) -> list[int]:
        """The positions of the records that changed a leaf before an event, earliest first."""
        found = []
        for position in self.history.get(place.entity, ()):
            record = self.records[position]
            new = sharding_of_leaf(record.new, place.leaf)
            if position < before and sharding_of_leaf(record.old, place.leaf) is not new:
                found.append(position)
        return found

    def least_steps(self, entity: int, before: int) -> int:
        """How many steps a proof of what an entity had before an event takes at least."""
        positions = self.history.get(entity, ())
        number = bisect.bisect_left(positions, before)
        return self._least_steps[positions[number - 1]] if number else 1

    @cached_property
    def _least_steps(self) -> list[int]:
        """For each record the shortest way from it back to where a sharding came from."""
        latest = [1] * len(self.entities)
        found = []
        for record in self.records:
            entity = record.entity
            steps = len(latest)
            for source in record.contributors:
                if source != entity and latest[source] < steps:
                    steps = latest[source]
            steps = 1 if steps == len(latest) else steps + 1
            if self.entities[entity].shape.is_tuple and self.history[entity][0] < record.event:
                # an element may have been there before what another was given
                steps = min(steps, latest[entity])
            latest[entity] = steps
            found.append(steps)
        return found

    def last_record(self, place: Place, before: int | None = None) -> Record | None:
        """The record that last changed a leaf, before an event if that is given."""
        for position in reversed(self.history.get(place.entity, ())):
            record = self.records[position]
            if before is not None and position >= before:
                continue
            new = sharding_of_leaf(record.new, place.leaf)
            if sharding_of_leaf(record.old, place.leaf) is not new:
                return record
        return None

    def record_of(self, place: Place, digits: frozenset[Digit]) -> Record | None:
        """The record from which on a leaf is split over any of some digits of devices."""
        found: Record | None = None
        for position in reversed(self.history.get(place.entity, ())):
            record = self.records[position]
            if not digits & digits_of(sharding_of_leaf(record.new, place.leaf)):
                break
            found = record
        return found

    def puts(self, record: Record) -> bool:
        """Whether a record's rule sets what it proposes whatever is there."""
        channel = self.outcome.saturated.program.declared.channels.get(record.rule.relation)
        return channel is not None and channel.join == "put"

    def sentence(self, record: Record) -> str:
        """What the rule of a record says."""
        return self._sentences.of(record)

    @cached_property
    def _sentences(self) -> Sentences:
        return Sentences(self.outcome.saturated, self.name)

    # ------------------------------------------------------------ questions

    @cached_property
    def inquiry(self) -> Inquiry:
        """Questions to the final state."""
        saturated = self.outcome.saturated
        return Inquiry(saturated.program, saturated.facts, saturated.state)

    @cached_property
    def running(self) -> frozenset[int]:
        """The computations that are no part of what a reduce or a sort applies, by number."""
        entry, inquiry = self.outcome.module.entry, self.inquiry
        return frozenset(
            number
            for number, computation in enumerate(self.outcome.module.computations)
            if computation is entry or inquiry.value("caller", number) is not None
        )

    @cached_property
    def attempts(self) -> Attempts:
        """The rules tried in the final state."""
        return Attempts(self.inquiry)

    def pulled(self, operand: int, user: int, sharding: HloSharding) -> list[HloSharding]:
        """What an operand would learn from a user that is sharded so, in the last tier."""
        last = self.inquiry.declared.parameter_values()[-1]
        known = ((0, operand), (1, user), (2, sharding), (3, last))
        return [row[-1] for row in self.inquiry.lookup("pulled", known)]

    def without(self, hide: Collection[int]) -> Attempts:
        """The rules tried in the final state without the shardings of some instructions."""
        return Attempts(self._without(hide))

    def trying(self, hide: Collection[int], entity: int, near: frozenset[int]) -> Attempts:
        """The rules tried as `without` does, with only some of an instruction's neighbours."""
        inquiry = self._without(hide) if hide else self.inquiry
        every = {*self.operands(entity), *self.users(entity)}
        if not every <= near:
            inquiry = inquiry.near(("operand", "user"), entity, near)
        elif not hide:
            return self.attempts
        return Attempts(inquiry)

    def _without(self, hide: Collection[int]) -> Inquiry:
        state: dict[str, Any] = dict(self.outcome.saturated.state)
        state["sharding"] = _Moment(self, len(self.records), frozenset(hide))
        return self.inquiry.over(state)

    def at(self, event: int, hide: Sequence[int] = ()) -> Inquiry:
        """Questions to the state just before an event, some instructions without sharding."""
        state: dict[str, Any] = dict(self.outcome.saturated.state)
        state["sharding"] = _Moment(self, event, frozenset(hide))
        return self.inquiry.over(state)


class _Moment:
    """The column of shardings as it stood before an event."""

    def __init__(self, run: Run, event: int, hidden: frozenset[int]) -> None:
        self._run, self._event, self._hidden = run, event, hidden

    def __getitem__(self, entity: int) -> HloSharding | None:
        if entity in self._hidden:
            return None
        run = self._run
        last: Record | None = None
        for position in run.history.get(entity, ()):
            record = run.records[position]
            if position < self._event:
                last = record
            elif last is None and record.value is not None:
                old: HloSharding | None = record.old
                return old
        if last is not None:
            new: HloSharding = last.new
            return new
        given: HloSharding | None = run.outcome.saturated.state["given"][entity]
        later = [p for p in run.history.get(entity, ()) if p >= self._event]
        if later:
            first: HloSharding | None = run.records[later[0]].old
            return first
        return given
