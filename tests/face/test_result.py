"""The Python interface on real modules: shardings, names, elements, proofs."""

from __future__ import annotations

from pathlib import Path

import pytest

import shardlog

ROOT = Path(__file__).parents[2]
SMALL = ROOT / "tests" / "data" / "small"


@pytest.fixture(scope="module")
def loop() -> shardlog.Result:
    return shardlog.propagate(SMALL / "while.before.txt")


@pytest.fixture(scope="module")
def gpt() -> shardlog.Result:
    return shardlog.propagate(shardlog.load(ROOT / "examples" / "gpt_forward_2x4.txt"))


def test_shardings_by_name_and_element(loop: shardlog.Result) -> None:
    assert str(loop.sharding("loop")) == "{{replicated}, {devices=[2,4]<=[8]}}"
    assert str(loop.sharding("%loop{1}")) == "{devices=[2,4]<=[8]}"
    assert loop.given("loop") is None
    assert str(loop.given("y")) == "{devices=[2,4]<=[8]}"
    assert loop.sharding("p") is None
    assert "while(%init), condition=%cond, body=%body, sharding={{replic" in loop.module.to_text()


def test_a_proof_follows_one_element_through_tuples_and_loops(loop: shardlog.Result) -> None:
    proof = loop.why("t.1{1}").to_text()
    names = [line.split()[0] for line in proof.splitlines() if not line.startswith(" ")]
    assert names == ["t.1{1}", "loop{1}", "y"]
    assert "through r{1}" in proof
    assert "t.1 shares the sharding of loop at call site loop" in proof
    assert "y is annotated {devices=[2,4]<=[8]}" in proof


def test_an_element_that_nothing_tiles_rests_on_nothing(loop: shardlog.Result) -> None:
    (step,) = loop.why("r{0}").steps
    assert (str(step.new), step.sources) == ("{replicated}", ())


def test_calls_that_become_copies_go_by_both_names(gpt: shardlog.Result) -> None:
    proof = gpt.why("sharding_constraint.18")
    copy = proof.origin.becomes
    assert copy.startswith("copy.")
    assert gpt.why(copy) == proof
    assert gpt.sharding(copy) is gpt.sharding("sharding_constraint.18")
    assert gpt.module.find("sharding_constraint.18") is None


def test_a_proof_says_where_in_the_program_an_instruction_comes_from(gpt: shardlog.Result) -> None:
    proof = gpt.why("dot_general.20")
    assert proof.origin.source == "gpt.py:153"
    assert '"jit(f02_gpt_fwd_sp_2x4)/bqhk,bmhk->bhqm/dot_general"' in proof.to_text()
    proto = shardlog.propagate(ROOT / "examples" / "mlp_train_2x4.hlo.pb", provenance=False)
    assert proto.why("dot_general.11").origin.source == "mlp.py:21"


def test_metadata_with_a_file_of_its_own_needs_no_tables() -> None:
    text = """HloModule m
ENTRY %e (a: f32[8]) -> f32[8] {
  %a = f32[8]{0} parameter(0), sharding={devices=[2]<=[2]}
  ROOT %b = f32[8]{0} negate(%a), metadata={op_name="neg" source_file="/x/y/z.py" source_line=7}
}
"""
    origin = shardlog.propagate(text.encode()).why("b").origin
    assert (origin.opcode, origin.op_name, origin.source) == ("negate", "neg", "z.py:7")


def test_every_template_has_its_names_put_in(gpt: shardlog.Result) -> None:
    modules = [shardlog.propagate(path) for path in sorted(SMALL.glob("*.before.txt"))]
    said = 0
    for result in (gpt, *modules):
        for instruction, *_ in result.rows():
            for step in result.why(instruction.name, depth=1).steps:
                said += bool(step.says)
                assert "{" not in step.says.split(" annotate")[0].split(" is annotated")[0], step
                words = step.says.replace(",", " ").replace(";", " ").split()
                assert not {*words} & set("ABCGIJOQUW"), step
    assert said > 500


def test_what_is_not_there_is_told_with_what_is(loop: shardlog.Result) -> None:
    with pytest.raises(shardlog.InputError, match=r"no instruction is called 'lop'; .*loop"):
        loop.sharding("lop")
    with pytest.raises(shardlog.InputError, match=r"while\.before\.txt: loop has no element \{2\}"):
        loop.why("loop{2}")
    with pytest.raises(shardlog.InputError, match=r"y has no element \{0\}"):
        loop.given("y{0}")


def test_the_summary_counts_what_the_rows_tell(gpt: shardlog.Result) -> None:
    counts, rows = gpt.summary(), list(gpt.rows())
    assert counts.instructions == len(rows)
    assert counts.sharded_before == sum(given is not None for _, _, given, _ in rows)
    assert counts.sharded_after == sum(x.sharding is not None for x, *_ in rows)
    assert sum(counts.steps.values()) == len(gpt.records)
    quiet = shardlog.propagate(SMALL / "dot.before.txt", provenance=False)
    assert quiet.summary().steps == {}
    assert quiet.records == []


def test_rules_can_be_given_as_paths(tmp_path: Path) -> None:
    rules = tmp_path / "mine.dl"
    rules.write_text("+ disable('dot')\n")
    assert shardlog.propagate(SMALL / "dot.before.txt").sharding("dot.7") is not None
    assert shardlog.propagate(SMALL / "dot.before.txt", rules=[rules]).sharding("dot.7") is None
    rules.write_text("\n+ disable('dots')\n")
    with pytest.raises(shardlog.RuleError, match="no rule 'dots'"):
        shardlog.propagate(SMALL / "dot.before.txt", rules=[str(rules)])
