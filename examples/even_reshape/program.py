"""The program that even_reshape.txt was dumped from: queries of a batch of 10 on 8 devices.

Needs jax; docs/dumps.md tells more of these flags:

    XLA_FLAGS="--xla_dump_to=dump --xla_dump_hlo_pass_re=sharding-propagation \
      --xla_dump_hlo_as_text --xla_force_host_platform_device_count=8" \
      JAX_USE_SHARDY_PARTITIONER=0 python program.py
"""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec

MESH = jax.make_mesh((8,), ("x",), axis_types=(AxisType.Auto,))


def split(*axes):
    return NamedSharding(MESH, PartitionSpec(*axes))


def scores(hidden, keys):
    hidden = jax.lax.with_sharding_constraint(jnp.tanh(hidden), split("x"))
    queries = hidden.reshape(10, 1024, 16, 64)
    return jnp.einsum("bqhd,bkhd->bhqk", queries, keys)


hidden = jax.ShapeDtypeStruct((10, 1024, 1024), jnp.float32)
keys = jax.ShapeDtypeStruct((10, 1024, 16, 64), jnp.float32)
jax.jit(scores, in_shardings=(None, split(None, None, "x"))).lower(hidden, keys).compile()
