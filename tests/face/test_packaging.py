"""Every way of installing has the rule files and the type marker, and runs."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ("pyproject.toml", "LICENSE", "README.md", "src", "engine", "ir", "converters", "rules")
BUILD = "import sys, setuptools.build_meta as b; print(getattr(b, 'build_' + {way!r})({folder!r}))"
PROBE = """
import pathlib, shardlog, shardlog.rules
home = pathlib.Path(shardlog.__file__).parent
assert home.joinpath("py.typed").exists()
print(home)
print(*sorted(path.name for path in home.joinpath("rules", "gspmd").glob("*.dl")))
"""
RULES = sorted(path.name for path in (ROOT / "rules" / "gspmd").glob("*.dl"))


def build(way: str, source: Path, folder: Path) -> Path:
    """Build a wheel, sdist or editable wheel without a network; return the file."""
    code = BUILD.format(way=way, folder=str(folder))
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / done.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project's sources, so that building leaves no traces in them."""
    folder = tmp_path_factory.mktemp("source")
    ignored = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for name in SOURCES:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, folder / name, symlinks=True, ignore=ignored)
        else:
            shutil.copy(path, folder / name)
    return folder


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", source, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("sdist", source, tmp_path_factory.mktemp("sdist"))


def probe(path: Path) -> list[str]:
    """Import shardlog from a folder; return where it was found and the rule files it has."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        env={"PYTHONPATH": str(path), "PATH": ""},
        cwd=path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    home, rules = done.stdout.splitlines()
    return [home, *rules.split()]


def test_there_are_rule_files() -> None:
    assert RULES


def test_the_wheel_is_whole(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path)
    assert not any("/../" in name or name.startswith("src/") for name in names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"shardlog"}
    assert probe(tmp_path) == [str(tmp_path / "shardlog"), *RULES]


def test_a_wheel_built_from_the_sdist_is_the_same(wheel: Path, sdist: Path, tmp_path: Path) -> None:
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (unpacked,) = tmp_path.iterdir()
    again = build("wheel", unpacked, tmp_path)
    with zipfile.ZipFile(wheel) as one, zipfile.ZipFile(again) as two:
        assert sorted(one.namelist()) == sorted(two.namelist())


def test_the_editable_install_follows_the_sources(source: Path, tmp_path: Path) -> None:
    editable = build("editable", source, tmp_path)
    with zipfile.ZipFile(editable) as archive:
        (link,) = [name for name in archive.namelist() if name.endswith(".pth")]
        target = archive.read(link).decode().strip()
    assert Path(target) == source / "src"
    assert probe(Path(target)) == [str(source / "src" / "shardlog"), *RULES]
