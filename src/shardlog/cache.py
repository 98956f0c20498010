"""Keeps what was made of the rules from one process to the next, in the user's cache folder.

Reading the rules and writing code for them takes longer than a small graph. What a process has
made of them is kept in a file that also tells everything that it depends on: the rules, the code of
this package, and the Python that runs it. Such a file holds code, so it is used only if nobody else
can have written it: it and its folder belong to this user and only they may write there. A folder
that cannot be used is no error; then nothing is kept.

Of the standard library little is imported: what is only needed to write a file, or on one platform,
is imported then.

What a process has learnt of the instructions of its first module is kept, too, under what is
characteristic of the module: the next process that meets it, or one with as many layers of the same
kinds and shapes, need not find out again which instructions are alike.
"""

from __future__ import annotations

import os
import stat
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from shardlog.engine.program import Program
from shardlog.light import dataclass

if TYPE_CHECKING:
    from pathlib import Path

    from shardlog.engine.relations import Facts

__all__ = [
    "VARIABLE",
    "answer",
    "folder",
    "keep",
    "keep_answer",
    "prepare_for_many",
    "program_of",
    "recall",
]

VARIABLE = "SHARDLOG_CACHE"
"""The environment variable that names another folder; empty, nothing is kept."""

MOST_FILES = 16
"""Programs that are kept, and as many models for which what was learnt is."""
LARGEST = 1 << 26
"""Bytes of a file; the code for all opcodes takes some 20 MB."""
WORTH = 150
"""How much must have been learnt to be worth a file."""
PATIENCE = 20
"""How many times as long as it takes to write a file goes by before it is written again,"""
MANY_PATIENCE = 60
"""or if the process goes through many modules."""
WORTH_AT_LAST = 200
"""How many functions must have been written to be worth a file at the end of such a process."""

_HEAD = b"shardlog kept\n"
_NAME = "{}.program"
_LEARNT = "{}.learnt"
_ANSWER = "{}.answer"


def folder() -> Path | None:
    """Where programs are kept, None if nowhere: by the platform's custom, unless SHARDLOG_CACHE."""
    from pathlib import Path

    place = _place()
    return Path(place) if place else None


