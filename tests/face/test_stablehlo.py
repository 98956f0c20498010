"""StableHLO programs, jax.export artifacts and JAX functions, by way of an installed jaxlib."""

from __future__ import annotations

import importlib.util
import os
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import shardlog
from shardlog import mlir_run
from shardlog.cli import main
from shardlog.stablehlo import is_mlir, proto_of, stablehlo_of

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "tests" / "data" / "stablehlo"
UNEVEN = PROGRAMS / "f22_uneven.gspmd.mlir"
ARTIFACT = PROGRAMS / "f22_uneven.gspmd.export.bin"
UNSPECIFIED = PROGRAMS / "f22_unspec_in_4x4.gspmd.mlir"
MLP = ROOT / "examples" / "mlp_train_2x4.txt"


def has_jaxlib() -> bool:
    python = os.environ.get("SHARDLOG_XLA_PYTHON")
    if not python:
        return importlib.util.find_spec("jaxlib") is not None
    return subprocess.run([python, "-c", "import jaxlib"], check=False).returncode == 0


with_jaxlib = pytest.mark.skipif(not has_jaxlib(), reason="jaxlib is not installed")


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


def shardings(module: shardlog.HloModule) -> list[tuple[str, str, str]]:
    return [(x.opcode, str(x.shape), str(x.sharding)) for x in module.instructions]


@pytest.fixture
def without_jaxlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = tmp_path / "python"
    python.write_text(
        "#!/bin/sh\necho \"ModuleNotFoundError: No module named 'jaxlib'\" >&2\nexit 1\n"
    )
    python.chmod(0o755)
    monkeypatch.setenv("SHARDLOG_XLA_PYTHON", str(python))


@pytest.mark.parametrize("file", [UNEVEN, ARTIFACT])
def test_without_jaxlib_the_error_names_the_extra(file: Path, without_jaxlib: None) -> None:
    assert "pip install 'shardlog[jax]'" in run("propagate", file, code=3).stderr
    with pytest.raises(shardlog.JaxUnavailable, match=r"StableHLO needs jaxlib"):
        shardlog.load(file)


def test_the_content_tells_what_it_is() -> None:
    assert is_mlir(UNEVEN.read_bytes())
    assert is_mlir(ARTIFACT.read_bytes())
    assert is_mlir(b"// a comment\n#loc = loc(unknown)\nmodule @m {}")
    assert is_mlir(b'"builtin.module"() ({}) : () -> ()')
    assert not is_mlir(MLP.read_bytes())
    assert not is_mlir((ROOT / "examples" / "mlp_train_2x4.hlo.pb").read_bytes())


def test_a_damaged_artifact_is_none() -> None:
    data = ARTIFACT.read_bytes()
    assert mlir_run.bytecode_of(data).startswith(mlir_run.BYTECODE)
    start = data.index(mlir_run.BYTECODE)
    for damaged in (data[:start], data[:60], b"\xff" * 64 + data, bytes(64) + data, b"\0" * 9):
        assert not mlir_run.is_artifact(damaged)


@with_jaxlib
def test_a_program_is_read_with_its_shardings_and_masks() -> None:
    module = shardlog.load(UNSPECIFIED)
    assert module.origin == "stablehlo"
    assert module.parameter_mask == (True, True, True)
    assert module.output_mask == (False,)
    assert module.num_partitions == 16
    result = shardlog.propagate(module)
    assert [note[:19] for note in result.notes] == ["made from StableHLO"]
    dots = [str(x.sharding) for x in result.module.entry.instructions if x.opcode == "dot"]
    assert dots == [
        "{devices=[4,4]<=[16]}",
        "{devices=[4,1,4]<=[16] last_tile_dim_replicate}",
    ]


@with_jaxlib
def test_an_artifact_gives_the_same_as_its_program() -> None:
    left, right = (shardlog.propagate(shardlog.load(file)).module for file in (ARTIFACT, UNEVEN))
    assert shardings(left) == shardings(right)
    assert any(sharding != "None" for _, _, sharding in shardings(left))


@with_jaxlib
def test_a_program_is_written_as_stablehlo_and_read_back(tmp_path: Path) -> None:
    target = tmp_path / "after.mlir"
    run("propagate", UNSPECIFIED, "-o", target)
    text = target.read_text()
    assert "stablehlo.custom_call @Sharding" in text
    assert 'mhlo.sharding = "{devices=[4,1,4]<=[16] last_tile_dim_replicate}"' in text
    again = shardlog.propagate(target).module
    dots = [str(x.sharding) for x in again.entry.instructions if x.opcode == "dot"]
    assert dots[0] == "{devices=[4,4]<=[16]}"
    assert run("convert", UNSPECIFIED, "--to", "text").stdout.startswith("HloModule")


@with_jaxlib
def test_text_is_written_as_a_proto(tmp_path: Path) -> None:
    module = shardlog.propagate(MLP).module
    read = shardlog.load(proto_of(module))
    assert shardlog.compare_modules(read, module).disagreements == ()
    assert "stablehlo.dot" in stablehlo_of(module)
    target = tmp_path / "after.pb"
    run("propagate", MLP, "--format", "pb", "-o", target)
    assert shardlog.compare_modules(shardlog.load(target), module).disagreements == ()


@with_jaxlib
def test_what_jaxlib_cannot_read_is_bad_input(tmp_path: Path) -> None:
    broken = tmp_path / "broken.mlir"
    broken.write_text("module @m { func.func @main( }")
    stderr = run("propagate", broken, code=2).stderr
    assert stderr.startswith(f"{broken}: jaxlib ")
    assert stderr.count("\n") == 1
    broken.write_bytes(mlir_run.BYTECODE + b"nonsense")
    assert run("propagate", broken, code=2).stderr.startswith(f"{broken}: jaxlib ")


def test_from_jax_without_jax_names_the_extra() -> None:
    if importlib.util.find_spec("jax") is not None:
        pytest.skip("jax is installed")
    with pytest.raises(shardlog.JaxUnavailable, match=r"shardlog\[jax\]"):
        shardlog.from_jax(lambda x: x, 1.0)


@pytest.mark.parametrize("shardy", [False, True])
def test_a_function_is_lowered_and_loaded(shardy: bool) -> None:
    jax = pytest.importorskip("jax")
    mesh = jax.sharding.AbstractMesh((2, 4), ("x", "y"))

    def on(*axes: str | None) -> object:
        return jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*axes))

    def layer(x: object, w: object) -> object:
        return jax.lax.with_sharding_constraint(x @ w, on("x", "y")) * 2

    arguments = [jax.ShapeDtypeStruct(shape, "float32") for shape in ((32, 64), (64, 128))]
    before = jax.config.jax_use_shardy_partitioner
    function = jax.jit(layer, in_shardings=(on("x", None), None))
    module = shardlog.from_jax(function, *arguments, shardy=shardy)
    assert jax.config.jax_use_shardy_partitioner == before
    assert module.parameter_mask == (False, True)
    result = shardlog.propagate(module)
    assert any("XLA runs Shardy" in note for note in result.notes) == shardy
    (dot,) = [x for x in module.entry.instructions if x.opcode == "dot"]
    spec = shardlog.spec_of_sharding(dot.sharding, shardlog.Mesh.of({"x": 2, "y": 4}))
    assert str(spec) == "P('x', 'y')"
    given = shardlog.from_jax(layer, *arguments, in_shardings=(on("x", None), None), shardy=shardy)
    assert given.parameter_mask == (False, True)
