"""`shardlog convert` and `shardlog show` as a user runs them; `--mesh` and `--lenient`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import shardlog
from shardlog.cli import main
from shardlog.ir.shape import parse_shape
from shardlog.slices import tile_shape, tiles

ROOT = Path(__file__).parents[2]
SMALL = ROOT / "tests" / "data" / "small"
MLP = ROOT / "examples" / "mlp_train_2x4.txt"
PROTO = ROOT / "examples" / "mlp_train_2x4.hlo.pb"
XY = ("--mesh", "x=2,y=4")


def run(*arguments: object, code: int = 0, stdin: str = "") -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)
    assert result.exit_code == code, result.output
    return result


@pytest.mark.parametrize("command", ["convert", "show"])
def test_help_has_examples(command: str) -> None:
    text = run(command, "--help").stdout
    assert f"shardlog {command}" in text
    assert "Examples:" in text


def test_one_sharding_on_the_command_line() -> None:
    result = run("convert", "{devices=[2,4]<=[8]}", "--to", "sdy", *XY)
    assert result.stdout == '#sdy.sharding<@mesh, [{"x"}, {"y"}]>\n'
    assert run("convert", "{manual}", "--to", "sdy", *XY, "--rank", 2, "--open").stdout == (
        "#sdy.sharding<@mesh, [{?}, {?}]>\n"
    )
    exported = run(
        "convert", '[{"y"}]', "--to", "hlo", "--mesh", "x=2,y=4,z=2", "--manual-axes", "z"
    )
    assert exported.stdout == (
        "{devices=[4,2,2]<=[2,8]T(1,0) last_tile_dims={manual, replicated}}\n"
    )


def test_a_list_as_a_filter_and_as_a_file(tmp_path: Path) -> None:
    lines = "{devices=[2,4]<=[8]}\n\n{replicated}\n"
    specs = "P('x', 'y')\nP()\n"
    assert run("convert", "--to", "partition-spec", *XY, stdin=lines).stdout == specs
    file, target = tmp_path / "shardings.txt", tmp_path / "specs.txt"
    file.write_text(lines)
    run("convert", file, "--to", "partition-spec", *XY, "-o", target)
    assert target.read_text() == specs
    assert run("convert", target, "--to", "hlo", *XY).stdout == lines.replace("\n\n", "\n")


@pytest.mark.parametrize("form", ["proto-text", "json", "proto-bytes-hex", "v1"])
def test_what_convert_writes_it_reads(form: str) -> None:
    given = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"
    written = run("convert", given, "--to", form).stdout
    assert run("convert", "--to", "v2", stdin=written).stdout == given + "\n"
    several = run("convert", "--to", form, stdin=f"{given}\n{given}\n").stdout
    assert several.count("\n") == 2
    assert run("convert", "--to", "v2", stdin=several).stdout == f"{given}\n{given}\n"


def test_json_may_take_several_lines() -> None:
    text = json.dumps({"type": "MANUAL"}, indent=2)
    assert run("convert", "--to", "hlo", stdin=text).stdout == "{manual}\n"


def test_an_error_names_the_line(tmp_path: Path) -> None:
    file = tmp_path / "shardings.txt"
    file.write_text("{replicated}\n\n{devices=[2,2]0,1,2}\n")
    result = run("convert", file, "--to", "json", code=2)
    assert result.stdout == ""
    assert result.stderr == f"{file}:3:2: a grid of [2, 2] cannot hold 3 devices\n"


def test_lenient_reads_as_xla_does() -> None:
    text = "{devices=[2,2]0,1,2}"
    run("convert", text, "--to", "v1", code=2)
    assert run("convert", text, "--to", "v1", "--lenient").stdout == "{devices=[2,2]0,1,2,0}\n"


def test_a_module_with_a_broken_sharding_is_read_leniently(tmp_path: Path) -> None:
    file = tmp_path / "broken.txt"
    text = MLP.read_text().replace("{devices=[2,4]<=[8]}", "{devices=[2,4]0,1,2,3,4,5,6}")
    file.write_text(text)
    assert "cannot hold 7 devices" in run("propagate", file, code=2).stderr
    run("propagate", file, "--lenient")
    module = shardlog.load(text.encode(), lenient=True)
    assert module.to_text() == text
    with pytest.raises(shardlog.InputError):
        shardlog.load(text.encode())


def test_the_lossy_report() -> None:
    result = run("convert", '[{"x", ?}]', "--to", "hlo", *XY, "--lossy-report")
    assert result.stdout == "{devices=[2,4]<=[8] last_tile_dim_replicate}\n"
    assert result.stderr.startswith("lost: open dimensions: ")
    kept = run("convert", "{replicated}", "--to", "json", "--lossy-report")
    assert kept.stderr == "nothing lost\n"


def test_a_module_there_and_back(tmp_path: Path) -> None:
    on_mesh = tmp_path / "v3.txt"
    run("convert", MLP, "--to", "v3", *XY, "-o", on_mesh)
    text = on_mesh.read_text()
    assert "sharding={mesh['x'=2,'y'=4], [{'x'}, {}]}" in text
    assert "<=[" not in text.replace("entry_computation_layout", "")
    assert run("convert", on_mesh, "--to", "v2").stdout == MLP.read_text()
    listed = run("convert", MLP, "--to", "v1").stdout
    assert shardlog.compare_modules(shardlog.load(listed.encode()), shardlog.load(MLP)).total
    assert run("convert", PROTO, "--to", "text").stdout.startswith("HloModule")


def test_a_module_on_a_mesh_is_propagated_like_any_other(tmp_path: Path) -> None:
    on_mesh = tmp_path / "v3.txt"
    run("convert", MLP, "--to", "v3", *XY, "-o", on_mesh)
    left, right = shardlog.propagate(on_mesh).module, shardlog.propagate(MLP).module
    comparison = shardlog.compare_modules(left, right)
    assert comparison.disagreements == ()
    assert comparison.agreeing == comparison.total > 100


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.txt", "--to", "json"], "missing.txt: no such file, and no sharding"),
        (["{replicated}", "--to", "pb"], "--to pb is for modules"),
        ([MLP, "--to", "json"], "the shardings of a module are written as"),
        (["{replicated}", "--to", "v3", "--mesh", "x=2,x=2"], "two mesh axes are named 'x'"),
    ],
)
def test_wrong_uses(arguments: list[object], message: str) -> None:
    assert message in run("convert", *arguments, code=2).stderr


# ---- show


def test_show_prints_a_table_and_a_picture() -> None:
    text = run("show", "{devices=[2,2]<=[2,2]T(1,0)}", "--shape", "f32[4,6]").stdout
    assert text == (
        "f32[4,6] under {devices=[2,2]<=[2,2]T(1,0)}: 4 tiles of [2,3]\n"
        "device  slice     \n"
        "     0  [0:2, 0:3]\n"
        "     1  [2:4, 0:3]\n"
        "     2  [0:2, 3:6]\n"
        "     3  [2:4, 3:6]\n"
        "devices of each tile, dim 1 across\n"
        "┌───────┬─────┬─────┐\n"
        "│ dim 0 │ 0:3 │ 3:6 │\n"
        "├───────┼─────┼─────┤\n"
        "│   0:2 │  0  │  2  │\n"
        "├───────┼─────┼─────┤\n"
        "│   2:4 │  1  │  3  │\n"
        "└───────┴─────┴─────┘\n"
    )


def test_show_tells_replicas_padding_and_the_spec() -> None:
    text = run("show", "P(None, 'y')", *XY, "--shape", "f32[3,3]").stdout
    assert "4 tiles of [3,1], each on 2 devices" in text
    assert "P(None, 'y')" in text
    assert "     7  [0:3, 3:3] (empty: padding)" in text
    assert "│ 0,4 │ 1,5 │ 2,6 │   3,7   │" in text
    assert "whole on every device" in run("show", "{replicated}", "--shape", "f32[3]").stdout
    assert "whole on device 5" in run("show", "{maximal device=5}", "--shape", "f32[]").stdout


def test_show_costs_nothing_for_many_devices() -> None:
    grid = "{devices=[1000000,1000000]<=[1000000,1000000]T(1,0)}"
    text = run("show", grid, "--shape", "f32[16,32]", "--limit", 3).stdout
    assert "... and 999999999997 more devices" in text
    assert "128 of 1000000000000 tiles" in text


def test_show_as_json() -> None:
    found = json.loads(run("show", "{devices=[2,2]<=[4]}", "--shape", "f32[4,3]", "--json").stdout)
    assert found["tile_shape"] == [2, 2]
    assert found["slices"][1] == {"device": 1, "slice": [[0, 2], [2, 3]], "empty": False}


@pytest.mark.parametrize(
    ("sharding", "shape", "message"),
    [
        ("{manual}", "f32[4]", "does not say which device holds what"),
        ("{devices=[2,4]<=[8]}", "f32[4]", "splits 2 dimensions, f32[4] has 1"),
        ("{devices=[2]<=[2]}", "(f32[4])", "slices are those of one array"),
        ("{devices=[2]<=[2]}", "f33", "unreadable shape"),
    ],
)
def test_what_cannot_be_shown(sharding: str, shape: str, message: str) -> None:
    assert message in run("show", sharding, "--shape", shape, code=2).stderr


def test_slices_cover_the_tensor_once() -> None:
    sharding = shardlog.parse_sharding(
        "{devices=[3,1,2,2]<=[2,3,2]T(2,0,1) last_tile_dim_replicate}"
    )
    shape = parse_shape("f32[7,5,4]")
    assert tile_shape(sharding, shape) == (3, 5, 2)
    seen: dict[int, int] = {}
    elements = 0
    for tile in tiles(sharding, shape):
        size = 1
        for start, limit in tile.bounds:
            size *= limit - start
        elements += size
        for device in tile.devices:
            seen[device] = seen.get(device, 0) + 1
    assert elements == 7 * 5 * 4
    assert seen == dict.fromkeys(range(12), 1)


# ---- --mesh on the other commands


def test_shardings_are_shown_as_specs_on_a_mesh() -> None:
    mesh = ("--mesh", "data=2,model=4")
    text = run("why", MLP, "dot_general.11", *mesh).stdout
    assert "P('data', " in text
    assert "devices=[" not in text
    report = json.loads(run("propagate", MLP, "--format", "json", *mesh).stdout)
    shown = {row["after"] for row in report["instructions"]}
    assert "P('model')" in shown
    # a module keeps its shardings
    assert "sharding={devices=" in run("propagate", MLP, "-o", "-", *mesh).stdout


def test_what_no_spec_gives_is_shown_as_it_is() -> None:
    text = run("why", MLP, "dot_general.11", "--mesh", "all=3").stdout
    assert "{devices=[" in text
