"""Entities that are alike share plans; whoever is not, or cannot be checked, has one of its own."""

from __future__ import annotations

from typing import Any

import pytest

from shardlog.engine import Facts, Saturation
from shardlog.engine.classes import Classes, Found
from shardlog.engine.probes import SHORT, probe_text
from shardlog.engine.tables import UNIT
from shardlog.engine.tokens import NotAlike, Trace, has_token
from tests.engine.running import agree, load, values
from tests.engine.test_schedule import HEAD, LIBRARY

RULES = (
    HEAD
    + """
(level[I] == V) <= (first[I] == V)
# rule: start
# says: {I} has a first level
pour(I, V) <= (first[I] == V)
# rule: flow
# says: {I} lies below {O}
pour(I, W) <= (operand[I, K] == O) & (kind[I] == 'pipe') & (level[O] == V) & (W == inc(V))
# rule: keep
# says: {I} keeps its first level, and lies above {U}
back(I, V) <= (first[I] == V) & (operand[U, K] == I) & (kind[U] == 'pipe') & (level[U] == W)
"""
)


def pipes(count: int, kinds: list[str] | None = None) -> Facts:
    """A chain of pipes, water in the first."""
    facts = Facts(count)
    facts.functional("first", [0] + [None] * (count - 1))
    facts.functional("kind", kinds or ["pipe"] * count)
    facts.indexed("operand", [[n - 1] if n else [] for n in range(count)])
    facts.refer("operand", 0, 2)
    return facts


