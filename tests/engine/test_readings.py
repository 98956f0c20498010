"""How a rule is read where several readings would be possible."""

from __future__ import annotations

import pytest

from shardlog.engine import Facts, Library, Saturated
from tests.engine.running import agree, load, values

HEAD = """
+ lattice('first')
+ lattice('level')
+ view('own', 'level')
+ view('began', 'first')
+ join('rise', 'rise')
+ join('put', 'put')
+ channel('begin', 'first', 'whole', 'rise', 'beginning', 'anything')
+ channel('flow', 'level', 'whole', 'rise', 'forward', 'anything')
+ channel('guarded', 'level', 'whole', 'rise', 'forward', 'is_open')
+ channel('eager', 'level', 'whole', 'put', 'forward', 'anything')
+ channel('back', 'level', 'whole', 'rise', 'backward', 'anything')
+ visit('beginning', 'I', 'ascending')
+ visit('forward', 'I', 'ascending')
+ visit('backward', 'I', 'descending')
+ sweeps('forward', 'backward')
+ parameter('tier')
+ order('forward', 'K')
+ order('backward', 'K')
(level[I] == S) <= (first[I] == S)
begin(I, S) <= (given[I] == S)
is_open(I) <= node(I)
"""
WAKES = "wakes(I, 'forward', J) <= (operand[J, K] == I)\n"
PHASES = "+ phases('beginning', 'tier 0', 'tier 1')\n"


def rise(old: int | None, new: int) -> int | None:
    return new if old is None or new > old else None


LIBRARY = Library(
    {"inc": lambda v: min(v + 1, 9), "or_nought": lambda v: v or 0, "largest": max},
    {"odd": lambda v: v % 2 == 1},
    {"rise": rise, "put": lambda old, new: new if new != old else None},
)


def run(
    rules: str,
    given: list[int | None],
    operands: list[list[int]],
    phases: str = PHASES,
    wakes: str = WAKES,
) -> Saturated:
    facts = Facts(len(given))
    facts.functional("given", given)
    facts.indexed("operand", operands)
    facts.table("node", [(n,) for n in range(len(given))], 1)
    facts.table("flag", [(0,)], 1)
    facts.constant("option", "loud", False)
    return agree(load(HEAD + phases + wakes + rules, LIBRARY, facts), facts)


def changes(run: Saturated, entity: int) -> list[tuple[object, ...]]:
    """What became of an entity in the rounds: new value, rule, contributors."""
    return [
        (r.new, r.rule.name, r.contributors)
        for r in run.records
        if r.entity == entity and r.value is not None
    ]


# ------------------------------------------------------------ how often


def test_what_comes_to_the_same_is_tried_once_in_a_visit() -> None:
    """0 is an operand of 1 twice; without an order for its place, that makes one proposal."""
    once = run(
        "flow(I, S) <= (operand[I, N] == O) & (level[O] == X) & (own[I] == C) "
        "& (S == or_nought(C) + X)\n",
        [2, None],
        [[], [0, 0]],
    )
    twice = run(
        "flow(I, S) <= (operand[I, K] == O) & (level[O] == X) & (own[I] == C) "
        "& (S == or_nought(C) + X)\n",
        [2, None],
        [[], [0, 0]],
    )
    assert [r.new for r in once.records if r.entity == 1 and r.iteration == 0] == [2]
    assert [r.new for r in twice.records if r.entity == 1 and r.iteration == 0] == [2, 4]


def test_a_condition_is_asked_once_however_often_it_holds() -> None:
    rules = """
flow(I, S) <= willing(I) & (own[I] == C) & (S == inc(or_nought(C))) & flag(I)
willing(I) <= (own[I] == 2)
willing(I) <= (level[I] == S) & (S < 5)
willing(I) <= (operand[I, K] == O) & (level[O] == S)
"""
    found = run(rules, [2, 1], [[1, 1], []])
    assert [r.new for r in found.records if r.entity == 0 and r.value == 0] == [3]


