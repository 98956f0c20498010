"""Keeps what was made of the rules from one process to the next, in the user's cache folder.

Reading the rules and writing code for them takes longer than a small graph. What a process has
made of them is kept in a file, whose name is a digest of everything that it depends on: the rules,
the code of this package, and the Python that runs it. Such a file holds code, so it is used only
if nobody else can have written it: it and its folder belong to this user and only they may write
there. A folder that cannot be used is no error; then nothing is kept.

What a process has learnt of the instructions of its first module is kept, too, under what is
characteristic of the module: the next process that meets it, or one with as many layers of the same
kinds and shapes, need not find out again which instructions are alike.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from shardlog.engine.program import Program
from shardlog.light import dataclass

if TYPE_CHECKING:
    from shardlog.engine.relations import Facts

__all__ = ["VARIABLE", "answer", "folder", "keep", "keep_answer", "program_of", "recall"]

VARIABLE = "SHARDLOG_CACHE"
"""The environment variable that names another folder; empty, nothing is kept."""

MOST_FILES = 16
"""Programs that are kept, and as many models for which what was learnt is."""
LARGEST = 1 << 24
WORTH = 150
"""How much must have been learnt to be worth a file."""
PATIENCE = 20
"""How many times as long as it takes to write a file goes by before it is written again."""

_HEAD = b"shardlog program\n"
_NAME = "{}.program"
_LEARNT = "{}.learnt"
_ANSWER = "{}.answer"


def folder() -> Path | None:
    """Where programs are kept, None if nowhere: by the platform's custom, unless SHARDLOG_CACHE."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return Path(named) if named else None
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "shardlog"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "shardlog"
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else home / ".cache") / "shardlog"


def program_of(files: Sequence[tuple[str, str]], make: Callable[[], Program]) -> Program:
    """The program of the shipped rules and these (name, text) files: kept earlier, or made now."""
    place = folder()
    if place is None:
        return make()
    file = place / _NAME.format(_digest(tuple(files)))
    data = _read(file)
    if data is None:
        program = make()
    else:
        from shardlog.engine.snapshot import restored

        program = restored(data)
    _homes[program] = _Home(file, data is not None)
    return program


def recall(program: Program, facts: Facts) -> None:
    """Have a program that runs for the first time know what was learnt of facts like these."""
    home = _homes.get(program)
    if home is None or program.compiled:
        return
    name = f"{home.file.stem}-{program.colours.sketch(facts)[:24]}"
    home.learnt = home.file.with_name(_LEARNT.format(name))
    data = _read(home.learnt) if home.known else None
    if data is not None:
        from shardlog.engine.snapshot import learn

        learn(program, data)
        with suppress(OSError):
            os.utime(home.learnt)


def keep(program: Program) -> None:
    """Keep a program of `program_of` if it has got new code since it was last kept.

    A process that goes through many modules writes it only now and then; what it has learnt it
    writes after the first module, if that is much.
    """
    home = _homes.get(program)
    if home is None:
        return
    now = time.monotonic()
    if program.written and now >= home.again:
        from shardlog.engine.snapshot import snapshot

        _keep(home.file, snapshot(program))
        program.written = 0
        done = time.monotonic()
        home.again = done + PATIENCE * (done - now)
    if home.learnt is not None and program.learnt >= WORTH:
        from shardlog.engine.snapshot import learnt

        _keep(home.learnt, learnt(program))
    home.learnt = None


def answer(program: Program, key: str) -> bytes | None:
    """What `keep_answer` kept under a key for the same program, if it did."""
    home = _homes.get(program)
    if home is None:
        return None
    file = home.file.with_name(_ANSWER.format(f"{home.file.stem}-{key[:24]}"))
    data = _read(file)
    if data is not None:
        with suppress(OSError):
            os.utime(file)
    return data


def keep_answer(program: Program, key: str, data: bytes) -> None:
    """Keep what came out of a program under a key."""
    home = _homes.get(program)
    if home is not None:
        _keep(home.file.with_name(_ANSWER.format(f"{home.file.stem}-{key[:24]}")), data)


@dataclass(slots=True)
class _Home:
    """Where a program is kept and when it may be written again, and where what it learns is.

    `known` says whether it came from there.
    """

    file: Path
    known: bool
    again: float = 0.0
    learnt: Path | None = None


_homes: WeakKeyDictionary[Program, _Home] = WeakKeyDictionary()


@cache
def _digest(files: tuple[tuple[str, str], ...]) -> str:
    """What a program depends on, in short."""
    about = (sys.version, sys.implementation.cache_tag, files, sorted(_sources()))
    return hashlib.sha256(repr(about).encode("utf-8", "surrogatepass")).hexdigest()[:40]


def _sources(within: str = os.path.dirname(__file__)) -> Iterator[tuple[str, int, int]]:
    """Path, time and size of every file of this package that a program is made with."""
    with os.scandir(within) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _sources(entry.path)
            elif entry.name.endswith((".py", ".dl")):
                about = entry.stat()
                yield entry.path, about.st_mtime_ns, about.st_size


def _read(file: Path) -> bytes | None:
    """The content of a file that only this user can have written, None if there is no such file."""
    try:
        handle = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return None
    with os.fdopen(handle, "rb") as opened:
        if not (_is_ours(os.fstat(handle)) and _is_ours(os.stat(file.parent))):
            return None
        head, digest, data = opened.read(len(_HEAD)), opened.read(32), opened.read()
    return data if head == _HEAD and digest == hashlib.sha256(data).digest() else None


def _is_ours(about: os.stat_result) -> bool:
    if not hasattr(os, "getuid"):
        return True  # a user's folders are closed to others there, and have no such bits
    return about.st_uid == os.getuid() and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _keep(file: Path, data: bytes) -> None:
    if len(data) <= LARGEST:
        with suppress(OSError):
            _write(file, data)


def _write(file: Path, data: bytes) -> None:
    """Write a file whole, readable by this user alone, and remove the oldest beyond a number."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _is_ours(os.stat(file.parent)):
        return
    # mkstemp makes files that nobody else may read
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as opened:
            opened.write(_HEAD + hashlib.sha256(data).digest() + data)
        os.replace(name, file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    oldest_last = sorted(
        file.parent.glob(f"*{file.suffix}"), key=lambda one: one.stat().st_mtime, reverse=True
    )
    for old in oldest_last[MOST_FILES:]:
        old.unlink(missing_ok=True)
