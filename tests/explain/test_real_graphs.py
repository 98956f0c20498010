"""Every command asked of a real graph; the answers were worked out by hand from XLA's log.

Two graphs, with what XLA's pass logs of them (`NAME.log.gz`, metadata left out):

- `f08_prefill`: a decoder's prefill, its layers in a `while`, on 8 devices.
- `f07_dlrm_32`: a recommender's training step, its embedding tables split unlike, on 32.

What dropping annotations does was tried with XLA's pass on the edited text (`tests.explain.live`).
"""

from __future__ import annotations

import base64
import gzip
import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from shardlog.cli import main
from tests.provenance import Change, logged

REAL = Path(__file__).parents[1] / "data" / "real"
PREFILL, DLRM = REAL / "f08_prefill.before.txt.gz", REAL / "f07_dlrm_32.before.txt.gz"

BATCH = "{devices=[2,1,1,4]<=[8] last_tile_dim_replicate}"
ROWS = "{devices=[32,1]<=[32]}"
COLUMNS = "{devices=[1,4,8]<=[8,4]T(1,0) last_tile_dim_replicate}"


def asked(*arguments: object) -> Any:
    result = CliRunner().invoke(main, [*map(str, arguments), "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@lru_cache(maxsize=2)
def log(module: Path) -> str:
    return gzip.decompress(
        (REAL / module.name.replace(".before.txt", ".log")).read_bytes()
    ).decode()


def last(module: Path, name: str) -> Change:
    """The last change of an instruction as XLA's log has it."""
    return logged(log(module))[name]


def set_to(module: Path, name: str) -> list[str]:
    """The shardings that the log says an array was given, one after the other."""
    found = re.findall(rf"%{re.escape(name)} = .*, sharding=(\{{.*\}})$", log(module), re.M)
    assert found, name
    return found


@pytest.mark.parametrize(
    ("name", "chain"),
    [
        # made replicated backward first, then tiled as its indices are, which come from the tokens
        ("gather.1", ["broadcast_in_dim.29", "select_n.3"]),
        # first from its operands, over the heads alone; then over the batch, too, from a user's
        # user, which has it from the cache
        ("dot_general.2", ["reshape.0", "dot_general.3", "dynamic_update_slice.4", "squeeze.18"]),
    ],
)
def test_why(name: str, chain: list[str]) -> None:
    answer = asked("why", PREFILL, name)
    reasons = answer["reasons"]
    assert [reason["instruction"] for reason in reasons][: len(chain) + 1] == [name, *chain]
    for reason in reasons[: len(chain) + 1]:
        (step,) = reason["steps"]
        change = last(PREFILL, reason["instruction"])
        assert (step["direction"], step["tier"], step["iteration"]) == tuple(change)
        before, now = [None, *set_to(PREFILL, reason["instruction"])][-2:]
        assert (step["old"], step["new"]) == (before, now)
    assert (
        reasons[-1]["instruction"] == {"gather.1": "tok.1", "dot_general.2": "cache__k__.1"}[name]
    )
    assert reasons[-1]["steps"][0]["direction"] == "annotate"


def test_whynot() -> None:
    """The log sets scatter-add.77 once, backward at iteration 0, to rows over all devices.

    Its updates broadcast_in_dim.61 are split by columns not before iteration 4, over devices that
    the rows have by then; its indices are split along what the scatter selects.
    """
    assert last(DLRM, "scatter-add.77") == Change("backward", 0, 0)
    assert set_to(DLRM, "scatter-add.77") == [ROWS]
    assert set_to(DLRM, "broadcast_in_dim.61")[-1] == "{devices=[8,1,4]<=[32]}"
    assert last(DLRM, "broadcast_in_dim.61").iteration > 0
    answer = asked("whynot", DLRM, "scatter-add.77", "--dim", 1)
    cause = answer["cause"]
    assert (cause["kind"], cause["instruction"]) == ("join_refused", "scatter-add.77")
    assert "from mul.32 by rule 'user' (backward, tier 0)" in cause["says"]
    assert "dimension 1 (would take the devices that dimension 0 is split over)" in cause["says"]
    assert [one["instruction"] for one in cause["contributors"]] == ["broadcast_in_dim.61"]
    assert answer["candidates"][0]["proposes"] == COLUMNS


def test_whynot_that_leads_elsewhere() -> None:
    """The mask is made of iotas and only ever set to replicated: broadcast_in_dim.16, to which it

    is broadcast, is split along batch and heads, which the mask has not.
    """
    way = ["le.6", "broadcast_in_dim.9", "broadcast_in_dim.14", "broadcast_in_dim.15"]
    for name in ("le.2", *way):
        assert set(set_to(PREFILL, name)) == {"{replicated}"}
    assert set_to(PREFILL, "broadcast_in_dim.16")[-1] == "{devices=[2,4,1,1,1]<=[8]}"
    answer = asked("whynot", PREFILL, "le.2")
    assert answer["path"] == way
    cause = answer["cause"]
    assert (cause["kind"], cause["instruction"]) == ("dimension_lost", "broadcast_in_dim.15")
    assert [one["instruction"] for one in cause["contributors"]] == ["broadcast_in_dim.16"]


def test_frontier() -> None:
    """The table is split by rows: the logits have them as columns, and the gather selects rows.

    while.9, the logits' other operand, has no dimension of the vocabulary.
    """
    assert set_to(PREFILL, "dot_general.17")[-1] == "{devices=[2,1,4]<=[8]}"
    assert set_to(PREFILL, "gather.1")[-1] == set_to(PREFILL, "while.9")[-1] == BATCH
    answer = asked("frontier", PREFILL, "params__emb__.1")
    assert answer["reached"] == [
        "params__emb__.1",
        "dot_general.17",
        "convert_element_type.17",
        "tuple.5{0}",
    ]
    edges = {(edge["source"], edge["target"]): edge["kind"] for edge in answer["edges"]}
    assert edges == {
        ("params__emb__.1", "gather.1"): "dimension_lost",
        ("dot_general.17", "while.9"): "dimension_lost",
    }


DROPPED = {
    "params_0__0_.1": (ROWS, "no sharding"),
    **dict.fromkeys(
        ("sub.18", "tuple.1{0}", "mul.29", "mul.32", "scatter-add.77", "broadcast_in_dim.31"),
        (ROWS, COLUMNS),
    ),
}
"""What XLA's pass shards otherwise if the first table is not annotated, before and after."""


def changes(answer: Any) -> dict[str, tuple[str, str]]:
    return {n: (g["before"], g["after"]) for g in answer["groups"] for n in g["instructions"]}


def test_whatif() -> None:
    answer = asked("whatif", DLRM, "--drop", "params_0__0_.1")
    assert changes(answer) == DROPPED
    assert answer["instructions"] == 7
    # the parameter is whole then, 256 MiB; five arrays of its size have 4 tiles instead of 32
    whole = 1048576 * 64 * 4
    assert answer["bytes_after"] - answer["bytes_before"] == (
        whole - whole // 32 + 5 * (whole // 4 - whole // 32)
    )


def test_impact() -> None:
    answer = asked("impact", DLRM, "params_0__0_.1")
    assert answer["sharding"] == ROWS
    assert changes(answer["without"]) == DROPPED
    # the log gives broadcast_in_dim.61 a sharding backward, and its one user is scatter-add.77
    assert last(DLRM, "broadcast_in_dim.61").direction == "forward"
    assert "backward-pass): %broadcast_in_dim.61 = " in log(DLRM)
    assert "broadcast_in_dim.61" in answer["resting"]
    assert not set(answer["resting"]) & set(DROPPED)


def test_conflicts() -> None:
    """XLA's pass, with one annotation alone: the table gives rows, another columns; both, rows."""
    answer = asked("conflicts", DLRM, "scatter-add.77", "--most", 4)
    alone = {one["annotation"]: one["alone"] for one in answer["reaching"]}
    assert alone == {"params_0__0_.1": ROWS, "params_0__2_.1": COLUMNS}
    (conflict,) = answer["conflicts"]
    assert conflict["annotations"] == ["params_0__0_.1", "params_0__2_.1"]
    assert (conflict["together"], conflict["winner"]) == (ROWS, "params_0__0_.1")


def test_lint() -> None:
    """The tables that are split by rows are gathered from by columns, as the log leaves gather.13.

    A device has 8 MiB of the first, 2 MiB of the second. The other ten tables' gradients are
    scattered with updates whose batch ends there.
    """
    assert set_to(DLRM, "gather.13")[-1] == "{devices=[8,1,4]<=[32]}"
    assert set_to(DLRM, "scatter-add.75")[-1] == COLUMNS
    findings = asked("lint", DLRM)["findings"]
    found = [(one["kind"], one["instructions"][0], one["bytes"]) for one in findings]
    assert ("reshard", "gather.13", 1048576 * 64 * 4 // 32) in found
    assert ("reshard", "gather.14", 262144 * 64 * 4 // 32) in found
    assert [size for *_, size in found] == sorted((size for *_, size in found), reverse=True)
    assert {(f["kind"], len(f["instructions"])) for f in findings} == {("reshard", 1)}
    smaller = asked("lint", DLRM, "--min-bytes", 200_000, "--kind", "axis_lost")["findings"]
    (scatters,) = smaller
    assert scatters["instructions"] == [f"scatter-add.{n}" for n in range(75, 65, -1)]


def test_query() -> None:
    """Products that were last changed backward at tier 1 are those that the log says so of."""
    question = "(opcode[I] == 'dot') & (tier[I] == 1) & (direction[I] == 'backward')"
    answer = CliRunner().invoke(main, ["query", str(PREFILL), question, "--format", "csv"])
    names = [line for line in answer.stdout.split() if line != "I"]
    theirs = {
        name
        for name, change in logged(log(PREFILL)).items()
        if name.startswith("dot_general.") and (change.direction, change.tier) == ("backward", 1)
    }
    assert set(names) == theirs
    assert theirs == {"dot_general.0", "dot_general.1", "dot_general.2"}


def test_report(tmp_path: Path) -> None:
    """The page has of instructions what the log set them to last."""
    page = tmp_path / "page.html"
    result = CliRunner().invoke(main, ["report", str(PREFILL), "-o", str(page)])
    assert result.exit_code == 0, result.output
    found = re.search(r'<script type="text/plain" id="data">(.*?)</script>', page.read_text(), re.S)
    assert found is not None
    data = json.loads(gzip.decompress(base64.b64decode(found[1])))
    numbers = {name: n for n, name in enumerate(data["instructions"]["names"])}
    for name in ("gather.1", "dot_general.17", "mul.8", "dot_general.2"):
        number = data["instructions"]["sharding"][numbers[name]]
        assert data["shardings"][number]["text"] == set_to(PREFILL, name)[-1]
