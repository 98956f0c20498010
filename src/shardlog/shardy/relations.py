"""Relations about a program that Shardy has propagated, for questions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from shardlog.ir.errors import InputError
from shardlog.ir.shardy.program import Operation, Value
from shardlog.ir.shardy.tensor_sharding import TensorSharding
from shardlog.query.ground import Made, Shelf
from shardlog.query.relations import Closure, Column, Kind, Members, Relation, Rows, Source
from shardlog.shardy.account import Gain, How
from shardlog.shardy.reshards import reshards
from shardlog.shardy.session import Asked
from shardlog.shardy.shown import spec
from shardlog.shardy.sizes import bytes_on_device, whole_bytes

__all__ = ["HEADINGS", "RELATIONS", "Ground", "Sources"]

Row: TypeAlias = tuple[Any, ...]


@dataclass
class Ground:
    """A propagated program with the names of its values, in order.

    `values` are arguments, results of operations and results of main, `entities` what holds their
    shardings; several values, such as a loop's result and its argument, may share one.
    """

    asked: Asked

    def __post_init__(self) -> None:
        found = list(self.asked.names.values())
        self.values: list[Value] = [value for value, _, _ in found]
        self.names: list[str] = [name for _, name, _ in found]
        self.entities: list[int] = [entity for _, _, entity in found]
        self.numbers = {name: number for number, name in enumerate(self.names)}
        self.name_of = dict(zip(self.values, self.names, strict=True))
        self.meshes = self.asked.history.meshes

    def final(self, number: int) -> TensorSharding | None:
        """The sharding that a value leaves with."""
        return self.asked.final(self.entities[number])

    def op(self, number: int) -> Operation | None:
        """The operation that defines a value."""
        return self.values[number].op

    def column(
        self, values: Sequence[Any] | None = None, read: Callable[[int], Any] | None = None
    ) -> Column:
        """A function of values."""
        return Column(self.names, self.numbers, values, read)

    def members(self, holds: Callable[[int], bool]) -> Members:
        """Values of which something holds, by number."""
        return Members(lambda: [name for n, name in enumerate(self.names) if holds(n)])

    def rows(self, make: Callable[[], Iterable[Row]]) -> Rows:
        """Rows of any kind."""
        return Rows(make, float(len(self.names) or 1))

    def gains(self, number: int) -> list[Gain]:
        """How a value came by the axes that it has after propagation, the last step of each."""
        account, entity = self.asked.account, self.entities[number]
        found = [account.gain(entity, dim, axis) for dim, axis in account.axes(entity)]
        return [gain for gain in found if gain is not None]


GRAPH = Shelf("the graph")
SHAPES = Shelf("shapes")
ORIGINS = Shelf("the user's program")
SHARDINGS = Shelf("shardings")
PROVENANCE = Shelf("how it came about")


def _made(shelf: Shelf, signature: str, says: str) -> Callable[[Callable[[Ground], Source]], Any]:
    # a shelf's relations are made of GSPMD's ground, these of Shardy's
    return shelf(signature, says)  # type: ignore[return-value]


# ---------------------------------------------------------------- graph


@_made(GRAPH, "inst(I)", "every value: arguments, results of operations, and of main")
def _inst(on: Ground) -> Source:
    return on.members(lambda n: True)


@_made(GRAPH, "opcode[I] == P", "the operation that makes I, without `stablehlo.`, or `argument`")
def _opcode(on: Ground) -> Source:
    return on.column(
        [
            "argument" if op is None else op.name.removeprefix("stablehlo.")
            for op in (value.op for value in on.values)
        ]
    )


@_made(GRAPH, "target[I] == T", "the target of a custom call")
def _target(on: Ground) -> Source:
    return on.column(
        read=lambda n: (
            op.symbol("call_target_name")
            if (op := on.op(n)) is not None and op.name == "stablehlo.custom_call"
            else None
        )
    )


@_made(GRAPH, "operand[I, K] == O", "operand number K of what makes I")
def _operand(on: Ground) -> Source:
    return on.rows(
        lambda: (
            (name, place, on.name_of[one])
            for name, value in zip(on.names, on.values, strict=True)
            if value.op is not None
            for place, read in enumerate(value.op.operands)
            for one in [_owner(read)]
            if one in on.name_of
        )
    )


def _owner(value: Value) -> Value:
    """What stands before an edge."""
    op = value.op
    return op.operands[0] if op is not None and op.name == "sdy.data_flow_edge" else value


@_made(GRAPH, "user[I, K] == U", "what is made of I, number K in the order of the program")
def _user(on: Ground) -> Source:
    def rows() -> Iterator[Row]:
        users: dict[str, dict[str, None]] = {}
        for name, _, operand in _operand(on).lookup((), ()):
            users.setdefault(operand, {})[name] = None
        for name, its in users.items():
            for place, user in enumerate(its):
                yield name, place, user

    return on.rows(rows)


@_made(GRAPH, "reaches(I, J)", "J is computed from I, at once or through others")
def _reaches(on: Ground) -> Source:
    below: dict[str, list[str]] = {}
    above: dict[str, list[str]] = {}
    for row in _operand(on).lookup((), ()):
        below.setdefault(row[2], []).append(row[0])
        above.setdefault(row[0], []).append(row[2])
    about = max(len(on.names) / 8, 2.0)
    return Closure(on.names, lambda x: _walk(below, x), lambda x: _walk(above, x), about)


def _walk(beside: Mapping[str, Sequence[str]], name: str) -> Iterator[str]:
    seen: set[str] = set()
    todo = [name]
    while todo:
        for other in beside.get(todo.pop(), ()):
            if other not in seen:
                seen.add(other)
                todo.append(other)
                yield other


@_made(GRAPH, "op_rule[I] == T", "the op sharding rule of what makes I")
def _op_rule(on: Ground) -> Source:
    places = {op: n for n, op in enumerate(on.asked.found.graph.ops)}
    rules = on.asked.history.rules

    def read(number: int) -> str | None:
        op = on.op(number)
        rule = None if op is None else rules[places[op]]
        return None if rule is None else str(rule)

    return on.column(read=read)


@_made(GRAPH, "factor(I, T, N, W)", "factor T of what makes I has size N and kind W: 'pass', ...")
def _factor(on: Ground) -> Source:
    from shardlog.ir.shardy.op_rule import factor_symbol

    places = {op: n for n, op in enumerate(on.asked.found.graph.ops)}
    rules = on.asked.history.rules

    def rows() -> Iterator[Row]:
        for number, name in enumerate(on.names):
            op = on.op(number)
            rule = None if op is None else rules[places[op]]
            if rule is not None:
                for factor, (size, kind) in enumerate(zip(rule.sizes, rule.kinds, strict=True)):
                    yield name, factor_symbol(factor), size, kind

    return on.rows(rows)


# ---------------------------------------------------------------- shapes and origins


@_made(SHAPES, "shape[I] == T", "the type, such as 'tensor<16x32xf32>'")
def _shape(on: Ground) -> Source:
    return on.column([value.type.text for value in on.values])


@_made(SHAPES, "element_type[I] == T", "the type of its elements, such as 'bf16'")
def _element_type(on: Ground) -> Source:
    return on.column([value.type.element for value in on.values])


@_made(SHAPES, "rank[I] == N", "the number of dimensions")
def _rank(on: Ground) -> Source:
    return on.column([value.type.rank for value in on.values])


@_made(SHAPES, "dim[I, D] == N", "the size of dimension D")
def _dim(on: Ground) -> Source:
    return on.rows(
        lambda: (
            (name, dim, size)
            for name, value in zip(on.names, on.values, strict=True)
            for dim, size in enumerate(value.type.shape or ())
        )
    )


@_made(SHAPES, "byte_size[I] == N", "the bytes of the whole value")
def _byte_size(on: Ground) -> Source:
    return on.column([whole_bytes(value.type) for value in on.values])


@_made(ORIGINS, "op_name[I] == T", "the op's name in the user's program, such as 'jit(f)/add'")
def _op_name(on: Ground) -> Source:
    return on.column([None if v.op is None else v.op.location or None for v in on.values])


@_made(ORIGINS, "label[I] == T", "what the user's program calls an argument or result")
def _label(on: Ground) -> Source:
    origin = on.asked.names.origin
    return on.column(read=lambda n: origin(on.entities[n]).label or None)


@_made(ORIGINS, "source[I] == T", "the place that it comes from, such as 'gpt.py:153'")
def _source(on: Ground) -> Source:
    return on.column([None if v.op is None else v.op.source or None for v in on.values])


# ---------------------------------------------------------------- shardings


@_made(SHARDINGS, "sharding[I] == S", "the sharding that I leaves with, as text")
def _sharding(on: Ground) -> Source:
    return on.column(read=lambda n: None if on.final(n) is None else spec(on.final(n)))


@_made(SHARDINGS, "annotation[I] == S", "the sharding that I came with")
def _annotation(on: Ground) -> Source:
    given = on.asked.found.given
    results = on.asked.found.graph.results

    def read(number: int) -> str | None:
        value = on.values[number]
        if value.op is not None and value.op in results:
            start = on.asked.history.start[on.entities[number]]
            return None if start is None else spec(start)
        return spec(given[value]) if value in given else None

    return on.column(read=read)


@_made(SHARDINGS, "annotated(I)", "I came with a sharding")
def _annotated(on: Ground) -> Source:
    annotations = _annotation(on)
    assert isinstance(annotations, Column)
    return Members(lambda: [name for name, _ in annotations.lookup((), ())])


@_made(SHARDINGS, "changed(I)", "I leaves with other axes than it came with")
def _changed(on: Ground) -> Source:
    came = {row[0]: _shut(row[1]) for row in _annotation(on).lookup((), ())}
    leaves = {row[0]: _shut(row[1]) for row in _sharding(on).lookup((), ())}
    return on.members(lambda n: leaves.get(on.names[n]) != came.get(on.names[n]))


def _shut(sharding: str) -> str:
    """A sharding's text without what says that dimensions are open: all are closed in the end."""
    return sharding.replace(", ?", "").replace("?", "")


