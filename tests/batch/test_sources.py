"""What a batch finds in files, folders, globs, manifests, archives and URLs."""

from __future__ import annotations

import os
import tarfile
import zipfile
from pathlib import Path

import fsspec
import pytest

from shardlog.batch import find_sources
from shardlog.batch.outputs import output_names
from shardlog.batch.reading import Unreadable, read_source
from shardlog.ir.errors import InputError
from tests.batch.running import rows, run, statuses


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.txt", "b/c.pb", "b/d.txt", ".hidden/x.txt", "b/.y.txt"):
        file = tmp_path / "in" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    return tmp_path / "in"


def names(*given: object, **options: object) -> list[str]:
    return [source.name for source in find_sources(list(map(str, given)), **options)]  # type: ignore[arg-type]


def test_files_and_folders_are_named_below_what_is_given(folder: Path) -> None:
    assert names(folder) == ["a.txt", "b/c.pb", "b/d.txt"]
    (folder / "b" / "round").symlink_to(folder)
    (folder / "link").symlink_to(folder / "b")
    assert names(folder) == ["a.txt", "b/c.pb", "b/d.txt"]
    for link in ("b/round", "link"):
        (folder / link).unlink()
    assert names(folder / "a.txt", folder / "b") == ["a.txt", "c.pb", "d.txt"]
    assert names(folder, folder / "a.txt") == ["a.txt", "b/c.pb", "b/d.txt"]
    assert names(folder, include=["*.txt"], exclude=["b/*"]) == ["a.txt"]
    assert names(folder, skip=folder / "b") == ["a.txt"]
    assert names(folder / "**/*.txt", skip=folder / "b") == ["a.txt"]
    with pytest.raises(InputError, match="both read and written"):
        names(folder, skip=folder)


def test_globs(folder: Path) -> None:
    assert names(folder / "*.txt") == ["a.txt"]
    assert names(folder / "**/*.txt") == ["a.txt", "b/d.txt"]
    assert names(folder / "[ab]") == ["b/c.pb", "b/d.txt"]
    (folder / "odd[1].txt").write_text("x")
    assert names(folder / "odd[1].txt") == ["odd[1].txt"]
    with pytest.raises(InputError, match="nothing fits"):
        names(folder / "*.hlo")


def test_modules_of_one_name_go_by_their_paths(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.txt").write_text("x")
    found = names(folder / "a.txt", other)
    assert sorted(found) == sorted(str(path)[1:] for path in (folder / "a.txt", other / "a.txt"))


def test_a_manifest_names_paths_below_itself(folder: Path) -> None:
    (folder / "list").write_text("# modules\n\nb/*.txt\na.txt\ngone.txt\n")
    found = find_sources([f"@{folder / 'list'}"])
    assert [source.name for source in found] == ["a.txt", "d.txt", "gone.txt"]
    assert found == find_sources([], [str(folder / "list")])
    assert [source.fault for source in found] == [None, None, "no such file or folder"]
    with pytest.raises(InputError, match="No such file"):
        find_sources(["@" + str(folder / "nothing")])


def test_archives_and_urls(folder: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as archive:
        archive.write(folder / "a.txt", "x/a.txt")
        archive.write(folder / "b" / "c.pb", "x/c.pb")
    with tarfile.open(tmp_path / "in.tar.gz", "w:gz") as tar:
        tar.add(folder / "a.txt", "x/a.txt")
    memory = fsspec.filesystem("memory")
    memory.pipe({"/batch/a.txt": b"a", "/batch/b/c.txt": b"c"})
    for given, expected in {
        str(tmp_path / "in.zip"): ["x/a.txt", "x/c.pb"],
        f"zip://x/*.pb::{tmp_path / 'in.zip'}": ["c.pb"],
        str(tmp_path / "in.tar.gz"): ["x/a.txt"],
        "memory://batch": ["a.txt", "b/c.txt"],
        "memory://batch/*.txt": ["a.txt"],
        "memory://batch/b/c.txt": ["c.txt"],
        f"file://{folder}": ["a.txt", "b/c.pb", "b/d.txt"],
    }.items():
        found = find_sources([given])
        assert [source.name for source in found] == expected, given
        assert all(read_source(source, 100) for source in found), given
    with pytest.raises(InputError, match="no such file"):
        find_sources(["memory://nothing/at/all"])
    with pytest.raises(InputError, match="Protocol not known"):
        find_sources(["nonsense://x"])


def test_what_is_no_file_does_not_keep_the_reader_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "large").write_bytes(b"x" * 11)
    faults = {}
    for source in find_sources([str(tmp_path)]):
        with pytest.raises(Unreadable) as caught:
            read_source(source, 10)
        faults[source.name] = str(caught.value)
    assert faults["pipe"] == "not a regular file"
    assert "link to nowhere" in faults["link"]
    assert "too large: 11 bytes" in faults["large"]


def test_no_two_modules_are_written_to_one_file() -> None:
    assert output_names(["a.txt", "b.pb.gz"], "text") == {"a.txt": "a.txt", "b.pb.gz": "b.txt"}
    found = output_names(["a.pb", "a.txt", "a.txt.gz", "c", "c/d"], "text")
    assert len({*found.values()}) == 5
    assert output_names(["c/d", "c"], "same") == {"c": "c", "c/d": "c_/d"}


def test_memory_and_archives_are_worked_on_like_files(dumps: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "dumps.zip", "w") as archive:
        for name in ("dot.txt", "deeper/while.txt"):
            archive.write(dumps / name, name)
    fsspec.filesystem("memory").pipe("/dumps/dot.txt", (dumps / "dot.txt").read_bytes())
    out = tmp_path / "out"
    run(tmp_path / "dumps.zip", "memory://dumps/dot.txt", "-o", out, "--jobs", 1)
    assert set(statuses(out).values()) == {"ok"}
    assert len(rows(out)) == 3


def test_an_output_folder_inside_the_input_is_left_out(dumps: Path) -> None:
    for _ in range(2):
        assert "2 of 2" in run(dumps, "-o", dumps / "out", "--jobs", 1).stdout


def test_nothing_to_do_is_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "no files" in run(tmp_path / "empty", "-o", tmp_path / "out", code=2).stderr
    assert "no such file" in run(tmp_path / "none", "-o", tmp_path / "out", code=2).stderr
    assert "nothing to do" in run("-o", tmp_path / "out", code=2).stderr
    assert not (tmp_path / "out").exists()
