"""Small programs whose shardings surprise: the one cause that is named."""

from __future__ import annotations

import pytest

import shardlog
from shardlog.explain.conflict import refusal
from shardlog.explain.lint import Hurt
from shardlog.ir.shape import parse_shape
from shardlog.ir.sharding_text import parse_sharding

HEAD = "HloModule m, num_partitions=8\n"
ROWS = "sharding={devices=[8,1]<=[8]}"


def result(entry: str, called: str = "") -> shardlog.Result:
    text = f"{HEAD}{called}\nENTRY main {{\n{entry}\n}}\n"
    return shardlog.propagate(shardlog.load(text.encode()))


def test_a_sort_along_tiles_loses_them() -> None:
    less = (
        "cmp { p = f32[] parameter(0) q = f32[] parameter(1) "
        "ROOT s = pred[] compare(p, q), direction=LT }"
    )
    cause = (
        result(
            "  a = f32[1024] parameter(0), sharding={devices=[8]<=[8]}\n"
            "  t = f32[1024] sort(a), dimensions={0}, to_apply=cmp\n"
            "  ROOT o = f32[1024] negate(t)",
            less,
        )
        .whynot("t")
        .cause
    )
    assert cause.kind == "dimension_lost"
    assert cause.contributors == (("a", "{devices=[8]<=[8]}"),)
    assert "sorts along the dimension that is tiled" in cause.says


def test_an_operand_that_is_there_twice_is_named_by_what_it_had() -> None:
    run = result(
        "  p = f32[4] parameter(0)\n"
        "  x = f32[3,8,4] broadcast(p), dimensions={2}\n"
        "  w = f32[4,3,8,4,4] broadcast(x), dimensions={1,2,3}, "
        "sharding={devices=[1,1,1,1,8]<=[8]}\n"
        "  d = f32[8,3,4,3,4] dot(x, x), lhs_batch_dims={1}, rhs_batch_dims={1}, "
        "lhs_contracting_dims={}, rhs_contracting_dims={}, sharding={devices=[8,1,1,1,1]<=[8]}\n"
        "  ROOT t = (f32[4,3,8,4,4], f32[8,3,4,3,4]) tuple(w, d)"
    )
    steps = [record for record in run.records if run.run.name(record.entity) == "x"]
    assert [[run.run.name(one) for one in step.contributors] for step in steps] == [
        ["w"],
        ["d", "x"],
    ]


@pytest.mark.parametrize("asked", ["c", "k"])
def test_a_call_has_what_the_root_of_its_computation_has(asked: str) -> None:
    kernel = (
        "t { tp = f32[64,128] parameter(0) "
        'ROOT tk = f32[64,128] custom-call(tp), custom_call_target="kern" }'
    )
    cause = (
        result(
            f"  a = f32[64,128] parameter(0), {ROWS}\n"
            "  c = f32[64,128] call(a), to_apply=t\n"
            "  k = f32[64,128] negate(c)\n"
            "  ROOT o = f32[64,128] negate(k)",
            kernel,
        )
        .whynot(asked)
        .cause
    )
    assert (cause.kind, cause.instruction) == ("no_rule", "tk")


def test_a_constraint_is_named_by_what_it_holds() -> None:
    run = result(
        f"  a = f32[64,128] parameter(0), {ROWS}\n"
        "  n = f32[64,128] negate(a)\n"
        '  c = f32[64,128] custom-call(n), custom_call_target="Sharding", sharding={replicated}\n'
        "  k = f32[64,128] negate(c)\n"
        "  ROOT o = f32[64,128] negate(k)"
    )
    cause = run.whynot("k").cause
    assert (cause.kind, cause.instruction) == ("annotation", "n")
    assert "n is annotated {replicated} by c" in cause.says
    assert {name for name, _ in cause.contributors} == {"a", "c"}


def test_partial_shardings_that_are_merged_both_count() -> None:
    run = result(
        "  a = f32[64,128] parameter(0), sharding={devices=[2,1,4]<=[8] last_tile_dim_replicate}\n"
        "  b = f32[64,128] parameter(1), "
        "sharding={devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}\n"
        "  c = f32[64,128] add(a, b)\n"
        "  ROOT o = f32[64,128] negate(c)"
    )
    account = run.account("c")
    assert {"a", "b"} <= {name for name, _ in account.cause.contributors}
    assert not any("not taken" in remark for remark in account.beside)


