"""Every format of every command is valid, whatever stands beside it on the command line."""

from __future__ import annotations

import csv
import gzip
import io
import json
import shlex
import tempfile
from html.parser import HTMLParser
from pathlib import Path

import pytest

import shardlog
from tests.printed_commands import run

ROOT = Path(__file__).parents[2]
HLO = ROOT / "tests" / "data" / "small" / "mlp.before.txt"
SHARDY = ROOT / "examples" / "shardy_dump.txt"

ASKED = (
    "why {m} {i}", "why {m} {i} --whole", "why {m} {i} --dim 0", "whynot {m} {i}",
    "whynot {m} {i} --all", "whynot {m} {i} --dim 0", "frontier {m} {i}", "lint {m} --min-bytes 0",
    "lint {m} --strict --min-bytes 9999999", "whatif {m} --drop {a}", "impact {m} {a}",
    "conflicts {m} {i}", "query {m} tiled(I)", "query {m} tiled(I) --count", "query --relations",
    "query {m} --relations", "compare {m} --with {m} --as-is",
)  # fmt: skip


def places(module: Path) -> dict[str, str]:
    """Words for commands: the module, an instruction that is split, an annotation."""
    text = run(f"shardlog query {module} 'tiled(I) & ~annotated(I) & (rank[I] > 1)' --json")[1]
    annotated = run(f"shardlog query {module} 'annotated(I) & tiled(I)' --json")[1]
    return {
        "m": str(module),
        "i": json.loads(text)["rows"][0][0],
        "a": json.loads(annotated)["rows"][0][0],
    }


@pytest.fixture(scope="module", params=[HLO, SHARDY], ids=["hlo", "shardy"])
def words(request: pytest.FixtureRequest) -> dict[str, str]:
    return places(request.param)


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("more", ["", "--mesh x=2,y=4"])
def test_json_is_json(words: dict[str, str], asked: str, more: str) -> None:
    if more and "{m}" not in asked:
        pytest.skip("not about a module")
    code, text, error = run(f"shardlog {asked.format(**words)} --json {more}")
    assert code == 0, error
    json.loads(text)


class _Page(HTMLParser):
    """What a page would load, and which elements are not closed."""

    VOID = frozenset(("meta", "link", "br", "img", "input", "hr", "source"))

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loads += [v for k, v in attrs if k in ("src", "href") and v and not v.startswith("#")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            while self.open.pop() != tag:
                pass


def test_html_needs_nothing_else(words: dict[str, str]) -> None:
    for asked in ("why {m} {i} --format html", "report {m} -o -"):
        code, text, error = run(f"shardlog {asked.format(**words)}")
        assert code == 0, error
        page = _Page()
        page.feed(text)
        assert page.loads == []
        assert page.open == []


def test_dot_has_as_many_braces_as_it_opens(words: dict[str, str]) -> None:
    for asked in ("why {m} {i} --format dot", "rules graph --format dot"):
        code, text, error = run(f"shardlog {asked.format(**words)}")
        assert code == 0, error
        assert text.startswith("digraph")
        assert text.rstrip().endswith("}")
        assert "->" in text or asked.startswith("why")


def test_csv_has_a_head_and_rows_of_its_length(words: dict[str, str]) -> None:
    question = "'tiled(I) & (shape[I] == T)'"
    code, text, error = run(f"shardlog query {words['m']} {question} --format csv")
    assert code == 0, error
    head, *rows = csv.reader(io.StringIO(text))
    assert head == ["I", "T"]
    assert rows
    assert {len(row) for row in rows} == {2}


FORMS = {
    "hlo": "{devices=[2,1,4]<=[8] last_tile_dim_replicate}",
    "v1": "{devices=[2,1,4]0,1,2,3,4,5,6,7 last_tile_dim_replicate}",
    "v2": "{devices=[2,1,4]<=[8] last_tile_dim_replicate}",
    "v3": "{mesh['x'=2,'y'=4], [{'x'}, {}]}",
    "sdy": '#sdy.sharding<@mesh, [{"x"}, {}]>',
    "partition-spec": "P('x', None)",
    "proto-text": None,
    "proto-bytes-hex": None,
    "json": None,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("given", ["hlo", "sdy", "partition-spec"])
def test_every_form_of_a_sharding_is_read_back(form: str, given: str) -> None:
    what = shlex.quote(str(FORMS[given]))
    code, text, error = run(f"shardlog convert {what} --to {form} --mesh x=2,y=4")
    assert code == 0, error
    assert FORMS[form] is None or text == f"{FORMS[form]}\n"
    again = f"shardlog convert {shlex.quote(text.strip())} --to v2 --mesh x=2,y=4 --rank 2"
    assert run(again) == (0, f"{FORMS['hlo']}\n", "")


def test_what_propagate_writes_is_read_back(words: dict[str, str], tmp_path: Path) -> None:
    module = words["m"]
    code, text, error = run(f"shardlog propagate {module} --format json")
    assert code == 0, error
    report = json.loads(text)
    assert report["sharded_after"] == sum(
        one["after"] is not None for one in report["instructions"]
    )
    # the module that is written has just these shardings
    target = tmp_path / "after.txt.gz"
    code, _, error = run(f"shardlog propagate {module} -o {target}")
    assert code == 0, error
    after = {one.name: one.sharding for one in shardlog.load(target).instructions}
    written = {one["name"]: one["after"] for one in report["instructions"]}
    assert written == {name: s and str(s) for name, s in after.items()}
    code, text, error = run(f"shardlog propagate {module} --format text")
    assert (code, text) == (0, gzip.decompress(target.read_bytes()).decode())


def test_a_proto_is_written_as_one_and_as_text() -> None:
    module = ROOT / "tests" / "data" / "protos" / "f11_qr_batch8.before.pb"
    found = {}
    for form in ("pb", "text"):
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "after"
            code, _, error = run(f"shardlog propagate {module} -o {target} --format {form}")
            assert code == 0, error
            found[form] = {
                one.name: one.sharding and str(one.sharding)
                for one in shardlog.load(target).instructions
            }
    assert found["pb"] == found["text"]
    assert any(found["pb"].values())


def test_slices_are_json() -> None:
    for given in ("hlo", "sdy", "partition-spec", "v3"):
        what = shlex.quote(str(FORMS[given]))
        asked = f"shardlog show {what} --shape f32[16,32] --mesh x=2,y=4 --json --limit 2"
        code, text, error = run(asked)
        assert code == 0, error
        assert json.loads(text)["tile_shape"] == [8, 32]
