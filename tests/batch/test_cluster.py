"""The same batch on a Dask cluster, one of whose workers dies."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import shardlog.batch.run as batch_run
from tests.batch.running import SMALL, digests, run

distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster of two worker processes."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        yield cluster


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for file in sorted(SMALL.glob("*.before.txt"))[:40]:
        (folder / file.name).write_text(file.read_text())
    (folder / "bad.txt").write_text("no HLO\n")
    return folder


def test_a_worker_that_dies_costs_nothing(
    cluster: Any, modules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(modules, "-o", tmp_path / "here", "--jobs", 1, "--modules", code=1)
    address = cluster.scheduler_address.replace("tcp://", "dask://")
    killed = threading.Event()
    finish = batch_run.Batch.finish

    def kill_one(self: Any, task: Any, answer: Any) -> None:
        finish(self, task, answer)
        if not killed.is_set():
            killed.set()
            next(iter(cluster.workers.values())).process.process.kill()

    monkeypatch.setattr(batch_run.Batch, "finish", kill_one)
    given = (modules, "-o", tmp_path / "there", "--modules", "--scheduler", address)
    run(*given, code=1)
    assert killed.is_set()
    assert digests(tmp_path / "there") == digests(tmp_path / "here")
    assert "41 of them before" in run(*given, code=1).stdout


def test_a_cluster_that_is_not_there(
    modules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = (modules, "-o", tmp_path / "out", "--scheduler")
    assert "expected dask://HOST:PORT" in run(*given, "127.0.0.1:1", code=2).stderr
    monkeypatch.setattr("shardlog.batch.cluster.PATIENCE", "1s")
    result = run(*given, "dask://127.0.0.1:1", code=4)
    assert "no Dask scheduler answers at 127.0.0.1:1" in result.stderr
