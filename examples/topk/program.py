"""The program that topk.txt was dumped from: each token chooses two of 64 experts.

Needs jax; docs/dumps.md tells more of these flags:

    XLA_FLAGS="--xla_dump_to=dump --xla_dump_hlo_pass_re=sharding-propagation \
      --xla_dump_hlo_as_text --xla_force_host_platform_device_count=8" \
      JAX_USE_SHARDY_PARTITIONER=0 python program.py
"""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec

MESH = jax.make_mesh((8,), ("data",), axis_types=(AxisType.Auto,))
BATCH = NamedSharding(MESH, PartitionSpec("data"))


def route(tokens, router):
    logits = tokens @ router
    weights, experts = jax.lax.top_k(logits, 2)
    chosen = jax.nn.one_hot(experts, router.shape[1])
    return jnp.einsum("bsk,bske->bse", jax.nn.softmax(weights), chosen)


tokens = jax.ShapeDtypeStruct((32, 2048, 512), jnp.float32)
router = jax.ShapeDtypeStruct((512, 64), jnp.float32)
jax.jit(route, in_shardings=(BATCH, None)).lower(tokens, router).compile()
