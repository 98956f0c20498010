"""What answers show in a notebook: HTML that holds nothing but escaped text, short tables."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

import shardlog
from shardlog.explain import Changes, conflicts, impact, what_if
from shardlog.markup import Displayed, proof, table

ROOT = Path(__file__).parents[2]
GPT = ROOT / "examples" / "gpt_forward_2x4.txt"
MLP = ROOT / "examples" / "mlp_train_2x4.txt"
VOID = {"br", "img"}
ALLOWED = {
    "p", "b", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "div", "code", "br",
    "small", "details", "summary",
}  # fmt: skip


class Checked(HTMLParser):
    """Collects the text of HTML whose tags are all known and closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: object) -> None:
        assert tag in ALLOWED
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data + " "


@pytest.fixture(scope="module")
def result() -> shardlog.Result:
    module = shardlog.load(str(GPT))
    module.name = "<script>alert('x')</script>"
    return shardlog.propagate(module)


def shown(answer: Displayed) -> str:
    bundle = answer._repr_mimebundle_()
    assert bundle["text/plain"] == str(answer)
    assert answer._repr_mimebundle_(include={"text/html"}) == {"text/html": bundle["text/html"]}
    return Checked(bundle["text/html"]).text


def test_a_result_shows_its_counts(result: shardlog.Result) -> None:
    text = shown(result)
    assert "<script>alert('x')</script>" in text
    assert "408 instructions; 44 came with a sharding, 364 have one" in text
    assert "tier 2" in text


def test_a_proof_is_nested_details(result: shardlog.Result) -> None:
    reason = result.why("dot_general.20", whole=True)
    html = proof(reason)
    assert html.count("<details") >= 1
    text = Checked(html).text
    assert "rule 'dot' (forward, tier 1, iteration 2): dot_general.20 takes batch" in text
    assert "{devices=[2,1,4,1]<=[8]}" in text
    assert "cause" not in shown(reason)
    assert "forward_from_operand:" in shown(result.account("dot_general.20"))


def test_questions_show_their_answers(result: shardlog.Result) -> None:
    assert "params__pos__.1 is annotated {replicated}" in shown(result.whynot("params__pos__.1"))
    lint = shown(result.lint("gpt.txt"))
    assert "16.0 MiB" in lint
    assert "shardlog whynot gpt.txt iota.9" in lint


def test_comparisons_show_what_differs() -> None:
    module = shardlog.load(str(MLP))
    name = next(i.name for i in module.instructions if i.sharding is not None)
    text = shown(what_if(module, Changes(drop=[name]), {}))
    assert "instructions differ" in text or "1 instruction differs" in text
    left, right = shardlog.load(str(MLP)), shardlog.propagate(str(MLP)).module
    found = shown(shardlog.compare_modules(left, right))
    assert "instructions agree" in found
    assert "only right" in found


def test_where_tiles_go_and_whose_they_are_is_shown(result: shardlog.Result) -> None:
    frontier = result.frontier("sharding_constraint.18")
    text = shown(frontier)
    assert f"and stop at {len(frontier.edges)} edge" in text
    assert all(edge.target in text for edge in frontier.edges)
    text = shown(impact(shardlog.load(str(GPT)), "sharding_constraint.18", {}))
    assert "is annotated {devices=[2,1,4,1]<=[8]}; without it" in text
    assert "2 instructions differ" in text
    assert "would be the same without it: dot_general.20" in " ".join(text.split())
    sum_ = shardlog.load(str(ROOT / "tests" / "data" / "threads" / "constrained_sum.hlo"))
    assert "conflict: a.1 and sharding_constraint.1" in shown(conflicts(sum_, "add.2", {}))


def test_long_tables_are_cut() -> None:
    html = table(["n"], [[n] for n in range(30)])
    assert html.count("<tr>") == 21
    assert "... and 10 more" in html
