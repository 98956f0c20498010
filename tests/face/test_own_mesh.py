"""A module that tells its mesh is spoken of in its axes, and a user may ask in axes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import shardlog
from shardlog.meshes import mesh_of, mesh_text
from tests.printed_commands import run

ROOT = Path(__file__).parents[2]
SHARDY = ROOT / "examples" / "shardy_dump.txt"
MLP = ROOT / "examples" / "mlp_train_2x4.txt"
SPEC, GRID = "P('data', 'model', None)", "{devices=[2,4,1]<=[8]}"


def test_answers_are_on_the_mesh_of_the_header_and_say_so() -> None:
    _, text, error = run(f"shardlog why {SHARDY} a.1")
    assert text.startswith(f"a.1  {SPEC}")
    assert "shardings are shown on the module's own mesh, data=2,model=4" in error


def test_none_and_programs_have_the_grid() -> None:
    _, text, error = run(f"shardlog why {SHARDY} a.1 --mesh none")
    assert text.startswith(f"a.1  {GRID}")
    assert "own mesh" not in error
    _, text, error = run(f"shardlog why {SHARDY} a.1 --json")
    assert json.loads(text)["reasons"][0]["sharding"] == GRID
    assert "own mesh" not in error


def test_another_mesh_may_be_given() -> None:
    assert run(f"shardlog why {SHARDY} a.1 --mesh x=2,y=4")[1].startswith("a.1  P('x', 'y', None)")


def test_questions_about_axes_need_no_option_even_in_json() -> None:
    question = "\"dim_axis(I, D, 'model') & (sharding[I] == S)\""
    _, text, _ = run(f"shardlog query {SHARDY} {question} --json --limit 1")
    assert json.loads(text)["rows"] == [["a.1", 1, GRID]]


def test_mesh_based_shardings_tell_their_mesh() -> None:
    text = MLP.read_text().replace(
        "{devices=[2,4]<=[8]}", "{mesh['data'=2,'model'=4], [{'data'}, {'model'}]}"
    )
    mesh = mesh_of(shardlog.load(text.encode()))
    assert mesh is not None
    assert mesh_text(mesh) == "data=2,model=4"
    # two meshes name one device in two ways
    other = text.replace(
        "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}",
        "{mesh['x'=2,'y'=4], [{'y'}, {}]}",
        1,
    )
    assert other != text
    assert mesh_of(shardlog.load(other.encode())) is None
    assert mesh_of(shardlog.load(MLP)) is None


@pytest.mark.parametrize(
    "word", ["\"P('model')\"", "'{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}'"]
)
def test_what_is_wanted_may_be_a_spec(word: str) -> None:
    mesh = "--mesh data=2,model=4"
    _, text, _ = run(f"shardlog whynot {MLP} dot_general.11 {word} {mesh}")
    assert "wanted: P('model', None)" in text
    _, text, _ = run(f"shardlog whatif {MLP} --annotate dot_general.11={word} {mesh}")
    assert "P('data', 'model') -> P('model', None)" in text


def test_a_spec_needs_a_mesh() -> None:
    code, _, error = run(f"shardlog whynot {MLP} dot_general.11 \"P('model')\"")
    assert code == 2
    assert "P('model') needs the axes of a mesh (expected --mesh x=2,y=4)" in error
