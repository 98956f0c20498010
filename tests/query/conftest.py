"""Runs that questions are put to."""

from __future__ import annotations

from pathlib import Path

import pytest

import shardlog

ROOT = Path(__file__).parents[2]
GPT = ROOT / "examples" / "gpt_forward_2x4.txt"


@pytest.fixture(scope="session")
def gpt() -> shardlog.Result:
    """The forward pass of a small GPT, propagated."""
    return shardlog.propagate(GPT)
