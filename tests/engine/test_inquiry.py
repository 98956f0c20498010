"""Questions to a finished run of a toy rule set: what holds, what fails first, who could have."""

from __future__ import annotations

from shardlog.engine import Facts, Saturated, Saturation
from shardlog.engine.attempts import Attempts, variants
from shardlog.engine.inquiry import Inquiry
from shardlog.engine.syntax import Match, Variable
from tests.engine.running import load
from tests.engine.vocabulary import LIBRARY

RULES = """
+ lattice('level')
+ view('mine', 'level')
+ join('raise', 'raised')
+ channel('lift', 'level', 'whole', 'raise', 'up', 'may_rise')
+ channel('start', 'level', 'whole', 'raise', 'begin', 'anything')
+ visit('begin', 'I', 'ascending')
+ visit('up', 'I', 'ascending')
+ sweeps('up')
+ parameter('tier')
+ phases('begin', 'tier 0', 'tier 1')
+ mode('offer', 'I, O, V')
+ mode('may_rise', 'I')

may_rise(I) <= tier(T) & (gate[I] == N) & (T >= N) & ~stuck(I)
stuck(I) <= (kind[I] == 'stone')

# rule: given
# says: {I} begins so
start(I, S) <= (seed[I] == S)

# rule: from below
# says: {I} stands on {O}
lift(I, S) <= (below[I, K] == O) & (level[O] == V) & offer(I, O, V, S)

# rule: plain offer
# says: {O} hands its level to {I}
offer(I, O, V, S) <= (kind[I] == 'plain') & (S == bump(V))

# rule: halved offer
# says: {O} hands half its level to {I}
offer(I, O, V, S) <= (kind[I] == 'half') & (S == half(V))
"""
# 0 <- 1 plain, 0 <- 2 half (of an odd level), 1 <- 3 stone, 1 <- 4 plain behind a gate, 5 alone
KINDS = ["plain", "plain", "half", "stone", "plain", "plain"]


def finished() -> Saturated:
    facts = Facts(6)
    facts.functional("kind", KINDS)
    facts.functional("gate", [0, 0, 0, 0, 1, 2])
    facts.functional("seed", [3, None, None, None, None, None])
    facts.indexed("below", [[], [0], [0], [1], [1], []])
    program = load(RULES, LIBRARY, facts)
    return Saturation(program, facts).run()


def inquiry() -> Inquiry:
    run = finished()
    assert [run.value("level", n) for n in range(6)] == [3, 4, None, None, 5, None]
    return Inquiry(run.program, run.facts, run.state)


def test_named_rules_of_relations_are_variants_of_the_rules_that_ask_them() -> None:
    found = [(one.rule.name, one.name, one.readers) for one in variants(finished().program)]
    assert found == [
        ("given", "given", ()),
        ("from below", "plain offer", ("O",)),
        ("from below", "halved offer", ("O",)),
    ]


def test_a_proposal_says_what_it_rests_on_and_what_the_join_makes_of_it() -> None:
    tried = [one for one in Attempts(inquiry()).of(1) if one.proposals]
    (plain,) = tried
    assert plain.variant.name == "plain offer"
    assert plain.others == {"O": 0}
    assert {(p.value, p.result, p.sources) for p in plain.proposals} == {(4, None, (0,))}


def test_a_failure_ends_at_the_literal_that_comes_nearest() -> None:
    questions = inquiry()
    by_name = {one.variant.name: one for one in Attempts(questions).of(2)}
    failure = by_name["halved offer"].failure
    assert failure is not None
    assert failure.satisfied == failure.of - 1
    assert str(questions.failing(failure.literal, failure.known).literal) == "(S == half(3))"
    other = by_name["plain offer"].failure
    assert other is not None
    assert str(other.literal) == "(kind[I] == 'plain')"


def test_a_guard_says_why_it_is_closed_and_when_it_opens() -> None:
    tried = {n: Attempts(inquiry()).of(n)[1].closed for n in (1, 3, 4, 5)}
    assert tried[1] == {}
    stuck = [str(finding.literal) for finding in tried[3][1].walk()]
    assert stuck == ["may_rise(3)", "~stuck(3)", "stuck(3)", "(kind[3] == 'stone')"]
    assert list(tried[4]) == [0]
    assert [str(finding.literal) for finding in tried[5][1].walk()] == ["may_rise(5)", "(1 >= 2)"]


def test_a_missing_value_is_what_fails() -> None:
    questions = inquiry()
    questions.values = (1,)
    literal = Match("level", (Variable("O"), Variable("V")), True)
    finding = questions.failing(literal, {"O": 5})
    assert (str(finding.literal), finding.holds) == ("(level[5] == V)", False)


def test_another_state_is_asked_without_touching_the_run() -> None:
    questions = inquiry()
    levels = list(questions.state["level"])
    levels[0] = 6
    other = questions.over({"level": levels})
    tried = {one.variant.name: one for one in Attempts(other).of(2)}
    assert [p.value for p in tried["halved offer"].proposals] == [3, 3]
    assert questions.state["level"][0] == 3


def test_relations_are_asked_from_any_side() -> None:
    questions = inquiry()
    assert list(questions.lookup("below", ((2, 1),))) == [(3, 0, 1), (4, 0, 1)]
    assert list(questions.lookup("kind", ((1, "half"),))) == [(2, "half")]
    assert questions.lookup("stuck", ((0, 3),)) == [(3,)]
