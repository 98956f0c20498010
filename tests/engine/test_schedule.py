"""What is marked, what sleeps and what fights: what must not change the result of a run."""

from __future__ import annotations

import pytest

from shardlog.engine import EvaluationError, Facts, Library, OscillationError, Saturation
from shardlog.engine.interpreter import Interpretation
from tests.engine.running import agree, load, values

HEAD = """
+ lattice('level')
+ join('rise', 'rise')
+ join('put', 'put')
+ channel('pour', 'level', 'whole', 'rise', 'forward', 'anything')
+ channel('set_to', 'level', 'whole', 'put', 'forward', 'anything')
+ channel('back', 'level', 'whole', 'rise', 'backward', 'anything')
+ channel('spill', 'level', 'whole', 'put', 'change', 'anything')
+ visit('forward', 'I', 'ascending')
+ visit('backward', 'I', 'descending')
+ visit('change', 'I', 'on change')
+ sweeps('forward', 'backward')
+ parameter('tier')
+ phases('tier 0', 'tier 1', 'tier 1')
+ order('forward', 'K')
+ order('backward', 'K')
+ order('change', 'K')
"""


def rise(old: int | None, new: int) -> int | None:
    return new if old is None or new > old else None


def put(old: int | None, new: int) -> int | None:
    return new if new != old else None


LIBRARY = Library(
    {"inc": lambda v: v + 1},
    {"huge": lambda v: v >= 5},
    {"rise": rise, "put": put},
)


def chain(first: list[int | None], operands: list[list[int]]) -> Facts:
    facts = Facts(len(first))
    facts.functional("first", first)
    facts.indexed("operand", operands)
    return facts


# ------------------------------------------------------------ marks


def test_incomplete_wakes_leave_work_for_the_next_round() -> None:
    """Nothing wakes 0 when 2 changes, so 0 learns of it in the next round only."""
    text = (
        HEAD
        + """
pour(I, S) <= (first[I] == S)
# rule: follow
pour(I, S) <= (operand[I, K] == O) & (level[O] == S)
"""
    )
    facts = chain([None, None, 4], [[1], [2], []])
    run = agree(load(text, LIBRARY, facts), facts)
    assert [(r.entity, r.value) for r in run.records] == [(2, 0), (1, 1), (0, 1)]


def test_a_change_of_the_target_is_noticed() -> None:
    """A visit at 1 proposes to 0: what 0 has become matters to it, though its rule reads 1 only."""
    text = (
        HEAD
        + """
# rule: start
set_to(I, S) <= (first[I] == S) & tier(0)
# rule: raise operand
pour(O, S) <= (operand[I, 0] == O) & (level[I] == S)
# rule: lower
set_to(I, 0) <= (first[I] == 1) & (level[I] == S) & (S > 1) & tier(1)
"""
    )
    facts = chain([1, 3], [[], [0]])
    run = agree(load(text, LIBRARY, facts), facts)
    told = [(r.entity, r.new, r.value) for r in run.records]
    assert told[2:5] == [(0, 3, 0), (0, 0, 1), (0, 3, 1)]


def test_a_visit_that_changes_two_wakes_for_both() -> None:
    text = (
        HEAD
        + """
(level[I] == S) <= (first[I] == S)
# rule: raise operand
pour(Q, S) <= (operand[I, 0] == O) & (level[O] == S) & (operand[I, 1] == Q)
# rule: follow
pour(I, S) <= (operand[I, 0] == O) & (level[O] == X) & (S == inc(X))
wakes(I, 'forward', J) <= (operand[J, K] == I)
"""
    )
    facts = chain([None, 2, None, 0], [[2], [], [1, 3], []])
    run = agree(load(text, LIBRARY, facts), facts)
    # 2 raises 3, then itself: so 0 has to look at 2 before the round is over
    assert [(r.entity, r.new, r.value) for r in run.records] == [(3, 2, 0), (2, 3, 0), (0, 4, 0)]


