"""Reading the bytes of a source; whatever keeps it from being read is one clear message."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass

from shardlog.batch.sources import Source, filesystem, is_url
from shardlog.ir.errors import InputError

__all__ = ["Unreadable", "read_source"]

PIECE = 1 << 24


@dataclass
class Unreadable(Exception):
    """A source that cannot be read, and why."""

    message: str

    def __str__(self) -> str:
        return self.message


def read_source(source: Source, most: int) -> bytes:
    """Return the bytes of a module, at most so many. Raises Unreadable."""
    if source.fault is not None:
        raise Unreadable(source.fault)
    if source.size is not None and source.size > most:
        raise Unreadable(_too_large(source.size, most))
    data = _of_url(source.path, most) if is_url(source.path) else _of_file(source.path, most)
    if len(data) > most:
        raise Unreadable(_too_large(len(data), most))
    return data


def _of_file(path: str, most: int) -> bytes:
    # A pipe or a device could keep the reader waiting for ever.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise Unreadable("not a regular file")
        handle = os.open(path, flags)
        with os.fdopen(handle, "rb") as file:
            about = os.fstat(handle)
            if not stat.S_ISREG(about.st_mode):
                raise Unreadable("not a regular file")
            if about.st_size > most:
                raise Unreadable(_too_large(about.st_size, most))
            return file.read(about.st_size + 1)
    except OSError as error:
        words = error.strerror or str(error)
        if os.path.islink(path) and not os.path.exists(path):
            words = f"a link to nowhere: {os.readlink(path)}"
        raise Unreadable(f"cannot be read: {words}") from error
    except ValueError as error:  # a path with a null character
        raise Unreadable(f"cannot be read: {error}") from error
    except MemoryError:
        raise Unreadable("cannot be read: out of memory") from None


def _of_url(url: str, most: int) -> bytes:
    try:
        system, path = filesystem(url)
        with system.open(path, "rb") as file:
            data = bytearray()
            while len(data) <= most and (piece := file.read(PIECE)):
                data += piece
    except (InputError, MemoryError) as error:
        raise Unreadable(f"cannot be read: {error or 'out of memory'}") from error
    except Exception as error:  # a file system raises whatever its library does
        words = str(error) or type(error).__name__
        raise Unreadable(f"cannot be read: {words}") from error
    return bytes(data)


def _too_large(size: int, most: int) -> str:
    return f"too large: {size} bytes, the limit is {most} (--max-size)"
