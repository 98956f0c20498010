"""What README.md and the docs show of the code: outputs of commands, tables of names.

    python -m tests.pages          writes them into the pages as they are now

Tests compare the pages with what this would write.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from shardlog import cli
from shardlog.converters.vocabulary import RELATIONS as BASE_RELATIONS
from shardlog.ir.functions import FUNCTIONS, TESTS
from shardlog.propagation import load_rules
from shardlog.query.vocabulary import HEADINGS, RELATIONS

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "examples").rglob("README.md"),
    ]
)
RULES = ROOT / "docs" / "rules.md"
QUESTIONS = ROOT / "docs" / "query.md"
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.M | re.S)
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
SHELL = re.compile(r"[|<>*&;$]")
SECONDS = re.compile(r"\b\d+\.\d{3}\b")


def examples(page: Path) -> Iterator[tuple[str, str]]:
    """The (command, output) pairs of a page's console blocks."""
    for block in CONSOLE.findall(page.read_text()):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            yield command, output.rstrip("\n")


def printed(command: str) -> str:
    """What a command prints in a folder with `examples`, `threads` and the tutorial's files."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "examples").symlink_to(ROOT / "examples")
        (Path(folder) / "threads").symlink_to(ROOT / "tests" / "data" / "threads")
        for file in (ROOT / "examples" / "tutorial").iterdir():
            (Path(folder) / file.name).symlink_to(file)
        words = shlex.split(command)
        if words[0] == "shardlog" and not SHELL.search(QUOTED.sub("", command)):
            with contextlib.chdir(folder):
                done = CliRunner(env={"COLUMNS": "100"}).invoke(cli.main, words[1:])
            output = done.stdout + done.stderr
        else:
            output = _shell(command, folder)
    return "\n".join(line.rstrip() for line in output.splitlines()).rstrip("\n")


def _shell(command: str, folder: str) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env={**os.environ, "PATH": path, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def masked(output: str) -> str:
    """An output without its times."""
    return SECONDS.sub("N", output)


def channels() -> str:
    """The table of channels, in the order of the shipped rules."""
    rows = [
        f"| `{channel.head}` | {channel.visit} | `{channel.join}` | "
        f"{'' if channel.guard == 'anything' else f'`{channel.guard}`'} |"
        for channel in load_rules().declared.channels.values()
    ]
    return "\n".join(["| head | visit | join | guard |", "|---|---|---|---|", *rows])


def base_relations() -> str:
    """The table of base relations, as they are written and with what they mean."""
    rows = [
        f"| {', '.join(f'`{one}`' for one in written.split('; '))} | {meaning} |"
        for written, meaning in BASE_RELATIONS
    ]
    return "\n".join(["| relation | meaning |", "|---|---|", *rows])


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


def relations() -> str:
    """The tables of relations that questions may name, heading by heading."""
    tables = []
    for heading in HEADINGS:
        rows = [f"| `{r.signature}` | {r.says} |" for r in RELATIONS.values() if r.of == heading]
        tables.append("\n".join([f"| {heading} | |", "|---|---|", *rows]))
    return "\n\n".join(tables)


def tables_of(page: Path) -> dict[str, Callable[[], str]]:
    """What makes the tables of a page, by their marks."""
    tables: dict[Path, dict[str, Callable[[], str]]] = {
        RULES: {"channels": channels, "relations": base_relations, "functions": functions},
        QUESTIONS: {"relations": relations},
    }
    return tables.get(page, {})


def with_tables(page: str, tables: Mapping[str, Callable[[], str]]) -> str:
    """The text of a page with its tables as they should be."""
    for mark, make in tables.items():
        table = make()
        place = re.compile(rf"(<!-- {mark} -->\n).*?(\n?<!-- end -->)", re.S)
        page, count = place.subn(lambda found, t=table: f"{found[1]}{t}\n<!-- end -->", page)
        assert count == 1, mark
    return page


def main() -> None:
    """Write outputs and tables into the pages; an output of which only times changed stays."""
    for page in PAGES:
        text = page.read_text()
        for command, output in examples(page):
            now = printed(command)
            if masked(now) != masked(output):
                text = text.replace(f"$ {command}\n{output}\n", f"$ {command}\n{now}\n")
        page.write_text(with_tables(text, tables_of(page)))


if __name__ == "__main__":
    main()
