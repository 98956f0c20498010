"""Findings: each problem once, and nothing that is no problem."""

from __future__ import annotations

import shardlog
from shardlog.explain.lint import Finding, Hurt

HEAD = "HloModule m, num_partitions=8\n"


def findings(*lines: str) -> dict[str, Finding]:
    text = HEAD + "ENTRY main {\n" + "\n".join(f"  {line}" for line in lines) + "\n}\n"
    answer = shardlog.propagate(shardlog.load(text.encode())).lint(least=1)
    return {f"{one.hurt} {name}": one for one in answer.findings for name in one.names}


def test_tiles_that_end_are_one_finding_with_all_that_it_is() -> None:
    found = findings(
        "a = f32[2,16,32] parameter(0), sharding={devices=[1,8,1]<=[8]}",
        "b = f32[2,2,8,32] reshape(a)",
        'ROOT o = f32[2,2,8,32] custom-call(b), custom_call_target="k", sharding={replicated}',
    )
    # XLA: {devices=[1,2,4,1]<=[8]}, nothing is lost at the reshape
    assert set(found) == {"replicated o"}
    assert [hurt for hurt, _ in found["replicated o"].also] == [Hurt.LOST, Hurt.RESHARD]


def test_a_partial_loss_and_its_reshard_are_one() -> None:
    found = findings(
        "a = f32[24] parameter(0), sharding={devices=[8]<=[8]}",
        "b = f32[6,4] reshape(a)",
        "ROOT o = f32[6,4] negate(b), sharding={devices=[2,1,4]<=[8] last_tile_dim_replicate}",
    )
    assert set(found) == {"axis_lost b"}
    assert [hurt for hurt, _ in found["axis_lost b"].also] == [Hurt.RESHARD]


def test_what_is_divided_by_hand_is_neither_lost_nor_replicated() -> None:
    whole, by_hand = "{devices=[8,1]<=[8]}", "{devices=[1,1,8]<=[8] last_tile_dims={manual}}"
    for inside in ("{manual}", by_hand):
        found = findings(
            f"a = f32[64,32] parameter(0), sharding={whole}",
            'f = f32[8,32] custom-call(a), custom_call_target="SPMDFullToShardShape", '
            f"sharding={inside}",
            "n = f32[8,32] negate(f)",
            'ROOT o = f32[64,32] custom-call(n), custom_call_target="SPMDShardToFullShape", '
            f"sharding={whole}",
        )
        assert found == {}


def test_a_call_that_only_names_a_shard_group_is_no_value() -> None:
    found = findings(
        "a = f32[64,32] parameter(0), sharding={devices=[8,1]<=[8]}",
        "n = f32[64,32] negate(a)",
        's = f32[64,32] custom-call(n), custom_call_target="Sharding", '
        "sharding={unknown shard_as 0}",
        "ROOT o = f32[64,32] negate(s), sharding={devices=[8,1]<=[8]}",
    )
    assert found == {}