def _place() -> str:
    """The same as a text, empty if nowhere."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return named
    home = os.path.expanduser("~")
    if not os.path.isabs(home):
        return ""
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Caches", "shardlog")
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
        return os.path.join(local, "shardlog")
    base = os.environ.get("XDG_CACHE_HOME", "")
    return os.path.join(base if os.path.isabs(base) else os.path.join(home, ".cache"), "shardlog")


def program_of(files: Sequence[tuple[str, str]], make: Callable[[], Program]) -> Program:
    """The program of the shipped rules and these (name, text) files: kept earlier, or made now."""
    place = _place()
    if not place:
        return make()
    about = _about(tuple(files))
    stem = os.path.join(place, _short(about))
    data = _read(_NAME.format(stem), about)
    if data is None:
        program = make()
    else:
        from shardlog.engine.snapshot import restored

        program = restored(data)
    _homes[program] = _Home(stem, about, data is not None)
    return program


def prepare_for_many(program: Program) -> None:
    """Have a program that will run for many modules neither recall nor keep what one taught it.

    What was learnt of a module comes with the code that this module wants, and no other. Nor does
    it learn at once what is alike, and it is written more seldom.
    """
    program.for_many = True
    home = _homes.get(program)
    if home is not None:
        home.many = True


def recall(program: Program, facts: Facts) -> None:
    """Have a program that runs for the first time know what was learnt of facts like these."""
    home = _homes.get(program)
    if home is None or home.many or program.compiled:
        return
    sketch = _short(program.colours.sketch(facts).encode())
    home.learnt = _LEARNT.format(f"{home.stem}-{sketch}")
    data = _read(home.learnt, home.about) if home.known else None
    if data is not None:
        from shardlog.engine.snapshot import learn

        learn(program, data)
        with suppress(OSError):
            os.utime(home.learnt)


def keep(program: Program, at_last: bool = False) -> None:
    """Keep a program of `program_of` if it has got new code since it was last kept.

    A process that goes through many modules writes it only now and then, and `at_last`, before it
    ends, if much is new; what it has learnt it writes after the first module, if that is much.
    """
    home = _homes.get(program)
    if home is None:
        return
    now = time.monotonic()
    if program.written and (now >= home.again or (at_last and program.written >= WORTH_AT_LAST)):
        from shardlog.engine.snapshot import snapshot

        _keep(_NAME.format(home.stem), home.about, snapshot(program))
        program.written = 0
        done = time.monotonic()
        home.again = done + (MANY_PATIENCE if home.many else PATIENCE) * (done - now)
    if home.learnt is not None and program.learnt >= WORTH:
        from shardlog.engine.snapshot import learnt

        _keep(home.learnt, home.about, learnt(program))
    home.learnt = None


def answer(program: Program, key: str) -> bytes | None:
    """What `keep_answer` kept under a key for the same program, if it did."""
    home = _homes.get(program)
    if home is None:
        return None
    file = _ANSWER.format(f"{home.stem}-{key[:24]}")
    data = _read(file, home.about)
    if data is not None:
        with suppress(OSError):
            os.utime(file)
    return data


def keep_answer(program: Program, key: str, data: bytes) -> None:
    """Keep what came out of a program under a key."""
    home = _homes.get(program)
    if home is not None:
        _keep(_ANSWER.format(f"{home.stem}-{key[:24]}"), home.about, data)


@dataclass(slots=True)
class _Home:
    """Where a program is kept and when it may be written again, and where what it learns is.

    `stem` is the path without its ending; `about` is what the program depends on; `known` says
    whether it came from there, `many` that it runs for many modules.
    """

    stem: str
    about: bytes
    known: bool
    many: bool = False
    again: float = 0.0
    learnt: str | None = None


_homes: WeakKeyDictionary[Program, _Home] = WeakKeyDictionary()


@cache
def _about(files: tuple[tuple[str, str], ...]) -> bytes:
    """What a program depends on."""
    about = (sys.version, sys.implementation.cache_tag, files, sorted(_sources()))
    return repr(about).encode("utf-8", "surrogatepass")


def _short(text: bytes) -> str:
    """A name for a text; others may have the same."""
    return f"{zlib.crc32(text):08x}{zlib.adler32(text):08x}{len(text) & 0xFFFF:04x}"


_ELSEWHERE = frozenset(("__pycache__", "batch", "cli", "explain", "query", "report"))
"""Folders of this package that have no part in a program."""


def _sources(within: str = os.path.dirname(__file__)) -> Iterator[tuple[str, int, int]]:
    """Path, time and size of every file of this package that a program is made with."""
    with os.scandir(within) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name not in _ELSEWHERE:
                    yield from _sources(entry.path)
            elif entry.name.endswith((".py", ".dl")):
                about = entry.stat()
                yield entry.path, about.st_mtime_ns, about.st_size


def _read(file: str | Path, about: bytes) -> bytes | None:
    """The content of a file that only this user can have written, None if there is no such file.

    Nor is there one if it depends on something else, or is damaged.
    """
    try:
        handle = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return None
    with os.fdopen(handle, "rb") as opened:
        if not (_is_ours(os.fstat(handle)) and _is_ours(os.stat(os.path.dirname(file)))):
            return None
        head = _HEAD + about
        if opened.read(len(head)) != head:
            return None
        check, data = opened.read(4), opened.read()
    return data if check == zlib.crc32(data).to_bytes(4) else None


def _is_ours(about: os.stat_result) -> bool:
    if not hasattr(os, "getuid"):
        return True  # a user's folders are closed to others there, and have no such bits
    return about.st_uid == os.getuid() and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _keep(file: str, about: bytes, data: bytes) -> None:
    if len(data) <= LARGEST:
        with suppress(OSError):
            _write(file, about, data)


def _write(name: str, about: bytes, data: bytes) -> None:
    """Write a file whole, readable by this user alone, and remove the oldest beyond a number."""
    import tempfile
    from pathlib import Path

    file = Path(name)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _is_ours(os.stat(file.parent)):
        return
    # mkstemp makes files that nobody else may read
    handle, part = tempfile.mkstemp(dir=file.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as opened:
            opened.writelines((_HEAD, about, zlib.crc32(data).to_bytes(4), data))
        os.replace(part, file)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise
    oldest_last = sorted(
        file.parent.glob(f"*{file.suffix}"), key=lambda one: one.stat().st_mtime, reverse=True
    )
    for old in oldest_last[MOST_FILES:]:
        old.unlink(missing_ok=True)
