"""Bad modules, dying processes, full disks and interrupts cost only what they must."""

from __future__ import annotations

import gzip
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shardlog.batch import Limits, Settings
from shardlog.batch.store import Store, result_file
from shardlog.batch.worker import Worker
from shardlog.ir.errors import InputError
from tests.batch import kills
from tests.batch.running import ROOT, SMALL, command, digests, rows, run, start, statuses

TRAP = """\
import os, time
import shardlog.api
load = shardlog.api.load
def trap(data, **options):
    if data == b"crash": os.abort()
    if data == b"hang": time.sleep(600)
    if data == b"once" and not os.path.exists({mark!r}):
        open({mark!r}, "w").close()
        os.kill(os.getpid(), 9)
    if data == b"greedy": bytearray(1 << 40)
    if data == b"fault": raise LookupError("oh")
    return load(data, **options)
shardlog.api.load = trap
"""


@pytest.fixture
def trapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let some contents break the processes that read them, through the way they start."""
    (tmp_path / "site").mkdir()
    trap = TRAP.format(mark=str(tmp_path / "mark"))
    (tmp_path / "site" / "sitecustomize.py").write_text(trap)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path / 'site'}{os.pathsep}{ROOT / 'src'}")


@pytest.mark.usefixtures("trapped")
def test_what_breaks_a_process_costs_only_its_module() -> None:
    # However slow the machine, a module that is well is done long before the limit for it.
    worker = Worker(Settings(), Limits(memory=8 << 30))
    good = (SMALL / "dot.before.txt").read_bytes()
    told = {}
    for data in (b"crash", b"greedy", b"fault", b"once", good):
        record = worker.run(data).record
        told[data[:6]] = record["status"], record.get("error")
    worker.close()
    assert told[b"crash"] == ("crash", "the process ended (signal SIGABRT), at a second try, too")
    assert told[b"greedy"] == ("memory", "more than 8 GiB of memory needed")
    assert told[b"fault"] == ("error", "internal error: LookupError: oh")
    # What something else ends is worked on again; that "once" is no module is another matter.
    assert told[b"once"][0] == "error"
    assert told[good[:6]] == ("ok", None)


@pytest.mark.usefixtures("trapped")
def test_a_module_that_takes_too_long_is_given_up() -> None:
    worker = Worker(Settings(), Limits(seconds=1))
    answer = worker.run(b"hang")
    worker.close()
    assert answer.record["status"] == "timeout"
    assert answer.record["error"] == "not done after 1 s"


@pytest.mark.usefixtures("trapped")
def test_failures_are_tried_again_when_asked_or_under_another_limit(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"hang")
    given = (tmp_path / "in", "-o", tmp_path / "out", "--jobs", 1)
    begin = (*given, "--timeout", 1)
    assert "before" not in run(*begin, code=1).stdout
    assert "1 of them before" in run(*begin, code=1).stdout
    assert "before" not in run(*begin, "--retry", code=1).stdout
    assert "before" not in run(*given, "--timeout", 2, code=1).stdout
    assert statuses(tmp_path / "out") == {"in": "timeout"}


def test_a_mixed_folder(tmp_path: Path) -> None:
    good = (SMALL / "dot.before.txt").read_text()
    whole = (ROOT / "examples" / "mlp_train_2x4.txt").read_bytes()
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(100):
        text = good.replace("HloModule ", f"HloModule m{number}_", 1)
        (folder / f"good{number:03}.txt").write_text(text)
    bad = {
        "truncated.txt": whole[: len(whole) // 2],
        "truncated.txt.gz": gzip.compress(whole)[:-100],
        "truncated.pb": b"\x0a\x05abc",
        "empty": b"",
        "blank.txt": b"\n \n",
        "rubbish.bin": bytes(range(256)) * 8,
        "wrong.json": b'{"a": 1}\n',
        "wrong.py": b"import os\n",
        "bomb.txt.gz": gzip.compress(b"\0" * (1 << 22)),
    }
    for name, data in bad.items():
        (folder / name).write_bytes(data)
    os.mkfifo(folder / "pipe.txt")
    (folder / "link.txt").symlink_to("nowhere")
    with (folder / "enormous.txt").open("wb") as file:
        file.truncate(5 << 30)
    result = run(folder, "-o", tmp_path / "out", "--jobs", 2, code=1)
    expected = {*bad, "pipe.txt", "link.txt", "enormous.txt"}
    found = {row["module"]: row for row in rows(tmp_path / "out")}
    assert {name for name, row in found.items() if row["status"] != "ok"} == expected
    assert len(found) == 100 + len(expected)
    for name in expected:
        assert found[name]["status"] == "error", found[name]
        assert found[name]["error"], name
        assert "internal error" not in found[name]["error"], found[name]
        assert "\n" not in found[name]["error"], found[name]
    assert "100 of 112 modules propagated" in result.stdout
    assert len(result.stderr.splitlines()) == len(expected)


def test_killed_at_any_moment_it_continues_to_the_same_result(tmp_path: Path) -> None:
    kills.check(tmp_path, modules=12, times=3, seed=5)


def test_an_interrupt_keeps_what_is_done_and_says_how_to_go_on(dumps: Path, tmp_path: Path) -> None:
    for number in range(40):
        (dumps / f"copy{number}.txt").write_bytes((dumps / "deeper/while.txt").read_bytes())
        with (dumps / f"copy{number}.txt").open("a") as file:
            file.write(f"// {number}\n")
    out = tmp_path / "out"
    process = start(dumps, "-o", out, "--jobs", 1)
    deadline = time.monotonic() + 120
    while not list(out.glob(".shardlog/records/*/*")) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate()
    if process.returncode == 0:
        pytest.skip("the batch was done before the interrupt reached it")
    assert process.returncode == 130, stderr
    assert "to go on: shardlog batch" in stderr
    done = len(rows(out))
    assert 0 < done < 42
    assert f"{done} of 42" in stdout
    assert f"{done} of them before" in run(dumps, "-o", out, "--jobs", 1).stdout
    run(dumps, "-o", tmp_path / "other", "--jobs", 1)
    assert digests(out) == digests(tmp_path / "other")


def test_a_full_disk_leaves_what_was_there(dumps: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(dumps / "dot.txt", "-o", out, "--jobs", 1)
    before = digests(out)

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))

    process = start(dumps, "-o", out, "--jobs", 1, preexec_fn=small_files)
    _, stderr = process.communicate()
    assert process.returncode == 4, stderr
    assert "the same command continues" in stderr
    assert digests(out) == before
    assert "2 of 2" in run(dumps, "-o", out, "--jobs", 1).stdout


def test_two_batches_do_not_write_into_one_folder(dumps: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with Store(out).opened():
        done = subprocess.run(
            command(dumps, "-o", out), capture_output=True, text=True, check=False
        )
    assert done.returncode == 2
    assert f"another batch is writing there (process {os.getpid()})" in done.stderr


def test_files_that_belong_together_change_together(tmp_path: Path) -> None:
    """A run that ends between the first and the last is finished by whoever comes next."""
    store = Store(tmp_path)
    with store.opened():
        with store.replacing() as folder:
            (folder / "summary.json").write_text("old")
            (folder / "b").write_text("old")
        with pytest.raises(ZeroDivisionError), store.replacing() as folder:
            (folder / "b").write_text(f"half {1 / 0}")
    assert (tmp_path / "b").read_text() == "old"
    hidden = tmp_path / ".shardlog"
    (hidden / "new" / "summary.json").write_text("new")
    (hidden / "new" / "b").write_text("new")
    (hidden / "commit.json").write_text('{"files": ["b", "summary.json"], "gone": []}')
    os.replace(hidden / "new" / "b", tmp_path / "b")
    found = result_file(tmp_path, "summary.json")
    assert found is not None
    assert found.read_text() == "new"
    with store.opened():
        assert (tmp_path / "summary.json").read_text() == "new"
    with pytest.raises(InputError, match="not the output of a batch"):
        result_file(tmp_path / "nothing", "b")


def test_damaged_records_and_outputs_are_made_anew(dumps: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    given = (dumps, "-o", out, "--jobs", 1, "--modules")
    run(*given)
    before = digests(out)
    first, _ = sorted(out.glob(".shardlog/records/*/*"))
    first.write_bytes(first.read_bytes()[:-1])
    (out / "modules" / "dot.txt").write_text("other")
    (out / "modules" / "deeper" / "while.txt").unlink()
    (out / "modules" / "left.txt").write_text("of an earlier run")
    assert "before" not in run(*given).stdout
    assert digests(out) == before


def test_a_process_leaves_with_its_parent(tmp_path: Path) -> None:
    code = (
        "import os, sys\n"
        "from shardlog.batch import Limits, Settings\n"
        "from shardlog.batch.worker import Worker\n"
        "worker = Worker(Settings(), Limits())\n"
        "worker.start()\n"
        "print(worker._process.pid, flush=True)\n"
        "os._exit(0)\n"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env
    )
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            os.kill(int(done.stdout), 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("the process is still there")
