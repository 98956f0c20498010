"""`shardlog convert` between the forms that a module has for Shardy and for GSPMD."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from shardlog import cli

DATA = Path(__file__).parents[1] / "data" / "shardy"


def convert(*words: str) -> Result:
    return CliRunner().invoke(cli.main, ["convert", *words])


def test_a_module_made_for_shardy_gets_gspmds_form(tmp_path):
    done = convert(str(DATA / "open_constraint.shardy.txt"), "--to", "gspmd")
    assert done.exit_code == 0
    assert 'backend_config="unspecified_dims=[0]"' in done.stdout
    assert "xla.sdy.sharding=" not in done.stdout
    barrier = tmp_path / "barrier.txt"
    barrier.write_text(
        "HloModule m\n\nENTRY e {\n  p = f32[8] parameter(0)\n  ROOT b = f32[8] custom-call(p), "
        'custom_call_target="xla.sdy.PropagationBarrier"\n}\n'
    )
    refused = convert(str(barrier), "--to", "gspmd")
    assert refused.exit_code != 0
    assert "b: a propagation barrier: GSPMD has nothing like it" in refused.stderr


def test_what_gspmd_has_no_form_for_is_told(tmp_path):
    file = tmp_path / "m.txt"
    text = (DATA / "result.shardy.txt").read_text()
    file.write_text(text.replace('[{\\"x\\"}, {}]>"', '[{\\"x\\"}p1, {}]>"', 1))
    done = convert(str(file), "--to", "gspmd")
    assert done.exit_code == 0
    assert "lost: priorities are not known to GSPMD (1 values)" in done.stderr


def test_a_propagated_module_gets_shardys_attributes(tmp_path):
    answer = tmp_path / "answer.txt"
    source = str(DATA / "gradient.gspmd.txt")
    assert CliRunner().invoke(cli.main, ["propagate", source, "-o", str(answer)]).exit_code == 0
    done = convert(str(answer), "--to", "sdy", "--mesh", "x=2,y=4")
    assert done.exit_code == 0
    assert 'xla.sdy.meshes={mesh = #sdy.mesh<["x"=2, "y"=4]>}' in done.stdout
    assert '"#sdy.sharding<@mesh, [{\\"x\\"}, {}]>"' in done.stdout
    other = convert(str(answer), "--to", "sdy", "--mesh", "x=6")
    assert "left out: " in other.stderr


def test_stablehlo_with_shardys_annotations(monkeypatch):
    pytest.importorskip("jaxlib", reason="jaxlib is not installed")
    monkeypatch.delenv("SHARDLOG_XLA_PYTHON", raising=False)
    done = convert(str(DATA / "manual_subgroup.shardy.txt"), "--to", "stablehlo-sdy")
    assert done.exit_code == 0
    assert "sdy.manual_computation" in done.stdout
    assert "mhlo.sharding" not in done.stdout
