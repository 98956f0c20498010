"""Small domains that have nothing to do with shardings: the engine is a Datalog with lattices."""

from __future__ import annotations

import networkx as nx
import pytest

from shardlog.engine import Facts, Library, RuleError, Saturation
from tests.engine.running import agree, answers, load, values

SCHEDULE = """
+ lattice('level')
+ channel('start', 'level', 'whole', 'join', 'begin', 'anything')
+ channel('flow', 'level', 'whole', 'join', 'forward', 'anything')
+ join('join', 'join')
+ visit('begin', 'Y', 'ascending')
+ visit('forward', 'Y', 'ascending')
+ sweeps('forward')
+ parameter('tier')
+ phases('begin', 'tier 0')
wakes(X, 'forward', Y) <= edge(X, Y, W)
start(Y, S) <= source(Y, S)
"""


def least(old: int | None, new: int) -> int | None:
    return new if old is None or new < old else None


def greatest(old: int | None, new: int) -> int | None:
    return new if old is None or new > old else None


def put(old: object, new: object) -> object:
    return new if new != old else None


def weighted(edges: list[tuple[int, int, int]], sources: list[tuple[int, object]]) -> Facts:
    facts = Facts(6)
    facts.table("edge", edges, 3)
    facts.table("source", sources, 2)
    return facts


EDGES = [(0, 1, 7), (0, 2, 1), (2, 1, 2), (1, 3, 1), (3, 0, 1), (4, 5, 1)]


def test_shortest_paths() -> None:
    text = SCHEDULE + "flow(Y, D) <= edge(X, Y, W) & (level[X] == E) & (D == E + W)\n"
    facts = weighted(EDGES, [(0, 0)])
    run = agree(load(text, Library(joins={"join": least}), facts), facts)
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_weighted_edges_from(EDGES)
    assert values(run, "level") == [0, 3, 1, 4, None, None]
    assert nx.single_source_dijkstra_path_length(graph, 0) == {0: 0, 2: 1, 1: 3, 3: 4}
    assert [(r.entity, r.old, r.new, r.contributors) for r in run.records[4:]] == [
        (1, 7, 3, (2,)),
        (3, 8, 4, (1,)),
    ]


def test_negation_over_a_finished_run() -> None:
    text = (
        SCHEDULE
        + """
flow(Y, D) <= edge(X, Y, W) & (level[X] == E) & (D == E + W)
node(X) <= edge(X, Y, W)
node(Y) <= edge(X, Y, W)
reaches(X, Y) <= edge(X, Y, W)
reaches(X, Y) <= reaches(X, Z) & edge(Z, Y, W)
cut_off(X) <= node(X) & ~(level[X] == D)
far(X) <= (level[X] == D) & (D > 2)
apart(X, Y) <= node(X) & node(Y) & ~reaches(X, Y)
as_far(X, Y) <= (level[X] == D) & (level[Y] == D) & (X < Y)
farther(X) <= node(X) & (level[X] == D) & (level[Y] == E) & (D > E)
"""
    )
    facts = weighted([*EDGES, (0, 5, 1)], [(0, 0)])
    program = load(text, Library(joins={"join": least}), facts)
    names = ("cut_off", "far", "as_far", "farther", "apart")
    cut_off, far, as_far, farther, apart = answers(program, facts, *names)
    assert cut_off == {(4,)}
    assert far == {(1,), (3,)}
    assert as_far == {(2, 5)}
    assert farther == {(1,), (2,), (3,), (5,)}
    graph: nx.DiGraph[int] = nx.DiGraph([*(edge[:2] for edge in EDGES), (0, 5)])
    closure = nx.transitive_closure(graph, reflexive=False)
    assert apart == {(x, y) for x in graph for y in graph if not closure.has_edge(x, y)}


# ------------------------------------------------------------ constant propagation

