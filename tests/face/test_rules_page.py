"""docs/rules.md names every fact, function and channel, and nothing else."""

from __future__ import annotations

import re

from shardlog.converters.vocabulary import VOCABULARY
from tests.rules_page import PAGE, written


def test_the_tables_are_those_of_the_code() -> None:
    page = PAGE.read_text()
    assert written(page) == page, "run python -m tests.rules_page"


def test_every_base_relation_is_described_as_it_is_written() -> None:
    section = PAGE.read_text().split("| relation | meaning |")[1].split("\n\n")[0]
    described: dict[str, tuple[int, bool]] = {}
    for row in section.splitlines()[2:]:
        for code in re.findall(r"`([^`]+)`", row.split("|")[1]):
            name, bracket, terms = re.fullmatch(
                r"(\w+)([\[(])([^\])]*)[\])](?: == \w+)?", code
            ).groups()
            functional = bracket == "["
            described[name] = (len(terms.split(",")) + functional, functional)
    assert described == VOCABULARY
