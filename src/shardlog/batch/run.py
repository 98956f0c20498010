"""A batch from its sources to its results."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol

from shardlog.batch.outputs import output_names
from shardlog.batch.reading import Unreadable, read_source
from shardlog.batch.record import peek
from shardlog.batch.results import Finished, write_results
from shardlog.batch.settings import Limits, Settings, key_of
from shardlog.batch.sources import Source
from shardlog.batch.store import Store
from shardlog.batch.worker import Answer

__all__ = ["Batch", "Counts", "Scheduler", "Task", "run_batch"]

MOST_BYTES = 2 << 30
"""No proto can be larger, so a module that is would be something else."""


@dataclass(frozen=True)
class Task:
    """A module to work on: its source, its content, and the key of its result."""

    source: Source
    data: bytes
    sha256: str
    key: str


@dataclass
class Counts:
    """How far a run is: how many modules there are, are done, were done before, have failed."""

    total: int
    done: int = 0
    kept: int = 0
    failed: int = 0


Report = Callable[[Source, str, str | None], None]
"""Gets the source, status and message of each module as it is done."""


class Scheduler(Protocol):
    """Has the modules of a batch worked on, somewhere."""

    def run(self, batch: Batch, settings: Settings, limits: Limits) -> None:
        """Work on all `batch.tasks()`, giving each with its answer to `batch.finish`.

        Both may be called from any thread. After an interrupt nothing may go on.
        """


class Batch:
    """The work of one run: what is to be done, and what becomes of it."""

    def __init__(
        self,
        sources: Sequence[Source],
        settings: Settings,
        limits: Limits,
        store: Store,
        log: IO[str],
        report: Report,
        *,
        retry: bool,
        most: int,
    ) -> None:
        self.counts = Counts(len(sources))
        self.finished: dict[str, Finished] = {}
        self.outputs = output_names([source.name for source in sources], settings.form)
        self._settings = settings
        self._digest = settings.digest()
        self._limits = limits
        self._store = store
        self._log = log
        self._report = report
        self._retry = retry
        self._most = most
        self._lock = threading.Lock()
        self._reading = threading.Lock()
        # The largest first: what takes longest must not be left to the end.
        todo = sorted(sources, key=lambda source: (-(source.size or 0), source.name))
        self._todo = iter(todo)

    def tasks(self) -> Iterator[Task]:
        """Yield what is left to do, reading modules as they are asked for.

        Several threads may each go through an iterator of their own: each module comes once.
        """
        while True:
            with self._reading:
                source = next(self._todo, None)
            if source is None:
                return
            task = self._task(source)
            if task is not None:
                yield task

    def finish(self, task: Task, answer: Answer) -> None:
        """Keep the answer to a task. Raises OSError if the disk does not take it."""
        output = answer.output if self._settings.form is not None else None
        if output is not None:
            file = self._output(task.source)
            self._store.put(
                file, gzip.compress(output, mtime=0) if file.suffix == ".gz" else output
            )
        # A failure for want of a package, say, is known anew each time.
        inline = answer.packed if answer.again else None
        if inline is None:
            self._store.save(task.key, answer.packed)
        self._done(task.source, task.key, task.sha256, len(task.data), answer.packed, inline)
        self._note(task.source, {"key": task.key, **answer.log})

    def _output(self, source: Source) -> Path:
        return self._store.folder / "modules" / self.outputs[source.name]

    def _task(self, source: Source) -> Task | None:
        """What is to be done for a source; None if that is done already or cannot be done."""
        try:
            data = read_source(source, self._most)
        except Unreadable as error:
            with self._lock:
                self.finished[source.name] = Finished(source, fault=error.message)
                self.counts.done += 1
                self.counts.failed += 1
                self._report(source, "error", error.message)
            self._note(source, {"fault": error.message})
            return None
        sha256 = hashlib.sha256(data).hexdigest()
        key = key_of(sha256, self._digest)
        packed = self._store.record(key)
        if packed is not None and self._holds(peek(packed), source):
            self._done(source, key, sha256, len(data), packed, None, kept=True)
            return None
        return Task(source, data, sha256, key)

    def _holds(self, about: dict[str, Any], source: Source) -> bool:
        """Whether a record of an earlier run is what this run would come to."""
        status = about["status"]
        if status in ("crash", "timeout", "memory"):
            limit = {"timeout": self._limits.seconds, "memory": self._limits.memory}.get(status)
            return not self._retry and (status == "crash" or about["limit"] == limit)
        output = about["output"]
        if output is None:
            return True
        try:
            file = self._output(source)
            written = file.read_bytes()
            if file.suffix == ".gz":
                written = gzip.decompress(written)
        except (OSError, EOFError, zlib.error):
            return False
        wanted: str = output["sha256"]
        return hashlib.sha256(written).hexdigest() == wanted

    def _done(
        self,
        source: Source,
        key: str,
        sha256: str,
        size: int,
        packed: bytes,
        inline: bytes | None,
        *,
        kept: bool = False,
    ) -> None:
        status = str(peek(packed)["status"])
        finished = Finished(source, key, sha256, size, inline)
        message = None if status == "ok" else finished.message(packed)
        with self._lock:
            self.finished[source.name] = finished
            self.counts.done += 1
            self.counts.kept += kept
            self.counts.failed += status != "ok"
            self._report(source, status, message)

    def _note(self, source: Source, about: dict[str, Any]) -> None:
        with self._lock:
            self._log.write(json.dumps({"module": source.name, **about}) + "\n")


@dataclass
class Ended:
    """How a run has ended."""

    counts: Counts
    complete: bool
    summary: dict[str, Any] = field(default_factory=dict)


def run_batch(
    sources: Sequence[Source],
    folder: Path,
    settings: Settings,
    scheduler: Scheduler,
    report: Report,
    *,
    limits: Limits | None = None,
    retry: bool = False,
    most: int = MOST_BYTES,
) -> Ended:
    """Propagate modules and write the results into a folder, keeping what an earlier run did.

    `report` gets each module as it is done, from one thread at a time. A KeyboardInterrupt ends
    the work; the results of what is done are then written, and `complete` is False. `retry` works
    anew on what crashed, took too long or needed too much memory; files of more than `most` bytes
    are not read. Raises Busy if another run works on the folder, and OSError.
    """
    limits = limits or Limits()
    with Store(folder).opened() as store:
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        log_file = folder / "logs" / f"{stamp}-{os.getpid()}.jsonl"
        complete = True
        with log_file.open("w") as log:
            batch = Batch(sources, settings, limits, store, log, report, retry=retry, most=most)
            try:
                scheduler.run(batch, settings, limits)
            except KeyboardInterrupt:
                complete = False
        summary = write_results(
            store, batch.finished, settings, batch.outputs, pending=len(sources) - batch.counts.done
        )
    return Ended(batch.counts, complete, summary)