CONSTANTS = """
+ lattice('known')
+ join('meet', 'meet')
+ channel('literal', 'known', 'whole', 'meet', 'down', 'anything')
+ channel('computed', 'known', 'whole', 'meet', 'down', 'anything')
+ channel('merged', 'known', 'whole', 'meet', 'down', 'anything')
+ visit('down', 'I', 'ascending')
+ sweeps('down')
+ parameter('round')
+ phases('round 0')
+ order('down', 'K')
+ dispatch('operation')
wakes(I, 'down', J) <= (operand[J, K] == I)
# rule: literal
# says: {I} is written as {V}
literal(I, V) <= (constant[I] == V)
# rule: sum
# says: {I} adds {A} and {B}
computed(I, V) <= adds(I, A, B) & (V == added(known[A], known[B]))
# rule: sum of the unknown
computed(I, 'varies') <= (operation[I] == 'add') & (operand[I, K] == A) & (known[A] == 'varies')
# rule: merge
# says: {I} is {A} on one way
merged(I, V) <= (operation[I] == 'phi') & (operand[I, K] == A) & (known[A] == V)
adds(I, A, B) <= (operation[I] == 'add') & (operand[I, 0] == A) & (operand[I, 1] == B)
foldable(I) <= (known[I] == V) & (V != 'varies') & ~(constant[I] == V)
"""


def meet(old: object, new: object) -> object:
    if old is None:
        return new
    return None if old in (new, "varies") else "varies"


def test_constant_propagation() -> None:
    # 0: 1    1: 2    2: 0 + 1    3: phi(2, 4)    4: 3 + 1    5: phi(0, 0)    6: 5 + 2
    facts = Facts(7)
    facts.functional("operation", ["const", "const", "add", "phi", "add", "phi", "add"])
    facts.functional("constant", [1, 2, None, None, None, None, None])
    facts.indexed("operand", [[], [], [0, 1], [2, 4], [3, 1], [0, 0], [5, 2]])
    added = lambda a, b: None if "varies" in (a, b) else a + b  # noqa: E731
    library = Library(functions={"added": added}, joins={"meet": meet})
    program = load(CONSTANTS, library, facts)
    run = agree(program, facts)
    assert values(run, "known") == [1, 2, 3, "varies", "varies", 1, 4]
    assert set(run.rows("foldable")) == {(2,), (5,), (6,)}
    why = [(r.rule.name, r.old, r.new) for r in run.records if r.entity == 3]
    assert why == [("merge", None, 3), ("merge", 3, "varies")]


# ------------------------------------------------------------ leaves

PAIRS = """
+ lattice('pair')
+ join('leaf', 'leaf_join')
+ join('whole', 'whole_join')
+ channel('whole', 'pair', 'whole', 'whole', 'up', 'anything')
+ channel('part', 'pair', 'leaf', 'leaf', 'up', 'anything')
+ visit('up', 'I', 'ascending')
+ sweeps('up')
+ parameter('round')
+ phases('round 0')
+ order('up', 'K')
wakes(I, 'up', J) <= (operand[J, K] == I)
# rule: given
whole(I, V) <= (given[I] == V)
# rule: gathers
part(I, K, E) <= (operand[I, K] == O) & (pair[O] == P) & (E == first(P))
"""


def leaf_join(old: tuple[int, ...] | None, elements: tuple[tuple[int, int], ...]) -> object:
    """Raises single elements of a pair; the others stay, or are 0 if there were none."""
    new = list(old or (0, 0))
    for place, value in elements:
        new[place] = max(new[place], value)
    return tuple(new) if tuple(new) != old else None


def test_leaves_of_tuples() -> None:
    facts = Facts(4)
    facts.functional("given", [(3, 9), (5, 9), None, None])
    facts.indexed("operand", [[], [], [0, 1], [2, 2]])
    joins = {"leaf_join": leaf_join, "whole_join": put}
    program = load(PAIRS, Library({"first": lambda pair: pair[0]}, {}, joins), facts)
    run = agree(program, facts)
    assert values(run, "pair") == [(3, 9), (5, 9), (3, 5), (3, 3)]
    # each leaf is a proposal of its own, in operand order
    assert [r.new for r in run.records if r.entity == 2] == [(3, 0), (3, 5)]


# ------------------------------------------------------------ groups and visits on change

VESSELS = """
+ lattice('water')
+ join('rise', 'greatest')
+ join('put', 'put')
+ channel('pour', 'water', 'whole', 'rise', 'rain', 'anything')
+ channel('level_out', 'water', 'whole', 'put', 'change', 'anything')
+ visit('rain', 'I', 'ascending')
+ visit('change', 'I', 'on change')
+ sweeps('rain')
+ parameter('day')
+ phases('day 0')
+ order('change', 'J')
# rule: rain
pour(I, W) <= (falls[I] == W)
# rule: pipe
# says: {J} is connected to {I}
level_out(J, W) <= pipe(I, J) & (water[I] == W) & (full[J] != W)
+ view('full', 'water')
"""