@_made(SHARDINGS, "replicated(I)", "no axis splits I, so that every device holds all of it")
def _replicated(on: Ground) -> Source:
    return on.members(lambda n: not _axes(on.final(n)))


@_made(SHARDINGS, "tiled(I)", "some axis splits I")
def _sharded(on: Ground) -> Source:
    return on.members(lambda n: bool(_axes(on.final(n))))


@_made(SHARDINGS, "unsharded(I)", "I has no sharding at all")
def _unsharded(on: Ground) -> Source:
    return on.members(lambda n: on.final(n) is None)


def _axes(sharding: TensorSharding | None) -> list[str]:
    return [] if sharding is None else [axis.name for dim in sharding.dims for axis in dim.axes]


@_made(SHARDINGS, "dim_axis(I, D, X)", "axis X, or a part of it, splits dimension D of I")
def _dim_axis(on: Ground) -> Source:
    def rows() -> Iterator[Row]:
        for number, name in enumerate(on.names):
            sharding = on.final(number)
            for dim, its in enumerate(() if sharding is None else sharding.dims):
                for axis in its.axes:
                    yield name, dim, axis.name

    return on.rows(rows)


@_made(SHARDINGS, "dim_shards[I, D] == N", "into how many parts dimension D of I is split")
def _shards(on: Ground) -> Source:
    def rows() -> Iterator[Row]:
        for number, name in enumerate(on.names):
            sharding = on.final(number)
            if sharding is not None:
                mesh = on.asked.found.program.mesh_of(sharding)
                for dim, its in enumerate(sharding.dims):
                    yield name, dim, its.sharded_size(mesh)

    return on.rows(rows)


