"""Proofs, built from records."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from shardlog.ir.sharding import HloSharding
from shardlog.ir.sharding_text import parse_sharding
from shardlog.why import Left, explain

ROWS = parse_sharding("{devices=[2,1]<=[2]}")
COLUMNS = parse_sharding("{devices=[1,2]<=[2]}")
BOTH = parse_sharding("{devices=[2,2]<=[4]}")


@dataclass(frozen=True)
class Join:
    """A record as the propagation makes it."""

    instruction: str
    new: HloSharding
    contributors: tuple[str, ...]
    rule: str = "pass_on"
    old: HloSharding | None = None
    index: int | None = None
    tier: int | None = 0
    iteration: int = 1
    direction: str = "forward"


def test_a_chain_goes_back_to_the_annotation() -> None:
    records = [Join("b", ROWS, ("a",)), Join("c", ROWS, ("b",))]
    proof = explain("c", records, {"a": ROWS}, {"pass_on": "the operand's"})
    assert proof.to_text() == (
        "c  {devices=[2,1]<=[2]}\n"
        "  pass_on (forward, tier 0): the operand's\n"
        "b  {devices=[2,1]<=[2]}\n"
        "  pass_on (forward, tier 0): the operand's\n"
        "a  {devices=[2,1]<=[2]}  (as annotated)"
    )


def test_each_step_rests_on_what_stood_at_its_time() -> None:
    records = [
        Join("c", ROWS, ("a",)),
        Join("a", BOTH, ("b",), old=ROWS),
        Join("c", BOTH, ("a",), old=ROWS),
    ]
    proof = explain("c", records, {"a": ROWS, "b": BOTH}, {})
    latest, first = proof.steps
    assert (latest.new, latest.sources[0].sharding) == (BOTH, BOTH)
    assert (first.new, first.sources[0].sharding) == (ROWS, ROWS)
    assert first.sources[0].is_given
    assert not latest.sources[0].is_given


def test_what_is_shown_already_is_not_shown_again() -> None:
    records = [Join("b", ROWS, ("a",)), Join("c", ROWS, ("b",)), Join("d", ROWS, ("c", "b"))]
    proof = explain("d", records, {"a": ROWS}, {})
    through_c, direct = proof.steps[0].sources
    assert through_c.steps[0].sources[0].left_out is Left.NOTHING
    assert direct.left_out is Left.SHOWN
    assert "b  {devices=[2,1]<=[2]}  (shown above)" in proof.to_text()


def test_depth_is_limited() -> None:
    records = [Join("b", ROWS, ("a",)), Join("c", ROWS, ("b",))]
    proof = explain("c", records, {"a": ROWS}, {}, depth=1)
    assert proof.steps[0].sources[0].left_out is Left.DEEP


def test_a_chain_of_any_length_is_no_problem() -> None:
    records = [Join(f"n{i + 1}", ROWS, (f"n{i}",)) for i in range(50_000)]
    proof = explain("n50000", records, {"n0": ROWS}, {})
    assert proof.to_text().endswith("n0  {devices=[2,1]<=[2]}  (as annotated)")
    assert len(proof.to_dict()["reasons"]) == 50_001


def test_json_points_at_reasons_by_position() -> None:
    records = [Join("c", ROWS, ("a", "b"))]
    fields = json.loads(json.dumps(explain("c", records, {"a": ROWS}, {}).to_dict()))
    root, a, b = fields["reasons"]
    assert root["steps"][0]["because"] == [1, 2]
    assert (a["instruction"], a["given"]) == ("a", True)
    assert (b["instruction"], b["given"], b["sharding"]) == ("b", False, None)


def test_an_instruction_does_not_explain_itself() -> None:
    join = Join("c", BOTH, ("c", "a"), old=ROWS)
    proof = explain("c", [replace(join, new=ROWS, old=None), join], {"a": COLUMNS}, {})
    assert [source.instruction for source in proof.steps[0].sources] == ["a"]


def test_without_records_a_sharding_is_as_annotated_or_absent() -> None:
    assert explain("a", [], {"a": ROWS}, {}).is_given
    assert explain("b", [], {"a": ROWS}, {}).to_text() == "b  no sharding"
