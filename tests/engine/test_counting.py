"""Counted runs: what each rule did, and that counting changes nothing."""

from __future__ import annotations

from dataclasses import replace

from shardlog.engine import Count, Counter, Facts, Library, Saturation
from tests.engine.running import load
from tests.engine.test_toys import EDGES, SCHEDULE, least, weighted

RULES = (
    SCHEDULE
    + """
# rule: flow
flow(Y, D) <= edge(X, Y, W) & (level[X] == E) & way(W, E, D)
+ mode('way', 'W, E')
# rule: short
way(W, E, D) <= (W < 5) & (D == E + W)
# rule: long
way(W, E, D) <= (W >= 5) & (D == E + W) & ~dear(W)
+ mode('dear', 'W')
# rule: dear
dear(W) <= (W > 10)
# rule: idle
flow(Y, D) <= edge(X, Y, W) & (level[X] == E) & (W > 99) & (D == E)
"""
)


def counted(edges: list[tuple[int, int, int]]) -> tuple[dict[str, Count], Counter, Facts]:
    facts = weighted(edges, [(0, 0)])
    program = load(RULES, Library(joins={"join": least}), facts)
    counter = Counter(program)
    _, counts = counter.run(facts)
    names = {rule.span: rule.name for rule in program.rules}
    found = {names[span]: replace(count, seconds=0.0) for span, count in counts.items()}
    return found, counter, facts


def test_what_each_rule_did() -> None:
    counts, _, _ = counted(EDGES)
    assert counts["start"] == Count(tried=1, matched=1, accepted=1)
    # a short edge to 2, then on to 1 and 3; the long one to 1 came first
    assert counts["flow"].accepted == 5
    assert counts["short"].accepted == 4
    assert (counts["long"].accepted, counts["long"].held) == (1, 1)
    assert counts["flow"].refused > 0
    assert counts["flow"].tried > counts["flow"].matched
    assert not counts["dear"].fired
    assert not counts["idle"].fired


def test_a_rule_that_keeps_others_from_holding_has_held() -> None:
    counts, _, _ = counted([*EDGES, (0, 4, 50)])
    assert counts["dear"].fired


def test_counting_changes_nothing() -> None:
    _, counter, facts = counted(EDGES)
    run, counts = counter.run(facts)
    plain = load(RULES, Library(joins={"join": least}), facts)
    other = Saturation(plain, facts).run()
    assert run.state == other.state
    assert [r[:4] for r in run.records] == [r[:4] for r in other.records]
    assert sum(count.held for count in counts.values()) > 0


def test_counts_are_those_of_one_run() -> None:
    first, counter, facts = counted(EDGES)
    _, again = counter.run(facts)
    assert [replace(c, seconds=0.0) for c in again.values()] == list(first.values())
    assert Count(1, 2, 3, 4, 5, 6.0).plus(Count(1, 1, 1, 1, 1, 1.0)) == Count(2, 3, 4, 5, 6, 7.0)