def test_scalars_have_nothing_to_split() -> None:
    run = result(
        f"  a = f32[64,128] parameter(0), {ROWS}\n"
        "  r = s32[] get-dimension-size(a), dimensions={0}\n"
        "  b = s32[64] broadcast(r), dimensions={}\n"
        "  ROOT o = s32[64] negate(b)"
    )
    assert run.whynot("r").cause.kind == "no_dimensions"
    cause = run.whynot("b").cause
    assert (cause.kind, cause.instruction) == ("no_dimensions", "r")


def test_tiles_that_meet_others_of_the_same_devices_stop() -> None:
    run = result(
        f"  a = f32[64,128] parameter(0), {ROWS}\n"
        "  b = f32[64,128] parameter(1), sharding={devices=[1,8]<=[8]}\n"
        "  c = f32[64,128] add(a, b)\n"
        "  ROOT o = f32[64,128] negate(c)"
    )
    found = run.frontier("b")
    assert found.reached == ("b",)
    assert [(edge.target, edge.kind) for edge in found.edges] == [("c", "join_refused")]


def joined() -> shardlog.Result:
    """Two dimensions that a reshape joins, of which the second's tiles end there."""
    return result(
        "  a = f32[16,30] parameter(0), sharding={devices=[2,4]<=[8]}\n"
        "  b = f32[480] reshape(a)\n"
        "  n = f32[480] negate(b)\n"
        "  x = f32[480] exponential(n)\n"
        "  ROOT o = f32[480] negate(x)"
    )


def test_what_is_split_in_part_leads_to_where_the_rest_ended() -> None:
    answer = joined().whynot("x", "{devices=[8]<=[8]}")
    assert (answer.cause.kind, answer.cause.instruction) == ("dimension_lost", "b")
    assert answer.path == ("n", "b")
    assert "dimension 1 (split 4 ways), which the reshape joins with others" in answer.cause.says
    assert answer.candidates[0].rule == "reshape"


def test_a_frontier_tells_of_tiles_that_end_in_part() -> None:
    edges = {(edge.source, edge.target): edge.kind for edge in joined().frontier("a").edges}
    assert edges == {("x", "o"): "mask", ("a", "b"): "dimension_lost"}


def test_a_reshape_that_keeps_a_part_of_the_tiles_loses_the_rest() -> None:
    run = result(
        "  a = f32[24] parameter(0), sharding={devices=[8]<=[8]}\n"
        "  b = f32[6,4] reshape(a)\n"
        "  ROOT o = f32[6,4] negate(b)"
    )
    # XLA: 6 is even, so two of the eight tiles go on
    assert str(run.sharding("b")) == "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"
    (found,) = run.lint(least=1, kinds=frozenset((Hurt.LOST,))).findings
    assert "split 8 ways, of which 4 end" in found.cause


def grouped() -> shardlog.Result:
    """Two values in a shard group, which `Sharding` calls name."""
    named = 'custom_call_target="Sharding", sharding={unknown shard_as 0}'
    return result(
        f"  a = f32[64,128] parameter(0), {ROWS}\n"
        "  b = f32[64,128] parameter(1)\n"
        "  n = f32[64,128] negate(a)\n"
        "  m = f32[64,128] negate(b)\n"
        f"  s = f32[64,128] custom-call(n), {named}\n"
        f"  t = f32[64,128] custom-call(m), {named}\n"
        "  u = f32[64,128] add(s, t)\n"
        "  ROOT o = f32[64,128] negate(u)"
    )


def test_a_call_that_the_pass_takes_out_is_what_it_named() -> None:
    # XLA leaves neither s nor t: n and m, which are in their place, are {devices=[8,1]<=[8]}
    run = grouped()
    account = run.account("s")
    assert str(account.proof.sharding) == "{devices=[8,1]<=[8]}"
    (step,) = account.proof.steps
    assert [source.name for source in step.sources] == ["n"]
    assert (account.cause.kind, account.cause.instruction) == ("forward_from_operand", "n")
    answer = run.whynot("t", dim=1)
    assert (answer.name, answer.path[0]) == ("t", "m")
    assert run.frontier("s").name == "n"


