"""What all tests share."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# how fast a machine is says nothing about the code
settings.register_profile(
    "shardlog", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("shardlog")
