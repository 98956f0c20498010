"""Writing whole files, and reading what is no file."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import shardlog
from shardlog.files import write_whole

MLP = Path(__file__).parents[2] / "examples" / "mlp_train_2x4.txt"


def test_replaces_a_file_and_keeps_its_permissions(tmp_path: Path) -> None:
    target = tmp_path / "module.txt"
    target.write_bytes(b"old")
    target.chmod(0o600)
    write_whole(target, b"new")
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o600


def test_gzips_by_name_and_gives_equal_files_for_equal_data(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        write_whole(tmp_path / name, b"text")
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == b"text"
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_leaves_nothing_behind_when_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "module.txt"
    target.write_bytes(b"old")

    def refuse(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("shardlog.files.os.replace", refuse)
    with pytest.raises(OSError, match="disk full"):
        write_whole(target, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["module.txt"]
    assert target.read_bytes() == b"old"


def test_a_bytearray_is_as_good_as_bytes() -> None:
    data = MLP.read_bytes()
    assert shardlog.load(bytearray(data)).to_text() == shardlog.load(data).to_text()