@_made(SHARDINGS, "device_bytes[I] == N", "the bytes that a device holds of I")
def _device_bytes(on: Ground) -> Source:
    return on.column(read=lambda n: bytes_on_device(on.values[n].type, on.final(n), on.meshes))


@_made(SHARDINGS, "reshard(O, I)", "what makes I wants its operand O split otherwise")
def _reshard(on: Ground) -> Source:
    def rows() -> Iterator[Row]:
        names, graph = on.asked.names, on.asked.found.graph
        for one in reshards(on.asked.cuts, range(len(graph.ops))):
            op = graph.ops[one.op]
            if one.has and op.results and op.results[0] in on.name_of:
                yield names.of(one.operand), on.name_of[op.results[0]]

    return on.rows(rows)


# ---------------------------------------------------------------- provenance


@_made(
    PROVENANCE,
    "axis_from(I, D, X, O, N)",
    "axis X on dimension D of I was taken from O, at level N (of five, from 0)",
)
def _axis_from(on: Ground) -> Source:
    def rows() -> Iterator[Row]:
        for number, name in enumerate(on.names):
            for gain in on.gains(number):
                if gain.source is not None and gain.how is How.PROPAGATED:
                    other = on.asked.names.of(gain.source)
                    yield name, gain.dim, gain.axis.name, other, gain.level or 0

    return on.rows(rows)


