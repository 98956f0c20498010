"""What all tests share."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# how fast a machine is says nothing about the code
settings.register_profile(
    "shardlog", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("shardlog")

# what earlier code has made of the rules is no matter here, and a user's cache is the user's
os.environ["SHARDLOG_CACHE"] = ""
