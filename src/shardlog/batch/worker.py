"""A process that works on one module after another, and the object that has it work.

The process gets its settings in a line of JSON, then for each module a line with the number of
bytes and the bytes. Its answer is a line of JSON and the bytes of the record and of the output.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from typing import IO, Any, BinaryIO

from shardlog.batch.record import Record, failed, pack, unpack
from shardlog.batch.settings import Limits, Settings

__all__ = ["Answer", "Worker", "serve"]

RECYCLE = 5000
"""After so many modules a process is replaced,"""
RECYCLE_BYTES = 768 << 20
"""or once it holds so much memory, since what it interned stays there."""
LAST_SECONDS = 10.0
"""How long a process that is no longer needed may take to keep the code that it has written."""
COLLECT = 10000
"""After so many instructions garbage is collected."""


@dataclass(frozen=True)
class Answer:
    """What has become of a module. `again` says that the record is not worth keeping.

    `packed` is the record as bytes, `log` what is known of the run: seconds by phase, the memory of
    the process, and its last words if it died.
    """

    packed: bytes
    output: bytes | None = None
    again: bool = False
    log: dict[str, Any] = field(default_factory=dict)

    @property
    def record(self) -> Record:
        """The record."""
        return unpack(self.packed)


class Worker:
    """A process that works on one module after another; replaced when it dies or is stuck."""

    def __init__(self, settings: Settings, limits: Limits) -> None:
        self._settings = settings
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed by `close`)
        self._done = 0
        self._killed = False

    def run(self, data: bytes) -> Answer:
        """Have the module in some bytes worked on.

        A process that dies is given a second chance with the same module: something else than the
        module may have ended it.
        """
        begin = time.perf_counter()
        words: list[str] = []
        for _ in range(2):
            late = threading.Event()
            answer = self._ask(data, late)
            if answer is not None:
                return answer
            assert self._process is not None
            code = self._process.wait()
            words += self._last_words()
            if self._killed or late.is_set():
                break
        if late.is_set():
            limit = self._limits.seconds
            record = failed("timeout", f"not done after {limit:g} s", limit=limit)
        else:
            record = failed("crash", f"the process ended ({_ended(code)}), at a second try, too")
        log = {"seconds": {"all": round(time.perf_counter() - begin, 6)}, "stderr": words}
        return Answer(pack(record), again=self._killed, log=log)

    def kill(self) -> None:
        """End the process while another thread may be waiting for its answer."""
        self._killed = True
        if self._process is not None:
            self._process.kill()

    def close(self) -> None:
        """End the process."""
        self._end(in_peace=True)
        self._stderr.close()

    def start(self) -> None:
        """Start the process, so that it is ready when the first module comes."""
        with contextlib.suppress(OSError):
            self._ready()

    def _ask(self, data: bytes, late: threading.Event) -> Answer | None:
        """The answer of the process, None if it dies."""
        try:
            process = self._ready()
        except OSError:  # it died while it got its settings
            return None
        timer = self._timer(process, late) if sys.platform == "win32" else None
        try:
            answer = _talk(process, data, self._limits.seconds, late)
        finally:
            if timer is not None:
                timer.cancel()
        self._done += 1
        if answer is None:
            return None
        about, packed, output = answer
        if about["memory"] > RECYCLE_BYTES or about["failed"] or self._done >= RECYCLE:
            self._end(in_peace=not about["failed"])
        record = unpack(packed) if about["failed"] else None
        if record is not None and record["status"] == "memory" and self._limits.memory is not None:
            limit = self._limits.memory
            size, unit = (limit >> 20, "MiB") if limit < 1 << 30 else (limit / (1 << 30), "GiB")
            words = f"more than {size:g} {unit} of memory needed"
            packed = pack(failed("memory", words, limit=limit))
        log = {"seconds": about["seconds"], "memory": about["memory"], "pid": process.pid}
        return Answer(packed, output, about["again"], log)

    def _ready(self) -> subprocess.Popen[bytes]:
        process = self._process
        if process is not None and process.poll() is not None:
            self._end()
            process = None
        if process is None:
            self._stderr.seek(0)
            self._stderr.truncate(0)
            self._done = 0
            process = self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", "from shardlog.batch.worker import serve; serve()"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                # The order of sets must not depend on the process, nor memory on idle threads.
                env={**os.environ, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"},
            )
            if self._killed:  # while it was being started
                process.kill()
            assert process.stdin is not None
            start = {"settings": self._settings.to_json(), "memory": self._limits.memory}
            process.stdin.write(json.dumps(start).encode() + b"\n")
            process.stdin.flush()
        return process

    def _end(self, in_peace: bool = False) -> None:
        """End the process; `in_peace` it may first keep what others would have to write anew."""
        if self._process is not None:
            if in_peace and not self._killed:
                with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                    self._process.communicate(timeout=LAST_SECONDS)
            self._process.kill()
            with contextlib.suppress(OSError):  # what was still to be written to it
                self._process.communicate()
            self._process = None

    def _timer(
        self, process: subprocess.Popen[bytes], late: threading.Event
    ) -> threading.Timer | None:
        if self._limits.seconds is None:
            return None

        def end() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(self._limits.seconds, end)
        timer.daemon = True
        timer.start()
        return timer

    def _last_words(self) -> list[str]:
        self._stderr.seek(0)
        lines = self._stderr.read().decode(errors="replace").splitlines()
        return [line for line in lines if line.strip()][-20:]


def _talk(
    process: subprocess.Popen[bytes],
    data: bytes,
    seconds: float | None,
    late: threading.Event,
) -> tuple[dict[str, Any], bytes, bytes | None] | None:
    """Send a module and return the answer, None if the process dies, or is ended since it is late.

    On Windows, where pipes cannot be waited for, `late` is set by a timer.
    """
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(b"%d\n" % len(data))
        process.stdin.write(data)
        process.stdin.flush()
        if seconds is not None and sys.platform != "win32":
            # nothing of an earlier answer is left in the buffer
            answered, _, _ = select.select([process.stdout], [], [], seconds)
            if not answered:
                late.set()
                process.kill()
        head = process.stdout.readline()
        if not head.endswith(b"\n"):
            return None
        about: dict[str, Any] = json.loads(head)
        packed = process.stdout.read(about["record"])
        output = None if about["output"] is None else process.stdout.read(about["output"])
    except OSError:
        return None
    if len(packed) < about["record"] or (output is not None and len(output) < about["output"]):
        return None
    return about, packed, output


def _ended(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


def serve() -> None:
    """Work on the modules that come on standard input, until it ends."""
    # An interrupt from the keyboard reaches the whole group; the parent decides what to do.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Nothing that prints may disturb the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    given = sys.stdin.buffer
    start = json.loads(given.readline())
    settings = Settings.from_json(start["settings"])
    _limit_memory(start["memory"])
    threading.Thread(target=_leave_with, args=(os.getppid(),), daemon=True).start()
    _warm_up(settings)
    gc.disable()
    gc.freeze()
    _answer_all(given, answers, settings)
    _keep_code(settings)
    # taking everything apart would take a while
    os._exit(0)


def _answer_all(given: BinaryIO, answers: IO[bytes], settings: Settings) -> None:
    from shardlog.batch.work import work_on

    since = 0
    while line := given.readline():
        data = given.read(int(line))
        done = work_on(data, settings)
        packed = pack(done.record)
        about = {
            "record": len(packed),
            "output": None if done.output is None else len(done.output),
            "failed": done.record["status"] == "memory",
            "again": done.again,
            "seconds": done.seconds,
            "memory": _memory_now(),
        }
        answers.write(json.dumps(about).encode() + b"\n")
        answers.write(packed)
        if done.output is not None:
            answers.write(done.output)
        answers.flush()
        # What could not be read leaves little; the rest is in proportion to instructions.
        since += 20 + done.record.get("facts", {}).get("instructions", 0)
        del data, done, packed
        if since > COLLECT:
            since = 0
            gc.collect()
            # What is left was made of rules and interned: it stays.
            gc.freeze()


def _warm_up(settings: Settings) -> None:
    """Load what every module needs; what is wrong with it is told by the first module."""
    from shardlog import cache
    from shardlog.engine.errors import RuleError
    from shardlog.ir.errors import ShardlogError
    from shardlog.propagation import load_rules

    with contextlib.suppress(ShardlogError, RuleError, OSError, MemoryError):
        cache.prepare_for_many(load_rules(settings.rules))


def _keep_code(settings: Settings) -> None:
    """Keep the code that was written for the modules, for the next process."""
    from shardlog import cache
    from shardlog.engine.errors import RuleError
    from shardlog.ir.errors import ShardlogError
    from shardlog.propagation import load_rules

    with contextlib.suppress(ShardlogError, RuleError, OSError, MemoryError):
        cache.keep(load_rules(settings.rules), at_last=True)


def _limit_memory(limit: int | None) -> None:
    if limit is None:
        return
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _memory_now() -> int:
    """The bytes of memory that this process has now, 0 where that is not known."""
    try:
        with open("/proc/self/statm", "rb") as file:
            pages = int(file.read().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _leave_with(parent: int) -> None:
    """End this process soon after the one that started it, which nobody else would do."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