@_made(PROVENANCE, "because(I, R, O)", "rule R gave I an axis of its sharding, from O")
def _because(on: Ground) -> Source:
    def rows() -> Iterator[Row]:
        for number, name in enumerate(on.names):
            for gain in on.gains(number):
                if gain.source is not None:
                    yield name, gain.rule, on.asked.names.of(gain.source)

    return on.rows(rows)


@_made(PROVENANCE, "rule[I] == R", "the rule that gave I its sharding, the last one if several did")
def _rule(on: Ground) -> Source:
    return on.column(read=lambda n: _last(on, n, lambda gain: gain.rule))


@_made(PROVENANCE, "level[I] == N", "the level at which it did, 0 to 4")
def _level(on: Ground) -> Source:
    return on.column(read=lambda n: _last(on, n, lambda gain: gain.level))


@_made(PROVENANCE, "priority[I] == N", "the user priority whose turn it was")
def _priority(on: Ground) -> Source:
    return on.column(read=lambda n: _last(on, n, lambda gain: gain.priority))


def _last(on: Ground, number: int, of: Callable[[Gain], Any]) -> Any:
    gains = on.gains(number)
    return of(max(gains, key=lambda gain: gain.position)) if gains else None


@_made(PROVENANCE, "rests_on(I, O)", "an axis of I rests on O, at once or through others")
def _rests_on(on: Ground) -> Source:
    above: dict[str, list[str]] = {}
    below: dict[str, list[str]] = {}
    for name, _, other in _because(on).lookup((), ()):
        above.setdefault(name, []).append(other)
        below.setdefault(other, []).append(name)
    about = max(len(on.names) / 8, 2.0)
    return Closure(on.names, lambda x: _walk(above, x), lambda x: _walk(below, x), about)


_SHELVES = (GRAPH, SHAPES, ORIGINS, SHARDINGS, PROVENANCE)
_MADE: dict[str, Made] = {made.relation.name: made for shelf in _SHELVES for made in shelf.made}

RELATIONS: Mapping[str, Relation] = {name: made.relation for name, made in _MADE.items()}
"""Every relation by its name, in the order in which they are told of."""

HEADINGS = tuple(shelf.heading for shelf in _SHELVES)


class Sources(Mapping[str, Source]):
    """The sources of a program's relations; each is made when it is first asked for."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._sources: dict[str, Source] = {}

    def __getitem__(self, name: str) -> Source:
        if name not in self._sources:
            make: Any = _MADE[name].make
            self._sources[name] = make(self._ground)
        return self._sources[name]

    def __contains__(self, name: object) -> bool:
        return name in _MADE

    def __iter__(self) -> Iterator[str]:
        return iter(_MADE)

    def __len__(self) -> int:
        return len(_MADE)


class QuestionNames:
    """What questions call values: as `Names.find` does."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self.instructions: Sequence[str] = ground.names
        self.numbers = ground.numbers
        self.rules = frozenset(rule.name for rule in ground.asked.found.run.program.rules)

    @property
    def opcodes(self) -> Sequence[str]:
        """The operations that there are, without `stablehlo.`."""
        ops = (value.op for value in self._ground.values)
        return sorted({op.name.removeprefix("stablehlo.") for op in ops if op is not None})

    def resolve(self, kind: Kind, value: str) -> str | tuple[str, Sequence[str]] | None:
        """What a text stands for where something of a kind is meant.

        None if it stands for itself; what is wrong, and names alike, if there is no such thing.
        """
        if kind is Kind.INSTRUCTION:
            if value in self.numbers:
                return value
            try:
                return self._ground.asked.names.of(self._ground.asked.names.find(value))
            except InputError as error:
                return error.message, ()
        if kind is Kind.RULE and value not in self.rules:
            return f"no rule is called {value!r}", ()
        return value
