"""A sample of the mutation fuzz; `python -m tests.fuzz_readers` runs as many cases as wanted."""

import random
from pathlib import Path

import pytest

from shardlog.converters.wire import records
from tests import fuzz_readers
from tests.converters.protos import computation, proto, row
from tests.mutations import mutated

DATA = Path(__file__).parents[1] / "data"


def test_damaged_files_give_a_module_or_an_input_error() -> None:
    files = fuzz_readers.sources([DATA / "protos", DATA / "small"])
    outcomes, violations = fuzz_readers.run(files, 0, range(150))
    assert [violation.what for violation in violations] == []
    assert {kind.split()[0] for kind in outcomes} == {"text", "proto"}
    assert outcomes["proto read"] > 3
    assert outcomes["text read"] > 3


def test_a_reader_that_fails_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(data: bytes, file: str) -> None:
        raise KeyError(len(data))

    monkeypatch.setattr(fuzz_readers, "load_bytes", broken)
    files = fuzz_readers.sources([DATA / "protos"])
    outcomes, violations = fuzz_readers.run(files, 0, range(3))
    assert outcomes == {"proto VIOLATION": 3}
    assert violations[0].what.startswith("KeyError")


def test_a_case_can_be_repeated() -> None:
    files = fuzz_readers.sources([DATA / "protos"])
    assert fuzz_readers.damaged(files, 4, 17) == fuzz_readers.damaged(files, 4, 17)


def test_most_mutations_of_a_proto_leave_it_a_message() -> None:
    data = proto(computation(1, 1, row(1, "parameter"))).SerializeToString()
    whole = 0
    for seed in range(100):
        try:
            whole += bool(list(records(mutated(data, False, random.Random(seed)))))
        except ValueError:
            continue
    assert 40 < whole < 100
