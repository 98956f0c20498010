"""Records agree with XLA's log: who was changed last, in which direction, at which iteration."""

from __future__ import annotations

from pathlib import Path

import pytest

import shardlog
from tests.provenance import Change, compare, logged, recorded

THREADS = Path(__file__).parents[1] / "data" / "threads"
MODULES = sorted(path.stem for path in THREADS.glob("*.log"))


@pytest.mark.parametrize("name", MODULES)
def test_last_changes_are_xlas(name: str) -> None:
    theirs = logged((THREADS / f"{name}.log").read_text())
    agreeing, differing = compare(theirs, recorded(shardlog.propagate(THREADS / f"{name}.hlo")))
    assert differing == []
    assert agreeing == len(theirs)


def test_there_is_something_to_compare() -> None:
    logs = [logged((THREADS / f"{name}.log").read_text()) for name in MODULES]
    assert sum(map(len, logs)) > 200


def test_a_log_is_read_as_xla_writes_it() -> None:
    log = (
        "sharding_propagation.cc:2998] Add sharding (forward-pass): %a = f32[2]{0} negate(%x), "
        "sharding={replicated}\n"
        "sharding_propagation.cc:3052] Add sharding (backward-pass): ROOT %b = f32[2]{0} copy(%a)\n"
        "sharding_propagation.cc:2788] Add computation sharding: c {replicated}\n"
        "sharding_propagation.cc:3064] Sharding propagation iteration 4;\n"
        "  aggressiveness: 1\n"
        "sharding_propagation.cc:2998] Refined partial sharding (forward-pass): %a = f32[2]{0} x\n"
        "sharding_propagation.cc:3064] Sharding propagation iteration 5;\n"
        "  aggressiveness: 2\n"
    )
    assert logged(log) == {
        "a": Change("forward", 2, 5),
        "b": Change("backward", 1, 4),
        "c": Change("change", 1, 4),
    }


def test_what_differs_is_told() -> None:
    theirs = {"a": Change("forward", 0, 0), "b": Change("backward", 1, 2)}
    agreeing, (line,) = compare(theirs, {"a": Change("forward", 0, 1), "b": theirs["b"]})
    assert agreeing == 1
    assert line == "a: XLA ('forward', 0, 0), shardlog ('forward', 0, 1)"
