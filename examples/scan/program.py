"""The program that scan.txt was dumped from: steps of training with an optimizer in a kernel.

The weights are split over "model", the batch over "data". XLA knows nothing of the kernel. Needs
jax; compiling fails in the end, where the kernel would be called, but the dump is there:

    XLA_FLAGS="--xla_dump_to=dump --xla_dump_hlo_pass_re=sharding-propagation \
      --xla_dump_hlo_as_text --xla_force_host_platform_device_count=8" \
      JAX_USE_SHARDY_PARTITIONER=0 python program.py
"""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec

MESH = jax.make_mesh((2, 4), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def update(*arrays):
    like = jax.ShapeDtypeStruct(arrays[0].shape, arrays[0].dtype)
    return jax.ffi.ffi_call("fused_adam", (like, like, like))(*arrays)


def loss(weights, batch):
    return jnp.mean(jnp.tanh(batch @ weights) ** 2)


def train(weights, batches):
    def step(carry, batch):
        weights, mean, square = carry
        return update(weights, mean, square, jax.grad(loss)(weights, batch)), None

    start = weights, jnp.zeros_like(weights), jnp.zeros_like(weights)
    (weights, _, _), _ = jax.lax.scan(step, start, batches)
    return weights


def split(*axes):
    return NamedSharding(MESH, PartitionSpec(*axes))


weights = jax.ShapeDtypeStruct((4096, 16384), jnp.float32)
batches = jax.ShapeDtypeStruct((10, 512, 4096), jnp.float32)
jax.jit(train, in_shardings=(split(None, "model"), split(None, "data"))).lower(
    weights, batches
).compile()
