"""Proofs, built from records."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from shardlog.ir.sharding import HloSharding
from shardlog.ir.sharding_text import parse_sharding
from shardlog.origins import Origin
from shardlog.why import Left, Reason, explain

ROWS = parse_sharding("{devices=[2,1]<=[2]}")
COLUMNS = parse_sharding("{devices=[1,2]<=[2]}")
BOTH = parse_sharding("{devices=[2,2]<=[4]}")
SAYS = {"pass_on": "the operand's"}


@dataclass(frozen=True)
class Named:
    name: str


@dataclass(frozen=True)
class Join:
    """A record as the engine makes it; instructions are called a, b, c, ... n27, n28, ..."""

    entity: int
    new: HloSharding
    contributors: tuple[int, ...]
    rule: Named = Named("pass_on")
    old: HloSharding | None = None
    value: int | None = 0
    iteration: int = 1
    visit: str = "forward"


A, B, C, D = range(4)


def name(number: int) -> str:
    return "abcd"[number] if number < 4 else f"n{number}"


def proof(
    entity: int,
    records: Sequence[Join],
    given: Mapping[int, HloSharding] | None = None,
    leaf: int | None = None,
    depth: int | None = None,
    final: HloSharding | None = None,
) -> Reason:
    count = max([entity, 3, *(record.entity for record in records)]) + 1
    last = next((r.new for r in reversed(records) if r.entity == entity), None)
    return explain(
        entity,
        records,
        [(given or {}).get(number) for number in range(count)],
        final=final or last,
        leaf=leaf,
        depth=depth,
        # element 1 of a tuple rests on b, whole; everything else keeps its element
        sources=lambda _, part, source: (part != 1 or source == B, None if part == 1 else part),
        origin=lambda number: Origin(name(number)),
        element=lambda _, part: "" if part is None else f"{{{part}}}",
        sentence=lambda record: SAYS.get(record.rule.name, ""),
    )


def test_a_chain_goes_back_to_the_annotation() -> None:
    seed = Join(A, ROWS, (), Named("annotated"), value=None, visit="annotate")
    found = proof(C, [seed, Join(B, ROWS, (A,)), Join(C, ROWS, (B,))])
    assert found.to_text() == (
        "c  {devices=[2,1]<=[2]}\n"
        "  rule 'pass_on' (forward, tier 0, iteration 1): the operand's\n"
        "b  {devices=[2,1]<=[2]}\n"
        "  rule 'pass_on' (forward, tier 0, iteration 1): the operand's\n"
        "a  {devices=[2,1]<=[2]}\n"
        "  rule 'annotated' (annotate)"
    )


def test_each_step_rests_on_what_stood_at_its_time() -> None:
    records = [
        Join(C, ROWS, (A,)),
        Join(A, BOTH, (B,), old=ROWS),
        Join(C, BOTH, (A,), old=ROWS),
    ]
    latest, first = proof(C, records, {A: ROWS, B: BOTH}).steps
    assert (latest.new, latest.sources[0].sharding) == (BOTH, BOTH)
    assert (first.new, first.sources[0].sharding) == (ROWS, ROWS)
    assert latest.sources[0].steps
    assert not first.sources[0].steps


def test_what_is_shown_already_is_not_shown_again() -> None:
    records = [Join(B, ROWS, (A,)), Join(C, ROWS, (B,)), Join(D, ROWS, (C, B))]
    found = proof(D, records, {A: ROWS})
    through_c, direct = found.steps[0].sources
    assert through_c.steps[0].sources[0].left_out is Left.NOTHING
    assert direct.left_out is Left.SHOWN
    assert "b  {devices=[2,1]<=[2]}  (shown above)" in found.to_text()
    assert "a  {devices=[2,1]<=[2]}  (as it came)" in found.to_text()


def test_depth_is_limited() -> None:
    found = proof(C, [Join(B, ROWS, (A,)), Join(C, ROWS, (B,))], depth=1)
    assert found.steps[0].sources[0].left_out is Left.DEEP


def test_a_chain_of_any_length_is_no_problem() -> None:
    found = proof(50_000, [Join(i + 1, ROWS, (i,)) for i in range(50_000)], {A: ROWS})
    assert found.to_text().endswith("a  {devices=[2,1]<=[2]}  (as it came)")
    assert len(found.to_dict()["reasons"]) == 50_001


def test_json_points_at_reasons_by_position() -> None:
    found = proof(C, [Join(C, ROWS, (A, B))], {A: ROWS})
    root, a, b = json.loads(json.dumps(found.to_dict()))["reasons"]
    assert root["steps"][0]["because"] == [1, 2]
    assert (a["instruction"], a["sharding"]) == ("a", "{devices=[2,1]<=[2]}")
    assert (b["instruction"], b["sharding"], b["steps"]) == ("b", None, [])


def test_an_instruction_does_not_explain_itself() -> None:
    join = Join(C, BOTH, (C, A), old=ROWS)
    found = proof(C, [replace(join, new=ROWS, old=None), join], {A: COLUMNS})
    assert [source.name for source in found.steps[0].sources] == ["a"]


def test_an_element_has_the_history_and_the_sources_of_its_own() -> None:
    one, two = HloSharding.tuple_of([ROWS, COLUMNS]), HloSharding.tuple_of([BOTH, COLUMNS])
    records = [Join(C, one, (A, B)), Join(C, two, (A, B), old=one)]
    found = proof(C, records, {A: BOTH, B: COLUMNS}, leaf=1)
    assert (found.name, found.sharding) == ("c{1}", COLUMNS)
    (step,) = found.steps
    assert (step.old, step.new) == (None, COLUMNS)
    assert [source.name for source in step.sources] == ["b"]
    assert len(proof(C, records, leaf=0).steps) == 2


def test_a_change_at_the_boundary_is_told_last() -> None:
    found = proof(B, [Join(B, ROWS, (A,))], {A: ROWS}, final=HloSharding.replicated())
    assert str(found.sharding) == "{replicated}"
    assert found.steps[0].old is ROWS
    assert found.to_text().splitlines()[1].startswith("  (at the end, was {devices=[2,1]<=[2]}): ")


def test_a_placeholder_counts_as_replicated() -> None:
    found = proof(B, [Join(B, HloSharding.unknown(), ())], final=HloSharding.replicated())
    assert "(before the tiers, was {unknown}): " in found.to_text()


def test_without_records_there_is_nothing_to_explain() -> None:
    assert proof(A, [], {A: ROWS}).to_text() == "a  {devices=[2,1]<=[2]}  (as it came)"
    assert proof(B, []).to_text() == "b  no sharding"
