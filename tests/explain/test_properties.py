"""What answers mean, on a few generated modules; `tests.explain.properties` tries many more."""

from __future__ import annotations

import random

import pytest

import shardlog
from tests.explain.live import edited
from tests.explain.properties import CHECKS, check_smallest, wrong


@pytest.mark.parametrize("check", CHECKS)
def test_answers_mean_what_they_say(check: str) -> None:
    assert wrong(11, 3, check) == []


def test_of_two_operands_that_would_do_the_one_with_the_smaller_proof_is_taken() -> None:
    text = (
        "HloModule m, num_partitions=8\n\nENTRY main {\n"
        "  a = f32[8,16] parameter(0), sharding={devices=[8,1]<=[8]}\n"
        "  n = f32[8,16] negate(a)\n"
        "  e = f32[8,16] exponential(n)\n"
        "  c = f32[8,16] add(e, a)\n"
        "  ROOT t = (f32[8,16]) tuple(c)\n}\n"
    )
    result = shardlog.propagate(shardlog.load(text.encode()))
    (step,) = result.why("c").steps
    assert [source.name for source in step.sources] == ["a"]
    assert list(check_smallest(text, random.Random(0))) == []


def test_an_annotation_is_taken_out_of_the_text() -> None:
    line = (
        '  %c = f32[8] custom-call(%a), custom_call_target="Sharding", sharding={devices=[8]<=[8]}'
    )
    assert edited(line, "c", None) == "  %c = f32[8] copy(%a)"
    assert edited("  a = f32[8] parameter(0)", "a", "{replicated}").endswith(
        "sharding={replicated}"
    )