def test_restless_entities_stay_due() -> None:
    text = (
        HEAD
        + """
+ channel('eager', 'level', 'whole', 'put', 'forward', 'anything')
pour(I, S) <= (first[I] == S)
# rule: follow
back(I, S) <= (operand[I, K] == O) & (level[O] == S)
wakes(I, 'backward', J) <= (operand[J, K] == I)
# rule: sum
eager(I, S) <= (operand[I, 0] == A) & (operand[I, 1] == B) & (S == level[A] + level[B])
"""
    )
    facts = chain([None, 1, None, None], [[1, 3], [], [1], [2]])
    restless = agree(load(text + "+ restless('eager')\n", LIBRARY, facts), facts)
    plain = agree(load(text, LIBRARY, facts), facts)
    # nothing wakes 0; restless it sums in the first round, else in the second
    assert [r.value for r in restless.records if r.rule.name == "sum"] == [0]
    assert [r.value for r in plain.records if r.rule.name == "sum"] == [1]


def test_what_an_insistent_channel_proposes_counts_as_a_change() -> None:
    text = (
        HEAD
        + """
+ channel('firm', 'level', 'whole', 'put', 'forward', 'anything')
pour(I, S) <= (first[I] == S)
wakes(I, 'backward', J) <= (operand[J, K] == I)
# rule: keep
firm(I, S) <= (operand[I, 0] == A) & (level[A] == S)
"""
    )
    facts = chain([3, 3], [[], [0]])
    insistent = agree(load(text + "+ insistent('firm')\n", LIBRARY, facts), facts)
    plain = agree(load(text, LIBRARY, facts), facts)
    assert insistent.records == plain.records
    # the first of three rounds has a change anyway, the others go through everything once more
    assert (plain.iterations, insistent.iterations) == (4, 6)


def test_blocks_are_swept_one_after_the_other() -> None:
    text = (
        HEAD
        + """
+ blocks('block')
pour(I, S) <= (first[I] == S)
back(I, S) <= (operand[I, K] == O) & (level[O] == S)
"""
    )
    facts = chain([4, None, None, 5], [[3], [0], [1], []])
    facts.functional("block", [0, 0, 1, 1])
    run = agree(load(text, LIBRARY, facts), facts)
    assert [(r.entity, r.new) for r in run.records][:4] == [(0, 4), (1, 4), (3, 5), (2, 4)]


# ------------------------------------------------------------ what sleeps

RARE = (
    HEAD
    + """
# rule: count
pour(I, S) <= (operand[I, K] == O) & (level[O] == X) & (S == inc(X))
pour(I, S) <= (first[I] == S)
# rule: not beyond
set_to(I, 1) <= (level[I] == S) & ~huge(S) & (S > 3)
# rule: huge ones spill
spill(J, 9) <= (level[I] == S) & huge(S) & (operand[J, K] == I)
# rule: after the flood
set_to(I, 7) <= (operand[I, K] == O) & (level[O] == S) & huge(S)
wakes(I, 'forward', J) <= (operand[J, K] == I)
"""
)


@pytest.mark.parametrize("first", [[0, None, None, None], [2, None, 1, None], [5, 0, None, None]])
def test_what_is_rare_wakes_in_the_middle_of_a_visit(first: list[int | None]) -> None:
    """Rules about rare values are compiled when there is one, and lose nothing by it."""
    facts = chain(first, [[], [0], [1, 0], [2]])
    plain = agree(load(RARE, LIBRARY, facts), facts)
    rare = agree(load(RARE + "+ rare('huge')\n", LIBRARY, facts), facts)
    assert [(r.entity, r.old, r.new, r.rule.name, r.contributors) for r in rare.records] == [
        (r.entity, r.old, r.new, r.rule.name, r.contributors) for r in plain.records
    ]


def test_dispatch_changes_nothing() -> None:
    text = (
        HEAD
        + """
pour(I, S) <= (first[I] == S)
pour(I, S) <= (kind[I] == 'add') & (operand[I, K] == O) & passes(O) & (level[O] == S)
pour(I, S) <= (kind[I] == 'max') & (operand[I, K] == O) & (kind[O] == 'add') & (level[O] == S)
passes(I) <= (kind[I] == 'add')
passes(I) <= (kind[I] != 'max') & (level[I] == S) & (S > 1)
"""
    )
    facts = chain([1, 2, None, None, None], [[], [], [0, 1], [2], [3, 2]])
    facts.functional("kind", ["in", "in", "add", "max", "add"])
    plain = agree(load(text, LIBRARY, facts), facts)
    dispatched = agree(load(text + "+ dispatch('kind')\n", LIBRARY, facts), facts)
    assert values(plain, "level") == values(dispatched, "level") == [1, 2, 2, 2, 2]
    assert len(plain.records) == len(dispatched.records)


