"""A sample of the rules and facts without which some answer differs from XLA's, or Shardy's."""

from __future__ import annotations

import random

import pytest

from shardlog import rules as rule_sets
from tests import shardy_mutation
from tests.rule_mutation import Mutation, judge, judge_in_shardy, mutations

PATHS = rule_sets.gspmd()
SAMPLE = 6  # `.ci/full` tries all


@pytest.mark.parametrize("mutation", random.Random(7).sample(mutations(), SAMPLE), ids=str)
def test_rule_matters(mutation: Mutation) -> None:
    assert judge(mutation).module, judge(mutation).problem


@pytest.mark.parametrize("mutation", random.Random(7).sample(mutations(True), 2), ids=str)
def test_fact_matters(mutation: Mutation) -> None:
    assert judge(mutation).module, judge(mutation).problem


@pytest.mark.parametrize(
    "mutation",
    random.Random(7).sample(mutations(files=shardy_mutation.files()), SAMPLE),
    ids=str,
)
def test_rule_of_shardy_matters(mutation: Mutation) -> None:
    verdict = judge_in_shardy(mutation)
    assert verdict.module, verdict.problem


def test_a_change_that_changes_nothing_is_told() -> None:
    same = (PATHS[-1]).read_text()
    verdict = judge(Mutation(PATHS[-1].stem, 1, "nothing", same), near=True)
    assert verdict.module is None
    assert verdict.problem == "changes nothing"


def test_a_set_that_does_not_load_is_told() -> None:
    verdict = judge(Mutation("epilogue", 1, "nonsense", "nonsense"))
    assert verdict.module is None
    assert verdict.problem.startswith("does not load")
