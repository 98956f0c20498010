"""The page in a browser: without errors or requests, with a mouse, and with keys alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import shardlog
from shardlog.meshes import mesh_of
from shardlog.report import report_html
from shardlog.report.shardy import shardy_report_html
from shardlog.shardy import read_shardy
from shardlog.shardy.session import Asked
from tests.report.browser import Browser, started

ROOT = Path(__file__).parents[2]
GPT = ROOT / "examples" / "gpt_forward_2x4.txt"
NASTY = "</script><img src=x onerror=\"document.title='owned'\">'\"&\u2028\u2029`${1}`\\"
ENTER, ESCAPE, TAB = "\ue007", "\ue00c", "\ue004"
UP, DOWN = "\ue013", "\ue015"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started() as one:
        yield one


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "gpt.html"
    path.write_text(report_html(shardlog.propagate(str(GPT)), "gpt.txt"), encoding="utf-8")
    return path


def test_it_opens_without_errors_and_asks_the_network_for_nothing(
    browser: Browser, page: Path
) -> None:
    browser.open(page)
    assert browser.count(".node") > 5
    assert browser.errors() == []
    assert browser.requests() == [page.as_uri()]
    # the policy forbids what the page does not try
    browser.run("fetch('https://example.org').catch(() => {}) && 1")
    assert "Content Security Policy" in " ".join(browser.errors())


def test_findings_lead_to_instructions(browser: Browser, page: Path) -> None:
    browser.open(page)
    assert browser.text("#finding-0 b") == "16.0 MiB"
    assert browser.text("#finding-0 .command code") == "shardlog whynot gpt.txt iota.9"
    browser.run("document.querySelector('#finding-0 a').click()")
    browser.wait("document.querySelector('#details h2').textContent === 'iota.9'")
    assert "broadcast_in_dim.2 has {devices=[2,4,1,1]<=[8]}" in browser.text("#details pre")


def test_a_chosen_instruction_shows_its_proof(browser: Browser, page: Path) -> None:
    browser.open(page, "#i=dot_general.20")
    assert browser.text(".node.centre .name") == "dot_general.20"
    proof = browser.text("#details .proof")
    assert "dot (forward, tier 1, iteration 2): dot_general.20 takes batch and free" in proof
    assert "shardlog why gpt.txt dot_general.20" in browser.text("#details")
    opened = "document.querySelector('#details .proof details')"
    browser.run(f"{opened}.open = true")
    browser.wait(f"{opened}.querySelector('.proof')")
    assert "is annotated {devices=[2,1,4,1]<=[8]}" in browser.text("#details .proof details .proof")


def test_a_click_on_a_box_tells_of_it(browser: Browser, page: Path) -> None:
    browser.open(page, "#i=dot_general.20")
    box = browser.driver.find_element("css selector", '.node[aria-label^="sharding_constraint.17"]')
    box.click()
    assert browser.text("#details h2") == "sharding_constraint.17"


def test_filters_decide_what_the_table_shows(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.run("document.querySelector('#tab-table').click()")
    browser.run(
        "(s => { s.value = [...s.options].find(o => o.text.startsWith('dot ')).value;"
        " s.dispatchEvent(new Event('change', {bubbles: true})); })"
        "(document.querySelector('#by-opcode'))"
    )
    module = shardlog.load(str(GPT))
    dots = sum(one.opcode == "dot" for one in module.instructions)
    assert browser.text("#matching") == f"{dots} instructions"
    assert browser.run("document.querySelector('.grid').getAttribute('aria-rowcount')") == str(
        dots + 1
    )
    opcodes = browser.run(
        "[...document.querySelectorAll('.lines .opcode')].map(x => x.textContent)"
    )
    assert opcodes
    assert {*opcodes} == {"dot"}
    browser.run("document.querySelector('[type=reset]').click()")
    total = len(list(module.instructions))
    browser.wait(f"document.querySelector('#matching').textContent === '{total} instructions'")


def test_all_of_it_works_with_keys_alone(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.press("/", *"dot_general.20", ENTER)
    browser.wait("document.querySelector('#details h2').textContent === 'dot_general.20'")
    focused = "document.activeElement.getAttribute('aria-label') ?? ''"
    browser.wait(f"({focused}).startsWith('dot_general.20')")
    browser.press(UP)
    assert browser.run(focused).startswith("sharding_constraint.1")
    browser.press(DOWN)
    assert browser.run(focused).startswith("dot_general.20")
    browser.press(UP, ENTER)
    browser.wait("document.querySelector('#details h2').textContent.startsWith('sharding_')")
    browser.press(ESCAPE)
    browser.wait("location.hash.startsWith('#s=')")
    assert browser.run("document.activeElement.classList.contains('node')")
    browser.press("t", DOWN, ENTER)
    assert browser.run("location.hash").startswith("#i=")
    # every stop of the tabulator can be seen
    browser.run("document.activeElement.blur() || 1")
    for _ in range(12):
        browser.press(TAB)
        visible = browser.run(
            "(a => a === document.body || a.closest('svg') !== null"
            " || getComputedStyle(a).outlineStyle !== 'none')(document.activeElement)"
        )
        assert visible, browser.run("document.activeElement.outerHTML.slice(0, 200)")
    assert browser.errors() == []


def test_what_a_module_holds_is_never_markup(browser: Browser, tmp_path: Path) -> None:
    text = GPT.read_text()
    module = shardlog.load(
        text.replace("bqhk,bmhk->bhqm", NASTY.replace("\\", "").replace('"', "'")).encode()
    )
    chosen = next(one for one in module.instructions if one.name == "dot_general.20")
    chosen.name = module.name = NASTY
    result = shardlog.propagate(module)
    path = tmp_path / "nasty.html"
    path.write_text(report_html(result, f"{NASTY}.txt"), encoding="utf-8")
    browser.open(path)
    assert browser.run("document.title") == f"Shardings of {NASTY}".replace("\u2028", "\u2028")
    browser.run(f"page.go(addressOf(page.module, {result.number(NASTY)}))")
    browser.wait("document.querySelector('#details h2')?.textContent.includes('</script>')")
    assert browser.text("#details h2") == NASTY
    assert browser.count("img") == 0
    assert browser.errors() == []


def test_a_module_for_shardy_says_so(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "shardy.html"
    result = shardlog.propagate(str(ROOT / "examples" / "shardy_dump.txt"))
    path.write_text(report_html(result, mesh=mesh_of(result.module)), encoding="utf-8")
    browser.open(path)
    assert "XLA runs Shardy on this module, not GSPMD" in browser.text(".note")
    assert "shown on the mesh data=2,model=4." in browser.text("body")
    assert "P('data', 'model', None)" in browser.text("#details")


def test_shardys_page_follows_axes(browser: Browser, tmp_path: Path) -> None:
    program = read_shardy((ROOT / "examples" / "shardy_conflicts.mlir").read_bytes())
    path = tmp_path / "shardy.html"
    path.write_text(shardy_report_html(Asked(program), "program.mlir"), encoding="utf-8")
    browser.open(path, "#i=%253")
    assert browser.errors() == []
    assert browser.text("#details h2") == "%3"
    assert '[{"a"}, {"b"}]' in browser.text("#details")
    proof = browser.text("#details .proof")
    assert "comes from dim 0 of operand 0, %2, along factor i (permutation, size 8)" in proof
    assert "shardlog why program.mlir %3 --partitioner shardy" in browser.text("#details")
