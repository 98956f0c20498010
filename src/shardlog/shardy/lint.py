"""What in a program that Shardy has propagated is likely to hurt, most bytes first."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from shardlog.explain.hurts import Hurt
from shardlog.explain.lint import LARGE, Finding, Lint
from shardlog.ir.shardy.op_rule import factor_symbol
from shardlog.ir.shardy.tensor_sharding import TensorSharding
from shardlog.shardy.copies import CONSTRAINT
from shardlog.shardy.cuts import Kind
from shardlog.shardy.reshards import Reshard, reshards
from shardlog.shardy.session import Asked
from shardlog.shardy.shown import axes_text, spec
from shardlog.shardy.sizes import bytes_on_device
from shardlog.shardy.whatif import Changes, what_if

__all__ = ["MOST_RUNS", "lint"]

MOST_RUNS = 20
"""How often a program is propagated again at most to find annotations without effect."""

LARGE_PROGRAM, FEW_RUNS = 5_000, 4
"""From how many operations on that is done less often, and how often then."""

_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class Found:
    """Something found at a value: what it is, its bytes, and how to get at the cause."""

    hurt: Hurt
    entity: int
    what: str
    bytes: int
    cause: Callable[[], str]
    command: str


def lint(
    asked: Asked,
    file: str,
    *,
    least: int = LARGE,
    limit: int | None = 20,
    kinds: frozenset[Hurt] = frozenset(Hurt),
    runs: int | None = None,
) -> Lint:
    """Return what is likely to hurt in a propagated program, of `least` bytes on a device or more.

    `file` is what commands call the program. Values that differ by their numbers alone are one
    finding, and at most `limit` are explained; `runs` is how often the program is propagated again
    to find annotations without effect.
    """
    finder = _Finder(asked, file, least)
    found: list[Found] = []
    untried = 0
    if Hurt.REPLICATED in kinds:
        found += finder.replicated()
    if kinds & {Hurt.RESHARD, Hurt.LOST}:
        found += [one for one in finder.between() if one.hurt in kinds]
    if Hurt.UNEVEN in kinds:
        found += finder.uneven()
    if Hurt.IDLE in kinds:
        large = len(asked.found.graph.ops) >= LARGE_PROGRAM
        most = (FEW_RUNS if large else MOST_RUNS) if runs is None else runs
        idle, untried = finder.idle(most)
        found += idle
    alike: dict[tuple[str, ...], list[Found]] = {}
    for one in found:
        origin = asked.names.origin(one.entity)
        key = (one.hurt, _NUMBER.sub("#", one.what), origin.opcode, origin.type)
        alike.setdefault((*key, _NUMBER.sub("#", origin.op_name)), []).append(one)
    groups = sorted(alike.values(), key=lambda group: -sum(one.bytes for one in group))
    counts: dict[Hurt, int] = {}
    for group in groups:
        counts[group[0].hurt] = counts.get(group[0].hurt, 0) + len(group)
    shown = groups if limit is None else groups[:limit]
    findings = []
    for group in shown:
        first = group[0]
        findings.append(
            Finding(
                first.hurt,
                tuple(dict.fromkeys(asked.names.of(one.entity) for one in group)),
                first.what,
                sum(one.bytes for one in group),
                first.cause(),
                first.command,
                str(asked.names.origin(first.entity)),
            )
        )
    return Lint(file, tuple(findings), len(groups) - len(shown), counts, untried, least)


class _Finder:
    def __init__(self, asked: Asked, file: str, least: int) -> None:
        self.asked, self.file, self.least = asked, file, least
        self.history = asked.history
        self.meshes = asked.history.meshes
        self.first = len(asked.found.graph.ops)

    def command(self, word: str, entity: int, *more: str) -> str:
        name = self.asked.names.of(entity)
        words = ["shardlog", word, self.file, name, *more, "--partitioner", "shardy"]
        return shlex.join(words)

    def size(self, entity: int, sharding: TensorSharding | None) -> int:
        return bytes_on_device(self.history.value(entity).type, sharding, self.meshes)

    def end(self, entity: int) -> TensorSharding | None:
        sharding = self.history.end[entity]
        return sharding if isinstance(sharding, TensorSharding) else None

    def whole(self, entity: int) -> bool:
        """Whether every device holds all of a value."""
        sharding = self.end(entity)
        return sharding is None or not any(dim.axes for dim in sharding.dims)

    def _whynot(self, entity: int) -> str:
        return self.asked.whynot(self.asked.names.of(entity)).cause.says

    def _why(self, entity: int, dim: int) -> str:
        return self.asked.why(self.asked.names.of(entity), dim=dim).says

    # ------------------------------------------------------------ replicated

    def large(self) -> Iterator[int]:
        """Yield the values that users know, each once, of enough bytes."""
        seen: set[int] = set()
        for value, _, entity in self.asked.names.values():
            if entity in seen or value.type.is_scalar:
                continue
            seen.add(entity)
            if value.op is None and value.owner.name != "func.func":
                continue
            if self.size(entity, self.end(entity)) >= self.least:
                yield entity

    def replicated(self) -> Iterator[Found]:
        if not any(mesh.axes for mesh in self.meshes.values()):
            return
        whole = [entity for entity in self.large() if self.whole(entity)]
        known = set(whole)
        for entity in whole:
            if not any(one in known for one in self.sources(entity)):
                yield Found(
                    Hurt.REPLICATED,
                    entity,
                    f"{spec(self.asked.final(entity))}, every device holds all of it",
                    self.size(entity, None),
                    partial(self._whynot, entity),
                    self.command("whynot", entity),
                )

    def sources(self, entity: int) -> Iterator[int]:
        """The operands of what makes a value that share a dimension with it."""
        rules = self.history.rules
        for op, slot in self.asked.links.at.get(entity, ()):
            rule = rules[op]
            if rule is None or slot < rule.operand_count:
                continue
            mine = {one for dims in rule.slots[slot] for one in dims if rule.sizes[one] > 1}
            for other in range(rule.operand_count):
                if mine & {one for dims in rule.slots[other] for one in dims}:
                    yield self.history.slots[op][other]

    # ------------------------------------------------------------ between tensors

    def between(self) -> Iterator[Found]:
        ops = range(self.first)
        for one in reshards(self.asked.cuts, ops):
            yield from self.reshard(one)
        for op in ops:
            if self.history.end[op] is None:
                yield from self.stopped(op)

    def reshard(self, one: Reshard) -> Iterator[Found]:
        code = self.history.graph.ops[one.op].name
        size = self.size(one.operand, self.end(one.operand))
        if size < self.least or not one.has:
            # a device that holds all of it takes its part without asking others
            return
        if one.wants or code == CONSTRAINT:
            yield Found(
                Hurt.RESHARD,
                one.operand,
                f"dim {one.dim} is split by {axes_text(one.has)}, and by {axes_text(one.wants)} "
                f"for {self.asked.names.of_op(one.op)}",
                size,
                partial(str, one.says),
                self.command("why", one.operand, "--dim", str(one.dim)),
            )
            return
        yield Found(
            Hurt.LOST,
            one.other,
            f"{axes_text(one.has)} of dim {one.dim} of {self.asked.names.of(one.operand)} ends at "
            f"{self.asked.names.of_op(one.op)}",
            max(self.size(one.other, self.end(one.other)), size),
            partial(self._cut, one),
            self.command("frontier", one.operand, "--dim", str(one.dim)),
        )

    def _cut(self, one: Reshard) -> str:
        cut = self.asked.cuts.at(one.op, one.other_slot, one.factor, one.has[0], one.slot)
        return f"{cut.kind}: {cut.says}"

    def stopped(self, op: int) -> Iterator[Found]:
        """What ends at an operation without a rule, or along a factor that it needs whole."""
        history, names = self.history, self.asked.names
        rule = history.rules[op]
        if rule is None:
            for slot in _rule_less(self.asked, op):
                entity = history.slots[op][slot]
                sharding = self.end(entity)
                size = self.size(entity, sharding)
                axes = [axis for dim in sharding.dims for axis in dim.axes] if sharding else []
                if size >= self.least and axes:
                    yield Found(
                        Hurt.LOST,
                        entity,
                        f"{axes_text(axes)} ends at {names.of_op(op)}",
                        size,
                        partial(
                            str,
                            f"{Kind.NO_RULE}: no op sharding rule is known for it: "
                            f"{names.of_op(op)}",
                        ),
                        self.command("frontier", entity),
                    )
            return
        look = self.asked.cuts.look(op)
        if look is None:
            return
        for factor, kind in enumerate(rule.kinds):
            if kind != "need_replication" or rule.sizes[factor] == 1:
                continue
            for slot in range(rule.operand_count):
                part = look.projection.slots[slot].parts.get(factor)
                entity = history.slots[op][slot]
                size = self.size(entity, self.end(entity))
                if part is None or not part.axes or size < self.least:
                    continue
                dim = next(d for d, each in enumerate(rule.slots[slot]) if factor in each)
                says = (
                    f"factor {factor_symbol(factor)} of {names.of_op(op)} needs replication: what "
                    f"is split along dim {dim} is gathered"
                )
                yield Found(
                    Hurt.RESHARD,
                    entity,
                    f"dim {dim} is split by {axes_text(part.axes)}, and {names.of_op(op)} needs it "
                    "whole",
                    size,
                    partial(str, says),
                    self.command("why", entity, "--dim", str(dim)),
                )

    # ------------------------------------------------------------ uneven

    def uneven(self) -> Iterator[Found]:
        for entity in self.large():
            for cut in self.asked.taken_away(entity):
                yield Found(
                    Hurt.UNEVEN,
                    entity,
                    f"dim {cut.dim} loses {cut.axis} at main's border",
                    self.size(entity, self.asked.final(entity)),
                    partial(str, cut.says),
                    self.command("whynot", entity, "--dim", str(cut.dim)),
                )
        seen: set[int] = set()
        for value, _, entity in self.asked.names.values():
            sharding = self.asked.final(entity)
            if entity in seen or sharding is None or not value.type.shape:
                continue
            seen.add(entity)
            mesh = self.asked.found.program.mesh_of(sharding)
            for dim, size in enumerate(value.type.shape):
                parts = sharding.dims[dim].sharded_size(mesh)
                if size % parts == 0:
                    continue
                part = self.size(entity, sharding)
                padding = part * (parts * -(-size // parts) - size) // (parts * -(-size // parts))
                if padding >= self.least:
                    axes = axes_text(sharding.dims[dim].axes)
                    yield Found(
                        Hurt.UNEVEN,
                        entity,
                        f"dim {dim} of {size} is split {parts} ways by {axes}",
                        padding,
                        partial(self._why, entity, dim),
                        self.command("why", entity, "--dim", str(dim)),
                    )

    # ------------------------------------------------------------ annotations without effect

    def idle(self, most: int) -> tuple[list[Found], int]:
        """Annotations inside the program without which all else would be as it is."""
        names, account = self.asked.names, self.asked.account
        taken = {
            gain.source
            for entity in range(self.first, self.history.count)
            for gain in account.gains(entity)
        }
        candidates = []
        for op in self.asked.found.graph.ops:
            if op.name != CONSTRAINT or op.results[0] not in self.asked.found.given:
                continue
            entity = self.asked.found.graph.numbers[op.results[0]]
            before = self.asked.found.graph.numbers.get(op.operands[0])
            same = before is not None and spec(self.asked.final(before)) == spec(
                self.asked.final(entity)
            )
            if self.asked.value_in_original(entity) and (entity not in taken or same):
                candidates.append(entity)
        found: list[int] = []
        todo: list[Sequence[int]] = [candidates] if candidates else []
        untried = 0
        while todo:
            tried = todo.pop()
            if most <= 0:
                untried += len(tried)
                continue
            most -= 1
            texts = [names.of(one) for one in tried]
            answer = what_if(self.asked, Changes(drop=texts))
            differing = {name for group in answer.groups for name in group.names}
            if not differing - set(texts):
                found += tried
            elif len(tried) > 1:
                middle = len(tried) // 2
                todo += [tried[middle:], tried[:middle]]
        made = [
            Found(
                Hurt.IDLE,
                entity,
                f"annotation {spec(self.asked.final(entity))}",
                0,
                partial(str, f"nothing else would be sharded otherwise without {names.of(entity)}"),
                self.command("impact", entity),
            )
            for entity in found
        ]
        return made, untried


def _rule_less(asked: Asked, op: int) -> Iterator[int]:
    """The slots at which an operation without a rule stops what it reads."""
    its = asked.found.graph.ops[op]
    count = len(its.operands) if its.results else 0
    for slot, entity in enumerate(asked.history.slots[op][:count]):
        if (op, slot) in asked.links.without_rule(entity):
            yield slot
