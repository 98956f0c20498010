"""Relations about the graph: instructions, their operands, shapes and origins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from shardlog.ir.instruction import Instruction
from shardlog.ir.shape import Shape
from shardlog.query.ground import Ground, Shelf
from shardlog.query.relations import Column, Members, Rows, Source

__all__ = ["GRAPH", "ORIGINS", "SHAPES"]

GRAPH = Shelf("the graph")
SHAPES = Shelf("shapes")
ORIGINS = Shelf("the user's program")


@GRAPH("inst(I)", "every instruction")
def _inst(on: Ground) -> Source:
    return on.members(lambda: range(len(on.instructions)))


@GRAPH("opcode[I] == P", "the opcode; `copy` of a Sharding call, which becomes one")
def _opcode(on: Ground) -> Source:
    return on.column([x.opcode for x in on.instructions])


@GRAPH("target[I] == T", "the target of a custom call")
def _target(on: Ground) -> Source:
    return on.column(on.fact("target"))


@GRAPH("operand[I, K] == O", "operand number K of I")
def _operand(on: Ground) -> Source:
    names, run = on.names.instructions, on.run
    rows = run.outcome.saturated.facts.rows["operand"]
    return on.table(
        lambda n: [names[o] for o in rows[n]],
        lambda name: run.users(on.names.numbers[name]) if name in on.names.numbers else (),
    )


@GRAPH("operand_count[I] == N", "how many operands")
def _operand_count(on: Ground) -> Source:
    return on.column([len(x.operands) for x in on.instructions])


@GRAPH("user[I, K] == U", "user number K of I, each user once")
def _user(on: Ground) -> Source:
    names, run = on.names.instructions, on.run
    return on.table(
        lambda n: [names[u] for u in run.users(n)],
        lambda name: run.operands(on.names.numbers[name]) if name in on.names.numbers else (),
    )


@GRAPH("user_count[I] == N", "how many users")
def _user_count(on: Ground) -> Source:
    return on.column(read=lambda n: len(on.run.users(n)))


@GRAPH("tuple_index[I] == N", "which element a get-tuple-element takes")
def _tuple_index(on: Ground) -> Source:
    return on.column(read=lambda n: _index(on.instructions[n]))


def _index(instruction: Instruction) -> int | None:
    return instruction.tuple_index if instruction.opcode == "get-tuple-element" else None


@GRAPH("reaches(I, J)", "J is computed from I, at once or through others of its computation")
def _reaches(on: Ground) -> Source:
    return on.closure(lambda name: _walk(on, name, True), lambda name: _walk(on, name, False))


def _walk(on: Ground, name: str, forward: bool) -> Iterator[str]:
    """All that is computed from an instruction, or that it is computed from."""
    start = on.names.numbers.get(name)
    if start is None:
        return
    run, names = on.run, on.names.instructions
    seen: set[int] = set()
    todo = [start]
    while todo:
        number = todo.pop()
        beside: Iterable[int] = run.users(number) if forward else run.operands(number)
        for other in beside:
            if other not in seen:
                seen.add(other)
                todo.append(other)
                yield names[other]


@GRAPH("computation(C)", "every computation")
def _computation(on: Ground) -> Source:
    return Members(lambda: on.names.computations)


@GRAPH("entry(C)", "the entry computation")
def _entry(on: Ground) -> Source:
    return Members(lambda: [on.run.outcome.module.entry.name])


@GRAPH("inside[I] == C", "the computation that I is in")
def _inside(on: Ground) -> Source:
    return on.column([x.computation.name for x in on.instructions])


@GRAPH("root[C] == I", "the root of a computation, before the pass")
def _root(on: Ground) -> Source:
    roots = on.run.outcome.saturated.facts.tables["root"].rows
    names = on.names.instructions
    by_number = {row[0]: names[int(str(row[1]))] for row in roots}
    values = [by_number[n] for n in range(len(on.names.computations))]
    return Column(on.names.computations, on.names.computation_numbers, values)


@GRAPH("parameter[C, N] == I", "parameter number N of a computation")
def _parameter(on: Ground) -> Source:
    return _of_computations(on, "parameter", 0, 2)


@GRAPH("calls[I, N] == C", "computation number N that I calls: condition and body of a while, ...")
def _calls(on: Ground) -> Source:
    return _of_computations(on, "calls", 2, 0)


def _of_computations(on: Ground, table: str, computation: int, instruction: int) -> Rows:
    def rows() -> Iterator[tuple[object, ...]]:
        for row in on.run.outcome.saturated.facts.tables[table].rows:
            values: list[object] = list(row)
            values[computation] = on.names.computations[row[computation]]  # type: ignore[call-overload]
            values[instruction] = on.names.instructions[row[instruction]]  # type: ignore[call-overload]
            yield tuple(values)

    return on.rows(rows, 0.1)


@GRAPH("loop_depth[I] == N", "how many while loops I is in, one in the other")
def _loop_depth(on: Ground) -> Source:
    depths: dict[object, int] = {}
    module = on.run.outcome.module
    # callers stand behind what they call
    for computation in reversed(module.computations):
        here = depths.setdefault(computation, 0)
        for x in computation.instructions:
            for called in x.called:
                deeper = here + (x.opcode == "while")
                depths[called] = max(depths.get(called, 0), deeper)
    return on.column([depths.get(x.computation, 0) for x in on.instructions])


# ---------------------------------------------------------------- shapes


@SHAPES("shape[I] == T", "the shape, such as 'f32[16,32]'")
def _shape(on: Ground) -> Source:
    known: dict[Shape, str] = {}
    return on.column(
        [known.get(x.shape) or known.setdefault(x.shape, str(x.shape)) for x in on.instructions]
    )


@SHAPES("element_type[I] == T", "the type of an array's elements, such as 'bf16'")
def _element_type(on: Ground) -> Source:
    return on.column([x.shape.element_type if x.shape.is_array else None for x in on.instructions])


@SHAPES("rank[I] == N", "the number of dimensions of an array")
def _rank(on: Ground) -> Source:
    return on.column([x.shape.rank if x.shape.is_array else None for x in on.instructions])


@SHAPES("dim[I, D] == N", "the size of dimension D of an array")
def _dim(on: Ground) -> Source:
    return on.table(lambda n: on.instructions[n].shape.dimensions)


@SHAPES("byte_size[I] == N", "the bytes of the whole value, of a tuple of all its elements")
def _byte_size(on: Ground) -> Source:
    known: dict[Shape, int] = {}
    values = []
    for x in on.instructions:
        size = known.get(x.shape)
        if size is None:
            size = known[x.shape] = sum(leaf.byte_size for leaf in x.shape.leaves)
        values.append(size)
    return on.column(values)


@SHAPES("bit_width[I] == N", "the bits of an array's element")
def _bit_width(on: Ground) -> Source:
    return on.column([x.shape.bit_width if x.shape.is_array else None for x in on.instructions])


@SHAPES("tuple_shaped(I)", "I is a tuple")
def _tuple_shaped(on: Ground) -> Source:
    return on.members(lambda: [n for n, x in enumerate(on.instructions) if x.shape.is_tuple])


@SHAPES("array_shaped(I)", "I is an array")
def _array_shaped(on: Ground) -> Source:
    return on.members(lambda: [n for n, x in enumerate(on.instructions) if x.shape.is_array])


@SHAPES(
    "leaf_shape[I, N] == T", "the shape of array number N of a tuple, nested ones counted through"
)
def _leaf_shape(on: Ground) -> Source:
    def row(number: int) -> Sequence[str]:
        shape = on.instructions[number].shape
        return [str(leaf) for leaf in shape.leaves] if shape.is_tuple else ()

    return on.table(row)


# ---------------------------------------------------------------- origins


@ORIGINS("op_name[I] == T", "the op's name in the user's program, scopes and all")
def _op_name(on: Ground) -> Source:
    return on.column(read=lambda n: on.metadata(n).op_name or None)


@ORIGINS("source_file[I] == T", "the file that I comes from, without its folders")
def _source_file(on: Ground) -> Source:
    return on.column(read=lambda n: on.source(n)[0] or None)


@ORIGINS("source_line[I] == N", "the line in it")
def _source_line(on: Ground) -> Source:
    return on.column(read=lambda n: on.source(n)[1])


@ORIGINS("side_effect(I)", "I has a side effect")
def _side_effect(on: Ground) -> Source:
    rows = on.run.outcome.saturated.facts.tables["side_effect"].rows
    return on.members(lambda: [int(str(row[0])) for row in rows])
