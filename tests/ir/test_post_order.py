"""The order in which XLA visits instructions."""

from hypothesis import given
from hypothesis import strategies as st

from shardlog.ir.module import Computation, HloModule, Instruction
from shardlog.ir.post_order import post_order
from shardlog.ir.shape import Shape


def graph(rows: list[list[int]]) -> Computation:
    """A computation in which instruction i has the operands rows[i]."""
    computation = Computation("c", HloModule("m"))
    for i, row in enumerate(rows):
        operands = tuple(computation.instructions[k] for k in row)
        instruction = Instruction(f"n{i}", "add", Shape("f32"), operands, computation)
        computation.instructions.append(instruction)
    return computation


def visited(rows: list[list[int]]) -> list[int]:
    """The depth-first order, as the recursion that defines it."""
    order: list[int] = []

    def visit(i: int) -> None:
        for operand in rows[i]:
            visit(operand)
        if i not in order:
            order.append(i)

    used = {operand for row in rows for operand in row}
    for i in range(len(rows)):
        if i not in used:
            visit(i)
    return order


ROWS = st.lists(st.lists(st.integers(0, 99), max_size=3), min_size=1, max_size=9).map(
    lambda rows: [[k % i for k in row] if i else [] for i, row in enumerate(rows)]
)


@given(ROWS)
def test_operands_come_first_in_order(rows: list[list[int]]) -> None:
    computation = graph(rows)
    order = [computation.instructions.index(x) for x in computation.post_order]
    assert order == visited(rows)
    assert computation.was_in_post_order == (order == sorted(order))


def test_operands_and_roots_go_from_first_to_last() -> None:
    computation = graph([[], [], [], [1, 0], [2]])
    assert [x.name for x in computation.post_order] == ["n1", "n0", "n3", "n2", "n4"]


def test_control_predecessors_come_before_operands() -> None:
    rows: list[list[int]] = [[], [], [1], [0]]
    assert [x.name for x in graph(rows).post_order] == ["n1", "n2", "n0", "n3"]
    computation = graph(rows)
    computation.instructions[2].control_predecessors = (computation.instructions[0],)
    assert [x.name for x in computation.post_order] == ["n0", "n1", "n2", "n3"]


def test_collectives_of_one_channel_stay_together() -> None:
    computation = Computation("c", HloModule("m"))

    def add(name: str, opcode: str, *operands: Instruction) -> Instruction:
        attributes = {"channel_id": "1"} if opcode == "all-reduce" else {}
        shape = Shape("f32")
        made = Instruction(name, opcode, shape, operands, computation, attributes=attributes)
        computation.instructions.append(made)
        return made

    p, q = add("p", "parameter"), add("q", "parameter")
    a, b = add("a", "all-reduce", p), add("b", "all-reduce", q)
    x, y = add("x", "negate", a), add("y", "negate", b)
    add("t", "tuple", x, y)
    # no post-order without channels, so they decide
    assert [i.name for i in post_order(computation.instructions)] == [*"pqabxyt"]
    assert [i.name for i in post_order(computation.instructions, False)] == [*"paxqbyt"]
    plain = [p, a, x, q, b, y, computation.instructions[-1]]
    assert post_order(plain) == plain
