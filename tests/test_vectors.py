"""The reference values of which small copies lie here are right, and a wrong one is noticed."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from tests.vectors import CHECKS, cases, main, wrong

VECTORS = Path(__file__).parent / "data" / "vectors"
CASES = list(cases(VECTORS))
RESULTS = {
    "hlo_sharding", "op_sharding", "proto_hex", "v0_10_2_direct", "v0_6_2_hlo", "v0_6_2_proto_hex",
    "expected_sdy", "expected_args", "expected_results", "meshes",
    "canonical", "canonical_with_metadata", "from_proto", "reparse_canonical", "read_as",
    "tile_dims", "is_replicated", "v3_proto_hex", "v3_to_v2_text", "v3_imported_sdy", "result",
}  # fmt: skip
INPUTS = {
    "import_vectors.json": {"hlo_sharding"},
    "fromproto_vectors.json": {"proto_hex"},
}
"""Names that are those of results in another file."""


def test_there_are_entries_of_each_list():
    here = {(name, key) for name, key, _, _ in CASES}
    assert here == {(name, key) for name, lists in CHECKS.items() for key in lists}


@pytest.mark.parametrize(
    ("check", "entry"),
    [
        pytest.param(check, entry, id=f"{name}-{entry.get('id') or entry['name']}")
        for name, _, check, entry in CASES
    ],
)
def test_entry_is_right(check, entry):
    check(entry)


def spoiled(value: Any) -> Any:
    """The same value with something else in it."""
    if isinstance(value, str):
        return value + "00"
    if isinstance(value, bool):
        return not value
    if isinstance(value, dict):
        return {key: spoiled(inner) for key, inner in value.items()} | {"other": 1}
    return [*(value or []), "other"]


@pytest.mark.parametrize("name", CHECKS)
def test_a_wrong_result_is_noticed(name):
    spoilt = 0
    for check, entry in [(check, entry) for file, _, check, entry in CASES if file == name]:
        for key in (RESULTS & entry.keys()) - INPUTS.get(name, set()):
            other = copy.deepcopy(entry)
            other[key] = spoiled(entry[key])
            assert wrong(check, other) is not None, (entry, key)
            spoilt += 1
    assert spoilt


def test_the_command(tmp_path, capsys):
    assert main([str(VECTORS)]) == 0
    assert "right  export_vectors.json vectors" in capsys.readouterr().out
    assert main([str(tmp_path)]) == 1
