"""Where the annotated modules of a batch go, below OUT/modules."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

__all__ = ["output_names"]

SUFFIXES = {"text": ".txt", "pb": ".pb", "stablehlo": ".mlir", "json": ".json"}


def output_names(names: Sequence[str], form: str | None) -> dict[str, str]:
    """Return the path of each module's annotated form, by the module's name.

    It is the name, with the suffix of `form` unless that is None or "same", and with "_" where
    another module has the path, or that of a folder above it. Names of gzipped modules stay as they
    are if the form is that of the module.
    """
    taken: set[str] = set()
    folders: set[str] = set()
    paths: dict[str, str] = {}
    for name in sorted(names, key=lambda name: (name.count("/"), name)):
        path = name
        if form in SUFFIXES:
            plain = PurePosixPath(name.removesuffix(".gz"))
            path = plain.with_name(
                plain.name.removesuffix(plain.suffix) + SUFFIXES[form]
            ).as_posix()
            if path in taken:
                path = name + SUFFIXES[form]
        # a module may have the path that would be a folder's
        while (part := next((one for one in _above(path) if one in taken), None)) is not None:
            path = f"{part}_{path.removeprefix(part)}"
        while path in taken or path in folders:
            path += "_"
        taken.add(path)
        folders.update(_above(path))
        paths[name] = path
    return paths


def _above(path: str) -> list[str]:
    return [parent.as_posix() for parent in PurePosixPath(path).parents]
