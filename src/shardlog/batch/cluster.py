"""Work on modules in the processes of a Dask cluster.

The client reads the modules and keeps the results; workers get bytes and give bytes back, so that
they need neither the files nor the folder. Each has a process of its own for the modules, with the
same limits as here; a worker that dies costs nothing but time, since its modules go to another.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shardlog.batch.extras import need
from shardlog.batch.settings import Limits, Settings, code_digest
from shardlog.batch.worker import Answer, Worker
from shardlog.ir.errors import ShardlogError

if TYPE_CHECKING:
    from shardlog.batch.run import Batch, Task

__all__ = ["DaskScheduler"]

CHUNK = 16
CHUNK_BYTES = 1 << 20
"""So many modules, or bytes of them, go to a worker at a time."""

PATIENCE = "30s"
"""How long to wait for the scheduler to answer."""

AHEAD = 2
"""How many chunks wait for each thread of the cluster."""


@dataclass(frozen=True)
class _Orders:
    """What a worker must know: the run, the settings as JSON and the limits."""

    run: str
    settings: str
    limits: Limits


class DaskScheduler:
    """Works on the Dask cluster whose scheduler has some address, HOST:PORT."""

    def __init__(self, address: str) -> None:
        need("distributed", "Dask clusters")
        self._address = address

    def run(self, batch: Batch, settings: Settings, limits: Limits) -> None:
        """Work on all tasks of a batch.

        Raises ShardlogError if the cluster cannot be reached, has another shardlog, or gives a
        chunk up; and what keeps an answer from being kept.
        """
        import distributed

        try:
            client = distributed.Client(f"tcp://{self._address}", timeout=PATIENCE)
        except (OSError, TimeoutError) as error:
            raise ShardlogError(f"no Dask scheduler answers at {self._address}: {error}") from error
        with client:
            _check(client)
            run = uuid.uuid4().hex
            try:
                self._all(client, batch, _Orders(run, settings.to_json(), limits))
            finally:
                with contextlib.suppress(OSError):  # the cluster is gone, and they with it
                    client.run(_release, run, on_error="ignore")

    def _all(self, client: Any, batch: Batch, orders: _Orders) -> None:
        import distributed

        chunks = _chunks(batch.tasks())
        waiting: dict[Any, list[Task]] = {}
        done = distributed.as_completed()

        def submit(count: int) -> None:
            for chunk in itertools.islice(chunks, count):
                modules = [task.data for task in chunk]
                future = client.submit(_work, modules, orders, pure=False)
                waiting[future] = chunk
                done.add(future)

        try:
            submit(max(1, AHEAD * sum(client.nthreads().values())))
            for future in done:
                chunk = waiting.pop(future)
                if future.status != "finished":
                    reason = future.exception()
                    raise ShardlogError(f"the cluster gave up on {_named(chunk)}: {reason}")
                for task, answer in zip(chunk, future.result(), strict=True):
                    batch.finish(task, answer)
                future.release()
                submit(1)
        finally:
            client.cancel(list(waiting))


def _chunks(tasks: Iterator[Task]) -> Iterator[list[Task]]:
    chunk: list[Task] = []
    size = 0
    for task in tasks:
        chunk.append(task)
        size += len(task.data)
        if len(chunk) >= CHUNK or size >= CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _named(chunk: list[Task]) -> str:
    more = f" and {len(chunk) - 1} more" if len(chunk) > 1 else ""
    return f"{chunk[0].source.path}{more}"


def _check(client: Any) -> None:
    """Raise ShardlogError unless all workers have this very shardlog."""
    try:
        digests = client.run(code_digest, on_error="return")
    except Exception as error:  # whatever keeps a worker from even loading it
        raise ShardlogError(f"the workers cannot load shardlog: {error}") from error
    for address, digest in digests.items():
        if digest != code_digest():
            detail = f": {digest}" if isinstance(digest, BaseException) else ""
            raise ShardlogError(f"the worker {address} has not the same shardlog as here{detail}")


_workers: dict[tuple[str, int], Worker] = {}
"""In a worker of the cluster: the process that each of its threads keeps, by run and thread."""


def _work(modules: list[bytes], orders: _Orders) -> list[Answer]:
    """Work on some modules, in a worker of the cluster."""
    mine = (orders.run, threading.get_ident())
    worker = _workers.get(mine)
    if worker is None:
        worker = _workers[mine] = Worker(Settings.from_json(orders.settings), orders.limits)
    return [worker.run(data) for data in modules]


def _release(run: str) -> None:
    """End the processes of a run, in a worker of the cluster."""
    for mine in [mine for mine in _workers if mine[0] == run]:
        _workers.pop(mine).close()
