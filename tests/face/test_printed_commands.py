"""Every command that lint and reports print runs as printed and says what the finding says."""

from __future__ import annotations

import html
import json
import re
import shlex
from pathlib import Path

import pytest

from tests.printed_commands import disagreements, run

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
RULES = EXAMPLES / "flash_attention.dl"


@pytest.mark.parametrize(
    ("file", "options"),
    [
        (ROOT / "tests" / "data" / "small" / "mlp.before.txt", ""),
        (EXAMPLES / "rms_norm.hlo", ""),
        (EXAMPLES / "flash_attention.txt", f"--rules {shlex.quote(str(RULES))}"),
        (EXAMPLES / "shardy_dump.txt", "--mesh none"),
    ],
)
def test_what_lint_prints_runs_and_agrees(file: Path, options: str) -> None:
    found = list(disagreements(file, limit=3, options=options))
    assert found
    assert [(command, wrong) for command, wrong in found if wrong] == []
    # what changes the answer is in the command
    if options.startswith("--rules"):
        assert all(command.endswith(options) for command, _ in found)


def test_what_a_report_prints_runs(tmp_path: Path) -> None:
    page = tmp_path / "it's a report.html"
    file = EXAMPLES / "flash_attention.txt"
    code, _, error = run(f"shardlog report {file} -o {shlex.quote(str(page))} --rules {RULES}")
    assert code == 0, error
    text = page.read_text(encoding="utf-8")
    commands = re.findall(r'<div class="command"><code>(.*?)</code>', text)
    assert commands
    for command in map(html.unescape, commands[:2]):
        assert "--rules" in command
        assert run(command)[0] == 0


def test_what_a_batch_prints_runs_and_agrees(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("duckdb")
    spaced, out = tmp_path / "it's a module.txt", tmp_path / "a batch"
    spaced.write_bytes((EXAMPLES / "flash_attention.txt").read_bytes())
    files = " ".join(shlex.quote(str(one)) for one in (spaced, EXAMPLES / "gpt_forward_2x4.txt"))
    name = shlex.quote(str(out))
    code, _, error = run(f"shardlog batch {files} -o {name} --jobs 1 --rules {RULES}")
    assert code == 0, error
    asked = "select kind, instruction, cause, command from findings"
    code, text, error = run(f"shardlog batch query {name} {shlex.quote(asked)} --format json")
    assert code == 0, error
    findings = json.loads(text)
    assert {one["kind"] for one in findings} >= {"replicated", "annotation_without_effect"}
    for finding in findings:
        command = finding["command"]
        assert f"--rules {RULES}" in command
        code, text, error = run(command)
        assert code == 0, (command, error)
        assert finding["instruction"] in text
        if finding["kind"] == "replicated":
            assert f": {finding['cause']}" in text


def test_a_file_with_spaces_is_quoted(tmp_path: Path) -> None:
    file = tmp_path / "my module's dump.txt"
    file.write_bytes((EXAMPLES / "mlp_train_2x4.txt").read_bytes())
    assert [wrong for _, wrong in disagreements(file, limit=2)] == ["", ""]