def test_devices_that_another_dimension_has_cannot_split_a_second() -> None:
    cause = grouped().whynot("u", "{devices=[4,2]<=[8]}").cause
    assert (cause.kind, cause.instruction) == ("other_tiles", "u")
    assert "would take the devices that dimension 0 is split over" in cause.says
    assert cause.contributors[0] == ("n", "{devices=[8,1]<=[8]}")


@pytest.mark.parametrize(
    "inside", ["{manual}", "{devices=[1,1,2,4]<=[8] last_tile_dims={manual, replicated}}"]
)
def test_what_is_manual_comes_from_somewhere(inside: str) -> None:
    run = result(
        f"  a = f32[64,128] parameter(0), {ROWS}\n"
        '  f = f32[32,128] custom-call(a), custom_call_target="SPMDFullToShardShape", '
        f"sharding={inside}\n"
        "  n = f32[32,128] negate(f)\n"
        "  x = f32[32,128] exponential(n)\n"
        '  ROOT o = f32[64,128] custom-call(x), custom_call_target="SPMDShardToFullShape", '
        f"{ROWS}"
    )
    cause = run.account("x").cause
    assert (cause.kind, cause.instruction) == ("forward_from_operand", "x")
    assert {"n", "f"} <= {name for name, _ in cause.contributors}


@pytest.mark.parametrize("asked", ["b", "x"])
def test_a_dimension_that_a_reshape_joined_leads_to_what_it_ended(asked: str) -> None:
    run = result(
        "  a = f32[64,16,30] parameter(0), sharding={devices=[2,1,4]<=[8]}\n"
        "  b = f32[64,480] reshape(a)\n"
        "  n = f32[64,480] negate(b)\n"
        "  x = f32[64,480] exponential(n)\n"
        "  ROOT o = f32[64,480] negate(x)"
    )
    answer = run.whynot(asked, dim=1)
    assert (answer.cause.kind, answer.cause.instruction) == ("dimension_lost", "b")
    assert "dimension 2 (split 4 ways), which the reshape joins" in answer.cause.says
    assert answer.candidates[0].rule == "reshape"


def test_nothing_splits_what_is_manual() -> None:
    run = result(
        f"  a = f32[64,128] parameter(0), {ROWS}\n"
        '  f = f32[8,128] custom-call(a), custom_call_target="SPMDFullToShardShape", '
        "sharding={manual}\n"
        "  n = f32[8,128] negate(f)\n"
        '  ROOT o = f32[64,128] custom-call(n), custom_call_target="SPMDShardToFullShape", '
        f"{ROWS}"
    )
    cause = run.whynot("n", dim=1).cause
    assert (cause.kind, cause.instruction) == ("annotation", "n")
    assert "it goes back to f, which is annotated so" in cause.says
    assert cause.contributors == (("f", "{manual}"),)


def test_open_dimensions_of_a_manual_region_have_beginnings() -> None:
    by_hand = "{devices=[1,1,2,4]<=[8] last_tile_dims={manual, replicated}}"
    run = result(
        "  a = f32[64,128] parameter(0), sharding={devices=[2,1,4]<=[8] last_tile_dim_replicate}\n"
        "  s = f32[64,128] copy(a)\n"
        '  f = f32[32,128] custom-call(s), custom_call_target="SPMDFullToShardShape", '
        f"sharding={by_hand}\n"
        '  n = f32[32,128] custom-call(f), custom_call_target="Sharding", '
        f'backend_config="unspecified_dims=[0,1]", sharding={by_hand}\n'
        "  x = f32[32,128] exponential(n)\n"
        "  ROOT o = f32[32,128] negate(x)"
    )
    cause = run.whynot("x", dim=0).cause
    assert cause.kind == "other_tiles"
    assert "dimension 0 of n, which copy takes from no operand" in cause.says


def test_a_frontier_goes_on_where_another_operand_gave_the_same() -> None:
    heads = "sharding={devices=[1,8,1,1]<=[8]}"
    run = result(
        f"  p = f32[4,8,16,16] parameter(0), {heads}\n"
        "  q = f32[4,16,8,32] parameter(1), sharding={devices=[1,1,8,1]<=[8]}\n"
        "  d = f32[4,8,16,32] dot(p, q), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, "
        "rhs_batch_dims={0,2}, rhs_contracting_dims={1}\n"
        "  ROOT o = f32[4,8,16,32] negate(d)"
    )
    for start in ("p", "q"):
        found = run.frontier(start)
        assert "d" in found.reached
        assert [(edge.source, edge.kind) for edge in found.edges] == [("d", "mask")]


