"""Which shardings depend on the order in which operations are visited, and how."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shardlog import converters
from shardlog.converters.mlir import read_program, write_program
from shardlog.engine import Program as Rules
from shardlog.ir.module import HloModule
from shardlog.ir.other_orders import another_order
from shardlog.ir.shardy.program import Block, Operation, Program
from shardlog.markup import Displayed, listed, paragraph, table
from shardlog.propagation import propagate
from shardlog.shardy.copies import copied
from shardlog.shardy.session import Asked
from shardlog.shardy.shown import spec

__all__ = ["OrderReport", "Ordered", "gspmd_orders", "reordered", "shardy_orders"]

SHOWN = 6
PLAIN = "as it stands"


@dataclass(frozen=True)
class Ordered:
    """Values that get the same answers in the same orders.

    `answers` are pairs of a sharding and the orders that give it, first that of the program as it
    stands. An order is `as it stands`, `last first` or `drawn N`.
    """

    op: str
    type: str
    names: tuple[str, ...]
    answers: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class OrderReport(Displayed):
    """The values whose sharding depends on the order of visits, in groups, most values first."""

    partitioner: str
    values: int
    orders: tuple[str, ...]
    groups: tuple[Ordered, ...]

    @property
    def depending(self) -> int:
        """How many values depend on the order."""
        return sum(len(group.names) for group in self.groups)

    def to_text(self, limit: int | None = 20) -> str:
        """Return the report as text, at most `limit` groups."""
        lines = [self._summary()]
        shown = self.groups if limit is None else self.groups[:limit]
        for group in shown:
            more = f" and {len(group.names) - SHOWN} more" if len(group.names) > SHOWN else ""
            lines.append(f"  {group.op} {group.type}: {', '.join(group.names[:SHOWN])}{more}")
            lines += [f"      {answer}  {', '.join(orders)}" for answer, orders in group.answers]
        if len(self.groups) > len(shown):
            lines.append(f"  ... and {len(self.groups) - len(shown)} more groups (--limit)")
        return "\n".join(lines)

    def _summary(self) -> str:
        tried = f"{len(self.orders) - 1} other orders of visits were tried"
        if not self.groups:
            return f"by {self.partitioner}: {tried}, all {self.values} values stay as they are"
        return f"by {self.partitioner}: {tried}, {self.depending} of {self.values} values change"

    def to_dict(self) -> dict[str, Any]:
        """Return the report ready for JSON."""
        return {
            "partitioner": self.partitioner.lower(),
            "values": self.values,
            "depending": self.depending,
            "orders": list(self.orders),
            "groups": [
                {
                    "op": group.op,
                    "type": group.type,
                    "values": list(group.names),
                    "answers": [
                        {"sharding": answer, "orders": list(orders)}
                        for answer, orders in group.answers
                    ],
                }
                for group in self.groups
            ],
        }

    def _repr_html_(self) -> str:
        rows = [
            (
                group.op,
                group.type,
                ", ".join(group.names[:SHOWN]),
                "; ".join(f"{answer}: {', '.join(orders)}" for answer, orders in group.answers),
            )
            for group in self.groups
        ]
        told = paragraph(self._summary())
        return told + (table(("op", "type", "values", "answers"), rows) if rows else listed(()))

    def __str__(self) -> str:
        return self.to_text()


def _order_name(seed: int | None) -> str:
    if seed is None:
        return PLAIN
    return "last first" if not seed else f"drawn {seed}"


def _report(
    partitioner: str,
    seeds: Sequence[int | None],
    runs: Sequence[Mapping[Hashable, tuple[str, str, str, str]]],
) -> OrderReport:
    """The report of runs: by value its op, its type, its name and its sharding as text."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    names = [_order_name(seed) for seed in seeds]
    common = [key for key in runs[0] if all(key in run for run in runs)]
    for key in common:
        op, kind, name, _ = runs[0][key]
        answers: dict[str, list[str]] = {}
        for order, run in zip(names, runs, strict=True):
            answers.setdefault(run[key][3], []).append(order)
        if len(answers) > 1:
            told = tuple((answer, tuple(orders)) for answer, orders in answers.items())
            groups.setdefault((op, kind, told), []).append(name)
    made = [Ordered(op, kind, tuple(n), told) for (op, kind, told), n in groups.items()]
    made.sort(key=lambda group: -len(group.names))
    return OrderReport(partitioner, len(common), tuple(names), tuple(made))


def _seeds(draws: int) -> list[int | None]:
    return [None, *range(draws + 1)]


# ---------------------------------------------------------------- GSPMD


