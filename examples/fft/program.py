"""The program that fft.txt was dumped from: images are blurred, a batch over four devices.

Needs jax; docs/dumps.md tells more of these flags:

    XLA_FLAGS="--xla_dump_to=dump --xla_dump_hlo_pass_re=sharding-propagation \
      --xla_dump_hlo_as_text --xla_force_host_platform_device_count=4" \
      JAX_USE_SHARDY_PARTITIONER=0 python program.py
"""

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec

MESH = jax.make_mesh((4,), ("data",), axis_types=(AxisType.Auto,))
BATCH = NamedSharding(MESH, PartitionSpec("data"))


def blur(images, kernel):
    spectrum = jnp.fft.rfft(images)
    return jnp.fft.irfft(spectrum * kernel)


images = jax.ShapeDtypeStruct((64, 512, 1024), jnp.float32)
kernel = jax.ShapeDtypeStruct((513,), jnp.complex64)
jax.jit(blur, in_shardings=(BATCH, None)).lower(images, kernel).compile()