def test_ways_are_ordered_by_the_rules_that_give_values() -> None:
    rules = """
# rule: take
eager(I, S) <= offer(I, S) & flag(I)
offer(I, S) <= (operand[I, N] == O) & (level[O] == X) & (S == X + 10)
offer(I, S) <= high(I, S)
offer(I, 3) <= node(I)
high(I, S) <= (level[I] == X) & odd(X) & (S == X + 20)
high(I, S) <= (level[I] == X) & (S == X + 30)
"""
    found = run(rules, [1], [[0]], wakes="")
    assert [r.new for r in found.records if r.value == 0] == [11, 31, 61, 3]


# ------------------------------------------------------------ grounds


@pytest.mark.parametrize(
    ("rules", "contributors"),
    [
        ("flow(I, 5) <= (operand[I, 0] == O) & (level[O] == S)\n", (1,)),
        # a relation with one rule and one solution is only a name for its body
        ("flow(I, 5) <= (operand[I, 0] == O) & set_one(O)\nset_one(X) <= (level[X] == S)\n", (1,)),
        # of others it is not said which of their rules or solutions made them hold
        (
            "flow(I, 5) <= (operand[I, 0] == O) & any_one(O)\n"
            "any_one(X) <= (level[X] == S)\nany_one(X) <= (level[X] == S) & odd(S)\n",
            (),
        ),
        (
            "flow(I, 5) <= has_one(I) & flag(I)\n"
            "has_one(I) <= (operand[I, K] == O) & (level[O] == S)\n",
            (),
        ),
        ("guarded(I, 5) <= flag(I)\n", ()),
        # even if only one of its rules can hold for these facts
        (
            "flow(I, 5) <= (operand[I, 0] == O) & loud_one(O)\n"
            "loud_one(X) <= (level[X] == S)\n"
            "loud_one(X) <= (option['loud'] == True) & (level[X] == S)\n",
            (),
        ),
        # denied
        (
            "flow(I, 5) <= flag(I) & (operand[I, 0] == O) & ~even(O)\n"
            "even(O) <= (level[O] == S) & ~odd(S)\n",
            (),
        ),
        # looked at, set or not
        ("flow(I, 5) <= flag(I) & (operand[I, 0] == O) & (own[O] != 9)\n", ()),
        # all entries of an aggregate that are set
        (
            "flow(I, 5) <= flag(I) & (all_of[I] == L)\n"
            "(all_of[I] == tuple_(S, order_by=N)) <= (operand[I, N] == O) & (level[O] == S)\n",
            (1, 2),
        ),
        # through relations that give values
        (
            "flow(I, 5) <= flag(I) & seen(I, S)\n"
            "seen(I, S) <= (operand[I, 0] == O) & (level[O] == S)\n"
            "seen(I, S) <= (level[I] == S) & odd(S)\n",
            (1,),
        ),
    ],
)
def test_whose_values_count_as_grounds(rules: str, contributors: tuple[int, ...]) -> None:
    found = run(rules, [None, 3, 1, None], [[1, 2, 3], [], [], []])
    assert [set(c[2]) for c in changes(found, 0)[:1]] == [set(contributors)]  # type: ignore[call-overload]


def test_what_a_step_sets_was_not_set_before_it() -> None:
    """0 is among its own operands, but its value is not what it got its value from."""
    rules = """
flow(I, S) <= flag(I) & (all_of[I] == L) & (S == largest(L))
(all_of[I] == tuple_(S, order_by=N)) <= (operand[I, N] == O) & (level[O] == S)
"""
    found = run(rules, [None, 3], [[1, 0], []])
    assert changes(found, 0)[0] == (3, "flow", (1,))


# ------------------------------------------------------------ views, negation