def test_changes_cascade_depth_first() -> None:
    facts = Facts(5)
    facts.functional("falls", [4, None, None, 2, None])
    facts.table("pipe", [(0, 1), (0, 2), (1, 4), (3, 2)], 2)
    program = load(VESSELS, Library(joins={"greatest": greatest, "put": put}), facts)
    run = agree(program, facts)
    # 1 and all that hangs on it come before 2
    assert [(r.entity, r.new, r.visit) for r in run.records] == [
        (0, 4, "rain"),
        (1, 4, "change"),
        (4, 4, "change"),
        (2, 4, "change"),
        (3, 2, "rain"),
        (2, 2, "change"),
    ]


# ------------------------------------------------------------ views and aggregates

AGGREGATES = (
    SCHEDULE
    + """
+ view('now', 'level')
+ order('forward', 'W, X')
flow(Y, S) <= edge(X, Y, W) & (level[X] == S)
(lowest[Y] == min_(S)) <= edge(X, Y, W) & (level[X] == S)
(highest[Y] == max_(S)) <= edge(X, Y, W) & (level[X] == S)
(nearest[Y] == min_(S, order_by=W)) <= edge(X, Y, W) & (level[X] == S)
(farthest[Y] == max_(S, order_by=W)) <= edge(X, Y, W) & (level[X] == S)
(listed[Y] == tuple_(S, order_by=(W, X))) <= edge(X, Y, W) & (level[X] == S)
(reversed_[Y] == tuple_(S, order_by=-W)) <= edge(X, Y, W) & (level[X] == S)
(kinds[Y] == len_(S)) <= edge(X, Y, W) & (level[X] == S)
(amount[Y] == sum_(S, order_by=X)) <= edge(X, Y, W) & (level[X] == S)
dry(X) <= edge(X, Y, W) & (now[X] == None)
wet(X) <= edge(X, Y, W) & (now[X] != None)
"""
)


def test_aggregates_and_views() -> None:
    facts = weighted([(0, 3, 2), (1, 3, 1), (2, 3, 5), (4, 5, 1)], [(0, 6), (1, 8), (2, 6)])
    program = load(AGGREGATES, Library(joins={"join": greatest}), facts)
    names = ("lowest", "highest", "nearest", "farthest", "listed", "reversed_", "kinds", "amount")
    found = answers(program, facts, *names, "dry", "wet")
    assert found[:8] == [
        {(3, 6)},
        {(3, 8)},
        {(3, 8)},
        {(3, 6)},
        {(3, (8, 6, 6))},
        {(3, (6, 6, 8))},
        {(3, 2)},
        {(3, 20)},
    ]
    assert found[8:] == [{(4,)}, {(0,), (1,), (2,)}]


def test_aggregates_at_the_instant() -> None:
    text = (
        SCHEDULE
        + """
(heard[Y] == tuple_(S, order_by=X)) <= edge(X, Y, W) & (level[X] == S)
flow(Y, S) <= (heard[Y] == L) & (S == total(L))
"""
    )
    facts = weighted([(0, 1, 1), (0, 2, 1), (1, 2, 1), (2, 3, 1)], [(0, 5)])
    library = Library({"total": sum}, {}, {"join": greatest})
    run = agree(load(text, library, facts), facts)
    assert values(run, "level") == [5, 5, 10, 10, None, None]
    assert run.records[2].contributors == (0, 1)


# ------------------------------------------------------------ modes, recursion, phases, order


def test_relations_with_inputs() -> None:
    text = (
        SCHEDULE
        + """
+ mode('raised', 'S, W')
+ mode('even', 'S')
raised(S, W, T) <= even(S) & (T == S + W)
raised(S, W, T) <= ~even(S) & (T == S * W)
even(S) <= (R == S % 2) & (R == 0)
flow(Y, T) <= edge(X, Y, W) & (level[X] == S) & raised(S, W, T)
"""
    )
    facts = weighted([(0, 1, 3), (1, 2, 4), (2, 3, 5)], [(0, 2)])
    program = load(text, Library(joins={"join": greatest}), facts)
    assert values(agree(program, facts), "level") == [2, 5, 20, 25, None, None]
    with pytest.raises(RuleError, match="raised is asked for given terms only"):
        Saturation(program, facts).run().rows("raised")


