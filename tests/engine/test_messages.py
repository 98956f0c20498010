"""Golden messages: what the parser and the checker say of rules that cannot be used.

A file holds rules, a line of dashes, and all that is said of them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from shardlog.engine import Library, RuleError, load_program

FILES = sorted(Path(__file__).with_name("messages").glob("*.txt"))
BASE = {
    "edge": (2, False),
    "kind": (2, True),
    "operand": (3, True),
    "size": (2, True),
}
LIBRARY = Library(
    {"carry": lambda s, m: s, "cut": lambda s: s},
    {"is_big": lambda s: s > 1},
    {"rise": lambda old, new, *context: new},
)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_message(file: Path) -> None:
    rules, _, expected = file.read_text(encoding="utf-8").partition("-----\n")
    with pytest.raises(RuleError) as error:
        load_program([("rules.dl", rules)], LIBRARY, BASE)
    assert str(error.value) + "\n" == expected


def test_there_are_messages() -> None:
    assert len(FILES) > 30
