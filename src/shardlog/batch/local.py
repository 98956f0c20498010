"""Work on modules in processes of this machine."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from shardlog.batch.settings import Limits, Settings
from shardlog.batch.worker import Worker

if TYPE_CHECKING:
    from shardlog.batch.run import Batch

__all__ = ["LocalScheduler"]


class LocalScheduler:
    """Works in so many processes, each of which a thread here keeps busy."""

    def __init__(self, processes: int) -> None:
        self._processes = processes

    def run(self, batch: Batch, settings: Settings, limits: Limits) -> None:
        """Work on all tasks of a batch. Raises what keeps an answer from being kept."""
        count = max(1, min(self._processes, batch.counts.total))
        workers = [Worker(settings, limits) for _ in range(count)]
        stop = threading.Event()
        failures: list[BaseException] = []

        def work(worker: Worker) -> None:
            try:
                for task in batch.tasks():
                    if stop.is_set():
                        return
                    answer = worker.run(task.data)
                    if stop.is_set():
                        return
                    batch.finish(task, answer)
            except BaseException as error:
                failures.append(error)
                stop.set()
            finally:
                worker.close()

        threads = [threading.Thread(target=work, args=(worker,)) for worker in workers]
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                while thread.is_alive() and not stop.is_set():
                    thread.join(0.2)
        finally:
            # After an interrupt, or when one has failed, the others need not come to an end.
            if any(thread.is_alive() for thread in threads):
                stop.set()
                for worker in workers:
                    worker.kill()
            for thread in threads:
                if thread.ident is not None:
                    thread.join()
        if failures:
            raise failures[0]
