"""What if, impact, conflicts and lint, on graphs whose answers were checked with XLA's own pass."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import shardlog
from shardlog.cli import main
from shardlog.explain.whatif import Changes, changed_copy
from shardlog.ir.sharding_text import parse_sharding
from shardlog.xla import XlaUnavailable, propagate_with_xla

ROOT = Path(__file__).parents[2]
GPT = ROOT / "examples" / "gpt_forward_2x4.txt"
FLASH = ROOT / "examples" / "flash_attention.txt"
THREADS = ROOT / "tests" / "data" / "threads"


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


def asked(*arguments: object) -> dict[str, object]:
    answer: dict[str, object] = json.loads(run(*arguments, "--json").stdout)
    return answer


# the smallest changes that give what was wanted of programs whose shardings surprised somebody
FIXES = [
    ("optimizer_state", {"sub.1": "{replicated}"}, (), "sub.1", "{replicated}"),
    ("fft", {"fft.0": "{devices=[4,1]<=[4]}"}, (), "fft.0", "{devices=[4,1]<=[4]}"),
    ("concatenate_copies", {"concatenate.1": "{replicated}"}, (), "reshape.1", None),
    ("embedding_view", {"w.1": "{devices=[1,8]<=[8]}"}, (), "gather.0", None),
    ("replicated_abs", {"x.1": "{devices=[2,1]<=[2]}"}, (), "abs.1", "{devices=[2,1]<=[2]}"),
    ("jacobian", {"mul.11": "{devices=[8,1]<=[8]}"}, (), "mul.10", "{devices=[8,1]<=[8]}"),
    ("embedding_gradient", {"scatter-add.0": "{replicated}"}, (), "broadcast_in_dim.1", None),
    ("two_device_orders", {}, ("sharding_constraint.3",), "add.3", "{devices=[2,2]<=[4]}"),
    (
        "one_hot_gradient",
        {"dot_general.7": "{devices=[1,8]<=[8]}"},
        (),
        "dot_general.7",
        "{devices=[1,8]<=[8]}",
    ),
]


@pytest.mark.parametrize(("module", "annotate", "drop", "where", "becomes"), FIXES)
def test_changed_modules_are_propagated_as_xla_does(
    module: str, annotate: dict[str, str], drop: tuple[str, ...], where: str, becomes: str | None
) -> None:
    shardings = {name: parse_sharding(text) for name, text in annotate.items()}
    changes = Changes(shardings, drop)
    original = shardlog.load(THREADS / f"{module}.hlo")
    ours = shardlog.propagate(changed_copy(original, changes))
    if becomes is not None:
        assert str(ours.sharding(where)) == becomes
    try:
        theirs = propagate_with_xla(changed_copy(original, changes))
    except XlaUnavailable as error:
        pytest.skip(str(error))
    assert not shardlog.compare_modules(ours.module, theirs).disagreements


def test_what_if_groups_what_differs() -> None:
    module = THREADS / "optimizer_state.hlo"
    answer = asked("whatif", module, "--annotate", "sub.1={replicated}")
    assert answer["instructions"] == 2
    assert answer["groups"] == [
        {
            "opcode": "subtract",
            "shape": "f32[8,8]",
            "before": "{devices=[2,4]<=[8]}",
            "after": "{replicated}",
            "bytes_before": 32,
            "bytes_after": 256,
            "instructions": ["sub.1"],
        },
        {
            "opcode": "tuple",
            "shape": "f32[8,8]",
            "before": "{devices=[2,4]<=[8]}",
            "after": "{replicated}",
            "bytes_before": 0,
            "bytes_after": 0,
            "instructions": ["tuple.1{0}"],
        },
    ]
    assert answer["reshards_new"] == [
        "mul.7 has {devices=[2,4]<=[8]}, sub.1 wants it as {replicated}"
    ]


def test_what_if_with_other_masks_and_rules(tmp_path: Path) -> None:
    module = THREADS / "optimizer_state.hlo"
    closed = asked("whatif", module, "--mask-output", "false")
    assert [group["instructions"] for group in closed["groups"]] == [["tuple.1{0}", "tuple.1{1}"]]  # type: ignore[attr-defined]
    calls = asked("whatif", FLASH, "--add-rules", ROOT / "examples" / "flash_attention.dl")
    names = {name for group in calls["groups"] for name in group["instructions"]}  # type: ignore[attr-defined]
    assert {"ffi_call.2", "ffi_call.3", "transpose.4"} <= names
    less = run("whatif", module, "--disable", "tuple").stdout
    assert "tuple.1{0}" in less
    assert "no rule 'tupel'" in run("whatif", module, "--disable", "tupel", code=2).output


def test_what_if_wants_something_to_be_different() -> None:
    module = THREADS / "optimizer_state.hlo"
    assert "nothing is to be different" in run("whatif", module, code=2).output
    assert "is called 'nope'" in run("whatif", module, "--drop", "nope", code=2).output
    assert "no annotation to drop" in run("whatif", module, "--drop", "sub.1", code=2).output
    wrong = run("whatif", module, "--annotate", "sub.1={devices=[2]<=[2]}", code=2).output
    assert "does not fit f32[8,8]" in wrong


def test_impact_is_what_would_differ_without() -> None:
    answer = asked("impact", THREADS / "optimizer_state.hlo", "mom.1")
    groups = answer["without"]["groups"]  # type: ignore[index]
    names = {name for group in groups for name in group["instructions"]}
    assert {"mom.1", "mul.6", "add.1", "mul.7", "sub.1", "tuple.1{0}", "tuple.1{1}"} <= names
    assert "p.1" not in names
    nothing = asked("impact", THREADS / "optimizer_state.hlo", "p.1")
    assert nothing["resting"] == ["sub.1", "tuple.1"]


def test_impact_on_a_real_graph() -> None:
    answer = asked("impact", GPT, "sharding_constraint.18")
    groups = answer["without"]["groups"]  # type: ignore[index]
    assert [group["instructions"] for group in groups] == [
        ["dot_general.18"],
        ["sharding_constraint.18"],
    ]
    assert "dot_general.20" in answer["resting"]  # type: ignore[operator]


def test_conflicts_are_pairs_that_lose() -> None:
    answer = asked("conflicts", THREADS / "constrained_sum.hlo", "add.2")
    assert [one["annotations"] for one in answer["conflicts"]] == [  # type: ignore[attr-defined]
        ["a.1", "sharding_constraint.1"]
    ]
    (conflict,) = answer["conflicts"]  # type: ignore[misc]
    assert conflict["winner"] == "sharding_constraint.1"
    assert conflict["together"] == "{devices=[1,8,1]<=[8]}"
    assert conflict["alike"][0] == ["b.1"]
    none = run("conflicts", THREADS / "embedding_view.hlo", "gather.0").stdout
    assert "all that reach it are carried through together" in none
    # no rule hands tiles through an FFT
    none = run("conflicts", THREADS / "fft.hlo", "fft.0").stdout
    assert "reaches it" in none


def test_lint_finds_the_largest_first() -> None:
    answer = asked("lint", GPT)
    findings = answer["findings"]
    assert answer["counts"] == {"replicated": 5, "annotation_without_effect": 7}
    assert [one["bytes"] for one in findings] == sorted(  # type: ignore[attr-defined]
        (one["bytes"] for one in findings),  # type: ignore[attr-defined]
        reverse=True,
    )
    replicated = [one for one in findings if one["kind"] == "replicated"]  # type: ignore[attr-defined]
    assert replicated[0]["instructions"][0] == "iota.9"
    assert replicated[0]["command"] == f"shardlog whynot {GPT} iota.9"
    assert "params__pos__.1 is annotated {replicated}" in replicated[1]["cause"]


def test_lint_finds_what_an_op_loses() -> None:
    text = run("lint", THREADS / "fft.hlo", "--kind", "axis_lost").stdout
    assert text.startswith("axis_lost: 31.2 MiB  fft.0")
    assert "fft.0 learns nothing from" in text
    assert "convert_element_type.2 ({devices=[4,1]<=[4]})" in text
    uneven = run("lint", THREADS / "negative_pads.hlo", "--min-bytes", 0, "--kind", "uneven").stdout
    assert "dimension 0 of 1 is split 4 ways" in uneven
    run("lint", THREADS / "fft.hlo", "--strict", code=1)
    nothing = "nothing found of 1.0 MiB or more (--min-bytes)\n"
    assert run("lint", THREADS / "scalar_dot.hlo").stdout == nothing
