"""The tables of a batch, its summary and its page."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import shardlog
from shardlog.batch import LocalScheduler, Settings, find_sources, run_batch
from shardlog.batch.schema import SCHEMA_VERSION, TABLES, arrow_schema
from tests.batch.running import ROOT, SMALL, digests, rows, run

BAD = "<script>alert(1)<script>.txt"
SCHEMA = Path(__file__).parent / "schema.json"


def test_the_schema_changes_only_with_its_version(finished: Path) -> None:
    """After a change that readers would notice: a new version, and the file written anew."""
    columns = {name: [[c.name, c.kind] for c in table] for name, table in TABLES.items()}
    assert json.loads(SCHEMA.read_text()) == {"schema": SCHEMA_VERSION, "tables": columns}
    for table in TABLES:
        assert pq.read_schema(finished / f"{table}.parquet").equals(arrow_schema(table))
        metadata = pq.read_metadata(finished / f"{table}.parquet").metadata
        assert metadata[b"shardlog.schema"] == str(SCHEMA_VERSION).encode()


def test_the_page_about_batches_has_every_column() -> None:
    page = (ROOT / "docs" / "batch.md").read_text()
    for table, columns in TABLES.items():
        assert f"### {table}" in page
        for column in columns:
            assert f"| `{column.name}` | {column.kind} | {column.says} |" in page, column


def test_a_batch_says_what_single_runs_say(finished: Path) -> None:
    for name in ("gpt_forward_2x4.txt", "flash_attention.txt"):
        source = ROOT / "examples" / name
        result = shardlog.propagate(source)
        report = [
            (x.computation.name, x.name, before, None if x.sharding is None else str(x.sharding))
            for x, before, _, _ in result.rows()
        ]
        table = [
            (row["computation"], row["name"], row["name_before"] or "", row["after"])
            for row in rows(finished, "instructions")
            if row["module"] == name
        ]
        assert sorted(table) == sorted(report)
        assert (finished / "modules" / name).read_text() == result.module.to_text()
        found = result.lint("MODULE").to_dict()["findings"]
        told = [row for row in rows(finished, "findings") if row["module"] == name]
        assert [row["cause"] for row in told] == [one["cause"] for one in found]
        assert [row["alike"] for row in told] == [one["instructions"] for one in found]
        steps = [row for row in rows(finished, "provenance") if row["module"] == name]
        assert [row["rule"] for row in steps] == [one.rule.name for one in result.records]
        accepted = sum(r["accepted"] for r in rows(finished, "rules") if r["module"] == name)
        assert accepted == len(steps)


def test_a_bad_file_is_a_row_with_the_reason(finished: Path) -> None:
    by_name = {row["module"]: row for row in rows(finished)}
    assert {name: row["status"] for name, row in by_name.items()} == {
        BAD: "error",
        "dot.txt": "ok",
        "flash_attention.txt": "ok",
        "gpt_forward_2x4.txt": "ok",
    }
    assert by_name[BAD]["line"] == 1
    assert by_name[BAD]["error"].startswith("1:")
    assert by_name[BAD]["instructions"] is None
    lines = [json.loads(line) for line in (finished / "results.jsonl").read_text().splitlines()]
    assert lines == list(by_name.values())
    summary = json.loads((finished / "summary.json").read_text())
    assert summary["modules"]["total"] == 4
    assert [one["module"] for one in summary["failures"]] == [BAD]
    assert summary["complete"]


def test_commands_of_findings_name_the_file(finished: Path) -> None:
    told = {row["command"] for row in rows(finished, "findings")}
    assert any(re.search(r"whynot \S+/gpt_forward_2x4.txt iota.9$", command) for command in told)


def test_the_page_shows_everything_and_trusts_nothing(finished: Path) -> None:
    page = (finished / "index.html").read_text()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;script&gt;.txt" in page
    for text in ("Failed", "Ops without a rule", "flash_attention", "Rules by use", "iota.9"):
        assert text in page
    assert not re.search(r"(?:src|href)=|https?://", page)
    assert page.count("<tr") == page.count("</tr>")


def test_results_do_not_depend_on_order_or_processes(finished: Path, tmp_path: Path) -> None:
    inputs = finished.parent / "in"
    again = tmp_path / "again"
    files = sorted(inputs.iterdir(), reverse=True)
    run(*files, "-o", again, "--jobs", 3, "--modules", "--provenance", code=1)
    assert digests(again) == digests(finished)


def test_names_that_are_no_text_do_not_stop_the_tables(tmp_path: Path) -> None:
    text = (SMALL / "dot.before.txt").read_bytes()
    line = next(line for line in text.splitlines() if b" dot(" in line)
    odd = line.rstrip() + b', metadata={op_name="caf\xe9"}'
    (tmp_path / "odd.txt").write_bytes(text.replace(line, odd, 1))
    run(tmp_path / "odd.txt", "-o", tmp_path / "out", "--jobs", 1)
    assert any("caf" in (row["op_name"] or "") for row in rows(tmp_path / "out", "instructions"))


def test_other_forms_and_rules(dumps: Path, tmp_path: Path) -> None:
    rules = tmp_path / "mine.dl"
    rules.write_text("+ disable('dot')\n")
    run(dumps, "-o", tmp_path / "out", "--jobs", 1, "--rules", rules, "--format", "json")
    report = json.loads((tmp_path / "out" / "modules" / "dot.json").read_text())
    assert {x["name"]: x["after"] for x in report["instructions"]}["dot.7"] is None


def test_wrong_rules_are_told_once_and_before_anything_else(dumps: Path, tmp_path: Path) -> None:
    rules = tmp_path / "mine.dl"
    rules.write_text("+ disable('dots')\n")
    result = run(dumps, "-o", tmp_path / "out", "--rules", rules, code=2)
    assert result.stderr.count("no rule 'dots'") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("level", "code"), [("never", 0), ("failure", 1), ("error", 1), ("warning", 1)]
)
def test_fail_on(finished: Path, level: str, code: int) -> None:
    options = ("--jobs", 1, "--modules", "--provenance", "--json", "--fail-on", level)
    result = run(finished.parent / "in", "-o", finished, *options, code=code)
    assert json.loads(result.stdout)["modules"]["failed"] == 1


def test_fail_on_a_severity(dumps: Path, tmp_path: Path) -> None:
    gpt = ROOT / "examples" / "gpt_forward_2x4.txt"
    run(gpt, "-o", tmp_path / "out", "--jobs", 1, "--fail-on", "warning")
    run(gpt, "-o", tmp_path / "out", "--jobs", 1, "--fail-on", "info", code=1)


def test_the_python_interface(dumps: Path, tmp_path: Path) -> None:
    seen: list[tuple[str, str]] = []
    ended = run_batch(
        find_sources([str(dumps)]),
        tmp_path / "out",
        Settings(findings=0),
        LocalScheduler(1),
        lambda source, status, _: seen.append((source.name, status)),
    )
    assert sorted(seen) == [("deeper/while.txt", "ok"), ("dot.txt", "ok")]
    assert ended.complete
    assert ended.counts.done == 2
