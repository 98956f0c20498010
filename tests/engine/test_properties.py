"""Generated rule sets: all ways to run one agree, and no text is ever executed."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shardlog.engine import Facts, Library, RuleError, Saturation
from shardlog.engine.parser import parse_text
from tests.engine.generated import graphs, rule_sets
from tests.engine.running import agree, load, values
from tests.engine.vocabulary import DECLARATIONS, LIBRARY


@settings(max_examples=60)
@given(rule_sets(), graphs())
def test_compiled_and_interpreted_runs_agree(text: str, facts: Facts) -> None:
    agree(load(text, LIBRARY, facts), facts)


@settings(max_examples=20)
@given(rule_sets(), st.lists(graphs(), min_size=2, max_size=4))
def test_a_program_serves_one_graph_after_the_other(text: str, several: list[Facts]) -> None:
    """What is compiled and remembered for one graph does not show in the next."""
    shared = load(text, LIBRARY, several[0])
    early = Saturation(shared, several[0]).run()
    reaches = set(early.rows("reaches"))
    for facts in several:
        fresh = Saturation(load(text, LIBRARY, facts), facts).run()
        again = Saturation(shared, facts).run()
        assert values(again, "val") == values(fresh, "val")
        assert [tuple(r[:4]) for r in again.records] == [tuple(r[:4]) for r in fresh.records]
        assert [r.contributors for r in again.records] == [r.contributors for r in fresh.records]
        for relation in ("near", "reaches", "fan", "plain"):
            assert again.rows(relation) == fresh.rows(relation)
    assert set(early.rows("reaches")) == reaches


PIECES = st.sampled_from(
    [
        *(line for line in DECLARATIONS.splitlines() if " <= " in line),
        "__import__('os').abort()",
        "exit()",
        "X.__class__.__mro__",
        "(lambda: exit())()",
        "[exit() for _ in (1,)]",
        "f'{exit()}'",
        "exec('exit()')",
    ]
)


@given(
    st.lists(
        PIECES | st.text(max_size=8) | st.sampled_from(list("()[]&~=<>+,.:#\n'\"")), max_size=8
    )
)
def test_reading_rules_never_runs_them(pieces: list[str]) -> None:
    text = " ".join(pieces)
    with contextlib.suppress(RuleError):
        read = parse_text(text, "any", LIBRARY.functions, LIBRARY.tests)
        assert all(isinstance(rule.relation, str) for rule in read.rules)


@pytest.mark.parametrize("text", ["f(" * 100_000, "far(X) <= " + "~" * 100_000 + "edge(X)", "\0"])
def test_nesting_without_end_is_refused(text: str) -> None:
    with pytest.raises(RuleError):
        parse_text(text, "any", (), ())


def test_functions_that_rules_call_are_only_those_registered() -> None:
    facts = Facts(1)
    facts.table("node", [(0,)], 1)
    called: list[int] = []
    library = Library({"note": lambda v: called.append(v)})
    text = "noted(X, S) <= node(X) & (S == note(X))\n"
    load(text, library, facts)
    assert called == []
    assert Saturation(load(text, library, facts), facts).run().rows("noted") == []
    assert called == [0]
