"""The commands as a user runs them."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import shardlog
from shardlog.cli import main
from shardlog.cli.app import COMMANDS

ROOT = Path(__file__).parents[2]
SMALL = ROOT / "tests" / "data" / "small"
MLP = ROOT / "examples" / "mlp_train_2x4.txt"
PROTO = ROOT / "examples" / "mlp_train_2x4.hlo.pb"
SHARDY = ROOT / "examples" / "shardy_dump.txt"


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_command_has_help_with_examples(command: str) -> None:
    assert command in run("--help").stdout
    text = run(command, "--help").stdout
    assert "Examples:" in text
    assert f"shardlog {command}" in text


def test_help_does_not_import_the_engine() -> None:
    code = (
        "import sys\nfrom shardlog.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'networkx', 'google.protobuf', 'shardlog.engine', 'rich'}\n"
        "sys.exit(sorted(heavy & set(sys.modules)).__repr__() if heavy & set(sys.modules) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_propagate_prints_a_summary_and_writes_the_module(tmp_path: Path) -> None:
    before, after = SMALL / "mlp.before.txt", SMALL / "mlp.after.txt"
    target = tmp_path / "out.txt"
    summary = run("propagate", before, "-o", target).stdout
    expected = shardlog.load(after)
    count = sum(instruction.sharding is not None for instruction in expected.instructions)
    assert f"{count} after" in summary
    for phase in ("reading", "planning", "saturation", "writing"):
        assert phase in summary
    assert not shardlog.compare_modules(shardlog.load(target), expected).disagreements


def test_propagate_without_output_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("propagate", SMALL / "dot.before.txt")
    assert list(tmp_path.iterdir()) == []


def test_output_to_stdout_is_the_module_alone() -> None:
    result = run("propagate", SMALL / "dot.before.txt", "-o", "-")
    assert result.stdout.startswith("HloModule dot")
    assert "instructions" in result.stderr
    shardlog.load(result.stdout.encode())


def test_a_proto_stays_a_proto(tmp_path: Path) -> None:
    target = tmp_path / "out.hlo.pb"
    run("propagate", PROTO, "-o", target)
    left, right = shardlog.load(target), shardlog.propagate(MLP).module
    assert shardlog.compare_modules(left, right).disagreements == ()


def test_json_lists_every_instruction() -> None:
    fields = json.loads(run("propagate", SMALL / "dot.before.txt", "--format", "json").stdout)
    assert {row["name"] for row in fields["instructions"]} == {"lhs", "rhs", "dot.7", "neg"}
    changed = [row for row in fields["instructions"] if row["changed"]]
    assert changed
    assert all(row["after"] and row["rule"] for row in changed)


def test_why_ends_at_annotations() -> None:
    module = SMALL / "dot.before.txt"
    changed = next(
        row["name"]
        for row in json.loads(run("propagate", module, "--format", "json").stdout)["instructions"]
        if row["changed"]
    )
    text = run("why", module, f"%{changed}").stdout
    assert text.startswith(f"{changed}  {{")
    assert "is annotated" in text
    assert json.loads(run("why", module, changed, "--json").stdout)["reasons"]


def test_why_suggests_names_that_exist() -> None:
    result = run("why", SMALL / "mlp.before.txt", "x.99", code=2)
    assert "no instruction is called 'x.99'" in result.stderr
    assert "x.1" in result.stderr


def test_compare_agrees_with_xlas_answer_and_tells_where_not() -> None:
    before, after = SMALL / "dot.before.txt", SMALL / "dot.after.txt"
    assert "4 of 4 instructions agree" in run("compare", before, "--with", after).stdout
    result = run("compare", before, "--with", after, "--as-is", code=1)
    assert "no sharding" in result.stdout
    fields = json.loads(run("compare", before, "--with", after, "--as-is", "--json", code=1).stdout)
    assert fields["agreeing"] < fields["total"]


@pytest.mark.parametrize("arguments", [("propagate",), ("compare", "--with", str(SHARDY))])
def test_modules_for_shardy_get_a_note(arguments: tuple[str, ...]) -> None:
    result = CliRunner().invoke(main, [arguments[0], str(SHARDY), *arguments[1:]])
    assert "jax_use_shardy_partitioner=False" in result.stderr


def module(*lines: str) -> bytes:
    return "\n".join(["HloModule m", "", "ENTRY e {", *(f"  {x}" for x in lines), "}", ""]).encode()


A = "a = f32[2,4] parameter(0)"
BAD_TEXT = {
    "a file that is no HLO": (b"hello\n", 1),
    "a truncated file": (MLP.read_bytes()[:30000], 373),
    "an unknown operand": (module(A, "ROOT b = f32[2,4] negate(c)"), 5),
    "an unknown computation": (module(A, "ROOT b = f32[2,4] call(a), to_apply=f"), 5),
    "a duplicate name": (module(A, "ROOT a = f32[2,4] negate(a)"), 5),
    "a duplicate computation": (b"HloModule m\n\nf {\n ROOT a = f32[] parameter(0)\n}\n\n" * 2, 7),
    "an unreadable shape": (module("ROOT a = f32[2,x] parameter(0)"), 4),
    "an unknown element type": (module("ROOT a = g32[2] parameter(0)"), 4),
    "a malformed sharding": (module(f"ROOT {A}, sharding={{devices=[2,1]0}}"), 4),
    "a sharding of another rank": (module(f"ROOT {A}, sharding={{devices=[2]<=[2]}}"), 4),
    "a sharding of no kind": (module(f"ROOT {A}, sharding={{sliced}}"), 4),
    "an unreadable attribute": (module(A, "ROOT b = f32[4,2] transpose(a), dimensions={x}"), 5),
    "a computation of nothing": (module(), 4),
}
BAD_FILE = {
    "an empty file": ("bad.txt", b""),
    "a blank file": ("bad.txt", b"\n \n"),
    "binary garbage": ("bad.bin", bytes(range(256)) * 20),
    "zeros": ("bad.pb", bytes(5000)),
    "a truncated proto": ("bad.pb", PROTO.read_bytes()[:30000]),
    "a truncated gzip file": ("bad.txt.gz", gzip.compress(MLP.read_bytes())[:8000]),
    "a gzip file of nothing": ("bad.txt.gz", gzip.compress(b"")),
    "a dimension that is not there": (
        "bad.txt",
        module(
            f"{A}, sharding={{devices=[2,1]<=[2]}}",
            "ROOT b = f32[4,2] transpose(a), dimensions={1,5}",
        ),
    ),
}


def bad(folder: Path, name: str, data: bytes) -> str:
    """Propagate a bad file; return the message, which is one line, with nothing written."""
    source, target = folder / name, folder / "out.txt"
    source.write_bytes(data)
    result = run("propagate", source, "-o", target, code=2)
    (line,) = result.stderr.splitlines()
    assert result.stdout == ""
    assert list(folder.iterdir()) == [source]
    assert line.startswith(f"{source}:")
    return line.removeprefix(f"{source}:")


@pytest.mark.parametrize("what", BAD_TEXT)
def test_bad_text_is_one_line_with_file_and_line(what: str, tmp_path: Path) -> None:
    data, line = BAD_TEXT[what]
    assert bad(tmp_path, "bad.txt", data).split(":")[0] == str(line)


@pytest.mark.parametrize("what", BAD_FILE)
def test_bad_files_are_one_line_with_the_file(what: str, tmp_path: Path) -> None:
    assert bad(tmp_path, *BAD_FILE[what])


def test_what_is_not_known_is_warned_of_and_passed_through(tmp_path: Path) -> None:
    source, target = tmp_path / "new.txt", tmp_path / "out.txt"
    text = module(A, "n = f32[2,4] frobnicate(a), strange={x=1}", "ROOT b = f32[2,4] negate(n)")
    source.write_bytes(text)
    warning, *_ = run("propagate", source, "-o", target).stderr.splitlines()
    assert warning.startswith(f"warning: {source}")
    assert "frobnicate" in warning
    assert target.read_bytes() == text


def test_bytes_that_are_no_utf_8_leave_as_they_came(tmp_path: Path) -> None:
    source, target = tmp_path / "bytes.txt", tmp_path / "out.txt"
    source.write_bytes(
        module(A, 'ROOT b = f32[2,4] negate(a), metadata={op_name="X"}').replace(b"X", b"\xff")
    )
    run("propagate", source, "-o", target)
    assert target.read_bytes() == source.read_bytes()


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    missing = tmp_path / "none.txt"
    assert run("propagate", missing, code=2).stderr == f"{missing}: No such file or directory\n"
    assert str(tmp_path) in run("propagate", tmp_path, code=2).stderr


def test_an_output_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    target = tmp_path / "none" / "out.txt"
    result = run("propagate", SMALL / "dot.before.txt", "-o", target, code=2)
    assert "No such file or directory" in result.stderr


def test_a_bad_rule_file_is_told_with_its_line(tmp_path: Path) -> None:
    rules = tmp_path / "mine.dl"
    rules.write_text("# rule: mine\nforward(I, S) <= opcode[I] == 'add' &\n")
    result = run("propagate", SMALL / "dot.before.txt", "--rules", rules, code=2)
    assert f"{rules}:2" in result.stderr


def test_wrong_usage_says_what_was_expected() -> None:
    assert "true and false" in run("propagate", MLP, "--to-output", "yes", code=2).stderr
    assert "No such command" in run("propogate", code=2).stderr


def test_xla_that_cannot_run_has_its_own_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shardlog.xla.platform.machine", lambda: "arm64")
    result = run("compare", SMALL / "dot.before.txt", "--with", "xla", code=3)
    assert "Linux x86-64" in result.stderr


def test_an_error_of_ours_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("shardlog.api.propagate", broken)
    monkeypatch.setattr(shardlog, "propagate", broken)
    result = run("propagate", SMALL / "dot.before.txt", code=70)
    assert "internal error: ZeroDivisionError: oops" in result.stderr
