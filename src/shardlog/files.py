"""Writing files so that nothing half-written is ever left behind."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from itertools import count

__all__ = ["write_whole"]


def write_whole(path: str | os.PathLike[str], data: bytes | Iterable[bytes]) -> None:
    """Write a file whole or not at all, gzipped if its name ends in .gz.

    The bytes go to a file beside it, which then takes its name. Raises OSError, and what making the
    pieces of `data` raises.
    """
    name = os.fspath(path)
    pieces: Iterable[bytes] = (data,) if isinstance(data, bytes) else data
    if name.endswith(".gz"):
        import gzip

        # No time stamp, so that equal modules give equal files.
        pieces = (gzip.compress(b"".join(pieces), mtime=0),)
    is_there = os.path.exists(name)
    if is_there and not os.path.isfile(name):
        with open(name, "wb") as file:  # a pipe or device cannot be replaced, only written to
            file.write(b"".join(pieces))
        return
    handle, part = _beside(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(pieces)
        if is_there:
            os.chmod(part, os.stat(name).st_mode & 0o777)
        os.replace(part, name)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(part)
        raise


def _beside(name: str) -> tuple[int, str]:
    """A new file in the same folder, open for writing; `tempfile` takes long to import."""
    folder, base = os.path.split(name)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    for number in count():
        part = os.path.join(folder, f".{base}.{os.getpid():x}-{number}.part")
        with suppress(FileExistsError):
            try:
                return os.open(part, flags, 0o666), part
            except (FileNotFoundError, NotADirectoryError, PermissionError) as error:
                # what the user named, not the file beside it
                raise type(error)(error.errno, error.strerror, name) from None
    raise AssertionError("counting has no end")
