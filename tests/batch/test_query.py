"""Questions to a batch, which reach its tables and nothing else."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from shardlog.batch.queries import QUERIES
from shardlog.batch.sql import ask
from shardlog.ir.errors import InputError
from tests.batch.running import digests, rows, run


def answer(out: Path, sql: str) -> list[dict[str, object]]:
    found = ask(out, sql)
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def test_sql_over_all_tables(finished: Path) -> None:
    for table in ("modules", "instructions", "findings", "rules", "provenance"):
        assert answer(finished, f"from {table} select count(*) as n") == [
            {"n": len(rows(finished, table))}
        ]
    found = answer(finished, "select sum(instructions)::int as n from modules where status = 'ok'")
    assert found == [{"n": len(rows(finished, "instructions"))}]


@pytest.mark.parametrize("name", QUERIES)
def test_each_query_with_a_name_has_an_answer(finished: Path, name: str) -> None:
    assert answer(finished, QUERIES[name].sql)


def test_the_queries_with_names_find_what_they_say(finished: Path) -> None:
    unruled = answer(finished, QUERIES["unruled"].sql)
    assert {row["target"] for row in unruled} >= {"flash_attention", "rms_norm"}
    replicated = answer(finished, QUERIES["replicated"].sql)
    sizes = [row["bytes"] for row in replicated]
    assert sizes == sorted(sizes, reverse=True)  # type: ignore[type-var]
    rules = {row["rule"]: row["accepted"] for row in answer(finished, QUERIES["rules"].sql)}
    assert rules["dot"] == sum(one["rule"] == "dot" for one in rows(finished, "provenance"))


@pytest.mark.parametrize(
    "sql",
    [
        "select * from read_text('{}')",
        "select * from read_csv('{}')",
        "select * from '{}'",
        "select * from glob('/*')",
        "copy modules to '{}'",
        "attach '{}'",
        "install httpfs",
        "create table x as select 1",
        "drop view modules",
        "set enable_external_access = true",
        "select 1; select 2",
        "select * from finished",
        "selec",
        "",
    ],
)
def test_sql_reaches_nothing_else(finished: Path, tmp_path: Path, sql: str) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    before = digests(finished)
    with pytest.raises(InputError):
        answer(finished, sql.format(secret))
    assert digests(finished) == before
    assert secret.read_text() == "a\n1\n"


def test_the_command(finished: Path, tmp_path: Path) -> None:
    assert run("query", "--list").stdout.splitlines()[0].startswith("replicated  the largest")
    sql = "select module, instructions from modules where name like '%gpt%'"
    expected = [{"module": "gpt_forward_2x4.txt", "instructions": 408}]
    assert json.loads(run("query", finished, sql, "--format", "json").stdout) == expected
    lines = run("query", finished, sql, "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line) for line in lines] == expected
    table = run("query", finished, sql, "--format", "csv").stdout
    assert list(csv.DictReader(io.StringIO(table))) == [
        {"module": "gpt_forward_2x4.txt", "instructions": "408"}
    ]
    assert run("query", finished, sql).stdout.splitlines()[1].endswith("408")
    assert "| gpt\\_forward" in run("query", finished, sql, "--format", "markdown").stdout
    assert len(run("query", finished, "rules", "--limit", 2).stdout.splitlines()) == 3
    assert "not the output of a batch" in run("query", tmp_path, "rules", code=2).stderr
    assert "Parser Error" in run("query", finished, "selec", code=2).stderr
    assert "--list" in run("query", finished, code=2).stderr
