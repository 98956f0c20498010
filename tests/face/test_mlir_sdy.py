"""StableHLO with Shardy's annotations, made and checked by an installed jaxlib."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import shardlog
from shardlog.converters.hlo_text import parse_hlo_text
from shardlog.converters.shardy import gspmd_form, shardy_form
from shardlog.ir.shardy import Mesh, parse_sharding_per_value

_jax = pytest.importorskip("jaxlib._jax", reason="jaxlib is not installed")
_hlo = pytest.importorskip("jaxlib._hlo")
mlir = pytest.importorskip("jaxlib.mlir.ir")
extension = pytest.importorskip("jaxlib.mlir._mlir_libs._jax_mlir_ext")
sdy = pytest.importorskip("jaxlib.mlir.dialects.sdy")
stablehlo = pytest.importorskip("jaxlib.mlir.dialects.stablehlo")
mhlo = pytest.importorskip("jaxlib.mlir.dialects.mhlo")

DATA = Path(__file__).parents[1] / "data" / "shardy"
NAMES = sorted(path.name.removesuffix(".shardy.txt") for path in DATA.glob("*.shardy.txt"))
LOOPS = ("loop", "scan_in_manual")
"""Programs with an annotated while that carries a value which never changes: jaxlib 0.10.2 takes
that value out of the tuple, but not its sharding."""
MESH = Mesh.of({"x": 2, "y": 4})


def written(text: str) -> str:
    """The StableHLO of HLO text with Shardy's attributes; Shardy's verifier has taken it."""
    from shardlog.mlir_sdy import move_shardy

    proto = _hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
    context, registry = mlir.Context(), mlir.DialectRegistry()
    extension.register_dialects(registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    sdy.register_dialect(context)
    stablehlo.register_dialect(context)
    mhlo.register_mhlo_dialect(context)
    with context:
        module = mlir.Module.parse(_jax.mlir.hlo_to_stablehlo(proto))
        move_shardy(module)
        assert module.operation.verify()
        return str(module)


def propagated(name: str) -> str:
    module = gspmd_form(parse_hlo_text((DATA / f"{name}.shardy.txt").read_text())).module
    return shardy_form(shardlog.propagate(module).module).module.source


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_left_in_another_form(name):
    source = propagated(name)
    text = written(source)
    assert 'sdy.mesh @mesh = <["x"=2, "y"=4]>' in text
    assert "mhlo.sharding" not in text
    assert "xla.sdy" not in text
    assert ("sdy.manual_computation" in text) == ("xla.sdy.GlobalToLocalShape" in source)
    lists = re.findall(r"#sdy\.sharding_per_value<\[<.*?>\]>", text)
    assert lists
    for each in lists:
        assert str(parse_sharding_per_value(each, MESH)) == each


def test_where_everything_stands():
    text = written(propagated("open_constraint"))
    main = next(line for line in text.splitlines() if "@main" in line)
    assert main.count("sdy.sharding = #sdy.sharding<@mesh") == 4
    assert 'tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}' in main
    assert '#sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>' in text


@pytest.mark.parametrize("name", [name for name in NAMES if name not in LOOPS])
def test_jaxlib_reads_it_back_to_the_same_shardings(name):
    source = propagated(name)
    computation = _jax.mlir.mlir_module_to_xla_computation(written(source), False, False)
    again = gspmd_form(parse_hlo_text(computation.as_hlo_text())).module
    expected = gspmd_form(parse_hlo_text(source)).module
    for opcode in ("parameter", "dot", "multiply", "add", "cosine", "sine", "all-gather"):
        rows = [
            sorted(str(x.sharding) for x in of.entry.instructions if x.opcode == opcode)
            for of in (again, expected)
        ]
        assert rows[0] == rows[1]
