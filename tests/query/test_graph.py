"""Relations about loops, calls and origins, of a module whose answers can be seen at a glance."""

from __future__ import annotations

import threading

import shardlog

MODULE = b"""HloModule loops, num_partitions=2

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}

inner_body {
  p = (f32[8,4], s32[]) parameter(0)
  x = f32[8,4] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  z = f32[] constant(0)
  r = f32[4] reduce(x, z), dimensions={0}, to_apply=add
  w = f32[8,4] broadcast(r), dimensions={1},
      metadata={op_name="jit(f)/inner" source_file="/a/f.py" source_line=7}
  ROOT t = (f32[8,4], s32[]) tuple(w, n)
}

inner_cond {
  p = (f32[8,4], s32[]) parameter(0)
  ROOT go = pred[] custom-call(p), custom_call_target="ask", custom_call_has_side_effect=true
}

outer_body {
  p = (f32[8,4], s32[]) parameter(0)
  ROOT i = (f32[8,4], s32[]) while(p), condition=inner_cond, body=inner_body
}

outer_cond {
  p = (f32[8,4], s32[]) parameter(0)
  ROOT k = pred[] constant(true)
}

ENTRY main {
  y = f32[8,4] parameter(0), sharding={devices=[2,1]<=[2]}
  c = s32[] parameter(1)
  s = (f32[8,4], s32[]) tuple(y, c)
  ROOT o = (f32[8,4], s32[]) while(s), condition=outer_cond, body=outer_body
}
"""

result = shardlog.propagate(shardlog.load(MODULE))


def test_loops_and_calls() -> None:
    found = result.query("(inside[I] == C) & (loop_depth[I] == N)").rows
    depths = {(computation, depth) for _, computation, depth in found}
    assert dict(depths) == {
        "add": 2, "inner_body": 2, "inner_cond": 2, "outer_body": 1, "outer_cond": 1, "main": 0,
    }  # fmt: skip
    assert len(depths) == 6
    assert result.query("calls['i', N] == C").rows == ((0, "inner_cond"), (1, "inner_body"))
    assert result.query("calls[I, _] == 'inner_body'").rows == (("i",),)
    assert result.query("root['inner_body'] == I").column("I") == ["t"]
    assert result.query("side_effect(I) & (target[I] == T)").rows == (("go", "ask"),)


def test_instructions_of_one_name_bear_their_computations() -> None:
    names = result.query("opcode[I] == 'parameter'").column("I")
    assert len(names) == len(set(names)) == 8
    assert sum(name.endswith("/p") for name in names) == 3
    inside = dict(result.query("(opcode[I] == 'parameter') & (inside[I] == C)").rows)
    assert all(name.split("/")[0] == inside[name] for name in names if "/" in name)


def test_origins_and_shapes() -> None:
    found = result.query("(op_name[I] == T) & (source_file[I] == S) & (source_line[I] == L)")
    assert found.rows == (("w", "jit(f)/inner", "f.py", 7),)
    assert result.query("(byte_size['o'] == N) & (device_bytes['o'] == M)").rows == ((132, 68),)
    assert result.query("leaf_shape['o', N] == T").rows == ((0, "f32[8,4]"), (1, "s32[]"))
    assert result.query("leaf_sharding['o', 0] == S").rows == (("{devices=[2,1]<=[2]}",),)
    assert result.query("partial(I)").count == result.query("manual(I)").count == 0


def test_totals_have_a_key_of_ones_own() -> None:
    total = "(total['all'] == sum_(N, for_each=I)) <= entry(C) & (inside[I] == C)"
    answer = result.query(f"{total} & (byte_size[I] == N); total[K] == N")
    # the last is the copy that the pass adds of a loop that is the root
    assert answer.rows == (("all", 128 + 4 + 132 + 132 + 132),)


def test_questions_of_several_threads_do_not_meet() -> None:
    questions = [
        "t(X, Y) <= (user[X, _] == Y); t(X, Y) <= t(X, Z) & (user[Z, _] == Y); t(X, Y)",
        "(n[P] == len_(I)) <= (opcode[I] == P); n[P] == N",
        "quiet(I) <= inst(I) & ~tiled(I); quiet(I)",
    ]
    wanted = [result.query(question).rows for question in questions]
    found: dict[int, list[object]] = {}

    def ask(number: int) -> None:
        found[number] = [result.query(questions[number % 3]).rows for _ in range(10)]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert all(rows == [wanted[number % 3]] * 10 for number, rows in found.items())
