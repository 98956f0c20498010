"""Shardy's values and the bridge beside jaxlib's own, where that is installed."""

from __future__ import annotations

import re
from random import Random

import pytest
from hypothesis import given, settings

from shardlog.converters.hlo_text import parse_hlo_text
from shardlog.converters.op_sharding import from_proto_bytes, to_proto_bytes
from shardlog.converters.shardy import export_sharding, read_back
from shardlog.ir.errors import InputError
from shardlog.ir.shardy import Mesh, TensorSharding, parse_mesh, parse_tensor_sharding
from tests.ir.shardy_strategies import generators, random_mesh, random_sharding

mlir = pytest.importorskip("jaxlib.mlir.ir", reason="jaxlib is not installed")
sdy = pytest.importorskip("jaxlib.mlir.dialects.sdy")
stablehlo = pytest.importorskip("jaxlib.mlir.dialects.stablehlo")
extension = pytest.importorskip("jaxlib.mlir._mlir_libs._jax_mlir_ext")
_jax = pytest.importorskip("jaxlib._jax")

CONTEXT = mlir.Context()
REGISTRY = mlir.DialectRegistry()
extension.register_dialects(REGISTRY)
CONTEXT.append_dialect_registry(REGISTRY)
CONTEXT.load_all_available_dialects()
sdy.register_dialect(CONTEXT)
stablehlo.register_dialect(CONTEXT)
MARKS = ("{", "}", "[", "]", "<", ">", ",", "?", ":", "(1)", "2", '"x"', "=", "@m", "p1", "", " ")


def shardys_text(text: str) -> str | None:
    """The text of an attribute as Shardy prints it, or None if it does not read it."""
    try:
        return str(mlir.Attribute.parse(text, CONTEXT))
    except mlir.MLIRError:
        return None


def module_with(mesh: Mesh, rank: int, sharding: str) -> str:
    shape = "x".join(["4096"] * rank + ["f32"])
    return f"""
sdy.mesh @mesh = {mesh.stripped}
sdy.mesh @"a b" = {mesh.stripped}
func.func public @main(%a: tensor<{shape}> {{sdy.sharding = {sharding}}}) -> (tensor<{shape}>) {{
  return %a : tensor<{shape}>
}}"""


def shardy_takes(mesh: Mesh, rank: int, sharding: str) -> bool:
    """Whether Shardy's verifier takes a sharding of a function's argument."""
    try:
        return bool(
            mlir.Module.parse(module_with(mesh, rank, sharding), CONTEXT).operation.verify()
        )
    except mlir.MLIRError:
        return False


@settings(max_examples=200)
@given(generators)
def test_texts_are_shardys(rng):
    mesh = random_mesh(rng, devices=True)
    sharding = random_sharding(rng, mesh)
    assert shardys_text(str(mesh)) == str(mesh)
    assert shardys_text(str(sharding)) == str(sharding)
    assert shardy_takes(mesh, sharding.rank, str(sharding))


def damaged(rng: Random, text: str) -> str:
    """A text with one place of it replaced, left out or doubled."""
    parts = re.findall(r'"(?:[^"\\]|\\.)*"|\w+|.', text)
    at = rng.randrange(len(parts))
    parts[at] = rng.choice((rng.choice(MARKS), rng.choice(parts), parts[at] + parts[at]))
    return "".join(parts)


@settings(max_examples=800)
@given(generators)
def test_damaged_texts_are_read_or_refused_as_shardy_does(rng):
    mesh = random_mesh(rng, devices=rng.random() < 0.3)
    if rng.random() < 0.3:
        text = damaged(rng, str(mesh))
        try:
            assert shardys_text(text) == str(parse_mesh(text)), text
        except InputError:
            assert shardys_text(text) is None, text
        return
    sharding = random_sharding(rng, mesh)
    text = damaged(rng, str(sharding))
    try:
        read = parse_tensor_sharding(text, {"mesh": mesh, "a b": mesh}, rank=sharding.rank)
    except InputError as error:
        refusal = error.message
    else:
        assert shardys_text(text) == str(read)
        assert shardy_takes(mesh, sharding.rank, text), text
        return
    # what no cut of the axis gives, Shardy's verifier does not see
    taken = shardy_takes(mesh, sharding.rank, text)
    assert not taken or "no cut of the axis" in refusal, (text, refusal)


@settings(max_examples=200)
@given(generators)
def test_exports_are_xlas(rng):
    mesh = random_mesh(rng, devices=True)
    sharding = random_sharding(rng, mesh)
    text = module_with(mesh, sharding.rank, str(sharding))
    if "\\" in text:
        return  # XLA aborts on such names
    try:
        computation = _jax.mlir.mlir_module_to_xla_computation(text, False, False)
    except _jax.XlaRuntimeError:
        # XLA's own text of a grid without dimensions is unreadable to it
        assert not sharding.dims
        assert mesh.total_size == 1
        return
    module = parse_hlo_text(computation.as_hlo_text())
    found = module.entry.parameters[0].sharding
    exported = read_back(export_sharding(sharding, mesh))
    if found is None:
        assert exported.is_replicated
        assert mesh.total_size == 1
    else:
        assert found.bare is exported
    assert from_proto_bytes(to_proto_bytes(exported)) is exported


def test_sub_axes_that_no_cut_gives_are_refused_here_only():
    text = '#sdy.sharding<@mesh, [{"x":(1)2}, {"x":(3)4}]>'
    mesh = Mesh.of({"x": 12})
    assert shardy_takes(mesh, 2, text)
    assert isinstance(parse_tensor_sharding(text), TensorSharding)
    with pytest.raises(InputError, match="no cut of the axis"):
        parse_tensor_sharding(text, mesh)