def gspmd_orders(
    module: HloModule,
    options: Mapping[str, Any],
    draws: int = 4,
    told: Callable[[str], None] = lambda _: None,
) -> OrderReport:
    """Propagate a module in XLA's order of visits and in others, and return what depends on it.

    In each computation operands still come before users. The first other order takes the last
    first, `draws` more are drawn. `options` are those of `propagate`; the module stays as it is.
    Raises as `propagate` does.
    """
    text = module.to_text().encode("utf-8", "surrogateescape")
    runs = []
    for seed in _seeds(draws):
        told(f"order {_order_name(seed)}")
        copy = converters.load(text, lenient=True)
        outcome = propagate(copy, **{**options, "provenance": False, "order": seed})
        found: dict[Hashable, tuple[str, str, str, str]] = {}
        for name, instruction in zip(outcome.names, outcome.entities, strict=True):
            sharding = instruction.sharding
            shown = "no sharding" if sharding is None else str(sharding)
            key = instruction.computation.name, name
            found[key] = (instruction.opcode, str(instruction.shape), name, shown)
        runs.append(found)
    return _report("GSPMD", _seeds(draws), runs)


# ---------------------------------------------------------------- Shardy


def shardy_orders(
    program: Program,
    draws: int = 4,
    rules: Rules | None = None,
    told: Callable[[str], None] = lambda _: None,
) -> OrderReport:
    """Propagate a program in its own order and with its operations in others; the same for Shardy.

    An operation still stands behind those that it reads, so the program means the same; the order
    of visits, and that in which uses of a value are told of a change, follow. `rules` are the
    shipped ones by default. Raises as `saturate` does.
    """
    runs = []
    for seed in _seeds(draws):
        told(f"order {_order_name(seed)}")
        copy, _ = copied(program)
        numbers = {op: n for n, op in enumerate(copy.module.walk())}
        if seed is not None:
            copy = reordered(copy, seed, numbers)
        runs.append(_shardy_answers(copy, numbers, rules))
    return _report("Shardy", _seeds(draws), runs)


def _shardy_answers(
    program: Program, numbers: Mapping[Operation, int], rules: Rules | None
) -> dict[Hashable, tuple[str, str, str, str]]:
    owners = {op.line: number for op, number in numbers.items()}
    asked = Asked(program, rules)
    found: dict[Hashable, tuple[str, str, str, str]] = {}
    several: set[Hashable] = set()
    for value, name, entity in asked.names.values():
        owner = value.owner
        path = tuple(
            owners.get(one.line, -1)
            for one in (owner, *owner.ancestors())
            if one is owner or one.name == "sdy.named_computation"
        )
        place: Hashable = (path, value.op is None, value.index)
        if place in found:
            # constants are copied for their users, in some order
            several.add(place)
        origin = asked.names.origin(entity)
        shown = spec(asked.final(entity))
        found[place] = (origin.opcode, value.type.text, name, shown)
    for place in several:
        del found[place]
    for place, value in asked.names.results.items():
        entity = asked.found.graph.numbers[value]
        shown = spec(asked.final(entity))
        found["result", place] = ("result", value.type.text, f"result {place}", shown)
    return found


def reordered(program: Program, seed: int, numbers: dict[Operation, int] | None = None) -> Program:
    """Return a program with the operations of each region in another order.

    `numbers`, if given, are filled anew: what its operations were before by those of the new one.
    The program itself is changed, too.
    """
    before = {op: n for n, op in enumerate(program.module.walk())} if numbers is None else numbers
    for op in list(program.module.walk()):
        for block in op.regions:
            if op is not program.module and block.ops:
                _reorder(block, seed)
    order = [before[op] for op in program.module.walk()]
    named = [(op.name, [v.name for v in op.results]) for op in program.module.walk()]
    made = read_program(write_program(program), program.file)
    ops = list(made.module.walk())
    if numbers is not None:
        numbers.clear()
        numbers.update(zip(ops, order, strict=True))
    for op, (_, names) in zip(ops, named, strict=True):
        for value, name in zip(op.results, names, strict=True):
            value.name = name
    return made


def _reorder(block: Block, seed: int) -> None:
    last = block.ops[-1:] if block.ops[-1].is_terminator else []
    own = block.ops[: len(block.ops) - len(last)]
    inside = {one: op for op in own for one in op.walk()}

    def before(op: Operation) -> Iterable[Operation]:
        for one in op.walk():
            for value in one.operands:
                maker = inside.get(value.op) if value.op is not None else None
                if maker is not None and maker is not op:
                    yield maker

    block.ops[:] = [*another_order(own, before, seed), *last]
