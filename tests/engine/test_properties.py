"""Generated rule sets: the compiler and the interpreter agree, however a run is scheduled."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from shardlog.engine import Facts
from tests.engine.generated import graphs, rule_sets
from tests.engine.running import agree, load
from tests.engine.vocabulary import LIBRARY


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(rule_sets(), graphs())
def test_compiled_and_interpreted_runs_agree(text: str, facts: Facts) -> None:
    agree(load(text, LIBRARY, facts), facts)
