"""Rule packs: rule files that installed packages bring along.

A package tells of one by an entry point of the group `shardlog.rules`, whose value names a package
with the rule files (`*.dl`) in its folder:

    [project.entry-points."shardlog.rules"]
    my_kernels = "my_package.sharding"

`pack:my_kernels` then stands for these files wherever a rule file can be given.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from importlib.metadata import entry_points
from pathlib import Path

from shardlog.engine.check import nearest
from shardlog.ir.errors import InputError

__all__ = ["GROUP", "PACK", "installed_packs", "rule_files"]

GROUP = "shardlog.rules"
PACK = "pack:"


def installed_packs() -> dict[str, str]:
    """The packs of the packages that are installed, by name, each with the package of its files."""
    return {point.name: point.value for point in entry_points(group=GROUP)}


def rule_files(given: Iterable[str | Path]) -> list[Path]:
    """The files that are given, with those of a pack in the place of `pack:NAME`, by name.

    Raises InputError for a pack that is not installed or has no rule files.
    """
    found: list[Path] = []
    for each in given:
        text = str(each)
        found += _pack(text.removeprefix(PACK)) if text.startswith(PACK) else [Path(each)]
    return found


def _pack(name: str) -> list[Path]:
    packs = installed_packs()
    if name not in packs:
        hint = nearest(name, packs) or (f"there is {', '.join(sorted(packs))}" if packs else None)
        raise InputError(
            f"no installed package has a rule pack {name!r}" + f"; {hint}" * bool(hint)
        )
    try:
        spec = importlib.util.find_spec(packs[name])
    except ImportError:
        spec = None
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    files = [file for folder in folders for file in sorted(Path(folder).glob("*.dl"))]
    if not files:
        raise InputError(f"the rule pack {name!r} has no rule files: {packs[name]} holds no *.dl")
    return files