def test_tiles_that_ended_further_back_are_named_where_they_ended() -> None:
    run = result(
        "  a = f32[64,128] parameter(0), sharding={devices=[2,1,4]<=[8] last_tile_dim_replicate}\n"
        "  b = f32[64,128] parameter(1), "
        "sharding={devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}\n"
        "  c = f32[64,256] concatenate(a, b), dimensions={1}\n"
        "  n = f32[64,256] negate(c)\n"
        "  ROOT o = f32[64,256] exponential(n)"
    )
    # XLA: the concatenate takes one operand's sharding, b's
    answer = run.whynot("n", dim=0)
    assert (answer.cause.kind, answer.cause.instruction) == ("dimension_lost", "c")
    assert answer.path == ("c",)
    assert [name for name, _ in answer.cause.contributors] == ["a"]


def test_the_last_of_the_dimensions_that_a_reshape_cuts_has_a_beginning() -> None:
    run = result(
        "  a = f32[8,128,256] parameter(0), sharding={devices=[2,4,1]<=[8]}\n"
        "  w = f32[256,64] parameter(1)\n"
        "  b = f32[1024,256] reshape(a)\n"
        "  d = f32[1024,64] dot(b, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
        "  r = f32[8,128,64] reshape(d)\n"
        "  ROOT o = f32[8,128,64] negate(r)"
    )
    answer = run.whynot("r", dim=1)
    assert (answer.cause.kind, answer.cause.instruction) == ("dimension_lost", "b")
    assert answer.path == ("d", "b")
    assert "a has {devices=[2,4,1]<=[8]}: dimension 1 (split 4 ways)" in answer.cause.says


def test_what_is_uneven_tells_from_whom_it_had_its_tiles() -> None:
    text = (
        "HloModule m, num_partitions=8, allow_spmd_sharding_propagation_to_output={true}\n"
        f"ENTRY main {{\n  a = f32[30,48] parameter(0), {ROWS}\n"
        "  ROOT b = f32[30,48] negate(a)\n}\n"
    )
    cause = shardlog.propagate(shardlog.load(text.encode())).whynot("b").cause
    assert (cause.kind, cause.instruction) == ("uneven", "b"), cause.says
    assert cause.contributors == (("a", "{devices=[8,1]<=[8]}"),)


def test_devices_that_another_dimension_of_a_gradient_has() -> None:
    """Both operands are split over the same devices along dimensions that the dot keeps."""
    loop = (
        "body { t = (s32[], f32[128,256]) parameter(0)\n"
        "  i = s32[] get-tuple-element(t), index=0\n"
        "  c = f32[128,256] get-tuple-element(t), index=1\n"
        "  h = f32[64,128] constant({...}), sharding={devices=[2,4]<=[8]}\n"
        "  g = f32[64,256] constant({...}), sharding={devices=[2,4]<=[8]}\n"
        "  d = f32[256,128] dot(g, h), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
        "  r = f32[128,256] transpose(d), dimensions={1,0}\n"
        "  s = f32[128,256] add(c, r)\n"
        "  ROOT o = (s32[], f32[128,256]) tuple(i, s) }\n"
        "test { t = (s32[], f32[128,256]) parameter(0)\n"
        "  i = s32[] get-tuple-element(t), index=0\n"
        "  n = s32[] constant(8)\n"
        "  ROOT o = pred[] compare(i, n), direction=LT }\n"
    )
    run = result(
        "  z = s32[] constant(0)\n"
        "  f = f32[] constant(0)\n"
        "  b = f32[128,256] broadcast(f), dimensions={}\n"
        "  i = (s32[], f32[128,256]) tuple(z, b)\n"
        "  w = (s32[], f32[128,256]) while(i), condition=test, body=body\n"
        "  e = f32[128,256] get-tuple-element(w), index=1\n"
        "  ROOT o = f32[128,256] negate(e)",
        loop,
    )
    for asked in ("d", "w{1}", "e"):
        dim = 1 if asked == "d" else 0
        cause = run.whynot(asked, dim=dim).cause
        assert (cause.kind, cause.instruction) == ("other_tiles", "d"), asked
        assert "over the devices that dimension 0 of d is split over" in cause.says
        assert {name for name, _ in cause.contributors} >= {"g", "h"}