# ------------------------------------------------------------ what fights


def fight(text: str) -> OscillationError:
    facts = chain([1, None], [[], [0]])
    program = load(HEAD + text, LIBRARY, facts)
    with pytest.raises(OscillationError) as error:
        Saturation(program, facts).run()
    with pytest.raises(OscillationError) as silent:
        Saturation(program, facts, record=False).run()
    with pytest.raises(OscillationError) as interpreted:
        Interpretation(program, facts).run()
    assert str(error.value) == str(silent.value) == str(interpreted.value)
    return error.value


def test_rules_that_undo_each_other_are_named() -> None:
    error = fight("""
# rule: up
set_to(I, 8) <= (first[I] == 1) & ~(level[I] == 8)
# rule: down
set_to(I, 3) <= (level[I] == 8)
wakes(I, 'forward', I) <= (first[I] == 1)
""")
    assert str(error) == (
        "entity 0 returns to the same values for ever in phase 'tier 0': "
        "rule 'down' (toy:22:1) gives it 3; rule 'up' (toy:20:1) gives it 8"
    )
    assert (error.entity, sorted(error.values)) == (0, [3, 8])
    assert sorted(rule.name for rule in error.rules) == ["down", "up"]


def test_a_fight_on_change_is_noticed() -> None:
    error = fight("""
pour(I, S) <= (first[I] == S)
# rule: more than its operand
spill(J, S) <= (operand[J, K] == I) & (level[I] == X) & (S == 1 - X)
# rule: the same as its user
spill(O, S) <= (operand[I, K] == O) & (level[I] == S)
""")
    assert {rule.name for rule in error.rules} <= {"more than its operand", "the same as its user"}


def test_what_never_settles_is_stopped() -> None:
    error = fight("""
pour(I, S) <= (first[I] == S)
# rule: ever more
pour(I, S) <= (level[I] == X) & (S == inc(X))
wakes(I, 'forward', I) <= (first[I] == S)
""")
    assert str(error) == (
        "entity 0 never settles in phase 'tier 0': it changed more than 10000 times, "
        "last to 10002 by rule 'ever more' (toy:21:1)"
    )


# ------------------------------------------------------------ what fails


def test_a_failing_function_is_named_with_its_rule() -> None:
    text = (
        HEAD
        + """
pour(I, S) <= (first[I] == S)
# rule: bad
pour(I, S) <= (operand[I, K] == O) & (level[O] == X) & (S == inc(name_of(X)))
"""
    )
    library = Library({**LIBRARY.functions, "name_of": str}, {}, LIBRARY.joins)
    facts = chain([1, None], [[], [0]])
    message = r"toy:21:1: rule 'bad' failed on 1: inc\(1\) failed: TypeError"
    with pytest.raises(EvaluationError, match=message):
        Saturation(load(text, library, facts), facts).run()


def test_recursion_in_circles_is_an_error() -> None:
    text = (
        HEAD
        + """
+ descends('chased', 'next_of')
(next_of[I] == J) <= (operand[I, 0] == J)
(chased[I] == S) <= (next_of[I] == J) & (chased[J] == S)
(chased[I] == S) <= (first[I] == S) & (level[I] == S)
pour(I, S) <= (chased[I] == S)
"""
    )
    facts = chain([None, None], [[1], [0]])
    with pytest.raises(EvaluationError, match="recursion"):
        Saturation(load(text, LIBRARY, facts), facts).run()


def test_rules_go_in_the_order_that_is_declared() -> None:
    rules = (
        "# rule: one\nset_to(I, S) <= (first[I] == X) & (S == 1)\n"
        "# rule: two\nset_to(I, S) <= (first[I] == X) & (S == 2)\n"
    )
    facts = chain([0], [[]])
    for order, last in (("", 2), ("+ before('two', 'one')\n", 1)):
        run = agree(load(HEAD + rules + order, LIBRARY, facts), facts)
        assert values(run, "level") == [last]
        assert [record.new for record in run.records][:2] == ([1, 2] if last == 2 else [2, 1])
