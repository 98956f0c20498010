"""What was made of the rules is kept between processes, and only what this user wrote is used."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import shardlog
from shardlog import cache, propagation
from shardlog.converters.facts import PassOptions, base_facts
from shardlog.engine import Facts

SMALL = Path(__file__).parents[1] / "data" / "small"
MODULE = SMALL / "mlp.before.txt"
EXPECTED = SMALL / "mlp.after.txt"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "kept"))
    propagation._program.cache_clear()
    yield tmp_path / "kept"
    propagation._program.cache_clear()


def run() -> shardlog.Result:
    """Propagates as a new process does."""
    propagation._program.cache_clear()
    result = shardlog.propagate(MODULE)
    expected = shardlog.load(EXPECTED)
    assert not shardlog.compare_modules(result.module, expected).disagreements
    return result


def files(place: Path, kind: str = "program") -> list[Path]:
    return sorted(place.glob(f"*.{kind}"))


def test_the_second_process_writes_no_code(place: Path) -> None:
    first = run()
    (kept,) = files(place)
    assert kept.stat().st_mode & 0o077 == 0
    made = kept.stat().st_mtime_ns
    second = run()
    assert propagation.load_rules().written == 0
    assert files(place) == [kept]
    assert kept.stat().st_mtime_ns == made
    name = next(x.name for x in second.module.instructions if x.opcode == "dot")
    assert str(second.why(name)) == str(first.why(name))


def test_a_kept_program_goes_on_with_other_modules(place: Path) -> None:
    """In each process a module with other ops and masks: what is kept grows, answers are XLA's."""
    for name in ("mlp", "while", "concatenate", "mlp", "gather", "while", "shard_as"):
        for before in sorted(SMALL.glob(f"{name}*.before.txt"))[:2]:
            propagation._program.cache_clear()
            result = shardlog.propagate(before, output=(True,), params=(True,))
            plain = shardlog.propagate(before)
            expected = shardlog.load(str(before).replace(".before.", ".after."))
            assert not shardlog.compare_modules(plain.module, expected).disagreements
            assert result.module


def test_the_second_process_knows_which_instructions_are_alike(place: Path) -> None:
    first = run()
    (kept,) = files(place, "learnt")
    assert kept.stat().st_mode & 0o077 == 0
    assert propagation.load_rules().learnt >= cache.WORTH
    second = run()
    assert propagation.load_rules().learnt < cache.WORTH
    assert second.records == first.records
    assert files(place, "learnt") == [kept]


def test_what_was_learnt_of_one_module_says_nothing_of_another(place: Path) -> None:
    """The file of one module, found by others: each is probed before anything is taken over."""
    run()
    (kept,) = files(place, "learnt")
    about = cache._homes[propagation.load_rules()].about
    data = cache._read(kept, about)
    assert data is not None
    for before in sorted(SMALL.glob("*.before.txt"))[::5]:
        propagation._program.cache_clear()
        program = propagation.load_rules()
        module = shardlog.load(before)
        _, facts = base_facts(module, Facts, PassOptions())
        cache.recall(program, facts)
        learnt = cache._homes[program].learnt
        assert learnt is not None
        cache._write(learnt, about, data)
        propagation._program.cache_clear()
        result = shardlog.propagate(before)
        expected = shardlog.load(str(before).replace(".before.", ".after."))
        assert not shardlog.compare_modules(result.module, expected).disagreements, before


def test_a_process_for_many_modules_starts_with_the_code_for_all_opcodes(place: Path) -> None:
    """What was learnt of its first module must not take the place of what others compiled."""
    run()
    other = SMALL / "convolution.before.txt"
    shardlog.propagate(other)
    cache._homes[propagation.load_rules()].again = 0.0
    cache.keep(propagation.load_rules())
    assert files(place, "learnt")

    propagation._program.cache_clear()
    program = propagation.load_rules()
    cache.prepare_for_many(program)
    cache._homes[program].again = math.inf
    shardlog.propagate(MODULE)
    shardlog.propagate(other)
    assert program.written == 0, "nothing was compiled anew"


def test_such_a_process_keeps_much_new_code_at_its_end(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = propagation.load_rules()
    cache.prepare_for_many(program)
    shardlog.propagate(MODULE)
    (kept,) = files(place)
    before = kept.stat().st_size
    shardlog.propagate(SMALL / "convolution.before.txt")
    assert program.written
    cache.keep(program)
    assert kept.stat().st_size == before, "it was written just now"
    cache.keep(program, at_last=True)
    assert kept.stat().st_size == before, "so little is not worth it"
    monkeypatch.setattr(cache, "WORTH_AT_LAST", 1)
    cache.keep(program, at_last=True)
    assert kept.stat().st_size > before
    assert not program.written


def test_other_rules_have_a_file_of_their_own(place: Path, tmp_path: Path) -> None:
    run()
    rules = tmp_path / "mine.dl"
    rules.write_text("+ custom_call_dims('call', 'a b -> a b')\n")
    assert shardlog.propagate(MODULE, rules=[rules]).module
    assert len(files(place)) == 2


@pytest.mark.parametrize("damage", ["cut", "changed", "empty"])
def test_a_damaged_file_is_made_anew(place: Path, damage: str) -> None:
    run()
    (kept,) = files(place)
    data = kept.read_bytes()
    changed = data[:-1] + bytes([data[-1] ^ 1])
    kept.write_bytes({"cut": data[:1000], "changed": changed, "empty": b""}[damage])
    run()
    assert propagation.load_rules().written == 0, "kept again"
    assert kept.read_bytes() != data[:1000]
    run()
    assert kept.stat().st_size > 1000


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no permissions to look at")
@pytest.mark.parametrize("whose", ["file", "folder", "link"])
def test_what_others_may_write_is_not_used(
    place: Path, whose: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run()
    (kept,) = files(place)
    about = cache._homes[propagation.load_rules()].about
    assert cache._read(kept, about) is not None
    assert cache._read(kept, about + b"other") is None
    if whose == "link":
        kept.rename(place / "elsewhere")
        kept.symlink_to(place / "elsewhere")
    else:
        os.chmod(kept if whose == "file" else place, 0o777)
    assert cache._read(kept, about) is None
    monkeypatch.setattr(os, "getuid", lambda: -1)
    os.chmod(place, 0o700)
    assert cache._read(kept, about) is None


def test_a_folder_that_cannot_be_made_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "file" / "below"))
    run()
    propagation._program.cache_clear()


def test_old_files_go(place: Path) -> None:
    place.mkdir(mode=0o700)
    for number in range(cache.MOST_FILES + 5):
        old = place / f"{number}.program"
        old.write_text("")
        os.utime(old, (number, number))
    run()
    names = [file.name for file in files(place)]
    assert len(names) == cache.MOST_FILES
    assert "4.program" not in names


def test_where_it_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(cache.VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for platform, end in (
        ("linux", str(tmp_path / "shardlog")),
        ("darwin", str(Path("Library", "Caches", "shardlog"))),
        ("win32", "shardlog"),
    ):
        monkeypatch.setattr(sys, "platform", platform)
        assert str(cache.folder()).endswith(end)
    monkeypatch.setenv(cache.VARIABLE, "")
    assert cache.folder() is None


def test_no_cache_keeps_nothing(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "shardlog", "propagate", str(MODULE), "--no-cache"]
    environment = {**os.environ, cache.VARIABLE: str(tmp_path / "kept")}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "kept").exists()
