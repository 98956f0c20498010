"""Compare with reference values that XLA's C++ gave: `python -m tests.vectors FOLDER`.

The folder holds the files that are named in CHECKS, each JSON with lists of entries.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from shardlog.ir.errors import InputError
from tests import vector_checks_shardy, vector_checks_text

Entry = dict[str, Any]
Check = Callable[[Entry], None]

_PARTS: Sequence[dict[str, dict[str, Check]]] = (
    vector_checks_shardy.CHECKS,
    vector_checks_text.CHECKS,
)


def _all(checks: Sequence[Check]) -> Check:
    def check(entry: Entry) -> None:
        for each in checks:
            each(entry)

    return check


CHECKS = {
    name: {key: _all([part[name][key] for part in _PARTS if name in part]) for key in lists}
    for part in _PARTS
    for name, lists in part.items()
}
"""For each file and each list in it what to do with an entry; it raises if the entry is wrong."""


def cases(folder: Path) -> Iterator[tuple[str, str, Check, Entry]]:
    """Yield file, list, check and entry for all that the folder holds."""
    for name, lists in CHECKS.items():
        if not (folder / name).exists():
            continue
        data = json.loads((folder / name).read_text())
        for key, check in lists.items():
            for entry in data[key]:
                yield name, key, check, entry


def wrong(check: Check, entry: Entry) -> str | None:
    """What is wrong with an entry, or None."""
    try:
        check(entry)
    except (AssertionError, InputError) as error:
        return f"{type(error).__name__}: {error}"
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args(arguments).folder
    right: dict[str, list[bool]] = {}
    for name, key, check, entry in cases(folder):
        problem = wrong(check, entry)
        right.setdefault(f"{name} {key}", []).append(problem is None)
        if problem is not None:
            print(f"{name} {entry.get('id') or entry.get('name')}: {problem}")
    for what, results in right.items():
        print(f"{sum(results):6} of {len(results):6} right  {what}")
    if not right:
        print(f"{folder}: none of {', '.join(CHECKS)}", file=sys.stderr)
    return 0 if right and all(map(all, right.values())) else 1


if __name__ == "__main__":
    sys.exit(main())
