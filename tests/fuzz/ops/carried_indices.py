"""Gathers and scatters whose counting indices come from outside their computation."""

from __future__ import annotations

from tests.fuzz.builder import Builder, emitter
from tests.fuzz.shapes import Array, Tuple, Value

LINE = "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1"
BACK = "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}"


def _counted(b: Builder, rows: int, high: bool) -> Value:
    """Indices of shape [rows, 1] that count up, or seldom do not."""
    shape = Array("s32", (rows, 1))
    kind = b.rng.random()
    if kind < 0.2:
        return b.make(shape, 0.3)
    if kind < 0.6 or not high:
        return b.emit(shape, "iota(), iota_dimension=0", annotated=0.1)
    line = b.emit(Array("s32", (rows,)), "iota(), iota_dimension=0", annotated=0.1)
    return b.emit(shape, f"broadcast({line}), dimensions={{0}}", annotated=0.1)


def _use(b: Builder, table: Value, indices: Value) -> Value:
    """A gather or scatter of the rows of a table; has the table's shape."""
    rows, width = table.dims
    if b.chance(0.6):
        text = f"gather({table}, {indices}), {LINE}, slice_sizes={{1,{width}}}"
        return b.emit(Array("f32", (rows, width)), text)
    updates = b.like(table.shape)
    add = b.module.reducer()
    text = f"scatter({table}, {indices}, {updates}), {BACK}, index_vector_dim=1, to_apply=%{add}"
    return b.emit(table.shape, text)


def _table(b: Builder) -> Value:
    return b.pick(lambda v: v.rank == 2) or b.make(b.shape(2, 2))


@emitter(0.4, calls=True)
def indices_of_a_loop(b: Builder) -> None:
    """A loop that hands its indices on unchanged, or changes them."""
    table = _table(b)
    indices = _counted(b, table.dims[0], b.chance(0.5))
    start = b.scalar("s32")
    state = Tuple((start.shape, table.shape, indices.shape))
    body = b.child()
    x = body.parameter(state, 0)
    step, inner, held = (body.element(x, i, annotated=0.05) for i in range(3))
    result = _use(body, inner, held)
    if body.chance(0.2):
        held = body.emit(held.shape, f"{body.rng.choice(('copy', 'negate'))}({held})")
    root = body.emit(state, f"tuple({step}, {result}, {held})", annotated=0)
    condition = b.child()
    y = condition.parameter(state, 0)
    now = condition.element(y, 0, annotated=0)
    end = condition.emit(Array("s32", ()), "constant(5)", annotated=0)
    less = condition.emit(Array("pred", ()), f"compare({now}, {end}), direction=LT", annotated=0)
    names = f"condition=%{condition.finish(less, 'cond')}, body=%{body.finish(root, 'body')}"
    init = b.emit(state, f"tuple({start}, {table}, {indices})", annotated=0.05)
    if b.chance(0.15):
        init = b.emit(state, f"opt-barrier({init})", annotated=0)
    loop = b.emit(state, f"while({init}), {names}", annotated=0.05)
    b.element(loop, 1)


@emitter(0.4, calls=True)
def indices_of_a_branch(b: Builder) -> None:
    """A conditional whose branches get a table and indices."""
    table = _table(b)
    indices = [_counted(b, table.dims[0], b.chance(0.5)) for _ in (0, 1)]
    state = Tuple((table.shape, indices[0].shape))
    arguments, names = [], []
    for i in (0, 1):
        branch = b.child()
        x = branch.parameter(state, 0)
        inner, held = (branch.element(x, n, annotated=0.05) for n in (0, 1))
        root = _use(branch, inner, held)
        names.append(branch.finish(root, "branch"))
        arguments.append(b.emit(state, f"tuple({table}, {indices[i]})", annotated=0.05))
    which = b.emit(Array("pred", ()), "constant(true)", annotated=0)
    operands = f"{which}, {arguments[0]}, {arguments[1]}"
    called = f"true_computation=%{names[0]}, false_computation=%{names[1]}"
    b.emit(table.shape, f"conditional({operands}), {called}")


@emitter(0.4, calls=True)
def indices_of_a_call(b: Builder) -> None:
    """A called computation that gets a table and indices, as parameters or in a tuple."""
    table = _table(b)
    indices = _counted(b, table.dims[0], b.chance(0.5))
    body = b.child()
    if b.chance(0.5):
        inner, held = (body.parameter(v.shape, 0) for v in (table, indices))
        operands = f"{table}, {indices}"
    else:
        state = Tuple((table.shape, indices.shape))
        x = body.parameter(state, 0)
        inner, held = (body.element(x, n, annotated=0.05) for n in (0, 1))
        operands = str(b.emit(state, f"tuple({table}, {indices})", annotated=0.05))
    root = _use(body, inner, held)
    b.emit(table.shape, f"call({operands}), to_apply=%{body.finish(root)}")
