"""The garbage collector while many long-lived objects are made, and afterwards."""

import gc
from collections.abc import Iterator

import pytest

from shardlog.ir import collector
from shardlog.ir.collector import collector_at_rest


@pytest.fixture(autouse=True)
def _enabled() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_what_is_made_at_rest_is_not_looked_at_at_once() -> None:
    gc.collect()
    before = gc.get_stats()[0]["collections"]
    with collector_at_rest():
        assert not gc.isenabled()
        made = [[number] for number in range(5_000)]
    assert gc.isenabled()
    assert gc.get_stats()[0]["collections"] == before
    assert any(one is made for one in gc.get_objects(generation=2))


def test_garbage_goes_once_enough_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "ENOUGH", 1_000)
    gc.collect()
    with collector_at_rest():
        for _ in range(5_000):
            cycle: list[object] = []
            cycle.append(cycle)
    before = gc.get_stats()[2]["collected"]
    with collector_at_rest():
        pass
    assert gc.get_stats()[2]["collected"] == before, "it was made just now"
    with collector_at_rest():
        pass
    assert gc.get_stats()[2]["collected"] >= before + 4_999
    full = gc.get_stats()[2]["collections"]
    with collector_at_rest():
        pass
    assert gc.get_stats()[2]["collections"] == full


def test_a_collector_that_is_off_stays_off_and_one_that_fails_goes_on() -> None:
    gc.disable()
    with collector_at_rest():
        pass
    assert not gc.isenabled()
    gc.enable()
    with pytest.raises(KeyError), collector_at_rest():
        raise KeyError
    assert gc.isenabled()


def test_what_others_have_frozen_stays_frozen() -> None:
    gc.freeze()
    try:
        with collector_at_rest():
            pass
        assert gc.get_freeze_count()
    finally:
        gc.unfreeze()
