"""Compares plans that instructions share with plans that are made for each one alone, on modules.

    python -m tests.shared_plans FOLDER... [--largest N] [--long N]

FOLDER holds modules as for tests.both_ways. One program takes all of them in turn, so that what it
learnt of one is used for the next; values and provenance must be those that come out where nobody
shares anything. Rows of N members and more count as long ones, in which a place may be a token.
Exits with 1 if any differ.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import shardlog
from shardlog import rules
from shardlog.converters.facts import PassOptions, base_facts
from shardlog.converters.vocabulary import VOCABULARY
from shardlog.engine import Facts, Program, Saturation, load_program, tables, traced
from shardlog.engine.classes import Classes
from shardlog.propagation import LIBRARY
from tests.both_ways import modules

__all__ = ["difference", "fresh_program", "long_rows"]

LARGEST = 2500


def fresh_program() -> Program:
    """The rules of GSPMD, with nothing learnt yet."""
    return load_program(rules.gspmd(), LIBRARY, VOCABULARY)


def difference(program: Program, file: Path, largest: int = LARGEST) -> tuple[int, str] | None:
    """The number of accepted joins, and what differs first; None if a module is too large."""
    module = shardlog.load(file)
    if len(module.instructions) > largest:
        return None
    _, facts = base_facts(module, Facts, PassOptions())
    shared = _told(program, facts)
    with _alone():
        alone = _told(program, facts)
    for number, (one, other) in enumerate(zip(shared, alone, strict=False)):
        if one != other:
            return len(alone), f"{number}: {one} shared, {other} alone"
    lengths = f"{len(shared)} values and records shared, {len(alone)} alone"
    return len(alone), "" if len(shared) == len(alone) else lengths


@contextmanager
def long_rows(count: int) -> Iterator[None]:
    """Has rows of so many members count as long ones."""
    with patch.object(tables, "LONG", count), patch.object(traced, "LONG", count):
        yield


@contextmanager
def _alone() -> Iterator[None]:
    """Has nobody share anything."""
    with (
        patch.object(Classes, "find", lambda self, entity: self._alone(entity)),
        patch.object(Classes, "_fill", _fill_by_one),
    ):
        yield


def _fill_by_one(
    self: Classes, colour: int, child: Any, entities: Sequence[int], found: Any, ahead: int = 1
) -> None:
    for entity in entities:
        one = self.find(entity)
        if one is not None:
            found[entity] = one


def _told(program: Program, facts: Facts) -> list[Any]:
    """All records, then all values of the lattices."""
    run = Saturation(program, facts).run()
    told: list[Any] = [(*record[:4], record.rule.name, *record[5:]) for record in run.records]
    return told + [(name, values[:-1]) for name, values in run.state.items()]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.shared_plans", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--largest", type=int, default=LARGEST, help="default: %(default)s")
    parser.add_argument("--long", type=int, default=tables.LONG, help="default: %(default)s")
    options = parser.parse_args(arguments)
    program, joins, same, wrong = fresh_program(), 0, 0, 0
    with long_rows(options.long):
        for file in modules(options.folders):
            found = difference(program, file, options.largest)
            if found is None:
                continue
            joins += found[0]
            if found[1]:
                print(f"{file.name}: {found[1]}")
                wrong += 1
            else:
                same += 1
    print(f"{same} of {same + wrong} modules come out the same, {joins} records")
    return 1 if wrong or not same else 0


if __name__ == "__main__":
    sys.exit(main())
