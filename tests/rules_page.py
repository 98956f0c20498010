"""The tables of docs/rules.md that the code tells by itself.

    python -m tests.rules_page          writes them into the page

A test compares the page with what this would write.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from shardlog.ir.functions import FUNCTIONS, TESTS
from shardlog.propagation import load_rules

PAGE = Path(__file__).parents[1] / "docs" / "rules.md"


def channels() -> str:
    """The table of channels, in the order of the shipped rules."""
    rows = [
        f"| `{channel.head}` | {channel.visit} | `{channel.join}` | "
        f"{'' if channel.guard == 'anything' else f'`{channel.guard}`'} |"
        for channel in load_rules().declared.channels.values()
    ]
    return "\n".join(["| head | visit | join | guard |", "|---|---|---|---|", *rows])


def functions() -> str:
    """The tables of functions and tests, each with the first sentence of its docstring."""
    return (
        f"{_table('function', FUNCTIONS)}\n\nTests, which have no value:\n\n{_table('test', TESTS)}"
    )


def _table(kind: str, named: Mapping[str, Callable[..., Any]]) -> str:
    rows = [
        f"| `{_call(name, named[name])}` | {_sentence(named[name])} |" for name in sorted(named)
    ]
    return "\n".join([f"| {kind} | |", "|---|---|", *rows])


def _call(name: str, function: Callable[..., Any]) -> str:
    return f"{name}({', '.join(inspect.signature(function).parameters)})"


def _sentence(function: Callable[..., Any]) -> str:
    text = inspect.getdoc(function) or ""
    first = " ".join(text.split("\n\n")[0].split())
    return re.sub(r" Follows .*", "", first).removesuffix(".")


def written(page: str) -> str:
    """The text of the page with the tables as they should be."""
    for mark, table in (("channels", channels()), ("functions", functions())):
        place = re.compile(rf"(<!-- {mark} -->\n).*?(\n?<!-- end -->)", re.S)
        page, count = place.subn(lambda found, t=table: f"{found[1]}{t}\n<!-- end -->", page)
        assert count == 1, mark
    return page


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
