"""Feeds damaged files to the readers of modules, which must give a module or an InputError.

    python -m tests.fuzz_readers DIR... [--count N] [--seed S] [--jobs J] [--keep DIR]

DIR holds HLO text and protos, gzipped or not. Case I of seed S is always the same. For each module
that is read, every attribute is asked for and the module is written; those too may only raise an
InputError. Exits with 1 if anything else was raised or took longer than ten seconds, and leaves
what caused it in the folder of --keep.
"""

from __future__ import annotations

import argparse
import gzip
import random
import resource
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from shardlog.converters import load_bytes
from shardlog.converters.hlo_proto_module import ProtoModule
from shardlog.ir.errors import InputError
from shardlog.ir.module import HloModule, Instruction
from tests.mutations import mutated

SECONDS = 10
MEMORY = 4 << 30
LARGEST = 150_000
ACCESSORS = tuple(name for name, value in vars(Instruction).items() if isinstance(value, property))
TYPED_BY_OPCODE = {"gather": "gather", "scatter": "scatter"}


@dataclass(frozen=True)
class Violation:
    """A case in which a reader did what it must not."""

    case: int
    source: str
    what: str
    data: bytes


class _TooSlow(BaseException):
    """The alarm of a case; no handler in the readers may take it for an error of theirs."""


def sources(folders: Sequence[Path]) -> list[Path]:
    """The files of modules in some folders, smaller ones only, in a fixed order."""
    suffixes = (".txt", ".hlo", ".pb", ".txt.gz", ".hlo.gz", ".pb.gz")
    files = {
        file
        for folder in folders
        for file in ([folder] if folder.is_file() else folder.rglob("*"))
        if file.name.endswith(suffixes) and file.stat().st_size <= LARGEST
    }
    return sorted(files)


def damaged(files: Sequence[Path], seed: int, case: int) -> tuple[Path, bytes]:
    """The bytes of a case, and the file that they were made from."""
    rng = random.Random(f"{seed}:{case}")
    file = rng.choice(files)
    data = file.read_bytes()
    zipped = file.suffix == ".gz"
    if zipped and rng.random() < 0.5:
        return file, mutated(data, False, rng)
    if zipped:
        data = gzip.decompress(data)
    return file, mutated(data, ".pb" not in file.suffixes, rng)


def read_whole(data: bytes) -> str:
    """Read a module and all that it holds; says how that ended. Raises what must not be raised."""
    try:
        module = load_bytes(data, "case")
    except InputError as error:
        str(error)
        return "refused"
    late = 0
    try:
        order: Sequence[Instruction] = module.instructions
    except InputError:
        return "refused late"
    for instruction in order:
        late += _ask(instruction)
    late += _write(module)
    return "refused late" if late else "read"


def _ask(instruction: Instruction) -> int:
    """Ask an instruction for everything; how often the answer was an InputError."""
    late = 0
    for name in ACCESSORS:
        try:
            value = getattr(instruction, name)
            if name == "literal" and value is not None:
                _ = value.integers
        except InputError:
            late += 1
    return late


def _write(module: HloModule) -> int:
    late = 0
    if isinstance(module, ProtoModule):
        try:
            module.to_text()
        except InputError:
            late += 1
        if module.to_proto_bytes() != module.data:
            raise AssertionError("a module without edits was not written as it was read")
    return late


@contextmanager
def _alarm() -> Iterator[None]:
    def ring(*_: object) -> None:
        raise _TooSlow(f"over {SECONDS} seconds")

    signal.signal(signal.SIGALRM, ring)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)


def run(
    files: Sequence[Path], seed: int, cases: Sequence[int]
) -> tuple[Counter[str], list[Violation]]:
    """Run some cases: how often each outcome came, and the violations."""
    outcomes: Counter[str] = Counter()
    violations = []
    for case in cases:
        file, data = damaged(files, seed, case)
        kind = "proto" if ".pb" in file.suffixes else "text"
        try:
            with _alarm():
                outcomes[f"{kind} {read_whole(data)}"] += 1
        except (Exception, _TooSlow) as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__}: {str(error)[:200]} at {where.name}:{where.lineno}"
            violations.append(Violation(case, file.name, what, data))
            outcomes[f"{kind} VIOLATION"] += 1
    return outcomes, violations


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path("fuzz-violations"), metavar="DIR")
    options = parser.parse_args(arguments)
    files = sources(options.folders)
    if not files:
        parser.error("no files of modules there")
    outcomes: Counter[str] = Counter()
    violations: list[Violation] = []
    chunks = [range(i, min(i + 100, options.count)) for i in range(0, options.count, 100)]
    with ProcessPoolExecutor(options.jobs, initializer=_limit_memory) as pool:
        for found, bad in pool.map(
            run, [files] * len(chunks), [options.seed] * len(chunks), chunks
        ):
            outcomes += found
            violations += bad
    for violation in violations:
        options.keep.mkdir(parents=True, exist_ok=True)
        kept = options.keep / f"{options.seed}-{violation.case}-{violation.source}"
        kept.with_suffix(".bin").write_bytes(violation.data)
        print(f"case {violation.case} of {violation.source}: {violation.what}")
    print(f"{options.count} cases of seed {options.seed} over {len(files)} files")
    for outcome, number in sorted(outcomes.items()):
        print(f"{number:8} {outcome}")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
