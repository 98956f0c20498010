"""Shardings that surprised somebody: the answers name the true cause, which XLA's log confirms."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest

import shardlog

THREADS = Path(__file__).parents[1] / "data" / "threads"


@lru_cache(maxsize=4)
def result(name: str) -> shardlog.Result:
    return shardlog.propagate(THREADS / f"{name}.hlo")


@pytest.mark.parametrize(
    ("module", "instruction", "dim", "kind", "at", "names", "words"),
    [
        ("fft", "fft.0", None, "no_rule", "fft.0", ["convert_element_type.2", "tuple.1"], "fft is"),
        ("top_k", "top_k.6", None, "no_rule", "top_k.6", ["x.1"], "topk is not among"),
        ("top_k", "top_k.9", None, "no_rule", "top_k.9", ["x.1"], "topk is not among"),
        ("expert_routing", "top_k.3", None, "no_rule", "top_k.3", ["x.1"], "topk is not among"),
        ("expert_routing", "sort.0", None, "no_rule", "top_k.3", ["x.1"], "topk is not among"),
        ("expert_routing", "reshape.1", None, "no_rule", "top_k.3", ["x.1"], "topk is not among"),
        (
            "dot_chain",
            "dot_general.3",
            None,
            "dimension_lost",
            "dot_general.3",
            ["dot_general.2", "c.1"],
            "dimension 1 (split 8 ways), the dot contracts it",
        ),
        (
            "one_hot_gradient",
            "dot_general.7",
            None,
            "dimension_lost",
            "dot_general.7",
            ["dot_general.6", "broadcast_in_dim.5"],
            "dimension 0 (split 8 ways), the dot contracts it",
        ),
        ("jacobian", "mul.11", 0, "other_tiles", "mul.11", ["iota.4"], "dimension 0 of iota"),
        ("replicated_abs", "abs.1", None, "annotation", "abs.1", ["x.1"], "no rule invents tiles"),
        ("embedding_view", "gather.0", 0, "dimension_lost", "gather.0", ["w.1"], "select along it"),
    ],
)
def test_why_not(
    module: str,
    instruction: str,
    dim: int | None,
    kind: str,
    at: str,
    names: list[str],
    words: str,
) -> None:
    cause = result(module).whynot(instruction, dim=dim).cause
    assert (cause.kind, cause.instruction.partition("{")[0]) == (kind, at)
    assert words in cause.says
    assert set(names) <= {name.partition("{")[0] for name, _ in cause.contributors}


def test_what_a_reshape_ends_is_led_to() -> None:
    answer = result("flattened_tokens").whynot("tanh.1", "{devices=[8,1]<=[8]}")
    assert (answer.cause.kind, answer.cause.instruction) == ("dimension_lost", "reshape.1")
    assert answer.cause.contributors == (("x.1", "{devices=[2,4,1]<=[8]}"),)
    assert answer.path == ("dot_general.1", "reshape.1")
    # XLA's log: two tiles of the batch go on, the four of the sequence are replicated
    log = (THREADS / "flattened_tokens.log").read_text()
    reshape = "%reshape.1 = f32[1024,64]{1,0} reshape(%x.1), sharding="
    assert f"{reshape}{{devices=[2,1,4]<=[8] last" in log


@pytest.mark.parametrize(
    ("module", "instruction", "kind", "chain", "step", "beside"),
    [
        (
            "optimizer_state",
            "sub.1",
            "forward_from_operand",
            ["sub.1", "mul.7", "add.1", "mul.6", "mom.1"],
            ("best operand", "forward", 0),
            ["less specific: p.1 has {replicated}", "nothing holds the result tuple.1"],
        ),
        (
            "two_device_orders",
            "add.3",
            "annotation",
            ["add.3", "sharding_constraint.3"],
            ("a Sharding call names its operand", "name operands", None),
            ["reshard: sharding_constraint.2 has {devices=[2,2]<=[4]}"],
        ),
        (
            "constrained_sum",
            "add.2",
            "annotation",
            ["add.2", "sharding_constraint.1"],
            ("a Sharding call names its operand", "name operands", None),
            ["reshard: a.1 has {devices=[2,1,4]<=[4,2]T(1,0)}", "reshard: b.1 has"],
        ),
        (
            "remat_norm",
            "div.11",
            "annotation",
            ["div.11", "sharding_constraint.6"],
            ("a Sharding call names its operand", "name operands", None),
            ["reshard: sharding_constraint.5 has {devices=[2,4,1]<=[8]}", "reshard: div.10 has"],
        ),
        (
            "scalar_dot",
            "dot_general.1",
            "forward_from_operand",
            ["dot_general.1", "x.1"],
            ("dot", "forward", 1),
            ["less specific: constant.1 has {replicated}"],
        ),
        (
            "cumsum",
            "reduce_window_sum.1",
            "forward_from_operand",
            ["reduce_window_sum.1", "sharding_constraint.1"],
            ("carried", "forward", 1),
            ["before: {replicated} from tuple.1 by rule 'user' (backward, tier 0)"],
        ),
        (
            "jacobian",
            "mul.11",
            "forward_from_operand",
            ["mul.11", "mul.10", "mul.9", "mul.8", "broadcast_in_dim.1", "mul.7", "x.1"],
            ("every operand", "forward", 3),
            ["before: {replicated} from tuple.1 by rule 'user' (backward, tier 0)"],
        ),
        (
            "batched_lu",
            "lu.0",
            "forward_from_operand",
            ["lu.0", "a.1"],
            ("batched call", "forward", 1),
            [],
        ),
        (
            "negative_pads",
            "pad.4",
            "forward_from_operand",
            ["pad.4", "x.1"],
            ("first operand", "forward", 1),
            ["uneven: dimension 0 of 1 is split 4 ways"],
        ),
        (
            "embedding_view",
            "gather.0",
            "backward_from_user",
            ["gather.0", "select_n.4", "reshape.3", "sharding_constraint.1"],
            ("user", "backward", 0),
            ["not taken: w.1 has {devices=[8,1]<=[8]}: dimension 0 (split 8 ways), the indices"],
        ),
        (
            "concatenate_copies",
            "concatenate.1",
            "backward_from_user",
            ["concatenate.1", "reshape.1", "dot_general.1", "w.1"],
            ("user", "backward", 1),
            ["before: {replicated} from x.1 by rule 'concatenate' (forward, tier 1)"],
        ),
        (
            "reshape_heads",
            "reshape.1",
            "forward_from_operand",
            ["reshape.1", "dot_general.1", "b.1"],
            ("reshape", "forward", 1),
            ["dimension 1 of dot_general.1 (8 ways) is dimensions 2 (4 ways) and 3 (2 ways)"],
        ),
        (
            "embedding_gradient",
            "scatter-add.0",
            "backward_from_user",
            ["scatter-add.0", "get-tuple-element.1"],
            ("user", "backward", 0),
            ["not taken: broadcast_in_dim.0 has {devices=[2,4,1]<=[8]}"],
        ),
    ],
)
def test_why(
    module: str,
    instruction: str,
    kind: str,
    chain: list[str],
    step: tuple[str, str, int | None],
    beside: list[str],
) -> None:
    account = result(module).account(instruction)
    assert account.cause.kind == kind
    names, reason = [account.proof.name], account.proof
    while reason.steps and reason.steps[0].sources:
        reason = reason.steps[0].sources[0]
        names.append(reason.name)
    assert names == chain
    first = account.proof.steps[0]
    assert (first.rule, first.direction, first.tier) == step
    text = account.to_text()
    for remark in beside:
        assert remark in text


def test_what_is_split_further_than_wanted() -> None:
    wanted = "{devices=[1,1,4,1,2]<=[8] last_tile_dim_replicate}"
    cause = result("reshape_heads").whynot("reshape.1", wanted).cause
    assert cause.kind == "forward_from_operand"
    assert cause.says.startswith("reshape.1 is split so and further")
    assert cause.contributors == (("dot_general.1", "{devices=[1,8]<=[8]}"),)


def test_what_is_less_specific_than_what_is_there_is_refused() -> None:
    cause = result("concatenate_copies").whynot("concatenate.1", "{replicated}").cause
    assert cause.kind == "join_refused"
    assert "from reshape.1 by rule 'user' (backward, tier 1)" in cause.says
    assert cause.contributors == (("x.1", "{replicated}"),)
