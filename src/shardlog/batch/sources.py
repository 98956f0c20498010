"""What a batch is given: files, folders, globs, manifests, archives and URLs, as named modules."""

from __future__ import annotations

import fnmatch
import glob
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from shardlog.ir.errors import InputError

if TYPE_CHECKING:
    from fsspec.spec import AbstractFileSystem

__all__ = ["Source", "find_modules", "find_sources", "is_url"]

SUFFIXES = (".txt", ".hlo", ".pb", ".mlir")
"""What names of modules end in, where other files are to be expected beside them."""

ARCHIVES = {".zip": "zip", ".tar": "tar", ".tar.gz": "tar", ".tgz": "tar"}

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*(?:://|::)")
_MAGIC = re.compile(r"[*?[]")


@dataclass(frozen=True)
class Source:
    """A module to read.

    `path` is a local path or a URL as fsspec writes it. `name` tells the module apart in results:
    its path below the folder, glob or URL that was given. `size` is None where it is not known
    without reading, and `fault` what already keeps it from being read.
    """

    path: str
    name: str
    size: int | None = None
    fault: str | None = None


def is_url(text: str) -> bool:
    """Tell whether a path is a URL, for fsspec, and no local path."""
    return bool(_URL.match(text))


def find_sources(
    given: Sequence[str],
    manifests: Sequence[str] = (),
    *,
    skip: Path | None = None,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> list[Source]:
    """Return the modules in what is given, each once, under names that tell them apart, by name.

    `@FILE` and each of `manifests` is a text file with a path a line, below its own folder; `-`
    is standard input. Of folders, archives and URLs of folders every file counts that is not
    hidden, if its name fits any of `include` and none of `exclude`; the folder `skip`, the output
    of an earlier run, is passed over. Raises InputError for a path that does not exist and for a
    manifest that cannot be read; a file that a manifest names in vain is a source with a fault.
    """
    wanted = _Wanted(skip, tuple(include), tuple(exclude))
    found: list[Source] = []
    for each in given:
        if each.startswith("@"):
            found += _of_manifest(each[1:], wanted)
        else:
            found += _expand(each, wanted)
    for each in manifests:
        found += _of_manifest(each, wanted)
    return _told_apart(found)


def find_modules(paths: Iterable[Path], skip: Path | None = None) -> Iterator[tuple[Path, Path]]:
    """Yield (file, its name below its folder) of files, and of folders' modules by their suffix.

    In a folder, at any depth, a module is what ends in .txt, .hlo, .pb or .mlir, with or without
    .gz. A folder `skip` inside it is passed over. Raises InputError for a path that does not exist.
    """
    wanted = _Wanted(skip, tuple(f"*{end}{gz}" for end in SUFFIXES for gz in ("", ".gz")), ())
    for path in paths:
        if path.is_dir():
            for source in _of_folder(str(path), wanted):
                yield Path(source.path), Path(source.name)
        elif path.exists():
            yield path, Path(path.name)
        else:
            raise InputError("no such file or folder", file=str(path))


@dataclass(frozen=True)
class _Wanted:
    """Which files of a folder count."""

    skip: Path | None
    include: tuple[str, ...]
    exclude: tuple[str, ...]

    def __call__(self, name: str) -> bool:
        """Whether a file counts, by its path below the folder."""
        parts = PurePosixPath(name).parts
        if any(part.startswith(".") for part in parts):
            return False
        fits = [parts[-1], name] if parts else [name]

        def any_of(patterns: tuple[str, ...]) -> bool:
            return any(fnmatch.fnmatchcase(one, pattern) for pattern in patterns for one in fits)

        return (not self.include or any_of(self.include)) and not any_of(self.exclude)


def _expand(text: str, wanted: _Wanted, within: str | None = None) -> Iterator[Source]:
    """The modules of one path, glob or URL, `within` the folder of the manifest that names it."""
    if is_url(text):
        yield from _of_url(text, wanted)
        return
    path = text if within is None else os.path.join(within, text)
    if os.path.isdir(path):
        yield from _of_folder(path, wanted)
    elif os.path.lexists(path):
        archive = next((how for end, how in ARCHIVES.items() if path.endswith(end)), None)
        if archive is not None and os.path.isfile(path):
            yield from _of_url(f"{archive}://::{path}", wanted)
        else:
            yield _file(path, text if within is not None else os.path.basename(path))
    elif _MAGIC.search(text):
        yield from _of_glob(path, wanted)
    elif within is not None:
        yield Source(path, text, fault="no such file or folder")
    else:
        raise InputError("no such file or folder", file=path)


def _file(path: str, name: str) -> Source:
    try:
        return Source(path, name, os.stat(path).st_size)
    except OSError:
        return Source(path, name)  # reading it says what is wrong


def _of_folder(root: str, wanted: _Wanted) -> Iterator[Source]:
    skip = wanted.skip.resolve() if wanted.skip is not None else None
    if skip is not None and skip == Path(root).resolve():
        raise InputError("would be both read and written; choose another -o", file=root)
    closed: list[OSError] = []
    # Links to folders are followed, but none around in a circle.
    seen = {Path(root).resolve(), skip}
    for folder, folders, files in os.walk(root, onerror=closed.append, followlinks=True):
        below = os.path.relpath(folder, root)
        kept = []
        for name in sorted(folders):
            real = Path(folder, name).resolve()
            if name[0] != "." and real not in seen:
                seen.add(real)
                kept.append(name)
        folders[:] = kept
        for file in sorted(files):
            name = PurePosixPath(*Path(below).parts, file).as_posix()
            if wanted(name):
                yield _file(os.path.join(folder, file), name)
    for error in closed:
        path = os.fspath(error.filename)
        below = Path(os.path.relpath(path, root)).as_posix()
        yield Source(path, below, fault=f"the folder cannot be read: {error.strerror}")


def _of_glob(pattern: str, wanted: _Wanted) -> Iterator[Source]:
    first = _MAGIC.search(pattern)
    assert first is not None
    root = os.path.dirname(pattern[: first.start()])
    skip = wanted.skip.resolve() if wanted.skip is not None else None
    found = sorted(glob.glob(pattern, recursive=True))
    if not found:
        raise InputError("nothing fits this pattern", file=pattern)
    for path in found:
        name = Path(os.path.relpath(path, root or ".")).as_posix()
        if skip is not None and Path(path).resolve().is_relative_to(skip):
            continue
        if not os.path.isdir(path):
            yield _file(path, name)
        elif "**" not in pattern:
            for source in _of_folder(path, wanted):
                yield replace(source, name=f"{name}/{source.name}")


def _of_manifest(file: str, wanted: _Wanted) -> Iterator[Source]:
    try:
        if file == "-":
            text, within = sys.stdin.read(), "."
        else:
            text, within = Path(file).read_text(), os.path.dirname(file)
    except OSError as error:
        raise InputError(error.strerror or str(error), file=file) from error
    except UnicodeDecodeError:
        raise InputError("not a list of paths: not UTF-8", file=file) from None
    for line in text.splitlines():
        entry = line.strip()
        if not entry or entry.startswith("#"):
            continue
        try:
            yield from _expand(entry, wanted, within)
        except InputError as error:
            yield Source(error.file or entry, entry, fault=error.message)


def filesystem(url: str) -> tuple[AbstractFileSystem, str]:
    """Return the file system of a URL and the path in it. Raises InputError without fsspec."""
    from shardlog.batch.extras import need

    need("fsspec", "URLs and archives")
    from fsspec.core import url_to_fs

    try:
        system, path = url_to_fs(url)
    except (ImportError, ValueError, OSError) as error:
        raise InputError(str(error), file=url) from error
    return system, path


def _of_url(url: str, wanted: _Wanted) -> Iterator[Source]:
    system, path = filesystem(url)
    head, chain = _split_chain(url)
    protocol = head.partition("://")[0]

    def full(inner: str) -> str:
        text = system.unstrip_protocol(inner)
        here = text.partition("://")[2] if "://" in text else text
        return f"{protocol}://{here}{chain}"

    try:
        if _MAGIC.search(path):
            first = _MAGIC.search(path)
            assert first is not None
            root = path[: first.start()].rpartition("/")[0]
            found = system.glob(path, detail=True)
            listed = {
                name: about for name, about in found.items() if about.get("type") != "directory"
            }
        elif path and system.isfile(path):
            root = path.rpartition("/")[0]
            listed = {path: system.info(path)}
        else:
            root = path
            every = system.find(path, detail=True)
            listed = {name: one for name, one in every.items() if wanted(_below(name, path))}
    except Exception as error:  # a file system raises whatever its library does
        raise InputError(str(error) or type(error).__name__, file=url) from error
    if not listed:
        raise InputError("no such file or folder, or nothing in it", file=url)
    for name, about in sorted(listed.items()):
        size = about.get("size")
        yield Source(full(name), _below(name, root), size if isinstance(size, int) else None)


def _split_chain(url: str) -> tuple[str, str]:
    """A URL and what it is inside of: `zip://a.txt::s3://b/c.zip` is `zip://a.txt` there."""
    head, separator, rest = url.partition("::")
    return head, separator + rest


def _below(name: str, root: str) -> str:
    return name.removeprefix(root).lstrip("/") or name


def _told_apart(found: Sequence[Source]) -> list[Source]:
    """Each source once, by name; those of one name are called by their paths instead."""
    once = list({source.path: source for source in reversed(found)}.values())
    names: dict[str, int] = {}
    clean = [replace(source, name=_clean(source.name)) for source in once]
    for source in clean:
        names[source.name] = names.get(source.name, 0) + 1
    told: dict[str, Source] = {}
    for source in sorted(clean, key=lambda one: (one.name, one.path)):
        name = source.name if names[source.name] == 1 else _clean(source.path)
        while name in told:
            name += "_"
        told[name] = replace(source, name=name)
    return sorted(told.values(), key=lambda one: one.name)


def _clean(name: str) -> str:
    """A name that stays below a folder: no protocol, no root, no way up; printable."""
    text = name.replace("::", "/").replace("://", "/").replace("\\", "/")
    parts = [part for part in PurePosixPath(text).parts if part not in ("/", "..", ".")]
    whole = "/".join(parts) or "module"
    return whole.encode("utf-8", "backslashreplace").decode()