def test_views_have_a_row_for_what_is_not_set() -> None:
    rules = """
# rule: frozen
flow(I, S) <= (began[I] == X) & (S == inc(or_nought(X)))
# rule: frozen and empty
back(I, 7) <= (began[I] == None) & ~(operand[I, 0] == O)
# rule: never
flow(I, 9) <= ~(own[I] == X)
"""
    found = run(rules, [4, None, None], [[], [0], []])
    assert values(found, "level") == [5, 1, 7]
    assert {r.rule.name for r in found.records if r.value is not None} == {
        "frozen",
        "frozen and empty",
    }
    assert set(found.rows("began")) == {(0, 4), (1, None), (2, None)}


def test_a_negation_waits_for_what_binds_its_variables() -> None:
    rules = "flow(I, S) <= ~(level[I] == S) & (operand[I, 0] == O) & (level[O] == S)\n"
    found = run(rules, [5, 2, 5], [[], [0], [0]])
    assert values(found, "level") == [5, 5, 5]
    assert changes(found, 2) == []


# ------------------------------------------------------------ phases


def test_conditions_that_ask_for_the_phase() -> None:
    rules = """
+ mode('may', 'X, T')
+ mode('must', 'X, T')
# rule: may
flow(I, S) <= tier(T) & may(I, T) & (operand[I, 0] == O) & (level[O] == S)
# rule: must not
back(I, 9) <= tier(T) & ~must(I, T) & flag(I)
may(X, T) <= (T == 1)
may(X, T) <= flag(X) & (T == 0)
may(X, T) <= (level[X] == S) & odd(S) & (T < 1)
must(X, T) <= (T == 0)
must(X, T) <= (level[X] == S) & (S > 7)
"""
    found = run(rules, [2, 6, 1, None], [[1], [], [1], [1]])
    told = [(r.entity, r.new, r.rule.name, r.value) for r in found.records if r.value is not None]
    assert told == [(0, 6, "may", 0), (2, 6, "may", 0), (3, 6, "may", 1), (0, 9, "must not", 1)]


def test_a_condition_on_the_phase_is_asked_once() -> None:
    rules = """
+ mode('may', 'X, T')
flow(I, S) <= tier(T) & may(I, T) & flag(I) & (own[I] == C) & (S == inc(or_nought(C)))
may(X, T) <= (level[X] == S) & (T == 0)
may(X, T) <= (level[X] == S) & (S < 9) & (T < 1)
"""
    found = run(rules, [2], [[]])
    assert [r.new for r in found.records if r.value == 0] == [3]


@pytest.mark.parametrize("phases", ["'tier 0', 'tier 2', 'tier 1', 'tier 0'", "'tier 2', 'tier 0'"])
def test_phases_in_any_order(phases: str) -> None:
    rules = """
# rule: early
flow(I, S) <= tier(0) & (operand[I, 0] == O) & (level[O] == S)
# rule: late
back(O, S) <= tier(2) & (operand[I, 0] == O) & (level[I] == X) & (S == inc(X))
"""
    found = run(rules, [3, None, None], [[], [0], [1]], f"+ phases('beginning', {phases})\n")
    assert values(found, "level")[0] == (5 if phases.startswith("'tier 0'") else 3)


def test_restless_only_while_the_rules_count() -> None:
    rules = """
+ restless('eager')
# rule: waits
eager(I, S) <= tier(1) & flag(I) & (operand[I, 0] == O) & (level[O] == S) & (S > 7)
# rule: look
flow(I, S) <= flag(I) & (operand[I, 0] == O) & (level[O] == S)
# rule: learn
back(I, S) <= ~flag(I) & (operand[I, 0] == O) & (level[O] == S)
"""
    # nothing wakes 0 when 1 learns, and in tier 0 it has no rule that would keep it due
    found = run(rules, [None, None, 6], [[1], [2], []], wakes="")
    assert [(r.entity, r.value) for r in found.records[1:]] == [(1, 0), (0, 1)]
    rules = rules.replace("tier(1)", "tier(0)")
    found = run(rules, [None, None, 6], [[1], [2], []], wakes="")
    assert [(r.entity, r.value) for r in found.records[1:]] == [(1, 0), (0, 0)]
