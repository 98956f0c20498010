"""The program that flash_attention.txt was dumped from.

An attention layer with two kernels of its own, on a 2 by 4 mesh: batch over "data", heads over
"model". XLA knows nothing of the kernels; flash_attention.dl says how shardings pass through them.
Needs jax; compiling fails in the end, where the kernels would be called, but the dump is there:

    XLA_FLAGS="--xla_dump_to=dump --xla_dump_hlo_pass_re=sharding-propagation \
      --xla_dump_hlo_as_text --xla_force_host_platform_device_count=8" \
      JAX_USE_SHARDY_PARTITIONER=0 python flash_attention.py
"""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec

MESH = jax.make_mesh((2, 4), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def kernel(name, like, *arrays):
    return jax.ffi.ffi_call(name, jax.ShapeDtypeStruct(like.shape, like.dtype))(*arrays)


def layer(x, scale, wq, wk, wv, wo):
    h = kernel("rms_norm", x, x, scale)
    q = jnp.einsum("bsm,mhd->bhsd", h, wq)
    k = jnp.einsum("btm,mhd->bhtd", h, wk)
    v = jnp.einsum("btm,mhd->bhtd", h, wv)
    o = kernel("flash_attention", q, q, k, v)
    return x + jnp.einsum("bhsd,hdm->bsm", o, wo)


def array(*dims):
    return jax.ShapeDtypeStruct(dims, jnp.bfloat16)


def split(*axes):
    return NamedSharding(MESH, PartitionSpec(*axes))


jax.jit(
    layer,
    in_shardings=(split("data", None, "model"), None, split(None, "model"), None, None, None),
).lower(
    array(16, 1024, 512),
    array(512),
    array(512, 8, 64),
    array(512, 8, 64),
    array(512, 8, 64),
    array(8, 64, 512),
).compile()
