"""Writing files so that nothing half-written is ever left behind."""

from __future__ import annotations

import gzip
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: Path, data: bytes | Iterable[bytes]) -> None:
    """Write a file whole or not at all, gzipped if its name ends in .gz.

    The bytes go to a file beside it, which then takes its name. Raises OSError, and what making the
    pieces of `data` raises.
    """
    pieces: Iterable[bytes] = (data,) if isinstance(data, bytes) else data
    if path.suffix == ".gz":
        # No time stamp, so that equal modules give equal files.
        pieces = (gzip.compress(b"".join(pieces), mtime=0),)
    if path.exists() and not path.is_file():
        path.write_bytes(b"".join(pieces))  # a pipe or device cannot be replaced, only written to
        return
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(pieces)
        os.chmod(name, _mode(path))
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _mode(path: Path) -> int:
    """The permissions that a plain write would leave: the old file's, or what umask allows."""
    if path.exists():
        return path.stat().st_mode & 0o777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