CROSSED = (
    "  a = f32[16,16] parameter(0), "
    "sharding={devices=[4,1,2]<=[8] last_tile_dim_replicate}\n"
    "  b = f32[16,16] parameter(1), "
    "sharding={devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}\n"
    "  c = f32[16,16] add(a, b)\n"
    "  ROOT d = f32[16,16] negate(c)"
)


def test_rules_for_other_ops_are_not_told_of_where_a_neighbour_has_nothing() -> None:
    # d has no sharding, and would sort, concatenate or slice nothing if it had one
    backward = [
        one for one in result(CROSSED).whynot("c").candidates if one.direction == "backward"
    ]
    assert {one.rule for one in backward} == {"manual user", "operand of the same shape"}
    assert "sorted operand" in {
        one.rule for one in result(CROSSED).whynot("c", every=True).candidates
    }


def test_an_edge_of_the_frontier_is_told_once() -> None:
    edges = [(one.source, one.target) for one in result(CROSSED).frontier("b").edges]
    assert edges == [("b", "c")]


@pytest.mark.parametrize(
    ("has", "offered", "says"),
    [
        # a finer split of a dimension over devices that another one has
        ("[2,4]<=[8]", "[8,1]<=[8]", "dimension 0 (would take the devices that dimension 1 is"),
        ("[4,2]<=[8]", "[1,8]<=[8]", "dimension 1 (would take the devices that dimension 0 is"),
        (
            "[2,1,4]<=[8] last_tile_dim_replicate",
            "[4,1,2]<=[4,2]T(1,0) last_tile_dim_replicate",
            "dimension 0 (split 2 and 4 ways",
        ),
    ],
)
def test_a_refusal_names_the_dimension(has: str, offered: str, says: str) -> None:
    old, new = (parse_sharding(f"{{devices={one}}}") for one in (has, offered))
    assert says in refusal(old, new, parse_shape("f32[16,16]"))


def test_elements_of_tuples_are_told_alone() -> None:
    run = result(
        "  a = f32[8] parameter(0), sharding={devices=[8]<=[8]}\n"
        "  b = f32[8] parameter(1), sharding={replicated}\n"
        "  t = (f32[8], f32[8]) tuple(a, b)\n"
        "  o = (f32[8], f32[8]) opt-barrier(t)\n"
        "  ROOT g = f32[8] get-tuple-element(o), index=0"
    )
    said = [one.because for one in run.whynot("o{1}").candidates]
    assert "t{1} has {replicated}" in said


@pytest.mark.parametrize(
    ("held", "besides"),
    [("", "mask for parameters is closed"), (", sharding={replicated}", "b is annotated")],
)
def test_what_is_offered_without_the_tiles_is_not_kept_out_by_a_mask(
    held: str, besides: str
) -> None:
    entry = (
        f"  b = f32[1024] parameter(0){held}\n"
        "  x = f32[64,1024] parameter(1), sharding={devices=[8,1]<=[8]}\n"
        "  bb = f32[64,1024] broadcast(b), dimensions={1}\n"
        "  y = f32[64,1024] add(x, bb)\n"
        "  ROOT z = f32[64,1024] negate(y)"
    )
    cause = result(entry).whynot("b").cause
    assert cause.kind == "dimension_lost"
    assert "the broadcast makes it" in cause.says
    assert besides in cause.says.partition("; besides, ")[2]
    # with neither mask nor annotation it has no tiles either
    text = f"{HEAD}\nENTRY main {{\n{entry.replace(held, '')}\n}}\n"
    free = shardlog.propagate(shardlog.load(text.encode()), params=[True])
    assert str(free.sharding("b")) == "{replicated}"


def test_what_a_dot_sums_over_is_not_why_another_dimension_is_whole() -> None:
    run = result(
        "  a = f32[64,32] parameter(0), sharding={devices=[1,8]<=[8]}\n"
        "  w = f32[32,16] parameter(1)\n"
        "  d = f32[64,16] dot(a, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
        "  ROOT o = f32[64,16] negate(d)"
    )
    assert "the dot contracts it" in run.whynot("d").cause.says
    cause = run.whynot("d", dim=0).cause
    assert (cause.kind, cause.contributors) == ("other_tiles", (("a", "{devices=[1,8]<=[8]}"),))
    assert "would be split if this were: dimension 0 of parameter a" in cause.says