@pytest.fixture
def traces(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The entities of which a plan was made, in order."""
    made: list[int] = []
    new = Classes._new

    def counted(self: Classes, colour: int, parent: Any, key: Any, entity: int) -> Found | None:
        made.append(entity)
        return new(self, colour, parent, key, entity)

    monkeypatch.setattr(Classes, "_new", counted)
    return made


def test_a_plan_is_made_once_for_all_that_are_alike(traces: list[int]) -> None:
    program = load(RULES, LIBRARY, pipes(4))
    Saturation(program, pipes(10)).run()
    ten = len(traces)
    traces.clear()
    Saturation(load(RULES, LIBRARY, pipes(4)), pipes(1000)).run()
    assert len(traces) == ten


def test_the_next_facts_find_the_plans_of_the_last(traces: list[int]) -> None:
    program = load(RULES, LIBRARY, pipes(4))
    Saturation(program, pipes(30)).run()
    assert traces
    traces.clear()
    run = Saturation(program, pipes(50)).run()
    assert traces == []
    assert values(run, "level") == list(range(50))


def test_one_of_another_kind_is_not_alike() -> None:
    program = load(RULES, LIBRARY, pipes(4))
    Saturation(program, pipes(10)).run()
    kinds = ["pipe"] * 5 + ["wall"] + ["pipe"] * 4
    run = Saturation(program, pipes(10, kinds)).run()
    assert values(run, "level") == [0, 1, 2, 3, 4] + [None] * 5


def test_shared_plans_say_what_plans_of_ones_own_say(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = ["pipe", "pipe", "wall"] * 9
    shared = Saturation(load(RULES, LIBRARY, pipes(4)), pipes(27, kinds)).run()
    monkeypatch.setattr(
        Classes, "_new", lambda self, colour, parent, key, entity: self._alone(entity)
    )
    alone = Saturation(load(RULES, LIBRARY, pipes(4)), pipes(27, kinds)).run()
    assert [record[:4] for record in shared.records] == [record[:4] for record in alone.records]
    assert [r.contributors for r in shared.records] == [r.contributors for r in alone.records]
    assert shared.records


def test_of_many_facts_only_those_that_are_like_others_are_traced(
    traces: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone: list[int] = []
    plan = Classes._alone

    def counted(self: Classes, entity: int) -> Found | None:
        alone.append(entity)
        return plan(self, entity)

    monkeypatch.setattr(Classes, "_alone", counted)
    program = load(RULES, LIBRARY, pipes(4))
    program.for_many = True
    unlike = [f"pipe {number}" for number in range(8)]
    first = Saturation(program, pipes(8, unlike)).run()
    assert alone
    assert len(alone) == len(traces)
    alone.clear()
    second = Saturation(program, pipes(8, unlike)).run()
    assert len(alone) < len(traces) // 2
    traces.clear()
    third = Saturation(program, pipes(8, unlike)).run()
    assert not traces
    assert values(first, "level") == values(second, "level") == values(third, "level")
    assert values(first, "level")[0] == 0
    alone.clear()
    Saturation(program, pipes(30, ["wall"] * 30)).run()
    assert len(alone) < 8, "they are like each other"


# ------------------------------------------------------------ tokens and probes


class NoScope:
    """Enough for traces that hold no values and ask no tables."""

    colours: list[int] = []  # noqa: RUF012

    def hold_for_probe(self, value: Any) -> str:
        raise NotImplementedError

    def rows_by(self, table: str, positions: tuple[int, ...]) -> str:
        raise NotImplementedError

    def has(self, table: str) -> str:
        raise NotImplementedError


def trace_of(entity: int, rows: list[list[int]]) -> tuple[Trace, Any]:
    trace = Trace(entity, NoScope())
    return trace, trace.row("rows", trace.start, rows[entity], True)


def probed(trace: Trace, rows: list[list[int]], entity: int) -> Any:
    space: dict[str, Any] = {"rows": rows, "SHORT": SHORT}
    exec(probe_text(trace.asked()), space)
    return space["probe"](entity)


def test_a_comparison_of_tokens_is_part_of_the_probe() -> None:
    rows = [[7, 7], [7, 8], [9, 9], [9]]
    trace, (one, other) = trace_of(0, rows)
    assert one == other
    key, tokens = probed(trace, rows, 0)
    assert tokens == (0, 7, 7)
    assert probed(trace, rows, 2)[0] == key
    assert probed(trace, rows, 1)[0] != key


def test_a_row_of_another_length_gives_a_key_of_its_own() -> None:
    rows = [[7, 7], [7, 8], [9, 9], [9]]
    trace, _ = trace_of(0, rows)
    key, tokens = probed(trace, rows, 3)
    assert key[0] is SHORT
    assert tokens is None


def test_sets_compare_tokens() -> None:
    rows = [[7, 7], [7, 8]]
    trace, row = trace_of(0, rows)
    assert len(set(row)) == 1
    assert probed(trace, rows, 0)[0] != probed(trace, rows, 1)[0]


@pytest.mark.parametrize(
    "use",
    [
        lambda token: token + 1,
        lambda token: 2 * token,
        lambda token: token == 7,
        lambda token: token < 9,
        lambda token: token in (1, 2),
    ],
)
def test_what_hangs_on_the_number_of_an_entity_is_not_alike(use: Any) -> None:
    _, (token, _) = trace_of(0, [[7, 7]])
    with pytest.raises(NotAlike):
        use(token)


def test_tokens_are_found_however_deep() -> None:
    _, (token, _) = trace_of(0, [[7, 7]])
    assert has_token((1, ("a", (token,))))
    assert not has_token((1, ("a", (7,))))


def test_fewer_entities_than_the_last_facts_had() -> None:
    """What a trace has asked of an entity by number may be beyond the next facts."""
    text = (
        RULES
        + """
(above[I] == max_(V, order_by=V)) <= (operand[I, K] == O) & (first[O] == V)
# rule: rain
# says: {I} gets what stands above the source {S}
pour(I, V) <= source(S) & (above[S] == V) & (kind[I] == 'pipe')
"""
    )

    def fed(count: int) -> Facts:
        facts = pipes(count)
        facts.functional("first", [0] * count)
        facts.table("source", [(count - 1,)], 1)
        return facts

    program = load(text, LIBRARY, fed(4))
    long = Saturation(program, fed(10)).run()
    assert values(long, "level") == list(range(10))
    short = Saturation(program, fed(3)).run()
    assert values(short, "level") == list(range(3))


def test_what_rows_read_at_the_instant_is_not_remembered() -> None:
    """Where a condition gathers rows, it is known late that it reads other values than a visit."""
    text = (
        RULES
        + """
+ channel('late', 'level', 'whole', 'rise', 'forward', 'open_to')
(ahead[I] == V) <= (next[I] == J) & (told[J] == V)
(told[J] == V) <= (level[J] == V)
(told[J] == V) <= there(J) & ~(level[J] == Z) & (ahead[J] == V)
+ descends('ahead', 'next')
open_to(I) <= there(I) & (ahead[O] == W) & (operand[I, K] == O)
# rule: wait
# says: {I} rises once something is known ahead of what it reads
late(I, W) <= (level[I] == 1) & (W == inc(1))
"""
    )

    def chain() -> Facts:
        facts = pipes(4)
        facts.table("there", [(n,) for n in range(4)], 1)
        facts.functional("next", [3, 3, 3, None])
        return facts

    agree(load(text, LIBRARY, chain()), chain())
    run = Saturation(load(text, LIBRARY, chain()), chain())
    run.run()
    steps = [step for _, step in run.compiler.plan("forward")(1)]
    assert [step[4].live is not None for step in steps] == [False, True]


def test_colours_tell_which_lattice_has_a_value() -> None:
    """Also where other facts leave one of them empty; who has none in any keeps the colour."""
    facts = pipes(4)
    colours = load(RULES, LIBRARY, facts).colours
    one, other = [7, None, None, 7, UNIT], [None, 7, None, 7, UNIT]
    plain = colours.of(facts, [])
    first, second = colours.of(facts, [one, [None] * 5]), colours.of(facts, [[None] * 5, other])
    both = colours.of(facts, [one, other])
    assert [first[2], second[2], both[2]] == [plain[2]] * 3
    assert first[0] == both[0] != second[1] == both[1]
    assert len({plain[3], first[3], second[3], both[3]}) == 4
    for found in (plain, both, first):
        groups = colours.populations(found)
        assert {e: c for c, members in groups.items() for e in members} == dict(enumerate(found))
        assert all(members == sorted(members) for members in groups.values())