def test_recursion_at_the_instant() -> None:
    text = (
        SCHEDULE
        + """
+ descends('upstream', 'only')
(only[Y] == X) <= (sources[Y] == 1) & edge(X, Y, W)
(sources[Y] == len_(X)) <= edge(X, Y, W)
(upstream[Y] == S) <= (only[Y] == X) & (level[X] == S)
(upstream[Y] == S) <= (only[Y] == X) & ~(level[X] == Z) & (upstream[X] == S)
# rule: look upstream
flow(Y, S) <= asks(Y) & (upstream[Y] == S)
"""
    )
    facts = weighted([(0, 1, 1), (1, 2, 1), (2, 3, 1), (0, 4, 1), (3, 4, 1)], [(0, 7)])
    facts.table("asks", [(3,), (4,)], 1)
    run = agree(load(text, Library(joins={"join": greatest}), facts), facts)
    # 4 has two sources, so there is no one way up
    assert values(run, "level") == [7, None, None, 7, None, None]
    assert run.records[-1].contributors == ()


PHASES = """
+ lattice('level')
+ join('cap', 'capped', 'limit[I]', 'loose[T]')
+ channel('flow', 'level', 'whole', 'cap', 'forward', 'open_now')
+ channel('start', 'level', 'whole', 'cap', 'begin', 'anything')
+ visit('begin', 'I', 'ascending')
+ visit('forward', 'I', 'ascending')
+ sweeps('forward')
+ parameter('tier')
+ phases('begin', 'tier 0', 'tier 1', 'tier 2')
+ mode('loose', 'T')
(loose[T] == True) <= (T >= 2)
(loose[T] == False) <= (T < 2)
start(I, S) <= (first[I] == S)
open_now(I) <= tier(T) & (opens[I] == N) & (T >= N)
# rule: early
flow(I, S) <= (operand[I, K] == O) & (level[O] == S) & tier(0)
# rule: late
flow(I, D) <= (operand[I, K] == O) & (level[O] == S) & tier(T) & (T > 0) & (D == S + T)
wakes(I, 'forward', J) <= (operand[J, K] == I)
"""


def test_phases_gate_rules_guards_and_joins() -> None:
    def capped(old: int | None, new: int, limit: int, loose: bool) -> int | None:
        return greatest(old, new) if loose or new <= limit else None

    facts = Facts(4)
    facts.functional("first", [3, None, None, None])
    facts.functional("opens", [0, 0, 1, 2])
    facts.functional("limit", [9, 9, 3, 9])
    facts.indexed("operand", [[], [0], [1], [2]])
    run = agree(load(PHASES, Library(joins={"capped": capped}), facts), facts)
    told = [(r.entity, r.new, r.rule.name, r.value) for r in run.records]
    assert told == [
        (0, 3, "start", None),
        (1, 3, "early", 0),
        (1, 4, "late", 1),
        (1, 5, "late", 2),
        (2, 7, "late", 2),
        (3, 9, "late", 2),
    ]


def test_order_is_file_order_then_declared_order() -> None:
    text = """
+ lattice('seen')
+ join('put', 'put')
+ channel('note', 'seen', 'whole', 'put', 'forward', 'anything')
+ visit('forward', 'I', 'ascending')
+ sweeps('forward')
+ parameter('tier')
+ phases('tier 0')
+ order('forward', 'N, K')
# rule: second in name, first in the file
note(I, S) <= item(I, N, K) & (S == joined(N, K))
# rule: after it
note(I, 'end') <= item(I, N, K)
"""
    facts = Facts(1)
    facts.table("item", [(0, 2, 1), (0, 1, 9), (0, 1, 3)], 3)
    library = Library({"joined": lambda n, k: f"{n}.{k}"}, {}, {"put": put})
    run = agree(load(text, library, facts), facts)
    assert [r.new for r in run.records] == ["1.3", "1.9", "2.1", "end"]


