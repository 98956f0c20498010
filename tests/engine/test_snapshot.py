"""A program that was kept says what the one says that it was made of, and writes no code anew."""

from __future__ import annotations

import pytest

from shardlog.engine import Facts, Library, Program, Saturation, tokens
from shardlog.engine.snapshot import learn, learnt, restored, snapshot
from tests.engine.running import load, told

RULES = """
+ lattice('level')
+ channel('start', 'level', 'whole', 'join', 'begin', 'anything')
+ channel('flow', 'level', 'whole', 'join', 'forward', 'anything')
+ join('join', 'least')
+ visit('begin', 'Y', 'ascending')
+ visit('forward', 'Y', 'ascending')
+ sweeps('forward')
+ parameter('tier')
+ phases('begin', 'tier 0', 'tier 1')
+ dispatch('kind')
wakes(X, 'forward', Y) <= edge(X, Y, W)
start(Y, S) <= source(Y, S)
# rule: along an edge
flow(Y, D) <= edge(X, Y, W) & (level[X] == E) & (D == E + W)
# rule: double
flow(Y, D) <= (kind[Y] == 'double') & edge(X, Y, W) & (level[X] == E) & (D == E * 2) & tier(1)
near(X, Y) <= edge(X, Y, W) & (level[Y] == L) & (L == W)
"""


def least(old: int | None, new: int) -> int | None:
    return new if old is None or new < old else None


def facts(count: int, kind: str = "plain") -> Facts:
    made = Facts(count)
    made.table("edge", [(n, n + 1, n % 3 - 1) for n in range(count - 1)], 3)
    made.table("source", [(0, 5)], 2)
    made.functional("kind", [kind] * count)
    return made


@pytest.fixture
def program() -> Program:

    return load(RULES, Library(joins={"least": least}), facts(5))


def results(program: Program, given: Facts) -> tuple[object, ...]:
    run = Saturation(program, given).run()
    records = [(*told(record)[:4], record.rule.name) for record in run.records]
    return run.state, records, run.rows("near")


def test_a_kept_program_says_the_same_and_writes_nothing(program: Program) -> None:
    first = results(program, facts(5))
    assert program.written
    other = restored(snapshot(program))
    assert results(other, facts(5)) == first
    assert results(other, facts(9)) == results(program, facts(9))
    assert other.written == 0


def test_a_kept_program_goes_on_where_it_was_left(program: Program) -> None:
    results(program, facts(5))
    other = restored(snapshot(program))
    assert results(other, facts(9, "double")) == results(program, facts(9, "double"))
    assert other.written
    third = restored(snapshot(other))
    assert results(third, facts(7, "double")) == results(program, facts(7, "double"))
    assert third.written == 0


def test_a_compiler_is_woken_when_it_is_called_for(program: Program) -> None:
    """Facts with other constants have compilers of their own, which stay as they were kept."""
    one, two = facts(5), facts(5)
    one.constant("option", "o", True)
    two.constant("option", "o", False)
    first, second = results(program, one), results(program, two)
    other = restored(snapshot(program))
    assert results(other, one) == first
    assert other.asleep
    third = restored(snapshot(other))
    assert results(third, two) == second
    assert results(third, one) == first
    assert third.written == 0


def test_nothing_of_a_run_is_kept(program: Program) -> None:
    results(program, facts(5))
    size = len(snapshot(program))
    results(program, facts(5_000))
    assert len(snapshot(program)) < size + 100


def test_what_was_learnt_is_taken_over(program: Program) -> None:
    first = results(program, facts(50))
    assert program.learnt
    data = learnt(program)
    other = restored(snapshot(program))
    learn(other, data)
    assert results(other, facts(50)) == first
    assert other.learnt == 0
    assert results(other, facts(9, "double")) == results(program, facts(9, "double"))


def test_who_was_alone_stays_alone(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands for entities with plans of their own is known by identity."""
    first = results(program, facts(50))
    monkeypatch.setattr(tokens, "LIMIT", 1)
    fresh = restored(snapshot(program))
    assert results(fresh, facts(50)) == first
    other = restored(snapshot(program))
    learn(other, learnt(fresh))
    assert results(other, facts(50)) == first


def test_a_program_that_has_not_run_can_be_kept(program: Program) -> None:
    other = restored(snapshot(program))
    assert results(other, facts(4)) == results(program, facts(4))
    assert [rule.span for rule in other.rules] == [rule.span for rule in program.rules]
