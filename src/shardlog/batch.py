"""Propagating many modules in parallel, so that a bad one costs only itself."""

from __future__ import annotations

import contextlib
import json
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from shardlog.ir.errors import InputError

__all__ = ["Job", "Settings", "find_modules", "plan_jobs", "run_batch"]

SUFFIXES = (".txt", ".hlo", ".pb", ".mlir")
RECYCLE = 200
"""After so many modules a worker is replaced, since what it interned stays in memory."""


@dataclass(frozen=True)
class Job:
    """A module to read and the file that its propagated form goes to."""

    source: Path
    target: Path


@dataclass(frozen=True)
class Settings:
    """How the modules of a batch are propagated, and what is written of each."""

    form: str | None = None
    rules: tuple[str, ...] = ()
    is_spmd: bool = True
    propagate_metadata: bool = False
    cse_prevention_only: bool = False
    params: tuple[bool, ...] | None = None
    output: tuple[bool, ...] | None = None
    execution_threads: tuple[str, ...] = ()
    lenient: bool = False
    timeout: float | None = field(default=None, compare=False)


def find_modules(paths: Iterable[Path], skip: Path | None = None) -> Iterator[tuple[Path, Path]]:
    """Yield (file, its name under the output folder) of files and of folders' modules.

    In a folder, at any depth, a module is what ends in .txt, .hlo, .pb or .mlir, with or without
    .gz. A folder `skip` inside it, the output of an earlier run, is passed over. Raises InputError
    for a path that does not exist.
    """
    skip = skip.resolve() if skip is not None else None
    for path in paths:
        if path.is_dir():
            root = path.resolve()
            inside = skip is not None and skip != root and skip.is_relative_to(root)
            for file in sorted(path.rglob("*")):
                name = file.name.removesuffix(".gz")
                if (
                    name.endswith(SUFFIXES)
                    and not name.startswith(".")
                    and file.is_file()
                    and not (inside and skip and file.resolve().is_relative_to(skip))
                ):
                    yield file, file.relative_to(path)
        elif path.exists():
            yield path, Path(path.name)
        else:
            raise InputError("no such file or folder", file=str(path))


def plan_jobs(paths: Iterable[Path], folder: Path, form: str | None) -> list[Job]:
    """Return a job for each module in `paths`, with its place in the output folder.

    Raises InputError if two modules would be written to one file, or one over its source.
    """
    jobs: dict[Path, Job] = {}
    for source, name in find_modules(paths, folder):
        target = folder / name
        if form is not None:
            suffix = {"text": ".txt", "pb": ".pb", "stablehlo": ".mlir", "json": ".json"}[form]
            stem = target.name.removesuffix(".gz")
            target = target.with_name(stem.removesuffix(Path(stem).suffix) + suffix)
        if target in jobs and not source.samefile(jobs[target].source):
            raise InputError(
                f"would be written to {target}, as {jobs[target].source} is; rename one, or give "
                "the folder that holds both",
                file=str(source),
            )
        if target.exists() and target.samefile(source):
            raise InputError("would be written over itself; choose another -o", file=str(source))
        jobs[target] = Job(source, target)
    return list(jobs.values())