def test_disabled_rules_do_nothing() -> None:
    text = SCHEDULE + "# rule: flows\nflow(Y, S) <= edge(X, Y, W) & (level[X] == S)\n"
    facts = weighted(EDGES, [(0, 1)])
    library = Library(joins={"join": greatest})
    program = load(text, library, facts, disabled=["flows"])
    assert values(agree(program, facts), "level") == [1, None, None, None, None, None]
    assert values(agree(load(text, library, facts), facts), "level") == [1, 1, 1, 1, None, None]


def test_plain_datalog_needs_no_lattice() -> None:
    text = "reaches(X, Y) <= edge(X, Y, W)\nreaches(X, Y) <= reaches(X, Z) & edge(Z, Y, W)\n"
    facts = weighted([(0, 1, 1), (1, 2, 1)], [])
    (reaches,) = answers(load(text, Library(), facts), facts, "reaches")
    assert reaches == {(0, 1), (0, 2), (1, 2)}


def test_rule_files_add_rows_to_facts() -> None:
    text = """
+ edge(2, 3, 1)
+ edge(0, 1, 1)
next_to(X, Y) <= edge(X, Y, W)
"""
    facts = weighted([(0, 1, 1), (1, 2, 1)], [])
    program = load(text, Library(), facts)
    next_to, edge = answers(program, facts, "next_to", "edge")
    assert next_to == {(0, 1), (1, 2), (2, 3)}
    assert edge == {(0, 1, 1), (1, 2, 1), (2, 3, 1)}


def test_aggregates_are_asked_with_any_of_their_keys() -> None:
    text = """
(most[X, W] == max_(Y)) <= edge(X, Y, W)
from_nought(W, Y) <= (most[0, W] == Y)
of_weight_two(X, Y) <= (most[X, 2] == Y)
up_to_three(X, W) <= (most[X, W] == 3)
all_of(X, W, Y) <= (most[X, W] == Y)
"""
    facts = weighted([(0, 1, 1), (0, 3, 1), (0, 2, 2), (4, 3, 2), (4, 5, 1)], [])
    program = load(text, Library(), facts)
    names = ("from_nought", "of_weight_two", "up_to_three", "all_of")
    assert answers(program, facts, *names) == [
        {(1, 3), (2, 2)},
        {(0, 2), (4, 3)},
        {(0, 1), (4, 2)},
        {(0, 1, 3), (0, 2, 2), (4, 1, 5), (4, 2, 3)},
    ]


def test_what_a_join_takes_from_the_phase_may_differ_between_facts() -> None:
    text = PHASES.replace("+ mode('loose', 'T')\n", "").replace(
        "(loose[T] == True) <= (T >= 2)\n(loose[T] == False) <= (T < 2)\n",
        "(loose[T] == B) <= liberal(T, B)\n",
    )

    def capped(old: int | None, new: int, limit: int, loose: bool) -> int | None:
        return greatest(old, new) if loose or new <= limit else None

    def facts(*liberal: bool) -> Facts:
        made = Facts(2)
        made.functional("first", [3, None])
        made.functional("opens", [0, 0])
        made.functional("limit", [9, 2])
        made.indexed("operand", [[], [0]])
        made.table("liberal", list(enumerate(liberal)), 2)
        return made

    program = load(text, Library(joins={"capped": capped}), facts(False, False, False))
    found = [
        values(agree(program, facts(*liberal)), "level")
        for liberal in ((False, False, False), (False, False, True), (True, False, False))
    ]
    assert found == [[3, None], [3, 5], [3, 3]]


def test_a_visit_that_runs_once_may_go_by_a_relation() -> None:
    text = """
+ lattice('level')
+ join('keep', 'keep')
+ channel('start', 'level', 'whole', 'keep', 'begin', 'anything')
+ visit('begin', 'I', 'place')
+ parameter('tier')
+ phases('begin')
# rule: own
start(I, S) <= (first[I] == S)
# rule: passed on
start(J, S) <= (operand[J, 0] == I) & (level[I] == S)
"""
    facts = Facts(3)
    facts.functional("place", [2, 1, 0])
    facts.functional("first", [7, 8, 9])
    facts.indexed("operand", [[1], [2], []])
    library = Library(joins={"keep": lambda old, new: new if old is None else None})
    run = agree(load(text, library, facts), facts)
    assert [(r.entity, r.new) for r in run.records] == [(2, 9), (1, 9), (0, 9)]
