"""The folder of a batch: its lock, the records of finished modules, and files that change at once.

    OUT/modules.parquet, ...   what users read
    OUT/modules/               annotated modules
    OUT/logs/                  a file for each run: times, memory; nothing that results depend on
    OUT/.shardlog/records/     a record for each finished module, under its key
    OUT/.shardlog/new/         files about to replace those that users read

A file is written in OUT/.shardlog/part and then takes its place, so that none is ever seen in part.
The files that users read belong together: once all new ones are written, commit.json says so, and
whoever comes next finishes what a run that ended between could not.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from shardlog.batch.record import DamagedRecord, peek
from shardlog.ir.errors import InputError, ShardlogError

__all__ = ["Busy", "Store", "result_file"]

HIDDEN = ".shardlog"
COMMIT = "commit.json"


class Busy(ShardlogError):
    """Another run works on the folder."""


class Store:
    """The folder of a batch, of which this process is the only writer while it is open."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.new = folder / HIDDEN / "new"
        self._records = folder / HIDDEN / "records"
        self._parts = folder / HIDDEN / "part"

    @contextmanager
    def opened(self) -> Iterator[Store]:
        """Open the folder for writing, finish an earlier run's last step and remove its leavings.

        Raises Busy if another process has it open, and OSError.
        """
        for folder in (self._records, self._parts, self.folder / "logs"):
            folder.mkdir(parents=True, exist_ok=True)
        with _locked(self.folder / HIDDEN / "lock", self.folder):
            roll_forward(self.folder)
            for left in self._parts.iterdir():
                left.unlink()
            yield self

    # ------------------------------------------------------------ records

    def record(self, key: str) -> bytes | None:
        """Return a record as it was saved, None if there is none or it is damaged."""
        try:
            packed = self._file(key).read_bytes()
            peek(packed)
        except (FileNotFoundError, DamagedRecord):
            return None
        return packed

    def save(self, key: str, packed: bytes) -> None:
        """Keep a record under its key. Raises OSError."""
        self.put(self._file(key), packed)

    def _file(self, key: str) -> Path:
        return self._records / key[:2] / key[2:]

    # ------------------------------------------------------------ files

    def put(self, file: Path, data: bytes) -> None:
        """Write a file of this folder whole or not at all. Raises OSError."""
        handle, part = tempfile.mkstemp(dir=self._parts)
        try:
            with os.fdopen(handle, "wb") as opened:
                opened.write(data)
            os.chmod(part, 0o666 & ~_UMASK)
            try:
                os.replace(part, file)
            except FileNotFoundError:
                file.parent.mkdir(parents=True, exist_ok=True)
                os.replace(part, file)
        except BaseException:
            Path(part).unlink(missing_ok=True)
            raise

    @contextmanager
    def replacing(self, gone: Collection[str] = ()) -> Iterator[Path]:
        """Give an empty folder, whose files replace those of this folder together.

        The files named by `gone` are removed with it. If the block fails all stays as it was.
        """
        shutil.rmtree(self.new, ignore_errors=True)  # left by a run that came to no end
        self.new.mkdir()
        yield self.new
        files = sorted(file.name for file in self.new.iterdir())
        for name in files:
            _settle(self.new / name)
        commit = json.dumps({"files": files, "gone": sorted(gone)}).encode()
        self.put(self.folder / HIDDEN / COMMIT, commit)
        roll_forward(self.folder)

    def keep_only(self, outputs: Collection[str]) -> None:
        """Remove annotated modules of earlier runs that are not among `outputs`."""
        root = self.folder / "modules"
        for folder, folders, files in os.walk(root, topdown=False):
            for name in files:
                file = Path(folder, name)
                if file.relative_to(root).as_posix() not in outputs:
                    file.unlink()
            for name in folders:
                with contextlib.suppress(OSError):  # it is not empty
                    Path(folder, name).rmdir()


def roll_forward(folder: Path) -> None:
    """Finish the replacing of files that a run had begun when it ended. Raises OSError."""
    commit = folder / HIDDEN / COMMIT
    try:
        wanted = json.loads(commit.read_bytes())
    except FileNotFoundError:
        return
    for name in wanted["files"]:
        with contextlib.suppress(FileNotFoundError):  # it has its place already
            os.replace(folder / HIDDEN / "new" / name, folder / name)
    for name in wanted["gone"]:
        (folder / name).unlink(missing_ok=True)
    commit.unlink()


def result_file(folder: Path, name: str) -> Path | None:
    """Return where a file that users read is, None if there is none.

    It is among the new ones if the run that wrote it has ended before it had its place. Raises
    InputError if the folder holds no finished batch at all.
    """
    hidden = folder / HIDDEN
    if not hidden.is_dir():
        raise InputError("not the output of a batch", file=str(folder))
    if (hidden / COMMIT).exists() and (hidden / "new" / name).exists():
        return hidden / "new" / name
    if not (folder / "summary.json").exists() and not (hidden / COMMIT).exists():
        message = "the batch has not come to its end yet; run the same command again"
        raise InputError(message, file=str(folder))
    return folder / name if (folder / name).exists() else None


def _settle(file: Path) -> None:
    """Wait until a file is on the disk."""
    handle = os.open(file, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _locked(file: Path, folder: Path) -> Iterator[None]:
    """Hold a lock that ends with this process, however that ends. Raises Busy."""
    with file.open("a+b") as opened:
        try:
            _lock(opened.fileno())
        except OSError:
            opened.seek(0)
            who = opened.read().decode(errors="replace").strip() or "unknown"
            raise Busy(f"{folder}: another batch is writing there (process {who})") from None
        opened.truncate(0)
        opened.write(f"{os.getpid()}\n".encode())
        opened.flush()
        yield


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask


_UMASK = _umask()