def run_batch(
    jobs: Sequence[Job],
    settings: Settings,
    processes: int,
    report: Callable[[dict[str, Any]], None],
) -> None:
    """Propagate modules in worker processes; `report` gets the result of each as it comes.

    A result is a dictionary ready for JSON, with at least "file" and "status": "ok", "error",
    "crash" or "timeout". `report` is called from one thread at a time.
    """
    todo: queue.SimpleQueue[Job] = queue.SimpleQueue()
    for job in jobs:
        todo.put(job)
    lock = threading.Lock()
    stop = threading.Event()

    workers = [_Worker(settings) for _ in range(max(1, min(processes, len(jobs))))]

    def work(worker: _Worker) -> None:
        try:
            while not stop.is_set():
                try:
                    job = todo.get_nowait()
                except queue.Empty:
                    return
                result = worker.run(job)
                if stop.is_set():
                    return
                with lock:
                    report(result)
        finally:
            worker.close()

    threads = [threading.Thread(target=work, args=(worker,)) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            while thread.is_alive():
                thread.join(0.2)
    except BaseException:
        stop.set()
        for worker in workers:
            worker.kill()
        raise
    finally:
        for thread in threads:
            thread.join()


class _Worker:
    """A process that propagates one module after another; replaced when it dies or is stuck."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._process: subprocess.Popen[str] | None = None
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `close`)
        self._done = 0

    def run(self, job: Job) -> dict[str, Any]:
        """Have one module propagated; return its result."""
        process = self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        late = threading.Event()
        timer = self._timer(process, late)
        started = time.perf_counter()
        answer = ""
        with contextlib.suppress(OSError):
            process.stdin.write(json.dumps([str(job.source), str(job.target)]) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        if timer is not None:
            timer.cancel()
        self._done += 1
        if answer:
            result: dict[str, Any] = json.loads(answer)
            return result
        code = process.wait()
        return {
            "file": str(job.source),
            "status": "timeout" if late.is_set() else "crash",
            "message": f"not done after {self._settings.timeout:g} s"
            if late.is_set()
            else self._last_words(code),
            "seconds": {"all": round(time.perf_counter() - started, 6)},
        }

    def kill(self) -> None:
        """End the process while another thread may be waiting for its answer."""
        if self._process is not None:
            self._process.kill()

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None
        self._stderr.close()

    def _start(self) -> subprocess.Popen[str]:
        process = self._process
        if process is not None and (process.poll() is not None or self._done >= RECYCLE):
            process.kill()
            process.communicate()
            process = None
        if process is None:
            self._stderr.truncate(0)
            self._done = 0
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", "from shardlog.batch import serve; serve()"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                text=True,
                encoding="utf-8",
            )
            assert process.stdin is not None
            process.stdin.write(json.dumps(_settings_fields(self._settings)) + "\n")
            process.stdin.flush()
            self._process = process
        return process

    def _timer(
        self, process: subprocess.Popen[str], late: threading.Event
    ) -> threading.Timer | None:
        if self._settings.timeout is None:
            return None

        def end() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(self._settings.timeout, end)
        timer.daemon = True
        timer.start()
        return timer

    def _last_words(self, code: int) -> str:
        self._stderr.seek(0)
        lines = [
            line
            for line in self._stderr.read().decode(errors="replace").splitlines()
            if line.strip()
        ]
        ended = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return f"the process ended ({ended})" + (f": {lines[-1]}" if lines else "")


def serve() -> None:
    """Work through the modules whose names come on standard input, one answer a line.

    The first line holds the settings, each other one a JSON list of source and target.
    """
    # An interrupt from the keyboard reaches the whole group; the parent decides what to do.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = sys.stdout
    sys.stdout = sys.stderr  # nothing that prints may disturb the answers
    settings = _settings(json.loads(sys.stdin.readline()))
    for line in sys.stdin:
        source, target = json.loads(line)
        answers.write(json.dumps(_propagate(Path(source), Path(target), settings)) + "\n")
        answers.flush()


def _settings_fields(settings: Settings) -> dict[str, Any]:
    return {name: getattr(settings, name) for name in Settings.__dataclass_fields__}


def _settings(fields: dict[str, Any]) -> Settings:
    tuples = {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
    return Settings(**{**fields, **tuples})


def _propagate(source: Path, target: Path, settings: Settings) -> dict[str, Any]:
    from shardlog import api
    from shardlog.engine.errors import EvaluationError, OscillationError, RuleError
    from shardlog.files import write_whole
    from shardlog.ir.errors import ShardlogError

    expected = (
        ShardlogError,
        RuleError,
        OscillationError,
        EvaluationError,
        OSError,
        MemoryError,
        RecursionError,
    )
    result: dict[str, Any] = {"file": str(source), "status": "ok"}
    started = time.perf_counter()
    seconds: dict[str, float] = {}
    try:
        module = api.load(source, lenient=settings.lenient)
        seconds["reading"] = time.perf_counter() - started
        propagated = api.propagate(
            module,
            rules=settings.rules,
            is_spmd=settings.is_spmd,
            propagate_metadata=settings.propagate_metadata,
            cse_prevention_only=settings.cse_prevention_only,
            params=settings.params,
            output=settings.output,
            execution_threads=settings.execution_threads,
            provenance=settings.form == "json",
        )
        seconds.update(propagated.seconds)
        writing = time.perf_counter()
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, api.output(propagated, settings.form))
        seconds["writing"] = time.perf_counter() - writing
        counts = propagated.summary()
        result |= {
            "output": str(target),
            "instructions": counts.instructions,
            "sharded_before": counts.sharded_before,
            "sharded_after": counts.sharded_after,
            "changed": counts.changed,
            "iterations": counts.iterations,
            "warnings": list(propagated.module.warnings),
            "notes": list(propagated.notes),
        }
    except expected as error:
        result |= {"status": "error", "message": str(error) or type(error).__name__}
    except Exception as error:
        # Whatever it is, the other modules must go on; the message says that it is our fault.
        message = f"internal error: {type(error).__name__}: {error}"
        result |= {"status": "error", "message": message}
    seconds["all"] = time.perf_counter() - started
    return {**result, "seconds": {name: round(time, 6) for name, time in seconds.items()}}
